"""Compute expected losses of the top k for every k; one module for each method."""
