"""Speed and quality comparisons, run by hand; nothing here is a test."""
