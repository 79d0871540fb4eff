"""Writes tables as CSV files that a spreadsheet may open: no cell starts a formula."""

import re
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_datetime64_any_dtype, is_float_dtype, is_numeric_dtype, is_timedelta64_dtype

from multiloss_core.numerics.arrays import Indices

# Full-width signs start a formula as well, and some programs pass over white space before one.
_FORMULA = re.compile(r"[\t\r\n]|\s*[=+\-@＝＋－＠]")
# Another separator than that of the file, or a line end in a cell, may begin a cell of its own.
_INNER_FORMULA = re.compile(
    r"""(?<=[;|\t\r\n])(?=[\s"']*(?:[=@＝＋－＠]|[+\-](?!(?:\d+\.?\d*|\.\d+)\s*(?:[;|\t\r\n]|$))))"""
)
# Rows that fit two of them more likely have decimal commas.
SEPARATORS = ";\t|,"
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)

# Columns of these types hold no text.
_PLAIN = (is_numeric_dtype, is_datetime64_any_dtype, is_timedelta64_dtype)


def guess_separator(first_line: str) -> str:
    """Guess the separator of a line: the most frequent of comma, semicolon, tab and bar."""
    return max(SEPARATORS, key=first_line.count)


def frame_as_csv(frame: pd.DataFrame, index_label: str | None = None, *, rows: Indices | None = None) -> str:
    """Write a table as CSV text in which no cell and no column name starts a formula.

    Numbers, dates and truth values are written as they are, and whole numbers of a column with blanks without ".0".
    `index_label`: heads the index, which is left out without it. `rows` (m,): positions of the rows to write, by
    default all. Lines end as in RFC 4180, by which a cell that holds either of the characters is quoted.
    """
    safe = without_formulas(frame)
    for position, kind in enumerate(frame.dtypes):
        if is_float_dtype(kind):
            safe.isetitem(position, _as_whole_numbers(frame.iloc[:, position]).array)
    return str(
        (safe if rows is None else safe.iloc[rows]).to_csv(
            index=index_label is not None, index_label=without_formula(index_label or ""), lineterminator="\r\n"
        )
    )


def without_formulas(frame: pd.DataFrame) -> pd.DataFrame:
    """Copy a table so that no text or column name starts a formula in a spreadsheet."""
    safe = frame.copy(deep=False)
    for position, kind in enumerate(frame.dtypes):
        if not any(is_plain(kind) for is_plain in _PLAIN):
            texts = frame.iloc[:, position].astype(object)
            safe.isetitem(
                position, texts.map(lambda cell: without_formula(cell) if isinstance(cell, str) else cell).array
            )
    safe.columns = pd.Index([without_formula(str(name)) for name in frame.columns])
    return safe


def without_formula(cell: str) -> str:
    """Prefix an apostrophe to what starts like a formula in a cell, and is no number."""
    safe = _INNER_FORMULA.sub(lambda found: "" if cell[: found.start()].isspace() else "'", cell)
    return f"'{safe}" if _FORMULA.match(cell) and not _NUMBER.fullmatch(cell) else safe


def _as_whole_numbers(column: "pd.Series[Any]") -> "pd.Series[Any]":
    """Blanks make pandas read whole numbers, such as identifiers, as 12.0: take them for 12."""
    known = column.dropna()
    whole = known.size < column.size and bool(((known == np.rint(known)) & (known.abs() < 2**53)).all())
    return column.astype("Int64") if whole else column
