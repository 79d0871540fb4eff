"""Expected losses of the top k for every k: one module a method."""
