"""Tables of engines, and large files, as data of a session: fetched where they are small, else counted."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime

import streamlit as st

from multiloss_core import DataError, RatedCounts
from multiloss_core.engines import (
    Engine,
    EngineSample,
    RatedColumns,
    RowWindow,
    count_documents,
    fetch_rows,
    load_sample,
    rated_columns_of,
    ratings_in,
)
from multiloss_core.formatting import plural
from multiloss_core.tables import TableFile, guess_columns, require_documents
from ui.data.engines.connections import engine_of
from ui.data.engines.questions import answered
from ui.data.rated_datasets import ColumnChoice, CountedIn, Dataset, RatedSource, choice_of
from ui.shared.session import EngineTable, session

Tell = Callable[[str], None]

SHOWN_ROWS = 10_000
MAX_KEPT = 6
STOP = "stop_counting"


@st.cache_data(scope="session", max_entries=20, ttl=60, show_spinner="Asking the source …")
def table_names(connection: str) -> tuple[str, ...]:
    """Name the tables of a source."""
    return engine_of(connection).tables()


@st.cache_resource(scope="session", max_entries=4, ttl=600, show_spinner="Asking the source …")
def first_rows(connection: str, table: str) -> TableFile:
    """Return some rows of a table, to see what its columns are."""
    return fetch_rows(engine_of(connection), table, most=SHOWN_ROWS)


def load_table(engine: Engine, connection: str, table: str, window: RowWindow, tell: Tell) -> RatedSource:
    """Fetch the rows of a window or, of too many, a sample: what the user says of its columns is then counted by.

    Raises DataError, and what `Engine.query` raises.
    """
    tell("Fetching the rows")
    sample = load_sample(engine, table, window)
    fetched_at = datetime.now(UTC)
    require_documents(sample.file.frame, sample.file.ambiguous)
    guess = guess_columns(sample.file.frame, sample.file.ambiguous)
    place = f"{plural(sample.rows, 'row')} of '{table}' in '{connection}'"
    note = (
        f"{place}, fetched {fetched_at:%Y-%m-%d %H:%M} UTC."
        if sample.is_complete
        else f"{place}, too many to be fetched: they are counted there. The rows at the end of this page are a sample."
    )
    return RatedSource(
        f"{table} ({connection})",
        sample.fingerprint,
        sample.file.frame,
        choice_of(guess, sample.file.ambiguous),
        guess=guess,
        notes=(note, *sample.file.notes),
        ambiguous=sample.file.ambiguous,
        units=sample.file.units,
        origin=EngineTable(connection=connection, sample=sample, fetched_at=fetched_at),
    )


def ratings_in_engine(source: RatedSource, column: str) -> dict[str, int]:
    """Count the rows of each rating of a source whose rows lie in an engine; kept for the session."""
    return _ratings(source.fingerprint, column, _origin(source))


@st.cache_data(scope="session", max_entries=20, show_spinner="Looking at the ratings …")
def _ratings(fingerprint: str, column: str, _origin: EngineTable) -> dict[str, int]:
    sample = _origin.sample
    return ratings_in(_engine_at(_origin), sample.table, column, sample.window).counted


def counted_dataset(source: RatedSource, choice: ColumnChoice, key: str) -> Dataset:
    """Count the documents of a source in its engine, under the rule `any`, while progress is shown; once for a choice.

    `key` is the dataset's. Raises DataError, also where the user stopped it before and has not asked for it again.
    """
    known = session().counted
    if key not in known:
        _require_wanted(key)
        origin = _origin(source)
        engine = _engine_at(origin)
        counts, columns = answered(engine, lambda tell: _count(engine, origin.sample, choice, tell), key=STOP)
        counted_in = CountedIn(table=origin.sample.table, columns=columns)
        known[key] = Dataset(
            name=source.name, key=key, source=counts, frame=source.frame, choice=choice, counted_in=counted_in
        )
        while len(known) > MAX_KEPT:
            known.pop(next(iter(known)))
    return replace(known[key], name=source.name)


def engine_of_dataset(dataset: Dataset) -> Engine:
    """Return the engine that the documents of a dataset lie in. Raises DataError where they are not loaded any more."""
    source = session().rated.sources.get(dataset.name)
    if source is None:
        raise DataError(f"'{dataset.name}' is no longer loaded in this session; upload it again.")
    return _engine_at(_origin(source))


def _require_wanted(key: str) -> None:
    """Refuse to count again what the user has just stopped, until it is asked for."""
    stopped = session().stopped
    if st.session_state.get(STOP):
        stopped.add(key)
    if key in stopped:
        if not st.button("Count again", key="count_again", icon=":material/refresh:"):
            raise DataError("Counting was stopped; nothing is lost. Count again, or choose other rows or other data.")
        stopped.discard(key)


def _origin(source: RatedSource) -> EngineTable:
    if source.origin is None:
        raise AssertionError("only rows in an engine are counted there")
    return source.origin


def _engine_at(origin: EngineTable) -> Engine:
    return origin.engine if origin.connection is None and origin.engine else engine_of(str(origin.connection))


def _count(engine: Engine, sample: EngineSample, choice: ColumnChoice, tell: Tell) -> tuple[RatedCounts, RatedColumns]:
    tell("Looking at the ratings")
    columns = rated_columns_of(
        engine,
        sample,
        scores=choice.scores,
        rating=choice.rating or "",
        meanings={rating: meaning for rating, meaning in choice.meanings if meaning is not None},
        floors=choice.floors,
        floor_method=choice.floor_method,
        weight=choice.weight,
        group=choice.group,
        time=choice.time,
        segment=choice.segment,
    )
    columns = _complete_days(columns, choice)
    counts = count_documents(engine, sample.table, columns, report=tell)
    return counts, replace(columns, floors=tuple(counts.floors.tolist()))


def _complete_days(columns: RatedColumns, choice: ColumnChoice) -> RatedColumns:
    """Leave out the days whose ratings are incomplete."""
    window = columns.window
    if choice.complete_until is None or choice.time is None:
        return columns
    if window.time not in (None, choice.time):
        raise DataError(f"The days were chosen by '{window.time}'; leave out incomplete weeks by the same column.")
    until = date.fromisoformat(choice.complete_until)
    earlier = until if window.until is None else min(until, window.until)
    return replace(columns, window=replace(window, time=choice.time, until=earlier))
