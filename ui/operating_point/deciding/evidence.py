"""What else the data of an analysis say of the thresholds that are decided on, as the record keeps it."""

import numpy as np

from multiloss_core import DecisionRecord, RatedDocuments
from multiloss_core.decisions import RecordedEvidence, evidence_of
from multiloss_core.engines import daily_alerts_along
from multiloss_core.generalisation import PointIntervals, bootstrap_thresholds
from multiloss_core.inspection import (
    Segment,
    calendar,
    daily_alerts,
    incomplete_from,
    segment_counts,
    segmentation,
    weekly_counts,
)
from multiloss_core.numerics import Floats
from multiloss_core.thresholds import Point
from ui.data.engines.along import known_along
from ui.operating_point.analysis import Analysis


def evidence_for(analysis: Analysis, point: Point, draft: DecisionRecord, current: Floats | None) -> RecordedEvidence:
    """Count what the record of a point has to say beside its own counts. Raises DataError.

    Of tables that are counted in an engine weeks and segments are left out: they would have to be counted first.
    """
    rated, rule = analysis.rated, analysis.settings.rule
    documents, choice = rated.source.documents, rated.choice
    thresholds = draft.threshold_array
    days, weeks, incomplete = None, None, None
    segments: tuple[Segment, ...] = ()
    if documents is not None and rated.times is not None:
        dates = calendar(rated.times, rated.undecided_times)
        days, weeks = (
            daily_alerts(documents, dates, thresholds, rule),
            weekly_counts(documents, dates, thresholds, rule),
        )
        incomplete = incomplete_from(weekly_counts(documents, dates, documents.floors, "any"))
    elif (vertex := analysis.vertex(point)) is not None:
        path = analysis.path(point.method)
        counted = known_along(rated, path.thresholds, path.rule, "day")
        days = None if counted is None else daily_alerts_along(counted, vertex)
    if documents is not None and rated.segments is not None:
        known = segmentation(rated.segments, rated.undecided_segments)
        segments = segment_counts(documents, known, thresholds, rule)
    return evidence_of(
        rated.source,
        thresholds,
        rule,
        unit=analysis.settings.unit,
        current=current,
        amounts=rated.amounts,
        intervals=_intervals(analysis, draft),
        days=days,
        weeks=weeks,
        incomplete_from=incomplete,
        segments=segments,
        columns=(choice.amount, choice.time, choice.segment),
    )


def _intervals(analysis: Analysis, draft: DecisionRecord) -> PointIntervals | None:
    """Find what chance explains, where nothing is known that holds the choice of thresholds too."""
    source = analysis.dataset.source
    if draft.expected.level is not None or not isinstance(source, RatedDocuments):
        return None
    generator = np.random.default_rng(0)
    return bootstrap_thresholds(source, draft.threshold_array, analysis.settings.rule, generator=generator).intervals()
