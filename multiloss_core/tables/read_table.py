"""From the bytes of an uploaded file to a table, and a guess at what its columns mean.

Every file is treated as hostile: its size, rows, columns and decoded size are bounded before it is decoded.
"""

import csv
import io
import re

import pandas as pd

from multiloss_core.errors import DataError

LARGEST_FILE = 200 * 2**20
MAX_ROWS = 5_000_000
MAX_COLUMNS = 500
MAX_CELLS = 50_000_000
LARGEST_DECODED = 2 * 2**30


def read_table(data: bytes, name: str) -> pd.DataFrame:
    """Read a CSV (comma, semicolon, tab or bar; UTF-8 or UTF-16; decimal comma with semicolons) or Parquet file.

    Nested Parquet columns are left out. Nothing in the file is executed.

    Raises
    ------
    DataError : empty, too large, not a table, wrong encoding, repeated column names.
    """
    if not data:
        raise DataError(f"'{name}' is empty; choose a file with a header and rated rows.")
    if len(data) > LARGEST_FILE:
        raise DataError(
            f"'{name}' has {len(data) / 2**20:,.0f} MB, more than the limit of {LARGEST_FILE / 2**20:.0f} MB; keep "
            "only the score, rating and weight columns, or save it as Parquet."
        )
    frame = _read_parquet(data, name) if data[:4] == b"PAR1" else _read_csv(_decoded(data, name), name)
    if frame.empty:
        raise DataError(f"'{name}' has a header but no rows; choose a file with rows below it.")
    return frame


def guess_separator(first_line: str) -> str:
    """Guess what separates the cells of a CSV file: comma, semicolon, tab or bar, whichever its header has most of."""
    return max(",;\t|", key=first_line.count)


def _decoded(data: bytes, name: str) -> str:
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        where = _place(data[: error.start].count(b"\n"))
        raise DataError(
            f"'{name}' is not a UTF-8 text file: {where} holds a byte that is no letter; save it as "
            "'CSV UTF-8' or Parquet."
        ) from None
    if "\x00" in text:
        where = _place(text[: text.index("\x00")].count("\n"))
        raise DataError(f"'{name}' is not a table: {where} holds binary data; save it as 'CSV UTF-8' or Parquet.")
    return text


def _place(row: int) -> str:
    return f"row {row:,}" if row else "the header"


def _read_csv(text: str, name: str) -> pd.DataFrame:
    text = text.replace("\r\n", "\n").replace("\r", "\n").lstrip("\n")
    first_line = text.split("\n", 1)[0]
    if not first_line.strip():
        raise DataError(f"'{name}' holds nothing but blank lines; choose a file with a header and rows.")
    if first_line.lstrip().startswith(("{", "[", "<")):
        raise DataError(
            f"'{name}' is not a table: it starts with '{first_line.lstrip()[0]}'; export it as CSV or Parquet."
        )
    separator = guess_separator(first_line)
    cells, first_row = _first_records(text, separator, name)
    header = [cell.strip() or f"column {position}" for position, cell in enumerate(cells, 1)]
    _require_size(text.rstrip("\n").count("\n"), len(header), name)
    _require_distinct(header)
    # Left alone, pandas would take the first cells of such rows for an index and shift the others.
    if len(first_row) > len(header):
        raise DataError(
            f"'{name}' is not a table: row 1 has {len(first_row)} cells where the header has {len(header)}; remove "
            f"trailing separators '{separator}' or name every column."
        )
    try:
        frame = pd.read_csv(
            io.StringIO(text),
            sep=separator,
            decimal="," if separator == ";" and re.search(r"\d,\d", text) and not re.search(r"\d\.\d", text) else ".",
            names=header,
            header=0,
            low_memory=False,
            on_bad_lines="error",
        )
    except pd.errors.ParserError as error:
        found = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", str(error))
        where = (
            f"row {int(found[2]) - 1:,} has {found[3]} cells where the header has {len(header)}"
            if found
            else f"a row does not fit the {len(header)} columns of the header"
        )
        raise DataError(
            f"'{name}' is not a table: {where}; quote cells that contain the separator '{separator}'."
        ) from None
    return frame


def _first_records(text: str, separator: str, name: str) -> tuple[list[str], list[str]]:
    """Read the cells of the header and of the first row that is not blank (none where there is no row)."""
    records = (cells for cells in csv.reader(io.StringIO(text, newline=""), delimiter=separator) if cells)
    try:
        return next(records, []), next(records, [])
    except csv.Error as error:
        raise DataError(
            f"'{name}' is not a table: its first rows cannot be told apart ({error}); export it again."
        ) from None


def _read_parquet(data: bytes, name: str) -> pd.DataFrame:
    try:
        import pyarrow as arrow  # noqa: PLC0415  an optional dependency of the library
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError:
        raise DataError(f"Reading '{name}' needs the package pyarrow; install it or save the file as CSV.") from None
    try:
        file = parquet.ParquetFile(io.BytesIO(data))
        flat = [f for f in file.schema_arrow if not arrow.types.is_nested(f.type)]
        _require_distinct([f.name for f in flat])
        _require_size(file.metadata.num_rows, len(flat), name)
        decoded = sum(file.metadata.row_group(i).total_byte_size for i in range(file.metadata.num_row_groups))
        if decoded > LARGEST_DECODED:
            raise DataError(
                f"'{name}' unpacks to {decoded / 2**30:,.1f} GB, more than the limit of {LARGEST_DECODED / 2**30:.0f} "
                "GB; keep only the columns that are needed."
            )
        # Repeated words stay a dictionary, so that a small file cannot unpack to a huge one.
        words = [f.name for f in flat if arrow.types.is_string(f.type) or arrow.types.is_large_string(f.type)]
        file = parquet.ParquetFile(io.BytesIO(data), read_dictionary=words)
        frame: pd.DataFrame = file.read(columns=[f.name for f in flat]).to_pandas()
    except (arrow.ArrowException, OSError):
        raise DataError(f"'{name}' starts like a Parquet file but cannot be read; save it again or use CSV.") from None
    return frame.reset_index(drop=True)


def _require_size(rows: int, columns: int, name: str) -> None:
    if rows > MAX_ROWS or columns > MAX_COLUMNS or rows * columns > MAX_CELLS:
        raise DataError(
            f"'{name}' has {rows:,} rows and {columns:,} columns; the limits are {MAX_ROWS:,} rows, {MAX_COLUMNS} "
            f"columns and {MAX_CELLS:,} cells: keep only the columns that are needed."
        )


def _require_distinct(header: list[str]) -> None:
    for position, column in enumerate(header):
        if column in header[:position]:
            raise DataError(
                f"Column name '{column}' occurs more than once in the header (columns {header.index(column) + 1} and "
                f"{position + 1}); rename one of them."
            )
