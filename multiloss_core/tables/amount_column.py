"""Amounts of money beside rated documents."""

import pandas as pd

from multiloss_core.errors import DataError
from multiloss_core.numerics.arrays import Floats, Indices
from multiloss_core.tables.number_column import LARGEST_SCORE, numbers


def document_amounts(frame: pd.DataFrame, column: str, rows: Indices) -> Floats:
    """The amounts (n,) >= 0 that a column holds in some rows of a table; rows (n,) count from 0.

    Raises
    ------
    DataError : no such column, or an amount that is blank, text, infinite or negative; row numbers count from 1 below
        the header.
    """
    if column not in frame.columns:
        raise DataError(f"There is no column '{column}' with amounts; choose another amount column or none.")
    cells = frame[column].iloc[rows]
    values, _, _ = numbers(cells)
    bad = ~((values >= 0) & (values < LARGEST_SCORE))
    if bad.any():
        first = int(bad.argmax())
        cell = "blank" if pd.isna(cells.iloc[first]) else f"'{str(cells.iloc[first])[:40]}'"
        raise DataError(
            f"Of the amounts in column '{column}', {bad.sum():,} cannot be read as numbers of at least 0 (first: row "
            f"{rows[first] + 1:,}, {cell}); correct them or choose no amount column."
        )
    return values
