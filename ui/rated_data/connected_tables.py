"""Bring in rows of a table that lies in a database, a folder or a cluster, without a file."""

from datetime import date, timedelta
from typing import Any

import pandas as pd
import streamlit as st

from multiloss_core import DataError
from multiloss_core.engines import (
    ALL_ROWS,
    MAX_HELD,
    Cancelled,
    Engine,
    Filter,
    RowWindow,
    column_values,
    count_rows,
)
from multiloss_core.formatting import count, plural, shortened
from ui.data.engine_connections import answered, connection_names, engine_of, first_rows, load_table, table_names
from ui.data.rated import rated_uploads
from ui.shared.choices import choose, chosen
from ui.shared.formatting import as_text

MAX_KINDS = 200
EVERY_DAY, NO_FILTER = "(every day)", "(no filter)"
KEY, WANTED = "connected", "connected_wanted"


def ask_connected_table() -> None:
    """Ask for a source, a table and its rows; show nothing if no source is set up."""
    names = connection_names()
    if not names:
        return
    with st.expander("From a connected source", icon=":material/database:"):
        try:
            _ask(names)
        except Cancelled:
            st.info("Stopped; nothing has changed.", icon=":material/stop_circle:")
        except DataError as error:
            st.error(as_text(str(error)), icon=":material/error:")


def _ask(names: tuple[str, ...]) -> None:
    left, right = st.columns(2)
    name = left.selectbox("Source", names, key=f"{KEY}_source", help="Set up by the operator of this program.")
    tables = table_names(name)
    if not tables:
        st.info("This source has no tables yet.", icon=":material/info:")
        return
    table = right.selectbox("Table", tables, key=f"{KEY}_table_{name}")
    engine, sample = engine_of(name), first_rows(name, table)
    window = _ask_window(name, table, sample.frame)
    buttons = st.container(horizontal=True)
    wants_number = buttons.button("Count the rows", key=f"{KEY}_count")
    about = (name, table, window)
    # Kept until a run comes as far as this: one that is cut short forgets the click. What is used is what is
    # selected then: a click just after a change of the source still comes from the button of the former source.
    buttons.button("Use these rows", key=f"{KEY}_use", type="primary", on_click=choose, args=(WANTED, True))
    if wants_number:
        rows = answered(engine, lambda report: _counted(engine, table, window, report), key=f"{KEY}_stop")
        choose(f"{KEY}_rows", (about, rows))
    known: Any = chosen(f"{KEY}_rows")
    if known is not None and known[0] == about:
        st.caption(f"{plural(known[1], 'row')}. {_what_happens(known[1])}")
    if chosen(f"{KEY}_stop"):
        choose(WANTED, False)
    if chosen(WANTED):
        try:
            source = answered(engine, lambda report: load_table(engine, name, table, window, report), key=f"{KEY}_stop")
        except Exception:
            choose(WANTED, False)
            raise
        choose(WANTED, False)
        complaint = rated_uploads().take(lambda: source)
        if complaint:
            st.error(as_text(complaint), icon=":material/error:")


def _counted(engine: Engine, table: str, window: RowWindow, report: Any) -> int:
    report("Counting the rows")
    return count_rows(engine, table, window)


def _what_happens(rows: int) -> str:
    if rows <= MAX_HELD:
        return "They are few enough to be fetched, as if you had uploaded them."
    return f"More than {count(MAX_HELD)}: they stay where they are and are counted there."


def _ask_window(name: str, table: str, sample: pd.DataFrame) -> RowWindow:
    """Ask for a range of dates and for values of one column."""
    times = [str(column) for column in sample if pd.api.types.is_datetime64_any_dtype(sample[column].dtype)]
    time, since, until = None, None, None
    if times:
        picked, first, last = st.columns(3)
        chosen = picked.selectbox("Only days by", [EVERY_DAY, *times], key=f"{KEY}_time_{name}_{table}")
        if chosen != EVERY_DAY:
            time = chosen
            since = _ask_day(first, "from", sample[time].min(), key=f"{KEY}_since_{name}_{table}")
            end = _ask_day(last, "to, this day included", sample[time].max(), key=f"{KEY}_until_{name}_{table}")
            until = None if end is None else end + timedelta(days=1)
    filters: tuple[Filter, ...] = ()
    few = [str(column) for column in sample if not pd.api.types.is_float_dtype(sample[column].dtype)]
    picked, values = st.columns([1, 2])
    column = picked.selectbox("Only rows where", [NO_FILTER, *few], key=f"{KEY}_filter_{name}_{table}")
    if column != NO_FILTER:
        found = [value for value, _ in _values(name, table, column) if value is not None]
        chosen_values = values.multiselect(
            f"{as_text(shortened(column))} is one of",
            found,
            format_func=str,
            key=f"{KEY}_values_{name}_{table}_{column}",
        )
        if chosen_values:
            filters = (Filter(column=column, values=tuple(chosen_values)),)
    if time is None and not filters:
        return ALL_ROWS
    return RowWindow(time=time, since=since, until=until, filters=filters)


def _ask_day(place: Any, label: str, suggested: Any, *, key: str) -> date | None:
    day: date | None = place.date_input(
        label.capitalize(), value=None, key=key, help=f"In the sample: {suggested:%Y-%m-%d}."
    )
    return day


@st.cache_data(scope="session", max_entries=20, ttl=600, show_spinner="Asking the source …")
def _values(name: str, table: str, column: str) -> list[Any]:
    return column_values(engine_of(name), table, column, most=MAX_KINDS)
