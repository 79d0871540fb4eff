"""Rows that belong together: several alerts of one customer, several comparisons of one person."""

from collections.abc import Hashable, Sequence
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from multiloss_core.errors import DataError
from multiloss_core.formatting import shortened
from multiloss_core.numerics.arrays import Indices

Groups: TypeAlias = Sequence[Hashable] | NDArray[Any] | pd.Series


def group_numbers(groups: Groups, count: int) -> Indices:
    """Assign the numbers 0..g-1 to groups in order of appearance, (n,); a missing one is a group of its own.

    Raises
    ------
    DataError : not one group for each of `count` documents, or something that cannot be compared.
    """
    column = groups if isinstance(groups, np.ndarray | pd.Series) else pd.Series(list(groups))
    if column.shape != (count,):
        raise DataError(f"There must be one group for each of the {count:,} documents, not shape {column.shape}.")
    try:
        codes, known = pd.factorize(column)
    except TypeError:
        raise DataError("Groups must be numbers or words; some of them are lists or tables.") from None
    missing = codes < 0
    if not missing.any():
        return np.asarray(codes, dtype=np.intp)
    alone = np.where(missing, len(known) + np.cumsum(missing) - 1, codes)
    return np.asarray(pd.factorize(alone)[0], dtype=np.intp)


def group_column(frame: pd.DataFrame, name: str, rows: Indices) -> tuple[Indices, int]:
    """Read the groups of some rows of a table, numbered, and how many of these rows hold none (blank).

    Raises
    ------
    DataError : one group only, from which nothing can be held out.
    """
    column: pd.Series[Any] = frame[name].iloc[rows]
    if pd.api.types.is_string_dtype(column.dtype):
        words = column.astype("string").str.strip()
        column = words.where(words != "")
    numbers = group_numbers(column, rows.size)
    blank = int(column.isna().sum())
    if blank == rows.size:
        raise DataError(f"All {blank:,} usable rows of '{name}' are blank; choose another group column or none.")
    if numbers.max(initial=0) == 0:
        raise DataError(
            f"Column '{name}' holds one group only, '{shortened(column.iloc[0])}', in all {rows.size:,} usable rows "
            f"(from row {rows[0] + 1:,} on), so no group can be held out; choose another group column or none."
        )
    return numbers, blank
