"""Synthetic populations with known truth, for both halves of the library."""
