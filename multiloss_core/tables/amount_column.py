"""Reads the amount of money that goes with each rated document."""

import pandas as pd

from multiloss_core.errors import DataError
from multiloss_core.numerics.arrays import Floats, Indices
from multiloss_core.tables.number_column import LARGEST_SCORE, numbers, require_usable


def document_amounts(frame: pd.DataFrame, column: str, rows: Indices) -> Floats:
    """Read a column as amounts (n,) >= 0 of some `rows` (n,) of a table, counted from 0.

    Raises
    ------
    DataError : no such column, or an amount that is blank, text, infinite or negative; row numbers count from 1 below
        the header.
    """
    if column not in frame.columns:
        raise DataError(f"There is no column '{column}' with amounts; choose another amount column or none.")
    cells = frame[column].iloc[rows]
    values, _, _ = numbers(cells)
    usable = (values >= 0) & (values < LARGEST_SCORE)
    way_out = "correct these amounts or choose no amount column"
    require_usable(cells, usable, rows, expected="numbers of at least 0", way_out=way_out)
    return values
