"""Define how to read a file, and hold its table and notes."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as arrow
from pydantic import TypeAdapter, ValidationError

from multiloss_core.errors import DataError
from multiloss_core.tables.reading.limits import MAX_LINES


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """Choose the part of a file to read.

    `sheet`: that of a workbook. `header_line`: the line, counted from 1, that names the columns; those above are left
    out. `skip_last`: how many lines to leave out at the end; blank ones do not count. `leave_out_repeats`: whether to
    leave out rows that are identical to an earlier row in every column.

    Raises DataError: more than 1,000 lines.
    """

    sheet: str | None = None
    header_line: int | None = None
    skip_last: int = 0
    leave_out_repeats: bool = False

    def __post_init__(self) -> None:
        if self.header_line is not None and not 1 <= self.header_line <= MAX_LINES:
            raise DataError(f"The line of the header is {self.header_line:,}; choose one from 1 to {MAX_LINES:,}.")
        if not 0 <= self.skip_last <= MAX_LINES:
            raise DataError(f"{self.skip_last:,} lines at the end cannot be left out; choose 0 to {MAX_LINES:,}.")

    @property
    def has_lines(self) -> bool:
        """Whether lines were chosen, which only text and workbooks have."""
        return self.header_line is not None or self.skip_last > 0

    @property
    def key(self) -> str:
        """Name the options for a fingerprint, as other options give other data; empty by default."""
        return (self.sheet or "") if self == ReadOptions(sheet=self.sheet) else json.dumps(asdict(self))

    @classmethod
    def from_key(cls, key: str) -> "ReadOptions":
        """Read back a key from a browser; text that is no options is the name of a sheet."""
        try:
            return TypeAdapter(cls).validate_json(key, strict=True)
        except (ValidationError, DataError):
            return cls(sheet=key or None)


READ_AS_IT_LOOKS = ReadOptions()


# Whole numbers up to here are exact as floats.
EXACT = 2**53


@dataclass(frozen=True, kw_only=True, eq=False)
class ReadNotes:
    """Describe how a table was read.

    `notes`: sentences for people, on what was skipped, taken for something or left out.
    `ambiguous`: text columns of numbers such as 1,234, which may be thousands or decimals; see `with_decimal_sign`.
    `units`: what stands beside the numbers of a column, such as $.
    `sheets`: those of an Excel file, and `sheet` the one that was read.
    """

    notes: tuple[str, ...] = ()
    ambiguous: tuple[str, ...] = ()
    units: Mapping[str, str] = field(default_factory=dict)
    sheets: tuple[str, ...] = ()
    sheet: str | None = None

    @property
    def about(self) -> dict[str, Any]:
        """All of this by name, for another table of the same file."""
        return {entry.name: getattr(self, entry.name) for entry in fields(ReadNotes)}


@dataclass(frozen=True, kw_only=True, eq=False)
class TableFile(ReadNotes):
    """A file as a table.

    Columns of `frame` hold numbers, times, or text as it was written (blank cells are missing). `rows`: how many the
    file has where `frame` holds some of them, evenly spread.
    """

    frame: pd.DataFrame
    rows: int | None = None

    def frame_with(self, columns: Iterable[str]) -> pd.DataFrame:
        """Return the frame. Raises DataError where numbers of `columns` can be read in two ways."""
        for name in columns:
            if name in self.ambiguous:
                raise DataError(
                    f"The numbers in column '{name}' can be read in two ways, such as 1,234; write decimals with a "
                    "point and no thousands separator."
                )
        return self.frame


@dataclass(frozen=True, kw_only=True, eq=False)
class DecodedFile(ReadNotes):
    """Hold Arrow columns, to make a frame from or to send between processes."""

    columns: dict[str, arrow.ChunkedArray]

    def table_file(self) -> TableFile:
        """Turn the columns into a frame of its own memory."""
        return TableFile(frame=frame_of(self.columns.items()), **self.about)


def frame_of(columns: Iterable[tuple[str, arrow.ChunkedArray]]) -> pd.DataFrame:
    """Make a frame column by column, freeing each before the next."""
    return pd.DataFrame({name: _series(column) for name, column in columns}, copy=False)


def _series(column: arrow.ChunkedArray) -> Any:
    types = arrow.types
    if types.is_integer(column.type) and column.null_count:
        column = column.cast(arrow.float64())
    if types.is_integer(column.type) or types.is_floating(column.type):
        # A copy: the memory of Arrow cannot be written to.
        return np.array(column.to_numpy(zero_copy_only=False))
    return column.to_pandas()
