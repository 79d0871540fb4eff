"""Columns that stand in no table but follow from one: a score that falls with risk turned, a rate as a weight."""

from typing import Any

import numpy as np
import pandas as pd

from multiloss_core.errors import DataError
from multiloss_core.formatting import MINUS
from multiloss_core.tables.number_column import numbers

RECIPROCAL = "1 / "


def column_of(frame: pd.DataFrame, name: str) -> "pd.Series[Any]":
    """Return the column (n,) of a name, also of one derived: "minus X" holds -X, and "1 / X" the reciprocals of X.

    A column that really has such a name is taken first, of several with one name the first. Cells that are no numbers
    stay as they are, so that whoever reads the column can say so.

    Raises
    ------
    DataError : no such column.
    """
    base = base_of(frame, name)
    if base is None:
        raise DataError(f"There is no column '{name}' in the table; choose another one.")
    column = _first(frame, base)
    if base == name:
        return column
    values, _, unusable = numbers(column)
    with np.errstate(divide="ignore"):
        derived = -values if name.startswith(MINUS) else 1 / values
    if not unusable.any():
        return pd.Series(derived, index=column.index, name=name)
    return pd.Series(np.where(unusable, column.astype(object), derived), index=column.index, name=name)


def base_of(frame: pd.DataFrame, name: str) -> str | None:
    """Return the column of the table that a name stands for or is derived from; None where there is none."""
    for prefix in ("", MINUS, RECIPROCAL):
        if name.startswith(prefix) and name.removeprefix(prefix) in frame.columns:
            return name.removeprefix(prefix)
    return None


def _first(frame: pd.DataFrame, name: str) -> "pd.Series[Any]":
    return frame.iloc[:, list(frame.columns).index(name)]
