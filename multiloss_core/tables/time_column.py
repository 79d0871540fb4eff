"""Reads a column of a table as times, whatever people and machines write into it."""

import re
import unicodedata
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
MAX_TEXT, MAX_ZONE = 80, 6
# Name of the zone of times with different offsets.
MIXED = "UTC, because their offsets differ"

_ZONE = r"(?:Z|z|[+-][0-9]{2}(?::?[0-9]{2})?)"
_ISO = (
    r"[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}"
    rf"(?:[T ][0-9]{{1,2}}:[0-9]{{2}}(?::[0-9]{{2}}(?:\.[0-9]{{1,9}})?)? ?{_ZONE}?)?"
)
# Those of North America are defined by RFC 822; others have more than one meaning.
_OFFSETS = {"UTC": "Z", "GMT": "Z", "CET": "+0100", "CEST": "+0200", "EST": "-0500", "EDT": "-0400", "CST": "-0600"}
_OFFSETS |= {"CDT": "-0500", "MST": "-0700", "MDT": "-0600", "PST": "-0800", "PDT": "-0700"}
_MONTHS = (
    ("january", "januar", "janner", "janvier", "enero", "gennaio", "janeiro", "januari"),
    ("february", "februar", "feber", "fevrier", "febrero", "febbraio", "fevereiro", "februari"),
    ("march", "marz", "maerz", "mars", "marzo", "marco", "maart", "mrt"),
    ("april", "avril", "abril", "aprile"),
    ("may", "mai", "mayo", "maggio", "maio", "mei"),
    ("june", "juni", "juin", "junio", "giugno", "junho"),
    ("july", "juli", "juillet", "julio", "luglio", "julho"),
    ("august", "aout", "agosto", "augustus"),
    ("september", "septembre", "septiembre", "settembre", "setembro"),
    ("october", "oktober", "octobre", "octubre", "ottobre", "outubro"),
    ("november", "novembre", "noviembre", "novembro"),
    ("december", "dezember", "decembre", "diciembre", "dicembre", "dezembro"),
)
# Forms that machines write, and how they are written here.
_REWRITTEN = (
    # Names of zones beside an offset, as Go, Java and JavaScript write them, and alone, as Trino does.
    (r"^\[(.*)\]$", r"\1"),
    (r" m=[+-][0-9.]+$|\[[A-Za-z_/+-]+\]$| \([^()]*\)$| [A-Z][A-Za-z]+/[A-Za-z_/]+$", ""),
    (r"(?<=:[0-9]{2})((?:\.[0-9]+)? ?[+-][0-9]{4}) (?:[A-Z]{2,5}|[+-][0-9]{2,4})$", r"\1"),
    (r" ?(?:GMT|UTC) ?(?=[+-][0-9])", " "),
    # Kibana's @, the comma of Python's logging, a. m. and p. m., words for o'clock, and dates of East Asia.
    (r" ?@ ?(?=[0-9]{1,2}:)", " "),
    (r"(?<=:[0-9]{2}),(?=[0-9]{3,6}\b)", "."),
    (r"(?i) ?\b([ap])\. ?m\.?$", r" \1m"),
    (r"(?i)(?<=[0-9]) ?(?:uhr|hrs|h)$", ""),
    (r"^([0-9]{4})(?:年|\. ?)([0-9]{1,2})(?:月|\. ?)([0-9]{1,2})(?:日|\.)?(?=$| )", r"\1-\2-\3"),
    (r"(?i)^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*[,.]? +", ""),
    # Thu Jan 15 10:30:00 2026, with a zone before the year or without.
    (r"^([^\W\d]+ +[0-9]{1,2}) ([0-9:.]+)( [A-Z]{3,4}| [+-][0-9]{4})? ([0-9]{4})$", r"\1 \4 \2\3"),
    (r"^([0-9]{4})([0-9]{2})([0-9]{2})[T ]?([0-9]{2}):?([0-9]{2}):?([0-9]{2})(?=[.Zz+-]|$)", r"\1-\2-\3 \4:\5:\6"),
    (r"[-T ]([0-9]{2})\.([0-9]{2})\.([0-9]{2})(?=(?:\.[0-9]+)?(?: ?[AaPp][Mm])?$)", r" \1:\2:\3"),
    (r"([0-9]{4}):(?=[0-9]{1,2}:[0-9]{2})", r"\1 "),
    (r"(?i)(?<=[^\W\d]) de (?=[0-9])|(?<=[0-9]) de (?=[^\W\d])", " "),
)
# Years of two digits come after those of four, which `%y` would read in part.
_NAMED_MONTHS = ("%d %b %Y", "%b %d %Y", "%d %b %y")
_DAY_FIRST, _MONTH_FIRST, _YEAR_FIRST = ("%d %m %Y", "%d %m %y"), ("%m %d %Y", "%m %d %y"), ("%y %m %d",)
# Days as Excel counts them, from 1899-12-30 on.
_EXCEL_DAY_OF_1970 = 25_569
_CLOCKS = ("%H:%M:%S", "%H:%M", "%H:%M:%S.%f", "%I:%M:%S %p", "%I:%M %p", "%I:%M:%S.%f %p")
_START_OF_CLOCKS = np.datetime64("1900-01-01", "us")


