"""Penalised logistic regression with some coefficients that may not be negative, by Newton steps."""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls
from scipy.special import expit

Floats = NDArray[np.float64]

MOST_HALVINGS = 10


def penalised_logistic(
    columns: Floats,
    rising: NDArray[np.bool_],
    positives: Floats,
    totals: Floats,
    penalty: Floats,
    start: Floats,
    *,
    most_steps: int,
    small_gain: float,
) -> Floats:
    """Intercept and coefficients (d + 1,) that minimise deviance / 2 + x' P x / 2.

    `columns` (c, d) hold the basis in each cell, `positives` and `totals` (c,) the counts; `penalty` P (d, d) is positive
    definite. Coefficients may not be negative where `rising` (d,), which leaves the intercept out. Begins at `start`
    (d + 1,) and stops after `most_steps` or a step that gains less than `small_gain`.

    Every step minimises the quadratic approximation under the bounds: the coefficients without a bound are eliminated, the
    others are a problem of non-negative least squares (Lawson and Hanson 1974). Time O(c d^2 + d^3) for each step.
    """
    columns = np.column_stack([np.ones(len(totals)), columns])
    penalty = np.pad(penalty, ((1, 0), (1, 0)))
    # The intercept is free as well; a trace of a penalty keeps its curvature positive whatever the counts.
    penalty[0, 0] = 1e-9
    bounded = np.append(False, rising)
    coefficients = np.where(bounded, start.clip(0.0), start)

    def loss(at: Floats) -> float:
        logits = columns @ at
        return float(totals @ np.logaddexp(0.0, logits) - positives @ logits + at @ penalty @ at / 2)

    value = loss(coefficients)
    for _ in range(most_steps):
        precision = expit(columns @ coefficients)
        curvature = (columns * (totals * precision * (1 - precision) + 1e-12)[:, np.newaxis]).T @ columns + penalty
        gradient = columns.T @ (totals * precision - positives) + penalty @ coefficients
        step = _bounded_minimum(curvature, curvature @ coefficients - gradient, bounded) - coefficients
        before = value
        for _ in range(MOST_HALVINGS):
            value = loss(coefficients + step)
            if value <= before:
                break
            step = step / 2
        else:
            break
        coefficients = coefficients + step
        if before - value < small_gain:
            break
    return coefficients


def _bounded_minimum(curvature: Floats, pull: Floats, bounded: NDArray[np.bool_]) -> Floats:
    """The x that minimises x' C x / 2 - p' x with x >= 0 where bounded; C (d, d) positive definite, p (d,)."""
    free = ~bounded
    across = curvature[np.ix_(free, bounded)]
    eliminated = np.linalg.solve(curvature[np.ix_(free, free)], np.column_stack([across, pull[free]]))
    reduced = curvature[np.ix_(bounded, bounded)] - across.T @ eliminated[:, :-1]
    root = np.linalg.cholesky(reduced)
    right = np.linalg.solve(root, pull[bounded] - across.T @ eliminated[:, -1])
    result = np.empty(len(pull))
    result[bounded] = nnls(root.T, right, maxiter=1000)[0]
    result[free] = eliminated[:, -1] - eliminated[:, :-1] @ result[bounded]
    return result
