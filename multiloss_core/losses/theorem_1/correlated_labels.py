"""Search predictions for labels with a common cause: Theorem 1 without independence."""

from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri

from multiloss_core.errors import DataError
from multiloss_core.losses.expected.cubic import loss_matrix
from multiloss_core.losses.expected.methods import checked_probabilities
from multiloss_core.losses.multivariate import Loss
from multiloss_core.losses.theorem_1.all_predictions import ExhaustiveSearch, search_values, subset_distributions
from multiloss_core.numerics.arrays import Floats

MAX_CORRELATED = 12

# Effect of the common cause on the items in turn: positive (1), negative (-1) or none (0).
COMMON_CAUSES: MappingProxyType[str, tuple[int, ...]] = MappingProxyType(
    {"all": (1,), "ring": (1, 0), "rivals": (1, -1)}
)

# The mass beyond this number of standard deviations is 2e-19.
_FARTHEST = 9.0
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)


def correlated_search(probabilities: ArrayLike, loadings: ArrayLike, loss: Loss) -> ExhaustiveSearch:
    """Compute the expected loss of all 2^n predictions on labels with a common cause.

    `probabilities` (n,) and `loadings` (n,) as in `joint_distribution`, n <= 12, else DataError. With loadings of 0 it
    is `exhaustive_search`. With equal loadings some top-k set is always best: given the common cause, labels are
    independent with the same order of probabilities for each of its values, so each exchange in the proof of
    Theorem 1 holds. With unequal loadings that order changes, and it can fail. O(2^n n^3) time, O(2^n n^2) memory.
    """
    joint = joint_distribution(probabilities, loadings)
    distributions = subset_distributions(probabilities)
    table = _count_distributions(joint)
    n = distributions.probabilities.size
    values = np.empty(2**n)
    for k in range(n + 1):
        predictions = np.flatnonzero(distributions.sizes == k)
        among = table[predictions, : k + 1, : n - k + 1]
        values[predictions] = np.sum(among * loss_matrix(loss, n, k), axis=(1, 2))
    return search_values(values, distributions)


def factor_loadings(common_cause: str, n: int, strength: float) -> Floats:
    """Make the loadings (n,) of `joint_distribution` for a common cause and its strength.

    `common_cause` selects the items that share one: "all" of them; a "ring" of every second item, the others on their
    own; "rivals", every second item against the others. `strength` is the correlation of the latent variables of two
    items of the same side: at 1, items of a side with equal probabilities have identical labels. Raises DataError
    for any other common cause and for a strength outside [0, 1].
    """
    if common_cause not in COMMON_CAUSES:
        raise DataError(f"There is no common cause {common_cause!r}; choose {', '.join(COMMON_CAUSES)}.")
    if not 0.0 <= strength <= 1.0:
        raise DataError(f"The strength of the common cause is {strength:g}; choose 0 to 1.")
    return np.sqrt(strength) * np.resize(np.array(COMMON_CAUSES[common_cause], dtype=np.float64), n)


