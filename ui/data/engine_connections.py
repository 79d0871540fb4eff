"""Query tables in engines: configured connections, cancellable queries, counts in place."""

import threading
from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Literal, TypeVar

import streamlit as st
from sqlalchemy import create_engine, make_url
from sqlalchemy.exc import ArgumentError
from streamlit.connections import BaseConnection

from multiloss_core import DataError, RatedCounts
from multiloss_core.datasets import RatedDataset, RatedSource, source_key
from multiloss_core.decisions import segment_key, segment_kind
from multiloss_core.engines import (
    By,
    CountedDataset,
    DuckDBEngine,
    Engine,
    EngineError,
    EngineSample,
    EngineTable,
    PathCounts,
    RatedColumns,
    RowWindow,
    count_documents,
    count_segments,
    fetch_rows,
    load_rated_source,
    rated_columns_of,
    ratings_in,
)
from multiloss_core.engines.backends.database_engine import DatabaseEngine
from multiloss_core.engines.backends.spark_engine import SparkEngine
from multiloss_core.formatting import plural
from multiloss_core.numerics import Floats
from multiloss_core.tables import ColumnMeanings, TableFile
from multiloss_core.thresholds import Rule
from ui.shared.choices import chosen
from ui.shared.formatting import as_text
from ui.shared.long_work import stoppable
from ui.shared.session import session

T = TypeVar("T")
# Shows the progress of a query as text.
Report = Callable[[str], None]

KINDS = ("duckdb", "sql", "spark")
SECONDS_TO_CONNECT = 10
SECONDS_BETWEEN_POLLS = 0.1
SHOWN_ROWS = 10_000
# Counts that a session keeps: of datasets, and along paths.
MAX_COUNTED, MAX_ALONG = 6, 12
STOP = "stop_counting"


class EngineConnection(BaseConnection[Engine]):
    """An engine of one session, so that sessions do not wait for or cancel each other."""

    @classmethod
    def scope(cls) -> Literal["session"]:
        """Return that each session has its own engine."""
        return "session"

    def close(self) -> None:
        """Close the engine when the session ends."""
        self._instance.close()

    @property
    def engine(self) -> Engine:
        """The engine itself."""
        return self._instance

    def _connect(self, **_: Any) -> Engine:
        section = self._secrets.to_dict()
        try:
            return _MAKERS[section["type"]](section)
        except KeyError as error:
            raise EngineError(
                f"The source '{self._connection_name}' is not set up: {error} is missing in its section of "
                "secrets.toml; the operator of this program can add it."
            ) from None


def connection_names() -> tuple[str, ...]:
    """List the names of the configured sources in the order of the file."""
    if not st.secrets.load_if_toml_exists():
        return ()
    sections: Mapping[str, Any] = st.secrets.get("connections", {})
    return tuple(name for name, section in sections.items() if _is_countable(section))


def engine_of(name: str) -> Engine:
    """Return an engine by name. Raises DataError if it is unknown or not set up."""
    if name not in connection_names():
        raise DataError(f"There is no source '{name}' here any more; choose another one.")
    return st.connection(name, type=EngineConnection).engine


def _is_countable(section: Mapping[str, Any]) -> bool:
    # Other databases may be named for other purposes: only those count whose tables are named, too.
    kind = section.get("type")
    return kind == "duckdb" or (kind in KINDS and bool(section.get("tables")))


def _duckdb(section: Mapping[str, Any]) -> Engine:
    place = section["database"] if "database" in section else section["folder"]
    if "memory_limit" not in section:
        return DuckDBEngine(place)
    return DuckDBEngine(place, memory_limit=str(section["memory_limit"]))


def _database(section: Mapping[str, Any]) -> Engine:
    try:
        url = make_url(section["url"])
    except ArgumentError:
        raise EngineError("The address of this source in secrets.toml cannot be read; correct it there.") from None
    engine = create_engine(
        url, hide_parameters=True, pool_pre_ping=True, connect_args={"connect_timeout": SECONDS_TO_CONNECT}
    )
    return DatabaseEngine(engine, section["tables"])


def _spark(section: Mapping[str, Any]) -> Engine:
    return SparkEngine(section["remote"], section["tables"])


