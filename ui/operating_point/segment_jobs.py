"""Find thresholds for each segment in the background, and the points that the user chose."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from multiloss_core import Counts, DataError, OperatingPoint, RatedCounts, RatedDocuments, Unit
from multiloss_core.decisions import RecordedSegments, recorded_segments
from multiloss_core.segments import SegmentPaths, SegmentPoints
from multiloss_core.tables import document_segments
from multiloss_core.thresholds import SMOOTH, Point, SegmentRows
from ui.data.sources import known_segments
from ui.operating_point.analysis import Analysis
from ui.operating_point.calculations import SECONDS_OF_SEGMENTS, find_segment_paths
from ui.server.queue import Task
from ui.shared.long_work import begin
from ui.shared.session import session

MAX_COLUMNS, MAX_SEGMENTS_OFFERED, SAMPLED_ROWS = 40, 50, 10_000


@dataclass(frozen=True, kw_only=True, eq=False)
class SegmentNames:
    """The segment of each document (n,) and of each undecided alert (u,)."""

    rated: NDArray[np.object_]
    undecided: NDArray[np.object_]


def segment_columns(analysis: Analysis) -> tuple[str, ...]:
    """Return the columns of few values, that of the data first; only this one for counts."""
    own = analysis.rated.columns.segment
    if not analysis.rated.supports("documents"):
        return () if own is None else (own,)
    found = _columns_of_few_values(analysis.rated.fingerprint, analysis.rated.frame)
    columns = analysis.rated.columns
    used = {*columns.scores, *columns.alert_rules, columns.rating, columns.weight, columns.amount, columns.time, own}
    return (*(() if own is None else (own,)), *(name for name in found if name not in used))


@st.cache_data(scope="session", max_entries=6, show_spinner=False)
def _columns_of_few_values(fingerprint: str, _frame: pd.DataFrame) -> tuple[str, ...]:
    few = _frame.iloc[:SAMPLED_ROWS, :MAX_COLUMNS]
    return tuple(
        str(name)
        for name in few.columns
        if not pd.api.types.is_datetime64_any_dtype(few[name].dtype) and 1 < few[name].nunique() <= MAX_SEGMENTS_OFFERED
    )


def segment_column(analysis: Analysis) -> str | None:
    """Return the chosen column of segments, by default that of the data."""
    columns, chosen = segment_columns(analysis), session().point.segment_column
    return chosen if chosen in columns else next(iter(columns), None)


def segment_names(analysis: Analysis, column: str) -> SegmentNames:
    """Read the segments of the documents. Raises DataError: a column of too many values."""
    return _names(analysis.rated.key, column, analysis.rated.frame, analysis.rated.documents)


@st.cache_resource(scope="session", max_entries=4, show_spinner=False)
def _names(key: str, column: str, _frame: pd.DataFrame, _documents: RatedDocuments) -> SegmentNames:
    rows, waiting = _documents.rows, _documents.undecided.rows
    names = document_segments(_frame, column, np.concatenate([rows, waiting]))
    return SegmentNames(rated=names[: rows.size], undecided=names[rows.size :])


def why_not_own(analysis: Analysis, point: Point) -> str:
    """Return why segments cannot have own thresholds here; empty if they can."""
    if analysis.settings.unit is Unit.MONEY:
        return "Own thresholds count alerts: choose *alerts* under *Count*."
    if analysis.certificate is not None and point.method != SMOOTH.name:
        return "A guarantee is of one set of thresholds."
    if point.method != SMOOTH.name or point.status == "unreachable":
        return f"Own thresholds follow a target on the path *{SMOOTH.name}*."
    if not isinstance(analysis.rated.source, RatedDocuments | RatedCounts):
        return "A table of counts has no segments."
    if isinstance(analysis.rated.source, RatedCounts) and analysis.rated.supports("group"):
        return "Rows that come in groups need to be loaded: choose a shorter range of dates."
    return ""


def segment_job(analysis: Analysis, column: str) -> Task[SegmentPaths] | None:
    """Return the search for paths of segments, begun at the first call; one at a time.

    None until the segments are counted in their engine. Raises DataError: a column of too many values.
    """
    state, key = session().point, (analysis.rated.key, analysis.settings.rule, column)
    if state.segment_job is None or state.segment_job[0] != key or state.segment_job[1].cancelled:
        given = _given(analysis, column)
        if given is None:
            return None
        if state.segment_job is not None:
            state.segment_job[1].cancel()
        state.segment_job = key, begin(find_segment_paths, *given, analysis.settings.rule, seconds=SECONDS_OF_SEGMENTS)
    return state.segment_job[1]


def _given(analysis: Analysis, column: str) -> tuple[Any, ...] | None:
    """Return the data of the search: documents with their segments, or counts of each segment."""
    counts = analysis.dataset.source
    if isinstance(counts, RatedCounts):
        known = known_segments(analysis.rated, counts)
        return None if known is None else (counts, known, None)
    names = segment_names(analysis, column)
    return analysis.rated.documents, names.rated, names.undecided


def points_for(paths: SegmentPaths, point: Point, undecided: float) -> SegmentPoints:
    """Return the points of segments at the target of a point, or at as many alerts as it has."""
    if isinstance(point, OperatingPoint):
        return paths.points_at(point.marginal_precision)
    return paths.point_under(point.alerts + undecided)


def own_points(analysis: Analysis, point: Point) -> tuple[str, SegmentPaths, SegmentPoints] | None:
    """Return the chosen column and its segments' points, once the gate has decided."""
    column = segment_column(analysis)
    if not session().point.own_thresholds or column is None or why_not_own(analysis, point):
        return None
    try:
        job = segment_job(analysis, column)
    except DataError:
        return None
    paths = job.latest if job is not None and job.finished else None
    return None if paths is None else (column, paths, points_for(paths, point, analysis.undecided([point])[0]))


def segment_rows(analysis: Analysis, point: Point) -> SegmentRows | None:
    """Return the own thresholds for files of thresholds, where the user chose them and they pay."""
    found = own_points(analysis, point)
    if found is None or found[2].proposed == "common":
        return None
    column, paths, points = found
    each = zip(paths.members, points.own, strict=True)
    return column, [(values, analysis.rounded(one.thresholds).tolist()) for values, one in each]


def chosen_segments(analysis: Analysis, point: Point) -> tuple[RecordedSegments, Counts[float]] | None:
    """Return own thresholds to record and their counts, where they are chosen and pay."""
    found = own_points(analysis, point)
    segments = None if found is None else recorded_segments(*found, analysis.rounded)
    return None if found is None or segments is None else (segments, found[2].own_total)
