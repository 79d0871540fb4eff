"""Cells that are plain numbers, as programs write them: the quick way for most columns."""

import numpy as np
import pyarrow as arrow
from pyarrow import compute

# Identifiers have more digits than numbers are known to.
MOST_DIGITS = 15
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
        if (length <= MOST_DIGITS).all() and not _holds_fractions(cells):
            return cells.cast(arrow.int64())
        values = cells.cast(arrow.float64())
    except arrow.ArrowInvalid:
        return None
    bounds = compute.min_max(values).as_py()
    if max(-bounds["min"], bounds["max"]) >= 10.0**MOST_DIGITS:
        large = compute.greater_equal(compute.abs(values), 10.0**MOST_DIGITS)
        texts = cells.filter(compute.fill_null(large, False))
        if compute.any(compute.match_substring_regex(texts, r"^-?[0-9]{16,}$")).as_py():
            return None
    return values


def has_certain_point(cells: arrow.StringArray) -> bool:
    """Whether the point is that of decimals in some plain number: in 0.5 or 12.34, but not in 1.234."""
    for some in (cells[:_SAMPLE], cells):
        if compute.any(compute.match_substring_regex(some, CERTAIN_POINT)).as_py():
            return True
    return False


def comma_numbers(cells: arrow.ChunkedArray) -> tuple[arrow.ChunkedArray, bool] | None:
    """Read text (n,) as `plain_numbers` does, with commas for points, and say whether one is certainly of decimals.

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
    """First and second character after a minus, and how many characters there are from the first on (0: blank)."""
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
