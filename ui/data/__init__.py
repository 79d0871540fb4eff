"""What a session holds: uploads, samples, datasets."""
