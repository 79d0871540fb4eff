"""What a visitor waits for and has to do, by Chromium."""
