"""Reads a column of a table as times, whatever people and machines write into it."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from multiloss_core.errors import DataError
from multiloss_core.formatting import shortened
from multiloss_core.numerics.arrays import Bools, Floats, Indices

Times = NDArray[np.datetime64]

EARLIEST, END = np.datetime64("1990-01-01", "us"), np.datetime64("2101-01-01", "us")
WAY_OUT = "or choose no time column"
LONGEST_TEXT = 60

_ZONE = r"(?:Z|z|[+-][0-9]{2}(?::?[0-9]{2})?)"
_ISO = (
    r"[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}"
    rf"(?:[T ][0-9]{{1,2}}:[0-9]{{2}}(?::[0-9]{{2}}(?:\.[0-9]{{1,9}})?)? ?{_ZONE}?)?"
)
_NAMED_MONTHS = ("%d %b %Y", "%d %B %Y", "%b %d %Y", "%B %d %Y")
_CLOCKS = ("%H:%M:%S", "%H:%M", "%H:%M:%S.%f", "%I:%M:%S %p", "%I:%M %p", "%I:%M:%S.%f %p")
_START_OF_CLOCKS = np.datetime64("1900-01-01", "us")


def document_times(frame: pd.DataFrame, column: str, rows: Indices) -> Times:
    """Read a column as the times, datetime64[us] (n,), of some `rows` (n,) of a table, counted from 0.

    Read are times and dates as such, ISO text, text with the year last (14/03/2026) or an English month (14 Mar 2026),
    with or without a time of day, and whole columns of YYYYMMDD or of seconds or milliseconds since 1970. Whether the
    day or the month stands first is decided by the whole column. Times with a time zone become UTC; others stay as they
    are. Time O(n): for a million texts one to four seconds, ISO text being fastest.

    Raises
    ------
    DataError : no such column, a blank cell, something that is no time from 1990 to 2100, days and months that cannot
        be told apart, or a time zone in some rows only.
    """
    if column not in frame.columns:
        raise DataError(f"There is no column '{column}' in the table; choose another time column or none.")
    cells: pd.Series[Any] = frame[column].iloc[rows]
    if isinstance(cells.dtype, pd.CategoricalDtype):
        if pd.api.types.is_string_dtype(cells.cat.categories.dtype):
            short = np.append(cells.cat.categories.str.len() <= LONGEST_TEXT, True)
            _require_readable(cells, short[cells.cat.codes], rows)
        cells = cells.astype(cells.cat.categories.dtype)
    types = pd.api.types
    is_number, is_time = types.is_numeric_dtype(cells.dtype), types.is_datetime64_any_dtype(cells.dtype)
    if not (is_number or is_time):
        cells = cells.astype("string").str.strip()
        cells = cells.where(cells != "")
    _require_filled(cells, rows)
    if is_time:
        times = _without_zone(cells)
    elif types.is_bool_dtype(cells.dtype):
        times = np.full(len(cells), np.datetime64("NaT", "us"))
    elif is_number:
        times = _of_numbers(cells.to_numpy(dtype=np.float64, na_value=np.nan))
    elif cells.str.fullmatch(r"[0-9]{1,18}(?:\.[0-9]{1,9})?").all():
        times = _of_numbers(cells.to_numpy(dtype=np.float64))
    else:
        times = _of_texts(cells, rows)
    _require_readable(cells, _is_usual(times), rows)
    return times


def _is_usual(times: Times) -> Bools:
    return np.asarray((times >= EARLIEST) & (times < END))


def _require_filled(cells: "pd.Series[Any]", rows: Indices) -> None:
    blank = cells.isna().to_numpy()
    if blank.any():
        raise DataError(
            f"Column '{cells.name}' is blank in {blank.sum():,} of {blank.size:,} usable rows (first: row "
            f"{rows[blank.argmax()] + 1:,}); fill in the times {WAY_OUT}."
        )


def _require_readable(cells: "pd.Series[Any]", readable: Bools, rows: Indices) -> None:
    if not readable.all():
        first = int(readable.argmin())
        cell = cells.iloc[first]
        raise DataError(
            f"Column '{cells.name}' holds '{shortened(f'{cell:.15g}' if isinstance(cell, float) else cell)}' in row "
            f"{rows[first] + 1:,}, which is no date or time from 1990 to 2100; correct it (2026-03-14 10:30 is always "
            f"understood) {WAY_OUT}."
        )


def _without_zone(cells: "pd.Series[Any]") -> Times:
    """Convert times with a zone to UTC, and leave others as they are."""
    plain = cells.dt.tz_convert(None) if isinstance(cells.dtype, pd.DatetimeTZDtype) else cells
    return plain.to_numpy(dtype="datetime64[us]")


def _of_numbers(values: Floats) -> Times:
    """Choose the one meaning that fits most numbers: seconds or milliseconds since 1970, or YYYYMMDD."""
    days = pd.Series(values).map("{:.10g}".format)
    readings = [_since_1970(values), _since_1970(values / 1e3), _read(days, ["%Y%m%d"])]
    return max(readings, key=lambda times: int(_is_usual(times).sum()))


def _since_1970(seconds: Floats) -> Times:
    usual = (seconds >= EARLIEST.astype("int64") / 1e6) & (seconds < END.astype("int64") / 1e6)
    times = np.where(usual, seconds * 1e6, 0).round().astype("int64").astype("datetime64[us]")
    return np.where(usual, times, np.datetime64("NaT", "us"))


def _of_texts(words: "pd.Series[Any]", rows: Indices) -> Times:
    """Texts (n,), none of them missing; NaT where the calendar or the clock has no such time."""
    # Long texts are no times, and would take long to find out about.
    _require_readable(words, (words.str.len() <= LONGEST_TEXT).to_numpy(dtype=bool), rows)
    if words.str.endswith(("UTC", "GMT")).any():
        words = words.str.replace(r" ?(?:UTC|GMT)$", "Z", regex=True)
    iso = words.str.fullmatch(_ISO).to_numpy(dtype=bool)
    times = np.full(len(words), np.datetime64("NaT", "us"))
    times[iso] = _without_zone(pd.to_datetime(words[iso], format="ISO8601", errors="coerce", utc=True))
    if not iso.all():
        times[~iso] = _of_dates(words[~iso], rows[~iso])
    _require_readable(words, _is_usual(times), rows)
    zoned = iso & words.str.fullmatch(f".*:.*{_ZONE}").to_numpy(dtype=bool)
    if zoned.any() and not zoned.all():
        with_zone, without = (rows[mask.argmax()] + 1 for mask in (zoned, ~zoned))
        raise DataError(
            f"Column '{words.name}' has a time zone in some rows (first: row {with_zone:,}) and none in others (first: "
            f"row {without:,}); write all times in the same way {WAY_OUT}."
        )
    return times


def _of_dates(words: "pd.Series[Any]", rows: Indices) -> Times:
    """Texts with the year last, with or without a time of day."""
    clocks = words.where(words.str.contains(":", regex=False), "0:00")
    clocks = clocks.str.replace(r"^.*?([0-9]{1,2}:)", r"\1", regex=True)
    clocks = clocks.str.replace(r" ?([AaPp][Mm])$", r" \1", regex=True)
    # There are few different days, and not many more different times of day.
    codes, known = pd.factorize(words.str.replace(r"[T, ]{1,2}[0-9]{1,2}:.*$", "", regex=True))
    dates = pd.Series(known).str.replace(r"[-/., ]+", " ", regex=True)
    named, day_first, month_first = (_read(dates, formats) for formats in (_NAMED_MONTHS, ["%d %m %Y"], ["%m %d %Y"]))
    readable = ~(np.isnat(named) & np.isnat(day_first) & np.isnat(month_first))
    _require_readable(words, readable[codes], rows)
    numbered = day_first if _is_day_first(day_first, month_first, codes, words, rows) else month_first
    clock_codes, known_clocks = pd.factorize(clocks)
    passed = _read(pd.Series(known_clocks), _CLOCKS) - _START_OF_CLOCKS
    return np.add(np.where(np.isnat(named), numbered, named)[codes], passed[clock_codes])


def _read(words: "pd.Series[Any]", formats: Iterable[str]) -> Times:
    """Each text (n,) by the first of the formats that reads it; NaT where none does."""
    times = np.full(len(words), np.datetime64("NaT", "us"))
    for written in formats:
        unread = np.isnat(times)
        times[unread] = pd.to_datetime(words[unread], format=written, errors="coerce").to_numpy(dtype="datetime64[us]")
    return times


def _is_day_first(day_first: Times, month_first: Times, codes: Indices, words: "pd.Series[Any]", rows: Indices) -> bool:
    """Whether the whole column writes the day before the month; (m,) both readings of the different dates."""
    no_day_first, no_month_first = np.isnat(day_first), np.isnat(month_first)
    only_day, only_month = ~no_day_first & no_month_first, ~no_month_first & no_day_first
    either = ~no_day_first & ~no_month_first & (day_first != month_first)

    def example(mask: Bools) -> str:
        first = int(mask[codes].argmax())
        return f"'{words.iloc[first]}' in row {rows[first] + 1:,}"

    if only_day.any() and only_month.any():
        raise DataError(
            f"Column '{words.name}' has the day first in some rows ({example(only_day)}) and the month first in others "
            f"({example(only_month)}); write the dates as 2026-03-14 {WAY_OUT}."
        )
    if either.any() and not (only_day.any() or only_month.any()):
        raise DataError(
            f"Column '{words.name}' does not tell days from months ({example(either)} may be either way round, and so "
            f"may all others); write the dates as 2026-03-14 {WAY_OUT}."
        )
    return not only_month.any()
