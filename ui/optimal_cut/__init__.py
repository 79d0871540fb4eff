"""Parts of the screen Optimal cut."""
