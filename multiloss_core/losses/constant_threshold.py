"""Cut a ranking at a constant threshold, given or tuned on labelled items."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from multiloss_core.errors import DataError
from multiloss_core.losses.expected.methods import checked_probabilities
from multiloss_core.losses.formulas import observed_counts
from multiloss_core.losses.multivariate import Loss, LossFunction, as_loss
from multiloss_core.losses.top_k import TIE, probability_order
from multiloss_core.numerics.arrays import Bools, Floats, Indices
from multiloss_core.numerics.rounding import shortest_between


@dataclass(frozen=True)
class TunedThreshold:
    """The constant threshold with the smallest loss on labelled items.

    `threshold`: items at or above it are flagged; infinite when flagging nothing was best. `observed_loss`: its loss on
    those `items` items.
    """

    threshold: float
    observed_loss: float
    items: int


def items_at(probabilities: ArrayLike, threshold: float) -> int:
    """Count the probabilities (n,) that are at or above a threshold. O(n)."""
    return int(np.count_nonzero(np.asarray(probabilities) >= threshold))


def shortest_threshold(probabilities: ArrayLike, threshold: float) -> float:
    """Find the threshold of fewest digits that flags the same of the probabilities (n,).

    `threshold` is finite. O(n).
    """
    checked = np.asarray(probabilities, dtype=np.float64)
    highest_below = float(np.max(checked, where=checked < threshold, initial=-np.inf))
    # Never rounded up: items with this probability must stay at or above it.
    return shortest_between(float(threshold), highest_below, float(threshold))


def tuned_threshold(probabilities: ArrayLike, labels: ArrayLike, loss: Loss | LossFunction) -> TunedThreshold:
    """Find the threshold t with the smallest loss of flagging probabilities >= t.

    `probabilities` (n,) in [0, 1] and `labels` (n,) bool of the same items. Every distinct probability is tried, and
    an infinite threshold that flags nothing; among losses within 1e-12 of the smallest, the highest threshold.
    Equal probabilities are always flagged together. Raises DataError for unusable probabilities or labels.
    O(n log n) and one call of the loss.
    """
    checked, positives = checked_pair(probabilities, labels)
    order = probability_order(checked)
    descending = checked[order]
    # A threshold cannot separate equal probabilities.
    possible = np.append(np.insert(descending[1:] < descending[:-1], 0, True), True)
    sizes = np.flatnonzero(possible)
    losses = _losses_of_cuts(positives[order], sizes, as_loss(loss))
    best = int(np.flatnonzero(losses <= losses.min() + TIE)[0])
    k = int(sizes[best])
    return TunedThreshold(float(descending[k - 1]) if k else np.inf, float(losses[best]), checked.size)


def observed_loss(flagged: ArrayLike, labels: ArrayLike, loss: Loss | LossFunction) -> float:
    """Compute the loss of a prediction `flagged` (n,) bool on `labels` (n,) bool. O(n)."""
    return observed_counts(flagged, labels).loss(as_loss(loss))


def random_half(n: int, generator: np.random.Generator) -> Bools:
    """Draw n // 2 items at random as a mask (n,): for tuning, the others for evaluation."""
    half = np.zeros(n, dtype=bool)
    half[generator.permutation(n)[: n // 2]] = True
    return half


def checked_pair(probabilities: ArrayLike, labels: ArrayLike) -> tuple[Floats, Bools]:
    """Validate probabilities (n,) in [0, 1] and labels (n,) bool; DataError for others."""
    checked, positives = checked_probabilities(probabilities), np.asarray(labels)
    if positives.dtype != bool or positives.shape != checked.shape:
        raise DataError(
            f"The labels of {checked.size:,} probabilities must be {checked.size:,} truth values, not an array of "
            f"shape {positives.shape} and type {positives.dtype}."
        )
    return checked, positives


def _losses_of_cuts(positives: Bools, sizes: Indices, loss: Loss) -> Floats:
    n = positives.size
    caught = np.insert(np.cumsum(positives), 0, 0)
    return np.asarray(loss(caught[sizes] / n, sizes / n, caught[-1] / n), dtype=np.float64)
