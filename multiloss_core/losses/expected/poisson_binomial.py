"""Compute Poisson-binomial probabilities of the first items in a window."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from multiloss_core.numerics.arrays import Floats

_TRIM_EVERY = 8


@dataclass(frozen=True, eq=False)
class CountWindow:
    """Probabilities of `first`, `first` + 1, … positives, `chances` (m,).

    Each is at most the true one; together they lack `missing`, rounding left out (relative, about 3e-16 per item).
    """

    first: int
    chances: Floats
    missing: float

    @property
    def counts(self) -> Floats:
        """Return the numbers of positives of `chances`, (m,)."""
        return np.arange(self.first, self.first + self.chances.size, dtype=np.float64)

    def chance(self, count: int) -> float:
        """Return the probability of exactly this count, 0 outside the window."""
        inside = 0 <= count - self.first < self.chances.size
        return float(self.chances[count - self.first]) if inside else 0.0


def count_windows(probabilities: Floats, allowed: float) -> Iterator[CountWindow]:
    """Yield windows of the first 0..n items, each missing at most `allowed`; O(n W) time.

    Convolution only adds positive numbers, so mass left out once stays left out, and its sum is exactly `missing`. W
    grows as the square root of n and of log(n / allowed).
    """
    window = CountWindow(0, np.ones(1), 0.0)
    yield window
    share = allowed * _TRIM_EVERY / probabilities.size
    for done, probability in enumerate(probabilities, start=1):
        window = _with_item(window, probability)
        if done % _TRIM_EVERY == 0:
            window = _trimmed(window, share / 2.0)
        yield window


def _with_item(window: CountWindow, probability: float) -> CountWindow:
    chances = np.zeros(window.chances.size + 1)
    np.multiply(window.chances, 1.0 - probability, out=chances[:-1])
    chances[1:] += window.chances * probability
    return CountWindow(window.first, chances, window.missing)


def _trimmed(window: CountWindow, allowed: float) -> CountWindow:
    """Drop ends of at most `allowed` each."""
    chances = window.chances
    below, above = np.cumsum(chances), np.cumsum(chances[::-1])
    start, end = (int(np.searchsorted(sums, allowed, side="right")) for sums in (below, above))
    dropped = (below[start - 1] if start else 0.0) + (above[end - 1] if end else 0.0)
    return CountWindow(
        window.first + start, chances[start : chances.size - end].copy(), window.missing + float(dropped)
    )
