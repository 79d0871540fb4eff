"""The optimal prediction under a multivariate loss: sort by probability, flag the first k."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from multiloss_core.losses.expected import checked_probabilities, expected_losses
from multiloss_core.losses.multivariate import Loss

TIE = 1e-12


@dataclass(frozen=True, eq=False)
class TopK:
    """The prediction that minimises the expected loss.

    `k`: how many items are predicted positive. `cut`: the probability of the k-th item, nan when k = 0.
    `expected_loss`: its expected loss, known to within `error_bound`. `selected` (n,) bool: which items,
    in the input's order.
    """

    k: int
    cut: float
    expected_loss: float
    selected: NDArray[np.bool_]
    error_bound: float


def optimal_top_k(probabilities: ArrayLike, loss: Loss) -> TopK:
    """The best of the n + 1 top-k predictions; for a TP-monotone loss, the best of all 2^n predictions.

    `probabilities` (n,) in [0, 1], in any order, of independent labels. Ties: among expected losses
    within 1e-12 of the smallest, the smallest k; among equal probabilities, the earlier item first.
    Raises DataError as `expected_losses` does; cost as there. Source: Natarajan et al. 2016, Theorem 1
    and Algorithm 1.
    """
    checked = checked_probabilities(probabilities)
    expected = expected_losses(checked, loss)
    k = int(np.flatnonzero(expected.values <= expected.values.min() + TIE)[0])
    order = probability_order(checked)
    selected = np.zeros(checked.size, dtype=bool)
    selected[order[:k]] = True
    cut = float(checked[order[k - 1]]) if k else float("nan")
    return TopK(k, cut, float(expected.values[k]), selected, expected.error_bound)


def probability_order(probabilities: NDArray[np.float64]) -> NDArray[np.intp]:
    """Positions (n,) of the items from the most to the least probable, equal ones in the input's order."""
    return np.argsort(-probabilities, kind="stable")
