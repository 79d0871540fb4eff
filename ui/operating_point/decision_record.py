"""A point of the screen as a decision record: the data it rests on, how it was found, what it is expected to do."""

from typing import Any

import pandas as pd

from multiloss_core import DecisionRecord, OperatingPoint, Unit, decisions
from multiloss_core.decisions import (
    RecordedBlock,
    RecordedColumns,
    RecordedData,
    RecordedSettings,
    RecordedTarget,
    Wish,
    data_fingerprint,
    funnel_of,
    record_of_point,
    recorded_filters,
    target_of_point,
)
from multiloss_core.generalisation import PointBootstrap
from multiloss_core.numerics import Floats
from multiloss_core.thresholds import Point, RatedData
from ui.data.rated_datasets import ColumnChoice, RatedSource
from ui.operating_point.analysis import Analysis

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
        "filters": recorded_filters((entry.column, entry.values) for entry in window.filters),  # noqa: PD011
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
