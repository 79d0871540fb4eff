"""Check conditions for an optimal top-k prediction (Natarajan et al. 2016)."""

import warnings
from contextlib import suppress
from fractions import Fraction

import numpy as np

from multiloss_core.errors import DataError
from multiloss_core.losses.multivariate import FractionalLinear, Loss, LossFunction, UserLoss, as_loss
from multiloss_core.numerics.arrays import Floats

_LARGEST = 200
# Items at whose counts an own loss is checked for being a gain.
CHECKED_ITEMS = 6


def is_tp_monotone(loss: Loss | LossFunction, n: int) -> bool:
    """Return whether `loss` strictly decreases in u for n items (definition 1).

    Theorems 1 and 2 require this of a loss. Raises DataError unless 1 <= n <= 200. O(n^3).
    """
    return bool(np.all(_changes(loss, n) < 0))


def is_gain(loss: Loss | LossFunction, n: int) -> bool:
    """Return whether `loss` rises with true positives for n items and never falls, as F1 does."""
    changes = _changes(loss, n)
    return bool(np.all(changes >= 0) and np.any(changes > 0))


def warn_of_gain(loss: Loss | LossFunction) -> None:
    """Warn of an own loss that rises with true positives, so that nothing would be flagged."""
    own = as_loss(loss)
    if isinstance(own, UserLoss | FractionalLinear):
        # Where it is not defined, an error follows.
        with suppress(DataError):
            if is_gain(own, CHECKED_ITEMS):
                warnings.warn(
                    f"The {own.name} loss rises with every true positive, as a gain does; give 1 minus it.",
                    stacklevel=3,
                )


def _changes(loss: Loss | LossFunction, n: int) -> Floats:
    """Compute the changes of a loss with one more true positive, at all counts of n items."""
    _check(n)
    phi = as_loss(loss)
    true_positives, flagged, positives = np.indices((n, n + 1, n + 1)).reshape(3, -1)
    # Both this number of true positives and one more must be possible.
    possible = (true_positives < np.minimum(flagged, positives)) & (true_positives >= flagged + positives - n)
    u, v, p = true_positives[possible], flagged[possible] / n, positives[possible] / n
    return np.asarray(phi((u + 1) / n, v, p) - phi(u / n, v, p))


def is_tpr_tnr_monotone(loss: Loss | LossFunction, n: int) -> bool:
    """Return whether higher true positive and negative rates always cost less (definition 2).

    Over all counts of n items with at least one positive and one negative. By Proposition 3 it makes the loss
    TP-monotone. Raises DataError unless 1 <= n <= 200. O(n^3).
    """
    _check(n)
    phi = as_loss(loss)
    for positives in range(1, n):
        true_positives = np.arange(positives + 1)[:, np.newaxis]
        true_negatives = np.arange(n - positives + 1)
        flagged = true_positives + (n - positives - true_negatives)
        losses = phi(true_positives / n, flagged / n, positives / n)
        # The smallest loss over fewer true positives and fewer true negatives.
        cheapest = np.minimum.accumulate(np.minimum.accumulate(losses, axis=0), axis=1)
        if not np.all(losses[1:, 1:] < cheapest[:-1, :-1]):
            return False
    return True


def meets_proposition_2(loss: FractionalLinear) -> bool:
    """Return whether c1 < d1, from which Proposition 2 concludes that the loss is TP-monotone.

    The conclusion holds if the denominator is positive, d1 <= 0 and the loss is at most 1 (as F and Jaccard), but
    not in general: u / (2 + 2u) has c1 = 1 < d1 = 2 and increases. `meets_corrected_proposition_2` is the sufficient
    condition.
    """
    return bool(loss.c[1] < loss.d[1])


def meets_corrected_proposition_2(loss: FractionalLinear, n: int) -> bool:
    """Return whether the sufficient form of Proposition 2's condition holds for n items.

    It is c1 (d0 + d2 v + d3 p) < d1 (c0 + c2 v + c3 p), with a denominator of one sign. Exactly then the loss strictly
    decreases in u where its denominator is 0 nowhere: between u and u' it changes by (u' - u) (left - right) /
    (product of the two denominators). In rational arithmetic on the coefficients as given. If the denominator is
    0 for some outcome (0/0), it covers only the others. Raises DataError unless 1 <= n <= 200. O(n^2).
    """
    _check(n)
    c0, c1, c2, c3 = (Fraction(coefficient) for coefficient in loss.c)
    d0, d1, d2, d3 = (Fraction(coefficient) for coefficient in loss.d)
    for flagged in range(n + 1):
        for positives in range(n + 1):
            fewest, most = max(0, flagged + positives - n), min(flagged, positives)
            if fewest == most:
                continue
            without_u = d0 * n + d2 * flagged + d3 * positives
            ends = (without_u + d1 * fewest) * (without_u + d1 * most)
            if ends < 0 or c1 * without_u >= d1 * (c0 * n + c2 * flagged + c3 * positives):
                return False
    return True


def _check(n: int) -> None:
    if not 1 <= n <= _LARGEST:
        raise DataError(f"TP-monotonicity can be checked for 1 to {_LARGEST} items, not for {n}.")
