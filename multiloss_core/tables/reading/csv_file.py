"""Reads text files of cells: all of them as text first, and as numbers where every cell of a column is a plain one."""

import csv
import io
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import BinaryIO

import numpy as np
import pyarrow as arrow
from pyarrow import compute
from pyarrow import csv as arrow_csv

from multiloss_core.errors import DataError
from multiloss_core.formatting import plural, shortened
from multiloss_core.tables.reading.bounds import (
    LONGEST_CELL,
    require_short_cell,
    require_size,
    require_table_size,
)
from multiloss_core.tables.reading.cells.column_types import typed_columns, without_empty
from multiloss_core.tables.reading.cells.plain_numbers import has_certain_point, plain_numbers
from multiloss_core.tables.reading.table_file import DecodedFile
from multiloss_core.tables.reading.table_layout import HEAD_BYTES, NO_SEPARATOR, TextLayout, text_layout
from multiloss_core.tables.reading.text_encoding import Utf8File, as_utf8, copy_in

# Longer than any row that is read, for a row may not reach over two ends of a block.
BLOCK = 2**22


def read_csv(file: BinaryIO, name: str) -> DecodedFile:
    """Read a text file of cells that commas, semicolons, tabs or bars separate.

    Time O(size): about 50 MB in a second. Besides the table, a few blocks are held.

    Raises
    ------
    DataError : no table, too much of it, rows that are too wide, or a quote that swallows rows.
    """
    with ExitStack() as copies:
        return _read_text(as_utf8(file, name, copies), name, copies)


def _read_text(text: Utf8File, name: str, copies: ExitStack) -> DecodedFile:
    text.file.seek(text.start)
    head = text.file.read(HEAD_BYTES).decode("utf-8", "ignore")
    layout = text_layout(head, name, lines=text.lines)
    rows = _Rows(text.file, text.start + len(head[: layout.body].encode()), layout, text.has_quotes, name)
    read, notes = _read(rows, copies)
    typed = typed_columns(
        {column.name: column.cells() for column in read.columns},
        is_open=layout.separator not in (",", NO_SEPARATOR),
        has_certain_point=any(column.has_certain_point for column in read.columns),
        doubtful=[column.name for column in read.columns if column.is_doubtful],
        read_again=read.rows.read_again,
    )
    columns, left_out = without_empty(typed.columns, name)
    return DecodedFile(
        columns=columns,
        notes=(*text.notes, *layout.notes, *notes, *left_out, *typed.notes),
        ambiguous=typed.ambiguous,
        name=name,
    )


@dataclass(frozen=True)
class _Rows:
    """The rows of a file, which can be read more than once."""

    file: BinaryIO
    start: int
    layout: TextLayout
    has_quotes: bool
    name: str

    def batches(self, columns: Sequence[str]) -> Iterator[arrow.RecordBatch]:
        """Read the cells of some columns as text, blank ones as missing. Raises ArrowInvalid."""
        self.file.seek(self.start)
        try:
            yield from arrow_csv.open_csv(
                arrow.PythonFile(self.file, mode="r"),
                read_options=arrow_csv.ReadOptions(
                    column_names=self.layout.header, block_size=BLOCK, use_threads=False
                ),
                parse_options=arrow_csv.ParseOptions(delimiter=self.layout.separator, newlines_in_values=True),
                convert_options=arrow_csv.ConvertOptions(
                    column_types=dict.fromkeys(self.layout.header, arrow.string()),
                    include_columns=list(columns),
                    strings_can_be_null=True,
                    null_values=[""],
                ),
            )
        except arrow.ArrowInvalid as error:
            if "Empty CSV" not in str(error):
                raise

    def read_again(self, columns: Sequence[str]) -> dict[str, arrow.ChunkedArray]:
        """Read the text of columns of which only the numbers were kept."""
        read = list(self.batches(columns)) if columns else []
        return {name: arrow.chunked_array([batch.column(name) for batch in read], arrow.string()) for name in columns}


@dataclass
class _Column:
    """The cells of a column, block by block: numbers as long as all are plain ones, then text.

    `is_incomplete`: numbers came before the first text, and their own text was not kept.
    """

    name: str
    parts: list[arrow.Array] = field(default_factory=list)
    is_text: bool = False
    is_incomplete: bool = False
    has_fractions: bool = False
    has_certain_point: bool = False

    def add(self, cells: arrow.StringArray) -> None:
        numbers = None if self.is_text else plain_numbers(cells)
        if numbers is None and not self.is_text:
            self.is_text = True
            self.is_incomplete = any(part.null_count < len(part) for part in self.parts)
            self.parts = [arrow.nulls(len(part), arrow.string()) for part in self.parts]
        elif numbers is not None and arrow.types.is_floating(numbers.type):
            self.has_fractions = True
            self.has_certain_point = self.has_certain_point or has_certain_point(cells)
        self.parts.append(cells if numbers is None else numbers)

    @property
    def is_doubtful(self) -> bool:
        """Whether every number with a point is like 1.234."""
        return not self.is_text and self.has_fractions and not self.has_certain_point

    def cells(self) -> arrow.ChunkedArray:
        """All cells in one type; a column without any is one of fractions."""
        is_blank = all(part.null_count == len(part) for part in self.parts)
        kind = arrow.string() if self.is_text else arrow.float64() if self.has_fractions or is_blank else arrow.int64()
        return arrow.chunked_array([part.cast(kind) for part in self.parts], kind)


@dataclass(frozen=True)
class _Read:
    rows: _Rows
    columns: list[_Column]


