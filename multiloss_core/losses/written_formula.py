"""Hold the formula of a loss, and write numbers as LaTeX."""

from dataclasses import dataclass


@dataclass(frozen=True)
class LossFormula:
    """A loss in one `sentence` and as LaTeX: `in_counts` TP, FP, ... and `in_rates` u, v, p.

    `rates`: the denominators of its rates, each a sum of counts such as "TP + FN"; a rate over nothing is 1.
    """

    sentence: str
    in_counts: str
    in_rates: str
    rates: tuple[str, ...] = ()


def latex_number(value: float, decimals: int) -> str:
    """Write a number with at most this many decimals."""
    # A comma in LaTeX has a space behind it unless it is in braces.
    return f"{round(value, decimals):,.{decimals}f}".rstrip("0").rstrip(".").replace(",", "{,}")


def latex_factor(value: float) -> str:
    """Write a number to multiply with; nothing for 1."""
    number = latex_number(value, 4)
    return "" if number == "1" else rf"{number} \cdot "
