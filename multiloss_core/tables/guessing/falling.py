"""Which scores fall with risk: the lower, the likelier a positive."""

from collections.abc import Mapping

import numpy as np
from scipy.special import expit
from scipy.stats import rankdata

from multiloss_core.numerics.arrays import Bools, Floats

# Standard errors by which a score must fall to be asked about, and for certain.
PERHAPS, CLEARLY = 2.0, 3.0
MOST_STEPS, SMALL_STEP, LONGEST_STEP, PENALTY = 30, 1e-6, 2.0, 1e-5


def falling_scores(scores: Mapping[str, Floats], positive: Floats) -> dict[str, bool]:
    """Find the scores (m,) that are clearly lower for positives (1) than for negatives (0), and where that is certain.

    A document that another score brought to review has a low value of this one, and may well be a positive. So a score
    must fall among documents of equal other scores, too: which documents were reviewed depends on the scores alone, and
    makes no difference once these are given. Logistic regression on its ranks, with cubics of the others. NaN is left
    out.
    """
    found = {name: _fall(scores, name, positive) for name in scores}
    return {name: fall < -CLEARLY for name, fall in found.items() if fall < 0}


def area(values: Floats, positive: Floats) -> float:
    """Compute the share of pairs of a positive and a negative in which the positive has the higher score."""
    usable = np.isfinite(values) & np.isfinite(positive)
    wins, pairs, _ = _wins(values[usable], positive[usable] == 1)
    return wins / pairs if pairs else 0.5


def _fall(scores: Mapping[str, Floats], name: str, positive: Floats) -> float:
    """Estimate the slope of a score given the others, in standard errors; 0 unless it seems to fall by itself."""
    usable = np.isfinite(scores[name]) & np.isfinite(positive)
    values, is_positive = scores[name][usable], positive[usable] == 1
    wins, pairs, variance = _wins(values, is_positive)
    if not pairs or wins - pairs / 2 > -PERHAPS * np.sqrt(variance):
        return 0.0
    others = [_standing(other[usable]) for known, other in scores.items() if known != name]
    return _slope(_standing(values), others, is_positive) if others else -np.inf


def _wins(values: Floats, is_positive: Bools) -> tuple[float, float, float]:
    """Pairs in which the positive has the higher score, all pairs, and the variance of the former by chance alone."""
    positives, negatives = float(is_positive.sum()), float((~is_positive).sum())
    wins = float(rankdata(values)[is_positive].sum()) - positives * (positives + 1) / 2
    return wins, positives * negatives, positives * negatives * (positives + negatives + 1) / 12


def _standing(values: Floats) -> Floats:
    """Where each value stands among all, from -1 to 1; in the middle where it is missing."""
    known = np.isfinite(values)
    standing = np.zeros(len(values))
    standing[known] = (rankdata(values[known]) - 0.5) / max(known.sum(), 1) * 2 - 1
    return standing


def _slope(tested: Floats, others: list[Floats], is_positive: Bools) -> float:
    """Estimate the coefficient of `tested` (m,), in standard errors, beside cubics of the other scores."""
    columns = np.column_stack(
        [tested, np.ones(len(tested)), *(other**power for other in others for power in (1, 2, 3))]
    )
    penalty = PENALTY * len(tested) * np.eye(columns.shape[1])
    coefficients = np.zeros(columns.shape[1])
    for _ in range(MOST_STEPS):
        precision = expit(columns @ coefficients)
        curvature = columns.T @ (columns * (precision * (1 - precision))[:, np.newaxis]) + penalty
        step = np.linalg.solve(curvature, columns.T @ (is_positive - precision) - penalty @ coefficients)
        coefficients += step.clip(-LONGEST_STEP, LONGEST_STEP)
        if np.abs(step).max() < SMALL_STEP:
            break
    return float(coefficients[0] / np.sqrt(np.linalg.inv(curvature)[0, 0]))
