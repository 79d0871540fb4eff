"""Fetch a small table of an engine, or a sample that shows its columns.

`load_sample` fetches a window of a table: all its rows, or a sample of too many. `rated_columns_of` finds the values
in all rows for the meanings of a sample, so that `count_documents` can count them in the engine.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date, datetime
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as arrow

from multiloss_core.decisions.record import recorded_filters
from multiloss_core.engines.columns import ALL_ROWS, RatedColumns, RowWindow
from multiloss_core.engines.engine import Engine
from multiloss_core.engines.run_queries import (
    SAMPLED_ROWS,
    column_values,
    count_cells,
    count_rows,
    fetch_rows,
    lowest_scores,
    require_numbers,
)
from multiloss_core.errors import DataError
from multiloss_core.formatting import shortened
from multiloss_core.numerics.arrays import Floats
from multiloss_core.sql_dialects import Value
from multiloss_core.tables.column_meanings import ColumnMeanings
from multiloss_core.tables.column_values import BLANK, base_of, column_of, numbers
from multiloss_core.tables.rating_column import Meaning, parse_ratings, values_and_blanks
from multiloss_core.tables.reading.column_types import typed_columns
from multiloss_core.tables.reading.parquet_file import plain_column
from multiloss_core.tables.reading.table_file import TableFile
from multiloss_core.thresholds.data.document_columns import without_score
from multiloss_core.thresholds.data.rating_floors import (
    FloorMethod,
    UncertainFloorsError,
    estimate_floors,
    floor_evidence,
    suggest_floors,
)

# Rows that are held in memory, fetched or uploaded; of more, cells are counted where they lie.
MAX_HELD = 1_000_000


@dataclass(frozen=True, kw_only=True, eq=False)
class EngineSample:
    """Hold the fetched rows of a window of a table of `rows` rows: all, or some.

    `file` is as one that was read. `version`: the state of the table, where it is known.
    """

    table: str
    window: RowWindow
    rows: int
    file: TableFile
    version: str | None

    @property
    def is_complete(self) -> bool:
        """Whether all rows of the window were fetched, to be worked with as those of an upload."""
        return len(self.file.frame) == self.rows

    @property
    def fingerprint(self) -> str:
        """A SHA-256 of the fetched rows, or of the table's name, window, version and size."""
        if self.is_complete:
            names = json.dumps([*map(str, self.file.frame.columns)]).encode("ascii")
            return hashlib.sha256(names + _row_hashes(self.file.frame).tobytes()).hexdigest()
        described = {"table": self.table, "window": asdict(self.window), "version": self.version, "rows": self.rows}
        return hashlib.sha256(json.dumps(described, sort_keys=True, default=str).encode("ascii")).hexdigest()


@dataclass(frozen=True, kw_only=True)
class EngineTable:
    """Identify a table of the configured `connection`, fetched at a time (UTC).

    The rows of a large file lie in an `engine` of their own, and no connection is named.
    """

    connection: str | None
    sample: EngineSample
    fetched_at: datetime
    engine: Engine | None = None

    @property
    def rows(self) -> int:
        """The number of rows of the table."""
        return self.sample.rows

    @property
    def is_complete(self) -> bool:
        """Whether all rows were fetched."""
        return self.sample.is_complete

    @property
    def recorded(self) -> dict[str, Any]:
        """The table as the fields of `RecordedData`; empty for a file."""
        if self.connection is None:
            return {}
        window = self.sample.window
        given = {
            "source": self.connection,
            "snapshot": self.sample.version,
            "counted_at": f"{self.fetched_at:%Y-%m-%dT%H:%M:%SZ}",
            "time": window.time,
            "since": window.since and window.since.isoformat(),
            "until": window.until and window.until.isoformat(),
            "filters": recorded_filters((entry.column, entry.values) for entry in window.filters),
        }
        return {name: value for name, value in given.items() if value}


def load_sample(
    engine: Engine, table: str, window: RowWindow = ALL_ROWS, *, most: int | None = None, sampled: int = SAMPLED_ROWS
) -> EngineSample:
    """Fetch a window's rows up to `most` (`MAX_HELD` by default); else `sampled` of them.

    Engines that keep no order give the rows in one that depends on what they hold alone, so that the same rows give the
    same numbers.

    Raises DataError: no row; EngineError and Cancelled, see `Engine.query`.
    """
    most = MAX_HELD if most is None else most
    version = engine.version(table)
    rows = count_rows(engine, table, window)
    if not rows:
        raise DataError(f"'{shortened(table)}' has no rows in this range; choose another range of dates or table.")
    is_complete = rows <= most
    file = fetch_rows(engine, table, window, most=most if is_complete else sampled)
    if is_complete and not engine.dialect.keeps_order:
        order = np.argsort(_row_hashes(file.frame), kind="stable")
        file = replace(file, frame=file.frame.iloc[order].reset_index(drop=True))
    # Rows may have come or gone since they were counted.
    rows = len(file.frame) if is_complete else max(rows, len(file.frame) + 1)
    return EngineSample(table=table, window=window, rows=rows, file=file, version=version)


