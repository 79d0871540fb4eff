"""Read Excel workbooks (.xlsx), zip archives unpacked under a limit before parsing."""

import datetime
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, BinaryIO

import numpy as np
import pyarrow as arrow
import python_calamine as calamine
from pyarrow import compute

from multiloss_core.errors import DataError
from multiloss_core.formatting import plural, shortened
from multiloss_core.tables.reading.column_types import Columns, is_text, typed_columns, without_empty
from multiloss_core.tables.reading.limits import (
    KEEP_LESS,
    MAX_ENTRIES,
    MAX_UNPACKED_BYTES,
    MAX_XLSX_CELLS,
    column_names,
    require_short_cell,
    require_size,
)
from multiloss_core.tables.reading.other_rows import only_data
from multiloss_core.tables.reading.table_file import READ_AS_IT_LOOKS, DecodedFile, ReadOptions
from multiloss_core.tables.reading.text_layout import HEAD_LINES, header_row, require_names, skipped_lines

_BLOCK = 2**20
_CELL = re.compile(rb'<(?:\w+:)?c [^<>]{0,200}?\br="([A-Z]{1,3})(\d{1,7})"')
_ROW = re.compile(rb"<(?:\w+:)?row[ >]")
_CELLS = re.compile(rb"<(?:\w+:)?c[ />]")
_FORMULAS = re.compile(rb"<(?:\w+:)?f[ />]")
# A formula that is followed by no value in its cell.
_WITHOUT_VALUE = re.compile(rb"(?:</(?:\w+:)?f>|<(?:\w+:)?f(?: [^<>]{0,200})?/>)(?:<v/>|<v></v>)?</(?:\w+:)?c>")
_OVERLAP = 256


def read_xlsx(file: BinaryIO, name: str, options: ReadOptions = READ_AS_IT_LOOKS) -> DecodedFile:
    """Read a sheet of a workbook: the one that was chosen, or the first one with a table.

    Title lines above the header are passed over, as in text. Dates and times become timestamps.

    Raises DataError: no workbook, no such sheet, no table in it, or too much to unpack.
    """
    sheet, formulas = options.sheet, _require_bounded(file, name)
    file.seek(0)
    try:
        workbook = calamine.load_workbook(file)
        sheets = tuple(workbook.sheet_names)
        if sheet is not None and sheet not in sheets:
            raise DataError(
                f"'{name}' has no sheet '{shortened(sheet)}'; it has "
                f"{', '.join(repr(shortened(title)) for title in sheets[:6])}: choose one of them."
            )
        visible = [
            about.name
            for about in workbook.sheets_metadata
            if about.visible == calamine.SheetVisibleEnum.Visible and about.typ == calamine.SheetTypeEnum.WorkSheet
        ]
        titles = (sheet,) if sheet is not None else (*visible, *sheets)
        # A sheet of one column is mostly a title page; only where there is nothing else it is taken for a table.
        for fewest in (2, 1):
            for title in titles:
                rows = workbook.get_sheet_by_name(title)
                if rows.height > 1 and rows.width >= fewest:
                    return _read_sheet(rows, title, sheets, name, options, formulas)
    except calamine.CalamineError:
        raise DataError(f"'{name}' starts like an Excel file but cannot be read; save it again or as CSV.") from None
    where = f"Sheet '{shortened(sheet)}' of '{name}'" if sheet is not None else f"'{name}'"
    raise DataError(f"{where} holds no table; choose one with a header and rows below it.")


def _require_bounded(file: BinaryIO, name: str) -> Counter[str]:
    """Unpack every part that is XML in pieces; count formulas. Raises DataError."""
    formulas: Counter[str] = Counter()
    try:
        with zipfile.ZipFile(file) as archive:
            entries = archive.infolist()
            # Programs write the parts into any folder, or separate folders by backslashes.
            if not any(re.search(r"(^|[/\\])workbook\.xml$", entry.filename, re.IGNORECASE) for entry in entries):
                raise DataError(f"'{name}' is a zip archive and no Excel file; unpack it first, or save it as CSV.")
            left = MAX_UNPACKED_BYTES
            if len(entries) > MAX_ENTRIES:
                raise DataError(f"'{name}' has {len(entries):,} parts, more than any workbook; save it again.")
            for entry in entries:
                if entry.filename.lower().endswith((".xml", ".rels")):
                    left -= _require_small_sheet(archive, entry, left, name, formulas)
    except (zipfile.BadZipFile, zlib.error, ValueError, RuntimeError, OSError, EOFError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"'{name}' starts like an Excel file but cannot be read; save it again or as CSV.") from None
    return formulas


def _require_small_sheet(
    archive: zipfile.ZipFile, entry: zipfile.ZipInfo, left: int, name: str, formulas: Counter[str]
) -> int:
    """Count the bytes of a part; reject it if too large, or with cells too far apart."""
    size, rows, columns, row_count, cell_count = 0, 0, 0, 0, 0
    is_sheet = not entry.filename.lower().endswith(("sharedstrings.xml", "styles.xml", ".rels"))
    rest = b""
    part = archive.open(entry)
    while block := part.read(_BLOCK):
        size += len(block)
        if size > left:
            raise DataError(
                f"'{name}' unpacks to more than {MAX_UNPACKED_BYTES / 2**20:.0f} MB, too much for an Excel file; "
                f"{KEEP_LESS}, or save it as CSV or Parquet."
            )
        if is_sheet:
            text = rest + block
            cells = _CELL.findall(text)
            if cells:
                rows = max(rows, *(int(row) for _, row in cells))
                columns = max(columns, *map(_column_number, {letters for letters, _ in cells}))
            row_count += len(_ROW.findall(block))
            cell_count += len(_CELLS.findall(block))
            formulas["all"] += len(_FORMULAS.findall(block))
            formulas["without_value"] += len(_WITHOUT_VALUE.findall(block))
            rest = text[-_OVERLAP:]
    require_size(max(rows, row_count), max(columns, 1), name)
    if max(rows, row_count) * max(columns, 1) > MAX_XLSX_CELLS or cell_count > MAX_XLSX_CELLS:
        raise DataError(
            f"'{name}' reaches over {max(rows, row_count):,} rows and {columns:,} columns, more than "
            f"{MAX_XLSX_CELLS:,} cells; {KEEP_LESS}, or save it as CSV or Parquet."
        )
    return size