def joint_distribution(probabilities: ArrayLike, loadings: ArrayLike) -> Floats:
    """Compute P(outcome) (2^n,) under a Gaussian copula with one factor.

    Bit i of an outcome is the label Y_i = 1[Z_i <= Phi^-1(eta_i)] with Z_i = a_i W + sqrt(1 - a_i^2) E_i, where W and
    all E_i are independent standard normal variables: P(Y_i = 1) stays eta_i, and Z_i and Z_j have correlation a_i a_j.
    `probabilities` eta (n,) in [0, 1], n <= 12; `loadings` a (n,) in [-1, 1], in the same order; else DataError.
    Integrates over W with Gauss-Legendre panels, narrower where a label's probability is steep, to about 1e-13; for
    loadings of 1 and -1 (the comonotone and antithetic labels) panels end at the steps. O(n (n + 2^n)), with
    a constant of some hundred nodes per item.
    """
    checked = checked_probabilities(probabilities)
    n = checked.size
    if n > MAX_CORRELATED:
        raise DataError(
            f"There are {n:,} probabilities; correlated labels can be searched for at most {MAX_CORRELATED}."
        )
    factors = _checked_loadings(loadings, n)
    turns = ndtri(checked)
    positions, weights = _factor_nodes(turns, factors)
    chances = _chances_given(positions, turns, factors)
    # Half of the items on each side of one matrix product, which sums over W.
    low, high = chances[:, : n // 2], chances[:, n // 2 :]
    joint = (_outcomes_given(high) * weights[:, np.newaxis]).T @ _outcomes_given(low)
    return np.asarray(joint.reshape(-1), dtype=np.float64)


def _checked_loadings(loadings: ArrayLike, n: int) -> Floats:
    try:
        factors = np.array(loadings, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError("Loadings must be numbers between -1 and 1.") from None
    # The comparison is also false for NaN.
    if factors.shape != (n,) or not np.all(np.abs(factors) <= 1.0):
        raise DataError(f"Loadings must be {n} numbers between -1 and 1, one for each probability.")
    return factors


def _factor_nodes(turns: Floats, loadings: Floats) -> tuple[Floats, Floats]:
    """Compute positions of the integrand in W, and their weights (density included)."""
    ends = [np.arange(-_FARTHEST, _FARTHEST + 1.0)]
    for turn, loading in zip(turns, loadings, strict=True):
        # Only a steep probability, rising within less than a standard deviation of W, needs panels of its own.
        width = np.sqrt(1.0 - loading**2)
        if width < abs(loading) and np.isfinite(turn):
            ends.append(turn / loading + np.arange(-_FARTHEST, _FARTHEST + 1.0) * (width / abs(loading)))
    panels = np.unique(np.concatenate(ends))
    panels = panels[np.abs(panels) <= _FARTHEST]
    middles, halves = (panels[1:] + panels[:-1]) / 2.0, np.diff(panels) / 2.0
    positions = (middles[:, np.newaxis] + halves[:, np.newaxis] * _NODES).reshape(-1)
    lengths = (halves[:, np.newaxis] * _WEIGHTS).reshape(-1)
    return positions, lengths * np.exp(-(positions**2) / 2.0) / np.sqrt(2.0 * np.pi)


def _chances_given(positions: Floats, turns: Floats, loadings: Floats) -> Floats:
    """Compute P(Y_i = 1 | W), shape (nodes, n)."""
    chances = np.empty((positions.size, turns.size))
    for i, (turn, loading) in enumerate(zip(turns, loadings, strict=True)):
        own = np.sqrt(1.0 - loading**2)
        left = turn - loading * positions
        chances[:, i] = ndtr(left / own) if own > 0.0 else left >= 0.0
    return chances


def _outcomes_given(chances: Floats) -> Floats:
    """Compute P(outcome | W) of independent labels, shape (nodes, 2^items)."""
    table = np.ones((chances.shape[0], 1))
    for chance in chances.T[:, :, np.newaxis]:
        table = np.concatenate([table * (1.0 - chance), table * chance], axis=1)
    return table


def _count_distributions(joint: Floats) -> Floats:
    """Compute P(TP, FN) of each prediction, (2^n, n + 1, n + 1), from P(outcome) (2^n,).

    Bit after bit, the index of an outcome becomes that of a prediction: a positive item that is flagged adds a true
    positive, one that is not adds a false negative.
    """
    n = joint.size.bit_length() - 1
    table = np.zeros((joint.size, n + 1, n + 1))
    table[:, 0, 0] = joint
    for i in range(n):
        pairs = table.reshape(-1, 2, 2**i, n + 1, n + 1)
        negative, positive = pairs[:, 0], pairs[:, 1].copy()
        pairs[:, 1] = negative
        pairs[:, 0, :, :, 1:] += positive[..., :-1]
        pairs[:, 1, :, 1:, :] += positive[..., :-1, :]
    return table
