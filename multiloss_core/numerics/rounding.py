"""Numbers in as few digits as will do."""

from decimal import ROUND_CEILING, ROUND_FLOOR, Context

import numpy as np


def shortest_between(value: float, above: float, up_to: float) -> float:
    """Find the number of fewest significant digits in (above, up_to], nearest to value among those of its length.

    `value` lies there, too. Bounds may be infinite.
    """
    unbounded = up_to == np.inf
    for digits in range(1, 18):
        rounding = Context(prec=digits, rounding=ROUND_CEILING if unbounded else ROUND_FLOOR)
        bound = float(rounding.create_decimal_from_float(np.nextafter(above, np.inf) if unbounded else up_to))
        for candidate in (float(f"{value:.{digits}g}"), bound):
            if above < candidate <= up_to:
                return candidate
    return value
