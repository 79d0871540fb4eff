"""Test "the precision is below x" exactly, and find the sample size needed."""

from math import ceil, log, sqrt
from typing import TypeVar

import numpy as np
from scipy.stats import beta, binom, norm

from multiloss_core.numerics.arrays import Floats, Indices

Number = TypeVar("Number", float, Floats)

# Weights of positives and of all documents, of each unit.
Units = tuple[Floats, Floats]
NO_UNITS: Units = (np.empty(0), np.empty(0))
# Blocks of units share a stake above this number, which bounds the time in Python.
MAX_STAKES = 400
MAX_SEARCHED = 5_000
BISECTIONS = 30


def exact_p_value(positives: float, documents: float, precision: float) -> float:
    """Compute P(at least `positives` of independent documents of this precision)."""
    return float(binom.sf(positives - 1, documents, precision)) if documents else 1.0


def exact_lower_bound(positives: float, documents: float, confidence: float) -> float:
    """Compute the one-sided lower bound of Clopper and Pearson 1934."""
    return float(beta.ppf(1 - confidence, positives, documents - positives + 1)) if positives else 0.0


def betting_p_value(
    positives: Floats, totals: Floats, precision: float, largest: float, level: float, earlier: Units = NO_UNITS
) -> float:
    """Compute a p-value for "the sum of positives is below `precision` times the total".

    `positives` and `totals` (u,) are the weights of independent units (documents, or groups of documents) in random
    order, totals at most `largest`; `earlier` are those of other units, used only to choose the stakes.

    Under the hypothesis the wealth of bets on positives - precision x totals is a non-negative supermartingale for any
    stakes that depend on the past only, so that P(sup wealth >= 1 / p) <= p for any number of units and any
    dependence within them (Ville 1939). Each stake aims at 1 / `level` in the remaining units (Voráček, Orabona
    2025, "STaR-Bets"), and there the bets end: no p-value falls much below `level`. Time O(u).
    """
    gains, before = (part - precision * whole for part, whole in ((positives, totals), earlier))
    # 2 is best for symmetric gains; at high precision a loss exceeds a gain (benchmarks/results/constants.md).
    boldness = 2.5 - 1.5 * precision
    # Add one unit of the largest size: a spread of zero would stake everything on the first.
    spread, seen = float(before @ before) + precision * (1 - precision) * largest**2, len(before) + 1
    wealth = best = 1.0
    step = max(ceil(len(gains) / MAX_STAKES), 1)
    for start in range(0, len(gains), step):
        left = len(gains) - start
        hurry = boldness * log(1 / (level * wealth))
        stake = min(sqrt(hurry * seen / (spread * left)), 1 / (precision * largest))
        bet_on = gains[start : start + step]
        # Rounding may leave a wealth of -1e-17 after a total loss.
        wealths = wealth * np.cumprod((1 + stake * bet_on).clip(0.0))
        wealth, best = float(wealths[-1]), max(best, float(wealths.max()))
        if wealth <= 0 or 1 / best <= level:
            break
        spread, seen = spread + float(bet_on @ bet_on), seen + len(bet_on)
    return 1 / best


def betting_lower_bound(
    positives: Floats,
    totals: Floats,
    confidence: float,
    largest: float,
    earlier: Units = NO_UNITS,
    rejected: float = 0.0,
) -> float:
    """Find a precision above `rejected` up to which the betting test rejects (bisection)."""
    low, high = rejected, 1.0
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        if betting_p_value(positives, totals, middle, largest, 1 - confidence, earlier) <= 1 - confidence:
            low = middle
        else:
            high = middle
    return low


def enough_positives(documents: Indices, precision: float, level: float) -> Indices:
    """Find the fewest positives at which the exact test rejects, for each size (any shape)."""
    numbers, places = np.unique(documents, return_inverse=True)
    enough = np.asarray(binom.isf(level, numbers, precision) + 1, dtype=np.intp)
    # Without documents no number of positives suffices.
    return np.where(numbers > 0, enough, 1)[places].reshape(documents.shape)


def documents_needed(estimate: float, precision: float, level: float, power: float) -> int:
    """Find the fewest documents at which the exact test rejects with this power.

    Their precision is `estimate` > `precision`. Exact up to 5,000 documents, beyond by the normal approximation.
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