def _read(rows: _Rows, copies: ExitStack) -> tuple[_Read, tuple[str, ...]]:
    """Read all columns, from a copy in which short rows are filled up where there are any."""
    try:
        return _read_once(rows)
    except arrow.ArrowInvalid:
        filled, notes = _filled_up(rows, copies)
    try:
        read, more = _read_once(filled)
    except arrow.ArrowInvalid:
        raise DataError(
            f"'{rows.name}' is not a table: its rows do not fit the {len(rows.layout.header)} columns of the header; "
            "export it again, with quotes around cells that hold quotes or line ends."
        ) from None
    return read, (*notes, *more)


def _read_once(rows: _Rows) -> tuple[_Read, tuple[str, ...]]:
    columns = [_Column(name) for name in rows.layout.header]
    count = long_cells = line_ends = size = 0
    for batch in rows.batches(rows.layout.header):
        for place, (column, cells) in enumerate(zip(columns, batch.columns, strict=True)):
            column.add(cells)
            size += column.parts[-1].nbytes
            if column.is_text:
                _require_short(cells, column.name, count)
                found = _line_ends(cells, place, count, rows) if rows.has_quotes else []
                long_cells, line_ends = long_cells + len(found), line_ends + sum(found)
        count += batch.num_rows
        require_size(count, len(columns), rows.name)
        require_table_size(size, rows.name)
    if not count:
        raise DataError(f"'{rows.name}' has a header but no rows; choose a file with rows below it.")
    again = rows.read_again([column.name for column in columns if column.is_incomplete])
    for column in columns:
        column.parts = again[column.name].chunks if column.name in again else column.parts
    notes = (
        f"{plural(long_cells, 'cell')} {'holds' if long_cells == 1 else 'hold'} line ends: {count + line_ends:,} lines "
        f"are {plural(count, 'row')}.",
    )
    return _Read(rows, columns), notes if long_cells else ()


def _require_short(cells: arrow.StringArray, column: str, before: int) -> None:
    lengths = compute.fill_null(compute.binary_length(cells), 0).to_numpy(zero_copy_only=False)
    if lengths.size and lengths.max() > LONGEST_CELL:
        row = int(lengths.argmax())
        require_short_cell(int(lengths[row]), column, f"row {before + row + 1:,}")


def _line_ends(cells: arrow.StringArray, place: int, before: int, rows: _Rows) -> list[int]:
    """Count the line ends in each cell that holds some, and refuse one that holds rows: a stray quote opened it."""
    separator, others = rows.layout.separator, len(rows.layout.header) - 1
    lines = []
    for row in np.flatnonzero(compute.fill_null(compute.match_substring_regex(cells, r"[\r\n]"), False)):
        texts = cells[int(row)].as_py().replace("\r\n", "\n").replace("\r", "\n").rstrip("\n").split("\n")
        separators = [text.count(separator) for text in texts]
        # As many as stand between a cell and the same place in a later row, or the end of a row.
        to_cell, to_end = others * (len(texts) - 1), others * len(texts) - place
        if len(texts) > 1 and others and (sum(separators), separators[-1]) in ((to_cell, place), (to_end, others)):
            raise DataError(
                f"A quote (\") in row {before + row + 1:,}, column '{shortened(rows.layout.header[place])}', opens a "
                f"cell that swallows {plural(len(texts) - 1, 'row')}; write it twice within quotes, or remove it."
            )
        lines.append(len(texts) - 1)
    return lines


def _filled_up(rows: _Rows, copies: ExitStack) -> tuple[_Rows, tuple[str, ...]]:
    """Copy the rows with blanks for cells that are missing at the end of some.

    Raises
    ------
    DataError : a row with too many cells, or one that an open quote has run together with others.
    """
    width, short, first = len(rows.layout.header), 0, 0
    rows.file.seek(rows.start)
    source = io.TextIOWrapper(rows.file, encoding="utf-8", newline="")
    copied = copy_in(copies)
    target = io.TextIOWrapper(copied, encoding="utf-8", newline="")
    reader = csv.reader(source, delimiter=rows.layout.separator)
    writer = csv.writer(target, delimiter=rows.layout.separator, lineterminator="\n", quoting=csv.QUOTE_ALL)
    row, line = 0, 0
    try:
        for cells in reader:
            row += bool(cells)
            _require_width(cells, row, reader.line_num - line, rows)
            line = reader.line_num
            if cells:
                missing = width - len(cells)
                short, first = short + (missing > 0), first or (row if missing else 0)
                writer.writerow(cells + [""] * missing)
    except csv.Error:
        raise DataError(
            f"'{rows.name}' is not a table: row {row + 1:,} is longer than any row that is read; a quote (\") in it "
            "may not be closed."
        ) from None
    finally:
        source.detach()
    target.flush()
    target.detach()
    notes = (
        f"{plural(short, 'row')} (first: row {first:,}) {'has' if short == 1 else 'have'} fewer cells than the header; "
        "what is missing at their end counts as blank.",
    )
    return _Rows(copied, 0, rows.layout, rows.has_quotes, rows.name), notes if short else ()


def _require_width(cells: list[str], row: int, lines: int, rows: _Rows) -> None:
    width, separator = len(rows.layout.header), rows.layout.separator
    if len(cells) != width and lines > 1:
        raise DataError(
            f"'{rows.name}' is not a table: a quote (\") in row {row:,} opens a cell that runs over {lines:,} lines; "
            "write it twice within quotes, or remove it."
        )
    if len(cells) > width:
        raise DataError(
            f"'{rows.name}' is not a table: row {row:,} has {len(cells)} cells where the header has {width}; quote "
            f"cells that contain the separator '{separator}', and remove separators at the end of rows."
        )
