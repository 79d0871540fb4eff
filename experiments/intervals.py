"""Compute intervals: over test items drawn again, or over draws of the split."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from multiloss_core.numerics.arrays import Bools, Floats

LEVEL = 0.95
# Bounds of a share, and of a difference of two.
SHARE, DIFFERENCE = (0.0, 1.0), (-1.0, 1.0)
# Rows of the matrix of weights held at a time: 256 x 30,000 items x 4 bytes are 30 MB.
AT_A_TIME = 256


@dataclass(frozen=True)
class Interval:
    """A mean and the ends of its 95 % interval; NaN ends for a single draw."""

    mean: float
    low: float
    high: float


def t_interval(values: ArrayLike, bounds: tuple[float, float], further: int | None = None) -> Interval:
    """Compute the mean and t interval of independent draws (n,) or paired differences.

    The ends are cut to `bounds`, the least and largest value possible, which costs no coverage. `further`: for the mean
    of this number of new draws; by default for the expected value.
    """
    drawn = np.asarray(values, dtype=np.float64)
    mean = float(drawn.mean())
    if drawn.size < 2:
        return Interval(mean, float("nan"), float("nan"))
    variance = float(drawn.var(ddof=1)) * (1 / drawn.size + (1 / further if further else 0.0))
    half = float(stats.t.ppf((1.0 + LEVEL) / 2.0, drawn.size - 1)) * variance**0.5
    return Interval(mean, max(mean - half, bounds[0]), min(mean + half, bounds[1]))


def percentile_interval(value: float, resampled: ArrayLike) -> Interval:
    """Put the percentile interval of bootstrap values (draws,) around the value itself."""
    low, high = np.quantile(np.asarray(resampled), [(1.0 - LEVEL) / 2.0, (1.0 + LEVEL) / 2.0])
    return Interval(value, float(low), float(high))


@dataclass(frozen=True, eq=False)
class ResampledShares:
    """Shares of true positives `u`, predicted positives `v`, positives `p`, each (draws, m)."""

    u: Floats
    v: Floats
    p: Floats


def resampled_shares(flagged: Bools, labels: Bools, *, draws: int, generator: np.random.Generator) -> ResampledShares:
    """Count m predictions `flagged` (n, m) against `labels` (n, m) on paired bootstrap samples.

    Every column, whatever class and method it stands for, meets the same samples: one draw is one row of multinomial
    weights, and all counts come from one matrix product. O(draws n m).
    """
    n, m = flagged.shape
    # Sums of whole numbers below 2^24 are exact in 32 bits.
    columns = np.concatenate([flagged & labels, flagged, labels], axis=1).astype(np.float32)
    counts = np.concatenate([weights @ columns for weights in _bootstrap_weights(n, draws, generator)])
    u, v, p = (counts[:, part * m : (part + 1) * m] / float(n) for part in range(3))
    return ResampledShares(u.astype(np.float64), v.astype(np.float64), p.astype(np.float64))


def _bootstrap_weights(n: int, draws: int, generator: np.random.Generator) -> Iterator[Floats]:
    chances = np.full(n, 1.0 / n)
    for first in range(0, draws, AT_A_TIME):
        yield generator.multinomial(n, chances, size=min(AT_A_TIME, draws - first)).astype(np.float32)
