"""Find the header and the separator of a table from its first rows."""

import csv
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from multiloss_core.errors import DataError
from multiloss_core.formatting import plural, shortened
from multiloss_core.tables.column_values import NOTHING
from multiloss_core.tables.reading.limits import MAX_CELL_CHARACTERS, column_names, require_short_cell, require_size
from multiloss_core.tables.spreadsheet_csv import SEPARATORS

# Stands in no text, so that a line is one cell.
NO_SEPARATOR = "\x1f"
HEAD_BYTES = 2**20
HEAD_LINES = 60
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+\Z")
_SEPARATOR_LINE = re.compile(r'"?sep=([,;\t|])"?\s*', re.I)
# Proofs of other ways of quoting: a quote after a backslash, or after a space, that does not end its cell.
_ESCAPED = re.compile(r'\\"(?!["\r\n,;\t|]|\Z)')
_SPACED = re.compile(r'[,;\t|] +"(?!["\r\n,;\t|]|\Z)')
_APOSTROPHES = re.compile(r"(?:^|[,;\t|]) *'[^'\r\n]*' *(?:[,;\t|\r\n]|\Z)")
_NUMBER_LIKE = re.compile(r"[^\w]{0,3}\d[\d.,' /:%\u00a0\u202f+\-TZ]*\D{0,4}")
_NUMBER = re.compile(r"\s*[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?\s*%?\s*")
_MARKUP = re.compile(r"\s*<(!|\?|/?(html|head|body|table|div|script|style|svg|xml|rss|workbook)\b)", re.I)
_JSON = re.compile(r'\s*[\[{]\s*(["\[{]|$)')

Cells = list[str]


@dataclass(frozen=True, kw_only=True)
class Quoting:
    """Describe quoting by `quote`, doubled within cells or after an `escape`."""

    quote: str = '"'
    escape: str | None = None
    note: str = ""

    def records(self, lines: Iterable[str], separator: str, *, is_strict: bool = False) -> Any:
        """Read lines as records; if `is_strict`, raise csv.Error for text beside a quoted cell."""
        if self.escape:
            # Only a quote and the escape itself are escaped: others are a part of the text.
            lines = (_LONE_ESCAPE.sub(lambda found: found[0] if found[1] else r"\\", line) for line in lines)
        return csv.reader(
            iter(lines),
            delimiter=separator,
            quotechar=self.quote,
            escapechar=self.escape,
            skipinitialspace=self != PLAIN,
            strict=is_strict,
        )


_LONE_ESCAPE = re.compile(r'\\(["\\])?')
PLAIN = Quoting()
OTHER_QUOTING = (
    Quoting(note="Spaces before quotes were left out."),
    Quoting(escape="\\", note="Quotes within cells were read as escaped by a backslash."),
    Quoting(quote="'", note="Apostrophes around cells were read as quotes."),
)


@dataclass(frozen=True, kw_only=True)
class TextLayout:
    """Hold separator, quoting, column names and the position of the first row in the head."""

    separator: str
    header: list[str]
    body: int
    quoting: Quoting = PLAIN
    notes: tuple[str, ...] = ()


def text_layout(head: str, name: str, *, lines: int, header_line: int | None = None) -> TextLayout:
    """Find the header in the first million characters of a file of `lines` lines.

    Blank lines, Excel's "sep=;" and title lines above the header are passed over, unless its line is given.

    Raises DataError: no table, no header, too many columns, or a name that occurs twice.
    """
    found = [(match.end(), match.group()) for match in _first_lines(head, header_line or 1)]
    if header_line is not None and not found:
        raise DataError(f"'{name}' has no line {header_line:,} for the header; choose another line.")
    if not found:
        raise DataError(f"'{name}' holds nothing but blank lines; choose a file with a header and rows.")
    # Counted before anything is split: a header may be a million commas.
    require_size(max(lines - 1, 0), 1 + max(map(found[0][1].count, SEPARATORS)), name)
    if len(found[0][1]) >= HEAD_BYTES // 2:
        raise DataError(f"'{name}' is not a table: its first line is longer than any header; export it again.")
    given = _SEPARATOR_LINE.fullmatch(found[0][1])
    if given:
        found = found[1:]
    texts = [line for _, line in found]
    if not texts:
        raise DataError(f"'{name}' has no header; choose a file with a header and rows.")
    try:
        quoting = _quoting(texts)
        separator, records, header = _best([given[1]] if given else SEPARATORS, texts, quoting, header_line is not None)
    except csv.Error as error:
        raise DataError(
            f"'{name}' is not a table: its first rows cannot be separated ({error}); export it again."
        ) from None
    _require_table(texts[0], name, is_table=len(records[header][0]) > 1)
    cells, used = records[header]
    below = [row for row, _ in records[header + 1 :]]
    for position, cell in enumerate(cells, 1):
        require_short_cell(len(cell), f"column {position}", f"the header of '{name}'")
        _require_one_name(cell, position - 1, cells, separator, name)
    if header_line is None:
        require_names(cells, name, below)
    cells = _as_wide_as(cells, below)
    require_size(max(lines - 1, 0), len(cells), name)
    skipped = (header_line or 1) - 1 + (records[header - 1][1] if header else 0)
    return TextLayout(
        separator=separator,
        header=column_names(cells),
        body=found[used - 1][0],
        quoting=quoting,
        notes=(*skipped_lines(skipped), *filter(None, [quoting.note])),
    )


