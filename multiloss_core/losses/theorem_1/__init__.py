"""Theorem 1 checked, and where it ends: for teaching and for tests."""
