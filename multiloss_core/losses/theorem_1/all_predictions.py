"""Compute the expected loss of every one of the 2^n predictions, to check Theorem 1."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from multiloss_core.errors import DataError
from multiloss_core.losses.expected.cubic import loss_matrix
from multiloss_core.losses.expected.exhaustive import MAX_EXHAUSTIVE
from multiloss_core.losses.expected.methods import checked_probabilities
from multiloss_core.losses.multivariate import Loss, as_loss
from multiloss_core.losses.top_k import TIE, probability_order
from multiloss_core.numerics.arrays import Bools, Floats, Indices


@dataclass(frozen=True, eq=False)
class ExhaustiveSearch:
    """Expected losses of all predictions on n items.

    A prediction is a number below 2^n; its bit i is 1 if item i of the input is predicted positive.
    `values` (2^n,): its expected loss. `sizes` (2^n,): how many items it predicts positive. `best` (n,)
    bool: the optimum; among predictions within 1e-12 of the smallest expected loss the one with fewer
    positives, then with the larger sum of probabilities, then with the smaller number. `expected_loss`:
    its expected loss. `top_k_indices` (n + 1,): the prediction that flags the k most probable items, for
    k = 0..n (equal probabilities in the input's order). `is_top_k`: whether one of those is within 1e-12
    of the smallest expected loss, as by Theorem 1.
    """

    values: Floats
    sizes: Indices
    best: Bools
    expected_loss: float
    top_k_indices: Indices
    is_top_k: bool

    @property
    def top_k_values(self) -> Floats:
        """Return the expected losses L_k of the k most probable items, k = 0..n, (n + 1,)."""
        return self.values[self.top_k_indices]


@dataclass(frozen=True, eq=False)
class SubsetDistributions:
    """Distributions of positives in the 2^n sets of items, shared between losses.

    `probabilities` (n,); `sizes` (2^n,): items in the set; `sums` (2^n,): sum of their probabilities;
    `table` (2^n, n + 1): probability that 0..n of them are positive (Poisson-binomial). Made by
    `subset_distributions`.
    """

    probabilities: Floats
    sizes: Indices
    sums: Floats
    table: Floats


def exhaustive_search(probabilities: ArrayLike, loss: Loss) -> ExhaustiveSearch:
    """Compute the expected loss of all 2^n predictions without Theorem 1.

    `probabilities` (n,) in [0, 1] of independent labels, n <= 14, else DataError. O(2^n n^2) time, O(2^n n) memory.
    Several losses on the same items: call `subset_distributions` once and `search_subsets` per loss.

    Examples
    --------
    >>> from multiloss_core import F, exhaustive_search
    >>> exhaustive_search([0.9, 0.6, 0.3, 0.1], F()).is_top_k
    True
    """
    return search_subsets(subset_distributions(probabilities), as_loss(loss))


def subset_distributions(probabilities: ArrayLike) -> SubsetDistributions:
    """Compute the distribution of positives in every set of items; O(2^n n), n <= 14."""
    checked = checked_probabilities(probabilities)
    n = checked.size
    if n > MAX_EXHAUSTIVE:
        raise DataError(
            f"There are {n:,} probabilities; an exhaustive search takes at most {MAX_EXHAUSTIVE}, "
            "as it goes through every one of the 2^n predictions."
        )
    sizes = np.zeros(2**n, dtype=np.intp)
    sums = np.zeros(2**n)
    table = np.zeros((2**n, n + 1))
    table[0, 0] = 1.0
    for i, probability in enumerate(checked):
        # Each set with last item i is a set of earlier items plus i.
        without, with_i = slice(0, 2**i), slice(2**i, 2 ** (i + 1))
        sizes[with_i] = sizes[without] + 1
        sums[with_i] = sums[without] + probability
        table[with_i] = table[without] * (1.0 - probability)
        table[with_i, 1:] += table[without, :-1] * probability
    return SubsetDistributions(checked, sizes, sums, table)


def search_subsets(distributions: SubsetDistributions, loss: Loss) -> ExhaustiveSearch:
    """Search as `exhaustive_search` does, on distributions already made; O(2^n n^2)."""
    return search_values(_expected_losses_of_all(distributions, loss), distributions)


def search_values(values: Floats, distributions: SubsetDistributions) -> ExhaustiveSearch:
    """Find the optimum among all predictions with known expected losses `values` (2^n,).

    `distributions` provides the sizes and the sums of probabilities only. O(2^n).
    """
    best = _best(values, distributions)
    bits = np.left_shift(1, probability_order(distributions.probabilities))
    top_k_indices = np.concatenate([[0], np.cumsum(bits)]).astype(np.intp)
    return ExhaustiveSearch(
        values=values,
        sizes=distributions.sizes,
        best=(best >> np.arange(distributions.probabilities.size)) & 1 == 1,
        expected_loss=float(values[best]),
        top_k_indices=top_k_indices,
        is_top_k=bool(values[top_k_indices].min() <= values.min() + TIE),
    )


def _expected_losses_of_all(distributions: SubsetDistributions, loss: Loss) -> Floats:
    n = distributions.probabilities.size
    values = np.empty(2**n)
    for k in range(n + 1):
        predictions = np.flatnonzero(distributions.sizes == k)
        # Flipping every bit turns the set of flagged items into the set of the others.
        others = 2**n - 1 - predictions
        among_flagged = distributions.table[predictions, : k + 1]
        among_others = distributions.table[others, : n - k + 1]
        values[predictions] = np.sum((among_flagged @ loss_matrix(loss, n, k)) * among_others, axis=1)
    return values


def _best(values: Floats, distributions: SubsetDistributions) -> int:
    tied = np.flatnonzero(values <= values.min() + TIE)
    tied = tied[distributions.sizes[tied] == distributions.sizes[tied].min()]
    return int(tied[distributions.sums[tied] >= distributions.sums[tied].max() - TIE][0])
