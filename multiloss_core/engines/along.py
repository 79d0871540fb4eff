"""What a vertex of a path flags by day, segment and part of groups, from the counts of all vertices: look-ups alone."""

import numpy as np

from multiloss_core.engines.questions import PathCounts
from multiloss_core.errors import DataError
from multiloss_core.generalisation import GroupParts
from multiloss_core.inspection import Calendar, DailyAlerts, Segment, WeeklyCounts, calendar
from multiloss_core.inspection.periods import weekly_counts_of_days
from multiloss_core.inspection.segments import segments_of_sums
from multiloss_core.numerics.arrays import Floats, Indices, sums
from multiloss_core.tables.column_values import BLANK
from multiloss_core.tables.time_column import Times
from multiloss_core.thresholds.data.counts import Rule


def calendar_along(counts: PathCounts) -> Calendar:
    """Make the calendar of documents that were counted by day; those without a time are left out.

    Raises
    ------
    DataError : none has a time.
    """
    return calendar(_dated(counts)[1])


def daily_alerts_along(counts: PathCounts, vertex: int) -> DailyAlerts:
    """Alerts per day at a vertex of the path, from counts by day."""
    dated, _ = _dated(counts)
    days = calendar_along(counts)
    return DailyAlerts(days.dates, sums(days.day, counts.weights[dated] * (counts.step[dated] > vertex), days.days))


def weekly_counts_along(counts: PathCounts, vertex: int) -> WeeklyCounts:
    """TP and FP per week at a vertex of the path, from counts by day."""
    dated, _ = _dated(counts)
    days = calendar_along(counts)
    flagged, positive = counts.step[dated] > vertex, counts.positive[dated] == 1
    tp, fp, *squares = (
        sums(days.day, values[dated] * (flagged & kind), days.days)
        for values in (counts.weights, counts.squares)
        for kind in (positive, ~positive)
    )
    return weekly_counts_of_days(days, tp, fp, np.array(squares))


def segment_counts_along(counts: PathCounts, vertex: int) -> tuple[Segment, ...]:
    """Count what a vertex of the path flags in each segment, from counts by segment."""
    names, code = np.unique(_by(counts).astype(str), return_inverse=True)
    flagged = counts.step > vertex
    kind = 4 * code + 2 * flagged + counts.positive
    table: Floats = sums(kind, counts.weights, 4 * len(names)).reshape(len(names), 2, 2)
    shown = [str(name) or BLANK for name in names]
    return segments_of_sums(shown, table, sums(code, counts.squares * flagged, len(names)))


def group_parts_along(counts: PathCounts, thresholds: Floats, rule: Rule) -> GroupParts:
    """Make of counts along a path (m, k), by part of the groups, what intervals take the place of rows.

    Raises
    ------
    DataError : one group only.
    """
    names, part = np.unique(_by(counts).astype(str), return_inverse=True)
    shape = (len(names), len(thresholds) + 1, 2)
    keys = np.ravel_multi_index((part, counts.step, counts.positive), shape)
    weights, squares = (
        sums(keys, values, int(np.prod(shape))).reshape(shape) for values in (counts.weights, counts.squares)
    )
    return GroupParts(thresholds=thresholds, rule=rule, weights=weights, squares=squares)


def _dated(counts: PathCounts) -> tuple[Indices, Times]:
    by = _by(counts)
    dated = np.flatnonzero(~np.isnat(by))
    if not dated.size:
        raise DataError("No document has a time; choose another column of times or none.")
    return dated, np.asarray(by[dated], dtype="datetime64[D]")


def _by(counts: PathCounts) -> "np.ndarray[tuple[int], np.dtype[np.generic]]":
    if counts.by is None:
        raise DataError("The documents were counted along the path only, not by day or segment.")
    return counts.by
