"""How a table of an engine is worked with, decided once for screen and command: as its rows, or as counts of its cells.

`load_sample` fetches a window of a table: all its rows while these are few, which then are as those of an upload, else
some, from which is told what its columns mean. `rated_columns_of` says that of all its rows, in values of the columns,
so that `count_documents` can count them where they lie.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np
import pandas as pd
import pyarrow as arrow

from multiloss_core.engines.columns import ALL_ROWS, RatedColumns, RowWindow
from multiloss_core.engines.dialects import Value
from multiloss_core.engines.engine import Engine
from multiloss_core.engines.floors import complete_floors
from multiloss_core.engines.questions import SAMPLED_ROWS, column_values, count_rows, fetch_rows
from multiloss_core.errors import DataError
from multiloss_core.formatting import shortened
from multiloss_core.tables.derived_column import base_of
from multiloss_core.tables.rating_column import Meaning, parse_ratings, rating_values
from multiloss_core.tables.reading.column_types import typed_columns
from multiloss_core.tables.reading.parquet_file import plain_column
from multiloss_core.tables.reading.table_file import TableFile, frame_of
from multiloss_core.thresholds.data.rating_floors import FloorMethod

# Up to so many rows are fetched; of more, cells are counted where they lie.
MOST_FETCHED = 200_000
# Of a file that a person brings, whose rows are here already; of more, the server would hold hundreds of megabytes.
MOST_HELD = 1_000_000


@dataclass(frozen=True, kw_only=True, eq=False)
class EngineSample:
    """What was fetched of a window of a table, which holds so many `rows`: all of them, or some.

    `file` is as one that was read. `version`: which state of the table it was, where its engine tells.
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
        """A SHA-256: of the rows where all were fetched, else of the table's name, window, version and size."""
        if self.is_complete:
            names = json.dumps([*map(str, self.file.frame.columns)]).encode("ascii")
            return hashlib.sha256(names + _row_hashes(self.file.frame).tobytes()).hexdigest()
        told = {"table": self.table, "window": asdict(self.window), "version": self.version, "rows": self.rows}
        return hashlib.sha256(json.dumps(told, sort_keys=True, default=str).encode("ascii")).hexdigest()


def load_sample(
    engine: Engine, table: str, window: RowWindow = ALL_ROWS, *, most: int | None = None, sampled: int = SAMPLED_ROWS
) -> EngineSample:
    """Fetch the rows of a window where there are at most so many, `MOST_FETCHED` when left out; else `sampled` of them.

    Engines that keep no order give the rows in one that depends on what they hold alone, so that the same rows give the
    same numbers.

    Raises
    ------
    DataError : no row; EngineError and Cancelled, see `Engine.query`.
    """
    most = MOST_FETCHED if most is None else most
    version = engine.version(table)
    rows = count_rows(engine, table, window)
    if not rows:
        raise DataError(f"'{shortened(table)}' has no rows in this range; choose another range of dates or table.")
    is_complete = rows <= most
    file = fetch_rows(engine, table, window, most=most if is_complete else sampled)
    if is_complete and not engine.dialect.keeps_order:
        file = TableFile(frame=_in_one_order(file.frame), notes=file.notes, ambiguous=file.ambiguous, units=file.units)
    # Rows may have come or gone since they were counted.
    rows = len(file.frame) if is_complete else max(rows, len(file.frame) + 1)
    return EngineSample(table=table, window=window, rows=rows, file=file, version=version)


@dataclass(frozen=True, kw_only=True)
class Ratings:
    """The different values of a rating column, blank ones left out: as they are, in words, and in how many rows.

    `words` (v,) are those of `rating_values`: lower case, the same for values that differ in case or blanks alone.
    """

    column: str
    values: tuple[Value, ...]
    words: tuple[str, ...]
    rows: tuple[int, ...]

    @property
    def counted(self) -> dict[str, int]:
        """How many rows hold each word, the commonest value first."""
        counted = dict.fromkeys(self.words, 0)
        for word, rows in zip(self.words, self.rows, strict=True):
            counted[word] += rows
        return counted

    def meaning(
        self, meanings: Mapping[str, Meaning], *, one_class: bool = False
    ) -> tuple[tuple[Value, ...], tuple[Value, ...]]:
        """Find the values that mean positive and those that mean negative, from what each word means.

        Raises
        ------
        DataError : a word without a meaning, or none that means positive or negative.
        """
        words = pd.Series(self.words, name=self.column, dtype="string")
        codes = parse_ratings(words, meanings=meanings, one_class=one_class)
        positive, negative = (
            tuple(value for value, own in zip(self.values, codes, strict=True) if own == code) for code in (1.0, 0.0)
        )
        return positive, negative


