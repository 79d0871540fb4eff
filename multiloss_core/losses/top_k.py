"""Find the optimal prediction under a loss: sort by probability, flag the first k."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from multiloss_core.errors import DataError
from multiloss_core.losses.expected.methods import checked_probabilities, expected_losses
from multiloss_core.losses.monotonicity import warn_of_gain
from multiloss_core.losses.multivariate import Loss, LossFunction
from multiloss_core.numerics.arrays import Bools, Floats, Indices

TIE = 1e-12


@dataclass(frozen=True, eq=False)
class TopK:
    """The prediction that minimises the expected loss.

    `k`: number of items predicted positive. `cut`: the probability of the k-th item, NaN when k = 0.
    `expected_loss`: its expected loss, known to within `error_bound`. `selected` (n,) bool: mask of these items,
    in the input's order.

    Examples
    --------
    >>> from multiloss_core import F, optimal_top_k
    >>> found = optimal_top_k([0.1, 0.9, 0.5], F())
    >>> found.k, found.cut, found.selected.tolist()
    (2, 0.5, [False, True, True])
    """

    k: int
    cut: float
    expected_loss: float
    selected: Bools
    error_bound: float


def optimal_top_k(
    probabilities: ArrayLike,
    loss: Loss | LossFunction,
    *,
    at_least: int = 0,
    method: str = "auto",
    tolerance: float = 1e-9,
) -> TopK:
    """Find the best top-k prediction; for a TP-monotone loss, the best of all 2^n.

    `at_least`, 0 to n: minimum number of flagged items. With few expected positives "flag nothing" is optimal under
    many losses, because a rate over nothing counts as 1; 1 excludes it, as Algorithm 1 does.

    `probabilities` (n,) in [0, 1], in any order, of independent labels. Ties: among computed expected losses
    within 1e-12 of the smallest, the smallest k; among equal probabilities, the earlier item first. No other k is
    better than this one by more than 2 `error_bound` + 1e-12, and `error_bound` is at most `tolerance`.
    Warns of an own loss that rises with true positives.
    Raises DataError as `expected_losses` does, and for an invalid `at_least`; method and cost as there.
    Source: Natarajan et al. 2016, Theorem 1 and Algorithm 1.

    Examples
    --------
    >>> from multiloss_core import F, optimal_top_k
    >>> best = optimal_top_k([0.9, 0.6, 0.3, 0.1], F())
    >>> best.k, round(best.expected_loss, 3)
    (2, 0.249)
    """
    checked = checked_probabilities(probabilities)
    checked_least(at_least, checked.size)
    warn_of_gain(loss)
    expected = expected_losses(checked, loss, method=method, tolerance=tolerance)
    k = best_k(expected.values, at_least)
    return top_k_of(checked, k, float(expected.values[k]), expected.error_bound)


def best_k(values: Floats, at_least: int = 0) -> int:
    """Find the smallest k >= `at_least` with a loss (n + 1,) within 1e-12 of the smallest."""
    return int(best_ks(values[np.newaxis], at_least)[0])


def best_ks(values: Floats, at_least: int = 0) -> Indices:
    """Find the `best_k` (B,) of each row of losses (B, n + 1)."""
    allowed = values[:, checked_least(at_least, values.shape[1] - 1) :]
    return at_least + np.argmax(allowed <= allowed.min(axis=1, keepdims=True) + TIE, axis=1)


def checked_least(at_least: int, n: int) -> int:
    """Return `at_least`. Raises DataError unless it is a whole number from 0 to n."""
    if isinstance(at_least, bool) or not isinstance(at_least, int | np.integer) or not 0 <= at_least <= n:
        raise DataError(f"At least {at_least} of {n:,} items cannot be flagged; give a whole number from 0 to {n:,}.")
    return int(at_least)


def top_k_of(probabilities: Floats, k: int, expected_loss: float, error_bound: float) -> TopK:
    """Make the prediction that flags the k most probable items, ties as in the input."""
    rows = probabilities[np.newaxis]
    cuts, selected = flag_first(rows, np.sort(rows, axis=1)[:, ::-1], np.array([k]))
    return TopK(k, float(cuts[0]), expected_loss, selected[0], error_bound)


def flag_first(probabilities: Floats, descending: Floats, k: Indices) -> tuple[Floats, Bools]:
    """Flag the k (B,) most probable items of each row (B, n): cuts (B,) and masks (B, n).

    `descending` (B, n): the same probabilities, sorted, which is faster than their order.
    """
    cuts = np.where(k > 0, descending[np.arange(len(k)), k - 1], np.nan)[:, np.newaxis]
    above, tied = probabilities > cuts, probabilities == cuts
    free = k[:, np.newaxis] - np.count_nonzero(above, axis=1, keepdims=True)
    return cuts[:, 0], above | (tied & (np.cumsum(tied, axis=1) <= free))


def probability_order(probabilities: Floats) -> Indices:
    """Order the positions (n,) of the items by falling probability, ties as in the input."""
    return np.argsort(-probabilities, kind="stable")
