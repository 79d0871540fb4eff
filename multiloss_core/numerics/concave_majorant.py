"""Find the upper concave hull of points."""

import numpy as np
from scipy.optimize import isotonic_regression

from multiloss_core.numerics.arrays import Floats, Indices, rounding_tolerance


def concave_majorant(x: Floats, y: Floats) -> tuple[Indices, Floats]:
    """Find the corners (b + 1,) of the upper hull of points, and its slopes (b,).

    `x` and `y` (n,) are not negative; corners follow rising x, and slopes fall. Of equal points the first is kept;
    differences within rounding count as none. O(n log n), by pool-adjacent-violators on the slopes between neighbours,
    weighted by their distance.

    Examples
    --------
    >>> import numpy as np
    >>> from multiloss_core.numerics import concave_majorant
    >>> concave_majorant(np.array([2.0, 0.0, 1.0, 4.0]), np.array([2.0, 0.0, 0.5, 3.0]))
    (array([1, 0, 3]), array([1. , 0.5]))
    """
    places, heights = (np.round(values / (rounding_tolerance(values) or 1.0)).astype(np.int64) for values in (x, y))
    # Both are below 2^30: one number sorts by place, then by falling height.
    keys = (places << 31) - heights
    order = np.argsort(keys)
    first = np.flatnonzero(np.diff(keys[order], prepend=-(2**62)))
    order = np.minimum.reduceat(order, first)
    order = order[np.diff(places[order], prepend=-1) > 0]
    if len(order) == 1:
        return order, np.empty(0)
    apart = np.diff(x[order])
    blocks = isotonic_regression(np.diff(y[order]) / apart, weights=apart, increasing=False).blocks
    corners = order[np.asarray(blocks, dtype=np.intp)]
    return corners, np.diff(y[corners]) / np.diff(x[corners])
