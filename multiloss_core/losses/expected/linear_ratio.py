"""Write fractional-linear losses in counts, for the quadratic and the near-linear method."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum

import numpy as np

from multiloss_core.losses.multivariate import FractionalLinear
from multiloss_core.numerics.arrays import Floats

_CANCELLED = 4.0 * float(np.finfo(float).eps)
# Of the coefficients of the denominator, relative to the largest: beyond it numbers overflow.
_SMALLEST = 1e-200


@dataclass(frozen=True, eq=False)
class LinearRatio:
    """(constant + of_first K1 + of_others K2) / (base[0] + base[1] k + weight1 K1 + weight2 K2).

    K1 positives among the k flagged items, K2 among the n - k others; `constant`, `of_first`, `of_others` (n + 1,)
    by k.
    """

    n: int
    constant: Floats
    of_first: Floats
    of_others: Floats
    base: tuple[float, float]
    weight1: float
    weight2: float


@dataclass(frozen=True, eq=False)
class OrientedRatio:
    """N / D^power for each k, K1 the count among the first k items and K2 among the others.

    D = base + weight1 K1 + weight2 K2, with weights >= 0 and a base on a straight line between its two values >= 0 at
    k = 0 and k = n. N = constant + of_first K1 + of_others K2 + of_both K1 K2, each coefficient (n + 1,), a number or
    None for 0. K1 counts the negatives where `flipped1`, K2 where `flipped2`. `size`: the largest |N| / D^power over
    all outcomes. `smallest` > 0: D is no less wherever N is not 0.
    """

    base: tuple[float, float]
    weight1: float
    weight2: float
    size: float = 1.0
    smallest: float = 1.0
    power: float = 1.0
    constant: Floats | None = None
    of_first: Floats | float | None = None
    of_others: Floats | float | None = None
    of_both: Floats | float | None = None
    flipped1: bool = False
    flipped2: bool = False


def as_linear_ratio(loss: FractionalLinear, n: int) -> LinearRatio:
    """Write equation 4 in counts, with u = K1 / n, v = k / n, p = (K1 + K2) / n."""
    k = np.arange(n + 1, dtype=np.float64)
    ones = np.ones(n + 1)
    c0, c1, c2, c3 = loss.c
    d0, d1, d2, d3 = loss.d
    return LinearRatio(
        n,
        constant=_sum(c0 * n, c2 * k),
        of_first=_sum(c1, c3) * ones,
        of_others=c3 * ones,
        base=(d0 * n, d2),
        weight1=float(_sum(d1, d3)),
        weight2=d3,
    )


def oriented(loss: FractionalLinear, n: int) -> OrientedRatio | None:
    """Rewrite a ratio with a denominator and weights >= 0; None if impossible. O(n).

    Numerator and denominator are sums of the four counts, so the coefficients of these decide: the denominator must
    have one sign and be 0 only where the numerator is. Divided by the largest one, none may be 1e-200 or less.
    """
    above, below = _of_counts(loss.c), _of_counts(loss.d)
    largest = below[np.abs(below).argmax()]
    with np.errstate(all="ignore"):
        above, below = above / largest, below / largest
        some = below > 0.0
        size = float(np.max(np.abs(above[some]) / below[some], initial=0.0))
    if not some.any() or below.min() < 0.0 or np.any(above[~some] != 0.0):
        return None
    if not (below[some].min() > _SMALLEST and size < 1.0 / _SMALLEST):
        return None
    weight1, weight2 = _total(loss.d[1], loss.d[3]) / largest, loss.d[3] / largest
    of_first, of_others = _total(loss.c[1], loss.c[3]) / largest, loss.c[3] / largest
    # Where the weight is negative, the count of negatives takes its place.
    of_flagged, of_rest = (3 if weight1 < 0.0 else 2), (1 if weight2 < 0.0 else 0)
    k = np.arange(n + 1, dtype=np.float64)
    return OrientedRatio(
        base=(n * float(below[of_rest]), n * float(below[of_flagged])),
        weight1=float(abs(weight1)),
        weight2=float(abs(weight2)),
        size=size,
        smallest=float(below[some].min()) * (n if some.all() else 1),
        constant=(n - k) * above[of_rest] + k * above[of_flagged],
        of_first=float(-of_first if weight1 < 0.0 else of_first),
        of_others=float(-of_others if weight2 < 0.0 else of_others),
        flipped1=bool(weight1 < 0.0),
        flipped2=bool(weight2 < 0.0),
    )


def _of_counts(coefficients: Sequence[float]) -> Floats:
    """Return the coefficients of TN, FN, FP and TP, from those of 1, u, v and p."""
    constant, of_u, of_v, of_p = coefficients
    return np.array([constant, _total(constant, of_p), _total(constant, of_v), _total(constant, of_u, of_v, of_p)])


def _total(*terms: float) -> float:
    """Add terms exactly, with exactly 0 where they cancel up to rounding."""
    total = fsum(terms)
    return 0.0 if abs(total) <= _CANCELLED * fsum(map(abs, terms)) else total


def _sum(one: Floats | float, other: Floats | float) -> Floats:
    """Add two terms, with exactly 0 where they cancel up to rounding."""
    total = np.asarray(np.add(one, other), dtype=np.float64)
    return np.where(np.abs(total) <= _CANCELLED * (np.abs(one) + np.abs(other)), 0.0, total)
