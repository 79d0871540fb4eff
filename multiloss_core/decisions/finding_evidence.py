"""Find further evidence on thresholds and convert it to record fields."""

import math
from collections.abc import Sequence

import numpy as np

from multiloss_core.decisions.evidence import (
    MAX_SEGMENTS,
    MAX_WEEKS,
    RecordedAlerts,
    RecordedChance,
    RecordedDays,
    RecordedEvidence,
    RecordedSegment,
    RecordedUnit,
    RecordedWeek,
)
from multiloss_core.errors import DataError
from multiloss_core.formatting import Unit
from multiloss_core.generalisation.new_data_intervals import PointIntervals
from multiloss_core.inspection.band_parts import DocumentSubset
from multiloss_core.inspection.comparison import compare
from multiloss_core.inspection.periods import DailyAlerts, WeeklyCounts
from multiloss_core.inspection.segments import Segment, folded
from multiloss_core.numerics.arrays import Floats
from multiloss_core.thresholds.data.counts import Counts, Rule, flagged
from multiloss_core.thresholds.data.rated_data import RatedData
from multiloss_core.thresholds.paths.money import money_at

# The others are folded into one more.
_NAMED_SEGMENTS = MAX_SEGMENTS - 1


def evidence_of(
    data: RatedData,
    thresholds: Floats,
    rule: Rule,
    *,
    unit: Unit = Unit.DOCUMENTS,
    current: Floats | None = None,
    amounts: Floats | None = None,
    intervals: PointIntervals | None = None,
    days: DailyAlerts | None = None,
    weeks: WeeklyCounts | None = None,
    incomplete_from: int | None = None,
    segments: Sequence[Segment] = (),
    columns: tuple[str | None, str | None, str | None] = (None, None, None),
) -> RecordedEvidence:
    """Record the evidence of `data`, counted in documents, for thresholds (k,). Time O(n k).

    `unit`: unit of the record. `current` (k,): the current thresholds. `amounts` (n,): money of each document.
    `intervals`: at these thresholds as if they had been fixed before. `days`, `weeks` and `segments` are those of
    `thresholds`; `incomplete_from` is a position in the weeks. `columns`: names of those with amounts, times and
    segments.

    Raises DataError: thresholds that the data cannot be counted at.
    """
    dropped, added = _between(data, current, thresholds, rule)
    amount, time, segment = columns
    recorded_weeks = [] if weeks is None else _weeks(weeks)
    return RecordedEvidence(
        amount=amount,
        time=time,
        segment=segment,
        undecided=_undecided(data, thresholds, rule),
        current_undecided=None if current is None else _undecided(data, current, rule),
        chance=None if intervals is None else _chance(intervals),
        other_unit=_other_unit(data, thresholds, current, rule, unit, amounts),
        days=None if days is None else RecordedDays(days.mean, *days.most_days),
        dropped=dropped,
        added=added,
        weeks=tuple(recorded_weeks[-MAX_WEEKS:]),
        incomplete_from=None if incomplete_from is None else recorded_weeks[incomplete_from].monday,
        segments=tuple(_segment(found) for found in folded(segments, _NAMED_SEGMENTS)),
    )


def _between(
    data: RatedData, current: Floats | None, thresholds: Floats, rule: Rule
) -> tuple[RecordedAlerts | None, RecordedAlerts | None]:
    if current is None:
        return None, None
    try:
        found = compare(data, current, thresholds, rule)
    except DataError:
        # A table of counts lacks documents below its first nodes.
        return None, None
    return (
        _subset(found.dropped, _undecided_beside(data, current, thresholds, rule)),
        _subset(found.added, _undecided_beside(data, thresholds, current, rule)),
    )


def _undecided_beside(data: RatedData, these: Floats, others: Floats, rule: Rule) -> float:
    """Count the undecided alerts that only the first of two thresholds (k,) flag."""
    if data.documents is None:
        return 0.0
    waiting = data.documents.undecided
    only = flagged(waiting.scores, these, rule) & ~flagged(waiting.scores, others, rule)
    return float(waiting.weights[only].sum())


def _chance(intervals: PointIntervals) -> RecordedChance | None:
    expected = intervals.expected
    tp, fp, precision = ((each.low, each.high) for each in (expected.tp, expected.fp, expected.precision))
    if not np.isfinite([tp, fp]).all():
        return None
    return RecordedChance(_pair(tp), _pair(fp), _pair(precision) if np.isfinite(precision).all() else None)


def _pair(bounds: tuple[float, float]) -> tuple[float, float]:
    return max(float(bounds[0]), 0.0), float(bounds[1])


def _subset(found: DocumentSubset, undecided: float) -> RecordedAlerts:
    return RecordedAlerts(found.tp, found.fp, *_bounds(found.interval), undecided=undecided)


def _undecided(data: RatedData, thresholds: Floats, rule: Rule) -> float:
    documents = data.documents
    if documents is None or not len(documents.undecided):
        return 0.0
    return float(documents.undecided.count_along(np.asarray(thresholds)[np.newaxis], rule)[0])


def _other_unit(
    data: RatedData, thresholds: Floats, current: Floats | None, rule: Rule, unit: Unit, amounts: Floats | None
) -> RecordedUnit | None:
    if unit is Unit.MONEY:
        after = data.counts_at(thresholds, rule)
        before = None if current is None else data.counts_at(current, rule)
    elif amounts is not None and data.documents is not None:
        both = [
            money_at(data.documents, amounts, each[np.newaxis], rule).at(0)
            for each in (thresholds, current)
            if each is not None
        ]
        after, before = both[0], both[1] if len(both) > 1 else None
    else:
        return None
    return _unit(after, before)


def _unit(after: Counts[float], before: Counts[float] | None) -> RecordedUnit:
    current = (None, None) if before is None else (float(before.tp), float(before.fp))
    return RecordedUnit(float(after.tp), float(after.fp), *current)


def _weeks(weeks: WeeklyCounts) -> list[RecordedWeek]:
    columns = zip(weeks.mondays, weeks.complete, weeks.tp, weeks.fp, weeks.undecided, weeks.intervals.T, strict=True)
    return [
        RecordedWeek(
            float(tp),
            float(fp),
            *_bounds((float(interval[0]), float(interval[1]))),
            float(undecided),
            monday=str(monday),
            complete=bool(complete),
        )
        for monday, complete, tp, fp, undecided, interval in columns
    ]


def _segment(found: Segment) -> RecordedSegment:
    # A cell may be blank or of any length.
    name = " ".join(found.name.replace("\0", " ").split())[:300] or "(blank)"
    return RecordedSegment(found.tp, found.fp, *_bounds(found.interval), found.undecided, name=name)


def _bounds(interval: tuple[float, float]) -> tuple[float | None, float | None]:
    low, high = interval
    return (None, None) if math.isnan(low) else (max(low, 0.0), min(high, 1.0))
