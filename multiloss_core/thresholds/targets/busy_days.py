"""Count the days on which thresholds flag more alerts than a cap allows."""

from dataclasses import dataclass

import numpy as np
from scipy.special import pdtrc

from multiloss_core.errors import DataError
from multiloss_core.numerics.arrays import Bools, Floats, Indices, rounding_tolerance, sums
from multiloss_core.thresholds.data.counts import Rule, flagged, turning_points
from multiloss_core.thresholds.data.grid_counts import counts_at_nodes

NINE_OF_TEN = 0.9


@dataclass(frozen=True, eq=False, kw_only=True)
class DailyCap:
    """At most `most` alerts (weight) on this share of the days, in (0, 1].

    `day` (n + u,) is the calendar day, counted from 0, of each rated and then of each undecided document; `days` is
    their number, including days without documents. `levels` (days,): the alerts of each day for one of a day to come,
    where they follow a trend; the cap is one of days to come.

    Raises DataError: a share outside (0, 1], or a day outside 0 to `days` - 1.
    """

    day: Indices
    days: int
    most: float
    share: float = NINE_OF_TEN
    levels: Floats | None = None

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            raise DataError(f"The share of the days must be above 0 and at most 1, not {self.share:g}.")
        if self.day.size and not (self.day.min() >= 0 and self.day.max() < self.days):
            raise DataError(f"The documents are of days outside 0 to {self.days - 1:,}.")

    @property
    def busy_allowed(self) -> int:
        """Return how many days may exceed the cap so that a new one does by 1 - share at most.

        A new day is equally likely to have any rank among n + 1 days: one less than (1 - share) (n + 1) days.
        """
        return max(int(np.floor((1 - self.share) * (self.days + 1) + 1e-9)) - 1, 0)

    def max_total(self, weights: Floats) -> float:
        """Bound the total number of alerts, if alerts fell on the days by chance like all documents.

        The best of many thresholds that keep the cap on past days do so partly by luck; this bound excludes luck. It
        models the alerts of each day as a Poisson number, treats documents of `weights` (n + u,) as fewer ones of equal
        weight, and allows the mean probability of exceeding the cap that `share` allows.
        """
        unit = float(np.square(weights).sum() / weights.sum())
        volume = sums(self.day, self.to_come(weights), self.days) / weights.sum()

        def too_often(alerts: float) -> bool:
            chances = pdtrc(np.floor(self.most / unit + 1e-9), alerts / unit * volume)
            return bool(chances.mean() > 1 - self.share)

        low, high = 0.0, float(weights.sum())
        if not too_often(high):
            return high
        while high - low > 1e-6 * high:
            middle = (low + high) / 2
            low, high = (low, middle) if too_often(middle) else (middle, high)
        return low

    def to_come(self, weights: Floats) -> Floats:
        """Scale the weights of the documents to days to come."""
        return weights if self.levels is None else np.asarray(weights / self.levels[self.day])

    def exceeded(self, alerts: Floats) -> Bools:
        """Return the mask of alerts of a day that exceed the cap."""
        return np.asarray(alerts > self.most + rounding_tolerance(alerts))


def busy_days_at_nodes(cells: Indices, weights: Floats, shape: tuple[int, ...], rule: Rule, cap: DailyCap) -> Indices:
    """Count busy days at every node of a grid; `cells` (n, k): nodes at or below a score.

    Time O(n + days N) for N nodes; days that are not busy even at the first node cost nothing.
    """
    weights = cap.to_come(weights)
    reached = (cells > 0).any(axis=1) if rule == "any" else (cells > 0).all(axis=1)
    open_days = np.flatnonzero(cap.exceeded(sums(cap.day, weights * reached, cap.days)))
    busy = np.zeros(int(np.prod(shape)), dtype=np.intp)
    order = np.argsort(cap.day, kind="stable")
    ends = np.searchsorted(cap.day[order], [open_days, open_days + 1])
    for start, end in ends.T:
        rows = order[start:end]
        busy += cap.exceeded(counts_at_nodes(cells[rows], weights[rows], shape, rule).ravel())
    return busy


def busy_days_along(scores: Floats, weights: Floats, thresholds: Floats, rule: Rule, cap: DailyCap) -> Indices:
    """Count busy days at thresholds (m, k), for scores (n, k) and weights (n,).

    Time O(n k log m + days m) where thresholds never fall from one row to the next, elsewhere O(n k m).
    """
    count, weights = len(thresholds), cap.to_come(weights)
    if (thresholds[1:] >= thresholds[:-1]).all():
        turning = turning_points(scores, thresholds, rule)
        slots = cap.day * (count + 1) + turning
        at_turning = sums(slots, weights, cap.days * (count + 1)).reshape(cap.days, count + 1)
        alerts = np.cumsum(at_turning[:, ::-1], axis=1)[:, ::-1][:, 1:]
        return np.asarray(cap.exceeded(alerts).sum(axis=0))
    by_day = (sums(cap.day, weights * flagged(scores, row, rule), cap.days) for row in thresholds)
    return np.array([int(cap.exceeded(alerts).sum()) for alerts in by_day], dtype=np.intp)