def ratings_in(engine: Engine, table: str, column: str, window: RowWindow = ALL_ROWS) -> Ratings:
    """List the ratings of a table, of all its rows in the window: one pass.

    Raises
    ------
    DataError : more than 1,000 different ones; EngineError and Cancelled, see `Engine.query`.
    """
    found = [(value, rows) for value, rows in column_values(engine, table, column, window) if value is not None]
    # As the cells of a fetched table are read, so that both have the same words.
    read = {column: plain_column(arrow.chunked_array([arrow.array([value for value, _ in found])]), column)}
    cells = frame_of(typed_columns(read).columns.items())[column]
    codes, words = rating_values(cells)
    known = [(value, words[code], rows) for (value, rows), code in zip(found, codes, strict=True) if code >= 0]
    return Ratings(
        column=column,
        values=tuple(value for value, _, _ in known),
        words=tuple(word for _, word, _ in known),
        rows=tuple(rows for _, _, rows in known),
    )


def rated_columns_of(
    engine: Engine,
    sample: EngineSample,
    *,
    scores: Sequence[str],
    rating: str,
    meanings: Mapping[str, Meaning],
    floors: Sequence[float | None] = (),
    floor_method: FloorMethod | None = None,
    weight: str | None = None,
    group: str | None = None,
    time: str | None = None,
    segment: str | None = None,
    one_class: bool = False,
) -> RatedColumns:
    """Say what the columns of a table mean in the values that they hold, for `count_documents`.

    `meanings`: what each rating means, in lower-case words as for `RatedDocuments.from_frame`. `floors`: one for each
    score, None or left out for one that is estimated by `floor_method`; documents below all floors are left out.

    Raises
    ------
    UncertainFloorsError : neither floors nor a method are given, and the sample leaves the floors uncertain.
    DataError : no such column; a rating without a meaning, or none that means positive or negative; EngineError and
        Cancelled, see `Engine.query`.
    """
    bases = {name: _base_of(sample, name) for name in (*scores, weight) if name is not None}
    for name in filter(None, (rating, group, time, segment)):
        if name not in sample.file.frame.columns:
            raise _no_column(sample, name)
    positive, negative = ratings_in(engine, sample.table, rating, sample.window).meaning(meanings, one_class=one_class)
    columns = RatedColumns(
        scores=tuple(scores),
        rating=rating,
        positive=positive,
        negative=negative,
        weight=weight,
        time=time,
        segment=segment,
        group=group,
        window=sample.window,
        derived=tuple((name, base) for name, base in bases.items() if base != name),
        one_class=one_class,
    )
    given = tuple(floors) or (None,) * len(scores)
    found = complete_floors(engine, sample.table, columns, given, sample.file.frame, floor_method)
    return replace(columns, floors=found)


def _base_of(sample: EngineSample, name: str) -> str:
    base = base_of(sample.file.frame, name)
    if base is None:
        raise _no_column(sample, name)
    return base


def _no_column(sample: EngineSample, name: str) -> DataError:
    known = ", ".join(f"'{shortened(column)}'" for column in sample.file.frame.columns[:8])
    return DataError(f"There is no column '{shortened(name)}' in '{shortened(sample.table)}'; it has {known}.")


def _in_one_order(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.iloc[np.argsort(_row_hashes(frame), kind="stable")].reset_index(drop=True)


def _row_hashes(frame: pd.DataFrame) -> "np.ndarray[tuple[int], np.dtype[np.uint64]]":
    return np.asarray(pd.util.hash_pandas_object(frame, index=False), dtype=np.uint64)
