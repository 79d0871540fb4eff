"""What people and machines write into a time column, read as times."""

import re
from typing import Any, NoReturn

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from multiloss_core.errors import DataError
from multiloss_core.numerics.arrays import Bools, Floats, Indices

Times = NDArray[np.datetime64]

FIRST, END = np.datetime64("1990-01-01", "us"), np.datetime64("2101-01-01", "us")
WAY_OUT = "or choose no time column"
LONGEST_TEXT = 60
SHOWN_TEXT = 40

_ZONE = r"(?:Z|z|[+-]\d{2}(?::?\d{2})?)"
_CLOCK = r"\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?"
_ISO = rf"\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}(?:[T ]{_CLOCK} ?{_ZONE}?)?"
_TWO_NUMBERS = r"(?P<one>\d{1,2})[-/.](?P<other>\d{1,2})[-/.](?P<year>\d{4})"
_DAY_MONTH = r"(?P<day>\d{1,2})[-. ]{1,2}(?P<month>[A-Za-z]{3,9})[-., ]{1,2}(?P<year>\d{4})"
_MONTH_DAY = r"(?P<month>[A-Za-z]{3,9})[. ]{1,2}(?P<day>\d{1,2}),? (?P<year>\d{4})"
_DATE = re.sub(r"\?P<\w+>", "?:", f"(?:{_TWO_NUMBERS}|{_DAY_MONTH}|{_MONTH_DAY})")
_OTHER = rf"{_DATE}(?:[T, ] ?{_CLOCK} ?(?:[AaPp][Mm])?)?"
_MONTH_NAMES = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_MONTHS = {word: number for number, name in enumerate(_MONTH_NAMES, 1) for word in (name, name[:3])}


def parse_times(column: "pd.Series[Any]", rows: Indices) -> Times:
    """Read a column (n,) as times, datetime64[us]; `rows` (n,) are its rows in the table, counted from 0.

    Read are times and dates as such, ISO text, text with the year last (14/03/2026) or an English month (14 Mar 2026),
    with or without a time of day, and whole columns of YYYYMMDD or of seconds or milliseconds since 1970. Whether the day
    or the month stands first is decided by the whole column. Times with a time zone become UTC; others stay as they are.
    Time O(n): for a million texts one to four seconds, ISO text being fastest.

    Raises
    ------
    DataError : a blank cell, something that is no time from 1990 to 2100, days and months that cannot be told apart, or
        a time zone in some rows only.
    """
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(column.cat.categories.dtype)
    types = pd.api.types
    words: pd.Series[Any] | None = None
    if not (types.is_numeric_dtype(column.dtype) or types.is_datetime64_any_dtype(column.dtype)):
        words = column.astype("string").str.strip()
        words = words.where(words != "")
        column = words
    _require_filled(column, rows)
    if types.is_datetime64_any_dtype(column.dtype):
        times = _without_zone(column)
    elif types.is_bool_dtype(column.dtype):
        times = np.full(len(column), np.datetime64("NaT", "us"))
    elif words is None:
        times = _of_numbers(column.to_numpy(dtype=np.float64, na_value=np.nan))
    elif words.str.fullmatch(r"\d{1,18}(?:\.\d{1,9})?").all():
        times = _of_numbers(words.to_numpy(dtype=np.float64))
    else:
        times = _of_texts(words, rows)
    _require_readable(column, (times >= FIRST) & (times < END), rows)
    return times


def _require_filled(column: "pd.Series[Any]", rows: Indices) -> None:
    blank = column.isna().to_numpy()
    if blank.any():
        _refuse(
            f"Column '{column.name}' is blank in {blank.sum():,} of {blank.size:,} usable rows (first: row "
            f"{rows[blank.argmax()] + 1:,}); fill in the times {WAY_OUT}."
        )


