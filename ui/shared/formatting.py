"""Numbers and sentences as people read them."""

import math
import re

from multiloss_core.formatting import NEVER, UNDEFINED, count, money, plural, price, share

__all__ = [
    "NEVER",
    "UNDEFINED",
    "area",
    "as_text",
    "between",
    "count",
    "money",
    "percent",
    "plural",
    "price",
    "rate",
    "share",
    "short_percent",
    "shortened",
    "threshold",
    "whole",
]

_MARKDOWN = re.compile(r"([\\`*_\[\]()<>|&#~$:!])")
MAX_SHOWN = 80


def percent(value: float) -> str:
    """An estimated share as a percentage with one decimal; `undefined` where it is not a number."""
    return UNDEFINED if math.isnan(value) else f"{100 * value:.1f}\N{NO-BREAK SPACE}%"


def short_percent(value: float) -> str:
    """A share as a percentage with three digits, wherever they stand."""
    return f"{100 * value:.3g}\N{NO-BREAK SPACE}%"


def whole(value: float) -> str:
    """An estimated number of documents, rounded; `undefined` where it is not a number."""
    return UNDEFINED if math.isnan(value) else f"{value:,.0f}"


def rate(value: float) -> str:
    """A ratio of two counts; `undefined` over nothing."""
    return UNDEFINED if math.isnan(value) else f"{value:.3g}"


def area(value: float) -> str:
    """A normalised area in [0, 1]; `undefined` where there is nothing to order."""
    return UNDEFINED if math.isnan(value) else f"{value:.4f}"


def threshold(value: float) -> str:
    """A threshold with every digit that it has; infinity is `never`."""
    if math.isinf(value):
        return NEVER
    return repr(float(value)).removesuffix(".0")


def between(interval: tuple[float, float]) -> str:
    """A range of shares in whole percent; nothing where it is undefined."""
    low, high = interval
    return "" if math.isnan(low) else f"{100 * low:.0f}–{100 * high:.0f}\N{NO-BREAK SPACE}%"


def as_text(text: str) -> str:
    """Text in which nothing is Markdown, on one line."""
    return _MARKDOWN.sub(r"\\\1", " ".join(text.split()))


def shortened(text: str) -> str:
    """A name that may be long, for a label or a sentence."""
    words = " ".join(text.split())
    return words if len(words) <= MAX_SHOWN else f"{words[:MAX_SHOWN]}…"
