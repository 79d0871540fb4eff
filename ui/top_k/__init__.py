"""Parts of the screen Top-k."""
