"""Compute intervals of proportions and effective sample sizes.

SciPy's `binomtest` takes one whole count at a time; these take arrays and fractional counts of weighted documents.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from multiloss_core.errors import DataError
from multiloss_core.numerics.arrays import UNDEFINED, Floats

# Standard errors to either side of a 95 % interval.
NORMAL_95 = float(ndtri(0.975))


def share_interval(positives: ArrayLike, documents: ArrayLike, level: float = 0.95) -> Floats:
    """Compute Wilson bounds (2, ...) of the share of `positives` among `documents` (...).

    Both may be fractional, as effective numbers are; NaN without documents. Source: Wilson 1927, without a correction
    for continuity.

    Raises DataError: a level outside (0, 1), negative positives or more than documents.
    """
    caught, whole = np.asarray(positives, dtype=np.float64), np.asarray(documents, dtype=np.float64)
    if not 0 < level < 1:
        raise DataError(f"The level of an interval must lie between 0 and 1, not at {level}.")
    # Rounding may make sums of weights exceed each other.
    if ((caught < 0) | (caught > whole * (1 + 1e-9))).any():
        raise DataError("Positives must lie between 0 and the number of documents.")
    with np.errstate(invalid="ignore"):
        share = (caught / whole).clip(0.0, 1.0)
    z = ndtri(0.5 + 0.5 * level)
    across = 2 * (whole + z**2)
    middle = (2 * whole * share + z**2) / across
    reach = z / across * np.sqrt(4 * whole * share * (1 - share) + z**2)
    # Exact at the ends, in spite of rounding.
    return np.stack([np.where(share == 0, 0.0, middle - reach), np.where(share == 1, 1.0, middle + reach)])


def effective_size(weights: ArrayLike) -> float:
    """Compute the effective size (sum w)^2 / sum w^2; 0 for none (Kish 1965)."""
    values = np.asarray(weights, dtype=np.float64)
    squares = float(np.square(values).sum())
    return float(values.sum()) ** 2 / squares if squares > 0 else float("nan") if values.size else 0.0


def precision_interval(precision: float, documents: float, level: float = 0.95) -> tuple[float, float]:
    """Compute the Wilson interval (low, high) of a precision over (effective) `documents`.

    NaN without documents. `level` in (0, 1).
    """
    if not documents > 0:
        return UNDEFINED, UNDEFINED
    low, high = share_interval(precision * documents, documents, level)
    return float(low), float(high)
