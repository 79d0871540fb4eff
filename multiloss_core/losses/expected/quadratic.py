"""Compute every L_k of a fractional-linear loss: O(n^2) time, O(n) memory."""

from collections.abc import Iterator

import numpy as np
from scipy.signal import lfilter

from multiloss_core.errors import DataError
from multiloss_core.losses.expected.interface import Method, by_row
from multiloss_core.losses.expected.linear_ratio import LinearRatio, as_linear_ratio
from multiloss_core.losses.expected.poisson_binomial import count_windows
from multiloss_core.losses.multivariate import Loss
from multiloss_core.numerics.arrays import Bools, Floats, Indices

MAX_QUADRATIC = 50_000
# Probabilities with a sum below this are rounding next to the others.
_NEGLIGIBLE = 1e-30


def has_quadratic_form(loss: Loss, n: int) -> bool:
    """Return whether `quadratic` can take this loss: one count decides its denominator."""
    ratio = _ratio(loss, n)
    return ratio is not None and (ratio.weight1 == ratio.weight2 or 0.0 in (ratio.weight1, ratio.weight2))


def quadratic(descending: Floats, loss: Loss) -> Floats:
    """Find L_k for k = 0..n under a fractional-linear loss with one count in its denominator.

    `descending` (n,): probabilities, n <= 50,000. Takes F, Jaccard, or a FractionalLinear with d1 = 0, d3 = 0 or d1 +
    d3 = 0, else DataError: then the denominator depends on K1 + K2, K2 or K1 alone. After Ye et al. 2012 (the paper's
    appendix B.1), for any real coefficients and without its table of n^2 numbers.

    Exact up to rounding, which grows with n (for a loss in [0, 1] below 3e-12 at n = 20,000).
    """
    n = descending.size
    ratio = _ratio(loss, n)
    if ratio is None or not has_quadratic_form(loss, n):
        raise DataError(
            f"The quadratic method does not take {loss.name}; it takes F, Jaccard and fractional-linear losses with "
            "d1 = 0, d3 = 0 or d1 + d3 = 0. Choose near_linear, windowed or cubic."
        )
    sizes, first, others = np.arange(n + 1), ratio.of_first, ratio.of_others
    if ratio.weight1 == ratio.weight2:
        found = _by_all_positives(descending, ratio)
    elif ratio.weight1 == 0.0:
        sizes = sizes[::-1]
        found = _by_one_count(
            descending[::-1], ratio, sizes=sizes, weight=ratio.weight2, of_counted=others, of_rest=first
        )
    else:
        found = _by_one_count(descending, ratio, sizes=sizes, weight=ratio.weight1, of_counted=first, of_rest=others)
    values = np.fromiter(found, float, n + 1)[sizes]
    if np.any(np.isnan(values)):
        raise DataError(
            f"The {loss.name} loss divides by 0 for {np.count_nonzero(np.isnan(values)):,} sizes of the prediction; "
            "choose d so that d0 + d1 u + d2 v + d3 p is 0 nowhere."
        )
    return values


def _ratio(loss: Loss, n: int) -> LinearRatio | None:
    form = loss.fractional_linear
    return None if form is None else as_linear_ratio(form, n)


def _by_all_positives(descending: Floats, ratio: LinearRatio) -> Iterator[float]:
    """Compute with S = K1 + K2 in the denominator, from P(S = s) and E[K1; S = s]."""
    n = descending.size
    *_, all_items = count_windows(descending, _NEGLIGIBLE)
    s = all_items.counts
    first_moment = np.zeros(s.size)
    difference = ratio.of_first - ratio.of_others
    for k in range(n + 1):
        if k:
            first_moment += _while_positive(all_items.chances, descending[k - 1])
        below = ratio.base[0] + ratio.base[1] * k + ratio.weight1 * s
        of_chances = ratio.constant[k] + ratio.of_others[k] * s
        fewest, most = np.maximum(0, s - (n - k)), np.minimum(s, k)
        undefined = (of_chances + difference[k] * fewest != 0.0) | (of_chances + difference[k] * most != 0.0)
        # Clip to possible moments: a tiny denominator would magnify rounding.
        moment = np.clip(first_moment, fewest * all_items.chances, most * all_items.chances)
        above = of_chances * all_items.chances + difference[k] * moment
        yield _sum_of_ratios(above, below, undefined=undefined)


def _while_positive(chances: Floats, probability: float) -> Floats:
    """Compute P(S = s and an independent item is positive) from P(S = s).

    With r(s) the result, P(S = s) = r(s) + r(s + 1) (1 - eta) / eta. Solved upwards or downwards, whichever shrinks
    errors; O(m).
    """
    if probability <= 0.5:
        odds = probability / (1.0 - probability)
        joint = lfilter([0.0, odds], [1.0, odds], chances)
    else:
        joint = lfilter([1.0], [1.0, (1.0 - probability) / probability], chances[::-1])[::-1]
    return np.clip(joint, 0.0, chances)


def _by_one_count(
    probabilities: Floats, ratio: LinearRatio, *, sizes: Indices, weight: float, of_counted: Floats, of_rest: Floats
) -> Iterator[float]:
    """Compute with one count in the denominator, of the first 0..n `probabilities`.

    `sizes` (n + 1,): number of flagged items for each.
    """
    n = probabilities.size
    means = np.append(np.cumsum(probabilities[::-1])[::-1], 0.0)
    for i, (k, window) in enumerate(zip(sizes, count_windows(probabilities, _NEGLIGIBLE), strict=True)):
        below = ratio.base[0] + ratio.base[1] * k + weight * window.counts
        least = ratio.constant[k] + of_counted[k] * window.counts
        most = least + of_rest[k] * (n - i)
        above = window.chances * (least + of_rest[k] * means[i])
        yield _sum_of_ratios(above, below, undefined=(least != 0.0) | (most != 0.0))


def _sum_of_ratios(above: Floats, below: Floats, *, undefined: Bools) -> float:
    """Sum ratios with 0/0 as 0; NaN for other divisions by 0."""
    nothing = below == 0.0
    if np.any(nothing & undefined):
        return np.nan
    return float(np.sum(np.divide(above, below, out=np.zeros(above.size), where=~nothing)))


QUADRATIC = Method(
    name="quadratic",
    growth="n²",
    work=lambda n: float(n) ** 2,
    largest=MAX_QUADRATIC,
    limit="its time grows with the square of their number",
    takes=has_quadratic_form,
    run=by_row(lambda descending, loss, _: (quadratic(descending, loss), 0.0)),
)
