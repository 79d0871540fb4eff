"""Find by how much a spreadsheet may have rounded the numbers of a column."""

from decimal import Decimal

import numpy as np

from multiloss_core.numerics.arrays import Floats

# Beyond it spreadsheets round whole numbers.
MAX_EXACT = 1e15


def rounding_errors(values: Floats) -> Floats:
    """Bound the rounding errors (n,) of numbers with the decimals or digits of their column.

    Half a unit of the last decimal or of the last significant digit that any of the numbers has; O(n).
    """
    finite = np.isfinite(values)
    written = [Decimal(repr(value)).normalize().as_tuple() for value in values[finite & (values != 0)].tolist()]
    decimals = max((-int(number.exponent) for number in written), default=0)
    digits = max((len(number.digits) for number in written), default=1)
    with np.errstate(divide="ignore", over="ignore"):
        places = np.floor(np.log10(np.abs(np.where(finite, values, 1.0)))) + 1 - digits
        return np.asarray(np.maximum(10.0**places, 10.0**-decimals) / 2)


def is_rounded_identifier(word: str) -> bool:
    """Return whether a spreadsheet may have rounded an identifier, as in 4.1E+15."""
    try:
        return abs(float(word)) >= MAX_EXACT
    except ValueError:
        return False