def _require_readable(column: "pd.Series[Any]", readable: Bools, rows: Indices) -> None:
    if not readable.all():
        first = int(readable.argmin())
        _refuse(
            f"Column '{column.name}' holds '{_shown(column.iloc[first])}' in row {rows[first] + 1:,}, which is no date or "
            f"time from 1990 to 2100; correct it (2026-03-14 10:30 is always understood) {WAY_OUT}."
        )


def _without_zone(column: "pd.Series[Any]") -> Times:
    """Times with a zone as UTC, others as they are."""
    plain = column.dt.tz_convert(None) if isinstance(column.dtype, pd.DatetimeTZDtype) else column
    return plain.to_numpy(dtype="datetime64[us]")


def _of_numbers(values: Floats) -> Times:
    """The one meaning that fits most numbers: seconds or milliseconds since 1970, or YYYYMMDD."""
    first, end = FIRST.astype("int64") / 1e6, END.astype("int64") / 1e6
    best = np.full(values.shape, np.datetime64("NaT", "us"))
    for unit in (1.0, 1e3):
        fitting = (values >= first * unit) & (values < end * unit)
        if fitting.sum() > (~np.isnat(best)).sum():
            best = np.where(fitting, values / unit * 1e6, 0).round().astype("int64").astype("datetime64[us]")
            best[~fitting] = np.datetime64("NaT")
    days = (values == np.floor(values)) & (values >= 19900101) & (values <= 21001231)
    if days.sum() > (~np.isnat(best)).sum():
        whole = np.where(days, values, 0).astype("int64")
        best = _calendar(whole // 10_000, whole // 100 % 100, whole % 100).astype("datetime64[us]")
    return best


def _of_texts(words: "pd.Series[Any]", rows: Indices) -> Times:
    """Texts (n,), none of them missing; not a time where the calendar or the clock has none."""
    # Long texts are no times, and would take long to find out about.
    _require_readable(words, (words.str.len() <= LONGEST_TEXT).to_numpy(dtype=bool), rows)
    if words.str.endswith(("UTC", "GMT")).any():
        words = words.str.replace(r" ?(?:UTC|GMT)$", "Z", regex=True)
    iso, other = (words.str.fullmatch(pattern).to_numpy(dtype=bool) for pattern in (_ISO, _OTHER))
    _require_readable(words, iso | other, rows)
    zoned = words.str.fullmatch(f".*:.*{_ZONE}").to_numpy(dtype=bool)
    if zoned.any() and not zoned.all():
        with_zone, without = (rows[mask.argmax()] + 1 for mask in (zoned, ~zoned))
        _refuse(
            f"Column '{words.name}' has a time zone in some rows (first: row {with_zone:,}) and none in others (first: row "
            f"{without:,}); write all times in the same way {WAY_OUT}."
        )
    times = np.full(len(words), np.datetime64("NaT", "us"))
    times[iso] = _without_zone(pd.to_datetime(words[iso], format="ISO8601", errors="coerce", utc=True))
    if other.any():
        times[other] = _of_dates(words[other], rows[other])
    return times


def _of_dates(words: "pd.Series[Any]", rows: Indices) -> Times:
    """Texts of the form `_OTHER`."""
    # There are few different days, so little is left to be taken apart.
    codes, known = pd.factorize(words.str.replace(r"[T, ]{1,2}\d{1,2}:.*$", "", regex=True))
    days = _days(pd.Series(known, dtype="string"), codes, rows, words.name)[codes].astype("datetime64[us]")
    return np.add(days, _times_of_day(words))


def _days(dates: "pd.Series[Any]", codes: Indices, rows: Indices, name: object) -> Times:
    """The days (m,) of different texts; `codes` (n,) say in which rows they stand."""
    result = np.full(len(dates), np.datetime64("NaT", "D"))
    for pattern in (_DAY_MONTH, _MONTH_DAY):
        parts = dates.str.extract(f"^{pattern}$")
        month = parts["month"].str.lower().map(_MONTHS)
        result = np.where(np.isnat(result), _calendar(*map(_integers, (parts["year"], month, parts["day"]))), result)
    parts = dates.str.extract(f"^{_TWO_NUMBERS}$")
    year, one, other = (_integers(parts[part]) for part in ("year", "one", "other"))
    day_first, month_first = _calendar(year, other, one), _calendar(year, one, other)
    only_day, only_month = (~np.isnat(a) & np.isnat(b) for a, b in ((day_first, month_first), (month_first, day_first)))
    either = ~np.isnat(day_first) & ~np.isnat(month_first) & (day_first != month_first)

    def example(mask: Bools) -> str:
        code = int(mask.argmax())
        return f"'{dates[code]}' in row {rows[(codes == code).argmax()] + 1:,}"

    if only_day.any() and only_month.any():
        _refuse(
            f"Column '{name}' has the day first in some rows ({example(only_day)}) and the month first in others "
            f"({example(only_month)}); write the dates as 2026-03-14 {WAY_OUT}."
        )
    if either.any() and not (only_day.any() or only_month.any()):
        _refuse(
            f"Column '{name}' does not tell days from months ({example(either)} may be either way round, and so may all "
            f"others); write the dates as 2026-03-14 {WAY_OUT}."
        )
    return np.where(np.isnat(result), month_first if only_month.any() else day_first, result)


def _times_of_day(words: "pd.Series[Any]") -> NDArray[np.timedelta64]:
    """What has passed since midnight, nothing where no time of day is given; not a time where there is no such one."""
    clocks = words.where(words.str.contains(":", regex=False), "0:00").str.lower()
    clocks = clocks.str.replace(r"^.*?(\d{1,2}:)", r"\1", regex=True)
    midnight, hour, noon = np.datetime64("2000-01-01", "us"), np.timedelta64(1, "h"), np.timedelta64(12, "h")
    half, after_noon = (clocks.str.endswith(ends).to_numpy(dtype=bool) for ends in ("m", "pm"))
    on_a_day = "2000-01-01 " + clocks.str.replace(r" ?[ap]m$", "", regex=True)
    passed = pd.to_datetime(on_a_day, format="ISO8601", errors="coerce").to_numpy(dtype="datetime64[us]") - midnight
    there_is = ~half | ((passed >= hour) & (passed < noon + hour))
    passed = np.where(half, passed % noon + np.where(after_noon, noon, 0 * noon), passed)
    return np.where(there_is, passed, np.timedelta64("NaT", "us"))


def _integers(texts: "pd.Series[Any]") -> NDArray[np.int64]:
    """Texts or numbers as integers, 0 where there is none."""
    return pd.to_numeric(texts).fillna(0).to_numpy(dtype=np.int64)


def _calendar(year: NDArray[np.int64], month: NDArray[np.int64], day: NDArray[np.int64]) -> Times:
    """Days of the calendar; not a time where there is no such day."""
    months = ((year - 1970) * 12 + month - 1).astype("datetime64[M]")
    days = months.astype("datetime64[D]") + (day - 1)
    there_is = (month >= 1) & (month <= 12) & (day >= 1) & (days.astype("datetime64[M]") == months)
    return np.where(there_is, days, np.datetime64("NaT", "D"))


def _shown(value: object) -> str:
    text = f"{value:.15g}" if isinstance(value, float) else str(value)
    return text if len(text) <= SHOWN_TEXT else f"{text[: SHOWN_TEXT - 1]}…"


def _refuse(sentence: str) -> NoReturn:
    raise DataError(sentence)


def document_times(frame: pd.DataFrame, column: str, rows: Indices) -> Times:
    """The times, datetime64[us] (n,), that a column of a table gives for some of its `rows` (n,), counted from 0.

    Times with a time zone are in UTC, others as they are written; see `parse_times`.

    Raises
    ------
    DataError : no such column, a blank cell or one that is no time, naming the row.
    """
    if column not in frame.columns:
        raise DataError(f"There is no column '{column}' in the table; choose another time column or none.")
    return parse_times(frame[column].iloc[rows], rows)