def document_times(frame: pd.DataFrame, column: str, rows: Indices) -> Times:
    """Read a column as the times, datetime64[us] (n,), of some `rows` (n,), counted from 0.

    Read are times and dates as such, ISO text, text with the year last (14/03/2026, 14.3.26) or a month in words
    (14 Mar 2026, 14-MAR-26, 14. März 2026), with or without a time of day, what `date`, mail, SAS and databases write,
    and whole columns of YYYYMMDD, YYYYMMDDhhmmss, days as Excel counts them, or (milli-, micro-, nano-)seconds since
    1970. Whether the day or the month stands first is decided by the whole column. Times with a time zone become UTC;
    others stay as they are. Time O(n): for a million texts one to four seconds, ISO text being fastest.

    Raises DataError: no such column, a blank cell, something that is no time from 1990 to 2100, days and months that
    cannot be distinguished, or a time zone in some rows only.
    """
    return _times_and_zone(frame, column, rows)[0]


def local_times(frame: pd.DataFrame, column: str, rows: Indices) -> tuple[Times, str]:
    """Read a column as local times, and name their zone (UTC+02:00).

    Days and weeks of work are local. Times with different offsets are in UTC; the name is empty without zones.
    """
    times, ahead, zone = _times_and_zone(frame, column, rows)
    return times + ahead, zone


def _times_and_zone(
    frame: pd.DataFrame, column: str, rows: Indices
) -> tuple[Times, "NDArray[np.timedelta64] | np.timedelta64", str]:
    """Read times in UTC (n,), what the local clock is ahead of it, and the name of the zone."""
    if column not in frame.columns:
        raise DataError(f"There is no column '{column}' in the table; choose another time column or none.")
    cells: pd.Series[Any] = frame[column].iloc[rows]
    if isinstance(cells.dtype, pd.CategoricalDtype):
        if pd.api.types.is_string_dtype(cells.cat.categories.dtype):
            short = np.append(cells.cat.categories.str.len() <= MAX_TEXT, True)
            _require_readable(cells, short[cells.cat.codes], rows)
        cells = cells.astype(cells.cat.categories.dtype)
    types = pd.api.types
    is_number, is_time = types.is_numeric_dtype(cells.dtype), types.is_datetime64_any_dtype(cells.dtype)
    if not (is_number or is_time):
        cells = cells.astype("string").str.strip()
        cells = cells.where(cells != "")
    _require_filled(cells, rows)
    ahead: NDArray[np.timedelta64] | np.timedelta64 = np.timedelta64(0, "us")
    zone = ""
    if isinstance(cells.dtype, pd.DatetimeTZDtype):
        times = cells.dt.tz_convert(None).to_numpy(dtype="datetime64[us]")
        ahead, zone = cells.dt.tz_localize(None).to_numpy(dtype="datetime64[us]") - times, str(cells.dt.tz)
    elif is_time:
        times = cells.to_numpy(dtype="datetime64[us]")
    elif types.is_bool_dtype(cells.dtype):
        times = np.full(len(cells), np.datetime64("NaT", "us"))
    elif is_number:
        times = _of_numbers(cells.to_numpy(dtype=np.float64, na_value=np.nan))
    elif cells.str.fullmatch(r"[0-9]{1,19}(?:\.[0-9]{1,12})?").all():
        times = _of_numbers(cells.to_numpy(dtype=np.float64))
    else:
        times, ahead, zone = _of_texts(cells, rows)
    _require_readable(cells, _is_usual(times), rows)
    return times, ahead, zone


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


