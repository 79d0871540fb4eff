"""Compute every L_k of any loss from tables of both counts: O(n^3) time and O(n^2) memory."""

import numpy as np

from multiloss_core.losses.expected.interface import Method
from multiloss_core.losses.multivariate import Loss
from multiloss_core.numerics.arrays import Floats

MAX_CUBIC = 1000


def cubic(descending: Floats, loss: Loss) -> Floats:
    """Find L_k (B, n + 1) from rows of falling probabilities (B, n), exact up to rounding.

    The loss of each outcome is computed once for all rows. O(B n^3) time, O(B n^2) memory.

    Source: Natarajan et al. 2016, Algorithm 1, without its stop at the first rise and with k = 0 as a candidate.
    """
    n = descending.shape[1]
    among_flagged = _counts_among_first(descending)
    among_others = _counts_among_first(descending[:, ::-1])[::-1]
    values = np.empty((len(descending), n + 1))
    for k in range(n + 1):
        by_others = among_flagged[k, :, : k + 1] @ loss_matrix(loss, n, k)
        values[:, k] = np.einsum("bj,bj->b", by_others, among_others[k, :, : n - k + 1])
    return values


def loss_matrix(loss: Loss, n: int, k: int) -> Floats:
    """Compute phi of all outcomes with k of n items flagged, shape (k + 1, n - k + 1).

    Row k1 is the number of positives among the flagged items, column k2 among the others.
    """
    flagged = np.arange(k + 1)[:, np.newaxis]
    others = np.arange(n - k + 1)[np.newaxis, :]
    return loss(flagged / n, k / n, (flagged + others) / n)


def _counts_among_first(probabilities: Floats) -> Floats:
    """Compute in [i] P(0..n positives among the first i items) by row, (n + 1, B, n + 1)."""
    rows, n = probabilities.shape
    table = np.zeros((n + 1, rows, n + 1))
    table[0, :, 0] = 1.0
    for i in range(n):
        probability = probabilities[:, i : i + 1]
        np.multiply(table[i], 1.0 - probability, out=table[i + 1])
        table[i + 1, :, 1:] += table[i, :, :-1] * probability
    return table


CUBIC = Method(
    name="cubic",
    growth="n³",
    work=lambda n: float(n) ** 3,
    largest=MAX_CUBIC,
    limit="its time grows with the cube of their number",
    run=lambda descending, loss, _: (cubic(descending, loss), np.zeros(len(descending))),
)
