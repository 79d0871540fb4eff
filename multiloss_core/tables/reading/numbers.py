"""Read cells as numbers: plain ones, and those with units, groups and decimal commas."""

from collections import Counter
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as arrow
from pyarrow import compute

from multiloss_core.tables.column_values import NOTHING

# Identifiers have more digits than numbers are known to.
MAX_DIGITS = 15
_MINUS, _POINT, _ZERO, _NINE = b"-.09"
# Which characters a number may begin with, and which may follow a zero there. Infinity is read here, so that it is
# refused by its name where a number is needed.
_BEGINS, _FOLLOWS_ZERO = (np.isin(np.arange(256), list(characters)) for characters in (b"0123456789.iI", b".eE"))
_SAMPLE = 100


def plain_numbers(cells: arrow.StringArray) -> arrow.Array | None:
    """Read text (n,) as whole numbers or fractions; blank cells stay missing.

    None where a cell is something else than digits with a minus, a point or an exponent, or identifies something:
    leading zeros, more than 15 digits. Time O(n).
    """
    if not len(cells) or cells.null_count == len(cells):
        return arrow.nulls(len(cells), arrow.int64())
    first, second, length = _beginnings(cells)
    if ((length > 0) & ~_BEGINS[first]).any() or ((first == _ZERO) & (length > 1) & ~_FOLLOWS_ZERO[second]).any():
        return None
    try:
        # Arrow takes long over cells that it cannot read.
        if (length <= MAX_DIGITS).all() and not _holds_fractions(cells):
            return cells.cast(arrow.int64())
        values = cells.cast(arrow.float64())
    except arrow.ArrowInvalid:
        return None
    bounds = compute.min_max(values).as_py()
    if max(-bounds["min"], bounds["max"]) >= 10.0**MAX_DIGITS:
        large = compute.greater_equal(compute.abs(values), 10.0**MAX_DIGITS)
        texts = cells.filter(compute.fill_null(large, False))
        if compute.any(compute.match_substring_regex(texts, r"^-?[0-9]{16,}$")).as_py():
            return None
    return values


def has_certain_point(cells: arrow.StringArray) -> bool:
    """Whether the point marks decimals in some plain number: in 0.5, but not in 1.234."""
    for some in (cells[:_SAMPLE], cells):
        if compute.any(compute.match_substring_regex(some, CERTAIN_POINT)).as_py():
            return True
    return False


def comma_numbers(cells: arrow.ChunkedArray) -> tuple[arrow.ChunkedArray, bool] | None:
    """Read text (n,) with commas for points; return whether a comma is certainly decimal.

    None where a cell is something else, or holds a point.
    """
    parts, is_certain = [], False
    for chunk in cells.chunks:
        if compute.any(compute.match_substring(chunk, ".")).as_py():
            return None
        pointed = compute.replace_substring(chunk, ",", ".")
        numbers = plain_numbers(pointed)
        if numbers is None:
            return None
        is_certain = is_certain or has_certain_point(pointed)
        parts.append(numbers.cast(arrow.float64()))
    return arrow.chunked_array(parts, arrow.float64()), is_certain


# All but 1.234, 12.345 and 123.456.
CERTAIN_POINT = r"^-?(0*\.|[0-9]{4,}\.|[0-9]+\.[0-9]{0,2}([eE].*)?$|[0-9]+\.[0-9]{4,}|.*[eE])"


def _holds_fractions(cells: arrow.StringArray) -> bool:
    """Whether some cell has a point or a letter, such as that of an exponent."""
    _, offsets, data = cells.buffers()
    bounds = np.frombuffer(offsets, np.int32)
    text = np.frombuffer(data, np.uint8)[bounds[cells.offset] : bounds[cells.offset + len(cells)]]
    return bool(((text == _POINT) | (text > _NINE)).any())


