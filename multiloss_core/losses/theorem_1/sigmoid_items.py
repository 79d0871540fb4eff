"""Draw synthetic items with known label probabilities: Natarajan et al. 2016, section 5.1."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from multiloss_core.errors import DataError
from multiloss_core.numerics.arrays import Floats


@dataclass(frozen=True, eq=False)
class SigmoidItems:
    """Items `x` (n, 2), direction `w` (2,), P(Y = 1 | x) = 1 / (1 + exp(-w.x)) (n,)."""

    x: Floats
    w: Floats
    probabilities: Floats


def sigmoid_items(generator: np.random.Generator, *, n: int = 10, scale: float = 1.0) -> SigmoidItems:
    """Draw n items and w (times `scale`) from the standard Gaussian in the plane.

    A larger `scale` (>= 0, finite) makes the labels more certain; at 0 every probability is 1/2. Raises
    DataError when n < 1 or the scale is unusable. O(n).
    """
    if n < 1:
        raise DataError(f"The number of items is {n}; draw at least 1.")
    if not 0.0 <= scale < np.inf:
        raise DataError(f"The scale of w is {scale}; choose a finite number of at least 0.")
    x = generator.standard_normal((n, 2))
    w = scale * generator.standard_normal(2)
    return SigmoidItems(x, w, np.asarray(expit(x @ w), dtype=np.float64))
