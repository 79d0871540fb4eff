"""Parts shared by all screens and independent of the data."""
