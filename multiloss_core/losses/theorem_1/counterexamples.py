"""Find counterexamples to the stop at the first rise, and to top-k without TP-monotony."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from multiloss_core.errors import DataError
from multiloss_core.losses.multivariate import G_TP_PR, JACCARD, F, FractionalLinear, Loss, UserLoss
from multiloss_core.losses.theorem_1.all_predictions import ExhaustiveSearch
from multiloss_core.losses.top_k import TIE, best_k
from multiloss_core.numerics.arrays import Bools, Floats


@dataclass(frozen=True)
class Counterexample:
    """Items on which stopping at the first rise of L_k misses the optimum of `loss`.

    `probabilities`: of independent labels, largest first.
    """

    name: str
    loss: Loss
    probabilities: tuple[float, ...]


@dataclass(frozen=True)
class NotMonotone:
    """A `loss` that is not TP-monotone, its `meaning`, and a `draw` on which top-k fails.

    The draw is a seed of `sigmoid_items` for 8 items and scale 1.
    """

    loss: Loss
    meaning: str
    draw: int


@dataclass(frozen=True, eq=False)
class AgainstTopK:
    """The best of all 2^n predictions and the best top-k prediction.

    `best` and `top_k` (n,) bool, in the input's order: flagged items. `best_loss` and `top_k_loss`: their
    expected losses. `lost`: excess of the best top-k prediction; 0 up to ties of 1e-12.
    """

    best: Bools
    best_loss: float
    top_k: Bools
    top_k_loss: float
    lost: float


@dataclass(frozen=True)
class DrawSearch:
    """A search for a draw on which top-k fails, after `done` of `draws` draws.

    `failed`: the seed of the first such draw, None if there was none yet; `lost`: the excess loss of top-k on it.
    """

    done: int
    draws: int
    failed: int | None
    lost: float


def early_stop_k(values: ArrayLike) -> int:
    """Find the stop of Algorithm 1: the first k >= 1 with L_k <= L_(k+1), or n.

    This rule is wrong: L_k can fall again after it rose (see `EARLY_STOP`), and k = 0 is never considered. Use
    `optimal_top_k`, which compares every k. `values` (n + 1,): L_k for k = 0..n, n >= 1, else DataError. O(n).
    """
    losses = np.asarray(values, dtype=np.float64)
    if losses.ndim != 1 or losses.size < 2:
        raise DataError("The expected losses must be a list of at least two: for k = 0 and k = 1.")
    rises = np.flatnonzero(losses[1:-1] <= losses[2:])
    return int(rises[0]) + 1 if rises.size else losses.size - 1


def against_top_k(search: ExhaustiveSearch) -> AgainstTopK:
    """Compare the best with the best top-k prediction of an exhaustive search; O(n)."""
    k = best_k(search.top_k_values)
    index = search.top_k_indices[k]
    top_k_loss = float(search.values[index])
    lost = top_k_loss - search.expected_loss
    return AgainstTopK(
        best=search.best,
        best_loss=search.expected_loss,
        top_k=(index >> np.arange(search.best.size)) & 1 == 1,
        top_k_loss=top_k_loss,
        lost=lost if lost > TIE else 0.0,
    )


def find_failure(search_of: Callable[[int], ExhaustiveSearch], *, first: int, draws: int) -> Iterator[DrawSearch]:
    """Search draws from `first` on for one without an optimal top-k set; yields each.

    `search_of` makes the exhaustive search of a draw from its seed. Raises DataError, at once, unless draws >= 1.
    """
    if draws < 1:
        raise DataError(f"The number of draws is {draws}; choose at least 1.")
    return _searched(search_of, first, draws)


def _searched(search_of: Callable[[int], ExhaustiveSearch], first: int, draws: int) -> Iterator[DrawSearch]:
    for done in range(1, draws + 1):
        seed = first + done - 1
        search = search_of(seed)
        if not search.is_top_k:
            yield DrawSearch(done, draws, seed, against_top_k(search).lost)
            return
        yield DrawSearch(done, draws, None, 0.0)


def _unbalanced(u: ArrayLike, v: ArrayLike, p: ArrayLike) -> Floats:
    true_positives, flagged = np.asarray(u, float), np.asarray(v, float)
    return (np.abs(2.0 * true_positives - flagged) + np.abs(2.0 * flagged - 1.0)) / 2.0 + 0.0 * np.asarray(p, float)


_EXAMPLES = (
    Counterexample("F1, seven items", F(), (0.9953, 0.3690, 0.3660, 0.3467, 0.3285, 0.1693, 0.0604)),
    Counterexample("Jaccard, seven items", JACCARD, (0.9528, 0.4382, 0.4353, 0.0180, 0.0088, 0.0034, 0.0001)),
    Counterexample(
        "G-TP/PR, ten items", G_TP_PR, (0.9699, 0.4071, 0.3913, 0.375, 0.3639, 0.3562, 0.3369, 0.3182, 0.2964, 0.0285)
    ),
)
EARLY_STOP: MappingProxyType[str, Counterexample] = MappingProxyType({example.name: example for example in _EXAMPLES})

_NOT_MONOTONE = (
    NotMonotone(
        UserLoss(_unbalanced, "balanced batch", (0.0, 1.0)),
        "A batch to train new reviewers: half of all items, and among them as many positives as false positives. It "
        "costs the more, the further the batch is from either. Beyond half of the batch, another true positive makes "
        "it worse.",
        6,
    ),
    NotMonotone(
        FractionalLinear((0.3, 0.7, -0.3, 0.0), (1.0, 0.0, 0.0, 0.0), "release unseen"),
        "The items predicted positive are released without review. Each positive among them costs 0.7, each item kept "
        "back for review costs 0.3, and the sum is divided by the number of items. Every true positive is one let "
        "through.",
        73,
    ),
)
NOT_MONOTONE: MappingProxyType[str, NotMonotone] = MappingProxyType(
    {example.loss.name: example for example in _NOT_MONOTONE}
)
