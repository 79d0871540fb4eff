"""Write and read numbers with few digits, and tolerate rounding errors."""

import math
import re
from decimal import ROUND_CEILING, ROUND_FLOOR, Context

import numpy as np

from multiloss_core.numerics.arrays import Bools, Floats

_ROUNDING = 1e-9
_WRITTEN = re.compile(r"\s*[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf|infinity|nan)\s*", re.ASCII | re.IGNORECASE)

_BETWEEN_THOUSANDS = re.compile(r"(?<=\d)[ '\u00a0\u202f\u2019](?=\d{3})", re.ASCII)
# 1,234 and 12,345,678: groups of three digits, without a zero in front.
_GROUPED = re.compile(r"\s*[+-]?[1-9]\d{0,2}(,\d{3})+\s*", re.ASCII)


def is_probability(values: Floats) -> Bools:
    """Return the mask of values in [0, 1], with a tolerance of 1e-9; false for NaN."""
    return (values >= -_ROUNDING) & (values <= 1 + _ROUNDING)


def written_number(text: str) -> float:
    """Read a number as files and people write it, with a decimal point, `inf` or `nan`.

    Raises ValueError: other text, such as 1_0 and other forms that only Python reads as numbers, or too large or small
    a number.
    """
    if not _WRITTEN.fullmatch(text):
        raise ValueError(text)
    value = float(text)
    # 1e400 and 1e-400 are beyond the range of numbers.
    if (math.isinf(value) or value == 0) and re.search("[1-9]", re.split("[eE]", text)[0]):
        raise ValueError(text)
    return value


def typed_number(text: str) -> float:
    """Read a number as people type it: 0.5, 0,5, 1 234.5, 1,234.5 or 1.234,5.

    Raises ValueError: other text, and 1,234, whose comma may stand before decimals or between thousands.
    """
    plain = _BETWEEN_THOUSANDS.sub("", text)
    if "," not in plain:
        return written_number(plain)
    if _GROUPED.fullmatch(plain):
        raise ValueError(text)
    # Of two signs the last one begins the decimals.
    decimal, between = (",", ".") if plain.rfind(",") > plain.rfind(".") else (".", ",")
    whole, _, decimals = plain.rpartition(decimal)
    if between in whole and not _GROUPED.fullmatch(whole.replace(between, ",")):
        raise ValueError(text)
    return written_number(f"{whole.replace(between, '')}.{decimals}")


def shortest_between(value: float, above: float, up_to: float) -> float:
    """Find the number with the fewest digits in (above, up_to], nearest to `value`.

    Bounds may be infinite.
    """
    unbounded = up_to == np.inf
    for digits in range(1, 18):
        rounding = Context(prec=digits, rounding=ROUND_CEILING if unbounded else ROUND_FLOOR)
        bound = float(rounding.create_decimal_from_float(np.nextafter(above, np.inf) if unbounded else up_to))
        for candidate in (float(f"{value:.{digits}g}"), bound):
            if above < candidate <= up_to:
                return candidate
    return value


def short_threshold(threshold: float, scores: Floats, floor: float = -np.inf) -> float:
    """Shorten a threshold that flags the same of the rising `scores` (n,).

    It does so in single precision, too. A threshold at its floor stays as it is.
    """
    if threshold <= floor:
        return float(threshold)
    first = int(np.searchsorted(scores, threshold))
    lower = max(float(scores[first - 1]) if first else -np.inf, float(floor))
    upper = float(scores[first]) if first < len(scores) else np.inf
    with np.errstate(over="ignore", under="ignore"):
        single_lower, single_upper = np.array([lower, upper]).astype(np.float32).tolist()
    if max(lower, single_lower) < min(upper, single_upper):
        lower, upper = max(lower, single_lower), min(upper, single_upper)
    return shortest_between(float(threshold), lower, upper)
