"""Parts of the screen Operating point."""
