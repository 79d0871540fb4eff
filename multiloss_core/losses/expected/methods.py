"""Compute the expected loss L_k of flagging the k most probable items, for every k at once."""

from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from multiloss_core.errors import DataError
from multiloss_core.formatting import shortest
from multiloss_core.losses.expected.cubic import CUBIC, MAX_CUBIC
from multiloss_core.losses.expected.exhaustive import EXHAUSTIVE
from multiloss_core.losses.expected.interface import Method
from multiloss_core.losses.expected.near_linear import NEAR_LINEAR
from multiloss_core.losses.expected.quadratic import QUADRATIC
from multiloss_core.losses.expected.windowed import MAX_WINDOWED, WINDOWED
from multiloss_core.losses.multivariate import Loss, LossFunction, as_loss
from multiloss_core.numerics.arrays import Floats
from multiloss_core.numerics.rounding import is_probability

# From the fastest growing time to the slowest; of equal growth, "auto" tries the earlier one first.
_METHODS = (EXHAUSTIVE, CUBIC, QUADRATIC, WINDOWED, NEAR_LINEAR)
METHODS: MappingProxyType[str, Method] = MappingProxyType({method.name: method for method in _METHODS})
# Up to the first size the cubic method is fast enough; up to the second if many rows share its losses, or for losses
# that the near-linear method does not take.
_SMALL, _SMALL_OF_MANY, _MANY = 30, 100, 10


@dataclass(frozen=True, eq=False)
class ExpectedLosses:
    """L_k for k = 0..n.

    `values` (n + 1,): the expected loss of flagging the k items of highest probability. `error_bound`: maximum distance
    of a value from the true one; 0 for an exact method. Floating-point rounding (about 1e-13 for a loss in [0, 1]) is
    not included. `method`: the one used.
    """

    values: Floats
    error_bound: float
    method: str


def expected_losses(
    probabilities: ArrayLike, loss: Loss | LossFunction, *, method: str = "auto", tolerance: float = 1e-9
) -> ExpectedLosses:
    """Find the expected loss of the top-k prediction for every k = 0..n, labels independent.

    L_k = E phi(K1/n, k/n, (K1 + K2)/n) with K1 the positives among the k most probable items and K2 among the rest: two
    independent Poisson-binomial counts. Every k is evaluated: L_k can fall again after it rose.

    `probabilities` (n,) in [0, 1], in any order. `loss`: one of `LOSSES`, F, a FractionalLinear, or any function
    phi(u, v, p) (see `UserLoss`). `method` is one of

    - "cubic": any loss, n <= 1,000, O(n^3) time and O(n^2) memory (Natarajan et al. 2016, Algorithm 1,
      without its stop at the first rise and with k = 0 as a candidate);
    - "exhaustive": any loss, n <= 14, through all 2^n outcomes;
    - "quadratic": F, Jaccard, a FractionalLinear with d1 = 0, d3 = 0 or d1 + d3 = 0; n <= 50,000, O(n^2) time and
      O(n) memory;
    - "near_linear": F, Jaccard, AM, G-TP/PR, AUC, a FractionalLinear with a denominator of one sign; any n, about
      60 n operations times the cost of a few sums;
    - "windowed": any loss with known bounds, G-Mean and H-Mean in particular; n <= 20,000, O(n^2) time;
    - "auto": "cubic" for n <= 30, and for n <= 100 where "near_linear" does not take the loss, else the first of
      "near_linear", "quadratic", "windowed" and "cubic" that takes this loss and n and proves the tolerance.

    `tolerance` > 0 is the largest `error_bound` allowed. Raises DataError for unusable probabilities, an unknown
    method, a tolerance that is not positive or that the method cannot prove, and a loss or an n that it does not take.

    Examples
    --------
    >>> from multiloss_core import JACCARD, expected_losses
    >>> expected_losses([0.9, 0.6, 0.3, 0.1], JACCARD).values.round(3)
    array([0.975, 0.473, 0.346, 0.415, 0.525])
    """
    descending = np.sort(checked_probabilities(probabilities))[::-1].copy()
    values, bounds, methods = losses_of_rows(descending[np.newaxis], as_loss(loss), method, tolerance)
    return ExpectedLosses(values[0], float(bounds[0]), str(methods[0]))