def swallowed(text: str, separator: str, place: int, others: int) -> tuple[int, bool]:
    """Count the line ends in a cell; return also whether a stray quote swallowed rows.

    `place` is that of the cell, which has`others` beside it.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    texts = text.rstrip("\n").split("\n")
    separators = [part.count(separator) for part in texts]
    # As many as stand between a cell and the same place in a later row, or the end of a row.
    to_cell, to_end = others * (len(texts) - 1), others * len(texts) - place
    holds_rows = (sum(separators), separators[-1]) in ((to_cell, place), (to_end, others))
    return text.count("\n"), len(texts) > 1 and others > 0 and holds_rows


def _require_one_name(cell: str, place: int, cells: Cells, separator: str, name: str) -> None:
    """Refuse a name that a stray quote has run together with rows below."""
    is_open = separator == NO_SEPARATOR and cell.startswith('"') and cell.count('"') % 2 == 1
    rows = [line for line in cell.splitlines()[1:] if line.count(separator) >= max(len(cells) - 1, 1)]
    if (is_open and any(map(cell.count, SEPARATORS))) or rows or swallowed(cell, separator, place, len(cells) - 1)[1]:
        raise DataError(
            f"A quote (\") in the header of '{name}', before '{shortened(cell.splitlines()[0])}', opens a name that "
            "swallows rows; write it twice within quotes, or remove it."
        )


def _as_wide_as(cells: Cells, below: Sequence[Cells]) -> Cells:
    """Match the header's width to the rows below where either ends in separators only."""
    width = _usual_width(below) if below else len(cells)
    while len(cells) > max(width, 1) and not cells[-1].strip():
        cells = cells[:-1]
    extra = [cell for row in below if len(row) == width for cell in row[len(cells) :]]
    return cells if any(map(str.strip, extra)) else cells + [""] * (width - len(cells))


def _quoting(lines: Sequence[str]) -> Quoting:
    """Find how cells are quoted: as usual, unless the first lines prove another way."""
    spaced, escaped, apostrophes = OTHER_QUOTING
    text = "".join(lines)
    if '"' not in text and all(map(_APOSTROPHES.search, lines[1:])) and len(lines) > 2:
        return apostrophes
    return escaped if _ESCAPED.search(text) else spaced if _SPACED.search(text) else PLAIN


def header_row(records: Sequence[Cells]) -> int:
    """Find the row that names the columns: the first, unless narrower titles precede it.

    Below a title, the names are no numbers, they fill most columns, and numbers stand below some of them.
    """
    width, is_below_wider = _usual_width(records), False
    filled = [sum(map(bool, map(str.strip, cells))) for cells in records]
    for row, cells in enumerate(records):
        # Below a wider line, which may be the header of rows that are too short, every column has a name.
        fewest = width if is_below_wider else max(2, 0.6 * width)
        if len(cells) == width and filled[row] >= fewest and _names_columns(cells, records[row + 1 :]):
            return row
        most_of_a_title = width - 1 if width <= 3 else 0.5 * width
        if len(cells) == width and filled[row] > most_of_a_title:
            break
        is_below_wider = is_below_wider or len(cells) > width
    return 0