def _of_numbers(values: Floats) -> Times:
    """Choose the meaning that fits most numbers: since 1970, YYYYMMDD(hhmmss) or Excel days."""
    digits = pd.Series(values).map("{:.15g}".format)
    readings = [_since_1970(values / 10**power) for power in (0, 3, 6, 9)]
    readings += [_read(digits, ["%Y%m%d"]), _read(digits, ["%Y%m%d%H%M%S"])]
    readings.append(_since_1970(((values - _EXCEL_DAY_OF_1970) * 86_400).round(3)))
    return max(readings, key=lambda times: int(_is_usual(times).sum()))


def _since_1970(seconds: Floats) -> Times:
    usual = (seconds >= EARLIEST.astype("int64") / 1e6) & (seconds < END.astype("int64") / 1e6)
    times = np.where(usual, seconds * 1e6, 0).round().astype("int64").astype("datetime64[us]")
    return np.where(usual, times, np.datetime64("NaT", "us"))


def _of_texts(words: "pd.Series[Any]", rows: Indices) -> tuple[Times, np.timedelta64, str]:
    """Read texts (n,), none missing, and their zone; NaT for impossible times."""
    # Long texts are no times, and would take long to find out about.
    _require_readable(words, (words.str.len() <= MAX_TEXT).to_numpy(dtype=bool), rows)
    written = words
    iso = words.str.fullmatch(_ISO).to_numpy(dtype=bool)
    if not iso.all():
        words = words.where(iso, _rewritten(words))
        iso = words.str.fullmatch(_ISO).to_numpy(dtype=bool)
    times = np.full(len(words), np.datetime64("NaT", "us"))
    in_utc = pd.to_datetime(words[iso], format="ISO8601", errors="coerce", utc=True)
    times[iso] = in_utc.dt.tz_convert(None).to_numpy(dtype="datetime64[us]")
    if not iso.all():
        times[~iso] = _of_dates(words[~iso], rows[~iso], written[~iso])
    _require_readable(written, _is_usual(times), rows)
    zoned = words.str.fullmatch(f".*:.*{_ZONE}").to_numpy(dtype=bool)
    if zoned.any() and not zoned.all():
        with_zone, without = (rows[mask.argmax()] + 1 for mask in (zoned, ~zoned))
        raise DataError(
            f"Column '{words.name}' has a time zone in some rows (first: row {with_zone:,}) and none in others (first: "
            f"row {without:,}); write all times in the same way {WAY_OUT}."
        )
    return times, *(_common_zone(words) if zoned.any() else (np.timedelta64(0, "us"), ""))


def _common_zone(words: "pd.Series[Any]") -> tuple[np.timedelta64, str]:
    """Find the one offset that all texts (n,) end with, and its name; none where they differ."""
    endings = pd.Series(words.str[-MAX_ZONE:].unique()).str.extract(f"({_ZONE})$")[0]
    offsets = np.unique(_offsets(endings))
    if len(offsets) > 1:
        return np.timedelta64(0, "us"), MIXED
    minutes = int(offsets[0] / np.timedelta64(1, "m"))
    name = f"UTC{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}" if minutes else "UTC"
    return offsets[0], name


def _rewritten(words: "pd.Series[Any]") -> "pd.Series[Any]":
    """Rewrite machine formats as usual ones, and months in English."""
    for form, plain in _REWRITTEN:
        words = words.str.replace(form, plain, regex=True)
    words = words.str.replace(r" ?\b([A-Z]{3,4})$", lambda found: _OFFSETS.get(found[1], found[0]), regex=True)
    return words.str.replace(r"(?<![^\W_\d])-?([^\W\d_]{3,})\.?-?", _in_english, regex=True)


