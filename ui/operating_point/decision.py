"""Build the decision record of a point, with its evidence and charts."""

import math
from typing import Any

import numpy as np
import pandas as pd

from multiloss_core import DataError, DecisionRecord, OperatingPoint, RatedDocuments, Unit, decisions
from multiloss_core.decisions import (
    RecordedBlock,
    RecordedColumns,
    RecordedData,
    RecordedEvidence,
    RecordedSettings,
    RecordedTarget,
    Wish,
    data_fingerprint,
    evidence_of,
    funnel_of,
    record_of_point,
    recorded_filters,
    target_of_point,
)
from multiloss_core.engines import daily_alerts_along
from multiloss_core.figures import curves_drawing, plane_drawing, space_drawing, surface_drawing
from multiloss_core.formatting import score_name
from multiloss_core.generalisation import PointBootstrap, PointIntervals, bootstrap_thresholds
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
from multiloss_core.thresholds import Point, RatedData
from multiloss_core.thresholds.targets import manual_point
from ui.data.engines.along import known_along
from ui.data.rated_datasets import ColumnChoice, RatedSource
from ui.operating_point.analysis import Analysis
from ui.records import weeks_of
from ui.shared.formatting import vocabulary

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
    block: RecordedBlock | None = None,
    author: str = "",
    reason: str = "",
) -> DecisionRecord:
    """Make the record of a point of an analysis, whose data are `source` under `choice`.

    `target`: what drove the point, the marginal precision or the hand where it is left out. `evidence`: resamples, used
    where they are complete and of this very point. `current`: the thresholds (k,) in use. `block`: the upper of two
    cuts, if there are two.

    Raises
    ------
    DataError : a name or text that no record can keep.
    """
    data, settings = analysis.dataset.source, analysis.settings
    columns = recorded_columns(data, choice, analysis.rated.frame)
    return record_of_point(
        point,
        data,
        thresholds=analysis.deployable(point),
        data=RecordedData(
            source.name,
            data_fingerprint(source.fingerprint, columns),
            funnel_of(data),
            analysis.rated.source.totals.alerts,
            analysis.rated.days,
            **origin_of(source),
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
        evidence=evidence,
        current=current,
        block=block,
        author=author,
        reason=reason,
    )


def origin_of(source: RatedSource) -> dict[str, Any]:
    """Say for a record where rows were fetched or counted; nothing of a file or a sample."""
    origin = source.origin
    if origin is None or origin.connection is None:
        return {}
    window = origin.sample.window
    told = {
        "source": origin.connection,
        "snapshot": origin.sample.version,
        "counted_at": f"{origin.fetched_at:%Y-%m-%dT%H:%M:%SZ}",
        "time": window.time,
        "since": window.since and window.since.isoformat(),
        "until": window.until and window.until.isoformat(),
        "filters": recorded_filters((entry.column, entry.values) for entry in window.filters),
    }
    return {name: value for name, value in told.items() if value}


def recorded_columns(data: RatedData, choice: ColumnChoice, frame: pd.DataFrame) -> RecordedColumns:
    """Record what the columns mean, with the floors that are in force."""
    return decisions.recorded_columns(
        data,
        rating=choice.rating,
        meanings={rating: meaning for rating, meaning in choice.meanings if meaning},
        weight=choice.weight,
        group=choice.group,
        leave_out_unusable=choice.leave_out_unusable,
        frame=frame,
    )


def target_of(analysis: Analysis, point: Point) -> RecordedTarget:
    """Record what led to a point where only the slider or the hand did, and the certificate of its path."""
    return target_of_point(point, certificate_wishes(analysis, point) if isinstance(point, OperatingPoint) else ())


def certificate_wishes(analysis: Analysis, point: Point) -> tuple[Wish, ...]:
    """Return what was certified of the path that a point lies on, if anything was."""
    certificate = analysis.certificate
    if certificate is None or certificate.path is None or certificate.path.method != point.method:
        return ()
    return Wish(GUARANTEED, certificate.precision), Wish(CONFIDENCE, certificate.confidence)


def drawings_of(record: DecisionRecord, analysis: Analysis, point: Point, pair: tuple[int, int]) -> dict[str, str]:
    """Draw the charts by their titles, the first two for the first page; a single classifier has no surfaces."""
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
        # A table of counts does not tell what lies below its first nodes.
        return None


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
