"""By which values of which columns the rows of a decision were chosen, recorded and applied to other tables."""

from collections.abc import Iterable, Sequence
from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import BeforeValidator, Field

from multiloss_core.decisions.validation import AnyText, Name, as_tuple, recorded
from multiloss_core.errors import DataError
from multiloss_core.formatting import shortened
from multiloss_core.numerics.arrays import Bools

MAX_VALUES, MAX_SHOWN = 1_000, 8


@recorded
class RecordedFilter:
    """Rows whose column holds one of some values."""

    column: Name
    values: Annotated[
        tuple[bool | int | float | AnyText, ...],
        BeforeValidator(as_tuple),
        Field(min_length=1, max_length=MAX_VALUES),
    ]
    """The values as JSON has them; days, times and decimals as text."""

    @property
    def words(self) -> str:
        """The values in a line, the first ones of many."""
        more = len(self.values) - MAX_SHOWN
        named = ", ".join(shortened(str(value)) for value in self.values[:MAX_SHOWN])
        return f"{named} and {more:,} more" if more > 0 else named


def recorded_filters(chosen: Iterable[tuple[str, Sequence[object]]]) -> tuple[RecordedFilter, ...] | None:
    """Record columns with the values that rows were chosen by; None where there are none."""
    filters = (RecordedFilter(column, tuple(map(_plain, values))) for column, values in chosen)
    return tuple(filters) or None


def kept_rows(frame: pd.DataFrame, filters: Sequence[RecordedFilter]) -> Bools:
    """Tell which rows (n,) of a table the filters keep.

    Raises
    ------
    DataError : a column that is missing, or no row that is kept.
    """
    kept = np.ones(len(frame), dtype=bool)
    for entry in filters:
        wanted = list(entry.values)
        if entry.column not in frame.columns:
            raise DataError(
                f"There is no column '{shortened(entry.column)}', by which the decision chose its rows "
                f"({entry.words}); choose a table that has it."
            )
        column = frame[entry.column]
        if pd.api.types.is_datetime64_any_dtype(column.dtype):
            times = pd.to_datetime(pd.Series(wanted, dtype="string"), errors="coerce", utc=True)
            kept &= pd.to_datetime(column, utc=True).isin(times).to_numpy()
        else:
            as_text = column.astype("string").isin([*map(str, wanted)]).fillna(value=False)
            kept &= column.isin(wanted).to_numpy() | as_text.to_numpy(dtype=bool)
    if len(frame) and not kept.any():
        told = "; ".join(f"'{shortened(entry.column)}' is {entry.words}" for entry in filters)
        raise DataError(f"The decision is of rows where {told}, and the table has none; choose another table.")
    return np.asarray(kept)


def _plain(value: object) -> bool | int | float | str:
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    return float(value) if isinstance(value, float | np.floating) else str(value)
