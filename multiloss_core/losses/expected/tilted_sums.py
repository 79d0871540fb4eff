"""Sum tilted probabilities and log factors of sorted items for many exponents at once.

Tilted by y, an item of probability p counts with m(p) = p w / (1 - z p), w = exp(-y) and z = 1 - w; its factor of
E exp(-y S) is 1 - z p. Sorted items of a chunk have nearly equal p, so that m and log(1 - z p) have short Chebyshev
series. Then the running sums of a chunk are a product of two thin matrices.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np

from multiloss_core.numerics.arrays import Floats

CHUNK = 4096
_EPS = float(np.finfo(float).eps)
_MAX_DEGREE = 24
# With fewer items in a chunk the preparation of a series takes longer than its terms.
MIN_ITEMS = 256
_TINY = 1e-300


@dataclass(frozen=True, eq=False)
class Items:
    """`p` (n,): sorted probabilities that an item counts; `rest` (n,): 1 - p."""

    p: Floats
    rest: Floats

    @property
    def flipped(self) -> "Items":
        """Count negative labels instead."""
        return Items(self.rest, self.p)


@dataclass(frozen=True, eq=False)
class Running:
    """Running sums (Q, m + 1): `left` (Q, s) times `right` (s, m + 1), or `right` alone."""

    left: Floats | None
    right: Floats

    def full(self) -> Floats:
        """Return the sums, (Q, m + 1)."""
        return self.right if self.left is None else self.left @ self.right

    @property
    def last(self) -> Floats:
        """Return the sums of all items, (Q, 1)."""
        return self.right[:, -1:].copy() if self.left is None else self.left @ self.right[:, -1:]

    def weighted(self, terms: Floats) -> Floats:
        """Sum `terms` (Q, m + 1) or (Q, 1) times the sums over all exponents, (m + 1,)."""
        if self.left is None or len(self.left) != len(terms):
            return np.asarray((terms * self.full()).sum(axis=0))
        return np.asarray((self.left.T @ terms * self.right).sum(axis=0))


class Series:
    """Chebyshev series for the chunks of `items` and exponents `y` (Q, 1) >= 0; O(Q n / 4096).

    `degrees` (chunks,): of each series, -1 where there is none whose relative `error` is at most `allowed` for every
    item and exponent. `error` includes rounding. The coefficients follow from the generating functions of the Chebyshev
    polynomials: with t = (1/z - c) / r for a chunk of center c and half width r and u = t - sqrt(t^2 - 1), those of
    1 / (t - x) are 2 u^j / sqrt(t^2 - 1), and those of log(t - x) are -2 u^j / j. What is left out is at most a
    geometric series.
    """

    def __init__(self, items: Items, y: Floats, allowed: float) -> None:
        n = items.p.size
        starts = np.arange(0, n, CHUNK)
        ends = np.minimum(starts + CHUNK, n) - 1
        p, rest = (np.stack([values[starts], values[ends]])[:, :, np.newaxis] for values in (items.p, items.rest))
        least, w, z = p.min(axis=0), np.exp(-y.T), -np.expm1(-y.T)
        self.center, self.rest_center = p.mean(axis=0), rest.mean(axis=0)
        # The smaller one of p and 1 - p has the smaller rounding error.
        self.half = np.where(self.center < 0.5, np.ptp(p, axis=0), np.ptp(rest, axis=0)) / 2.0
        middle = self.rest_center + self.center * w
        lowest, highest = rest.min(axis=0) + p.max(axis=0) * w, rest.max(axis=0) + least * w
        root = np.sqrt(lowest * highest)
        by_z = self.half / (middle + root)
        self.u = z * by_z
        self.mean_1 = 2.0 * w * by_z / root
        self.mean_0 = self.center * w / middle + self.mean_1 * self.u / (1.0 + self.u**2)
        shrunk = z * self.center
        self.log_0 = np.where(shrunk < 0.5, np.log1p(-shrunk), np.log(middle)) - np.log1p(self.u**2)
        smallest_mean, smallest_log, others = least * w / highest, z * least, 1.0 - self.u
        sizes = np.fmax(
            (self.mean_0 + self.mean_1 / others) / smallest_mean, (2.0 * self.u / others - self.log_0) / smallest_log
        )
        tails = np.fmax(self.mean_1 / smallest_mean, 2.0 * by_z / least) / others
        flat = self.half == 0.0
        rounding = _EPS * (CHUNK + _MAX_DEGREE**2) * np.where(flat, 1.0, sizes)
        tails = np.where(flat, _TINY, np.fmax(tails, _TINY))
        steps = np.log(2.0 * tails / allowed) / -np.log(np.maximum(self.u, _TINY))
        degrees = np.ceil(steps).max(axis=1).clip(min=0.0)
        usable = (degrees <= _MAX_DEGREE) & (rounding.max(axis=1) <= allowed / 2.0) & (ends - starts >= MIN_ITEMS)
        usable &= rest.min(axis=0)[:, 0] > 0.0
        self.degrees = np.where(usable, degrees, -1.0).astype(int)
        self.error = float(np.where(usable, allowed / 2.0 + rounding.max(axis=1), 0.0).max())

    def means(self, chunk: int) -> Floats:
        """Return the coefficients of the tilted probabilities, (Q, degree + 1)."""
        return np.vstack([self.mean_0[chunk], self.mean_1[chunk] * self._powers(chunk)[:-1]]).T

    def logs(self, chunk: int) -> Floats:
        """Return the coefficients of the log factors, (Q, degree + 1)."""
        powers = self._powers(chunk)[1:]
        return np.vstack([self.log_0[chunk], powers * (-2.0 / np.arange(1, len(powers) + 1)[:, np.newaxis])]).T

    def _powers(self, chunk: int) -> Floats:
        return self.u[chunk] ** np.arange(self.degrees[chunk] + 1)[:, np.newaxis]


class Tilt:
    """The items of one chunk, tilted by each y (Q, 1): running sums of `means` or `logs`."""

    def __init__(self, items: Items, y: Floats, series: Series | None, chunk: int) -> None:
        span = slice(chunk * CHUNK, (chunk + 1) * CHUNK)
        self.p, self.rest, self.y, self.chunk = items.p[span], items.rest[span], y, chunk
        self.series = series if series is not None and series.degrees[chunk] >= 0 else None

    def prefix(self, name: str, start: Floats) -> Running:
        """Add to start (Q, 1) the sums of the first 0..m items."""
        return self._running(name, start, slice(None), slice(1, None))

    def suffix(self, name: str, end: Floats) -> Running:
        """Add to end (Q, 1) the sums of the last m..0 items."""
        return self._running(name, end, slice(None, None, -1), slice(-2, None, -1))

    def total(self, name: str) -> Floats:
        """Sum over all items, (Q, 1)."""
        if self.series is None:
            return self._direct(name).sum(axis=1, keepdims=True)
        return self._coefficients(name) @ self._polynomials.sum(axis=1, keepdims=True)

    def _running(self, name: str, start: Floats, order: slice, out: slice) -> Running:
        terms = self._direct(name) if self.series is None else self._polynomials
        more = 0 if self.series is None else 1
        sums = np.zeros((len(terms) + more, terms.shape[1] + 1))
        np.cumsum(terms[:, order], axis=1, out=sums[more:, out])
        if self.series is None:
            sums += start
            return Running(None, sums)
        sums[0] = 1.0
        return Running(np.hstack([start, self._coefficients(name)]), sums)

    def _coefficients(self, name: str) -> Floats:
        series = cast(Series, self.series)
        return series.means(self.chunk) if name == "means" else series.logs(self.chunk)

    @cached_property
    def _polynomials(self) -> Floats:
        """Evaluate T_0..T_degree at the items, (degree + 1, items)."""
        series = cast(Series, self.series)
        center, half = series.center[self.chunk], series.half[self.chunk]
        offsets = self.p - center if center < 0.5 else series.rest_center[self.chunk] - self.rest
        x = offsets / half if half > 0.0 else np.zeros(self.p.size)
        table = np.ones((series.degrees[self.chunk] + 1, self.p.size))
        if len(table) > 1:
            table[1] = x
        for j in range(2, len(table)):
            np.multiply(table[j - 1], 2.0 * x, out=table[j])
            table[j] -= table[j - 2]
        return table

    def _direct(self, name: str) -> Floats:
        certain = self.rest == 0.0
        if name == "means":
            counts = np.multiply(self.p, np.exp(-self.y))
            values, of_certain = np.divide(counts, self.rest + counts, out=counts), np.ones_like(self.y)
        else:
            values, of_certain = self._logs(), -self.y
        if certain.any():
            values[:, certain] = of_certain
        return values

    def _logs(self) -> Floats:
        """Compute log(1 - p + p exp(-y)), (Q, items), to a small relative error."""
        logs = np.log1p(self.p * np.expm1(-self.y))
        # Near p = 1 and for large y log1p would cancel; the sum of two positive terms does not.
        large = self.y[:, 0] > 0.5
        if large.any() and self.p.max() > 0.5:
            direct = np.log(self.rest + self.p * np.exp(-self.y[large]))
            logs[large] = np.where(self.p > 0.5, direct, logs[large])
        return logs