@dataclass(frozen=True, kw_only=True)
class Ratings:
    """Hold the distinct values of a rating column, as words, with their numbers of rows.

    `words` (v,) are those of `values_and_blanks`: lower case, the same for values that differ in case or blanks alone.
    """

    column: str
    values: tuple[Value | None, ...]
    words: tuple[str, ...]
    rows: tuple[int, ...]

    @property
    def counted(self) -> dict[str, int]:
        """Number of rows that hold each word, the commonest value first."""
        counted = dict.fromkeys(self.words, 0)
        for word, rows in zip(self.words, self.rows, strict=True):
            counted[word] += rows
        return counted

    def meaning(
        self, meanings: Mapping[str, Meaning], *, one_class: bool = False
    ) -> tuple[tuple[Value | None, ...], tuple[Value | None, ...]]:
        """Find the positive and the negative values from the meanings of the words.

        Raises DataError: a word without a meaning, or none that means positive or negative.
        """
        words = pd.Series(self.words, name=self.column, dtype="string")
        codes = parse_ratings(words, meanings={BLANK: "undecided", **meanings}, one_class=one_class)
        positive, negative = (
            tuple(value for value, own in zip(self.values, codes, strict=True) if own == code) for code in (1.0, 0.0)
        )
        return positive, negative


def ratings_in(engine: Engine, table: str, column: str, window: RowWindow = ALL_ROWS) -> Ratings:
    """List the ratings of a table, of all its rows in the window: one pass.

    Raises DataError: more than 1,000 different ones; EngineError and Cancelled, see `Engine.query`.
    """
    found = column_values(engine, table, column, window)
    # As the cells of a fetched table are read, so that both have the same words.
    read = {column: plain_column(arrow.chunked_array([arrow.array([value for value, _ in found])]), column)}
    codes, words = values_and_blanks(typed_columns(read).table_file().frame[column])
    known = [(value, words[code], rows) for (value, rows), code in zip(found, codes, strict=True) if code >= 0]
    return Ratings(
        column=column,
        values=tuple(value for value, _, _ in known),
        words=tuple(word for _, word, _ in known),
        rows=tuple(rows for _, _, rows in known),
    )


def rated_columns_of(
    engine: Engine, sample: EngineSample, meant: ColumnMeanings, *, one_class: bool = False
) -> RatedColumns:
    """Find the table's values with the meanings of a sample, for `count_documents`.

    Raises
    ------
    UncertainFloorsError : neither floors nor a method are given, and the sample leaves the floors uncertain.
    DataError : no such column; a rating without a meaning, or none that means positive or negative; EngineError and
        Cancelled, see `Engine.query`.
    """
    rating = meant.rating or ""
    if meant.combined is not None:
        raise DataError("A combined score is computed of loaded rows; choose a shorter range of dates to load all.")
    if meant.repeats is not None and meant.repeats.keep != "all":
        raise DataError(
            f"Rows with one '{shortened(meant.repeats.identifier)}' are selected where all rows are loaded; choose a "
            "shorter range of dates, or count all rows."
        )
    frame = sample.file.frame
    bases = {name: base_of(frame, name) for name in (*meant.scores, *meant.alert_rules, meant.weight) if name}
    for name in (*bases, rating, *filter(None, (meant.group, meant.time, meant.segment))):
        if bases.get(name, name) not in frame.columns:
            known = ", ".join(f"'{shortened(column)}'" for column in frame.columns[:8])
            raise DataError(f"There is no column '{shortened(name)}' in '{shortened(sample.table)}'; it has {known}.")
    values = ratings_in(engine, sample.table, rating, sample.window)
    positive, negative = values.meaning(meant.known_meanings, one_class=one_class)
    columns = RatedColumns(
        scores=meant.scores,
        alert_rules=meant.alert_rules,
        rating=rating,
        meanings=meant.meanings,
        positive=positive,
        negative=negative,
        weight=meant.weight,
        time=meant.time,
        segment=meant.segment,
        group=meant.group,
        window=sample.window,
        derived=tuple((name, base) for name, base in bases.items() if base is not None and base != name),
        one_class=one_class,
    )
    given = (*(meant.floors or (None,) * len(meant.scores)), *[1.0] * len(meant.alert_rules))
    found = complete_floors(engine, sample.table, columns, given, frame, meant.floor_method)
    return replace(columns, floors=found, window=_complete_days(sample.window, meant))


def _complete_days(window: RowWindow, meant: ColumnMeanings) -> RowWindow:
    """Leave out the days whose ratings are incomplete."""
    if meant.complete_until is None or meant.time is None:
        return window
    if window.time not in (None, meant.time):
        raise DataError(f"The days were chosen by '{window.time}'; leave out incomplete weeks by the same column.")
    until = date.fromisoformat(meant.complete_until)
    earlier = until if window.until is None else min(until, window.until)
    return replace(window, time=meant.time, until=earlier)


