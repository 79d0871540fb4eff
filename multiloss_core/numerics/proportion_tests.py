"""Tests of "the precision is below x" that hold for any sample size, and how many documents they need."""

from typing import TypeVar

import numpy as np
from scipy.special import logsumexp
from scipy.stats import beta, betabinom, binom, norm

from multiloss_core.numerics.arrays import Floats

Number = TypeVar("Number", float, Floats)

# Bets as shares of the largest that no outcome can ruin, each half of the one before.
BETS = 0.95 * 0.5 ** np.arange(10)
MAX_SEARCHED = 5_000
BISECTIONS = 30


def exact_p_value(positives: float, documents: float, precision: float) -> float:
    """P(at least so many positives among independent documents) if each is positive with probability `precision`."""
    return float(binom.sf(positives - 1, documents, precision)) if documents else 1.0


def exact_lower_bound(positives: float, documents: float, confidence: float) -> float:
    """Find the one-sided lower bound of Clopper and Pearson 1934: where the exact test just rejects."""
    return float(beta.ppf(1 - confidence, positives, documents - positives + 1)) if positives else 0.0


def betting_p_value(positives: Floats, totals: Floats, precision: float, largest: float) -> float:
    """Compute a p-value for "the sum of positives is below `precision` times the sum of totals" (weights, groups).

    `positives` and `totals` (u,) are the weights of independent units (documents, or groups of documents) in random
    order, totals at most `largest`. Under the hypothesis the wealth of bets on positives - precision x totals is a
    non-negative supermartingale, so that P(sup wealth >= 1 / p) <= p (Ville 1939). The wealth is the mean over several
    sizes of bet, of which one fits (Waudby-Smith, Ramdas 2024). Time O(u) for each size.
    """
    gains = (positives - precision * totals) / (precision * largest)
    fortunes = logsumexp(np.cumsum(np.log1p(np.outer(BETS, gains)), axis=1), axis=0) - np.log(len(BETS))
    return float(np.exp(-fortunes.max(initial=0.0)))


def betting_lower_bound(positives: Floats, totals: Floats, confidence: float, largest: float) -> float:
    """Find the largest precision that the test by betting still rejects, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        if betting_p_value(positives, totals, middle, largest) <= 1 - confidence:
            low = middle
        else:
            high = middle
    return low


def predicted_power(positives: Floats, negatives: Floats, documents: Floats, precision: float, level: float) -> Floats:
    """Compute the probability that the exact test at `level` rejects on so many further documents, elementwise.

    What is known of their precision are `positives` and `negatives` seen before (Beta posterior after Jeffreys).
    """
    ahead = np.floor(documents)
    # The fewest positives whose p-value is at most the level.
    enough = binom.isf(level, ahead, precision) + 1
    return np.asarray(betabinom.sf(enough - 1, ahead, positives + 1 / 2, negatives + 1 / 2))


def documents_needed(estimate: float, precision: float, level: float, power: float) -> int:
    """Find the fewest documents of precision `estimate` > `precision` where the exact test rejects with this power.

    Exact up to 5,000 documents, by the normal approximation beyond.
    """
    rough = rough_documents_needed(estimate, precision, level, power)
    if rough > MAX_SEARCHED:
        return int(np.ceil(rough))
    numbers = np.arange(1, max(2 * int(rough), 1_000) + 1)
    enough = binom.isf(level, numbers, precision) + 1
    return int(numbers[np.argmax(binom.sf(enough - 1, numbers, estimate) >= power)])


def rough_documents_needed(estimate: Number, precision: float, level: float, power: float) -> Number:
    """Find the same by the normal approximation, elementwise."""
    spread = norm.isf(level) * np.sqrt(precision * (1 - precision)) + norm.ppf(power) * np.sqrt(
        estimate * (1 - estimate)
    )
    return np.square(spread / (estimate - precision))
