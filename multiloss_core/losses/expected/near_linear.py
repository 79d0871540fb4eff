"""Compute every L_k of a loss with one power of a weighted count in near-linear time.

The power becomes a sum of exponentials (`exponential_sums`). E[exp(-x S)] of a sum S of independent labels is a
product over the items, and E[K exp(-x S)] that product times a sum over the items (the mean of K under tilted
probabilities), so prefix and suffix sums give all k at once: O(n Q) time for Q exponentials, O(n) memory.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache
from math import e, gamma, pi
from types import MappingProxyType
from typing import Any

import numpy as np
from scipy.special import loggamma

from multiloss_core.errors import DataError
from multiloss_core.losses.expected.interface import Method, by_row
from multiloss_core.losses.expected.linear_ratio import OrientedRatio, oriented
from multiloss_core.losses.expected.tilted_sums import CHUNK, MIN_ITEMS, Items, Running, Series, Tilt
from multiloss_core.losses.multivariate import AM, AUC, G_TP_PR, JACCARD, F, FractionalLinear, Loss
from multiloss_core.numerics.arrays import Floats, Indices

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
    power: float, step: float, allowed: float, first: int, smallest: float, laplace: Callable[[Floats], Floats]
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


_THREADS = 2
_FEW = 500_000
_SMALLEST_RELATIVE_ERROR = 1e-13


def has_near_linear_form(loss: Loss, n: int) -> bool:
    """Return whether `near_linear` can take this loss for n items."""
    form = loss.fractional_linear
    return type(loss) in _FORMULAS or (form is not None and oriented(form, n) is not None)


def near_linear(descending: Floats, loss: Loss, tolerance: float) -> tuple[Floats, float]:
    """Find L_k for k = 0..n and a bound on the error of each.

    `descending` (n,): probabilities. Takes F, Jaccard, AM, G-TP/PR, AUC and a FractionalLinear with a denominator of
    one sign for every outcome (0 only where the numerator is), else DataError. The bound exceeds a `tolerance` below
    the rounding error, about 1e-11. O(n Q) time, Q about 60 at n = 1e6 and tolerance 1e-9; O(n) memory.

    The bound adds the error of the exponential sum, that of the series (`tilted_sums`) and a generous allowance for
    rounding: each prefix sum is made of sums of 4,096 terms, so its relative rounding error is at most
    (4,096 + n / 4,096) 2^-53. Exponents are sums of terms of one sign, so a relative error r of an exponent E is an
    error of |E| exp(-|E|) r < r / 2 of its exponential, however large E.
    """
    items = Items(descending, 1.0 - descending)
    formula = _FORMULAS.get(type(loss))
    if formula is not None:
        values, bound = formula(items, loss, tolerance)
        # The true values lie in [0, 1], so clipping increases no error.
        return np.clip(values, 0.0, 1.0), bound
    if loss.fractional_linear is not None:
        return _fractional_linear(items, loss.fractional_linear, tolerance)
    raise DataError(
        f"The near_linear method does not take {loss.name}; it takes F, Jaccard, AM, G-TP/PR, AUC and "
        "fractional-linear losses. Choose windowed or cubic."
    )


def _f(items: Items, loss: F, tolerance: float) -> tuple[Floats, float]:
    # Utility K1 / ((k + beta^2 (K1 + K2)) / (1 + beta^2)), where K1 >= 1 makes the denominator at least 1.
    weight = loss.beta**2 / (1.0 + loss.beta**2)
    ratio = OrientedRatio((0.0, items.p.size / (1.0 + loss.beta**2)), weight, weight, of_first=1.0)
    return _one_minus_utility(items, ratio, tolerance)


def _jaccard(items: Items, _: Loss, tolerance: float) -> tuple[Floats, float]:
    return _one_minus_utility(items, OrientedRatio((0.0, items.p.size), 0.0, 1.0, of_first=1.0), tolerance)


def _am(items: Items, _: Loss, tolerance: float) -> tuple[Floats, float]:
    # A rate with an empty denominator is 1; flagged negatives reduce the true negative rate.
    ratio = OrientedRatio((0.0, 0.0), 1.0, 1.0, of_first=1.0)
    recall, bound = _expectations(items, ratio, tolerance)
    false_alarms, other_bound = _expectations(items.flipped, ratio, tolerance)
    return (1.0 - recall - _chance_of_none(items) + false_alarms) / 2.0, (bound + other_bound) / 2.0


def _g_tp_pr(items: Items, _: Loss, tolerance: float) -> tuple[Floats, float]:
    # K1 / sqrt(S k), and K1 <= sqrt(S k).
    of_first = 1.0 / np.sqrt(np.maximum(np.arange(items.p.size + 1), 1))
    return _one_minus_utility(items, OrientedRatio((0.0, 0.0), 1.0, 1.0, power=0.5, of_first=of_first), tolerance)


def _auc(items: Items, _: Loss, tolerance: float) -> tuple[Floats, float]:
    # K2 (k - K1) / (S (n - S)) with 1 / (S (n - S)) = (1 / S + 1 / (n - S)) / n.
    n = items.p.size
    share = np.arange(n + 1) / n
    by_positives = OrientedRatio((0.0, 0.0), 1.0, 1.0, of_others=share, of_both=-1.0 / n)
    # In counts of negatives: K1 (n - k - K2).
    by_negatives = replace(by_positives, of_first=share[::-1], of_others=None)
    first, bound = _expectations(items, by_positives, tolerance / 2.0)
    second, other_bound = _expectations(items.flipped, by_negatives, tolerance / 2.0)
    return first + second, bound + other_bound


def _fractional_linear(items: Items, loss: FractionalLinear, tolerance: float) -> tuple[Floats, float]:
    ratio = oriented(loss, items.p.size)
    if ratio is None:
        raise DataError(
            f"The denominator of {loss.name} changes its sign, or is 0 where its numerator is not; "
            "near_linear takes it only if it is above 0 for every outcome, or below. Choose cubic."
        )
    return _expectations(items, ratio, tolerance)


def _one_minus_utility(items: Items, ratio: OrientedRatio, tolerance: float) -> tuple[Floats, float]:
    utility, bound = _expectations(items, ratio, tolerance)
    # No positive: the recall is 1, and so is the precision if nothing is flagged.
    utility[0] = _chance_of_none(items)
    return 1.0 - utility, bound


def _chance_of_none(items: Items) -> float:
    return 0.0 if np.any(items.rest == 0.0) else float(np.exp(np.log1p(-items.p).sum()))


def _expectations(items: Items, ratio: OrientedRatio, tolerance: float) -> tuple[Floats, float]:
    """Compute E[N / D^power] for k = 0..n; quadrature has at most half the tolerance."""
    if ratio.size == 0.0:
        return np.zeros(items.p.size + 1), 0.0
    first, others = (items.flipped if flipped else items for flipped in (ratio.flipped1, ratio.flipped2))
    relative = max(tolerance / (2.0 * ratio.size), _SMALLEST_RELATIVE_ERROR)
    exponentials = _exponentials(first, others, ratio, relative)
    shares = np.array_split(np.arange(exponentials.nodes.size), _THREADS if first.p.size > _FEW else 1)
    # Without series where their errors, which are relative to terms that may cancel, exceed the tolerance.
    values, bound = _combined(first, others, ratio, exponentials, shares, relative / 16.0)
    if bound > tolerance:
        values, bound = _combined(first, others, ratio, exponentials, shares, 0.0)
    return values, bound


def _combined(
    first: Items,
    others: Items,
    ratio: OrientedRatio,
    exponentials: ExponentialSum,
    shares: list[Indices],
    allowed: float,
) -> tuple[Floats, float]:
    works = [
        _Work(first, others, ratio, exponentials.nodes[share], exponentials.weights[share], allowed)
        for share in shares
        if share.size
    ]
    if len(works) == 1:
        sums = works[0].sums()
    else:
        with ThreadPoolExecutor(len(works)) as pool:
            sums = np.sum(list(pool.map(_Work.sums, works)), axis=0)
    terms = [
        coefficient * total
        for coefficient, total in zip(
            (ratio.constant, ratio.of_first, ratio.of_others, ratio.of_both), sums, strict=True
        )
        if coefficient is not None
    ]
    magnitude = float(np.sum(np.abs(terms), axis=0).max())
    n = first.p.size
    rounding = 16.0 * float(np.finfo(float).eps)
    relative = rounding * (min(n, CHUNK) + n / CHUNK + 32.0) + 4.0 * max(work.error for work in works)
    # The coefficients of a ratio are rounded relative to its numerator and denominator at the four corners.
    return np.asarray(np.sum(terms, axis=0)), ratio.size * (exponentials.error + rounding) + relative * magnitude


def _exponentials(first: Items, others: Items, ratio: OrientedRatio, relative: float) -> ExponentialSum:
    n = first.p.size
    at_0, at_n = ratio.base
    # Bounds on the probability that an item counts, over both sides.
    least = float(np.minimum(first.p, others.p).sum())
    most = float(np.maximum(first.p, others.p).sum())
    # The base is at least its smaller end plus its slope times the count on the side that makes it grow.
    slope = (at_n - at_0) / n
    weight = min(ratio.weight1 + max(slope, 0.0), ratio.weight2 + max(-slope, 0.0))

    def laplace(y: Floats) -> Floats:
        # E exp(-y S) = product of (1 - eta (1 - exp(-y))) <= exp(-mu (1 - exp(-y)))
        return np.exp(-y * min(at_0, at_n) + least * np.expm1(-y * weight))

    # A Poisson-binomial count is at most a Poisson one in convex order, and the norm is subadditive.
    count = min(float(n), (most**3 + 3.0 * most**2 + most) ** (1.0 / 3.0))
    largest = max(at_0, at_n) + max(ratio.weight1, ratio.weight2) * count
    return exponential_sum(
        ratio.power, relative, smallest=ratio.smallest, largest=max(largest, ratio.smallest), laplace=laplace
    )


class _Work:
    """Four sums over exponentials, of w exp(-x D) times 1, K1, K2 and K1 K2.

    `nodes` x and `weights` w (Q,); `error` bounds the relative error of tilted means and logs by series, of which
    each may have `allowed`.
    """

    def __init__(
        self, first: Items, others: Items, ratio: OrientedRatio, nodes: Floats, weights: Floats, allowed: float
    ) -> None:
        self.ratio, self.n, self.x = ratio, first.p.size, nodes[:, np.newaxis]
        self.log_weights = np.log(weights)[:, np.newaxis]
        # The product over all items does not depend on k if both sides are tilted alike.
        self.one_product = ratio.weight1 == ratio.weight2 and first.p is others.p
        self.first = _Side(first, self.x, ratio.weight1, allowed)
        self.others = self.first if self.one_product else _Side(others, self.x, ratio.weight2, allowed)
        self.error = max(self.first.error, self.others.error)

    def sums(self) -> Floats:
        """Compute the sums, (4, n + 1); rows that the ratio does not need stay 0. O(n Q)."""
        at_0, at_n = self.ratio.base
        # No difference of two large ends, which would cancel.
        up = np.arange(self.n + 1) / self.n
        base, slope = up[::-1] * at_0 + up * at_n, (at_n - at_0) / self.n
        both = self.ratio.of_both is not None
        need_first, need_others = self.ratio.of_first is not None or both, self.ratio.of_others is not None or both
        result = np.zeros((4, self.n + 1))
        with np.errstate(all="ignore"):
            after = self.others.after("means") if need_others else None
            log_after = self.others.after("logs")
            steps = np.arange(min(self.n, CHUNK) + 1)
            falling = np.exp(-self.x * slope * steps) if self.one_product and slope > 0.0 else np.ones_like(self.x)
            before = log_before = np.zeros_like(self.first.y)
            for chunk, start in enumerate(range(0, self.n, CHUNK)):
                tilted1, tilted2 = self.first.tilt(chunk), self.others.tilt(chunk)
                m = tilted1.p.size
                if self.one_product and slope >= 0.0:
                    terms = np.exp(self.log_weights - self.x * base[start] + log_after[0]) * falling[:, : m + 1]
                else:
                    exponent = self.log_weights - self.x * base[start : start + m + 1]
                    logs1 = tilted1.prefix("logs", log_before).full()
                    exponent += logs1
                    exponent += tilted2.suffix("logs", log_after[chunk + 1]).full()
                    log_before = logs1[:, -1:]
                    terms = np.exp(exponent, out=exponent)
                first = others = None
                if need_first:
                    first = tilted1.prefix("means", before)
                    before = first.last
                if after is not None:
                    others = tilted2.suffix("means", after[chunk + 1])
                self._add(result[:, start : start + m + 1], terms, first, others)
        return result

    def _add(self, result: Floats, terms: Floats, first: Running | None, others: Running | None) -> None:
        if self.ratio.constant is not None:
            result[0] = terms.sum(axis=0)
        if first is not None and self.ratio.of_first is not None:
            result[1] = first.weighted(terms)
        if others is not None and self.ratio.of_others is not None:
            result[2] = others.weighted(terms)
        if first is not None and others is not None and self.ratio.of_both is not None:
            result[3] = others.weighted(terms * first.full())


class _Side:
    """The items of one side, tilted by y = weight x (Q, 1), or by one 0 if their weight is 0."""

    def __init__(self, items: Items, x: Floats, weight: float, allowed: float) -> None:
        self.items, self.y = items, x * weight if weight else np.zeros((1, 1))
        with np.errstate(all="ignore"):
            self.series = Series(items, self.y, allowed) if allowed and items.p.size >= MIN_ITEMS else None
        self.error = self.series.error if self.series is not None else 0.0

    def tilt(self, chunk: int) -> Tilt:
        return Tilt(self.items, self.y, self.series, chunk)

    def after(self, name: str) -> Floats:
        """Compute the sums over each chunk and all later ones, (chunks + 1, Q, 1); the last is 0."""
        totals = [self.tilt(chunk).total(name) for chunk in range(-(-self.items.p.size // CHUNK))]
        return np.cumsum([np.zeros_like(self.y), *totals[::-1]], axis=0)[::-1]


_FORMULAS: MappingProxyType[type[Loss], Callable[[Items, Any, float], tuple[Floats, float]]] = MappingProxyType(
    {F: _f, type(JACCARD): _jaccard, type(AM): _am, type(G_TP_PR): _g_tp_pr, type(AUC): _auc}
)

NEAR_LINEAR = Method(name="near_linear", growth="n", work=float, takes=has_near_linear_form, run=by_row(near_linear))
