"""Reads the rated documents of a source: as the screen reads an upload while they are few, else counted in place."""

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from multiloss_core.command_line.columns import NONE, Columns, days_column
from multiloss_core.command_line.sources import OpenedTable
from multiloss_core.decisions import kept_rows
from multiloss_core.decisions.record_fields import RecordedData, RecordedFilter
from multiloss_core.engines.along import group_parts_along
from multiloss_core.engines.columns import Filter, RatedColumns, RowWindow
from multiloss_core.engines.engine import Engine, EngineError
from multiloss_core.engines.loading import EngineSample, load_sample, rated_columns_of, ratings_in
from multiloss_core.engines.questions import SAMPLED_ROWS, PathCounts, count_along, fetch_rows
from multiloss_core.engines.uploads import read_file_table
from multiloss_core.errors import DataError
from multiloss_core.formatting import shortened
from multiloss_core.generalisation import GroupParts
from multiloss_core.inspection import calendar
from multiloss_core.numerics import Bools, Floats
from multiloss_core.tables import (
    MINUS,
    READ_AS_IT_LOOKS,
    RECIPROCAL,
    ColumnGuess,
    ReadOptions,
    guess_columns,
    local_times,
    rating_values,
    require_documents,
    with_decimal_sign,
)
from multiloss_core.thresholds import Rule
from multiloss_core.thresholds.data.rated_documents import DataFunnel, RatedDocuments

DecimalSign = Literal[",", "."]


@dataclass(frozen=True, kw_only=True)
class Days:
    """Which days to read, from `since` until before `until`, by column `time`; None where nothing was said."""

    since: date | None = None
    until: date | None = None
    time: str | None = None

    @property
    def are_limited(self) -> bool:
        """Whether some days are left out."""
        return self.since is not None or self.until is not None


@dataclass(frozen=True, kw_only=True, eq=False)
class LoadedTable:
    """A table of rated documents, as far as it was fetched, and what its columns seem to be.

    `told` is what a record keeps of the place that it came from; nothing of a file. `only`: which rows (n,) lie in the
    days that are wanted. `opened` and `sample` are there for a table of an engine, and for a file of many rows.
    """

    name: str
    frame: pd.DataFrame
    guess: ColumnGuess
    fingerprint: str
    notes: tuple[str, ...] = ()
    ambiguous: tuple[str, ...] = ()
    told: dict[str, Any] = field(default_factory=dict)
    only: Bools | None = None
    opened: OpenedTable | None = None
    sample: EngineSample | None = None

    @property
    def is_complete(self) -> bool:
        """Whether all rows are here, and not some of those that are counted in their engine."""
        return self.sample is None or self.sample.is_complete

    def words_of(self, rating: str) -> Sequence[str]:
        """List the different ratings of all rows, lower-case words."""
        if self.opened is not None and self.sample is not None and not self.is_complete:
            return tuple(ratings_in(self.opened.engine, self.opened.table, rating, self.sample.window).counted)
        return rating_values(self.frame[rating])[1] if rating in self.frame.columns else ()

    def recorded(
        self, fingerprint: str, funnel: DataFunnel | None, documents: float, days: float | None
    ) -> RecordedData:
        """Describe the data for a record; `documents` is how many the rated rows stand for."""
        return RecordedData(self.name, fingerprint, funnel, documents, days, **self.told)


