"""Numbers and sentences as people read them."""

import math

UNDEFINED = "undefined"
NEVER = "never"


def count(value: float) -> str:
    """A count: whole, with thousands separators; one decimal where weights make it fractional."""
    return f"{value:,.0f}" if abs(value - round(value)) < 1e-9 * max(1.0, abs(value)) else f"{value:,.1f}"


def share(value: float, out_of: float) -> str:
    """A share as a percentage with the digits that its base supports; `undefined` over nothing."""
    if math.isnan(value):
        return UNDEFINED
    return f"{100 * value:.{0 if out_of < 100 else 1 if out_of < 10_000 else 2}f}\N{NO-BREAK SPACE}%"


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


def price(marginal_precision: float) -> str:
    """A marginal precision as what is paid for what is caught."""
    false_per_catch = (1 - marginal_precision) / marginal_precision
    if false_per_catch >= 1:
        return f"{false_per_catch:.3g} false alert{'' if false_per_catch == 1 else 's'} for each extra fraud caught"
    return f"1 false alert for every {1 / false_per_catch:.3g} extra frauds caught"


def plural(value: float, noun: str) -> str:
    """A count with its noun."""
    return f"{count(value)} {noun}{'' if value == 1 else 's'}"
