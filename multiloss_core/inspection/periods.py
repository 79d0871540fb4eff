"""Count alerts per day and precision per week at fixed thresholds."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from multiloss_core.errors import DataError
from multiloss_core.numerics.arrays import Bools, Floats, Indices, ratio, sums
from multiloss_core.numerics.proportions import share_interval
from multiloss_core.tables.time_column import Times
from multiloss_core.thresholds.data.counts import Counts, Rule, checked_thresholds, flagged, require_rule
from multiloss_core.thresholds.data.rated_documents import RatedDocuments

DAY = np.timedelta64(1, "D")
# 1970-01-05, the first Monday that NumPy counts days from.
A_MONDAY = np.datetime64(4, "D")
# Quantiles around the middle eight of ten.
MIDDLE_QUANTILES = (0.1, 0.9)


@dataclass(frozen=True, eq=False)
class Calendar:
    """Day and week of each of n documents, independent of thresholds.

    `first` and `last` are the days of the first and the last document; `day` (n,) counts days from the first, and
    `undecided_day` (u,) does so for undecided documents.
    """

    first: np.datetime64
    last: np.datetime64
    day: Indices
    undecided_day: Indices

    @property
    def days(self) -> int:
        """Count the calendar days from the first to the last, including those without a document."""
        return int((self.last - self.first) / DAY) + 1

    @property
    def dates(self) -> Times:
        """Return every day (days,), datetime64[D]."""
        return self.first + np.arange(self.days) * DAY

    @property
    def offset(self) -> int:
        """Count the days from Monday to the first day."""
        return int((self.first - A_MONDAY) / DAY) % 7

    @cached_property
    def week(self) -> Indices:
        """Return the week number of each document (n,)."""
        return (self.day + self.offset) // 7

    @cached_property
    def undecided_week(self) -> Indices:
        """Return the week number of each undecided document (u,)."""
        return (self.undecided_day + self.offset) // 7

    @property
    def mondays(self) -> Times:
        """Return the Monday of every week (weeks,) with a day in the data."""
        weeks = (self.offset + self.days + 6) // 7
        return self.first - self.offset * DAY + np.arange(weeks) * (7 * DAY)

    @property
    def complete(self) -> Bools:
        """Return the mask of weeks (weeks,) wholly between the first and the last day."""
        return (self.mondays >= self.first) & (self.mondays + 6 * DAY <= self.last)


def calendar(times: Times, undecided: Times | None = None) -> Calendar:
    """Make the calendar of times (n,), n >= 1, and of undecided documents (u,). O(n + u).

    Raises DataError: no times, or missing ones.
    """
    both = times if undecided is None else np.concatenate([times, undecided])
    if not times.size or np.isnat(both).any():
        raise DataError("Every document needs a time, and at least one document is needed.")
    days = both.astype("datetime64[D]")
    first, last = days.min(), days.max()
    day = (days - first).astype(np.intp)
    return Calendar(first, last, day[: times.size], day[times.size :])


@dataclass(frozen=True, eq=False)
class DailyAlerts:
    """Alerts (weights), with undecided ones, on every calendar day (days,) of the data."""

    dates: Times
    alerts: Floats

    @property
    def mean(self) -> float:
        """Return the mean alerts per day."""
        return float(self.alerts.mean())

    @property
    def median(self) -> float:
        """Return the median alerts per day."""
        return float(np.median(self.alerts))

    @property
    def most_days(self) -> tuple[float, float]:
        """Return the 10 % and 90 % quantiles of the days."""
        low, high = np.quantile(self.alerts, MIDDLE_QUANTILES)
        return float(low), float(high)

    @property
    def busiest(self) -> tuple[np.datetime64, float]:
        """Return the first day with the most alerts, and their number."""
        day = int(self.alerts.argmax())
        return self.dates[day], float(self.alerts[day])


def daily_alerts(documents: RatedDocuments, days: Calendar, thresholds: ArrayLike, rule: Rule) -> DailyAlerts:
    """Count alerts per day at thresholds (k,), infinity for never. Time O(n k).

    Raises DataError: not one usable threshold for each classifier, or a calendar of other documents.
    """
    positions, waiting = _alerts(documents, days, thresholds, rule)
    day = np.concatenate([days.day[positions], days.undecided_day[waiting]])
    weights = np.concatenate([documents.weights[positions], documents.undecided.weights[waiting]])
    return DailyAlerts(days.dates, sums(day, weights, days.days))


@dataclass(frozen=True, eq=False, kw_only=True)
class WeeklyCounts(Counts[Floats]):
    """TP and FP (weights) of each week (w,) from Monday; `complete`: weeks within the data.

    `undecided` (w,) is the weight of undecided alerts: `alerts` and `precision` leave them out. `intervals` (2, w) are
    95 % Wilson intervals of the precision over the effective number of documents, NaN in a week without alerts.
    `squares` (3, w) are sums of TP^2, TP FP and FP^2 over the alerts of each week, those of one group in one week being
    one, and `all_squares` (w,) those of (TP + FP + undecided)^2: they give the variance of a week by chance.
    """

    mondays: Times
    complete: Bools
    intervals: Floats
    squares: Floats
    undecided: Floats
    all_squares: Floats

    @property
    def all_alerts(self) -> Floats:
        """Return alerts (w,) with and without a decision."""
        return self.alerts + self.undecided


def weekly_counts(documents: RatedDocuments, days: Calendar, thresholds: ArrayLike, rule: Rule) -> WeeklyCounts:
    """Count TP and FP per week at thresholds (k,), infinity for never. Time O(n k).

    Raises DataError: not one usable threshold for each classifier, or a calendar of other documents.
    """
    positions, waiting = _alerts(documents, days, thresholds, rule)
    week, labels, weights = days.week[positions], documents.labels[positions], documents.weights[positions]
    undecided_week, undecided_weights = days.undecided_week[waiting], documents.undecided.weights[waiting]
    mondays = days.mondays
    weeks = len(mondays)
    # Order: negatives, then positives of each week.
    kind = 2 * week + labels
    fp, tp = sums(kind, weights, 2 * weeks).reshape(weeks, 2).T
    false, true = sums(kind, weights**2, 2 * weeks).reshape(weeks, 2).T
    effective = ratio((tp + fp) ** 2, true + false)
    intervals = share_interval(ratio(tp, tp + fp) * effective, effective)
    # For each group and week: false positives, true positives, undecided.
    kind = np.concatenate([labels, np.full(waiting.size, 2)])
    in_week, weight = np.concatenate([week, undecided_week]), np.concatenate([weights, undecided_weights])
    cell, cell_week = np.arange(in_week.size), in_week
    if documents.groups is not None and documents.undecided.groups is not None:
        group = np.concatenate([documents.groups[positions], documents.undecided.groups[waiting]])
        groups = int(group.max(initial=0)) + 1
        cell, known = pd.factorize(in_week * groups + group)
        cell_week = known // groups
    false_part, true_part, undecided_part = sums(3 * cell + kind, weight, 3 * cell_week.size).reshape(-1, 3).T
    products = (true_part**2, true_part * false_part, false_part**2, (true_part + false_part + undecided_part) ** 2)
    *squares, all_squares = (sums(cell_week, values, weeks) for values in products)
    return WeeklyCounts(
        tp,
        fp,
        mondays=mondays,
        complete=days.complete,
        intervals=intervals,
        squares=np.stack(squares),
        undecided=sums(undecided_week, undecided_weights, weeks),
        all_squares=all_squares,
    )


def weekly_counts_of_days(days: Calendar, tp: Floats, fp: Floats, squares: Floats) -> WeeklyCounts:
    """Count weeks as `weekly_counts`, from daily sums (days,), decided and ungrouped.

    `squares` (2, days): sums of the squared weights of true and of false positives.
    """
    mondays = days.mondays
    week = (np.arange(days.days) + days.offset) // 7
    caught, false, true_squares, false_squares = (sums(week, values, len(mondays)) for values in (tp, fp, *squares))
    effective = ratio((caught + false) ** 2, true_squares + false_squares)
    return WeeklyCounts(
        caught,
        false,
        mondays=mondays,
        complete=days.complete,
        intervals=share_interval(ratio(caught, caught + false) * effective, effective),
        squares=np.stack([true_squares, np.zeros(len(mondays)), false_squares]),
        undecided=np.zeros(len(mondays)),
        all_squares=true_squares + false_squares,
    )


def _alerts(documents: RatedDocuments, days: Calendar, thresholds: ArrayLike, rule: Rule) -> tuple[Indices, Indices]:
    """Find the positions of the rated and of the undecided documents that are flagged."""
    require_rule(rule)
    if (days.day.size, days.undecided_day.size) != (documents.labels.size, len(documents.undecided)):
        raise DataError(
            f"The calendar has {days.day.size:,} rated and {days.undecided_day.size:,} undecided documents, these data "
            f"{documents.labels.size:,} and {len(documents.undecided):,}; make it from their times."
        )
    checked = checked_thresholds(thresholds, documents.names)
    return (
        np.flatnonzero(flagged(documents.scores, checked, rule)),
        np.flatnonzero(documents.undecided.flagged(checked, rule)),
    )
