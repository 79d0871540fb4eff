"""Make a decision record from a point, its data and its evidence."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from multiloss_core.datasets.rated import RatedDataset
from multiloss_core.decisions.audits import RecordedAudit
from multiloss_core.decisions.evidence import RecordedEvidence
from multiloss_core.decisions.finding_evidence import evidence_of
from multiloss_core.decisions.record import DecisionRecord, data_fingerprint, recorded_thresholds
from multiloss_core.decisions.record_fields import (
    SET_MANUALLY,
    CurrentThresholds,
    ExpectedCounts,
    GoalValue,
    RecordedAlertRule,
    RecordedBlock,
    RecordedColumns,
    RecordedData,
    RecordedSettings,
    RecordedTarget,
)
from multiloss_core.decisions.segments import (
    FlaggedDocuments,
    RecordedGain,
    RecordedSegments,
    SegmentThresholds,
    flagged_documents,
    segment_kind,
)
from multiloss_core.errors import DataError
from multiloss_core.formatting import HAS
from multiloss_core.generalisation.new_data_intervals import PointBootstrap, PointIntervals
from multiloss_core.inspection.periods import weekly_counts
from multiloss_core.numerics.arrays import Floats
from multiloss_core.segments import SegmentPaths, SegmentPoints
from multiloss_core.tables.column_meanings import ColumnMeanings
from multiloss_core.tables.column_values import BLANK, base_of
from multiloss_core.tables.rating_column import Meaning, guess_meanings
from multiloss_core.thresholds.data.counts import Counts, Rule
from multiloss_core.thresholds.data.rated_counts import RatedCounts
from multiloss_core.thresholds.data.rated_data import RatedData
from multiloss_core.thresholds.data.undecided_documents import DataFunnel
from multiloss_core.thresholds.paths.methods import RESOLUTIONS
from multiloss_core.thresholds.paths.operating_point import OperatingPoint, Point
from multiloss_core.thresholds.paths.smooth.smooth_fit import SmoothFit

MARGINAL_PRECISION = "marginal precision"


def record_of(
    point: Point,
    dataset: RatedDataset,
    settings: RecordedSettings | None = None,
    *,
    counted: RatedData | None = None,
    target: RecordedTarget | None = None,
    evidence: PointBootstrap | None = None,
    current: Floats | None = None,
    block: RecordedBlock | None = None,
    segments: RecordedSegments | None = None,
    segment_counts: Counts[float] | None = None,
    audit: RecordedAudit | None = None,
    fit: SmoothFit | None = None,
    author: str = "",
    reason: str = "",
) -> DecisionRecord:
    """Make the record of a point on data as they were rated.

    `settings`: those of the search for the path, by default of the default path at its usual resolution.
    `counted`: the data that the path was found on where these differ, as for counts of money. `target`: the goal that
    led to the point, by default its marginal precision or the hand. `evidence`: resamples, used where they are complete
    and of this point. `current`: the current thresholds (k,), infinity for never. `block`: the upper of two cuts.
    `segments`: thresholds of their own for some segments, in the place of the point's: the counts are then those of
    both, and `evidence` is that of `flagged_documents` at them. `segment_counts`: what both flag in all segments
    together, needed where documents were counted in an engine; `evidence` is then that of `bootstrap_flagged`.
    `audit`: a random audit and its estimates at the thresholds. `fit`: what the path rests on.

    Raises DataError: a name or text that no record can keep, or segments of a table of counts.

    Examples
    --------
    >>> import pandas as pd
    >>> from multiloss_core import operating_point, read_rated, smooth_path
    >>> from multiloss_core.decisions import record_of
    >>> table = pd.DataFrame({"model": [0.9, 0.8, 0.7, 0.6], "rating": ["fraud", "fraud", "ok", "ok"]})
    >>> data = read_rated(table, floors=0.5)
    >>> record = record_of(operating_point(smooth_path(data.documents), 0.5), data, author="Ann")
    >>> record.thresholds
    (0.8,)
    """
    counted = counted or dataset.source
    if settings is None:
        settings = RecordedSettings(point.rule, point.method, "positives", RESOLUTIONS[dataset.source.score_count][1])
    if segments is not None:
        segments = replace(segments, kind=segment_kind(segments.cells(dataset.frame)))
    columns = recorded_columns(dataset, counted)
    thresholds = dataset.source.round_thresholds(point.thresholds)
    positives = point.rated.tp, point.reachable.tp
    is_ready = counted.documents is None and segment_counts is not None
    at = None if is_ready else _at_segments(counted, dataset, thresholds, settings.rule, segments, current)
    by_segment = segment_counts if at is None else at.documents.counts_at(at.thresholds, at.rule)
    if segments is None or by_segment is None:
        expected = ExpectedCounts.of(point.tp, point.fp, intervals_of(point, evidence), positives=positives)
    else:
        expected = ExpectedCounts.of(
            by_segment.tp, by_segment.fp, _intervals_at(by_segment, evidence), positives=positives
        )
    return DecisionRecord(
        author=author,
        reason=reason,
        data=RecordedData(
            dataset.name,
            data_fingerprint(dataset.fingerprint, columns),
            funnel_of(counted),
            dataset.source.totals.alerts,
            dataset.days,
            late_from=None if dataset.late_ratings is None else dataset.late_ratings.monday,
            half_life=None if fit is None or fit.age_weights is None else fit.age_weights.half_life,
            **({} if fit is None else _earlier_files(dataset, fit)),
            **dataset.origin,
        ),
        columns=columns,
        settings=settings,
        target=target or target_of_point(point),
        thresholds=recorded_thresholds(thresholds),
        expected=expected,
        current=None if current is None else _recorded_current(counted, current, settings.rule),
        block=block,
        segments=segments,
        audit=audit,
        evidence=_evidence_for_comparison(counted, dataset, thresholds, settings, current, at),
    )


def _earlier_files(dataset: RatedDataset, fit: SmoothFit) -> dict[str, Any]:
    """Return names and half-life of earlier files as fields of `RecordedData`."""
    if fit.earlier_weights is None:
        return {}
    names = tuple(name for name, _ in dataset.earlier)
    return {"earlier": names, "earlier_half_life": fit.earlier_weights.half_life}


def recorded_segments(
    column: str, paths: SegmentPaths, points: SegmentPoints, rounded: Callable[[Floats], Floats]
) -> RecordedSegments | None:
    """Record the own thresholds of segments where they are proposed; None for the common ones.

    `rounded` shortens thresholds (k,) so that they flag the same documents.
    """
    if points.proposed == "common":
        return None
    gain = points.held_out_gain
    return RecordedSegments(
        column,
        tuple(
            SegmentThresholds(values, recorded_thresholds(rounded(point.thresholds)), point.tp, point.fp)
            for values, point in zip(paths.members, points.own, strict=True)
        ),
        gain=RecordedGain(gain.estimate, gain.low, gain.high) if np.isfinite([gain.low, gain.high]).all() else None,
    )


def _at_segments(
    counted: RatedData,
    dataset: RatedDataset,
    thresholds: Floats,
    rule: Rule,
    segments: RecordedSegments | None,
    current: Floats | None,
) -> FlaggedDocuments | None:
    if segments is None:
        return None
    if counted.documents is None:
        raise DataError(
            f"Thresholds per value of '{segments.column}' need the documents themselves, and only counts are known; "
            "choose a shorter range of dates to load all rows."
        )
    return flagged_documents(counted.documents, dataset.frame, thresholds, rule, segments, current)


def _intervals_at(counts: Counts[float], evidence: PointBootstrap | None) -> PointIntervals | None:
    """Return expected counts of segments if the resamples are complete and of these counts."""
    if evidence is None or evidence.done < evidence.requested or len(evidence.targets) != 1:
        return None
    found = evidence.intervals()
    return found if np.allclose([*found.in_sample], [*counts]) else None


def recorded_columns(dataset: RatedDataset, counted: RatedData | None = None) -> RecordedColumns:
    """Record the meanings of columns with the current floors; for a table of counts only these."""
    data, columns = counted or dataset.source, dataset.columns
    floors = tuple(data.floors.tolist())
    if columns.rating is None:
        return RecordedColumns(data.names, floors)
    return RecordedColumns(
        data.names,
        floors,
        columns.rating,
        columns.only_positive,
        columns.weight,
        columns.group,
        columns.leave_out_unusable,
        columns.known_meanings or None,
        alert_rules=tuple(_alert_rule(dataset.frame, name) for name in columns.alert_rules) or None,
        repeats=columns.repeats,
        combined=columns.combined,
    )


def _alert_rule(frame: pd.DataFrame, name: str) -> RecordedAlertRule:
    column = base_of(frame, name) or name
    word = None if column == name else name.removeprefix(f"{column}{HAS}")
    kind = segment_kind(frame[column]) if column in frame else "number"
    return RecordedAlertRule(name, column, word, "boolean" if kind == "text" and word is None else kind)


def funnel_of(data: RatedData) -> DataFunnel | None:
    """Return the number of rows after each step; None for a table of counts."""
    if isinstance(data, RatedCounts):
        return data.funnel
    return None if data.documents is None else data.documents.funnel


def columns_from_record(recorded: RecordedColumns, frame: pd.DataFrame, words: Sequence[str]) -> ColumnMeanings:
    """Return the columns, meanings and floors of a record for other data.

    `words`: the different ratings of these data, in lower case. Their meanings are recorded or guessed, None where
    neither is certain. Rows are repeats where the data have the recorded identifier.
    """
    known: dict[str, Meaning] = {} if recorded.positive is None else {recorded.positive.strip().lower(): "positive"}
    known |= recorded.meanings or {}
    # Blank cells keep a meaning that they were given.
    words = [*words, BLANK] if BLANK in known and BLANK not in words else words
    known.setdefault(BLANK, "undecided")
    meanings = guess_meanings(words, recorded.rating or "") | {word: known[word] for word in words if word in known}
    repeats = recorded.repeats
    return ColumnMeanings(
        scores=recorded.score_columns,
        alert_rules=recorded.alert_rule_names,
        rating=recorded.rating,
        meanings=tuple(meanings.items()),
        floors=recorded.floors[: recorded.score_count] if recorded.combined is None else recorded.combined.floors,
        combined=recorded.combined,
        weight=recorded.weight,
        group=recorded.group,
        leave_out_unusable=recorded.leave_out_unusable,
        repeats=None if repeats is None or repeats.identifier not in frame.columns else repeats,
    )


def target_of_point(point: Point, goal_values: tuple[GoalValue, ...] = ()) -> RecordedTarget:
    """Record the active goal of a point and the other goal values."""
    if not isinstance(point, OperatingPoint):
        return RecordedTarget(SET_MANUALLY)
    own = GoalValue(MARGINAL_PRECISION, point.marginal_precision)
    return RecordedTarget(MARGINAL_PRECISION, (own, *goal_values), point.marginal_precision, point.status)


def intervals_of(point: Point, evidence: PointBootstrap | None) -> PointIntervals | None:
    """Return expected counts on new data if the resamples are complete and of this point."""
    if evidence is None or evidence.done < evidence.requested:
        return None
    if not isinstance(point, OperatingPoint):
        # Thresholds that were not chosen have no target.
        fixed = np.isnan(evidence.targets).all() and np.array_equal(evidence.thresholds, point.thresholds[np.newaxis])
        return evidence.intervals() if fixed else None
    near = np.flatnonzero(np.isclose(evidence.targets, point.marginal_precision, rtol=0, atol=1e-9))
    if not near.size or not np.array_equal(evidence.thresholds[near[0]], point.thresholds):
        return None
    return evidence.intervals(float(evidence.targets[near[0]]))


def _evidence_for_comparison(
    counted: RatedData,
    dataset: RatedDataset,
    thresholds: Floats,
    settings: RecordedSettings,
    current: Floats | None,
    at: FlaggedDocuments | None,
) -> RecordedEvidence | None:
    """Record the weeks, and the undecided alerts if rows wait for a decision."""
    documents, rule = counted.documents, settings.rule
    if documents is None or settings.amount is not None:
        return None
    if dataset.times is None and documents.funnel.read == documents.funnel.rated:
        return None
    if at is not None:
        documents, thresholds, rule, current = at.documents, at.thresholds, at.rule, at.current
    weeks = None if dataset.times is None else weekly_counts(documents, dataset.calendar, thresholds, rule)
    columns = None, dataset.columns.time, None
    return evidence_of(documents, thresholds, rule, current=current, weeks=weeks, columns=columns)


def _recorded_current(data: RatedData, thresholds: Floats, rule: Rule) -> CurrentThresholds:
    counts = data.counts_at(thresholds, rule)
    return CurrentThresholds(recorded_thresholds(thresholds), counts.tp, counts.fp)
