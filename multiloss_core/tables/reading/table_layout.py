"""Where in a table the names of the columns stand, and what separates its cells: told by its first rows."""

import csv
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from multiloss_core.errors import DataError
from multiloss_core.formatting import plural, shortened
from multiloss_core.tables.reading.bounds import LONGEST_CELL, column_names, require_short_cell, require_size

# Where rows fit two of them, commas are rather those of decimals.
SEPARATORS = ";\t|,"
# Stands in no text, so that a line is one cell.
NO_SEPARATOR = "\x1f"
HEAD_BYTES = 2**20
HEAD_LINES = 60
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+\Z")
_SEPARATOR_LINE = re.compile(r'"?sep=([,;\t|])"?\s*', re.I)
_NUMBER_LIKE = re.compile(r"[^\w]{0,3}\d[\d.,' /:%\u00a0\u202f+\-TZ]*\D{0,4}")
_NUMBER = re.compile(r"\s*[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?\s*%?\s*")
_MARKUP = re.compile(r"\s*<(!|\?|/?(html|head|body|table|div|script|style|svg|xml|rss|workbook)\b)", re.I)
_JSON = re.compile(r'\s*[\[{]\s*(["\[{]|$)')

Cells = list[str]


@dataclass(frozen=True, kw_only=True)
class TextLayout:
    """What separates the cells, the names of the columns, and at which character of the head the rows begin."""

    separator: str
    header: list[str]
    body: int
    notes: tuple[str, ...] = ()


def guess_separator(first_line: str) -> str:
    """Guess what separates the cells of a line: comma, semicolon, tab or bar, whichever it has most of."""
    return max(SEPARATORS, key=first_line.count)


def text_layout(head: str, name: str, *, lines: int) -> TextLayout:
    """Find the header in the first million characters of a text file that has so many `lines` in all.

    Blank lines, Excel's "sep=;" and title lines above the header are passed over.

    Raises
    ------
    DataError : no table, no header, too many columns, or a name that occurs twice.
    """
    found = [(match.end(), match.group()) for match in _first_lines(head)]
    if not found:
        raise DataError(f"'{name}' holds nothing but blank lines; choose a file with a header and rows.")
    # Counted before anything is split: a header may be a million commas.
    require_size(max(lines - 1, 0), 1 + max(map(found[0][1].count, SEPARATORS)), name)
    if len(found[0][1]) >= HEAD_BYTES // 2:
        raise DataError(f"'{name}' is not a table: its first line is longer than any header; export it again.")
    said = _SEPARATOR_LINE.fullmatch(found[0][1])
    if said:
        found = found[1:]
    texts = [line for _, line in found]
    if not texts:
        raise DataError(f"'{name}' has no header; choose a file with a header and rows.")
    try:
        separator, records, header = _best([said[1]] if said else SEPARATORS, texts)
    except csv.Error as error:
        raise DataError(
            f"'{name}' is not a table: its first rows cannot be told apart ({error}); export it again."
        ) from None
    _require_table(texts[0], name, is_table=len(records[header][0]) > 1)
    cells, used = records[header]
    for position, cell in enumerate(cells, 1):
        require_short_cell(len(cell), f"column {position}", f"the header of '{name}'")
    require_names(cells, name)
    skipped = records[header - 1][1] if header else 0
    return TextLayout(
        separator=separator, header=column_names(cells), body=found[used - 1][0], notes=skipped_lines(skipped)
    )


def header_row(records: Sequence[Cells]) -> int:
    """Find which of the first rows of a table names its columns: the first, unless narrower titles stand above it.

    Below a title, the names are no numbers, they fill most columns, and numbers stand below some of them.
    """
    width = _usual_width(records)
    filled = [sum(map(bool, map(str.strip, cells))) for cells in records]
    for row, cells in enumerate(records):
        if len(cells) == width and filled[row] >= max(2, 0.6 * width) and _names_columns(cells, records[row + 1 :]):
            return row
        most_of_a_title = width - 1 if width <= 3 else 0.5 * width
        if len(cells) > width or (len(cells) == width and filled[row] > most_of_a_title):
            break
    return 0


def require_names(cells: Cells, name: str) -> None:
    """Refuse a first row of numbers, which is no header. Raises DataError."""
    filled = [cell for cell in cells if cell.strip()]
    if filled and all(map(_NUMBER.fullmatch, filled)):
        raise DataError(
            f"The first row of '{name}' holds only numbers ('{shortened(filled[0])}', …) where the names of the "
            "columns are expected; put a header such as 'score' above it."
        )


def skipped_lines(count: int) -> tuple[str, ...]:
    """Say how many lines stand above the header."""
    if not count:
        return ()
    return (f"{plural(count, 'line')} above the header {'was' if count == 1 else 'were'} skipped.",)


def _first_lines(head: str) -> Iterator[re.Match[str]]:
    """Find the first lines that are not blank."""
    taken = 0
    for match in _LINE.finditer(head):
        if match.group().strip():
            yield match
            taken += 1
        if taken == HEAD_LINES:
            return


def _best(separators: Sequence[str], lines: Sequence[str]) -> tuple[str, list[tuple[Cells, int]], int]:
    """Find the separator by which most of the first rows are as wide as the header, and the header's place."""
    best, likeliest = (0.0, 0), None
    for separator in separators:
        records = _records(lines, separator)
        widths = [len(cells) for cells, _ in records]
        header = header_row([cells for cells, _ in records])
        fitting = sum(width == widths[header] for width in widths[header:]) / len(widths)
        if widths[header] > 1 and (fitting, widths[header]) > best:
            best, likeliest = (fitting, widths[header]), (separator, records, header)
    return likeliest or (NO_SEPARATOR, [([line.strip("\r\n")], place) for place, line in enumerate(lines, 1)], 0)


def _records(lines: Sequence[str], separator: str) -> list[tuple[Cells, int]]:
    """Read the cells of each record, with how many lines were read; the last may be cut, and is left out."""
    reader = csv.reader(iter(lines), delimiter=separator)
    records = [(cells, reader.line_num) for cells in reader]
    if len(records) > 1 and records[-1][1] - records[-2][1] > 1:
        records.pop()
    return records


def _usual_width(records: Sequence[Cells]) -> int:
    widths = Counter(len(cells) for cells in records if len(cells) > 1)
    return max(widths, key=lambda width: (widths[width], width), default=1)


def _names_columns(cells: Cells, below: Sequence[Cells]) -> bool:
    """Whether a row holds names: no numbers, though numbers stand below."""
    if any(_NUMBER_LIKE.fullmatch(cell.strip()) for cell in cells if cell.strip()):
        return False
    beside = [row for row in below if len(row) == len(cells)]
    return any(
        2 * sum(bool(_NUMBER_LIKE.fullmatch(row[place].strip())) for row in beside) > len(beside)
        for place in range(len(cells))
    )


def _require_table(first_line: str, name: str, *, is_table: bool) -> None:
    """Refuse JSON and HTML; a name of a column may begin like these."""
    start = first_line.lstrip()[:1]
    if start not in ("{", "[", "<"):
        return
    if not is_table or _MARKUP.match(first_line) or _JSON.match(first_line.rstrip()) or _is_json(first_line):
        raise DataError(f"'{name}' is not a table: it starts with '{start}'; export it as CSV or Parquet.")


def _is_json(line: str) -> bool:
    if len(line) > LONGEST_CELL:
        return True
    try:
        json.loads(line.strip().removesuffix(","))
    except (ValueError, RecursionError):
        return False
    return True
