"""Reads tables of scored items: what their columns mean, probabilities and outcomes checked."""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from multiloss_core.errors import DataError
from multiloss_core.formatting import shortened, shortest
from multiloss_core.numerics.arrays import Floats, Indices
from multiloss_core.numerics.rounding import is_probability
from multiloss_core.tables.column_values import group_column, numbers
from multiloss_core.tables.rating_column import guess_meanings, parse_ratings, rating_values

MAX_ITEMS = 1_000_000
MAX_PASTED = 200_000


@dataclass(frozen=True)
class ItemColumns:
    """Hold the columns of scored items; without a `probability` the user must choose."""

    probability: str | None
    label: str | None = None
    positive: str | None = None
    group: str | None = None


def probability_column(frame: pd.DataFrame, name: str) -> Floats:
    """Read a column as probabilities (n,). DataError unless every row is a number in [0, 1]."""
    return checked_probabilities(_column(frame, name, "probability"))


def item_groups(frame: pd.DataFrame, name: str) -> Indices:
    """Read a column as group numbers (n,). DataError with one group only."""
    _column(frame, name, "group")
    return group_column(frame, name, np.arange(len(frame)))[0]


def outcome_column(frame: pd.DataFrame, name: str, positive: object | None = None) -> Floats:
    """Read a column as outcomes (n,): 1 positive, 0 negative, NaN unknown (blank).

    As `parse_ratings` does, but a column with a single value is taken where it is clear which of the two it is.
    """
    column = _column(frame, name, "label")
    codes, values = rating_values(column)
    if len(values) != 1:
        return parse_ratings(column, positive)
    # All outcomes alike: nothing is wrong with that in a small or a rare sample.
    only, wanted = values[0], None if positive is None else str(positive).strip().lower()
    meaning = "positive" if only == wanted else guess_meanings(values, name)[only]
    if meaning not in {"positive", "negative"}:
        raise DataError(
            f"All labels in column '{name}' are '{shortened(only)}', and it is not clear whether that is positive; "
            "write 1 or 0 instead, or choose no label column."
        )
    if wanted is not None and only != wanted:
        meaning = "negative"
    return np.where(codes < 0, np.nan, float(meaning == "positive"))


def require_few_items(rows: int, title: str = "The table") -> None:
    """Refuse more than 1,000,000 items of what a sentence calls `title`. Raises DataError."""
    if rows > MAX_ITEMS:
        raise DataError(
            f"{title} has {rows:,} rows, more than the limit of {MAX_ITEMS:,}; split it, or keep the rows that matter."
        )


def _column(frame: pd.DataFrame, name: str, purpose: str) -> "pd.Series[Any]":
    if name not in frame.columns:
        shown = ", ".join(f"'{shortened(column)}'" for column in frame.columns[:6])
        raise DataError(f"There is no column '{name}' for the {purpose}; the table has {shown}: choose one of them.")
    occurrences = list(frame.columns).count(name)
    if occurrences > 1:
        raise DataError(f"Column name '{name}' occurs {occurrences} times; rename all but one.")
    return frame[name]


def checked_probabilities(column: "pd.Series[Any]") -> Floats:
    """Read a column as probabilities (n,). Raises DataError."""
    name = column.name
    if pd.api.types.is_bool_dtype(column.dtype):
        raise DataError(f"Column '{name}' holds true and false, not probabilities; choose a column of numbers.")
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        raise DataError(f"Column '{name}' holds dates, not probabilities; choose a column of numbers.")
    values, blank, _ = numbers(column)
    unusable = np.flatnonzero(~np.isfinite(values))
    if unusable.size:
        row = int(unusable[0])
        found, way_out = "is blank", "correct or remove these rows, or choose another column"
        if not blank[row]:
            found, way_out = _wrong_cell(column.iloc[row], values[row], way_out)
        raise DataError(f"Column '{name}' {found} in row {row + 1:,}{more_rows(unusable.size)}; {way_out}.")
    outside = np.flatnonzero(~is_probability(values))
    if outside.size:
        row = int(outside[0])
        way_out = (
            "these look like percentages: divide by 100"
            if values.min() >= 0.0 and values.max() <= 100.0 and np.mean(values > 1.0) > 0.25
            else "correct these rows or choose another column"
        )
        raise DataError(
            f"Column '{name}' holds {shortest(values[row])} in row {row + 1:,}{more_rows(outside.size)} where a "
            f"probability from 0 to 1 is expected; {way_out}."
        )
    return values.clip(0.0, 1.0)


def _wrong_cell(cell: Any, value: float, way_out: str) -> tuple[str, str]:
    """Describe a cell that is neither blank nor a finite number, and the correction."""
    if not isinstance(cell, str) or np.isinf(value):
        return "holds an infinite number", way_out
    if re.fullmatch(r"\s*\d*,\d+\s*", cell):
        way_out = "write it with a decimal point"
    elif cell.strip().endswith("%"):
        way_out = "write percentages as numbers from 0 to 1"
    return f"holds '{shortened(cell)}', which is no number,", way_out


def more_rows(count: int) -> str:
    """Say that more rows than the one that is shown are wrong."""
    return "" if count == 1 else f" (and {count - 1:,} more row{'s' if count > 2 else ''} like it)"
