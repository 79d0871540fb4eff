"""Hold all limits on uploaded files that the library knows, and refuse files beyond them."""

import re
from collections.abc import Collection, Iterable
from itertools import count

from multiloss_core.errors import DataError
from multiloss_core.formatting import shortened

MAX_FILE_BYTES = 200 * 2**20
# All cells in memory, and the unpacked data behind them.
MAX_TABLE_BYTES = 400 * 2**20
MAX_DECODED_BYTES = 2**29
MAX_ROWS = 20_000_000
MAX_COLUMNS = 500
MAX_CELLS = 50_000_000
# As many characters as Excel allows in a cell.
MAX_CELL_CHARACTERS = 32_767
# Lines at either end of a file that can be left out.
MAX_LINES = 1_000
# All parts of a workbook; a cell takes about 30 bytes.
MAX_UNPACKED_BYTES = 150 * 2**20
MAX_XLSX_CELLS = 6_000_000
MAX_ENTRIES = 2_000
# The footer of a Parquet file, and the text of all cells; beyond that, words stay a dictionary.
MAX_FOOTER_BYTES = 2**25
MAX_TEXT_BYTES = 2**26
_NUMBERED = re.compile(r"(.*) \([0-9]+\)", re.DOTALL)
KEEP_LESS = "keep only the columns that are needed"


def require_file_size(size: int, name: str) -> None:
    """Refuse an empty file and one of more than 200 MB. Raises DataError."""
    if not size:
        raise DataError(f"'{name}' is empty; choose a file with a header and rated rows.")
    if size > MAX_FILE_BYTES:
        raise DataError(
            f"'{name}' has {size / 2**20:,.0f} MB, more than the limit of {MAX_FILE_BYTES / 2**20:.0f} MB; keep "
            "only the score, rating and weight columns, or save it as Parquet."
        )


def require_size(rows: int, columns: int, name: str) -> None:
    """Refuse more rows, columns or cells than are read. Raises DataError."""
    if rows > MAX_ROWS or columns > MAX_COLUMNS or rows * columns > MAX_CELLS:
        raise DataError(
            f"'{name}' has {rows:,} rows and {columns:,} columns; the limits are {MAX_ROWS:,} rows, {MAX_COLUMNS} "
            f"columns and {MAX_CELLS:,} cells: {KEEP_LESS}."
        )


def require_decoded(size: int, name: str) -> None:
    """Refuse a file that unpacks to more than 512 MB. Raises DataError."""
    if size > MAX_DECODED_BYTES:
        raise DataError(
            f"'{name}' unpacks to at least {size / 2**20:,.0f} MB, more than the limit of "
            f"{MAX_DECODED_BYTES / 2**20:.0f} MB; {KEEP_LESS}."
        )


def require_table_size(size: int, name: str) -> None:
    """Refuse a table whose cells take more than 400 MB. Raises DataError."""
    if size > MAX_TABLE_BYTES:
        raise DataError(
            f"'{name}' takes at least {size / 2**20:,.0f} MB as a table, more than the limit of "
            f"{MAX_TABLE_BYTES / 2**20:.0f} MB; {KEEP_LESS}."
        )


def require_short_cell(length: int, column: str, place: str) -> None:
    """Reject a cell of more than 32,767 characters; `place` is like "row 12". Raises DataError."""
    if length > MAX_CELL_CHARACTERS:
        raise DataError(
            f"Column '{shortened(column)}' holds a text of {length:,} characters in {place}, more than the limit of "
            f"{MAX_CELL_CHARACTERS:,}; leave this column out."
        )


def column_names(header: Iterable[object]) -> list[str]:
    """Turn header cells into names without spaces, quotes and marks; "column 3" if empty.

    A name that occurs again gets a number, "Labels (2)", as exports of lists repeat a column for each entry.
    """
    names = [_plain_name(str(cell)) or f"column {position}" for position, cell in enumerate(header, 1)]
    found: list[str] = []
    for name in names:
        free = (name if number == 1 else f"{name} ({number})" for number in count(1))
        found.append(next(one for one in free if one not in found and (one == name or one not in names)))
    return found


def _plain_name(name: str) -> str:
    """Strip byte order marks, spaces and quotes around a name; queries need the rest."""
    name = name.strip("\ufeff").strip()
    is_quoted = len(name) > 2 and name[0] == name[-1] and name[0] in "\"'"
    return name[1:-1].strip() if is_quoted else name


def numbered_names_note(names: Collection[str]) -> tuple[str, ...]:
    """Name the columns that `column_names` numbered, as their names occur more than once."""
    numbered = [name for name in names if (base := _NUMBERED.fullmatch(name)) and base[1] in names]
    if not numbered:
        return ()
    shown = ", ".join(f"'{shortened(name)}'" for name in numbered[:3]) + (", …" if len(numbered) > 3 else "")
    return (f"Some column names occur more than once; the later ones were numbered: {shown}.",)
