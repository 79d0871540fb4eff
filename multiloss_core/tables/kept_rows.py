"""Keep all rows of a large table as Parquet, and a sample to guess its columns from."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as arrow
from pyarrow import compute, parquet

from multiloss_core.errors import DataError
from multiloss_core.tables.column_values import MAX_SAMPLED
from multiloss_core.tables.guess_columns import guess_columns, is_count_table
from multiloss_core.tables.reading.column_types import Columns, is_text
from multiloss_core.tables.reading.table_file import frame_of
from multiloss_core.tables.time_column import EARLIEST, END, document_times

ROWS_AT_ONCE = 2**18


@dataclass(frozen=True, kw_only=True)
class Kept:
    """Name the file that rows go to where there are more than `most`, 0 for any number."""

    path: Path
    most: int

    def takes(self, columns: Mapping[str, arrow.ChunkedArray]) -> bool:
        """Whether the rows are too many, and documents whose columns SQL can name."""
        rows = len(next(iter(columns.values())))
        # SQL ignores case.
        names = {name.casefold() for name in columns}
        return (
            rows > self.most
            and len(names) == len(columns)
            and not any("\0" in name for name in names)
            and not is_count_table(frame_of(spread_rows(columns, 1).items()))
        )


def keep_rows(columns: Columns, kept: Kept) -> Columns:
    """Write all rows, with parsed times, and return at most 10,000 of them.

    `columns` is emptied on the way: of the rows, no column is held twice.
    """
    sample = spread_rows(columns, min(kept.most or MAX_SAMPLED, MAX_SAMPLED))
    frame = frame_of(sample.items())
    time = guess_columns(frame).time
    for name in columns:
        if name == time or is_text(columns[name]):
            columns[name] = _as_times(columns[name], sample[name])
    table = arrow.table(columns).unify_dictionaries()
    columns.clear()
    texts = [field.name for field in table.schema if is_text(table[field.name])]
    parquet.write_table(table, kept.path, compression="zstd", use_dictionary=texts, row_group_size=ROWS_AT_ONCE)
    return sample


def spread_rows(columns: Mapping[str, arrow.ChunkedArray], most: int) -> Columns:
    """Return at most `most` evenly spread rows, as `sampled` does."""
    rows = len(next(iter(columns.values())))
    places = arrow.array(np.linspace(0, rows - 1, min(rows, most)).astype(np.int64))
    return {name: column.take(places) for name, column in columns.items()}


def _as_times(column: arrow.ChunkedArray, sample: arrow.ChunkedArray) -> arrow.ChunkedArray:
    """Read a column as times where all its cells are some; it stays as it is elsewhere."""
    with suppress(DataError):
        if _times(sample).null_count == len(sample):
            return column
        return _plain_times(column) or arrow.chunked_array(list(_times_by_parts(column, sample)))
    return column


def _plain_times(column: arrow.ChunkedArray) -> arrow.ChunkedArray | None:
    """Parse ISO text without time zones at once; None for anything else."""
    if not arrow.types.is_string(column.type):
        return None
    try:
        times = column.cast(arrow.timestamp("us"))
    except arrow.ArrowInvalid:
        return None
    bounds = compute.min_max(times).as_py()
    return times if EARLIEST.item() <= bounds["min"] and bounds["max"] < END.item() else None


def _times_by_parts(column: arrow.ChunkedArray, sample: arrow.ChunkedArray) -> Iterator[arrow.Array]:
    """Read in parts, each with the sample, so that all have the same interpretation."""
    for start in range(0, len(column), ROWS_AT_ONCE):
        part = column.slice(start, ROWS_AT_ONCE)
        both = arrow.chunked_array([*sample.chunks, *part.chunks], column.type)
        yield _times(both).slice(len(sample))


def _times(cells: arrow.ChunkedArray) -> arrow.Array:
    frame = frame_of([("time", cells)])
    known = frame["time"].notna().to_numpy()
    if is_text(cells):
        known = known & (frame["time"].astype("string").str.strip() != "").fillna(False).to_numpy(dtype=bool)
    times = np.full(len(frame), np.datetime64("NaT", "us"))
    times[known] = document_times(frame, "time", np.flatnonzero(known))
    return arrow.array(times)
