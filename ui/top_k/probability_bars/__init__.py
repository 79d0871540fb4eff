"""Bars that can be dragged: the probabilities of a few items."""
