"""Uploads, samples and datasets of a session."""
