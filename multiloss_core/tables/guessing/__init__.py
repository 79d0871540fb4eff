"""Guess the role of each column: ratings, scores, weights and further properties."""
