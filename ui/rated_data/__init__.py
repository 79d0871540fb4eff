"""Parts of the screen Rated data."""
