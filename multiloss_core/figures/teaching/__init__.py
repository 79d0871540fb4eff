"""Figures that explain the methods: the search of the threshold graph, the tangent, Theorem 1 put to the test."""
