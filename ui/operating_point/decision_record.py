"""A point of the screen as a decision record: the data it rests on, how it was found, what it is expected to do."""

import numpy as np

from multiloss_core import DecisionRecord, OperatingPoint, Unit
from multiloss_core.decisions import (
    SET_BY_HAND,
    CurrentThresholds,
    ExpectedCounts,
    RecordedColumns,
    RecordedData,
    RecordedSettings,
    RecordedTarget,
    Wish,
    data_fingerprint,
    recorded_thresholds,
)
from multiloss_core.generalisation import PointBootstrap, PointIntervals
from multiloss_core.numerics import Floats
from multiloss_core.thresholds import Point, RatedData, Rule
from ui.data.rated_datasets import ColumnChoice, RatedSource
from ui.operating_point.analysis import Analysis

MARGINAL_PRECISION = "marginal precision"
GUARANTEED, CONFIDENCE = "guaranteed precision", "confidence of the guarantee"


def record_of(
    analysis: Analysis,
    point: Point,
    source: RatedSource,
    choice: ColumnChoice,
    *,
    target: RecordedTarget | None = None,
    evidence: PointBootstrap | None = None,
    current: Floats | None = None,
    author: str = "",
    reason: str = "",
) -> DecisionRecord:
    """Make the record of a point of an analysis, whose data are `source` under `choice`.

    `target`: what drove the point, the marginal precision or the hand where it is left out. `evidence`: resamples, used
    where they are complete and of this very point. `current`: the thresholds (k,) in use.

    Raises
    ------
    DataError : a name or text that no record can keep.
    """
    data, settings = analysis.dataset.source, analysis.settings
    columns = recorded_columns(data, choice)
    positives = point.rated.tp, point.reachable.tp
    return DecisionRecord(
        author=author,
        reason=reason,
        data=RecordedData(
            source.name,
            data_fingerprint(source.fingerprint, columns),
            None if data.documents is None else data.documents.funnel,
            analysis.rated.source.totals.alerts,
            analysis.rated.days,
        ),
        columns=columns,
        settings=RecordedSettings(
            settings.rule,
            point.method,
            settings.spacing,
            settings.resolution,
            choice.amount if settings.unit is Unit.MONEY else None,
        ),
        target=target or target_of(analysis, point),
        thresholds=recorded_thresholds(analysis.deployable(point)),
        expected=ExpectedCounts.of(point.tp, point.fp, _intervals(point, evidence), positives=positives),
        current=None if current is None else _recorded_current(data, current, settings.rule),
    )


def recorded_columns(data: RatedData, choice: ColumnChoice) -> RecordedColumns:
    """Record what the columns mean, with the floors that are in force."""
    floors = tuple(data.floors.tolist())
    if data.documents is None:
        return RecordedColumns(data.names, floors)
    return RecordedColumns(
        data.names,
        floors,
        choice.rating,
        choice.positive,
        choice.weight,
        choice.group,
        choice.leave_out_unusable,
        # Two ratings are told by the positive one alone.
        None if choice.positive else {rating: meaning for rating, meaning in choice.meanings if meaning} or None,
    )


def target_of(analysis: Analysis, point: Point) -> RecordedTarget:
    """Record what led to a point where only the slider or the hand did, and the certificate of its path."""
    if not isinstance(point, OperatingPoint):
        return RecordedTarget(SET_BY_HAND)
    wishes = (Wish(MARGINAL_PRECISION, point.marginal_precision), *certificate_wishes(analysis, point))
    return RecordedTarget(MARGINAL_PRECISION, wishes, point.marginal_precision, point.status)


def certificate_wishes(analysis: Analysis, point: Point) -> tuple[Wish, ...]:
    """Return what was certified of the path that a point lies on, if anything was."""
    certificate = analysis.certificate
    if certificate is None or certificate.path is None or certificate.path.method != point.method:
        return ()
    return Wish(GUARANTEED, certificate.precision), Wish(CONFIDENCE, certificate.confidence)


def _intervals(point: Point, evidence: PointBootstrap | None) -> PointIntervals | None:
    """Return what is expected on new data, where the resamples are complete and of this very point."""
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


def _recorded_current(data: RatedData, thresholds: Floats, rule: Rule) -> CurrentThresholds:
    counts = data.counts_at(thresholds, rule)
    return CurrentThresholds(recorded_thresholds(thresholds), counts.tp, counts.fp)
