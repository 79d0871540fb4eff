"""Reads a column as numbers, and refuses it in one sentence."""

from typing import Any, TypeVar

import numpy as np
import pandas as pd

from multiloss_core.errors import DataError
from multiloss_core.formatting import plural, shortened
from multiloss_core.numerics.arrays import Bools, Floats, Indices

LARGEST_SCORE = 1e100
# Quotients of smaller weights are infinite.
SMALLEST_WEIGHT = 1e-100
# So many rows of a table tell what its columns are.
MAX_SAMPLED = 10_000

Table = TypeVar("Table", pd.DataFrame, "pd.Series[Any]")


def numbers(column: "pd.Series[Any]") -> tuple[Floats, Bools, Bools]:
    """Read a column as numbers: (values, which cells are blank, which hold text, infinity or an absurd size)."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        # Few words may stand for cells that would fill the memory: they are not written out. Code -1 is a blank.
        values, blank, unusable = numbers(pd.Series(column.cat.categories))
        codes = column.cat.codes.to_numpy()
        return np.append(values, np.nan)[codes], np.append(blank, True)[codes], np.append(unusable, False)[codes]
    empty = column.isna().to_numpy()
    if pd.api.types.is_datetime64_any_dtype(column.dtype) or pd.api.types.is_timedelta64_dtype(column.dtype):
        values = np.full(len(column), np.nan)
    else:
        if not pd.api.types.is_numeric_dtype(column.dtype):
            empty = empty | (column.astype("string").str.strip() == "").fillna(True).to_numpy(dtype=bool)
        values = pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
    return values, empty, ~empty & ~(np.abs(values) < LARGEST_SCORE)


def are_weights(values: Floats) -> Bools:
    """Tell which numbers can be weights: above 0, and neither so small nor so large that sums and quotients fail."""
    return (values >= SMALLEST_WEIGHT) & (values < LARGEST_SCORE)


def require_usable(column: "pd.Series[Any]", usable: Bools, rows: Indices, *, expected: str, way_out: str) -> None:
    """Refuse a column unless every cell (n,) is `usable`; `rows` (n,) are its rows in the table, counted from 0.

    Raises
    ------
    DataError : naming the column, how many cells are not what is `expected`, the first of them, and the `way_out`.
    """
    if usable.all():
        return
    first = int(usable.argmin())
    shown = "" if pd.isna(column.iloc[first]) else shortened(column.iloc[first])
    cell = f"'{shown}'" if shown else "blank"
    raise DataError(
        f"Column '{column.name}' has values that are not {expected} ({plural((~usable).sum(), 'row')}, first: "
        f"row {rows[first] + 1:,}, {cell}); {way_out}."
    )


def is_numeric(column: "pd.Series[Any]") -> bool:
    """Whether a column holds numbers, or text of which most reads as numbers; truth values and dates are none."""
    if pd.api.types.is_bool_dtype(column.dtype) or pd.api.types.is_datetime64_any_dtype(column.dtype):
        return False
    if pd.api.types.is_numeric_dtype(column.dtype):
        return True
    return bool(np.mean(~np.isnan(sampled_numbers(column))) > 0.5)


def sampled_numbers(column: "pd.Series[Any]") -> Floats:
    """At most 10,000 cells of a column, evenly spread over it, as numbers; NaN for text and blanks."""
    cells = sampled(column)
    if pd.api.types.is_numeric_dtype(cells.dtype):
        return cells.to_numpy(dtype=np.float64, na_value=np.nan)
    codes, known = pd.factorize(cells)
    values = pd.to_numeric(pd.Series(known).astype("object"), errors="coerce").to_numpy(dtype=np.float64)
    return np.append(values, np.nan)[codes]


def sampled(table: Table) -> Table:
    """At most 10,000 rows of a table, evenly spread over it."""
    return table.iloc[np.linspace(0, len(table) - 1, min(len(table), MAX_SAMPLED)).astype(np.intp)]