_MAKERS = {"duckdb": _duckdb, "sql": _database, "spark": _spark}


def answered(engine: Engine, work: Callable[[Report], T], *, key: str) -> T:
    """Run an engine query in a thread while its progress and Cancel are shown.

    `work` gets a function that shows progress text. Anything that ends the run of the page, such as Cancel,
    withdraws the question. Raises what the work raises.
    """
    progress = ["Querying the source"]
    results: list[T] = []
    failures: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work(progress.append))
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=run, daemon=True)
    with stoppable(key) as show:
        thread.start()
        try:
            while thread.is_alive():
                thread.join(SECONDS_BETWEEN_POLLS)
                share = engine.progress()
                words = progress[-1] if share is None else f"{progress[-1]} · {100 * share:.0f}\N{NO-BREAK SPACE}%"
                show(min(share or 0.0, 0.99), f"{words} …")
        finally:
            while thread.is_alive():
                engine.cancel()
                thread.join(SECONDS_BETWEEN_POLLS)
    if failures:
        raise failures[0]
    return results[0]


@st.cache_data(scope="session", max_entries=20, ttl=60, show_spinner="Asking the source …")
def table_names(connection: str) -> tuple[str, ...]:
    """Name the tables of a source."""
    return engine_of(connection).tables()


@st.cache_resource(scope="session", max_entries=4, ttl=600, show_spinner="Asking the source …")
def first_rows(connection: str, table: str) -> TableFile:
    """Return some rows of a table, to see what its columns are."""
    return fetch_rows(engine_of(connection), table, most=SHOWN_ROWS)


def load_table(engine: Engine, connection: str, table: str, window: RowWindow, report: Report) -> RatedSource:
    """Fetch the rows of a window, or a sample of too many.

    Raises DataError, and what `Engine.query` raises.
    """
    report("Fetching the rows")
    source = load_rated_source(engine, connection, table, window)
    place = f"{plural(source.rows, 'row')} of '{table}' in '{connection}'"
    note = (
        f"{place}, too many to be fetched: they are counted there. The rows at the end of this page are a sample."
        if source.is_sample
        else f"{place}, fetched {_origin(source).fetched_at:%Y-%m-%d %H:%M} UTC."
    )
    # A connection belongs to the session that asks, so the table names it and holds no engine.
    origin = replace(_origin(source), engine=None)
    return replace(source, name=f"{table} ({connection})", notes=(note, *source.notes), origin=origin)


def ratings_in_engine(source: RatedSource, column: str) -> dict[str, int]:
    """Count the rows of each rating of a source in an engine, cached by session."""
    return _ratings(source.fingerprint, column, _origin(source))


@st.cache_data(scope="session", max_entries=20, show_spinner="Looking at the ratings …")
def _ratings(fingerprint: str, column: str, _origin: EngineTable) -> dict[str, int]:
    sample = _origin.sample
    return ratings_in(_engine_at(_origin), sample.table, column, sample.window).counted


def counted_dataset(source: RatedSource, columns: ColumnMeanings) -> CountedDataset:
    """Count the documents of a source in its engine under the rule `any`, with progress.

    Raises DataError, also if the user cancelled it and has not requested it again.
    """
    known, key = session().counted, source_key(source.fingerprint, columns)
    if key not in known:
        _require_wanted(key)
        origin = _origin(source)
        engine = _engine_at(origin)
        counts, rows = answered(engine, lambda report: _count(engine, origin.sample, columns, report), key=STOP)
        known[key] = CountedDataset(
            name=source.name,
            fingerprint=source.fingerprint,
            source=counts,
            frame=source.frame,
            columns=columns,
            origin=origin.recorded,
            table=origin.sample.table,
            rows=rows,
        )
        while len(known) > MAX_COUNTED:
            known.pop(next(iter(known)))
    return known[key].named(source.name)


def engine_of_dataset(dataset: RatedDataset) -> Engine:
    """Return the engine of a dataset. Raises DataError if its documents are not loaded."""
    source = session().rated.sources.get(dataset.name)
    if source is None:
        raise DataError(f"'{dataset.name}' is no longer loaded in this session; upload it again.")
    return _engine_at(_origin(source))


