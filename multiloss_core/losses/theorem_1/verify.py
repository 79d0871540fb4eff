"""Verify Theorem 1 by exhaustive search on random items: Natarajan et al. 2016, section 5.1."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from scipy.special import expit

from multiloss_core.errors import DataError
from multiloss_core.losses.expected.exhaustive import MAX_EXHAUSTIVE
from multiloss_core.losses.multivariate import Loss
from multiloss_core.losses.theorem_1.all_predictions import search_subsets, subset_distributions
from multiloss_core.numerics.arrays import Floats


@dataclass(frozen=True, eq=False)
class SigmoidItems:
    """Items `x` (n, 2), direction `w` (2,), P(Y = 1 | x) = 1 / (1 + exp(-w.x)) (n,)."""

    x: Floats
    w: Floats
    probabilities: Floats


@dataclass(frozen=True, eq=False)
class Failure:
    """A draw without an optimal top-k set: name of the loss and `probabilities` (n,)."""

    loss_name: str
    probabilities: Floats


@dataclass(frozen=True, eq=False)
class Verification:
    """The state after `done` of `draws` draws.

    `top_k`: for each loss's name, the draws so far on which some prediction within 1e-12 of the smallest
    expected loss is a top-k set. `failures`: every other draw.
    """

    done: int
    draws: int
    top_k: Mapping[str, int]
    failures: tuple[Failure, ...]


def verify_theorem_1(
    generator: np.random.Generator, losses: Sequence[Loss], *, n: int, scale: float, draws: int
) -> Iterator[Verification]:
    """Search all 2^n predictions under each loss on random draws; yields after every draw.

    Items come from `sigmoid_items`. Raises DataError, at once, unless 1 <= n <= 14, draws >= 1, the scale
    is finite and >= 0, and the losses have different names. O(2^n n^2) per draw and loss. Source:
    Natarajan et al. 2016, Theorem 1 and section 5.1.
    """
    if not 1 <= n <= MAX_EXHAUSTIVE:
        raise DataError(f"The number of items is {n}; choose 1 to {MAX_EXHAUSTIVE}.")
    if draws < 1:
        raise DataError(f"The number of draws is {draws}; choose at least 1.")
    if not 0.0 <= scale < np.inf:
        raise DataError(f"The scale of w is {scale}; choose a finite number of at least 0.")
    names = [loss.name for loss in losses]
    if len(set(names)) < len(names):
        raise DataError(f"Two losses have the same name among {', '.join(names)}; give each its own.")
    return _verifications(generator, losses, n=n, scale=scale, draws=draws)


def _verifications(
    generator: np.random.Generator, losses: Sequence[Loss], *, n: int, scale: float, draws: int
) -> Iterator[Verification]:
    counts = {loss.name: 0 for loss in losses}
    failures: list[Failure] = []
    for done in range(1, draws + 1):
        distributions = subset_distributions(sigmoid_items(generator, n=n, scale=scale).probabilities)
        for loss in losses:
            if search_subsets(distributions, loss).is_top_k:
                counts[loss.name] += 1
            else:
                failures.append(Failure(loss.name, distributions.probabilities))
        yield Verification(done, draws, MappingProxyType(dict(counts)), tuple(failures))


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
