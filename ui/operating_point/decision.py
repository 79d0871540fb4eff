"""Build the decision record of a point, with its evidence and charts."""

import math
from dataclasses import replace
from typing import Any

import numpy as np

from multiloss_core import CountSurfaces, DataError, DecisionRecord, OperatingPoint, RatedDocuments, Unit, decisions
from multiloss_core.decisions import (
    GoalValue,
    RecordedEvidence,
    RecordedSettings,
    RecordedTarget,
    evidence_of,
    flagged_documents,
    target_of_point,
)
from multiloss_core.figures import curves_drawing, plane_drawing, space_drawing, surface_drawing
from multiloss_core.formatting import score_name
from multiloss_core.generalisation import PointIntervals, bootstrap_thresholds
from multiloss_core.numerics import Floats
from multiloss_core.thresholds import SMOOTH, Point, Rule
from multiloss_core.thresholds.targets import manual_point
from ui.operating_point.analysis import Analysis
from ui.records import weeks_of
from ui.shared.formatting import vocabulary

GUARANTEED, CONFIDENCE = "guaranteed precision", "confidence of the guarantee"
STAYED = "stay at the current"
# Decisions of earlier versions have this name.
STAYED_BEFORE = "stay at the present"


def record_of(analysis: Analysis, point: Point, **more: Any) -> DecisionRecord:
    """Make the record of a point; `more` as for `multiloss_core.decisions.record_of`.

    Raises
    ------
    DataError : a name or text that no record can keep.
    """
    settings = analysis.settings
    amount = analysis.rated.columns.amount if settings.unit is Unit.MONEY else None
    recorded = RecordedSettings(settings.rule, point.method, settings.spacing, settings.resolution, amount)
    target = more.pop("target", None) or target_of(analysis, point)
    return decisions.record_of(
        point,
        analysis.rated,
        recorded,
        counted=analysis.dataset.source,
        target=target,
        fit=analysis.fit if point.method == SMOOTH.name else None,
        **more,
    )


def target_of(analysis: Analysis, point: Point) -> RecordedTarget:
    """Record how a point was set, its certificate and the thresholds its path stayed at."""
    if not isinstance(point, OperatingPoint):
        return target_of_point(point)
    return target_of_point(point, (*certificate_values(analysis, point), *_stayed_at(analysis, point)))


def _stayed_at(analysis: Analysis, point: Point) -> tuple[GoalValue, ...]:
    """Return the current thresholds that the default path stays at, without never."""
    current = analysis.settings.current if point.method == SMOOTH.name else None
    named = zip(point.names, current or (), strict=current is not None)
    return tuple(GoalValue(f"{STAYED} {name}", value) for name, value in named if math.isfinite(value))


def certificate_values(analysis: Analysis, point: Point) -> tuple[GoalValue, ...]:
    """Return what was certified of the path that a point lies on, if anything was."""
    certificate = analysis.certificate
    if certificate is None or certificate.path is None or certificate.path.method != point.method:
        return ()
    return GoalValue(GUARANTEED, certificate.precision), GoalValue(CONFIDENCE, certificate.confidence)


def drawings_of(record: DecisionRecord, analysis: Analysis, point: Point, pair: tuple[int, int]) -> dict[str, str]:
    """Draw the charts by title, the first two for page one; one classifier has no surfaces."""
    path, unit = analysis.path(point.method), analysis.settings.unit
    words = vocabulary()
    present = _present(record, analysis, point)
    plane = plane_drawing(path, point, present, unit=unit, vocabulary=words)
    if len(path.names) == 1:
        only = score_name(path.names[0])
        return {
            "True against false positives": plane,
            f"Counts against the threshold of {only}": curves_drawing(path, point, present),
            **weeks_of(record),
        }
    surfaces = analysis.sliced(point, pair)
    titles = {"tp": "True positives over the two thresholds", "fp": "False positives over the two thresholds"}
    return {
        "True against false positives": plane,
        "Threshold space: FP as shade, TP as lines": space_drawing(surfaces, path, point, present, pair=pair),
        **weeks_of(record),
        **{
            title: surface_drawing(surfaces, path, point, present, count=count, pair=pair, unit=unit, vocabulary=words)
            for count, title in titles.items()
        },
    }


def _present(record: DecisionRecord, analysis: Analysis, point: Point) -> Point | None:
    if record.current is None:
        return None
    thresholds = np.array([math.inf if value is None else value for value in record.current.thresholds])
    try:
        return manual_point(analysis.dataset.source, analysis.path(point.method), thresholds)
    except DataError:
        # A table of counts has no data below its first nodes.
        return None


def evidence_for(analysis: Analysis, point: Point, draft: DecisionRecord, current: Floats | None) -> RecordedEvidence:
    """Count what the record of a point has to say beside its own counts. Raises DataError.

    Of tables that are counted in an engine weeks and segments are left out: they would have to be counted first.
    """
    rated, rule, thresholds = analysis.rated, analysis.settings.rule, draft.threshold_array
    dated, segments = analysis.over_time(point), analysis.segment_counts(point)
    counted = analysis.dataset.source
    if draft.segments is not None and not rated.supports("documents"):
        # Counts in an engine know no documents that both flag.
        current = None
    elif draft.segments is not None:
        at = flagged_documents(rated.documents, rated.frame, thresholds, rule, draft.segments, current)
        counted, rule, thresholds, current = at.documents, at.rule, at.thresholds, at.current
        rated = replace(rated, source=counted)
        dated = rated.over_time(thresholds, rule) if rated.supports("time") else None
        segments = rated.segment_counts(thresholds, rule) if rated.supports("segment") else None
    # Weeks of counts in an engine hold no undecided alerts.
    with_weeks = rated.supports("documents") and dated is not None
    return evidence_of(
        rated.source,
        thresholds,
        rule,
        unit=analysis.settings.unit,
        current=current,
        amounts=rated.amounts,
        intervals=_intervals(counted, draft, thresholds, rule),
        days=None if dated is None else dated.days,
        weeks=dated.weeks if dated is not None and with_weeks else None,
        incomplete_from=None if dated is None else dated.incomplete,
        segments=segments if rated.supports("documents") and segments else (),
        columns=(rated.columns.amount, rated.columns.time, rated.columns.segment),
    )


def _intervals(
    source: RatedDocuments | CountSurfaces, draft: DecisionRecord, thresholds: Floats, rule: Rule
) -> PointIntervals | None:
    """Find what chance explains, where nothing is known that holds the choice of thresholds too."""
    if draft.expected.level is not None or not isinstance(source, RatedDocuments):
        return None
    generator = np.random.default_rng(0)
    return bootstrap_thresholds(source, thresholds, rule, generator=generator).intervals()
