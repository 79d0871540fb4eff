"""Numerics that know no noun of the domain: arrays, proportions, tests, logistic regression, rounding."""

from multiloss_core.numerics.arrays import Bools, Floats, Indices, ratio
from multiloss_core.numerics.proportions import precision_interval
from multiloss_core.numerics.rounding import written_number

__all__ = [
    "Bools", "Floats", "Indices", "precision_interval", "ratio", "written_number"
]  # fmt: skip
