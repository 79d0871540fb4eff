"""Compute every L_k of a loss with one power of a weighted count in near-linear time.

The power becomes a sum of exponentials (`exponential_sums`). E[exp(-x S)] of a sum S of independent labels is a
product over the items, and E[K exp(-x S)] that product times a sum over the items (the mean of K under tilted
probabilities), so prefix and suffix sums give all k at once: O(n Q) time for Q exponentials, O(n) memory.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from multiloss_core.errors import DataError
from multiloss_core.losses.expected.exponential_sums import ExponentialSum, exponential_sum
from multiloss_core.losses.expected.interface import Method
from multiloss_core.losses.expected.linear_ratio import as_linear_ratio, oriented
from multiloss_core.losses.multivariate import AM, AUC, G_TP_PR, JACCARD, F, FractionalLinear, Loss
from multiloss_core.numerics.arrays import Floats

_CHUNK = 1024
_THREADS = 2
_FEW = 20_000
_SMALLEST_RELATIVE_ERROR = 1e-13


def has_near_linear_form(loss: Loss, n: int) -> bool:
    """Return whether `near_linear` can take this loss for n items."""
    form = loss.fractional_linear
    return type(loss) in _FORMULAS or (form is not None and oriented(as_linear_ratio(form, n)) is not None)


def near_linear(descending: Floats, loss: Loss, tolerance: float) -> tuple[Floats, float]:
    """Find L_k for k = 0..n and a bound on the error of each.

    `descending` (n,): probabilities. Takes F, Jaccard, AM, G-TP/PR, AUC and a FractionalLinear with a denominator of
    one sign for every outcome (0 only where the numerator is), else DataError. The bound exceeds a `tolerance` below
    the rounding error, about 1e-11. O(n Q) time, Q about 60 at n = 1e6 and tolerance 1e-9; O(n) memory.

    The bound adds the error of the exponential sum and a generous allowance for rounding: each prefix sum is made of
    sums of 1,024 terms, so its relative rounding error is at most (1,024 + n / 1,024) 2^-53. Exponents are sums of
    terms of one sign, so a relative error r of an exponent E is an error of |E| exp(-|E|) r < r / 2 of its
    exponential, however large E.
    """
    items = _Items(descending, 1.0 - descending)
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


@dataclass(frozen=True, eq=False)
class _Items:
    """`p` (n,): probabilities that an item counts; `rest` (n,): 1 - p."""

    p: Floats
    rest: Floats

    @property
    def flipped(self) -> "_Items":
        """Count negative labels instead."""
        return _Items(self.rest, self.p)


@dataclass(frozen=True, eq=False)
class _Ratio:
    """N / D^power for each k, K1 the count among the first k items and K2 among the others.

    D = base[0] + base[1] k + weight1 K1 + weight2 K2, with base >= 0 at every k and weights >= 0;
    N = constant + of_first K1 + of_others K2 + of_both K1 K2, each coefficient (n + 1,) or None for 0.
    |N| <= size D^power at every outcome, and D >= smallest > 0 wherever N is not 0.
    """

    base: tuple[float, float]
    weight1: float
    weight2: float
    size: float
    smallest: float
    power: float = 1.0
    constant: Floats | None = None
    of_first: Floats | None = None
    of_others: Floats | None = None
    of_both: Floats | None = None


def _f(items: _Items, loss: F, tolerance: float) -> tuple[Floats, float]:
    # Utility K1 / ((k + beta^2 (K1 + K2)) / (1 + beta^2)), where K1 >= 1 makes the denominator at least 1.
    weight = loss.beta**2 / (1.0 + loss.beta**2)
    ones = np.ones(items.p.size + 1)
    ratio = _Ratio((0.0, 1.0 / (1.0 + loss.beta**2)), weight, weight, size=1.0, smallest=1.0, of_first=ones)
    return _one_minus_utility(items, ratio, tolerance)


def _jaccard(items: _Items, _: Loss, tolerance: float) -> tuple[Floats, float]:
    ones = np.ones(items.p.size + 1)
    ratio = _Ratio((0.0, 1.0), 0.0, 1.0, size=1.0, smallest=1.0, of_first=ones)
    return _one_minus_utility(items, ratio, tolerance)


def _am(items: _Items, _: Loss, tolerance: float) -> tuple[Floats, float]:
    # A rate with an empty denominator is 1; flagged negatives reduce the true negative rate.
    ones = np.ones(items.p.size + 1)
    ratio = _Ratio((0.0, 0.0), 1.0, 1.0, size=1.0, smallest=1.0, of_first=ones)
    recall, bound = _expectations(items, items, ratio, tolerance)
    false_alarms, other_bound = _expectations(items.flipped, items.flipped, ratio, tolerance)
    return (1.0 - recall - _chance_of_none(items) + false_alarms) / 2.0, (bound + other_bound) / 2.0


def _g_tp_pr(items: _Items, _: Loss, tolerance: float) -> tuple[Floats, float]:
    k = np.arange(items.p.size + 1)
    # K1 / sqrt(S k), and K1 <= sqrt(S k).
    of_first = 1.0 / np.sqrt(np.maximum(k, 1))
    ratio = _Ratio((0.0, 0.0), 1.0, 1.0, size=1.0, smallest=1.0, power=0.5, of_first=of_first)
    return _one_minus_utility(items, ratio, tolerance)


def _auc(items: _Items, _: Loss, tolerance: float) -> tuple[Floats, float]:
    # K2 (k - K1) / (S (n - S)) with 1 / (S (n - S)) = (1 / S + 1 / (n - S)) / n.
    n = items.p.size
    share = np.arange(n + 1) / n
    pairs = np.full(n + 1, -1.0 / n)
    by_positives = _Ratio((0.0, 0.0), 1.0, 1.0, size=1.0, smallest=1.0, of_others=share, of_both=pairs)
    # In counts of negatives: K1 (n - k - K2).
    by_negatives = _Ratio((0.0, 0.0), 1.0, 1.0, size=1.0, smallest=1.0, of_first=share[::-1], of_both=pairs)
    first, bound = _expectations(items, items, by_positives, tolerance / 2.0)
    second, other_bound = _expectations(items.flipped, items.flipped, by_negatives, tolerance / 2.0)
    return first + second, bound + other_bound


def _fractional_linear(items: _Items, loss: FractionalLinear, tolerance: float) -> tuple[Floats, float]:
    n = items.p.size
    plain = as_linear_ratio(loss, n)
    form = oriented(plain)
    if form is None:
        raise DataError(
            f"The denominator of {loss.name} changes its sign, or is 0 where its numerator is not; "
            "near_linear takes it only if it is above 0 for every outcome, or below. Choose cubic."
        )
    ratio = _Ratio(
        form.base,
        form.weight1,
        form.weight2,
        size=form.size,
        smallest=form.smallest,
        constant=form.constant,
        of_first=form.of_first,
        of_others=form.of_others,
    )
    first = items.flipped if form.flipped1 else items
    others = items.flipped if form.flipped2 else items
    return _expectations(first, others, ratio, tolerance)


def _one_minus_utility(items: _Items, ratio: _Ratio, tolerance: float) -> tuple[Floats, float]:
    utility, bound = _expectations(items, items, ratio, tolerance)
    # No positive: the recall is 1, and so is the precision if nothing is flagged.
    utility[0] = _chance_of_none(items)
    return 1.0 - utility, bound


def _chance_of_none(items: _Items) -> float:
    return 0.0 if np.any(items.rest == 0.0) else float(np.exp(np.log1p(-items.p).sum()))


def _expectations(first: _Items, others: _Items, ratio: _Ratio, tolerance: float) -> tuple[Floats, float]:
    """Compute E[N / D^power] for k = 0..n; quadrature has at most half the tolerance."""
    if ratio.size == 0.0:
        return np.zeros(first.p.size + 1), 0.0
    relative = max(tolerance / (2.0 * ratio.size), _SMALLEST_RELATIVE_ERROR)
    exponentials = _exponentials(first, others, ratio, relative)
    work = _Work(first, others, ratio)
    shares = np.array_split(np.arange(exponentials.nodes.size), _THREADS if first.p.size > _FEW else 1)
    parts = [ExponentialSum(exponentials.nodes[share], exponentials.weights[share], 0.0) for share in shares]
    if len(parts) == 1:
        sums = work.sums(parts[0])
    else:
        with ThreadPoolExecutor(len(parts)) as pool:
            sums = np.sum(list(pool.map(work.sums, parts)), axis=0)
    terms = [
        coefficient * total
        for coefficient, total in zip(
            (ratio.constant, ratio.of_first, ratio.of_others, ratio.of_both), sums, strict=True
        )
        if coefficient is not None
    ]
    magnitude = float(np.sum(np.abs(terms), axis=0).max())
    n = first.p.size
    rounding = 16.0 * np.finfo(float).eps * (min(n, _CHUNK) + n / _CHUNK + 32.0) * magnitude
    return np.asarray(np.sum(terms, axis=0)), ratio.size * exponentials.error + rounding


def _exponentials(first: _Items, others: _Items, ratio: _Ratio, relative: float) -> ExponentialSum:
    n = first.p.size
    at_0, at_n = ratio.base[0], ratio.base[0] + ratio.base[1] * n
    # Bounds on the probability that an item counts, over both sides.
    least = float(np.minimum(first.p, others.p).sum())
    most = float(np.maximum(first.p, others.p).sum())
    # The base is at least its smaller end plus its slope times the count on the side that makes it grow.
    slope = ratio.base[1]
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
    """Four sums over exponentials, of w exp(-x D) times 1, K1, K2 and K1 K2."""

    def __init__(self, first: _Items, others: _Items, ratio: _Ratio) -> None:
        self.first, self.others, self.ratio = first, others, ratio
        self.n = first.p.size
        self.starts = range(0, self.n, _CHUNK)
        both = ratio.of_both is not None
        self.wanted = (ratio.constant is not None, ratio.of_first is not None, ratio.of_others is not None, both)
        # The product over all items does not depend on k if both sides are tilted alike.
        self.one_product = ratio.weight1 == ratio.weight2 and first.p is others.p
        self.additive = self.one_product and ratio.base[1] == 0.0 and self.wanted == (False, True, False, False)
        self.need_first = ratio.of_first is not None or both
        self.need_others = ratio.of_others is not None or both

    def sums(self, exponentials: ExponentialSum) -> Floats:
        """Compute the sums, (4, n + 1); rows that the ratio does not need stay 0. O(n Q)."""
        x = exponentials.nodes[:, np.newaxis]
        result = np.zeros((4, self.n + 1))
        if x.size == 0:
            return result
        y1, y2 = x * self.ratio.weight1, x * self.ratio.weight2
        with np.errstate(divide="ignore", invalid="ignore", under="ignore"):
            after, log_after = self._totals_after(y2)
            before, log_before = np.zeros_like(x), np.zeros_like(x)
            log_weights = np.log(exponentials.weights)[:, np.newaxis]
            if self.additive:
                result[1] = self._additive(y1, np.exp(log_weights - x * self.ratio.base[0] + log_after[:, -1:]))
                return result
            for chunk, start in enumerate(self.starts):
                stop = min(start + _CHUNK, self.n)
                span, k = slice(start, stop), np.arange(start, stop + 1)
                tilted1 = _Tilt(self.first, span, y1)
                tilted2 = tilted1 if self.one_product else _Tilt(self.others, span, y2)
                exponent = log_weights - x * (self.ratio.base[0] + self.ratio.base[1] * k)
                if self.one_product:
                    exponent = exponent + log_after[:, -1:]
                else:
                    logs1 = _prefix(tilted1.logs(), log_before)
                    exponent += logs1
                    exponent += _suffix(tilted2.logs(), log_after[:, chunk, np.newaxis])
                    log_before = logs1[:, -1:]
                terms = np.exp(exponent, out=exponent)
                first = others = np.zeros(())
                if self.need_first:
                    first = _prefix(tilted1.means(), before)
                    before = first[:, -1:].copy()
                if self.need_others:
                    others = _suffix(tilted2.means(), after[:, chunk, np.newaxis])
                self._add(result[:, start : stop + 1], terms, first, others)
        return result

    def _additive(self, y: Floats, weights: Floats) -> Floats:
        """Sum the amounts of all items, (n + 1,), for a denominator that does not depend on k."""
        sums = np.zeros(self.n + 1)
        for start in self.starts:
            stop = min(start + _CHUNK, self.n)
            amounts = weights.T @ _Tilt(self.first, slice(start, stop), y).means()
            sums[start : stop + 1] = _prefix(amounts, sums[start : start + 1, np.newaxis])
        return sums

    def _add(self, result: Floats, terms: Floats, first: Floats, others: Floats) -> None:
        constant, of_first, of_others, of_both = self.wanted
        if constant:
            result[0] = terms.sum(axis=0)
        if of_others:
            result[2] = np.einsum("qk,qk->k", terms, others)
        if of_first or of_both:
            terms = np.multiply(terms, first, out=terms)
        if of_first:
            result[1] = terms.sum(axis=0)
        if of_both:
            result[3] = np.einsum("qk,qk->k", terms, others)

    def _totals_after(self, y: Floats) -> tuple[Floats, Floats]:
        """Compute for each chunk tilted mean and log product of later items, (Q, chunks).

        The log product has one more column, for all items.
        """
        chunks = len(self.starts)
        means, logs = np.zeros((y.size, chunks + 1)), np.zeros((y.size, chunks + 1))
        for chunk, start in enumerate(self.starts):
            tilted = _Tilt(self.others, slice(start, min(start + _CHUNK, self.n)), y)
            logs[:, chunk] = tilted.logs().sum(axis=1)
            if self.need_others:
                means[:, chunk] = tilted.means().sum(axis=1)
        from_here = [np.cumsum(table[:, ::-1], axis=1)[:, ::-1] for table in (means, logs)]
        return from_here[0][:, 1:], np.concatenate([from_here[1][:, 1:], from_here[1][:, :1]], axis=1)


class _Tilt:
    """Some items with probability p exp(-y) / (1 - p + p exp(-y)) for each y (Q, 1)."""

    def __init__(self, items: _Items, span: slice, y: Floats) -> None:
        self.p, self.rest, self.y = items.p[span], items.rest[span], y
        self.certain = self.rest == 0.0
        self.some_certain = bool(self.certain.any())

    def means(self) -> Floats:
        """Compute the tilted probabilities, (Q, items)."""
        counts = np.multiply(self.p, np.exp(-self.y))
        means = np.divide(counts, self.rest + counts, out=counts)
        if self.some_certain:
            means[:, self.certain] = 1.0
        return means

    def logs(self) -> Floats:
        """Compute log(1 - p + p exp(-y)), (Q, items), to a small relative error."""
        logs = np.log1p(self.p * np.expm1(-self.y))
        # Near p = 1 and for large y log1p would cancel; the sum of two positive terms does not.
        large = self.y[:, 0] > 0.5
        if large.any() and self.p.max() > 0.5:
            direct = np.log(self.rest + self.p * np.exp(-self.y[large]))
            logs[large] = np.where(self.p > 0.5, direct, logs[large])
        if self.some_certain:
            logs[:, self.certain] = -self.y
        return logs


def _prefix(terms: Floats, start: Floats) -> Floats:
    """Add to start (Q, 1) the sums of the first 0..m of `terms` (Q, m)."""
    sums = np.empty((terms.shape[0], terms.shape[1] + 1))
    sums[:, 0] = 0.0
    np.cumsum(terms, axis=1, out=sums[:, 1:])
    sums += start
    return sums


def _suffix(terms: Floats, end: Floats) -> Floats:
    """Add to end (Q, 1) the sums of the last m..0 of `terms` (Q, m)."""
    sums = np.empty((terms.shape[0], terms.shape[1] + 1))
    sums[:, -1] = 0.0
    np.cumsum(terms[:, ::-1], axis=1, out=sums[:, -2::-1])
    sums += end
    return sums


_FORMULAS: MappingProxyType[type[Loss], Callable[[_Items, Any, float], tuple[Floats, float]]] = MappingProxyType(
    {F: _f, type(JACCARD): _jaccard, type(AM): _am, type(G_TP_PR): _g_tp_pr, type(AUC): _auc}
)

NEAR_LINEAR = Method(name="near_linear", growth="n", work=float, takes=has_near_linear_form, run=near_linear)
