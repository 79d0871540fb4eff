"""Define array types, and ratios that are NaN over an empty denominator."""

from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from multiloss_core.errors import DataError

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Indices = NDArray[np.intp]

# A number, or an array of them.
Number = TypeVar("Number", float, Floats)

UNDEFINED = float("nan")


def number_array(values: ArrayLike, what: str) -> Floats:
    """Copy values into an array of numbers, columns by column. Raises DataError naming `what`."""
    try:
        return np.array(values, dtype=np.float64, order="F")
    except (TypeError, ValueError):
        raise DataError(f"{what} must be numbers, in rows of equal length.") from None


def ratio(part: Number, whole: Number) -> Number:
    """Return part / whole, NaN where the whole is 0; for numbers, or arrays of equal shape."""
    if isinstance(whole, np.ndarray):
        return np.divide(part, whole, out=np.full(whole.shape, UNDEFINED), where=whole > 0)
    return part / whole if whole > 0 else UNDEFINED


def sums(index: NDArray[np.integer[Any]], values: Floats, length: int) -> Floats:
    """Compute the sum (length,) of the values (m,) at each index (m,)."""
    return np.asarray(np.bincount(index, values, length), dtype=np.float64)


def rounding_tolerance(counts: Floats) -> float:
    """Bound the rounding difference of two sums of weights."""
    return 1e-9 * float(counts.max(initial=0.0))
