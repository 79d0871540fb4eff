"""Convert an operating point's marginal precision into the F-beta that it maximises.

Cutting a ranking where P(Y = 1 | x) = c is the operating point for marginal precision c, and the best cut under a loss
is the marginal precision at which that loss would operate. Both need calibrated probabilities.
"""

import math

from multiloss_core.errors import require_type
from multiloss_core.thresholds.paths.operating_point import FlaggedCounts, Point


def f_beta_of_point(point: Point) -> float:
    """Find the beta >= 0 for which an operating point maximises F_beta on its path.

    F_beta = (1 + beta^2) TP / (beta^2 P + TP + FP) with P = `rated.tp`, all rated positives, is largest where one more
    alert raises both parts alike: m = TP / (beta^2 P + TP + FP) (for items with known probabilities: Ye, Chai,
    Lee, Chieu 2012). So beta^2 = (TP / m - TP - FP) / P. Positives below the floors add to P: beta^2 P stays, beta
    falls. Where a smooth fit chose the point, it maximises the expected F_beta. It holds on new data when the marginal
    precision along the path does. NaN unless the point is `inside`: at the floor the best point lies below the rated
    scores, and without alerts F_beta is undefined.
    Examples
    --------
    >>> import numpy as np
    >>> from multiloss_core import f_beta_of_point, operating_point, simulate_population, smooth_path
    >>> documents = simulate_population(np.random.default_rng(0), documents=20_000, prevalence=0.01).rated()
    >>> round(f_beta_of_point(operating_point(smooth_path(documents), 0.2)), 2)
    1.76
    """
    require_type(point, FlaggedCounts, "an operating point, see operating_point")
    if point.status != "inside":
        return math.nan
    # The average of the steps up to the point is at least the last one's; rounding may hide it.
    excess = max(point.tp / point.marginal_precision - point.alerts, 0.0)
    return math.sqrt(excess / point.rated.tp)
