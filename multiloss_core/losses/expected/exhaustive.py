"""Compute every L_k of any loss from all 2^n outcomes, by definition."""

import numpy as np

from multiloss_core.losses.expected.interface import Method, by_row
from multiloss_core.losses.multivariate import Loss
from multiloss_core.numerics.arrays import Floats

MAX_EXHAUSTIVE = 14


def exhaustive(descending: Floats, loss: Loss) -> Floats:
    """Find L_k for k = 0..n from probabilities (n,) in decreasing order, n <= 14; O(2^n n)."""
    n = descending.size
    outcomes = (np.arange(2**n)[:, np.newaxis] >> np.arange(n)) & 1
    chances = np.prod(np.where(outcomes == 1, descending, 1.0 - descending), axis=1)
    true_positives = np.cumsum(np.insert(outcomes, 0, 0, axis=1), axis=1)
    losses = loss(true_positives / n, np.arange(n + 1) / n, true_positives[:, -1:] / n)
    return np.asarray(chances @ losses, dtype=np.float64)


EXHAUSTIVE = Method(
    name="exhaustive",
    growth="2ⁿ",
    work=lambda n: 2.0**n * n,
    largest=MAX_EXHAUSTIVE,
    limit="it goes through every one of the 2^n outcomes",
    run=by_row(lambda descending, loss, _: (exhaustive(descending, loss), 0.0)),
)
