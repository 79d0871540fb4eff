"""Find rows that are no data: repeated headers, dashes, totals and duplicates."""

import re
from collections.abc import Iterator

import numpy as np
import pyarrow as arrow
from pyarrow import compute

from multiloss_core.formatting import plural, shortened
from multiloss_core.numerics.arrays import Bools
from multiloss_core.tables.column_values import NOTHING
from multiloss_core.tables.reading.column_types import Columns, is_text
from multiloss_core.tables.reading.numbers import number_shape

# Rows at either end that may be no data, and rows that show a column's content.
AT_TOP, AT_END, LOOKED_AT = 2, 5, 2_000
_DASHES = re.compile(r"[-=_+:|*~\s]{2,}")
_TOTAL = re.compile(
    r"((grand|sub|over|all)[\s-]*)?(totals?|sum|summe|zwischensumme|gesamt(summe)?|insgesamt|suma|somme|soma|subtotal|"
    r"total (général|general|geral)|average|mean|avg|median|mittelwert|durchschnitt|moyenne|promedio|média|media|count|"
    r"anzahl|nombre|conteo|number of (rows|alerts|records))\b.{0,40}",
    re.IGNORECASE,
)

Row = dict[str, str]


def only_data(columns: Columns) -> tuple[Bools | None, tuple[str, ...]]:
    """Find the rows (n,) that are data, and say which are not; None where all are.

    Left out are rows that repeat the header, lines of dashes and a second header at the top, and totals among the last
    five rows. O(n) for one column of text, and for the others only where such rows are found.
    """
    rows = len(next(iter(columns.values())))
    headers = _repeated_headers(columns)
    dashes = [row for row in range(min(AT_TOP, rows)) if row not in headers and _is_dashes(_row(columns, row))]
    dashes += [row for row in range(max(rows - AT_END, AT_TOP), rows) if _is_dashes(_row(columns, row))]
    second = [row for row in range(min(AT_TOP, rows)) if row not in {*headers, *dashes}][:1]
    second = [row for row in second if _is_second_header(columns, row)]
    others = {*headers, *dashes, *second}
    totals = [row for row in range(max(rows - AT_END, 1), rows) if row not in others and _is_total(columns, row)]
    others.update(totals)
    if not others or len(others) == rows:
        return None, ()
    notes = []
    if headers:
        notes.append(f"{plural(len(headers), 'row', 'repeat')} the header, left out (first: row {headers[0] + 1:,}).")
    if dashes:
        notes.append(f"{plural(len(dashes), 'row')} of dashes left out (first: row {dashes[0] + 1:,}).")
    for row, what in (*((row, "a second header") for row in second), *((row, "a total of others") for row in totals)):
        cell = shortened(next(iter(_row(columns, row).values())))
        notes.append(f"Row {row + 1:,} ('{cell}', …) was left out, because it looks like {what}.")
    kept = np.ones(rows, dtype=bool)
    kept[list(others)] = False
    return kept, tuple(notes)


def _row(columns: Columns, row: int) -> Row:
    """Give the filled cells of a row as text."""
    cells = ((name, column[row].as_py()) for name, column in columns.items())
    return {name: str(cell).strip() for name, cell in cells if cell is not None and str(cell).strip()}


def _repeated_headers(columns: Columns) -> list[int]:
    texts = {name: column for name, column in columns.items() if is_text(column)}
    if not texts:
        return []
    *_, (name, column) = texts.items()
    found = np.flatnonzero(compute.fill_null(compute.equal(column, name), False).to_numpy())
    return [row for row in found.tolist() if _is_header(_row(columns, row))]


def _is_header(row: Row) -> bool:
    return all(name == cell.replace("\ufeff", "").strip(' "') for name, cell in row.items())


def _is_dashes(row: Row) -> bool:
    return bool(row) and all(map(_DASHES.fullmatch, row.values()))


def _is_second_header(columns: Columns, place: int) -> bool:
    """Whether a row holds words above numbers, none of which occurs again below."""
    row = _row(columns, place)
    if len(row) < 2 or not all(is_text(columns[name]) for name in row):
        return False
    below = {name: columns[name].slice(place + 1) for name in row}
    shapes = {name: number_shape(cells.slice(0, LOOKED_AT)) for name, cells in below.items()}
    above = {name for name, shape in shapes.items() if shape.is_numeric and shape.numbers >= AT_END}
    numbers = {name for name in above if number_shape(columns[name].slice(place, 1)).numbers}
    if not above or numbers or any(row[name].casefold() in NOTHING for name in above):
        return False
    others = (
        compute.any(compute.equal(below[name], columns[name][place])).as_py() for name in row if name not in above
    )
    return not any(others)


def _is_total(columns: Columns, place: int) -> bool:
    """Whether a row is a total: named so, or with blanks and sums; a name and blanks suffice."""
    row = _row(columns, place)
    if not row or len(columns) < 2:
        return False
    first = next(iter(row))
    is_named = bool(_TOTAL.fullmatch(row[first])) and is_text(columns[first])
    rows = len(columns[first])
    has_blanks = any(
        column[place].as_py() is None and column.null_count <= min(AT_END, 0.1 * rows) for column in columns.values()
    )
    if not (is_named or has_blanks):
        return False
    if is_named and compute.sum(compute.equal(columns[first], columns[first][place])).as_py() > 1:
        return False
    return (is_named and has_blanks) or any(_sums(columns, place, is_named=is_named))


def _sums(columns: Columns, place: int, *, is_named: bool) -> Iterator[bool]:
    """Return for each numeric column whether a cell is the sum above, or a named mean."""
    for column in columns.values():
        if not (arrow.types.is_integer(column.type) or arrow.types.is_floating(column.type)):
            continue
        values = column.slice(0, place).cast(arrow.float64()).drop_null().to_numpy()
        values, value = values[np.isfinite(values)], column[place].as_py()
        if value is None or values.size < AT_TOP:
            continue
        with np.errstate(over="ignore"):
            total, most, range_ = values.sum(), values.max(), np.ptp(values)
        is_sum = value > most and abs(value - total) <= 5e-3 * abs(total)
        yield bool(is_sum or (is_named and range_ > 0 and abs(value - total / values.size) <= 5e-3 * range_))
