"""Compare predicted probabilities with observed outcomes."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtrc

from multiloss_core.errors import DataError
from multiloss_core.numerics.arrays import Bools, Floats, Indices
from multiloss_core.numerics.proportions import share_interval

CONFIDENCE = 0.95
MAX_GROUPS = 20
_ITEMS_PER_GROUP = 100
# Together these two limits raise a false alarm in about one of a hundred files.
_FAR = 3.0
_RARE = 0.01


@dataclass(frozen=True, eq=False)
class Reliability:
    """Groups of items of similar probability, from the lowest to the highest.

    For each group, all of shape (groups,): `promised`, the mean probability; `observed`, the share of positives, with
    its 95 % Wilson interval from `low` to `high`; `items`; `positives`. `spread`: the standard deviation that the
    number of positives among all items would have if the probabilities were right.
    """

    promised: Floats
    observed: Floats
    low: Floats
    high: Floats
    items: Indices
    positives: Indices
    spread: float

    @property
    def expected_positives(self) -> float:
        """Return the number of positives that the probabilities predict."""
        return float(self.promised @ self.items)

    @property
    def observed_positives(self) -> int:
        """Return the observed number of positives."""
        return int(self.positives.sum())

    @property
    def outside(self) -> Bools:
        """Return the mask of groups (groups,) with the predicted probability outside the interval."""
        slack = 1e-9
        return (self.promised < self.low - slack) | (self.promised > self.high + slack)

    @property
    def is_doubtful(self) -> bool:
        """Return whether chance hardly explains the differences, in total or in too many groups."""
        far = abs(self.observed_positives - self.expected_positives) > _FAR * self.spread + 1e-6
        misses = int(self.outside.sum())
        return bool(far or bdtrc(misses - 1, self.items.size, 1.0 - CONFIDENCE) < _RARE)


def reliability(probabilities: ArrayLike, labels: ArrayLike, *, groups: int | None = None) -> Reliability:
    """Compare probabilities with outcomes in groups of about equally many items.

    `probabilities` (n,) in [0, 1], `labels` (n,) bool, n >= 1. Equal probabilities stay in one group, so there may be
    fewer than `groups`; by default one for every 100 items, 1 to 20. Raises DataError without items.
    O(n log n).
    """
    promised, positive = np.asarray(probabilities, dtype=np.float64), np.asarray(labels, dtype=bool)
    if promised.shape != positive.shape or promised.ndim != 1 or not promised.size:
        raise DataError(
            f"{promised.size:,} probabilities and {positive.size:,} labels cannot be compared; give one each."
        )
    wanted = min(max(promised.size // _ITEMS_PER_GROUP, 1), MAX_GROUPS) if groups is None else groups
    order = np.argsort(promised, kind="stable")
    starts = _starts(promised[order], wanted)
    items = np.diff(np.append(starts, promised.size))
    found = np.add.reduceat(positive[order].astype(np.intp), starts)
    low, high = share_interval(found, items, CONFIDENCE)
    return Reliability(
        promised=np.add.reduceat(promised[order], starts) / items,
        observed=found / items,
        low=low,
        high=high,
        items=items,
        positives=found,
        spread=float(np.sqrt(np.sum(promised * (1.0 - promised)))),
    )


def _starts(ascending: Floats, groups: int) -> Indices:
    """Find the start of each group, the first at 0, moved to the start of a run of equal values."""
    evenly = np.linspace(0, ascending.size, max(groups, 1) + 1)[:-1].astype(np.intp)
    return np.unique(np.searchsorted(ascending, ascending[evenly], side="left")).astype(np.intp)
