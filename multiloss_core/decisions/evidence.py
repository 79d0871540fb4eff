"""Record evidence on thresholds: money, days, weeks, segments and changes."""

from dataclasses import field
from typing import Annotated

from pydantic import Field

from multiloss_core.decisions.validation import Count, Name, Share, recorded

MAX_WEEKS, MAX_SEGMENTS = 160, 20
DAY = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"


@recorded
class RecordedAlerts:
    """Alerts of a subset: dropped or added against the current thresholds, a week, a segment."""

    tp: Count
    fp: Count
    low: Share | None = None
    """Lower bound of the precision, 95 %; null where there is none."""
    high: Share | None = None
    undecided: Count = 0.0
    """Alerts without a decision, which are neither TP nor FP."""


@recorded
class RecordedWeek(RecordedAlerts):
    """The alerts of one week."""

    monday: Annotated[str, Field(pattern=DAY)] = field(kw_only=True)
    """Its first day, 2026-01-26."""
    complete: bool = True
    """Whether the data cover it from Monday to Sunday."""


@recorded
class RecordedSegment(RecordedAlerts):
    """The alerts of one segment."""

    name: Name = field(kw_only=True)


@recorded
class RecordedDays:
    """Alerts per day, undecided ones included: the mean, and the bounds of eight of ten days."""

    mean: Count
    low: Count
    high: Count


@recorded
class RecordedUnit:
    """TP and FP in the other unit: money or documents."""

    tp: Count
    fp: Count
    current_tp: Count | None = None
    current_fp: Count | None = None


@recorded
class RecordedChance:
    """95 % bounds of the counts at these thresholds, without the uncertainty of their selection."""

    tp: tuple[Count, Count]
    fp: tuple[Count, Count]
    precision: tuple[Share, Share] | None = None
    """Null where nothing is flagged."""


@recorded
class RecordedEvidence:
    """Further evidence at the time of the decision, not part of the fingerprint of the data."""

    amount: Name | None = None
    """Column of the amounts; null where there is none, as for the next two."""
    time: Name | None = None
    segment: Name | None = None
    undecided: Count = 0.0
    """Undecided alerts at the thresholds: neither TP nor FP."""
    current_undecided: Count | None = None
    """The same at the current thresholds; null where none are known."""
    chance: RecordedChance | None = None
    """Null where the record holds what is expected on new data, or documents are not known."""
    other_unit: RecordedUnit | None = None
    days: RecordedDays | None = None
    dropped: RecordedAlerts | None = None
    """Documents flagged by the current thresholds only; null without current thresholds."""
    added: RecordedAlerts | None = None
    """Documents that these thresholds flag and the current ones do not."""
    weeks: Annotated[tuple[RecordedWeek, ...], Field(max_length=MAX_WEEKS)] = ()
    """The latest weeks, the first of them first."""
    incomplete_from: Annotated[str, Field(pattern=DAY)] | None = None
    """Monday of the first week whose ratings are incomplete; null where there is none."""
    segments: Annotated[tuple[RecordedSegment, ...], Field(max_length=MAX_SEGMENTS)] = ()
    """Most alerts first; the last one holds the others where there are many."""
