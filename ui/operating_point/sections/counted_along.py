"""Documents of an engine counted along a path, by day or by segment: asked for once, then looked up."""

import numpy as np
import streamlit as st

from multiloss_core import DataError
from multiloss_core.engines import By, PathCounts, count_along
from multiloss_core.thresholds import Point
from ui.data.engines.questions import answered
from ui.data.engines.tables import engine_of_dataset
from ui.operating_point.analysis import Analysis
from ui.shared.formatting import as_text
from ui.shared.session import session

MAX_KEPT = 12


def vertex_of(analysis: Analysis, point: Point) -> int | None:
    """Find the vertex of its path at which a point lies; None for thresholds set by hand."""
    if point.method not in analysis.methods:
        return None
    same = np.flatnonzero((analysis.path(point.method).thresholds == point.thresholds).all(axis=1))
    return int(same[0]) if same.size else None


def known_along(analysis: Analysis, point: Point, by: By) -> PathCounts | None:
    """Return what was counted along the path of a point, if it was."""
    return session().counted_along.get(_key(analysis, point, by))


def ask_along(analysis: Analysis, point: Point, by: By, column: str) -> PathCounts | None:
    """Return what was counted along the path of a point, or offer to count it: one pass over the rows."""
    counted_in, key = analysis.rated.counted_in, _key(analysis, point, by)
    if counted_in is None or vertex_of(analysis, point) is None:
        st.info("These thresholds were set by hand: only points of a path can be counted in the source.")
        return None
    known = session().counted_along
    if key not in known:
        st.caption(
            f"The rows lie in '{as_text(analysis.rated.name)}'. One pass over them counts all points of the path."
        )
        if not st.button(f"Count by '{as_text(column)}'", key=f"count_by_{by}", icon=":material/database_search:"):
            return None
        path = analysis.path(point.method)

        def count(tell: object) -> PathCounts:
            return count_along(engine, counted_in.table, counted_in.columns, path.thresholds, path.rule, by)

        try:
            engine = engine_of_dataset(analysis.rated)
            known[key] = answered(engine, count, key=f"stop_by_{by}")
        except DataError as error:
            st.error(as_text(str(error)), icon=":material/error:")
            return None
        while len(known) > MAX_KEPT:
            known.pop(next(iter(known)))
    return known[key]


def _key(analysis: Analysis, point: Point, by: By) -> tuple[object, ...]:
    return (analysis.key, point.method, by)
