"""Parts of the screen Decisions."""
