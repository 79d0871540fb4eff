"""Read the bytes of an uploaded file as a table."""

import gzip
import io
import zlib
from dataclasses import replace
from typing import BinaryIO

import pandas as pd
import pyarrow as arrow

from multiloss_core.errors import DataError, require_type
from multiloss_core.formatting import plural, shortened
from multiloss_core.tables.reading.csv_file import read_csv
from multiloss_core.tables.reading.limits import (
    KEEP_LESS,
    MAX_UNPACKED_BYTES,
    numbered_names_note,
    require_file_size,
    require_table_size,
)
from multiloss_core.tables.reading.parquet_file import read_parquet
from multiloss_core.tables.reading.table_file import READ_AS_IT_LOOKS, DecodedFile, ReadOptions, TableFile, frame_of
from multiloss_core.tables.reading.xlsx_file import read_xlsx

_GZIP = b"\x1f\x8b"
# Signatures of other kinds of files, and the advice for each.
_OTHER_KINDS = {
    _GZIP: "is packed with gzip more than once; unpack it first",
    b"\xd0\xcf\x11\xe0": "is an old Excel file or is protected by a password; save it as .xlsx without one, or as CSV",
    b"%PDF": "is a PDF document; export the table as CSV, Excel or Parquet",
    b"SQLite format 3": "is a database; export the table as CSV, Excel or Parquet",
    b"ARROW1": "is an Arrow file; save it as Parquet or CSV",
    b"PARE": "is an encrypted Parquet file; save it without encryption",
    b"7z\xbc\xaf": "is packed; unpack it first",
    b"BZh": "is packed; unpack it first",
    b"\xfd7zXZ": "is packed; unpack it first",
    b"\x28\xb5\x2f\xfd": "is packed; unpack it first",
}


def read_file(data: bytes, name: str, options: ReadOptions = READ_AS_IT_LOOKS) -> TableFile:
    """Read a CSV, Excel (.xlsx) or Parquet file, also packed with gzip: a table and notes on it.

    CSV: cells separated by comma, semicolon, tab or bar, in UTF-8, UTF-16 with a mark, or Windows-1252; what comma and
    point mean is decided column by column. Excel: the chosen sheet, or the first one with a table. Of Parquet, nested
    columns and binary ones without text are left out. In text and Excel, rows that are no data are left out, with a
    note: repeated headers, lines of dashes, totals. Nothing in the file is executed. Memory: the data, the table, and
    a few blocks.

    Raises DataError: empty, too large, not a table, repeated column names, no such sheet or line.
    """
    return decode_file(io.BytesIO(data), len(data), name, options).table_file()


def read_table(data: bytes, name: str = "table") -> pd.DataFrame:
    r"""Read the table of `read_file` and nothing else.

    Examples
    --------
    >>> from multiloss_core import read_table
    >>> read_table(b"score,rating\n0.9,fraud\n0.4,ok\n", "alerts.csv").shape
    (2, 2)
    """
    require_type(data, bytes, "the bytes of a file, such as Path(name).read_bytes()")
    return read_file(data, name).frame


def decode_file(file: BinaryIO, size: int, name: str, options: ReadOptions) -> DecodedFile:
    """Read an open file of `size` bytes into Arrow columns. Raises DataError."""
    decoded = _decoded(file, size, name, options)
    require_table_size(sum(column.nbytes for column in decoded.columns.values()), name)
    decoded = replace(decoded, notes=(*decoded.notes, *numbered_names_note(decoded.columns)))
    if not options.leave_out_repeats:
        return decoded
    kept = ~frame_of(decoded.columns.items()).duplicated().to_numpy()
    note = f"{plural(int((~kept).sum()), 'row')} identical to an earlier one left out."
    columns = {title: cells.filter(arrow.array(kept)) for title, cells in decoded.columns.items()}
    return replace(decoded, columns=columns, notes=(*decoded.notes, note))


def _decoded(file: BinaryIO, size: int, name: str, options: ReadOptions) -> DecodedFile:
    require_file_size(size, name)
    file.seek(0)
    if file.read(2) == _GZIP:
        file = _unpacked(file, name)
    file.seek(0)
    start = file.read(16)
    for beginning, complaint in _OTHER_KINDS.items():
        if start.startswith(beginning):
            raise DataError(f"'{name}' {complaint}.")
    try:
        if start.startswith(b"PK"):
            return read_xlsx(file, name, options)
        if options.sheet is not None:
            raise DataError(f"'{name}' is no workbook and has no sheet '{shortened(options.sheet)}'; choose none.")
        if start.startswith(b"PAR1"):
            if options.has_lines:
                raise DataError(f"'{name}' is a Parquet file and has no lines; choose no line of the header.")
            return read_parquet(file, name)
        return read_csv(file, name, options)
    except DataError:
        raise
    except MemoryError:
        raise DataError(f"'{name}' needs more memory than there is for reading it; {KEEP_LESS}.") from None
    # Parsers of libraries may fail in any way on hostile files.
    except Exception as error:
        raise DataError(f"'{name}' cannot be read; save it again, or as CSV.") from error


def _unpacked(file: BinaryIO, name: str) -> BinaryIO:
    """Unpack a file into memory."""
    file.seek(0)
    try:
        data = gzip.GzipFile(fileobj=file).read(MAX_UNPACKED_BYTES + 1)
    except (OSError, EOFError, zlib.error):
        raise DataError(f"'{name}' is packed with gzip and damaged; pack it again.") from None
    if len(data) > MAX_UNPACKED_BYTES:
        raise DataError(
            f"'{name}' unpacks to more than the limit of {MAX_UNPACKED_BYTES / 2**20:.0f} MB; save it as Parquet."
        )
    if not data.strip():
        raise DataError(f"'{name}' is empty; choose a file with a header and rated rows.")
    return io.BytesIO(data)