def load_file(
    path: Path,
    days: Days,
    decimal: DecimalSign | None = None,
    filters: Sequence[RecordedFilter] = (),
    options: ReadOptions = READ_AS_IT_LOOKS,
) -> LoadedTable:
    """Read a file as an upload to the screen is read; of its rows those that `filters` keep.

    Raises
    ------
    DataError : no usable table of documents, or days that cannot be told.
    """
    data = path.read_bytes()
    read = read_file_table(data, path.name, options)
    file, sample, engine = read.file, read.sample, read.engine
    if read.guess is None:
        raise DataError(f"'{path.name}' is a table of counts; choose on the screen, or give the rated documents.")
    require_documents(file.frame, file.ambiguous)
    frame = _with_decimals(file.frame, file.ambiguous, decimal)
    open_signs = () if decimal else file.ambiguous
    if filters:
        inside = kept_rows(frame, filters)
        frame = frame if engine else frame[inside].reset_index(drop=True)
    guess = guess_columns(frame, open_signs) if decimal or filters else read.guess
    told, only = {}, None
    # Another sheet or other days are other data.
    fingerprint = hashlib.sha256(data + options.key.encode())
    if days.are_limited:
        days = replace(days, time=days_column(days.time, guess))
        told = _told_of_days(days)
        fingerprint.update(repr(sorted(told.items())).encode())
        only = None if engine else _rows_in(days, frame, path.name)
    if engine is not None and (days.are_limited or filters):
        sample = load_sample(engine, path.name, _window(days, filters))
        frame = _with_decimals(sample.file.frame, file.ambiguous, decimal)
    return LoadedTable(
        name=path.name,
        frame=frame,
        guess=guess,
        fingerprint=fingerprint.hexdigest(),
        notes=file.notes,
        ambiguous=open_signs,
        told=told,
        only=only,
        opened=None if engine is None else OpenedTable(engine=engine, table=path.name, source=""),
        sample=sample,
    )


def _rows_in(days: Days, frame: pd.DataFrame, name: str) -> Bools:
    """Which rows (n,) lie in the days that are wanted. Raises DataError where none does."""
    times, _ = local_times(frame, days.time or "", np.arange(len(frame)))
    only = np.ones(len(frame), dtype=bool)
    only &= True if days.since is None else times >= np.datetime64(days.since)
    only &= True if days.until is None else times < np.datetime64(days.until)
    if not only.any():
        raise DataError(f"'{name}' has no rows in this range; choose another range of dates.")
    return only


def _window(days: Days, filters: Sequence[RecordedFilter]) -> RowWindow:
    """Say to an engine which rows are wanted."""
    return RowWindow(
        time=days.time if days.are_limited else None,
        since=days.since,
        until=days.until,
        filters=tuple(Filter(column=entry.column, values=entry.values) for entry in filters),
    )


