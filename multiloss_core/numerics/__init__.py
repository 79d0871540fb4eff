"""Numerics that know no noun of the domain: arrays, proportions, tests, logistic regression, rounding."""
