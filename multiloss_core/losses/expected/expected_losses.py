"""The expected loss L_k of flagging the k most probable items, for every k at once."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from multiloss_core.errors import DataError
from multiloss_core.losses.expected.near_linear import has_near_linear_form, near_linear
from multiloss_core.losses.expected.quadratic import LARGEST_QUADRATIC, has_quadratic_form, quadratic
from multiloss_core.losses.expected.windowed import LARGEST_WINDOWED, loss_bounds, windowed
from multiloss_core.losses.multivariate import Loss, LossFunction, as_loss
from multiloss_core.numerics.arrays import Floats

LARGEST_EXHAUSTIVE = 14
LARGEST_CUBIC = 1000
# Up to here the cubic method takes no time worth saving.
_SMALL = 100

_Found = tuple[Floats, float]


@dataclass(frozen=True, eq=False)
class ExpectedLosses:
    """L_k for k = 0..n.

    `values` (n + 1,): the expected loss of flagging the k items of highest probability. `error_bound`: no
    value is further than this from the true one; 0 for a method without any approximation, whose floating-point
    rounding (about 1e-13 for a loss in [0, 1]) is left out. `method`: the one used.
    """

    values: Floats
    error_bound: float
    method: str


def expected_losses(
    probabilities: ArrayLike, loss: Loss | LossFunction, *, method: str = "auto", tolerance: float = 1e-9
) -> ExpectedLosses:
    """Expected loss of the top-k prediction for every k = 0..n, labels independent.

    L_k = E phi(K1/n, k/n, (K1 + K2)/n) with K1 the positives among the k most probable items and K2 among
    the rest: two independent Poisson-binomial counts. Every k is evaluated: L_k can fall again after it
    rose.

    `probabilities` (n,) in [0, 1], in any order. `loss`: one of `LOSSES`, F, a FractionalLinear, or any function
    phi(u, v, p) (see `UserLoss`). `method` is one of

    - "cubic": any loss, n <= 1,000, O(n^3) time and O(n^2) memory (Natarajan et al. 2016, Algorithm 1,
      without its stop at the first rise and with k = 0 as a candidate);
    - "exhaustive": any loss, n <= 14, through all 2^n outcomes;
    - "quadratic": F, Jaccard, a FractionalLinear with d1 = 0, d3 = 0 or d1 + d3 = 0; n <= 50,000, O(n^2) time and
      O(n) memory;
    - "near_linear": F, Jaccard, AM, G-TP/PR, AUC, a FractionalLinear whose denominator has one sign; any n, about
      60 n operations times the cost of a few sums;
    - "windowed": any loss whose bounds are known, G-Mean and H-Mean in particular; n <= 20,000, O(n^2) time;
    - "auto": "cubic" for n <= 100, else the first of "near_linear", "quadratic", "windowed" and "cubic" that takes
      this loss and n and proves the tolerance.

    `tolerance` > 0 is the largest `error_bound` allowed. Raises DataError for unusable probabilities, an unknown
    method, a tolerance that is not positive or that the method cannot prove, and a loss or an n that it does not take.
    """
    descending = np.sort(checked_probabilities(probabilities))[::-1].copy()
    if not 0.0 < tolerance < np.inf:
        raise DataError(f"tolerance is {tolerance!r}; choose a finite number above 0.")
    checked_loss = as_loss(loss)
    if method == "auto":
        return _auto(descending, checked_loss, tolerance)
    values, error_bound = _method(method)(descending, checked_loss, tolerance)
    if error_bound > tolerance:
        raise DataError(
            f"The {method} method proves an error of {error_bound:.1g} for these probabilities, not {tolerance:g}; "
            "allow more, or choose quadratic or cubic."
        )
    return ExpectedLosses(values, error_bound, method)


def _auto(descending: Floats, loss: Loss, tolerance: float) -> ExpectedLosses:
    n = descending.size
    candidates = {
        "near_linear": n > _SMALL and has_near_linear_form(loss, n),
        "quadratic": _SMALL < n <= LARGEST_QUADRATIC and has_quadratic_form(loss, n),
        "windowed": _SMALL < n <= LARGEST_WINDOWED and loss_bounds(loss, n) is not None,
        "cubic": n <= LARGEST_CUBIC,
    }
    for name, fits in candidates.items():
        if fits:
            values, error_bound = _method(name)(descending, loss, tolerance)
            if error_bound <= tolerance:
                return ExpectedLosses(values, error_bound, name)
    raise DataError(
        f"There are {n:,} probabilities, and no method finds expected {loss.name} losses for so many to within "
        f"{tolerance:g}. A loss whose bounds are known can have {LARGEST_WINDOWED:,}, any loss {LARGEST_CUBIC:,}."
    )


def checked_probabilities(probabilities: ArrayLike) -> Floats:
    """A float copy (n,) of `probabilities`; DataError unless they are a list of numbers in [0, 1], at least
    one.
    """
    try:
        checked = np.array(probabilities, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError("Probabilities must be numbers between 0 and 1.") from None
    if checked.ndim != 1:
        raise DataError(f"Probabilities must be a list of numbers, not an array of {checked.ndim} dimensions.")
    if checked.size == 0:
        raise DataError("There are no probabilities; give at least one.")
    # The comparison is also false for nan.
    wrong = np.flatnonzero(~((checked >= 0.0) & (checked <= 1.0)))
    if wrong.size:
        more = f" (and {wrong.size - 1} more like it)" if wrong.size > 1 else ""
        raise DataError(
            f"Probability {wrong[0] + 1} is {checked[wrong[0]]:g}{more}; probabilities lie between 0 and 1."
        )
    return checked


def loss_matrix(loss: Loss, n: int, k: int) -> Floats:
    """phi for every outcome that k of n flagged items can meet, shape (k + 1, n - k + 1).

    Row k1 is the number of positives among the flagged items, column k2 among the others.
    """
    flagged = np.arange(k + 1)[:, np.newaxis]
    others = np.arange(n - k + 1)[np.newaxis, :]
    return loss(flagged / n, k / n, (flagged + others) / n)


def _method(name: str) -> Callable[[Floats, Loss, float], _Found]:
    methods: dict[str, Callable[[Floats, Loss, float], _Found]] = {
        "cubic": lambda descending, loss, tolerance: (_cubic(descending, loss), 0.0),
        "exhaustive": lambda descending, loss, tolerance: (_exhaustive(descending, loss), 0.0),
        "quadratic": lambda descending, loss, tolerance: (quadratic(descending, loss), 0.0),
        "near_linear": near_linear,
        "windowed": windowed,
    }
    if name not in methods:
        raise DataError(f"There is no method {name!r}; choose auto, {', '.join(methods)}.")
    return methods[name]


def _cubic(descending: Floats, loss: Loss) -> Floats:
    n = descending.size
    if n > LARGEST_CUBIC:
        raise DataError(
            f"There are {n:,} probabilities; the cubic method takes at most {LARGEST_CUBIC:,}, "
            "as its time grows with the cube of their number."
        )
    among_flagged = _counts_among_first(descending)
    among_others = _counts_among_first(descending[::-1])[::-1]
    return np.array(
        [among_flagged[k, : k + 1] @ loss_matrix(loss, n, k) @ among_others[k, : n - k + 1] for k in range(n + 1)]
    )


def _counts_among_first(probabilities: Floats) -> Floats:
    """Row i: the Poisson-binomial probabilities of 0..n positives among the first i items, shape (n + 1, n +
    1).
    """
    n = probabilities.size
    table = np.zeros((n + 1, n + 1))
    table[0, 0] = 1.0
    for i, probability in enumerate(probabilities):
        table[i + 1] = table[i] * (1.0 - probability)
        table[i + 1, 1:] += table[i, :-1] * probability
    return table


def _exhaustive(descending: Floats, loss: Loss) -> Floats:
    n = descending.size
    if n > LARGEST_EXHAUSTIVE:
        raise DataError(
            f"There are {n:,} probabilities; the exhaustive method takes at most {LARGEST_EXHAUSTIVE}, "
            "as it goes through every one of the 2^n outcomes."
        )
    outcomes = (np.arange(2**n)[:, np.newaxis] >> np.arange(n)) & 1
    chances = np.prod(np.where(outcomes == 1, descending, 1.0 - descending), axis=1)
    true_positives = np.cumsum(np.insert(outcomes, 0, 0, axis=1), axis=1)
    losses = loss(true_positives / n, np.arange(n + 1) / n, true_positives[:, -1:] / n)
    return np.asarray(chances @ losses, dtype=np.float64)