def _in_english(found: "re.Match[str]") -> str:
    """Replace month names by three English letters with spaces; other words stay."""
    word = unicodedata.normalize("NFKD", found[1].casefold()).encode("ascii", "ignore").decode()
    months = {number for number, names in enumerate(_MONTHS) if any(name.startswith(word) for name in names)}
    return f" {_MONTHS[months.pop()][0][:3]} " if len(months) == 1 else found[0]


def _of_dates(words: "pd.Series[Any]", rows: Indices, written: "pd.Series[Any]") -> Times:
    """Read texts with the year last; `written` are the cells themselves."""
    zones = words.str.extract(rf"(?<=:[0-9]{{2}}) ?({_ZONE})$|(?<=\.[0-9]{{3}}) ?({_ZONE})$").bfill(axis=1)[0]
    if zones.notna().any():
        words = words.str.replace(rf"(:[0-9]{{2}}(?:\.[0-9]+)?) ?{_ZONE}$", r"\1", regex=True)
    clocks = words.where(words.str.contains(":", regex=False), "0:00")
    clocks = clocks.str.replace(r"^.*?([0-9]{1,2}:)", r"\1", regex=True)
    clocks = clocks.str.replace(r" ?([AaPp][Mm])$", r" \1", regex=True)
    # There are few different days, and not many more different times of day.
    codes, known = pd.factorize(words.str.replace(r"[T, ]{1,3}[0-9]{1,2}:.*$", "", regex=True))
    dates = pd.Series(known).str.replace(r"[-/., ]+", " ", regex=True).str.strip()
    named, day_first, month_first, year_first = (
        _read(dates, formats) for formats in (_NAMED_MONTHS, _DAY_FIRST, _MONTH_FIRST, _YEAR_FIRST)
    )
    readable = ~(np.isnat(named) & np.isnat(day_first) & np.isnat(month_first))
    _require_readable(written, readable[codes], rows)
    is_day_first = _is_day_first(day_first, month_first, codes, written, rows)
    numbered = day_first if is_day_first else month_first
    if not np.isnat(year_first).any() and np.ptp(year_first) < np.ptp(numbered):
        raise DataError(
            f"Column '{words.name}' holds '{written.iloc[0]}' in row {rows[0] + 1:,}, where the year may come first or "
            f"last; write the dates as 2026-03-14 {WAY_OUT}."
        )
    clock_codes, known_clocks = pd.factorize(clocks)
    passed = _read(pd.Series(known_clocks), _CLOCKS) - _START_OF_CLOCKS
    times = np.add(np.where(np.isnat(named), numbered, named)[codes], passed[clock_codes])
    if zones.notna().any():
        times = times - _offsets(zones)
    return times


def _offsets(zones: "pd.Series[Any]") -> NDArray[np.timedelta64]:
    """Read zones such as Z and -05:00 as what they are ahead of UTC."""
    digits = zones.fillna("Z").str.replace(":", "").str.upper().replace("Z", "+00").str.ljust(5, "0")
    minutes = 60 * digits.str[1:3].astype(int) + digits.str[3:5].astype(int)
    signed = np.where(digits.str.startswith("-"), -minutes, minutes)
    return signed.astype("timedelta64[m]").astype("timedelta64[us]")


def _read(words: "pd.Series[Any]", formats: Iterable[str]) -> Times:
    """Each text (n,) by the first of the formats that reads it; NaT where none does."""
    times = np.full(len(words), np.datetime64("NaT", "us"))
    for written in formats:
        unread = np.isnat(times)
        times[unread] = pd.to_datetime(words[unread], format=written, errors="coerce").to_numpy(dtype="datetime64[us]")
    return times


def _is_day_first(day_first: Times, month_first: Times, codes: Indices, words: "pd.Series[Any]", rows: Indices) -> bool:
    """Whether the column writes the day before the month; (m,) both readings of the dates."""
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
            f"Column '{words.name}' does not distinguish days from months ({example(either)} may be either way round, "
            f"and so may all others); write the dates as 2026-03-14 {WAY_OUT}."
        )
    return not only_month.any()
