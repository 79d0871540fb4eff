"""Approximate negative powers by short sums of exponentials, with a proven error.

z^-a = 1/Gamma(a) times the integral over t of exp(a t - z e^t). The trapezoidal rule with step h turns it into a sum
of exponentials of z with positive weights; Poisson summation gives its relative error, the same for every z > 0.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import e, gamma, pi

import numpy as np
from scipy.special import loggamma

from multiloss_core.numerics.arrays import Floats

# Share of an exponent used to bound y^a exp(-y) by a multiple of exp(-(1 - share) y).
_GIVEN_AWAY = 0.1


@dataclass(frozen=True, eq=False)
class ExponentialSum:
    """sum over q of weights[q] exp(-nodes[q] z) in place of z^-power.

    `nodes`, `weights` (Q,), positive. For the random D and every random N with |N| <= D^power that the sum was made
    for, |E N D^-power - sum of weights E N exp(-nodes D)| <= `error`, without floating-point rounding.
    """

    nodes: Floats
    weights: Floats
    error: float


def exponential_sum(
    power: float, tolerance: float, *, smallest: float, largest: float, laplace: Callable[[Floats], Floats]
) -> ExponentialSum:
    """Make the sum for D^-power, with an error of at most `tolerance` (> 0).

    `smallest` > 0: D is no less wherever N is not 0. `largest`: a bound on (E D^(power + 2))^(1 / (power + 2)).
    `laplace`: takes y > 0 (m,) and bounds E[exp(-y D); N is not 0]. About ln(largest / smallest) / h + 25 nodes; h is
    .38 at a tolerance of 1e-9.

    Three errors are added, each at most a third of the tolerance. Aliasing: relative, at most
    2 sum over m >= 1 of |Gamma(a + 2 pi i m / h)| / Gamma(a). Large nodes left out: each at most
    w_q E[D^a exp(-x_q D)]. Small nodes, infinitely many, replaced by one with their sum of weights and their mean
    W, x: as exp(-x D) is convex in x with second derivative at most D^2, at most E[D^(a + 2)] / 2 times their
    weighted sum of squares about x.
    """
    third = tolerance / 3.0
    step = _step(power, third)
    first, lump_error = _first_node(power, step, third, largest)
    positions, left_out = _up_to_last_node(power, step, third, first, smallest, laplace)
    factor = step / gamma(power)
    weight, mean, _ = _lump(power, step, first - 1)
    nodes = np.concatenate([[mean], np.exp(step * positions)])
    weights = np.concatenate([[weight], factor * np.exp(power * step * positions)])
    return ExponentialSum(nodes, weights, aliasing(power, step) + lump_error + left_out)


@lru_cache(maxsize=64)
def _step(power: float, allowed: float) -> float:
    """Find a step of the trapezoidal rule with at most this relative error."""
    step = 1.5
    while aliasing(power, step) > allowed:
        step *= 0.98
    return step


def aliasing(power: float, step: float) -> float:
    """Bound the trapezoidal rule's relative error.

    It is 2 sum over m > 0 of |Gamma(power + 2 pi i m / step) / Gamma(power)|.

    Eight terms; each is less than half of the one before for step <= 1.5 and power <= 1, so the last one bounds the
    rest.
    """
    terms = np.exp(np.real(loggamma(power + 2j * pi * np.arange(1, 9) / step)))
    return 2.0 * float(terms.sum() + terms[-1]) / gamma(power)


def _lump(power: float, step: float, last: int) -> tuple[float, float, float]:
    """Compute weight, mean and sum of squares about it of all nodes exp(step q), q <= last."""
    top = np.exp(step * last)
    sums = [step / gamma(power) * top ** (power + m) / -np.expm1(-(power + m) * step) for m in range(3)]
    return float(sums[0]), float(sums[1] / sums[0]), float(sums[2] - sums[1] ** 2 / sums[0])


def _first_node(power: float, step: float, allowed: float, largest: float) -> tuple[int, float]:
    """Find the first node to keep and the error of lumping all below it."""

    def error(first: int) -> float:
        # For a D of scale 1, so that nothing overflows.
        return 0.5 * _lump(power, step, first)[2]

    first = 0
    while error(first - 1) > allowed:
        first -= 1
    shift = int(np.ceil(np.log(largest) / step))
    # (largest / e^(step shift)) <= 1: moving all nodes down by `shift` moves the scale.
    return first - shift, error(first - 1)


def _up_to_last_node(
    power: float,
    step: float,
    allowed: float,
    first: int,
    smallest: float,
    laplace: Callable[[Floats], Floats],
) -> tuple[Floats, float]:
    """Compute the positions of the kept nodes, and a bound on the terms above them."""
    # At the last position y = 0.9 x_q D is at least 100; beyond it the terms fall at least as 1, 1/2, 1/4 and so on.
    last = int(np.ceil(np.log(120.0 / smallest) / step))
    positions = np.arange(first, last + 1, dtype=np.float64)
    y = (1.0 - _GIVEN_AWAY) * np.exp(step * positions)
    # z^a exp(-z) <= (a / (share e))^a exp(-(1 - share) z)
    constant = step / gamma(power) * (power / (_GIVEN_AWAY * e)) ** power
    bounds = constant * np.minimum(laplace(y), np.exp(-y * smallest))
    above = np.cumsum(bounds[::-1])[::-1] + bounds[-1]
    kept = int(np.argmax(above <= allowed))
    return positions[:kept], float(above[kept])
