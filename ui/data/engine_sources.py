"""Tables of engines as data of a session: fetched where they are small, else counted where they are."""

import hashlib
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

import pandas as pd
import streamlit as st

from multiloss_core import DataError, RatedCounts
from multiloss_core.engines import Engine, Filter, RatedColumns, RowWindow, column_values, count_rows, fetch_rows
from multiloss_core.engines.counting import count_documents
from multiloss_core.engines.loading import MAX_FETCHED, raw_ratings
from multiloss_core.formatting import count, plural
from multiloss_core.tables import TableFile, guess_columns
from ui.data.engine_connections import engine_of
from ui.data.rated_datasets import ColumnChoice, RatedSource, choice_of
from ui.shared.engine_work import answered
from ui.shared.session import EngineTable, session

Tell = Callable[[str], None]

SAMPLED_ROWS = 10_000
# Of each rating that the sample does not show.
MORE_ROWS = 20
MAX_KEPT = 6


@st.cache_data(scope="session", max_entries=20, ttl=60, show_spinner="Asking the source …")
def table_names(connection: str) -> tuple[str, ...]:
    """Name the tables of a source."""
    return engine_of(connection).tables()


@st.cache_resource(scope="session", max_entries=4, ttl=600, show_spinner="Asking the source …")
def table_sample(connection: str, table: str) -> TableFile:
    """Return some rows of a table, to see what its columns are."""
    return fetch_rows(engine_of(connection), table, most=SAMPLED_ROWS)


def load_table(engine: Engine, connection: str, table: str, window: RowWindow, tell: Tell) -> RatedSource:
    """Fetch the rows of a window or, of too many, a sample: what the user says of its columns is then counted by.

    Raises DataError, and what `Engine.query` raises.
    """
    tell("Counting the rows")
    rows = count_rows(engine, table, window)
    if not rows:
        raise DataError(f"'{table}' has no row in this window; choose another one.")
    origin = EngineTable(
        connection=connection,
        table=table,
        window=window,
        rows=rows,
        is_counted=rows > MAX_FETCHED,
        counted_at=datetime.now(UTC),
        version=engine.version(table),
    )
    tell(f"Fetching {count(SAMPLED_ROWS if origin.is_counted else rows)} rows")
    file = _sample_of(engine, origin) if origin.is_counted else fetch_rows(engine, table, window, most=rows)
    guess = guess_columns(file.frame)
    place = f"{plural(rows, 'row')} of '{table}' in '{connection}'"
    at = f"{origin.counted_at:%Y-%m-%d %H:%M} UTC"
    note = (
        f"{place}, too many to be fetched: they are counted there. The rows shown here are a sample."
        if origin.is_counted
        else f"{place}, fetched {at}."
    )
    return RatedSource(
        f"{table} ({connection})",
        _fingerprint(origin, file.frame),
        file.frame,
        choice_of(guess, file.ambiguous),
        guess=guess,
        notes=(note, *file.notes),
        ambiguous=file.ambiguous,
        origin=origin,
    )


def counted(source: RatedSource, choice: ColumnChoice) -> RatedCounts:
    """Count the documents of a source in its engine, under the rule `any`, while progress is shown; once for a choice.

    Raises DataError, and Cancelled where the user stopped it.
    """
    origin = source.origin
    if origin is None:
        raise AssertionError("only rows in an engine are counted there")
    known = session().counted
    key = (source.fingerprint, choice)
    if key not in known:
        engine = engine_of(origin.connection)
        known[key] = answered(engine, lambda tell: _count(engine, origin, choice, tell), key="stop_counting")
        while len(known) > MAX_KEPT:
            known.pop(next(iter(known)))
    return known[key]


def _count(engine: Engine, origin: EngineTable, choice: ColumnChoice, tell: Tell) -> RatedCounts:
    tell("Looking at the ratings")
    meanings = {rating: meaning for rating, meaning in choice.meanings if meaning is not None}
    positive, negative = raw_ratings(engine, origin.table, choice.rating or "", meanings, origin.window)
    floors = None if None in choice.floors or not choice.floors else tuple(f for f in choice.floors if f is not None)
    columns = RatedColumns(
        scores=choice.scores,
        rating=choice.rating or "",
        positive=positive,
        negative=negative,
        floors=floors,
        weight=choice.weight,
        time=choice.time,
        segment=choice.segment,
        group=choice.group,
        window=_until(origin.window, choice),
    )
    return count_documents(engine, origin.table, columns, report=tell)


def _until(window: RowWindow, choice: ColumnChoice) -> RowWindow:
    """Leave out the days whose ratings are incomplete."""
    if choice.complete_until is None or choice.time is None:
        return window
    until = datetime.fromisoformat(choice.complete_until).date()
    if window.time is not None and window.time != choice.time:
        raise DataError(f"The days were chosen by '{window.time}'; leave out incomplete weeks by the same column.")
    earlier = until if window.until is None else min(until, window.until)
    return replace(window, time=choice.time, until=earlier)


def _sample_of(engine: Engine, origin: EngineTable) -> TableFile:
    """Return some rows, among them some of each rating: fraud is rare."""
    file = fetch_rows(engine, origin.table, origin.window, most=SAMPLED_ROWS)
    rating = guess_columns(file.frame).rating
    if rating is None:
        return file
    shown = {str(value) for value in file.frame[rating].dropna().unique()}
    frames = [file.frame]
    for value, _ in column_values(engine, origin.table, rating, origin.window):
        if value is not None and str(value) not in shown:
            rare = replace(origin.window, filters=(*origin.window.filters, Filter(column=rating, values=(value,))))
            frames.append(fetch_rows(engine, origin.table, rare, most=MORE_ROWS).frame)
    return replace(file, frame=pd.concat(frames, ignore_index=True)) if len(frames) > 1 else file


def _fingerprint(origin: EngineTable, frame: pd.DataFrame) -> str:
    """Tell states of a table apart: by its rows where they were fetched, in any order, else by its version or time."""
    if not origin.is_counted:
        rows = pd.util.hash_pandas_object(frame, index=False).sort_values().to_numpy()
        return hashlib.sha256(f"{list(frame.columns)}".encode() + rows.tobytes()).hexdigest()
    state = origin.version or origin.counted_at.isoformat()
    return hashlib.sha256(repr((origin.connection, origin.table, origin.window, origin.rows, state)).encode()).hexdigest()
