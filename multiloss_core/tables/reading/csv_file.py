"""Read text files of cells: as text first, then as numbers where every cell is plain."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from os import SEEK_END
from typing import BinaryIO

import numpy as np
import pyarrow as arrow
from pyarrow import compute
from pyarrow import csv as arrow_csv

from multiloss_core.errors import DataError
from multiloss_core.formatting import plural, shortened
from multiloss_core.tables.reading.column_types import typed_columns, without_empty
from multiloss_core.tables.reading.limits import (
    MAX_CELL_CHARACTERS,
    require_short_cell,
    require_size,
    require_table_size,
)
from multiloss_core.tables.reading.numbers import has_certain_point, plain_numbers
from multiloss_core.tables.reading.other_rows import only_data
from multiloss_core.tables.reading.table_file import READ_AS_IT_LOOKS, DecodedFile, ReadOptions
from multiloss_core.tables.reading.text_encoding import Utf8File, as_utf8, copy_in
from multiloss_core.tables.reading.text_layout import (
    HEAD_BYTES,
    NO_SEPARATOR,
    OTHER_QUOTING,
    PLAIN,
    TextLayout,
    swallowed,
    text_layout,
)

# Longer than any row that is read, for a row may not reach over two ends of a block.
BLOCK = 2**22


def read_csv(file: BinaryIO, name: str, options: ReadOptions = READ_AS_IT_LOOKS) -> DecodedFile:
    """Read a text file of cells that commas, semicolons, tabs or bars separate.

    Time O(size): about 50 MB in a second. Besides the table, a few blocks are held.

    Raises DataError: no table, too much of it, rows that are too wide, or a quote that swallows rows.
    """
    with ExitStack() as copies:
        return _read_text(as_utf8(file, name, copies), name, copies, options)


def _read_text(text: Utf8File, name: str, copies: ExitStack, options: ReadOptions) -> DecodedFile:
    if options.skip_last:
        text = _without_last(text, options.skip_last, name, copies)
    text.file.seek(text.start)
    head = text.file.read(HEAD_BYTES).decode("utf-8", "ignore")
    layout = text_layout(head, name, lines=text.lines, header_line=options.header_line)
    start = text.start + len(head[: layout.body].encode())
    rows, read, notes = _read(_Rows(text.file, start, layout, text.has_quotes, name), copies)
    columns, left_out = without_empty({column.name: column.cells() for column in read}, name)
    count = len(next(iter(columns.values())))
    kept, no_data = only_data(columns)

    def only_kept(cells: arrow.ChunkedArray) -> arrow.ChunkedArray:
        return cells if kept is None else cells.filter(arrow.array(kept))

    typed = typed_columns(
        {title: only_kept(cells) for title, cells in columns.items()},
        is_open=layout.separator not in (",", NO_SEPARATOR),
        has_certain_point=any(column.has_certain_point for column in read),
        doubtful=[column.name for column in read if column.is_doubtful and column.name in columns],
        read_again=lambda names: {
            title: only_kept(cells.slice(0, count)) for title, cells in rows.read_again(names).items()
        },
    )
    return replace(typed, notes=(*text.notes, *layout.notes, *notes, *left_out, *no_data, *typed.notes))


def _without_last(text: Utf8File, lines: int, name: str, copies: ExitStack) -> Utf8File:
    """Copy a text without its last `lines`, ignoring blank ones. Raises DataError if fewer."""
    size = text.file.seek(0, SEEK_END)
    begin = max(text.start, size - HEAD_BYTES)
    text.file.seek(begin)
    filled = [line.start() for line in re.finditer(rb"[^\r\n]*[^\s][^\r\n]*", text.file.read())]
    if len(filled) <= lines:
        raise DataError(f"'{name}' has too few or too long lines to leave out {lines:,} at the end; choose fewer.")
    left, target = begin + filled[-lines] - text.start, copy_in(copies)
    text.file.seek(text.start)
    while left > 0 and (block := text.file.read(min(left, BLOCK))):
        target.write(block)
        left -= len(block)
    return replace(text, file=target, start=0, notes=(*text.notes, f"{plural(lines, 'line')} at the end left out."))


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


def _read(rows: _Rows, copies: ExitStack) -> tuple[_Rows, list[_Column], tuple[str, ...]]:
    """Read all columns, from a normalised copy where quotes or row lengths require it."""
    if rows.layout.quoting == PLAIN:
        with suppress(arrow.ArrowInvalid):
            return _read_once(rows)
    filled, notes = _rewritten(rows, copies)
    try:
        filled, columns, more = _read_once(filled)
    except arrow.ArrowInvalid:
        raise DataError(
            f"'{rows.name}' is not a table: its rows do not fit the {len(rows.layout.header)} columns of the header; "
            "export it again, with quotes around cells that hold quotes or line ends."
        ) from None
    return filled, columns, (*notes, *more)


def _read_once(rows: _Rows) -> tuple[_Rows, list[_Column], tuple[str, ...]]:
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
        f"{plural(long_cells, 'cell', 'hold')} line ends: {count + line_ends:,} lines are {plural(count, 'row')}.",
    )
    return rows, columns, notes if long_cells else ()


def _require_short(cells: arrow.StringArray, column: str, before: int) -> None:
    lengths = compute.fill_null(compute.binary_length(cells), 0).to_numpy(zero_copy_only=False)
    if lengths.size and lengths.max() > MAX_CELL_CHARACTERS:
        row = int(lengths.argmax())
        require_short_cell(int(lengths[row]), column, f"row {before + row + 1:,}")


def _line_ends(cells: arrow.StringArray, place: int, before: int, rows: _Rows) -> list[int]:
    """Count line ends in cells, and reject a cell that holds rows after a stray quote."""
    lines = []
    for row in np.flatnonzero(compute.fill_null(compute.match_substring_regex(cells, r"[\r\n]"), False)):
        text = cells[int(row)].as_py()
        ends, holds_rows = swallowed(text, rows.layout.separator, place, len(rows.layout.header) - 1)
        if holds_rows:
            raise DataError(
                f"A quote (\") in row {before + row + 1:,}, column '{shortened(rows.layout.header[place])}', opens a "
                f"cell that swallows {plural(len(text.rstrip().splitlines()) - 1, 'row')}; write it twice within "
                "quotes, or remove it."
            )
        lines.append(ends)
    return lines


def _rewritten(rows: _Rows, copies: ExitStack) -> tuple[_Rows, tuple[str, ...]]:
    """Copy rows in usual quotes, or in the first other quoting that fits the header.

    Raises DataError: they fit by none, for a reason of the quoting that the first rows have.
    """
    try:
        return _filled_up(rows, copies)
    except DataError:
        for other in OTHER_QUOTING if rows.layout.quoting == PLAIN else ():
            # Where quotes are used, apostrophes are none.
            if other.quote not in PLAIN.quote and rows.has_quotes:
                continue
            with suppress(DataError):
                layout = replace(rows.layout, quoting=other)
                return _filled_up(replace(rows, layout=layout), copies, is_strict=True)[0], (other.note,)
        raise


def _filled_up(rows: _Rows, copies: ExitStack, *, is_strict: bool = False) -> tuple[_Rows, tuple[str, ...]]:
    """Copy rows with missing last cells as blanks, unless `is_strict`.

    Raises DataError: a row with too many cells, no row with enough, or one that an open quote has run together with
    others.
    """
    width, short, first = len(rows.layout.header), 0, 0
    rows.file.seek(rows.start)
    source = io.TextIOWrapper(rows.file, encoding="utf-8", newline="")
    copied = copy_in(copies)
    target = io.TextIOWrapper(copied, encoding="utf-8", newline="")
    reader = rows.layout.quoting.records(source, rows.layout.separator, is_strict=is_strict)
    writer = csv.writer(target, delimiter=rows.layout.separator, lineterminator="\n", quoting=csv.QUOTE_ALL)
    row, line = 0, 0
    try:
        for cells in reader:
            row += bool(cells)
            _require_width(cells, row, reader.line_num - line, rows, is_strict=is_strict)
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
    if short and short == row:
        raise DataError(
            f"'{rows.name}' is not a table: no row has as many cells as the header, which has {width} (first: row "
            f"{first:,}); remove the names that have no cells, or add the separators that are missing."
        )
    target.flush()
    target.detach()
    layout = replace(rows.layout, quoting=PLAIN)
    notes = (
        f"{plural(short, 'row')} (first: row {first:,}) {'has' if short == 1 else 'have'} fewer cells than the header; "
        "what is missing at their end counts as blank.",
    )
    return _Rows(copied, 0, layout, rows.has_quotes, rows.name), notes if short else ()


def _require_width(cells: list[str], row: int, lines: int, rows: _Rows, *, is_strict: bool) -> None:
    width, separator = len(rows.layout.header), rows.layout.separator
    if (cells and is_strict and len(cells) != width) or (len(cells) != width and lines > 1):
        raise DataError(
            f"'{rows.name}' is not a table: a quote (\") in row {row:,} opens a cell that runs over {lines:,} lines; "
            "write it twice within quotes, or remove it."
        )
    if len(cells) > width:
        raise DataError(
            f"'{rows.name}' is not a table: row {row:,} has {len(cells)} cells where the header has {width}; quote "
            f"cells that contain the separator '{separator}', and remove separators at the end of rows."
        )
