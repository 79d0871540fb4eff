"""Compute every L_k of any bounded loss from windows of both counts around their means."""

from collections.abc import Callable
from types import MappingProxyType

import numpy as np

from multiloss_core.errors import DataError
from multiloss_core.losses.expected.interface import Method, by_row
from multiloss_core.losses.expected.linear_ratio import oriented
from multiloss_core.losses.expected.poisson_binomial import CountWindow, count_windows
from multiloss_core.losses.multivariate import G_MEAN, H_MEAN, Loss
from multiloss_core.numerics.arrays import Floats

MAX_WINDOWED = 20_000

# Computes the expected loss within both windows, for k and n, without the outcomes outside.
_Inside = Callable[[CountWindow, CountWindow, int, int], float]


def loss_bounds(loss: Loss, n: int) -> tuple[float, float] | None:
    """Find the lowest and highest loss of n items; None if unknown."""
    if loss.bounds is not None or loss.fractional_linear is None:
        return loss.bounds
    form = oriented(loss.fractional_linear, n)
    return None if form is None else (-form.size, form.size)


def scaled_tolerance(loss: Loss, n: int, tolerance: float) -> float:
    """Multiply the tolerance for a loss in [-1, 1] by half the range of a wider one."""
    low, high = loss_bounds(loss, n) or (-1.0, 1.0)
    return tolerance * max(1.0, (high - low) / 2.0)


def windowed(descending: Floats, loss: Loss, tolerance: float) -> tuple[Floats, float]:
    """Find L_k for k = 0..n and a bound on the error of each.

    `descending` (n,): probabilities, n <= 20,000; any loss with known bounds (`loss_bounds`), else DataError.
    The windows of the two counts miss a mass m of outcomes, each of which gets the middle of the bounds: the
    error is at most m (high - low) / 2. The bound adds an allowance for rounding, so that it exceeds a `tolerance`
    below about n 1e-15. O(n W^2) time and O(n W) memory for windows of W counts, some 10 standard deviations; G-Mean
    and H-Mean by products of vectors, a user loss by calling it once for every k.
    """
    n = descending.size
    bounds = loss_bounds(loss, n)
    if bounds is None:
        raise DataError(
            f"The windowed method needs the bounds of {loss.name}: give it an attribute bounds, (lowest, highest), or "
            "choose cubic."
        )
    middle, half = (bounds[0] + bounds[1]) / 2.0, (bounds[1] - bounds[0]) / 2.0
    allowed = min(0.1, 0.45 * tolerance / half) if half > 0.0 else 0.1
    inside = _INSIDE.get(type(loss)) or _by_calling(loss)
    flagged = list(count_windows(descending, allowed))
    values, missing = np.empty(n + 1), 0.0
    for done, others in enumerate(count_windows(descending[::-1], allowed)):
        k = n - done
        among_flagged = flagged.pop()
        outside = among_flagged.missing + others.missing - among_flagged.missing * others.missing
        values[k] = inside(among_flagged, others, k, n) + middle * outside
        missing = max(missing, outside)
    rounding = 4.0 * np.finfo(float).eps * (n + 50.0) * max(abs(bounds[0]), abs(bounds[1]))
    return values, half * missing + rounding


def _by_calling(loss: Loss) -> _Inside:
    def inside(flagged: CountWindow, others: CountWindow, k: int, n: int) -> float:
        positives1 = flagged.counts[:, np.newaxis]
        losses = loss(positives1 / n, k / n, (positives1 + others.counts) / n)
        return float(flagged.chances @ losses @ others.chances)

    return inside


def _g_mean(flagged: CountWindow, others: CountWindow, k: int, n: int) -> float:
    # Utility sqrt(K1) sqrt(n - k - K2) / sqrt(S (n - S)): a convolution of the two counts, weighted by S = K1 + K2.
    true_positives, true_negatives = flagged.counts, n - k - others.counts
    spread = np.convolve(flagged.chances * np.sqrt(true_positives), others.chances * np.sqrt(true_negatives))
    positives = flagged.first + others.first + np.arange(spread.size)
    pairs = positives * (n - positives)
    weights = np.zeros(spread.size)
    np.divide(1.0, np.sqrt(pairs), out=weights, where=pairs > 0)
    utility = float(spread @ weights)
    utility += _none_positive(flagged, others) * np.sqrt((n - k) / n)
    utility += _all_positive(flagged, others, k, n) * np.sqrt(k / n)
    return _mass(flagged, others) - utility


def _h_mean(flagged: CountWindow, others: CountWindow, k: int, n: int) -> float:
    # Utility 2 / (S / K1 + (n - S) / TN) = 2 / (2 + K2 / K1 + (k - K1) / TN), TN = n - k - K2; 0 if K1 or TN is.
    true_positives, missed = flagged.counts, others.counts
    some1, some2 = true_positives > 0.0, n - k - missed > 0.0
    true_positives, missed = true_positives[some1], missed[some2]
    true_negatives = n - k - missed
    ones1, ones2 = np.ones(true_positives.size), np.ones(missed.size)
    left = np.stack([ones1, 1.0 / true_positives, k - true_positives], axis=1)
    right = np.stack([2.0 * ones2, missed, 1.0 / true_negatives])
    inverse = left @ right
    np.reciprocal(inverse, out=inverse)
    utility = 2.0 * float(flagged.chances[some1] @ inverse @ others.chances[some2])
    recall, specificity = k / n, (n - k) / n
    utility += _none_positive(flagged, others) * 2.0 * specificity / (1.0 + specificity)
    utility += _all_positive(flagged, others, k, n) * 2.0 * recall / (1.0 + recall)
    return _mass(flagged, others) - utility


def _none_positive(flagged: CountWindow, others: CountWindow) -> float:
    """Compute the probability of no positives: the true positive rate is 1."""
    return flagged.chance(0) * others.chance(0)


def _all_positive(flagged: CountWindow, others: CountWindow, k: int, n: int) -> float:
    """Compute the probability of positives only: the true negative rate is 1."""
    return flagged.chance(k) * others.chance(n - k)


def _mass(flagged: CountWindow, others: CountWindow) -> float:
    return float(flagged.chances.sum() * others.chances.sum())


# Losses with a sum over both windows that is a product of vectors.
_INSIDE: MappingProxyType[type[Loss], _Inside] = MappingProxyType({type(G_MEAN): _g_mean, type(H_MEAN): _h_mean})

WINDOWED = Method(
    name="windowed",
    growth="n²",
    work=lambda n: float(n) ** 2,
    largest=MAX_WINDOWED,
    limit="its time grows with the square of their number",
    takes=lambda loss, n: loss_bounds(loss, n) is not None,
    run=by_row(windowed),
)
