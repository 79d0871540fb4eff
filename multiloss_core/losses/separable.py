"""Decide each item by itself under the Hamming and the subset 0-1 loss."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from multiloss_core.errors import DataError
from multiloss_core.losses.expected.methods import ExpectedLosses, checked_probabilities
from multiloss_core.losses.multivariate import FractionalLinear, Loss
from multiloss_core.losses.top_k import TopK, checked_least, top_k_of
from multiloss_core.losses.written_formula import LossFormula
from multiloss_core.numerics.arrays import Floats


@dataclass(frozen=True)
class _SubsetZeroOne(Loss):
    """1 if any item is wrong, else 0 (section 2).

    It falls with u only where the last wrong item becomes right, so it is not TP-monotone.
    """

    name: str = field(default="Subset 0-1", init=False)
    formula = LossFormula("1 if any item is wrong, 0 if all are right.", r"[FP + FN > 0]", r"[v + p > 2 \cdot u]")

    def __call__(self, u: ArrayLike, v: ArrayLike, p: ArrayLike) -> Floats:
        wrong = np.asarray(v, float) + np.asarray(p, float) - 2.0 * np.asarray(u, float)
        return np.where(wrong > 1e-12, 1.0, 0.0)


# The share of wrong items, p + v - 2u: the mean 0-1 loss of the items.
HAMMING = FractionalLinear((0.0, -2.0, 1.0, 1.0), (1.0, 0.0, 0.0, 0.0), "Hamming")
SUBSET_0_1 = _SubsetZeroOne()
SEPARABLE: tuple[Loss, ...] = (HAMMING, SUBSET_0_1)


def separable_losses(probabilities: ArrayLike, loss: Loss) -> ExpectedLosses:
    """Compute the expected Hamming or subset 0-1 loss of the k most probable items, k = 0..n.

    `probabilities` (n,) in [0, 1] of independent labels, in any order. With descending probabilities the Hamming loss
    is (the sum of 1 - p over the first k, plus that of p over the others) / n, and the subset 0-1 loss 1 minus the
    product of p over the first k and of 1 - p over the others. Raises DataError for other losses and probabilities.
    O(n log n), exact up to rounding.
    """
    if loss not in SEPARABLE:
        raise DataError(f"The {loss.name} loss does not decide items one by one; choose Hamming or Subset 0-1.")
    descending = np.sort(checked_probabilities(probabilities))[::-1]
    if loss == HAMMING:
        values = (_running(1.0 - descending) + _running(descending[::-1])[::-1]) / descending.size
    else:
        with np.errstate(divide="ignore"):
            logs = _running(np.log(descending)) + _running(np.log1p(-descending[::-1]))[::-1]
        values = -np.expm1(logs)
    return ExpectedLosses(values, 0.0, "closed form")


def separable_top_k(probabilities: ArrayLike, loss: Loss, *, at_least: int = 0) -> TopK:
    """Find the best prediction under the Hamming or the subset 0-1 loss.

    k is the number of probabilities above 1/2, or `at_least` if that is more. Both losses fall with every
    further item above 1/2 and rise with every further item below. A number of items may make all subset 0-1 losses 1
    up to rounding; k is found without them. Exceptions as in `separable_losses` and `optimal_top_k`. O(n log n).

    Examples
    --------
    >>> from multiloss_core.losses import SUBSET_0_1, separable_top_k
    >>> separable_top_k([0.9, 0.6, 0.3, 0.1], SUBSET_0_1).k
    2
    """
    values = separable_losses(probabilities, loss).values
    checked = checked_probabilities(probabilities)
    k = max(checked_least(at_least, checked.size), int(np.count_nonzero(checked > 0.5)))
    return top_k_of(checked, k, float(values[k]), error_bound=0.0)


def _running(terms: Floats) -> Floats:
    return np.insert(np.cumsum(terms), 0, 0.0)
