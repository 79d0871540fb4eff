"""Fitting the precision again to a resample: a few Newton steps from the fit to the original counts."""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls
from scipy.special import expit

from multiloss_core.thresholds.precision_model import PrecisionDesign, PrecisionModel

Floats = NDArray[np.float64]

MOST_STEPS = 6
MOST_HALVINGS = 4
# A step that lowers the deviance by less than this moves no threshold that matters.
SMALL_GAIN = 1e-3


def newton_refit(design: PrecisionDesign, model: PrecisionModel, positives: Floats, totals: Floats) -> PrecisionModel:
    """`refit_precision` for counts near those of `model`: `positives` and `totals` (c,) in the same cells.

    Every step minimises the quadratic approximation of the penalised deviance under the bounds: the coefficients
    without a bound are eliminated, the others are a problem of non-negative least squares (Lawson and Hanson 1974). Time
    O(c d^2 + d^3) for each of the few steps.
    """
    columns = np.column_stack([np.ones(len(totals)), design.columns])
    penalty = np.pad(model.penalty, ((1, 0), (1, 0)))
    # The intercept is free as well; a trace of a penalty keeps its curvature positive in any resample.
    penalty[0, 0] = 1e-9
    bounded = np.zeros(columns.shape[1], dtype=bool)
    bounded[1 : 1 + design.rising] = True
    coefficients = np.where(bounded, model.coefficients.clip(0.0), model.coefficients)

    def loss(at: Floats) -> float:
        logits = columns @ at
        return float(totals @ np.logaddexp(0.0, logits) - positives @ logits + at @ penalty @ at / 2)

    value = loss(coefficients)
    for _ in range(MOST_STEPS):
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
        if before - value < SMALL_GAIN:
            break
    return PrecisionModel(
        expit(columns @ coefficients),
        expit(design.beyond @ coefficients[1:] + coefficients[0]),
        model.penalty,
        coefficients,
    )


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
