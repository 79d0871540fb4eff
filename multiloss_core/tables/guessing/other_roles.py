"""Guess the columns of weight, amount, time, segment and group."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from multiloss_core.errors import DataError
from multiloss_core.formatting import shortened
from multiloss_core.numerics.arrays import Indices
from multiloss_core.tables.column_values import MAX_SAMPLED, document_amounts, document_segments
from multiloss_core.tables.guessing.column import Column
from multiloss_core.tables.time_column import document_times
from multiloss_core.tables.vocabulary import group_rank, listed, weight_names
from multiloss_core.tables.yes_no import flag_values

MAX_SEGMENTS = 30
# A weight has one value for each stratum of a sample; masses and lengths have many.
MAX_STRATA = 50
MIN_GROUPS = 10
# Smaller whole numbers are hours or days, not 20260314 and not seconds since 1970.
SMALLEST_TIME = 1e7
# Days as Excel counts them, from 1990 until the end of 2100.
EXCEL_DAYS = (32_874, 73_416)
# Dates that programs write for unknown ones.
NO_DATE = (
    r"(?i)^(?:[a-z]{3,9}\.? ?\d{1,2},? ?|\d{1,2}[-/. ]?(?:\d{1,2}|[a-z]{3,9})[-/. ]?)?"
    r"(?:0000|0001|1753|1899|1900|2999|9999)(?:\D|$|0101|1231|0000)"
)
# Spreadsheets round numbers of 12 or more digits; common trailing zeros are no chance.
ROUNDED_FROM, ROUNDED_TO = 1e11, 1e5
EXACT = 2.0**53

Read = Callable[[pd.DataFrame, str, Indices], NDArray[Any]]


@dataclass(frozen=True, kw_only=True)
class RoleGuess:
    """Hold the column of a role, with the `doubt` to ask about or the `reason` to take it."""

    name: str | None = None
    doubt: str = ""
    reason: str = ""
    inverse: bool = False


def guess_weight(columns: Sequence[Column]) -> RoleGuess:
    """Find the column of weights (documents per row) or of sampling rates."""
    numeric = [column for column in columns if column.is_number and column.numbers.size]
    rates = [column for column in numeric if _is_sampling_rate(column)]
    weights = [column for column in numeric if column.words in weight_names()]
    found = weights or rates
    if not found:
        other = next((column for column in numeric if _may_be_weight(column)), None)
        return RoleGuess() if other is None else RoleGuess(doubt=f"'{shortened(other.name)}' may be the weight")
    first = found[0]
    if len(weights) + len(rates) > 1:
        return RoleGuess(name=first.name, doubt="more than one column may be the weight", inverse=not weights)
    if rates:
        return RoleGuess(
            name=first.name, inverse=True, doubt="a sampling rate of 0.1 means that each row stands for 10"
        )
    if first.distinct == 1 and first.filled == len(first.cells) and first.numbers.max() == 1:
        return RoleGuess()
    if first.numbers.min() < 1 or first.distinct > MAX_STRATA:
        return RoleGuess(name=first.name, doubt="its values may be of something else than a sample")
    return RoleGuess(name=first.name, reason="its name fits, and no value is below 1")


def _may_be_weight(column: Column) -> bool:
    """Whether a name ends like a weight, and the values fit the strata of a sample."""
    ends = column.words[-1:] == ("w",) or any(column.words[-len(phrase) :] == phrase for phrase in weight_names())
    return ends and column.numbers.min() >= 1 and 1 < column.distinct <= MAX_STRATA


def _is_sampling_rate(column: Column) -> bool:
    words, values = set(column.words), column.numbers
    return bool(words & listed("sampling") and words & listed("rate")) and values.min() > 0 and values.max() <= 1


def guess_amount(frame: pd.DataFrame, columns: Sequence[Column]) -> RoleGuess:
    """Find the money that each document is about."""
    named = [column for column in columns if _is_money(column)]
    plain = [
        column
        for column in named
        if set(column.words) & listed("amount") and not set(column.words) & listed("other_amount")
    ]
    exact = [column for column in plain if all(word in listed("amount", "amount_context") for word in column.words)]
    found = exact or plain or named
    if not found:
        return RoleGuess()
    first = found[0]
    if complaint := _complaint(document_amounts, frame, first.name):
        return RoleGuess(doubt=f"'{shortened(first.name)}' cannot be used: {complaint}")
    if len(found) > 1:
        return RoleGuess(name=first.name, doubt=f"'{shortened(found[1].name)}' may be the amount as well")
    by_value = set(first.words) & listed("amount_or_other") and set(first.words) & listed("amount_context") - {
        "total",
        "de",
        "da",
        "do",
    }
    if found == named and found != plain and not (by_value and not set(first.words) & listed("other_amount")):
        return RoleGuess(name=first.name, doubt="its name may be of something else than the document's amount")
    return RoleGuess(name=first.name, reason="its name fits, and no value is negative")


def _is_money(column: Column) -> bool:
    words = set(column.words)
    if not words & listed("amount", "amount_or_other") or not column.is_number or not column.numbers.size:
        return False
    if words & listed("no_amount") or column.words[-1] in listed("score", "model") | {
        "rate",
        "class",
        "code",
        "group",
        "level",
    }:
        return False
    # Numbers up to 1 are rather shares or probabilities.
    return bool(np.abs(column.numbers).max() > 1)


def guess_time(frame: pd.DataFrame, columns: Sequence[Column]) -> RoleGuess:
    """Find when each document came."""
    dated = [column for column in columns if not set(column.words) & listed("no_time") and is_dated(column)]
    own = [column for column in dated if not set(column.words) & listed("other_time")]
    events = [column for column in own if set(column.words) & listed("event")]
    found = events or own
    if not found:
        if not dated:
            return _unread_time(frame, columns)
        # When a case was opened stands in for when it came; when it was closed does not.
        is_near = len(dated) == 1 and bool(set(dated[0].words) & listed("opening"))
        only = dated[0].name if is_near and not _complaint(document_times, frame, dated[0].name) else None
        return RoleGuess(name=only, doubt=f"'{shortened(dated[0].name)}' may be of something else than the document")
    first = found[0]
    if complaint := _complaint(document_times, frame, first.name):
        return RoleGuess(doubt=f"'{shortened(first.name)}' cannot be used: {complaint}")
    doubt = ""
    if len(found) > 1:
        doubt = f"'{shortened(found[1].name)}' may be the time as well"
    elif not set(first.words) & listed("time"):
        doubt = "its values are dates, but its name does not say of what"
    elif _holds_excel_days(first):
        doubt = "its numbers may be days as Excel counts them"
    return RoleGuess(name=first.name, doubt=doubt, reason="its name fits, and every value is a date")


def _unread_time(frame: pd.DataFrame, columns: Sequence[Column]) -> RoleGuess:
    """Give the reason why a text column with a name of times holds none."""
    for column in columns:
        words = set(column.words)
        if column.is_text and column.filled and words & listed("time") and not words & listed("no_time", "other_time"):
            rows = np.flatnonzero(frame[column.name].notna())[:MAX_SAMPLED]
            if complaint := _complaint(document_times, frame, column.name, rows):
                return RoleGuess(reason=f"'{shortened(column.name)}' cannot be used: {complaint}")
    return RoleGuess()


def _holds_excel_days(column: Column) -> bool:
    values = column.numbers
    return not column.is_text and values.size > 0 and values.min() >= EXCEL_DAYS[0] and values.max() < EXCEL_DAYS[1]


def is_dated(column: Column) -> bool:
    """Whether the cells are times or stand for none; numbers need a name of times."""
    if not column.filled or pd.api.types.is_datetime64_any_dtype(column.cells.dtype):
        return column.filled > 0
    some = column.cells.dropna().iloc[:20].astype("object")
    is_named = bool(set(column.words) & listed("time"))
    if column.is_text:
        texts = some.astype("str")
        # Skip dates that stand for none; unreadable cells are reported later.
        some = some[~texts.str.contains(NO_DATE)]
        may_be = bool(texts.str.contains(r"\d{1,4}\D\d{1,2}|[0-9]{8}|[A-Za-z]{3}").all())
        # Identifiers are digits as well.
        may_be = may_be and (is_named or not texts.str.fullmatch("[0-9]{9,}").all()) and len(some) > 0
    else:
        is_time = (column.is_whole and min(some) > SMALLEST_TIME) or _holds_excel_days(column)
        may_be = column.is_number and is_named and is_time
    if not may_be:
        return False
    try:
        document_times(some.to_frame("cells"), "cells", np.arange(len(some)))
    except DataError as error:
        # Dates with ambiguous days and months are dates.
        return "days from months" in str(error)
    return True


def guess_segment(frame: pd.DataFrame, columns: Sequence[Column]) -> RoleGuess:
    """Find a column of few words to divide documents by."""
    for column in columns:
        words = set(column.words)
        if (
            not words & listed("segment")
            or words & listed("no_segment")
            or not column.is_text
            or not 1 < column.distinct <= MAX_SEGMENTS
        ):
            continue
        if 2 * column.distinct > column.filled or flag_values(column.ratings[1]):
            continue
        if 1 < frame[column.name].nunique() <= MAX_SEGMENTS and not _complaint(document_segments, frame, column.name):
            return RoleGuess(name=column.name, reason="its name fits, and it holds few words")
    return RoleGuess()


def guess_group(frame: pd.DataFrame, columns: Sequence[Column]) -> RoleGuess:
    """Find the column that groups rows, such as several alerts of one customer."""
    ranked = [(rank, column) for column in columns if (rank := group_rank(column.words)) is not None]
    doubt = ""
    for _, column in sorted(ranked, key=lambda pair: pair[0]):
        whole = frame[column.name]
        if _is_rounded(whole):
            example = shortened(str(whole.dropna().iloc[0]))
            doubt = doubt or (
                f"the identifiers in '{shortened(column.name)}' are rounded, such as {example}, so that different ones "
                "are alike; export them as text"
            )
            continue
        groups = whole.nunique()
        if 1 < groups < whole.count() and (column.is_text or column.is_whole):
            if groups < MIN_GROUPS and len(frame) >= 2 * MIN_GROUPS:
                continue
            return RoleGuess(name=column.name, reason="its name fits, and some values occur in several rows")
    return RoleGuess(doubt=doubt)


def _is_rounded(cells: "pd.Series[Any]") -> bool:
    """Whether identifiers lost digits, as in 4.10003E+15 or beyond a spreadsheet's 15 digits."""
    known = cells.dropna()
    if not pd.api.types.is_numeric_dtype(known.dtype):
        texts = pd.Series(known.unique()).astype("str")
        long = texts[texts.str.fullmatch("[0-9]{16,}")]
        is_power = texts.str.fullmatch(r"[0-9][.,]?[0-9]*[eE]\+[0-9]{2}")
        return bool(is_power.any()) or (len(long) >= MIN_GROUPS and bool(long.str.fullmatch("[0-9]{15}0+").all()))
    values = known.to_numpy(dtype=np.float64)
    if pd.api.types.is_float_dtype(known.dtype) and (np.abs(values) >= EXACT).any():
        return True
    large = values[values >= ROUNDED_FROM]
    return large.size > 1 and bool((large % ROUNDED_TO == 0).all())


def _complaint(read: Read, frame: pd.DataFrame, name: str, rows: Indices | None = None) -> str:
    """Return the error of reading a column, or each of some rows; empty without one."""
    try:
        read(frame, name, np.arange(len(frame)) if rows is None else rows)
    except DataError as error:
        return str(error)
    return ""
