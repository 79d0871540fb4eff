"""Numbers of a decision as people read them."""

import math

NEVER = "never"
UNDEFINED = "undefined"


def count(value: float) -> str:
    """A count: whole, with thousands separators; one decimal where weights make it fractional."""
    return f"{value:,.0f}" if abs(value - round(value)) < 1e-9 * max(1.0, abs(value)) else f"{value:,.1f}"


def money(value: float) -> str:
    """An amount of money: whole with thousands separators from 100 on, at most two decimals below."""
    if math.isnan(value):
        return UNDEFINED
    # Sums of cents differ by the order of summing, and half a unit would be rounded this way or that.
    value = round(value, 6)
    return f"{value:,.0f}" if abs(value) >= 99.995 else f"{value:.2f}".removesuffix(".00")


def share(value: float | None, out_of: float) -> str:
    """A share as a percentage with the digits that its base supports; `undefined` over nothing."""
    if value is None or math.isnan(value):
        return UNDEFINED
    return f"{100 * value:.{0 if out_of < 100 else 1 if out_of < 10_000 else 2}f}\N{NO-BREAK SPACE}%"


def threshold(value: float | None) -> str:
    """A threshold with every digit that it has; None is `never`."""
    return NEVER if value is None else repr(value).removesuffix(".0")


def signed(value: float, words: str) -> str:
    """The words of a difference with its sign, plus or minus; nothing before zero."""
    return f"{'+' if value > 0 else ''}{words}".replace("-", "\N{MINUS SIGN}")


def plural(value: float, noun: str) -> str:
    """A count with its noun."""
    return f"{count(value)} {noun}{'' if value == 1 else 's'}"


def price(marginal_precision: float) -> str:
    """A marginal precision as what is paid for what is caught."""
    false_per_catch = (1 - marginal_precision) / marginal_precision
    if false_per_catch >= 1:
        return f"{false_per_catch:.3g} false alert{'' if false_per_catch == 1 else 's'} for each extra fraud caught"
    return f"1 false alert for every {1 / false_per_catch:.3g} extra frauds caught"