def load_table(
    opened: OpenedTable, days: Days, decimal: DecimalSign | None = None, filters: Sequence[RecordedFilter] = ()
) -> LoadedTable:
    """Fetch the rows of a table that `filters` keep, or enough of them to see what its columns mean.

    Raises
    ------
    DataError : no usable table of documents, days that cannot be told, or an engine that cannot answer.
    """
    engine, table = opened.engine, opened.table
    if days.are_limited:
        first = None if days.time else guess_columns(fetch_rows(engine, table, most=SAMPLED_ROWS).frame)
        days = replace(days, time=days_column(days.time, first))
    if filters:
        # Says which column is missing before the engine does in words of its own.
        kept_rows(fetch_rows(engine, table, most=1).frame.iloc[:0], filters)
    sample = load_sample(engine, table, _window(days, filters))
    require_documents(sample.file.frame, sample.file.ambiguous)
    open_signs = () if decimal else sample.file.ambiguous
    frame = _with_decimals(sample.file.frame, sample.file.ambiguous, decimal)
    told = {"source": opened.source, "counted_at": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"}
    if sample.version is not None:
        told["snapshot"] = sample.version
    return LoadedTable(
        name=table,
        frame=frame,
        guess=guess_columns(frame, open_signs),
        fingerprint=sample.fingerprint,
        notes=sample.file.notes,
        ambiguous=open_signs,
        told=told | (_told_of_days(days) if days.are_limited else {}),
        opened=opened,
        sample=sample,
    )


def documents_of(loaded: LoadedTable, columns: Columns, *, one_class: bool = False) -> RatedDocuments:
    """Read the rated documents of a table all of whose rows are here. Raises DataError, as `from_frame` does."""
    _require_decimals(loaded, columns)
    return RatedDocuments.from_frame(
        loaded.frame,
        list(columns.scores),
        columns.rating,
        meanings=columns.meanings,
        weight=columns.weight,
        floors=dict(zip(columns.scores, columns.floors, strict=True)),
        floor_method=columns.floor_method,
        group=columns.group,
        leave_out_unusable=columns.leave_out_unusable,
        only=loaded.only,
        one_class=one_class,
    )


def days_of(loaded: LoadedTable, columns: Columns, documents: RatedDocuments) -> float | None:
    """Count the calendar days from the first to the last document, undecided ones too; None without times."""
    if columns.time is None:
        return None
    rated = len(documents.rows)
    times, _ = local_times(loaded.frame, columns.time, np.concatenate([documents.rows, documents.undecided.rows]))
    return float(calendar(times[:rated], times[rated:]).days)


@dataclass(frozen=True, kw_only=True, eq=False)
class CountedTable:
    """A table whose rows are counted in their engine, and what its columns mean there."""

    engine: Engine
    table: str
    columns: RatedColumns
    time: str | None

    def along(self, thresholds: Floats, rule: Rule) -> tuple[PathCounts, float | None]:
        """Count along a path (m, k); and on how many calendar days rows came, None where no day can be told."""
        if self.time is not None:
            by_day = replace(self.columns, time=self.time)
            # Times in words of their own, which an engine cannot read, leave only the days unknown.
            with suppress(EngineError):
                found = count_along(self.engine, self.table, by_day, thresholds, rule, by="day")
                return found, _days_between(found)
        return count_along(self.engine, self.table, self.columns, thresholds, rule), None

    def group_parts(self, thresholds: Floats, rule: Rule) -> GroupParts | None:
        """Count along a path (m, k) by parts of the groups, for intervals; None where rows have no groups."""
        if self.columns.group is None:
            return None
        counts = count_along(self.engine, self.table, self.columns, thresholds, rule, by="part")
        return group_parts_along(counts, thresholds, rule)


def counted_table(loaded: LoadedTable, columns: Columns, *, one_class: bool = False) -> CountedTable:
    """Say what columns mean to the engine that counts their rows. Raises DataError, as `rated_columns_of` does."""
    if loaded.opened is None or loaded.sample is None:
        raise TypeError("A file is not counted in an engine.")
    engine = loaded.opened.engine
    meant = rated_columns_of(
        engine,
        loaded.sample,
        scores=columns.scores,
        rating=columns.rating,
        meanings=columns.meanings,
        floors=columns.floors,
        floor_method=columns.floor_method,
        weight=columns.weight,
        group=columns.group,
        one_class=one_class,
    )
    return CountedTable(engine=engine, table=loaded.opened.table, columns=meant, time=columns.time)


def _days_between(counts: PathCounts) -> float | None:
    known = np.empty(0, dtype="datetime64[D]") if counts.by is None else counts.by[~np.isnat(counts.by)]
    return float((known.max() - known.min()) / np.timedelta64(1, "D") + 1) if known.size else None


def _told_of_days(days: Days) -> dict[str, str]:
    limits = {"since": days.since, "until": days.until}
    told = {name: limit.isoformat() for name, limit in limits.items() if limit is not None}
    return told | ({"time": days.time} if days.time and days.time != NONE else {})


def _with_decimals(frame: pd.DataFrame, ambiguous: Sequence[str], decimal: DecimalSign | None) -> pd.DataFrame:
    return frame if decimal is None else with_decimal_sign(frame, dict.fromkeys(ambiguous, decimal))


def _require_decimals(loaded: LoadedTable, columns: Columns) -> None:
    used = {name.removeprefix(prefix) for name in columns.used for prefix in ("", MINUS, RECIPROCAL)}
    for name in loaded.ambiguous:
        if name in used:
            raise DataError(
                f"The numbers in '{shortened(name)}' can be read in two ways; give --decimal , or --decimal . for the "
                "sign that their decimals come after."
            )
