"""A file as it was read: its table, and what was noticed on the way."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as arrow

from multiloss_core.tables.reading.bounds import require_table_size

# Whole numbers up to here are also exact as fractions.
EXACT = 2**53


@dataclass(frozen=True, kw_only=True, eq=False)
class TableFile:
    """A file as a table.

    Columns of `frame` hold numbers, times, or text as it was written (blank cells are missing).
    `notes`: sentences for people, on what was skipped, taken for something or left out.
    `ambiguous`: text columns of numbers such as 1,234, which may be thousands or decimals; see `with_decimal_sign`.
    `units`: what stands beside the numbers of a column, such as $.
    `sheets`: those of an Excel file, and `sheet` the one that was read. `rows`: how many the file has where `frame`
    holds some of them, evenly spread.
    """

    frame: pd.DataFrame
    notes: tuple[str, ...] = ()
    ambiguous: tuple[str, ...] = ()
    units: Mapping[str, str] = field(default_factory=dict)
    sheets: tuple[str, ...] = ()
    sheet: str | None = None
    rows: int | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class DecodedFile:
    """The same with Arrow columns, from which a frame is made, or which go from one process to another."""

    columns: Mapping[str, arrow.ChunkedArray]
    notes: tuple[str, ...] = ()
    ambiguous: tuple[str, ...] = ()
    units: Mapping[str, str] = field(default_factory=dict)
    sheets: tuple[str, ...] = ()
    sheet: str | None = None
    name: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        require_table_size(sum(column.nbytes for column in self.columns.values()), self.name)

    def table_file(self) -> TableFile:
        """Turn the columns into a frame of its own memory."""
        return TableFile(
            frame=frame_of(self.columns.items()),
            notes=self.notes,
            ambiguous=self.ambiguous,
            units=self.units,
            sheets=self.sheets,
            sheet=self.sheet,
        )


def frame_of(columns: Iterable[tuple[str, arrow.ChunkedArray]]) -> pd.DataFrame:
    """Make a frame of columns, one after the other, so that each can be freed before the next is made."""
    return pd.DataFrame({name: _series(column) for name, column in columns}, copy=False)


def _series(column: arrow.ChunkedArray) -> Any:
    types = arrow.types
    if types.is_integer(column.type) and column.null_count:
        column = column.cast(arrow.float64())
    if types.is_integer(column.type) or types.is_floating(column.type):
        # A copy: the memory of Arrow cannot be written to.
        return np.array(column.to_numpy(zero_copy_only=False))
    return column.to_pandas()
