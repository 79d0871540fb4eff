"""Alerts per day and precision per week at fixed thresholds."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from multiloss_core.errors import DataError
from multiloss_core.numerics.arrays import Bools, Floats, Indices, ratio, sums
from multiloss_core.numerics.proportions import share_interval
from multiloss_core.tables.time_column import Times
from multiloss_core.thresholds.data.flagged_counts import Counts, Rule, checked_thresholds, flagged, require_rule
from multiloss_core.thresholds.data.rated_documents import RatedDocuments

DAY = np.timedelta64(1, "D")
# 1970-01-05, the first Monday that NumPy counts days from.
A_MONDAY = np.datetime64(4, "D")
# The quantiles between which eight of ten days lie.
MIDDLE_QUANTILES = (0.1, 0.9)


def days_in_data(times: Times) -> float:
    """How many calendar days there are from the first to the last of times (n,), both included; 0 for none."""
    return float(calendar(times).days) if times.size else 0.0


@dataclass(frozen=True, eq=False)
class Calendar:
    """On which day and in which week each of n documents falls; worked out once, whatever is flagged.

    `first` and `last` are the days of the first and the last document; `day` (n,) counts days from the first.
    """

    first: np.datetime64
    last: np.datetime64
    day: Indices

    @property
    def days(self) -> int:
        """The calendar days from the first to the last, also those without a document."""
        return int((self.last - self.first) / DAY) + 1

    @property
    def dates(self) -> Times:
        """Every day (days,), datetime64[D]."""
        return self.first + np.arange(self.days) * DAY

    @property
    def offset(self) -> int:
        """How many days of its week, which starts on a Monday, lie before the first day."""
        return int((self.first - A_MONDAY) / DAY) % 7

    @cached_property
    def week(self) -> Indices:
        """Which of the weeks each document (n,) is in."""
        return (self.day + self.offset) // 7

    @property
    def mondays(self) -> Times:
        """The first day of every week (weeks,) that has a day in the data."""
        weeks = (self.offset + self.days + 6) // 7
        return self.first - self.offset * DAY + np.arange(weeks) * (7 * DAY)

    @property
    def complete(self) -> Bools:
        """Which weeks (weeks,) lie wholly between the first and the last day."""
        return (self.mondays >= self.first) & (self.mondays + 6 * DAY <= self.last)


def calendar(times: Times) -> Calendar:
    """Make the calendar of times (n,), at least one. Time O(n).

    Raises
    ------
    DataError : no times, or something that is none.
    """
    if not times.size or np.isnat(times).any():
        raise DataError("Every document needs a time, and there must be one at least.")
    days = times.astype("datetime64[D]")
    first, last = days.min(), days.max()
    return Calendar(first, last, (days - first).astype(np.intp))


@dataclass(frozen=True, eq=False)
class DailyAlerts:
    """Alerts (weights) on every calendar day (days,) from the first to the last rated document."""

    dates: Times
    alerts: Floats

    @property
    def mean(self) -> float:
        """Alerts on an average day."""
        return float(self.alerts.mean())

    @property
    def median(self) -> float:
        """Half of the days have at most so many."""
        return float(np.median(self.alerts))

    @property
    def most_days(self) -> tuple[float, float]:
        """The 10 % and the 90 % quantile of the days: eight of ten days lie between them."""
        low, high = np.quantile(self.alerts, MIDDLE_QUANTILES)
        return float(low), float(high)

    @property
    def busiest(self) -> tuple[np.datetime64, float]:
        """The first of the days with most alerts, and how many these are."""
        day = int(self.alerts.argmax())
        return self.dates[day], float(self.alerts[day])


def daily_alerts(documents: RatedDocuments, days: Calendar, thresholds: ArrayLike, rule: Rule) -> DailyAlerts:
    """Alerts per day at thresholds (k,), infinity for never. Time O(n k).

    Raises
    ------
    DataError : not one usable threshold for each classifier, or a calendar of other documents.
    """
    positions = _alerts(documents, days, thresholds, rule)
    return DailyAlerts(days.dates, sums(days.day[positions], documents.weights[positions], days.days))


@dataclass(frozen=True, eq=False, kw_only=True)
class WeeklyCounts(Counts[Floats]):
    """TP and FP (weights) of each week (w,), Monday to Sunday; `complete` says which lie wholly within the data.

    `intervals` (2, w) are 95 % Wilson intervals of the precision over as many documents as the weights are worth, NaN
    in a week without alerts. `squares` (3, w) are sums of TP^2, TP FP and FP^2 over the alerts of each week, those
    of one group in one week being one: from them follows how much chance moves a week.
    """

    mondays: Times
    complete: Bools
    intervals: Floats
    squares: Floats


def weekly_counts(documents: RatedDocuments, days: Calendar, thresholds: ArrayLike, rule: Rule) -> WeeklyCounts:
    """TP and FP per week at thresholds (k,), infinity for never.

    Time O(n k).

    Raises
    ------
    DataError : not one usable threshold for each classifier, or a calendar of other documents.
    """
    positions = _alerts(documents, days, thresholds, rule)
    week, labels, weights = days.week[positions], documents.labels[positions], documents.weights[positions]
    mondays = days.mondays
    weeks = len(mondays)
    # Negatives and positives of a week next to each other.
    kind = 2 * week + labels
    fp, tp = sums(kind, weights, 2 * weeks).reshape(weeks, 2).T
    false, true = sums(kind, weights**2, 2 * weeks).reshape(weeks, 2).T
    effective = ratio((tp + fp) ** 2, true + false)
    intervals = share_interval(ratio(tp, tp + fp) * effective, effective)
    groups = documents.groups
    if groups is None:
        # No alert is both true and false.
        squares = np.stack([true, np.zeros(weeks), false])
    else:
        squares = _squares_of_groups(week, groups[positions], labels, weights, weeks)
    return WeeklyCounts(tp, fp, mondays=mondays, complete=days.complete, intervals=intervals, squares=squares)


def _alerts(documents: RatedDocuments, days: Calendar, thresholds: ArrayLike, rule: Rule) -> Indices:
    require_rule(rule)
    if days.day.shape != documents.labels.shape:
        raise DataError(
            f"The calendar is of {days.day.size:,} documents and not of these "
            f"{documents.labels.size:,}; make it of their times."
        )
    return np.flatnonzero(flagged(documents.scores, checked_thresholds(thresholds, documents.names), rule))


def _squares_of_groups(week: Indices, groups: Indices, labels: Bools, weights: Floats, weeks: int) -> Floats:
    """Compute sums of TP^2, TP FP and FP^2 over the groups of each week."""
    distinct = int(groups.max(initial=0)) + 1
    cell, known = pd.factorize(week * distinct + groups)
    fp, tp = sums(2 * cell + labels, weights, 2 * len(known)).reshape(len(known), 2).T
    where = known // distinct
    return np.stack([sums(where, values, weeks) for values in (tp**2, tp * fp, fp**2)])
