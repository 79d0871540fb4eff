"""Check Theorem 1 and its limits, for teaching and for tests."""
