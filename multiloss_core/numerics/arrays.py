"""Arrays by their kind, and rates that are undefined over nothing."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Indices = NDArray[np.intp]

UNDEFINED = float("nan")


def ratio(part: float, whole: float) -> float:
    """part / whole, not a number where the whole is nothing."""
    return part / whole if whole > 0 else UNDEFINED


def ratios(parts: Floats, wholes: Floats) -> Floats:
    """`ratio` for arrays of equal shape."""
    return np.divide(parts, wholes, out=np.full(np.shape(wholes), UNDEFINED), where=wholes > 0)


def sums(index: NDArray[np.integer[Any]], values: Floats, length: int) -> Floats:
    """The sum (length,) of the values (m,) at each index (m,)."""
    return np.asarray(np.bincount(index, values, length), dtype=np.float64)


def rounding_tolerance(counts: Floats) -> float:
    """How far sums of weights may differ by rounding alone."""
    return 1e-9 * float(counts.max(initial=0.0))
