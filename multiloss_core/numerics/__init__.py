"""Numerics that know no noun of the domain: arrays, proportions, tests, logistic regression, rounding."""

from multiloss_core.numerics.arrays import Bools, Floats, Indices, ratio
from multiloss_core.numerics.proportions import precision_interval

__all__ = [
    "Bools", "Floats", "Indices", "precision_interval", "ratio"
]  # fmt: skip
