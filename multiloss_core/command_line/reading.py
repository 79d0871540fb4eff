"""Open the table that the command was given, and read it as a source of rated documents."""

import hashlib
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from pyarrow import ArrowException, parquet

from multiloss_core.command_line.columns import NONE, days_column
from multiloss_core.datasets import RatedDataset, RatedSource
from multiloss_core.decisions import kept_rows
from multiloss_core.decisions.record_fields import RecordedFilter
from multiloss_core.engines import loading
from multiloss_core.engines.backends.duckdb_engine import DuckDBEngine
from multiloss_core.engines.columns import Filter, RatedColumns, RowWindow
from multiloss_core.engines.counting import group_parts_along
from multiloss_core.engines.engine import Engine, EngineError, UnavailableError
from multiloss_core.engines.loading import EngineTable, load_sample, rated_columns_of, ratings_in
from multiloss_core.engines.read_source import load_rated_source, read_rated_source
from multiloss_core.engines.run_queries import SAMPLED_ROWS, PathCounts, count_along, fetch_rows
from multiloss_core.errors import DataError
from multiloss_core.formatting import MINUS, shortened
from multiloss_core.numerics import Bools, Floats
from multiloss_core.tables import (
    MAX_FILE_BYTES,
    READ_AS_IT_LOOKS,
    RECIPROCAL,
    ColumnGuess,
    ColumnMeanings,
    DecimalSign,
    ReadOptions,
    guess_columns,
    local_times,
    values_and_blanks,
    with_decimal_sign,
)
from multiloss_core.thresholds import GroupParts, Rule

FILE_KINDS = (".csv", ".txt", ".tsv", ".csv.gz", ".txt.gz", ".tsv.gz", ".xlsx", ".parquet", ".pq")

