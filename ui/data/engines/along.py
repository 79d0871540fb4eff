"""Documents of an engine counted along a path, by day, segment or group: asked for once, then looked up."""

from collections.abc import Hashable

import streamlit as st

from multiloss_core import DataError
from multiloss_core.engines import By, PathCounts, count_along
from multiloss_core.numerics import Floats
from multiloss_core.thresholds import Rule
from ui.data.engines.questions import answered
from ui.data.engines.tables import engine_of_dataset
from ui.data.rated_datasets import Dataset
from ui.shared.formatting import as_text
from ui.shared.session import session

MAX_KEPT = 12


def known_along(dataset: Dataset, thresholds: Floats, rule: Rule, by: By) -> PathCounts | None:
    """Return what was counted along a path (m, k), if it was."""
    return session().counted_along.get(_key(dataset, thresholds, rule, by))


def ask_along(dataset: Dataset, thresholds: Floats, rule: Rule, by: By, column: str) -> PathCounts | None:
    """Return what was counted along a path (m, k), or offer to count it: one pass over the source."""
    counted_in, key, known = dataset.counted_in, _key(dataset, thresholds, rule, by), session().counted_along
    if counted_in is None:
        raise TypeError("Only documents that lie in an engine are counted there.")
    if key not in known:
        what = "all points of the path" if len(thresholds) > 1 else "what these thresholds flag"
        st.caption(f"The rows lie in '{as_text(dataset.name)}'. One pass over them counts {what}.")
        if not st.button(f"Count by '{as_text(column)}'", key=f"count_by_{by}", icon=":material/database_search:"):
            return None

        def count(tell: object) -> PathCounts:
            return count_along(engine, counted_in.table, counted_in.columns, thresholds, rule, by)

        try:
            engine = engine_of_dataset(dataset)
            known[key] = answered(engine, count, key=f"stop_by_{by}")
        except DataError as error:
            st.error(as_text(str(error)), icon=":material/error:")
            return None
        while len(known) > MAX_KEPT:
            known.pop(next(iter(known)))
    return known[key]


def _key(dataset: Dataset, thresholds: Floats, rule: Rule, by: By) -> Hashable:
    return (dataset.key, thresholds.tobytes(), rule, by)