def _beginnings(cells: arrow.StringArray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the first two characters after a minus, and their length (0: blank)."""
    _, offsets, data = cells.buffers()
    bounds = np.frombuffer(offsets, np.int32)[cells.offset : cells.offset + len(cells) + 1]
    # One character more than there are, so that each cell has a second one.
    text = np.frombuffer(data, np.uint8) if data is not None and data.size else np.zeros(1, np.uint8)
    start, length = bounds[:-1], np.diff(bounds)
    last = text.size - 1
    first = text[np.minimum(start, last)]
    minus = (first == _MINUS) & (length > 1)
    if minus.any():
        start, length = start + minus, length - minus
        first = text[np.minimum(start, last)]
    return first, text[np.minimum(start + 1, last)], length


Sign = Literal[",", "."]

# Minimum share of numbers among filled cells of a numeric column; words are reported.
MOSTLY = 0.8
SAMPLED = 2_000

_SPACES = r" \x{00A0}\x{202F}\x{2009}"
_CODES = (
    "EUR|USD|GBP|CHF|JPY|CNY|INR|BRL|MXN|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|RON|BGN|TRY|ZAR|SGD|HKD|ILS|AED|SAR|KRW|"
    "THB|IDR|MYR|PHP|CLP|COP|ARS|PEN|UAH|RUB|ISK|NGN|KES|EGP|MAD|VND|TWD"
)
_UNIT = rf"(?:(?:US|R|A|C|CA|AU|NZ|HK|S)?\p{{Sc}}|{_CODES}|zł|kr\.?|Kč|Ft|Fr\.?|lei|TL|лв\.?|руб\.?)"
_BODY = rf"([0-9][0-9.,'’{_SPACES}]*|[.,][0-9]+)([eE][-+]?[0-9]{{1,3}})?"
_SIGN, _GAP = "[-+−(]?", rf"[{_SPACES}]*"
# A unit before the digits or after them, signs and brackets on either side.
_FORM = rf"^{_SIGN}{_GAP}({_UNIT}{_GAP}[-−]?{_BODY}|{_BODY}{_GAP}({_UNIT}|%)?)[-−)]?$"
_SIMPLE = "^-?[0-9.,]*[0-9][0-9.,]*([eE][-+]?[0-9]{1,3})?$"
_POWER = "[0-9.,][eE][-+]?[0-9]"
_BEFORE_POWER, _FROM_POWER = r"^.*[0-9.,]([eE][-+]?[0-9]+)\D*$", "[eE][-+]?[0-9]+.*$"
_NEGATIVE = "^[^0-9]*[-−(]|[-−]$"
_NO_DIGIT = rf"[^0-9.,'’{_SPACES}]"
_NO_UNIT = rf"[-+−()%0-9.,'’{_SPACES}]"
# A telephone number, a bracket alone, a share with an exponent.
_NO_NUMBER = r"^\+[0-9]{7,}$|^\(.*[^)]$|^[^(]*\)$|[eE][-+]?[0-9].*%"
_SPACED = rf"^[1-9][0-9]{{0,2}}(['’{_SPACES}][0-9]{{3}})+([.,][0-9]*)?$"
_ANY_SPACE = rf"['’{_SPACES}]"
_WHOLE = rf"^(0|[1-9][0-9]{{0,{MAX_DIGITS - 1}}})$"
_ALL_ZEROS = "^0+([.,]0*)?$"


def _certain(decimal: str, other: str) -> str:
    """Match what certainly has a sign of decimals, or certainly groups digits by the other one."""
    group = rf"[1-9][0-9]{{0,2}}({other}[0-9]{{2,3}})"
    alone = rf"[1-9][0-9]{{0,2}}{decimal}([0-9]{{0,2}}|[0-9]{{4,}})|(0?|[1-9][0-9]{{3,}}){decimal}[0-9]*"
    return rf"^({alone}|{group}*{other}[0-9]{{3}}{decimal}[0-9]*|{group}+{other}[0-9]{{3}})$"


_CERTAIN: dict[Sign, str] = {".": _certain(r"\.", ","), ",": _certain(",", r"\.")}
_EITHER: dict[Sign, str] = {".": r"^[1-9][0-9]{0,2}\.[0-9]{3}$", ",": r"^[1-9][0-9]{0,2},[0-9]{3}$"}
_OTHER: dict[Sign, Sign] = {".": ",", ",": "."}


@dataclass(frozen=True, kw_only=True)
class NumberShape:
    """Describe the notation of a column's numbers.

    `decimal`: the sign that is certainly that of decimals. `either`: the only sign that occurs, always as in 1,234, so
    that it may group digits as well. `nothings` and `words`: how many cells hold a word such as NA, or another one.
    `unit`: the one beside the numbers, such as $, if any. `trouble`: why the cells cannot be read together, in words.
    """

    numbers: int = 0
    nothings: int = 0
    words: int = 0
    decimal: Sign | None = None
    either: Sign | None = None
    unit: str = ""
    trouble: str = ""

    @property
    def is_numeric(self) -> bool:
        """Whether these are numbers, but for some words."""
        return self.numbers > 0 and self.numbers >= MOSTLY * (self.numbers + self.words)


def number_shape(cells: arrow.ChunkedArray) -> NumberShape:
    """Find out how the numbers in a text column (n,) are written. Time O(n)."""
    if not _may_be_numbers(cells):
        return NumberShape()
    counts: Counter[str] = Counter()
    units: set[str] = set()
    for parsed in map(_parse, cells.chunks):
        counts += _counts(parsed)
        units.update(unit for unit in compute.unique(parsed.unit.filter(parsed.is_number)).to_pylist() if unit)
    numbers = counts["numbers"]
    points, commas = counts["certain ."], counts["certain ,"]
    either: list[Sign] = [sign for sign in _EITHER if counts[f"either {sign}"]]
    trouble = ""
    if points and commas:
        trouble = "decimal points stand in some rows and decimal commas in others"
    elif len(either) == 2 and not (points or commas):
        trouble = "numbers such as 1,234 and 1.234 stand side by side"
    elif len(units) > 1:
        trouble = f"amounts are in {' and '.join(sorted(units)[:3])}"
    elif counts["percent"] and counts["percent"] + counts["zero"] < numbers:
        trouble = "some numbers have a percent sign and others none"
    return NumberShape(
        numbers=numbers,
        nothings=counts["nothings"],
        words=counts["words"],
        decimal="." if points else "," if commas else None,
        either=either[0] if len(either) == 1 and not (points or commas) else None,
        unit=next(iter(units), ""),
        trouble=trouble,
    )


def as_numbers(cells: arrow.ChunkedArray, decimal: Sign) -> arrow.ChunkedArray:
    """Read a text column (n,) as float64, or int64 without decimals, by its decimal sign.

    Words such as NA become blank. With other words among the numbers it stays text, its numbers written plainly.
    """
    parts, words = [], 0
    for parsed in map(_parse, cells.chunks):
        body = compute.replace_substring(parsed.body, _OTHER[decimal], "")
        body = compute.replace_substring(body, decimal, ".")
        power = compute.if_else(parsed.is_percent, "e-2", parsed.power)
        sign = compute.if_else(parsed.is_negative, "-", "")
        plain = compute.binary_join_element_wise(sign, body, power, "")
        words += _sum(parsed.is_word)
        parts.append(compute.if_else(parsed.is_number, plain, compute.if_else(parsed.is_word, parsed.text, None)))
    text = arrow.chunked_array(parts, arrow.string())
    if words:
        return text
    is_whole = not compute.any(compute.match_substring_regex(text, "[.eE]")).as_py()
    return text.cast(arrow.int64() if is_whole else arrow.float64())


def first_word(cells: arrow.ChunkedArray) -> tuple[int, str]:
    """Row (from 1) and text of the first cell of a column of numbers that is none."""
    before = 0
    for parsed in map(_parse, cells.chunks):
        row = compute.index(parsed.is_word, True).as_py()
        if row >= 0:
            return before + row + 1, str(parsed.text[row].as_py())
        before += len(parsed.text)
    return 0, ""


@dataclass(frozen=True, kw_only=True)
class _Parsed:
    """The parts of some cells (m,); those of cells that are no numbers mean nothing."""

    text: arrow.StringArray
    body: arrow.StringArray
    power: arrow.StringArray
    unit: arrow.StringArray
    is_negative: arrow.BooleanArray
    is_percent: arrow.BooleanArray
    is_number: arrow.BooleanArray
    is_nothing: arrow.BooleanArray
    is_word: arrow.BooleanArray


def _may_be_numbers(cells: arrow.ChunkedArray) -> bool:
    """Whether half of some evenly spread cells are numbers: a quick test to skip words."""
    known = cells.drop_null()
    if not len(known):
        return False
    step = max(1, len(known) // SAMPLED)
    sample = arrow.chunked_array([known.take(arrow.array(range(0, len(known), step)))], arrow.string())
    counts = sum((_counts(parsed) for parsed in map(_parse, sample.chunks)), Counter[str]())
    return 2 * counts["numbers"] >= counts["numbers"] + counts["words"] and bool(counts["numbers"])


def _parse(chunk: arrow.StringArray) -> _Parsed:
    text = compute.utf8_trim_whitespace(chunk)
    has_form = compute.match_substring_regex(text, _SIMPLE)
    is_simple = compute.all(has_form).as_py() is not False
    parts = _simple_parts(text) if is_simple else _parts(text)
    if not is_simple:
        wrong = compute.match_substring_regex(text, _NO_NUMBER)
        has_form = compute.and_not(compute.match_substring_regex(text, _FORM), wrong)
    body = parts["body"]
    shapes = [_WHOLE, *_CERTAIN.values(), *_EITHER.values()]
    is_number = compute.match_substring_regex(body, "|".join(f"(?:{shape})" for shape in shapes))
    is_number = compute.fill_null(compute.and_(has_form, is_number), False)
    filled = compute.fill_null(compute.not_equal(text, ""), False)
    is_nothing = compute.and_(filled, compute.is_in(compute.utf8_lower(text), arrow.array(NOTHING)))
    is_nothing = compute.and_(is_nothing, compute.invert(is_number))
    is_word = compute.and_(filled, compute.invert(compute.or_(is_number, is_nothing)))
    return _Parsed(text=text, is_number=is_number, is_nothing=is_nothing, is_word=is_word, **parts)


def _simple_parts(text: arrow.StringArray) -> dict[str, arrow.Array]:
    """Take apart cells of nothing but digits and signs."""
    count = len(text)
    negative = compute.starts_with(text, "-")
    if compute.any(negative).as_py():
        # Not the minus of an exponent.
        text = compute.replace_substring_regex(text, "^-", "")
    power = arrow.repeat("", count)
    with_power = compute.match_substring_regex(text, "[eE]")
    if compute.any(with_power).as_py():
        tail = compute.replace_substring_regex(text, "^[^eE]*", "")
        power, text = tail, compute.replace_substring_regex(text, _FROM_POWER, "")
    return {
        "body": text,
        "power": power,
        "unit": arrow.repeat("", count),
        "is_negative": negative,
        "is_percent": arrow.repeat(False, count),
    }


def _parts(text: arrow.StringArray) -> dict[str, arrow.Array]:
    """Take cells of any form apart into sign, unit, digits, exponent and percent sign."""
    with_power = compute.match_substring_regex(text, _POWER)
    power = compute.if_else(with_power, compute.replace_substring_regex(text, _BEFORE_POWER, r"\1"), "")
    rest = compute.if_else(with_power, compute.replace_substring_regex(text, _FROM_POWER, ""), text)
    body = compute.utf8_trim_whitespace(compute.replace_substring_regex(rest, _NO_DIGIT, ""))
    # The point of "kr." does not belong to the number.
    body = compute.if_else(compute.match_substring_regex(rest, r"[^\W\d]\.$"), compute.utf8_rtrim(body, ". "), body)
    body = compute.if_else(compute.match_substring_regex(rest, r"^[^\W\d]+\."), compute.utf8_ltrim(body, ". "), body)
    spaced = compute.match_substring_regex(body, _ANY_SPACE)
    wrong = compute.and_not(spaced, compute.match_substring_regex(body, _SPACED))
    # Irregularly spaced digits stay as they are, and are no number.
    body = compute.if_else(wrong, body, compute.replace_substring_regex(body, _ANY_SPACE, ""))
    return {
        "body": body,
        "power": power,
        "unit": compute.replace_substring_regex(rest, _NO_UNIT, ""),
        "is_negative": compute.match_substring_regex(text, _NEGATIVE),
        "is_percent": compute.match_substring(text, "%"),
    }


def _counts(parsed: _Parsed) -> Counter[str]:
    number, body = parsed.is_number, parsed.body
    power = compute.and_(number, compute.not_equal(parsed.power, ""))
    counts = {
        "numbers": _sum(number),
        "nothings": _sum(parsed.is_nothing),
        "words": _sum(parsed.is_word),
        "percent": _sum(compute.and_(number, parsed.is_percent)),
        "zero": _sum(
            compute.and_(number, compute.and_not(compute.match_substring_regex(body, _ALL_ZEROS), parsed.is_percent))
        ),
    }
    for sign in _OTHER:
        with_power = compute.and_(power, compute.match_substring(body, sign))
        certain = compute.or_(compute.match_substring_regex(body, _CERTAIN[sign]), with_power)
        counts[f"certain {sign}"] = _sum(compute.and_(number, certain))
        either = compute.and_not(compute.match_substring_regex(body, _EITHER[sign]), with_power)
        counts[f"either {sign}"] = _sum(compute.and_(number, either))
    return Counter(counts)


def _sum(mask: arrow.BooleanArray) -> int:
    return compute.sum(mask).as_py() or 0