def losses_of_rows(
    descending: Floats, loss: Loss, method: str, tolerance: float
) -> tuple[Floats, Floats, NDArray[np.str_]]:
    """Find L_k (B, n + 1) of rows of falling probabilities (B, n).

    Returns also the error bounds and the names of the methods (B,). Parameters and exceptions as in
    `expected_losses`; for 10 rows and more, "auto" takes "cubic" up to n = 100.
    """
    if not 0.0 < tolerance < np.inf:
        raise DataError(f"tolerance is {tolerance!r}; choose a finite number above 0.")
    if method == "auto":
        return _auto(descending, loss, tolerance)
    if method not in METHODS:
        raise DataError(f"There is no method {method!r}; choose auto, {', '.join(METHODS)}.")
    chosen = METHODS[method]
    if chosen.takes(loss, descending.shape[1]):
        chosen.require_size(descending.shape[1])
    values, bounds = chosen.run(descending, loss, tolerance)
    _require_finite(values, loss)
    if not bounds.max() <= tolerance:
        raise DataError(
            f"The {method} method proves an error of {bounds.max():.1g} for these probabilities, not {tolerance:g}; "
            "allow more, or choose quadratic or cubic."
        )
    return values, bounds, np.full(len(descending), method)


def _auto(descending: Floats, loss: Loss, tolerance: float) -> tuple[Floats, Floats, NDArray[np.str_]]:
    rows, n = descending.shape
    candidates = [method for method in METHODS.values() if n <= method.largest and method.takes(loss, n)]
    small = n <= _SMALL or (n <= _SMALL_OF_MANY and (rows >= _MANY or NEAR_LINEAR not in candidates))
    values, bounds, methods = np.empty((rows, n + 1)), np.full(rows, np.inf), np.full(rows, "", dtype="<U16")
    for method in [CUBIC] if small else sorted(candidates, key=lambda method: method.work(n)):
        left = np.flatnonzero(~(bounds <= tolerance))
        values[left], bounds[left] = method.run(descending[left], loss, tolerance)
        methods[left] = method.name
        _require_finite(values[left], loss)
        if np.all(bounds <= tolerance):
            return values, bounds, methods
    raise DataError(
        f"There are {n:,} probabilities, and no method finds expected {loss.name} losses for that number to within "
        f"{tolerance:g}. A loss with known bounds can have {MAX_WINDOWED:,}, any loss {MAX_CUBIC:,}."
    )


def _require_finite(values: Floats, loss: Loss) -> None:
    if np.isinf(values).any():
        raise DataError(
            f"The {loss.name} loss has no finite mean, as it divides by nearly 0; choose larger denominators."
        )


def checked_probabilities(probabilities: ArrayLike) -> Floats:
    """Copy `probabilities` (n,), n >= 1, as floats in [0, 1]; DataError for others.

    Values outside by rounding, at most 1e-9, are set to 0 or 1.
    """
    try:
        checked = np.array(probabilities, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError("Probabilities must be numbers between 0 and 1.") from None
    if checked.ndim != 1:
        raise DataError(f"Probabilities must be a list of numbers, not an array of {checked.ndim} dimensions.")
    if checked.size == 0:
        raise DataError("There are no probabilities; give at least one.")
    wrong = np.flatnonzero(~is_probability(checked))
    if wrong.size:
        more = f" (and {wrong.size - 1} more like it)" if wrong.size > 1 else ""
        raise DataError(
            f"Probability {wrong[0] + 1} is {shortest(checked[wrong[0]])}{more}; probabilities lie between 0 and 1."
        )
    return checked.clip(0.0, 1.0)
