"""Find the best corner of two thresholds for a number of items with known probabilities."""

from typing import NamedTuple

import numpy as np

from multiloss_core.errors import DataError
from multiloss_core.numerics.arrays import Bools, Floats


class Corner(NamedTuple):
    """Two thresholds, infinity for never, and the items (n,) that reach one of them."""

    thresholds: tuple[float, float]
    flagged: Bools


def best_corner(scores: Floats, probabilities: Floats, k: int) -> Corner:
    """Find the union of two thresholds that flags k items with the largest sum of probabilities.

    All n + 1 thresholds of the first score are tried; the second one then fills up to k. `scores` (n, 2) are distinct
    in each column. Time O(n^2 log n).

    Raises DataError: k outside 0..n.

    Examples
    --------
    >>> import numpy as np
    >>> from multiloss_core.combined import best_corner
    >>> scores = np.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.7]])
    >>> best_corner(scores, np.array([0.5, 0.4, 0.9]), 1).flagged
    array([ True, False, False])
    """
    count = len(scores)
    if not 0 <= k <= count:
        raise DataError(f"From 0 to {count} items can be flagged, not {k}.")
    falling = np.append(np.inf, np.sort(scores[:, 0])[::-1])
    best, most = None, -1.0
    for first in falling[: k + 1]:
        flagged = scores[:, 0] >= first
        others = np.sort(scores[~flagged, 1])[::-1]
        missing = k - int(flagged.sum())
        second = float(others[missing - 1]) if missing else np.inf
        flagged = flagged | (scores[:, 1] >= second)
        if flagged.sum() == k and (sum_of := float(probabilities[flagged].sum())) > most:
            best, most = Corner((float(first), second), flagged), sum_of
    assert best is not None
    return best
