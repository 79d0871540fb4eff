"""Fit penalised logistic regression with some non-negative coefficients, by Newton steps.

Own code for speed, as hundreds of resamples are fitted (`benchmarks/results/constants.md`).
"""

import numpy as np
from scipy.optimize import brentq, nnls
from scipy.special import expit

from multiloss_core.numerics.arrays import Bools, Floats

INTERCEPT_PENALTY = 1e-9
# Minimum for a cell, so that the curvature stays positive where the precision is 0 or 1.
MIN_CURVATURE = 1e-12


def penalised_logistic(
    columns: Floats,
    rising: Bools,
    positives: Floats,
    totals: Floats,
    penalty: Floats,
    start: Floats | None,
    *,
    max_steps: int,
    small_gain: float,
) -> Floats:
    """Find intercept and coefficients (d + 1,) that minimise deviance / 2 + x' P x / 2.

    `columns` (c, d) hold the basis in each cell, `positives` and `totals` (c,) the counts; `penalty` P (d, d) is
    positive definite. Coefficients are non-negative where `rising` (d,), which leaves the intercept out. Begins at
    `start` (d + 1,), without one near the odds of all counts, and stops after `max_steps` or when the curvature
    predicts a gain below `small_gain`.

    Every step minimises the quadratic approximation under the bounds: the coefficients without a bound are eliminated,
    the others are a problem of non-negative least squares (Lawson and Hanson 1974). Time O(c d^2 + d^3) for each step.
    """
    if start is None:
        caught = max(float(positives.sum()), 0.5)
        odds = caught / max(float(totals.sum()) - caught, 0.5)
        start = np.concatenate([[np.log(odds) - 1.0], np.full(columns.shape[1], 0.02)])
    columns = np.column_stack([np.ones(len(totals)), columns])
    penalty = np.pad(penalty, ((1, 0), (1, 0)))
    # The intercept is unpenalised except for a trace that keeps its curvature positive.
    penalty[0, 0] = INTERCEPT_PENALTY
    bounded = np.append(False, rising)
    coefficients = np.where(bounded, start.clip(0.0), start)

    logits = columns @ coefficients
    for _ in range(max_steps):
        precision = expit(logits)
        rooted = columns * np.sqrt(totals * precision * (1 - precision) + MIN_CURVATURE)[:, np.newaxis]
        # A matrix times itself costs half as much.
        curvature = rooted.T @ rooted + penalty
        gradient = columns.T @ (totals * precision - positives) + penalty @ coefficients
        step = _bounded_minimum(curvature, curvature @ coefficients - gradient, bounded) - coefficients
        downhill = -float(gradient @ step)
        if downhill <= 0.0:
            break
        coefficients = coefficients + step * _length(
            step, columns @ step, coefficients, logits, positives, totals, penalty
        )
        logits = columns @ coefficients
        if downhill / 2 < small_gain:
            break
    return coefficients


def _length(
    step: Floats, turn: Floats, start: Floats, logits: Floats, positives: Floats, totals: Floats, penalty: Floats
) -> float:
    """Find the length of a step in [0, 1]; the whole step changes the logits by `turn` (c,).

    Where precisions are close to 0 or 1 the local curvature misleads, and the whole step may overshoot. The loss is
    convex: it is least where its slope along the step is 0. Returns 0 if rounding leaves no gain.
    """
    along, across = float(step @ penalty @ start), float(step @ penalty @ step)

    def loss(length: float) -> float:
        at = logits + length * turn
        return float(totals @ np.logaddexp(0.0, at) - positives @ at) + length * along + length**2 * across / 2

    def slope(length: float) -> float:
        return float(turn @ (totals * expit(logits + length * turn) - positives)) + along + length * across

    downhill = -slope(0.0)
    if slope(1.0) <= 0.0 or loss(1.0) <= loss(0.0) - downhill / 4:
        return 1.0
    return float(brentq(slope, 0.0, 1.0, xtol=1e-12, rtol=1e-3)) if downhill > 0.0 else 0.0


def _bounded_minimum(curvature: Floats, pull: Floats, bounded: Bools) -> Floats:
    """Minimise x' C x / 2 - p' x with x >= 0 where bounded; C (d, d) positive definite."""
    free = ~bounded
    across = curvature[np.ix_(free, bounded)]
    eliminated = np.linalg.solve(curvature[np.ix_(free, free)], np.column_stack([across, pull[free]]))
    reduced = curvature[np.ix_(bounded, bounded)] - across.T @ eliminated[:, :-1]
    root = np.linalg.cholesky(reduced)
    right = np.linalg.solve(root, pull[bounded] - across.T @ eliminated[:, -1])
    result = np.empty(len(pull))
    # SciPy's nnls without unknowns ends the whole process.
    result[bounded] = nnls(root.T, right, maxiter=1000)[0] if len(right) else right
    result[free] = eliminated[:, -1] - eliminated[:, :-1] @ result[bounded]
    return result
