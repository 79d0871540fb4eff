"""Measure Theorem 3: the loss of estimated probabilities by the number of training rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from multiloss_core.errors import DataError
from multiloss_core.losses.expected.exhaustive import MAX_EXHAUSTIVE
from multiloss_core.losses.multivariate import Loss
from multiloss_core.losses.theorem_1.all_predictions import search_subsets, subset_distributions
from multiloss_core.losses.theorem_1.verify import SigmoidItems, sigmoid_items
from multiloss_core.losses.top_k import optimal_top_k
from multiloss_core.numerics.arrays import Floats
from multiloss_core.numerics.penalised_logistic import penalised_logistic

TRAINING_SIZES = (10, 100, 1_000, 10_000, 100_000)
# L2 of the coefficients, as in section 5 of the paper, which names no strength.
_PENALTY = np.eye(2)


@dataclass(frozen=True, eq=False)
class Consistency:
    """Regrets (done, sizes) after `done` of `draws` draws, one for each number of training rows.

    Regret: the expected loss of the prediction made with estimated probabilities above the smallest one, both under
    the true probabilities; at least 0.
    """

    sizes: tuple[int, ...]
    draws: int
    regrets: Floats

    @property
    def done(self) -> int:
        """Return the number of finished draws."""
        return len(self.regrets)

    @property
    def mean(self) -> Floats:
        """Return the mean regret (sizes,)."""
        return np.asarray(self.regrets.mean(axis=0))

    @property
    def optimal(self) -> Floats:
        """Return the share of draws (sizes,) whose prediction is optimal to within 1e-12."""
        return np.asarray((self.regrets <= 1e-12).mean(axis=0))


def training_regrets(
    generator: np.random.Generator,
    loss: Loss,
    *,
    n: int,
    scale: float,
    draws: int,
    sizes: Sequence[int] = TRAINING_SIZES,
) -> Iterator[Consistency]:
    """Predict n items with probabilities estimated from training rows; yields after every draw.

    Each draw takes items and w from `sigmoid_items`, trains a logistic regression with an L2 penalty on the first
    N of common rows for each N of `sizes` (ascending), and flags the best top-k prediction under its estimates. All 2^n
    predictions are searched for the smallest expected loss. Raises DataError, at once, unless 1 <= n <= 14, draws >= 1
    and sizes ascend from at least 1; of the scale as `sigmoid_items`. O(2^n n^2 + the sum of sizes) for each draw.
    Source: Natarajan et al. 2016, Theorem 3 and section 5.1.
    """
    if not 1 <= n <= MAX_EXHAUSTIVE or draws < 1:
        raise DataError(f"There are {n} items and {draws} draws; choose 1 to {MAX_EXHAUSTIVE} items and draws from 1.")
    if not len(sizes) or sizes[0] < 1 or np.any(np.diff(sizes) <= 0):
        raise DataError(f"The numbers of training rows are {list(sizes)}; let them rise, from 1 on.")
    return _each_draw(generator, loss, n, scale, draws, tuple(sizes))


def _each_draw(
    generator: np.random.Generator, loss: Loss, n: int, scale: float, draws: int, sizes: tuple[int, ...]
) -> Iterator[Consistency]:
    regrets = np.empty((draws, len(sizes)))
    for done in range(draws):
        items = sigmoid_items(generator, n=n, scale=scale)
        search = search_subsets(subset_distributions(items.probabilities), loss)
        for place, estimates in enumerate(_estimates(generator, items, sizes)):
            chosen = optimal_top_k(estimates, loss).selected
            regrets[done, place] = search.values[int((1 << np.arange(n)) @ chosen)] - search.values.min()
        yield Consistency(sizes, draws, regrets[: done + 1].copy())


def _estimates(generator: np.random.Generator, items: SigmoidItems, sizes: tuple[int, ...]) -> Iterator[Floats]:
    """Estimate the probabilities of the items from the first rows, for each number of them."""
    x = generator.standard_normal((sizes[-1], 2))
    positive = (generator.random(len(x)) < expit(x @ items.w)).astype(np.float64)
    coefficients = np.zeros(3)
    for size in sizes:
        # The minimum depends on no start; that of fewer rows is near.
        coefficients = penalised_logistic(
            x[:size],
            np.zeros(2, dtype=bool),
            positive[:size],
            np.ones(size),
            _PENALTY,
            coefficients,
            max_steps=50,
            small_gain=1e-9,
        )
        yield expit(coefficients[0] + items.x @ coefficients[1:])
