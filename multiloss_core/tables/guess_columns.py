"""What the columns of a table seem to be, and whether it is a ready table of counts."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from multiloss_core.errors import DataError
from multiloss_core.numerics.arrays import Floats, Indices
from multiloss_core.tables.amount_column import document_amounts
from multiloss_core.tables.number_column import is_numeric, sampled, sampled_numbers
from multiloss_core.tables.rating_column import guess_positive, rating_values
from multiloss_core.tables.segment_column import document_segments
from multiloss_core.tables.time_column import document_times

MAX_SCORES = 4
MAX_RATINGS = 20
MAX_SEGMENTS = 30

_RATING_NAME = re.compile(r"label|rating|rated|verdict|truth|target|class|fraud|genuine|outcome|decision|is_|^y$", re.I)
_WEIGHT_NAME = re.compile(r"weight|sampling", re.I)
_IDENTIFIER_NAME = re.compile(
    r"(^|[_\s])(id|uuid|person|user|customer|account|date|time|timestamp|day|row|index)s?$", re.I
)
_GROUP_NAME = re.compile(r"group|customer|customer_id|person|account_id", re.I)
_SCORE_NAME = re.compile(r"score|prob|model|classifier", re.I)
_AMOUNT_NAME = re.compile(r"(^|[\W_\d])(amount|amt|betrag|value|price|loss|exposure|money)s?($|[\W_\d])", re.I)
_TIME_NAME = re.compile(r"(^|[\W_\d])(date|time|datetime|timestamp|created|day|week)s?($|[\W_\d])", re.I)
_SEGMENT_NAME = re.compile(
    r"(^|[\W_\d])(segment|country|channel|region|product|category|type|merchant)s?($|[\W_\d])", re.I
)
_THRESHOLD_NAME = re.compile(r"^(t|threshold)[\s_]?\d*$|threshold", re.I)


def is_count_table(frame: pd.DataFrame) -> bool:
    """Whether a table is ready counts (T1, T2, …, TP, FP) rather than one row for each document."""
    lower = {str(column).strip().lower() for column in frame.columns}
    return {"tp", "fp"} <= lower and bool(threshold_columns(frame))


def threshold_columns(frame: pd.DataFrame) -> list[str]:
    """Find the threshold columns of a count table: those named so, else every numeric column but TP and FP."""
    others = [c for c in frame.columns if str(c).strip().lower() not in {"tp", "fp"}]
    named = [c for c in others if _THRESHOLD_NAME.search(str(c).strip())]
    return named or [c for c in others if pd.api.types.is_numeric_dtype(frame[c].dtype)]


@dataclass(frozen=True)
class ColumnGuess:
    """What the columns of a table of documents seem to be; `None` or empty where nothing fits."""

    scores: tuple[str, ...]
    rating: str | None
    positive: str | None
    weight: str | None
    group: str | None = None
    amount: str | None = None
    time: str | None = None
    segment: str | None = None


def guess_columns(frame: pd.DataFrame) -> ColumnGuess:
    """Guess the columns of scores (at most four) and of other roles, and the positive rating, by names and cells."""
    weight = next(
        (c for c in frame.columns if _WEIGHT_NAME.search(str(c)) and pd.api.types.is_numeric_dtype(frame[c].dtype)),
        None,
    )
    rating = _guess_rating(frame if weight is None else frame.drop(columns=weight))
    positive = guess_positive(rating_values(frame[rating])[1]) if rating is not None else None
    group = next((c for c in frame.columns if c not in (rating, weight) and _looks_like_group(frame[c])), None)
    sample = sampled(frame)
    others = [c for c in frame.columns if c not in (rating, weight, group)]
    candidates = [c for c in others if _looks_like_score(sample[c])]
    named = [c for c in candidates if _SCORE_NAME.search(str(c))]
    scores = named or candidates
    amounts = [c for c in others if c not in named and _is_named_as_amount(sample[c])]
    # Scores may go by the name of an amount, and without a score nothing can be decided.
    if set(scores) <= set(amounts):
        amounts = []
    return ColumnGuess(
        tuple([c for c in scores if c not in amounts][:MAX_SCORES]),
        rating,
        positive,
        weight,
        group,
        next((c for c in amounts if _is_accepted(document_amounts, frame, sample, c)), None),
        next((c for c in others if _looks_like_time(frame, sample, c)), None),
        next((c for c in others if _looks_like_segment(frame, sample, c)), None),
    )


def require_documents(frame: pd.DataFrame) -> None:
    """Refuse a table that cannot hold rated documents, with what is missing.

    Raises
    ------
    DataError : one column only, or no numeric column.
    """
    if frame.shape[1] < 2:
        raise DataError(
            f"The table has one column, '{frame.columns[0]}'; a score and a rating are needed (columns are separated "
            "by comma, semicolon, tab or bar)."
        )
    if not any(is_numeric(frame[c]) for c in frame.columns):
        raise DataError(
            f"None of the {frame.shape[1]} columns ('{frame.columns[0]}', …) is numeric from row 1 on; add the "
            "classifiers' scores as numbers."
        )


def _guess_rating(frame: pd.DataFrame) -> str | None:
    distinct = {str(column): int(frame[column].nunique(dropna=True)) for column in frame.columns}
    two = [column for column, values in distinct.items() if values == 2]
    one = [column for column, values in distinct.items() if values == 1]
    for choices in (two, one):
        named = [column for column in choices if _RATING_NAME.search(column)]
        worded = [column for column in choices if guess_positive(rating_values(frame[column])[1])]
        if named or worded:
            return (named or worded)[0]
    named = [column for column, values in distinct.items() if _RATING_NAME.search(column) and values <= MAX_RATINGS]
    found = two or named
    return found[0] if found else None


def _looks_like_group(column: "pd.Series[Any]") -> bool:
    """Whether a column is clearly named as a group and puts some rows together, but not all."""
    return bool(_GROUP_NAME.fullmatch(str(column.name).strip())) and 1 < column.nunique() < column.count()


def _is_named_as_amount(column: "pd.Series[Any]") -> bool:
    if not _AMOUNT_NAME.search(str(column.name)) or pd.api.types.is_bool_dtype(column.dtype):
        return False
    # Numbers up to 1 are rather shares or probabilities.
    return pd.api.types.is_numeric_dtype(column.dtype) and bool(column.max() > 1)


def _looks_like_time(frame: pd.DataFrame, sample: pd.DataFrame, name: str) -> bool:
    if not _TIME_NAME.search(str(name)) or pd.api.types.is_numeric_dtype(frame[name].dtype):
        return False
    return _is_accepted(document_times, frame, sample, name)


def _looks_like_segment(frame: pd.DataFrame, sample: pd.DataFrame, name: str) -> bool:
    if not _SEGMENT_NAME.search(str(name)) or not _is_text(frame[name]):
        return False
    few = all(1 < table[name].nunique() <= MAX_SEGMENTS for table in (sample, frame))
    return few and _is_accepted(document_segments, frame, sample, name)


def _is_text(column: "pd.Series[Any]") -> bool:
    categories = column.cat.categories if isinstance(column.dtype, pd.CategoricalDtype) else column
    return bool(pd.api.types.is_string_dtype(categories.dtype))


def _is_accepted(
    read: Callable[[pd.DataFrame, str, Indices], NDArray[Any]],
    frame: pd.DataFrame,
    sample: pd.DataFrame,
    name: str,
) -> bool:
    """Whether a column can be read without a complaint: first in the sample, which is quick, then in every row."""
    try:
        for table in (sample, frame):
            read(table, name, np.arange(len(table)))
    except DataError:
        return False
    return True


def _looks_like_score(column: "pd.Series[Any]") -> bool:
    if not is_numeric(column) or _IDENTIFIER_NAME.search(str(column.name)):
        return False
    values = sampled_numbers(column)
    values = values[np.isfinite(values)]
    return values.size > 0 and values.min() < values.max() and not _counts_rows(values)


def _counts_rows(values: Floats) -> bool:
    """Whether a column numbers its rows, as an index does (in steps where only some rows were looked at)."""
    steps = np.diff(values)
    return values.size > 2 and bool((steps >= 1).all() and np.ptp(steps) <= 1)
