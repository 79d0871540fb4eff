"""Compute arrays, proportions, tests and regressions, independent of the domain."""

from multiloss_core.numerics.arrays import Bools, Floats, Indices, ratio
from multiloss_core.numerics.proportions import precision_interval
from multiloss_core.numerics.rounding import written_number

__all__ = [
    "Bools", "Floats", "Indices", "precision_interval", "ratio", "written_number"
]  # fmt: skip
