"""What all screens share and what knows nothing of the data."""