def _row_hashes(frame: pd.DataFrame) -> "np.ndarray[tuple[int], np.dtype[np.uint64]]":
    return np.asarray(pd.util.hash_pandas_object(frame, index=False), dtype=np.uint64)


# Nodes of each axis, by the number of scores.
FLOOR_RESOLUTIONS = {2: 400, 3: 100, 4: 40}


def complete_floors(
    engine: Engine,
    table: str,
    columns: RatedColumns,
    given: Sequence[float | None],
    sample: pd.DataFrame,
    method: FloorMethod | None,
) -> tuple[float, ...]:
    """Complete missing floors (k,) by a maximal empty corner, as `suggest_floors` does.

    Where it lies is found on a grid of the quantiles of a `sample` of rows, and its sides then among all rows: one pass
    for the smallest scores, one for the cells, and one for each side. Without such a corner, the smallest scores.
    Density jumps are those of the sample.

    Raises
    ------
    UncertainFloorsError : no `method` is given, and the sample leaves the floors uncertain.
    DataError : columns that hold no numbers; EngineError and Cancelled, see `Engine.query`.
    """
    known = {j: floor for j, floor in enumerate(given) if floor is not None}
    if len(known) == len(given):
        return tuple(known.values())
    jumps = _jumps_of_sample(columns, known, sample, method)
    if jumps is not None:
        return tuple((known | jumps)[j] for j in range(len(given)))
    columns = replace(columns, floors=())
    require_numbers(engine, table, columns)
    # A document at or above a given floor was rated for it and is no evidence on others.
    lowest = lowest_scores(engine, table, columns, known)
    if known and np.isnan(lowest).all():
        lowest = lowest_scores(engine, table, columns)
    # Counting reports a table without usable rows.
    low = {j: float(np.nan_to_num(lowest[j])) for j in range(len(given)) if j not in known}
    corner = low if len(low) == 1 else _empty_corner(engine, table, columns, known, low, sample)
    return tuple((known | corner)[j] for j in range(len(given)))


def _jumps_of_sample(
    columns: RatedColumns, known: dict[int, float], sample: pd.DataFrame, method: FloorMethod | None
) -> dict[int, float] | None:
    """Find a sample's floors by density jumps where these apply; None for the corner."""
    if method == "corner":
        return None
    read = [numbers(column_of(sample, name))[0] for name in columns.classifiers]
    scores = np.column_stack(read)
    scores[:, len(columns.scores) :] = np.nan_to_num(scores[:, len(columns.scores) :])
    scores[np.isnan(scores)] = -np.inf
    has_score = ~without_score(scores, len(columns.alert_rules)) & (scores < np.inf).all(axis=1)
    usable = has_score & sample[columns.rating].notna().to_numpy()
    usable[usable] = floor_evidence(scores[usable, : len(columns.scores)])
    below_known = (scores[:, [*known]] < np.array([*known.values()])).all(axis=1)
    rows = np.flatnonzero(usable & below_known)
    missing = [j for j in range(len(columns.classifiers)) if j not in known]
    if not len(rows):
        return None
    estimate = estimate_floors(scores[rows][:, missing], [columns.classifiers[j] for j in missing])
    if method is None and not estimate.is_certain:
        raise UncertainFloorsError(estimate, rows[estimate.below])
    return None if method is None else dict(zip(missing, estimate.jump.tolist(), strict=True))


def _empty_corner(
    engine: Engine,
    table: str,
    columns: RatedColumns,
    known: dict[int, float],
    low: dict[int, float],
    sample: pd.DataFrame,
) -> dict[int, float]:
    """Find the most surprising empty corner in `low` among documents below `known` floors."""
    axes = tuple(
        np.array([known[j]]) if j in known else _nodes(column_of(sample, name), low[j], FLOOR_RESOLUTIONS[len(low)])
        for j, name in enumerate(columns.classifiers)
    )
    cells, documents, _, _ = count_cells(engine, table, columns, axes)
    unexplained = (cells[:, [*known]] == 0).all(axis=1)
    # A blank lies below the first node.
    nodes = np.column_stack([np.append(axes[j], -np.inf)[cells[:, j] - 1] for j in low])
    counts = documents.sum(axis=1)
    unexplained &= floor_evidence(nodes, counts)
    if not unexplained.any():
        return low
    found = suggest_floors(nodes[unexplained], counts[unexplained])
    corner = dict(zip(low, found.tolist(), strict=True))
    if any(corner[j] <= low[j] for j in low):
        return low
    for j in low:
        below = known | {i: limit for i, limit in corner.items() if i != j}
        side = lowest_scores(engine, table, columns, below)[j]
        corner[j] = corner[j] if np.isnan(side) else float(side)
    return corner


def _nodes(sample: pd.Series, low: float, resolution: int) -> Floats:
    values = pd.to_numeric(sample, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
    values = values[np.isfinite(values) & (values > low)]
    spread = np.quantile(values, np.linspace(0, 1, resolution - 1), method="inverted_cdf") if len(values) else values
    return np.unique(np.concatenate([[low], spread]))