STANDARD_INPUT = "-"
# How files of each kind begin.
_STARTS = {b"PAR1": ".parquet", b"PK": ".xlsx", b"\x1f\x8b": ".csv.gz"}
_ADDRESS = re.compile(r"([a-z][a-z0-9+]*)://", re.IGNORECASE)
_SPARK_HOST = re.compile(r"sc://([^/;]*)", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class Days:
    """Limit the days from `since` until before `until`, by column `time`; None for no limit."""

    since: date | None = None
    until: date | None = None
    time: str | None = None

    @property
    def are_limited(self) -> bool:
        """Whether some days are left out."""
        return self.since is not None or self.until is not None

    @property
    def recorded(self) -> dict[str, str]:
        """The days as fields of `RecordedData`."""
        limits = {"since": self.since, "until": self.until}
        given = {name: limit.isoformat() for name, limit in limits.items() if limit is not None}
        return given | ({"time": self.time} if given and self.time and self.time != NONE else {})

    def window(self, filters: Sequence[RecordedFilter]) -> RowWindow:
        """Return the rows to read from an engine."""
        return RowWindow(
            time=self.time if self.are_limited else None,
            since=self.since,
            until=self.until,
            filters=tuple(Filter(column=entry.column, values=entry.values) for entry in filters),
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class LoadedTable:
    """Hold a table of rated documents, as far as it was fetched.

    `recorded` are fields of `RecordedData` on where the rows lie. `only`: the rows (n,) of the days to read. `table` is
    that of an engine, also for a file of many rows.
    """

    source: RatedSource
    recorded: dict[str, Any] = field(default_factory=dict)
    only: Bools | None = None
    table: EngineTable | None = None

    @property
    def guess(self) -> ColumnGuess:
        """The guessed meanings of the columns."""
        return self.source.guess or guess_columns(self.source.frame)

    @property
    def engine(self) -> Engine:
        """The engine that holds the rows."""
        if self.table is None or self.table.engine is None:
            raise TypeError("A file is not counted in an engine.")
        return self.table.engine

    @property
    def fetched(self) -> pd.DataFrame:
        """The rows of the days to read. Raises DataError where they lie in an engine."""
        if self.source.is_sample:
            raise DataError("This command needs rows that are fetched; choose a shorter range of dates.")
        return self.source.frame if self.only is None else self.source.frame[self.only].reset_index(drop=True)

    def words_of(self, rating: str) -> Sequence[str]:
        """List the different ratings of all rows, lower-case words."""
        frame = self.source.frame
        if self.table is not None and self.source.is_sample:
            sample = self.table.sample
            return tuple(ratings_in(self.engine, sample.table, rating, sample.window).counted)
        return values_and_blanks(frame[rating])[1] if rating in frame.columns else ()

    def documents(self, columns: ColumnMeanings, *, one_class: bool = False) -> RatedDataset:
        """Build the rated documents of a table all of whose rows are here. Raises DataError."""
        used = {*columns.scores, columns.weight}
        for name in self.source.ambiguous:
            if used & {name, f"{MINUS}{name}", f"{RECIPROCAL}{name}"}:
                raise DataError(
                    f"The numbers in '{shortened(name)}' can be read in two ways; give --decimal , or --decimal . for "
                    "the sign that their decimals come after."
                )
        return RatedDataset.from_frame(
            self.source.frame,
            columns,
            name=self.source.name,
            fingerprint=self.source.fingerprint,
            origin=self.recorded,
            only=self.only,
            one_class=one_class,
        )


def file_to_read(source: str) -> Path | None:
    """Return the file to read as an upload to the screen is; None for what an engine reads.

    DuckDB reads larger text files, and Parquet files of many rows where they are: their columns have types already.
    """
    path = Path(source)
    if _ADDRESS.match(source) or not path.is_file() or not path.name.lower().endswith(FILE_KINDS):
        return None
    if path.suffix.lower() == ".xlsx":
        return path
    return path if path.stat().st_size <= MAX_FILE_BYTES and _has_few_rows(path) else None


@contextmanager
def loaded_table(
    source: str,
    options: ReadOptions,
    days: Days,
    decimal: DecimalSign | None = None,
    filters: Sequence[RecordedFilter] = (),
) -> Iterator[LoadedTable]:
    """Load a table for as long as its rows may have to be counted.

    `source`: a path, `postgresql+psycopg://…` or `sc://…`.

    Raises
    ------
    DataError : no such source, a program that is not installed, no or more than one table that could be meant, no
        usable table of documents, unknown days, or an engine that cannot answer.
    """
    file = file_to_read(source)
    if file is not None or source == STANDARD_INPUT:
        data, name = _of_standard_input() if file is None else (file.read_bytes(), file.name)
        loaded = _load_file(data, name, days, decimal, filters, options)
        try:
            yield loaded
        finally:
            if loaded.table is not None:
                loaded.engine.close()
        return
    if options != ReadOptions(sheet=options.sheet):
        raise DataError(
            f"'{shortened(source)}' is not read as one file; leave out --header-line, --skip-last, --leave-out-repeats."
        )
    opened, place = _opened(source, options.sheet)
    with closing(opened) as engine:
        yield _load_table(engine, _only_table(engine, options.sheet), place, days, decimal, filters)


@contextmanager
def opened_engine(source: str, table: str | None) -> Iterator[tuple[Engine, str]]:
    """Open an engine, with the name of the table to read. Raises DataError."""
    opened, _ = _opened(source, table)
    with closing(opened) as engine:
        yield engine, _only_table(engine, table)


def _opened(source: str, table: str | None) -> tuple[Engine, str]:
    """Open an engine, and name its place without a password."""
    address = _ADDRESS.match(source)
    if address is None:
        if Path(source).exists() and not (Path(source).is_file() or Path(source).is_dir()):
            raise DataError(
                f"'{shortened(source)}' is no file or folder; save what comes through a pipe as a file first."
            )
        return DuckDBEngine(Path(source)), f"DuckDB: {Path(source).resolve().name}"
    if address[1].lower() == "sc":
        return _of_spark(source, _given(table))
    if address[1].lower().startswith("postgresql"):
        return _of_postgresql(source, _given(table))
    raise DataError(
        f"'{address[0]}' is no source that can be read; give a file, a folder, postgresql+psycopg://… or sc://…."
    )


def _of_postgresql(source: str, table: str) -> tuple[Engine, str]:
    try:
        import sqlalchemy as sql  # noqa: PLC0415

        from multiloss_core.engines.backends.database_engine import DatabaseEngine  # noqa: PLC0415

        url = sql.make_url(source)
        engine = sql.create_engine(url.set(drivername="postgresql+psycopg"))
    except ModuleNotFoundError as error:
        raise UnavailableError(
            f"PostgreSQL needs {error.name}; install it: pip install sqlalchemy psycopg[binary]."
        ) from None
    except sql.exc.ArgumentError:
        raise DataError(
            "The address of the database cannot be read; write postgresql+psycopg://user@host/database, and give the "
            "password in PGPASSWORD or ~/.pgpass."
        ) from None
    return DatabaseEngine(engine, [table]), f"PostgreSQL: {url.host or 'local'}/{url.database or ''}"


def _of_spark(source: str, table: str) -> tuple[Engine, str]:
    try:
        import pyspark  # noqa: F401, PLC0415

        from multiloss_core.engines.backends.spark_engine import SparkEngine  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise UnavailableError(f"Spark needs {error.name}; install it: pip install pyspark-client.") from None
    host = _SPARK_HOST.match(source)
    # The text after the host may be a token.
    return SparkEngine(source, [table]), f"Spark: {host[1] if host else ''}"


def _given(table: str | None) -> str:
    if not table:
        raise DataError("Say which table to read with --table, such as --table risk.rated_alerts.")
    return table


def _only_table(engine: Engine, table: str | None) -> str:
    if table:
        return table
    known = engine.tables()
    if len(known) != 1:
        listed = ", ".join(f"'{name}'" for name in known[:8]) or "none that can be read"
        raise DataError(f"Say which table to read with --table; there are {listed}.")
    return known[0]


def _has_few_rows(path: Path) -> bool:
    if path.suffix.lower() not in (".parquet", ".pq"):
        return True
    try:
        return bool(parquet.read_metadata(path).num_rows <= loading.MAX_HELD)
    except (ArrowException, OSError):
        # Reading the file reports its faults.
        return True


def _of_standard_input() -> tuple[bytes, str]:
    """Read a file from the standard input, and name it by its kind."""
    data = sys.stdin.buffer.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise DataError(f"The standard input has more than {MAX_FILE_BYTES // 2**20} MB; save it as a file first.")
    ending = next((ending for start, ending in _STARTS.items() if data.startswith(start)), ".csv")
    return data, f"standard input{ending}"


def _load_file(
    data: bytes,
    name: str,
    days: Days,
    decimal: DecimalSign | None = None,
    filters: Sequence[RecordedFilter] = (),
    options: ReadOptions = READ_AS_IT_LOOKS,
) -> LoadedTable:
    """Read a file as an upload to the screen is read; of its rows those that `filters` keep."""
    source = read_rated_source(data, name, options)
    if source.first_choice.is_counts:
        raise DataError(f"'{name}' is a table of counts; choose on the screen, or give the rated documents.")
    table = source.origin if isinstance(source.origin, EngineTable) else None
    ambiguous, source = source.ambiguous, _with_decimals(source, decimal)
    if filters:
        inside = kept_rows(source.frame, filters)
        if table is None:
            source = _with_frame(source, source.frame[inside].reset_index(drop=True))
    only = None
    if days.are_limited:
        days = replace(days, time=days_column(days.time, source.guess))
        only = None if table else _rows_in(days, source.frame, name)
        # Other days are other data.
        key = options.key + repr(sorted(days.recorded.items()))
        source = replace(source, fingerprint=hashlib.sha256(data + key.encode()).hexdigest())
    if table is not None and table.engine is not None and (days.are_limited or filters):
        sample = load_sample(table.engine, name, days.window(filters))
        table, guess = replace(table, sample=sample), source.guess
        read = replace(source, frame=sample.file.frame, ambiguous=ambiguous, origin=table)
        source = replace(_with_decimals(read, decimal), guess=guess)
    return LoadedTable(source=source, recorded=days.recorded, only=only, table=table)


def _load_table(
    engine: Engine,
    table: str,
    place: str,
    days: Days,
    decimal: DecimalSign | None,
    filters: Sequence[RecordedFilter],
) -> LoadedTable:
    """Fetch the rows of a table that `filters` keep, or a sample of them."""
    if days.are_limited:
        first = None if days.time else guess_columns(fetch_rows(engine, table, most=SAMPLED_ROWS).frame)
        days = replace(days, time=days_column(days.time, first))
    if filters:
        # Names a missing column before the engine does in words of its own.
        kept_rows(fetch_rows(engine, table, most=1).frame.iloc[:0], filters)
    source = load_rated_source(engine, place, table, days.window(filters))
    origin = source.origin if isinstance(source.origin, EngineTable) else None
    recorded = {} if origin is None else origin.recorded
    return LoadedTable(source=_with_decimals(source, decimal), recorded=recorded, table=origin)


def _rows_in(days: Days, frame: pd.DataFrame, name: str) -> Bools:
    """Find the rows (n,) of the days to read. Raises DataError where there is none."""
    times, _ = local_times(frame, days.time or "", np.arange(len(frame)))
    only = np.ones(len(frame), dtype=bool)
    only &= True if days.since is None else times >= np.datetime64(days.since)
    only &= True if days.until is None else times < np.datetime64(days.until)
    if not only.any():
        raise DataError(f"'{name}' has no rows in this range; choose another range of dates.")
    return only


def _with_decimals(source: RatedSource, decimal: DecimalSign | None) -> RatedSource:
    """Read ambiguous numbers by a decimal sign that was given."""
    if decimal is None:
        return source
    frame = with_decimal_sign(source.frame, dict.fromkeys(source.ambiguous, decimal))
    return _with_frame(replace(source, ambiguous=()), frame)


def _with_frame(source: RatedSource, frame: pd.DataFrame) -> RatedSource:
    return replace(source, frame=frame, guess=guess_columns(frame, source.ambiguous))


@dataclass(frozen=True, kw_only=True, eq=False)
class CountedTable:
    """A table whose rows are counted in their engine, and what its columns mean there."""

    engine: Engine
    table: str
    columns: RatedColumns
    time: str | None

    @classmethod
    def of(cls, loaded: LoadedTable, columns: ColumnMeanings, *, one_class: bool = False) -> "CountedTable":
        """Find the columns' values in the engine. Raises DataError, as `rated_columns_of` does."""
        if loaded.table is None:
            raise TypeError("A file is not counted in an engine.")
        sample, untimed = loaded.table.sample, replace(columns, time=None)
        meant = rated_columns_of(loaded.engine, sample, untimed, one_class=one_class)
        return cls(engine=loaded.engine, table=sample.table, columns=meant, time=columns.time)

    def along(self, thresholds: Floats, rule: Rule) -> tuple[PathCounts, float | None]:
        """Count along a path (m, k) and on how many calendar days, None where not known."""
        if self.time is not None:
            by_day = replace(self.columns, time=self.time)
            # Times that an engine cannot read leave only the days unknown.
            with suppress(EngineError):
                found = count_along(self.engine, self.table, by_day, thresholds, rule, by="day")
                return found, _days_between(found)
        return count_along(self.engine, self.table, self.columns, thresholds, rule), None

    def group_parts(self, thresholds: Floats, rule: Rule) -> GroupParts | None:
        """Count along a path (m, k) by parts of groups, for intervals; None without groups."""
        if self.columns.group is None:
            return None
        counts = count_along(self.engine, self.table, self.columns, thresholds, rule, by="part")
        return group_parts_along(counts, thresholds, rule)


def _days_between(counts: PathCounts) -> float | None:
    known = np.empty(0, dtype="datetime64[D]") if counts.by is None else counts.by[~np.isnat(counts.by)]
    return float((known.max() - known.min()) / np.timedelta64(1, "D") + 1) if known.size else None
