"""Natarajan et al. 2016: from probabilities to an optimal prediction."""
