"""Find the best set of classes for one label (Natarajan et al. 2016, Theorem 2)."""

import numpy as np
from numpy.typing import ArrayLike

from multiloss_core.errors import DataError
from multiloss_core.losses.expected.methods import checked_probabilities
from multiloss_core.losses.multivariate import Loss, LossFunction, as_loss
from multiloss_core.losses.top_k import TopK, best_k, top_k_of
from multiloss_core.numerics.arrays import Floats

_SUM_TOLERANCE = 1e-6


def multinomial_losses(probabilities: ArrayLike, loss: Loss | LossFunction) -> Floats:
    """Compute the expected loss of the k most probable classes, k = 0..n, (n + 1,).

    `probabilities` (n,) in [0, 1]: the chance of each class, exactly one of which is true. A sum within 1e-6 of 1 is
    taken for 1 and divided out; any other raises DataError. With P_k the chance of the k most probable classes,
    L_k = P_k phi(1/n, k/n, 1/n) + (1 - P_k) phi(0, k/n, 1/n) (section 4.1). O(n log n), one call of the loss.
    """
    return _losses(_checked(probabilities), loss)


def _losses(checked: Floats, loss: Loss | LossFunction) -> Floats:
    descending = np.sort(checked)[::-1]
    n = descending.size
    hit, missed = np.cumsum(descending), np.append(np.cumsum(descending[::-1])[::-1][1:], 0.0)
    phi = as_loss(loss)
    k = np.arange(n + 1)
    losses_missed = phi(0.0, k[:-1] / n, 1.0 / n)
    losses_hit = phi(1.0 / n, k[1:] / n, 1.0 / n)
    # Flagging nothing is never right, flagging everything always.
    return np.concatenate(
        [losses_missed[:1], hit[:-1] * losses_hit[:-1] + missed[:-1] * losses_missed[1:], losses_hit[-1:]]
    )


def multinomial_top_k(probabilities: ArrayLike, loss: Loss | LossFunction) -> TopK:
    """Find the k most probable classes of smallest expected loss.

    Ties as in `optimal_top_k`. Raises DataError as `multinomial_losses` does. O(n log n). `error_bound` is 0:
    rounding, a few 1e-16 per class, is left out. Source: Natarajan et al. 2016, Theorem 2; for F, Coz Velasco et al.
    2009.

    Examples
    --------
    >>> from multiloss_core import F, multinomial_top_k
    >>> multinomial_top_k([0.6, 0.3, 0.1], F()).k
    1
    """
    checked = _checked(probabilities)
    values = _losses(checked, loss)
    k = best_k(values)
    return top_k_of(checked, k, float(values[k]), error_bound=0.0)


def _checked(probabilities: ArrayLike) -> Floats:
    checked = checked_probabilities(probabilities)
    total = float(checked.sum())
    if abs(total - 1.0) > _SUM_TOLERANCE:
        raise DataError(f"The probabilities of the classes add up to {total:g}; exactly one class is true, so to 1.")
    return checked / total
