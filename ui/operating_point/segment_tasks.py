"""Find thresholds for each segment in the background, and the points that the user chose."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from multiloss_core import Counts, DataError, OperatingPoint, RatedCounts, RatedDocuments, Unit
from multiloss_core.decisions import MAX_NAME, RecordedSegments, recorded_segments, segment_key, segment_kind
from multiloss_core.formatting import shortened
from multiloss_core.inspection import Segment, segment_counts, segmentation, segments_of_sums
from multiloss_core.segments import SegmentPaths, SegmentPoint, SegmentPoints
from multiloss_core.tables import base_of, document_segments, sampled
from multiloss_core.thresholds import SMOOTH, Point, SegmentRows
from ui.data.engine_connections import known_segments
from ui.operating_point.active_goal import ALERTS, PRECISION, SHARE, chosen_goal
from ui.operating_point.analysis import Analysis
from ui.operating_point.calculations import SECONDS_OF_SEGMENTS, find_segment_paths
from ui.operating_point.goals import cap_on_all_days, cap_values
from ui.server.queue import Task
from ui.shared.long_work import begin
from ui.shared.session import SegmentChoice, session

MAX_COLUMNS, MAX_SEGMENTS_OFFERED = 40, 50
# The kind of task.
SEGMENTS = "paths of segments"


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
    named = (*columns.scores, *columns.alert_rules, columns.rating, columns.weight, columns.amount, columns.time, own)
    used = {base_of(analysis.rated.frame, name) for name in named if name is not None}
    return (*(() if own is None else (own,)), *(name for name in found if name not in used))


@st.cache_data(scope="session", max_entries=6, show_spinner=False)
def _columns_of_few_values(fingerprint: str, _frame: pd.DataFrame) -> tuple[str, ...]:
    few = sampled(_frame.iloc[:, :MAX_COLUMNS])
    return tuple(
        str(name)
        for name in few.columns
        if 1 < few[name].nunique() <= MAX_SEGMENTS_OFFERED and _can_be_recorded(few[name])
    )


def _can_be_recorded(cells: "pd.Series[Any]") -> bool:
    try:
        segment_kind(cells)
    except DataError:
        return False
    return True


def segment_choice(analysis: Analysis) -> SegmentChoice | None:
    """Return the chosen segments of these data, by default of the first column."""
    columns, chosen = segment_columns(analysis), session().point.segment_choices.get(analysis.rated.fingerprint)
    if chosen is not None and chosen.column in columns:
        return chosen
    return SegmentChoice(columns[0]) if columns else None


def segment_names(analysis: Analysis, column: str) -> SegmentNames:
    """Read the segments of the documents. Raises DataError: a column of too many values."""
    return _names(analysis.rated.key, column, analysis.rated.frame, analysis.rated.documents)


@st.cache_resource(scope="session", max_entries=4, show_spinner=False)
def _names(key: str, column: str, _frame: pd.DataFrame, _documents: RatedDocuments) -> SegmentNames:
    rows, waiting = _documents.rows, _documents.undecided.rows
    found = pd.Series(document_segments(_frame, column, np.concatenate([rows, waiting])))
    kind = segment_kind(_frame[column])
    names = found.map({name: segment_key(name, kind) for name in found.unique()}).to_numpy(object)
    return SegmentNames(rated=names[: rows.size], undecided=names[rows.size :])


def why_not_own(analysis: Analysis, point: Point) -> str:
    """Return why segments cannot have own thresholds here; empty if they can."""
    source, goal = analysis.rated.source, chosen_goal()
    reasons = (
        (analysis.settings.unit is Unit.MONEY, "Own thresholds count alerts: choose *alerts* under *Count*."),
        (
            session().point.band is not None,
            "Two cuts are the same for all segments: switch off *Block the surest part without a review*.",
        ),
        (
            analysis.settings.current is not None,
            "Own thresholds do not stay at the current ones: switch that off in *Settings*.",
        ),
        (
            point.method != SMOOTH.name or point.status == "unreachable",
            f"Own thresholds follow a target on the path *{SMOOTH.name}*.",
        ),
        (
            goal in (PRECISION, SHARE) or (goal == ALERTS and bool(cap_values(analysis))),
            "Own thresholds cannot keep a floor, a share or *nine days of ten*: set the point by a target or a mean "
            "cap on alerts.",
        ),
        (not isinstance(source, RatedDocuments | RatedCounts), "A table of counts has no segments."),
        (
            isinstance(source, RatedCounts) and analysis.rated.supports("group"),
            "Rows that come in groups need to be loaded: choose a shorter range of dates.",
        ),
    )
    return next((words for is_so, words in reasons if is_so), "")


def segment_task(analysis: Analysis, column: str) -> Task[SegmentPaths] | None:
    """Return the search for paths of segments, begun at the first call; one at a time.

    None until the segments are counted in their engine. Raises DataError: too many values, or too long ones.
    """
    counts, rule = analysis.dataset.source, analysis.settings.rule
    if isinstance(counts, RatedCounts) and known_segments(analysis.rated, counts) is None:
        return None

    def search() -> Task[SegmentPaths]:
        return begin(find_segment_paths, *_given(analysis, column), rule, seconds=SECONDS_OF_SEGMENTS)

    # These hold the documents: one is enough.
    return session().tasks.ask(SEGMENTS, (analysis.rated.key, rule, column), search, most=1)


def _given(analysis: Analysis, column: str) -> tuple[Any, ...]:
    """Return the data of the search: documents with their segments, or counts of each segment."""
    counts = analysis.dataset.source
    if isinstance(counts, RatedCounts):
        known = known_segments(analysis.rated, counts) or {}
        _require_recordable(column, known)
        return counts, known, None
    names = segment_names(analysis, column)
    _require_recordable(column, np.unique(np.concatenate([names.rated, names.undecided])))
    return analysis.rated.documents, names.rated, names.undecided


def _require_recordable(column: str, values: Iterable[str]) -> None:
    if any(len(name) > MAX_NAME for name in (column, *values)):
        raise DataError(
            f"The name or a value of column '{shortened(column)}' has more than {MAX_NAME} characters, which no "
            "decision can hold; choose another column of segments."
        )


def points_for(analysis: Analysis, column: str, paths: SegmentPaths, point: Point) -> SegmentPoints:
    """Return the points of segments at the target of a point, or under its cap or alerts."""
    is_capped = chosen_goal() == ALERTS and not session().point.goal_refused
    if isinstance(point, OperatingPoint) and not is_capped:
        return paths.points_at(point.marginal_precision)
    points = paths.point_under(
        cap_on_all_days(analysis) if is_capped else point.alerts + analysis.undecided([point])[0]
    )
    counted = {one.name: one for one in _segments_of(analysis, column, point)}
    # The point of a goal lies beside the path: common thresholds are its own.
    return replace(
        points,
        common=tuple(
            _shown(point, one, [counted[name] for name in members if name in counted])
            for one, members in zip(points.common, paths.members, strict=True)
        ),
    )


def _segments_of(analysis: Analysis, column: str, point: Point) -> Sequence[Segment]:
    thresholds, rule = analysis.deployable(point), analysis.settings.rule
    if not isinstance(analysis.dataset.source, RatedCounts):
        names = segment_names(analysis, column)
        return segment_counts(analysis.rated.documents, segmentation(names.rated, names.undecided), thresholds, rule)
    known = known_segments(analysis.rated, analysis.dataset.source) or {}
    tables = [part.flagged_or_not(thresholds, rule) for part in known.values()]
    counts, squares = (np.array([getattr(one, what) for one in tables]) for what in ("weights", "squares"))
    return segments_of_sums(tuple(known), counts, squares[:, 1].sum(axis=1))


def _shown(point: Point, one: SegmentPoint, parts: Sequence[Segment]) -> SegmentPoint:
    """Count a point in the members of a segment."""
    tp, fp, undecided = (sum(getattr(part, what) for part in parts) for what in ("tp", "fp", "undecided"))
    return replace(one, tp=tp, fp=fp, undecided=undecided, thresholds=point.thresholds)


def chosen_task(analysis: Analysis, point: Point) -> Task[SegmentPaths] | None:
    """Return the search for own thresholds, where they are chosen, possible and counted."""
    choice = segment_choice(analysis)
    if choice is None or not choice.own or why_not_own(analysis, point):
        return None
    try:
        return segment_task(analysis, choice.column)
    except DataError:
        return None


def own_points(analysis: Analysis, point: Point) -> tuple[str, SegmentPaths, SegmentPoints] | None:
    """Return the chosen column and its segments' points, once the gate has decided."""
    choice, task = segment_choice(analysis), chosen_task(analysis, point)
    paths = task.latest if task is not None and task.finished else None
    if choice is None or paths is None:
        return None
    return choice.column, paths, points_for(analysis, choice.column, paths, point)


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


def is_unfinished(analysis: Analysis, point: Point) -> bool:
    """Return whether own thresholds were chosen and are still being found."""
    task = chosen_task(analysis, point)
    return task is not None and not task.finished
