"""Find the interval of k* that known outcomes leave open, from resampled calibrations."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
from scipy.optimize import isotonic_regression

from multiloss_core.errors import DataError
from multiloss_core.losses.expected.methods import METHODS, expected_losses
from multiloss_core.losses.expected.windowed import scaled_tolerance
from multiloss_core.losses.multivariate import Loss, LossFunction, as_loss
from multiloss_core.losses.scored_items import ScoredItems
from multiloss_core.losses.top_k import best_k, checked_least
from multiloss_core.numerics.arrays import Floats, Indices

CONFIDENCE = 0.95
# More items take their losses at the mean counts, at the ends of cells of neighbouring probabilities.
MAX_EXACT, MAX_CELLS = 5_000, 10_000
_TOLERANCE = 1e-6


@dataclass(frozen=True)
class CutInterval:
    """Every k from `low` to `high` may be optimal for the true probabilities.

    `confidence`: the aimed share of samples whose interval covers the true k*. `outcomes`: the number of outcomes that
    it follows from.
    """

    low: int
    high: int
    confidence: float
    outcomes: int

    def covers(self, k: int) -> bool:
        """Return whether the interval covers k."""
        return self.low <= k <= self.high


def cut_interval(
    items: ScoredItems,
    loss: Loss | LossFunction,
    generator: np.random.Generator,
    *,
    at_least: int = 0,
    resamples: int = 200,
    confidence: float = CONFIDENCE,
) -> CutInterval:
    """Find the interval of k* under the true probabilities, from items with known outcomes.

    The true probability is assumed to rise with the given one: any increasing distortion of the given probabilities
    leaves the interval as it is. Outcomes are assumed to be independent, or those of different groups of items. Each of
    the `resamples` draws the labelled items, or whole groups, with replacement, calibrates all items by the isotonic
    map of that draw, and finds its k* of at least `at_least` items. To each draw are added Poisson(1) positives, or
    groups of them, at places of random outcomes: where none was found, they are not known to be impossible. The
    interval holds the share `confidence` of these k*, its ends by equal tails. Measured coverage:
    `benchmarks/results/cut_interval.md`.

    Up to 5,000 items under a loss that "near_linear" takes, each k* minimises the expected loss. Otherwise it
    minimises the loss at the mean counts, which is near it for many positives, and of more than 10,000 distinct
    probabilities neighbours are merged evenly. Raises DataError without a known positive or negative, for fewer than 20
    resamples, a confidence outside (0, 1) and an invalid `at_least`. Time: O(n log n), then `resamples` times
    that of `expected_losses` or O(10,000).

    Examples
    --------
    >>> import numpy as np
    >>> from multiloss_core import F, ScoredItems
    >>> from multiloss_core.losses import cut_interval
    >>> generator = np.random.default_rng(1)
    >>> probabilities = generator.random(500)
    >>> items = ScoredItems(probabilities, generator.random(500) < probabilities)
    >>> found = cut_interval(items, F(), generator)
    >>> found.low < 330 < found.high  # k* is 330 here
    True
    """
    checked_loss, n = as_loss(loss), items.probabilities.size
    checked_least(at_least, n)
    found, outcomes = int(items.known_labels.sum()), items.known_labels.size
    if not 0 < found < outcomes:
        raise DataError("An interval of k* needs a known positive and a known negative; give more outcomes.")
    if resamples < 20 or not 0 < confidence < 1:
        raise DataError("An interval of k* takes at least 20 resamples and a confidence between 0 and 1.")
    distinct, cell = np.unique(items.probabilities, return_inverse=True)
    cells = min(distinct.size, MAX_CELLS)
    cell = cell * cells // distinct.size
    counts = np.bincount(cell, minlength=cells)
    known = cell[items.labelled] * 2 + items.known_labels
    drawn = _draws(known, items.known_groups, cells, generator)
    is_exact = n <= MAX_EXACT and METHODS["near_linear"].takes(checked_loss, n)
    best = _best_of_expected if is_exact else _best_at_mean_counts
    each = [best(_isotonic(draw), counts, checked_loss, at_least) for draw in islice(drawn, resamples)]
    tail = (1 - confidence) / 2
    low, high = np.quantile(each, [tail, 1 - tail], method="inverted_cdf")
    return CutInterval(int(low), int(high), confidence, outcomes)


def _draws(known: Indices, groups: Indices | None, cells: int, generator: np.random.Generator) -> Iterator[Floats]:
    """Draw negatives and positives (cells, 2) again and again.

    `known` (m,): twice the cell of each outcome, and 1 more for a positive.
    """
    shares = np.bincount(known, minlength=2 * cells) / known.size
    number = 0 if groups is None else int(groups.max()) + 1
    of_group = np.ones(1) if groups is None else np.bincount(groups[known % 2 == 1]).astype(np.float64)
    unseen = np.square(of_group).sum() / of_group.sum()
    while True:
        drawn: Floats
        if groups is None:
            drawn = generator.multinomial(known.size, shares).astype(np.float64)
        else:
            times = np.bincount(generator.integers(0, number, number), minlength=number)
            drawn = np.asarray(np.bincount(known, times[groups], 2 * cells), dtype=np.float64)
        places = known[generator.integers(0, known.size, generator.poisson())] // 2
        np.add.at(drawn, 2 * places + 1, unseen)
        yield drawn.reshape(cells, 2)


def _isotonic(drawn: Floats) -> Floats:
    """Fit rising probabilities (cells,) to negatives and positives (cells, 2), by rank between."""
    totals = drawn.sum(axis=1)
    (seen,) = np.nonzero(totals)
    fitted = isotonic_regression(drawn[seen, 1] / totals[seen], weights=totals[seen]).x.clip(0.0, 1.0)
    return np.interp(np.arange(totals.size), seen, fitted)


def _best_of_expected(probabilities: Floats, counts: Indices, loss: Loss, at_least: int) -> int:
    each = np.repeat(probabilities, counts)
    tolerance = scaled_tolerance(loss, each.size, _TOLERANCE)
    return best_k(expected_losses(each, loss, method="near_linear", tolerance=tolerance).values, at_least)


def _best_at_mean_counts(probabilities: Floats, counts: Indices, loss: Loss, at_least: int) -> int:
    """Find the best k among ends of cells; from the most probable cell on."""
    flagged = np.insert(np.cumsum(counts[::-1]), 0, 0)
    positives = np.insert(np.cumsum((probabilities * counts)[::-1]), 0, 0.0)
    n, allowed = flagged[-1], flagged >= at_least
    losses = loss(positives[allowed] / n, flagged[allowed] / n, positives[-1] / n)
    return int(flagged[allowed][best_k(np.asarray(losses))])
