"""Fitting the precision again to a resample: a few Newton steps from the fit to the original counts."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from multiloss_core.thresholds.newton import penalised_logistic
from multiloss_core.thresholds.precision_model import PrecisionDesign, PrecisionModel

Floats = NDArray[np.float64]

MOST_STEPS = 6
# A step that lowers the deviance by less than this moves no threshold that matters.
SMALL_GAIN = 1e-3


def newton_refit(design: PrecisionDesign, model: PrecisionModel, positives: Floats, totals: Floats) -> PrecisionModel:
    """The model for counts near those of `model`, with the penalty and the shape found before.

    `positives` and `totals` (c,) are counts in the same cells.
    """
    fitted = penalised_logistic(
        design.columns,
        model.shape,
        positives,
        totals,
        model.penalty,
        model.coefficients,
        most_steps=MOST_STEPS,
        small_gain=SMALL_GAIN,
    )
    return PrecisionModel(
        expit(design.columns @ fitted[1:] + fitted[0]),
        expit(design.beyond @ fitted[1:] + fitted[0]),
        model.penalty,
        model.shape,
        fitted,
    )
