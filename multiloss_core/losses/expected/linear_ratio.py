"""Write fractional-linear losses in counts, for the quadratic and the near-linear method."""

from dataclasses import dataclass

import numpy as np

from multiloss_core.losses.multivariate import FractionalLinear
from multiloss_core.numerics.arrays import Floats

_CANCELLED = 4.0 * np.finfo(float).eps


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
class OrientedRatio(LinearRatio):
    """A `LinearRatio` with a denominator that is nowhere negative and has no negative weight.

    Where `flipped1`, K1 counts the negatives among the flagged items, likewise K2 with `flipped2`. `size`: the largest
    absolute value of the ratio over all outcomes. `smallest` > 0: the denominator is no less wherever the numerator is
    not 0.
    """

    flipped1: bool
    flipped2: bool
    size: float
    smallest: float


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


def oriented(ratio: LinearRatio) -> OrientedRatio | None:
    """Rewrite a ratio with a denominator >= 0 and weights >= 0; None if that is impossible.

    It is possible if the denominator has one sign over all outcomes and is 0 only where the numerator is. O(n).
    """
    for sign in (1.0, -1.0):
        turned = _with_positive_weights(ratio, sign)
        if turned is not None:
            return turned
    return None


def _with_positive_weights(ratio: LinearRatio, sign: float) -> OrientedRatio | None:
    n = ratio.n
    k = np.arange(n + 1, dtype=np.float64)
    constant, of_first, of_others = sign * ratio.constant, sign * ratio.of_first, sign * ratio.of_others
    at_0, slope = sign * ratio.base[0], sign * ratio.base[1]
    weight1, weight2 = sign * ratio.weight1, sign * ratio.weight2
    flipped1, flipped2 = weight1 < 0.0, weight2 < 0.0
    # K = (number of items) - (those that do not count)
    if flipped1:
        slope, constant = float(_sum(slope, weight1)), _sum(constant, of_first * k)
        weight1, of_first = -weight1, -of_first
    if flipped2:
        at_0, slope = float(_sum(at_0, weight2 * n)), float(_sum(slope, -weight2))
        constant = _sum(constant, of_others * (n - k))
        weight2, of_others = -weight2, -of_others
    at_n = float(_sum(at_0, slope * n))
    if min(at_0, at_n) < 0.0 or max(at_0, at_n, weight1, weight2) == 0.0:
        return None
    base = np.maximum(_sum(at_0, slope * k), 0.0)
    nothing = base == 0.0
    # 0/0 is a loss of 0; other divisions by 0 are rejected.
    if np.any(constant[nothing] != 0.0):
        return None
    if weight1 == 0.0 and np.any(of_first[nothing & (k > 0)] != 0.0):
        return None
    if weight2 == 0.0 and np.any(of_others[nothing & (k < n)] != 0.0):
        return None
    size = _largest_ratio(base, (weight1, weight2), constant, of_first, of_others)
    positive = [value for value in (at_0, at_n, weight1, weight2) if value > 0.0]
    if np.any(nothing) and np.any(~nothing):
        positive.append(abs(slope))
    return OrientedRatio(
        n, constant, of_first, of_others, (at_0, slope), weight1, weight2, flipped1, flipped2, size, min(positive)
    )


def _largest_ratio(
    base: Floats, weights: tuple[float, float], constant: Floats, of_first: Floats, of_others: Floats
) -> float:
    """Find the largest ratio, at a corner of the box as linear fractions are monotone."""
    n = base.size - 1
    k = np.arange(n + 1, dtype=np.float64)
    largest = 0.0
    for first in (np.zeros(n + 1), k):
        for others in (np.zeros(n + 1), n - k):
            above = np.abs(constant + of_first * first + of_others * others)
            below = base + weights[0] * first + weights[1] * others
            ratio = np.divide(above, below, out=np.zeros(n + 1), where=below > 0.0)
            largest = max(largest, float(ratio.max()))
    return largest


def _sum(one: Floats | float, other: Floats | float) -> Floats:
    """Add two terms, with exactly 0 where they cancel up to rounding."""
    total = np.asarray(np.add(one, other), dtype=np.float64)
    return np.where(np.abs(total) <= _CANCELLED * (np.abs(one) + np.abs(other)), 0.0, total)