def require_names(cells: Cells, name: str, below: Sequence[Cells]) -> None:
    """Refuse a first row with numbers, and no words, above numbers. Raises DataError."""
    numbers = [place for place, cell in enumerate(cells) if _NUMBER.fullmatch(cell)]
    filled = sum(bool(cell.strip()) for cell in cells)
    above_numbers = [place for place in numbers if _holds_numbers(below, place)]
    words = [place for place, cell in enumerate(cells) if place not in numbers and cell.strip().lower() not in NOTHING]
    is_headed = any(cells[place].strip() and _holds_numbers(below, place) for place in words)
    if is_headed and not any(_is_alike(cells[place], below, place) for place in words):
        return
    if numbers and (above_numbers or len(numbers) == filled):
        shown = shortened(cells[(above_numbers or numbers)[0]].strip())
        what = "only numbers" if len(numbers) == filled else "a number"
        raise DataError(
            f"The first row of '{name}' holds {what} ('{shown}', …) where the "
            "names of the columns are expected; put a header such as 'score' above it, or say which line "
            "the header is."
        )


def _is_alike(cell: str, below: Sequence[Cells], place: int) -> bool:
    """Whether a cell has the form of most cells below, such as letters before digits."""
    form, forms = _form(cell), [_form(row[place]) for row in below if len(row) > place]
    return "9" in form and 2 * forms.count(form) > len(forms)


def _form(cell: str) -> str:
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "9", cell.strip()))


def skipped_lines(count: int) -> tuple[str, ...]:
    """Count the lines above the header."""
    if not count:
        return ()
    return (f"{plural(count, 'line')} above the header {'was' if count == 1 else 'were'} skipped.",)


def _first_lines(head: str, first: int) -> Iterator[re.Match[str]]:
    """Find the first lines that are not blank, from a given one on, counted from 1."""
    taken = 0
    for line, match in enumerate(_LINE.finditer(head), 1):
        if line == first > 1 and not match.group().strip():
            return
        if line >= first and match.group().strip():
            yield match
            taken += 1
        if taken == HEAD_LINES:
            return


def _best(
    separators: Sequence[str], lines: Sequence[str], quoting: Quoting, is_header_first: bool
) -> tuple[str, list[tuple[Cells, int]], int]:
    """Find the separator that gives most rows the header's width, and the header's place."""
    best, likeliest = (0.0, 0), None
    for separator in separators:
        records = _records(lines, separator, quoting)
        widths = [len(cells) for cells, _ in records]
        header = 0 if is_header_first else header_row([cells for cells, _ in records])
        fitting = sum(width == widths[header] for width in widths[header:]) / len(widths)
        if widths[header] > 1 and (fitting, widths[header]) > best:
            best, likeliest = (fitting, widths[header]), (separator, records, header)
    return likeliest or (NO_SEPARATOR, [([line.strip("\r\n")], place) for place, line in enumerate(lines, 1)], 0)


def _records(lines: Sequence[str], separator: str, quoting: Quoting) -> list[tuple[Cells, int]]:
    """Read each record with the number of lines read, leaving out the last, perhaps cut one."""
    reader = quoting.records(lines, separator)
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
    return any(_holds_numbers(beside, place) for place in range(len(cells)))


def _holds_numbers(rows: Sequence[Cells], place: int) -> bool:
    """Whether most of the rows that have such a place hold a number there."""
    cells = [row[place].strip() for row in rows if len(row) > place]
    return 2 * sum(map(bool, map(_NUMBER_LIKE.fullmatch, cells))) > len(cells)


def _require_table(first_line: str, name: str, *, is_table: bool) -> None:
    """Refuse JSON and HTML; a name of a column may begin like these."""
    start = first_line.lstrip()[:1]
    if start not in ("{", "[", "<"):
        return
    if not is_table or _MARKUP.match(first_line) or _JSON.match(first_line.rstrip()) or _is_json(first_line):
        raise DataError(f"'{name}' is not a table: it starts with '{start}'; export it as CSV or Parquet.")


def _is_json(line: str) -> bool:
    if len(line) > MAX_CELL_CHARACTERS:
        return True
    try:
        json.loads(line.strip().removesuffix(","))
    except (ValueError, RecursionError):
        return False
    return True