def _require_wanted(key: str) -> None:
    """Refuse to count again what the user has just stopped, until it is asked for."""
    stopped = session().stopped
    if chosen(STOP):
        stopped.add(key)
    if key in stopped:
        if not st.button("Count again", key="count_again", icon=":material/refresh:"):
            raise DataError("Counting was stopped; nothing is lost. Count again, or choose other rows or other data.")
        stopped.discard(key)


def _origin(source: RatedSource) -> EngineTable:
    if not isinstance(source.origin, EngineTable):
        raise TypeError("Only rows in an engine are counted there.")
    return source.origin


def _engine_at(origin: EngineTable) -> Engine:
    return origin.engine if origin.connection is None and origin.engine else engine_of(str(origin.connection))


def _count(
    engine: Engine, sample: EngineSample, meant: ColumnMeanings, report: Report
) -> tuple[RatedCounts, RatedColumns]:
    report("Looking at the ratings")
    columns = rated_columns_of(engine, sample, meant)
    counts = count_documents(engine, sample.table, columns, report=report)
    return counts, replace(columns, floors=tuple(counts.floors.tolist()))


def known_along(dataset: RatedDataset, thresholds: Floats, rule: Rule, by: By) -> PathCounts | None:
    """Return what was counted along a path (m, k), if it was."""
    return session().counted_along.get(_key(dataset, thresholds, rule, by))


def ask_along(dataset: RatedDataset, thresholds: Floats, rule: Rule, by: By, column: str) -> PathCounts | None:
    """Return the counts along a path (m, k), or offer to count: one pass over the source."""
    counted = _require_counted(dataset)
    what = "all points of the path" if len(thresholds) > 1 else "what these thresholds flag"
    return ask_engine(
        _key(dataset, thresholds, rule, by),
        session().counted_along,
        counted,
        f"One pass over them counts {what}.",
        f"Count by '{as_text(column)}'",
        by,
        lambda engine: counted.count_along(engine, thresholds, rule, by),
    )


def ask_segments(dataset: RatedDataset, counts: RatedCounts, column: str) -> Mapping[str, RatedCounts] | None:
    """Return the counts of each segment on the grid of `counts`, or offer to count them."""
    counted = _require_counted(dataset)
    name_of = partial(segment_key, kind=segment_kind(dataset.frame[column]))
    return ask_engine(
        (dataset.key, counts.rule),
        session().counted_segments,
        counted,
        "One pass over them counts every segment.",
        f"Count each value of '{as_text(column)}'",
        "segments",
        lambda engine: count_segments(engine, counted.table, counted.rows, counts, name_of=name_of),
    )


def known_segments(dataset: RatedDataset, counts: RatedCounts) -> Mapping[str, RatedCounts] | None:
    """Return the counts of each segment, if they were counted."""
    return session().counted_segments.get((dataset.key, counts.rule))


def _require_counted(dataset: RatedDataset) -> CountedDataset:
    if not isinstance(dataset, CountedDataset):
        raise TypeError("Only documents that lie in an engine are counted there.")
    return dataset


def ask_engine(
    key: Hashable,
    known: dict[Hashable, T],
    dataset: RatedDataset,
    what: str,
    label: str,
    name: str,
    count: Callable[[Engine], T],
) -> T | None:
    """Return what is known under a key, or offer to ask the engine of a dataset for it."""
    if key not in known:
        st.caption(f"The rows lie in '{as_text(dataset.name)}'. {what}")
        if not st.button(label, key=f"count_by_{name}", icon=":material/database_search:"):
            return None
        try:
            engine = engine_of_dataset(dataset)
            known[key] = answered(engine, lambda _: count(engine), key=f"stop_by_{name}")
        except DataError as error:
            st.error(as_text(str(error)), icon=":material/error:")
            return None
        while len(known) > MAX_ALONG:
            known.pop(next(iter(known)))
    return known[key]


def _key(dataset: RatedDataset, thresholds: Floats, rule: Rule, by: By) -> Hashable:
    return (dataset.key, thresholds.tobytes(), rule, by)
