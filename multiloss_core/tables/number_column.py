"""A column read as numbers."""

from typing import Any

import numpy as np
import pandas as pd

from multiloss_core.numerics.arrays import Bools, Floats

LARGEST_SCORE = 1e100


def numbers(column: "pd.Series[Any]") -> tuple[Floats, Bools, Bools]:
    """Read a column as numbers: (values, which cells are blank, which hold text, infinity or an absurd size)."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(column.cat.categories.dtype)
    empty = column.isna().to_numpy()
    if pd.api.types.is_datetime64_any_dtype(column.dtype) or pd.api.types.is_timedelta64_dtype(column.dtype):
        values = np.full(len(column), np.nan)
    else:
        if not pd.api.types.is_numeric_dtype(column.dtype):
            empty = empty | (column.astype("string").str.strip() == "").fillna(True).to_numpy(dtype=bool)
        values = pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
    blank: Bools = empty
    return values, blank, ~blank & ~(np.abs(values) < LARGEST_SCORE)