def _column_number(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + letter - 64
    return number


def _read_sheet(
    sheet: Any, title: str, sheets: tuple[str, ...], name: str, options: ReadOptions, formulas: Counter[str]
) -> DecodedFile:
    rows = sheet.iter_rows()
    skipped = len(list(islice(rows, (options.header_line or 1) - 1)))
    first = list(islice(rows, HEAD_LINES))
    written = [[_written(cell) for cell in cells] for cells in first]
    filled = [place for place, cells in enumerate(written) if any(cells)]
    if options.header_line is not None and filled[:1] != [0]:
        raise DataError(
            f"Sheet '{shortened(title)}' of '{name}' has no row {options.header_line:,} for the header; choose another."
        )
    if not filled:
        raise DataError(f"Sheet '{shortened(title)}' of '{name}' begins with {HEAD_LINES} blank rows; remove them.")
    header = filled[0 if options.header_line else header_row([written[place] for place in filled])]
    if options.header_line is None:
        require_names(written[header], name, [written[place] for place in filled if place > header])
    skipped += sum(place < header for place in filled)
    names = column_names(written[header])
    require_size(sheet.height, len(names), name)
    cells = _without_last(_columns(names, (*first[header + 1 :], *rows)), options.skip_last, name)
    cells, left_out = without_empty(cells, name)
    kept, no_data = only_data(cells)
    if kept is not None:
        cells = {column_name: values.filter(arrow.array(kept)) for column_name, values in cells.items()}
    typed = typed_columns(cells)
    return replace(
        typed,
        notes=(
            *skipped_lines(skipped),
            *left_out,
            *((f"{plural(options.skip_last, 'row')} at the end left out.",) if options.skip_last else ()),
            *no_data,
            *_about_formulas(typed.columns, formulas),
            *typed.notes,
        ),
        sheets=sheets,
        sheet=title,
    )


def _columns(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> Columns:
    cells: list[list[Any]] = [[] for _ in names]
    for row in rows:
        for place in range(len(names)):
            cells[place].append(row[place] if place < len(row) and row[place] != "" else None)
    columns: Columns = {}
    for name, values in zip(names, cells, strict=True):
        columns[name] = arrow.chunked_array([_column(values, name)])
        values.clear()
    return columns


def _without_last(columns: Columns, rows: int, name: str) -> Columns:
    """Drop the last rows, ignoring blank ones. Raises DataError where there are too few."""
    if not rows:
        return columns
    filled = np.flatnonzero(np.any([cells.is_valid().to_numpy() for cells in columns.values()], axis=0))
    if filled.size <= rows:
        raise DataError(f"'{name}' has too few rows to leave out {rows:,} at the end; choose fewer.")
    return {title: cells.slice(0, int(filled[-rows])) for title, cells in columns.items()}


def _about_formulas(columns: Columns, formulas: Counter[str]) -> Iterator[str]:
    """Name columns that are blank or all 0 in a workbook with uncalculated formulas."""
    way_out = "formulas must be calculated: open the file in Excel and save it again"
    for name, column in columns.items() if formulas["all"] else ():
        bounds = {} if is_text(column) else compute.min_max(column).as_py()
        if column.null_count == len(column) and formulas["without_value"]:
            yield f"Column '{shortened(name)}' is blank in all rows; {way_out}."
        elif bounds and bounds["min"] == bounds["max"] == 0 and len(column) > 1:
            yield f"Column '{shortened(name)}' is 0 in all rows; {way_out}."
    if lost := formulas["without_value"]:
        yield f"{plural(lost, 'formula')} without a value in the workbook; such cells count as blank."


def _column(values: Sequence[Any], name: str) -> Any:
    """Make a column of cells of any type: numbers or times where all are, else text."""
    kinds = {type(value) for value in values} - {type(None)}
    if kinds <= {int, float}:
        numbers = arrow.array(
            np.array([np.nan if value is None else value for value in values], float), from_pandas=True
        )
        is_whole = not numbers.null_count and all(value == int(value) and abs(value) < 2**53 for value in values)
        return numbers.cast(arrow.int64()) if is_whole else numbers
    if kinds <= {datetime.datetime, datetime.date}:
        moments = [
            datetime.datetime(value.year, value.month, value.day) if type(value) is datetime.date else value
            for value in values
        ]
        return arrow.array(moments, arrow.timestamp("us"))
    texts = [None if value is None else _written(value) for value in values]
    longest = max((len(text) for text in texts if text is not None), default=0)
    require_short_cell(longest, name, "one of its rows")
    return arrow.array([text or None for text in texts], arrow.string())


def _written(cell: Any) -> str:
    """Write a cell as a person would."""
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        return str(int(cell))
    if isinstance(cell, datetime.datetime):
        return cell.isoformat(" ")
    return str(cell).strip()
