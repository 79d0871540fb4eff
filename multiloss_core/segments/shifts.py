"""Estimate how the precision in each segment differs from the common one, in log odds."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from multiloss_core.numerics.arrays import Floats, Indices

# Precisions of penalties: infinity is no difference from the common fit at all.
INTERCEPT_PENALTIES, SLOPE_PENALTIES = (8.0, 2.0, 0.5, 0.125), (np.inf, 8.0, 1.0)
PENALTIES = np.array([(np.inf, np.inf), *((a, b) for a in INTERCEPT_PENALTIES for b in SLOPE_PENALTIES)])
BIN_WIDTH = 0.15
MAX_STEPS, MAX_STEP, SMALL_STEP = 20, 1.5, 1e-4
MAX_LOG_ODDS = 25.0


@dataclass(frozen=True, eq=False, kw_only=True)
class LogitBins:
    """Cells in bins of their common log odds: the bin of each (c,), the log odds (b,) of bins."""

    bin: Indices
    logits: Floats


@dataclass(frozen=True, eq=False, kw_only=True)
class ShiftChoice:
    """Weights (q,) of the penalties tried, by their likelihood on held-out data.

    `centre` and `scale`: the common log odds at which a slope turns, and those of one unit of it.
    """

    weights: Floats
    centre: float
    scale: float


def log_odds(precision: Floats) -> Floats:
    """Convert precisions to log odds within finite bounds."""
    # Means of precisions may exceed 1 by rounding.
    return np.asarray(logit(precision.clip(0.0, 1.0)).clip(-MAX_LOG_ODDS, MAX_LOG_ODDS))


def logit_bins(logits: Floats) -> LogitBins:
    """Group cells (c,) into bins of equal width of their common log odds."""
    low = float(logits.min())
    place = np.floor((logits - low) / BIN_WIDTH).astype(np.intp)
    centres = low + BIN_WIDTH * (np.arange(int(place.max()) + 1) + 0.5)
    return LogitBins(bin=place, logits=np.asarray(centres, dtype=np.float64))


def chosen_shifts(bins: LogitBins, positives: Floats, totals: Floats) -> ShiftChoice:
    """Weigh penalties by the deviance of segments (s) on each held-out fold.

    `positives` and `totals` (f, s, b) are effective counts by fold, segment and bin. O(q f s b) for each Newton step.
    """
    caught, all_there = positives.sum(axis=(0, 1)), totals.sum(axis=(0, 1))
    centre = float(caught @ bins.logits / caught.sum())
    spread = float(all_there @ np.square(bins.logits - centre) / all_there.sum())
    choice = ShiftChoice(weights=np.eye(len(PENALTIES))[0], centre=centre, scale=max(np.sqrt(spread), BIN_WIDTH))
    if len(positives) < 2:
        return choice
    others = positives.sum(axis=0) - positives, totals.sum(axis=0) - totals
    fitted = fit_shifts(bins.logits, choice, others[0], others[1])
    at = shifted(bins.logits, choice, fitted)
    deviances = (totals * np.logaddexp(0.0, at) - positives * at).sum(axis=(1, 2, 3))
    weights = np.exp(deviances.min() - deviances)
    return ShiftChoice(weights=weights / weights.sum(), centre=centre, scale=choice.scale)


def fit_shifts(logits: Floats, choice: ShiftChoice, positives: Floats, totals: Floats) -> Floats:
    """Fit intercept and slope (q, ..., 2) of segments at each penalty, to counts (..., b).

    Penalised logistic regression with the common log odds (b,) as offset, by Newton steps of bounded size.
    """
    column = (logits - choice.centre) / choice.scale
    shape = (len(PENALTIES), *(1,) * (positives.ndim - 1))
    first, second = (np.where(np.isinf(one), 0.0, one).reshape(shape) for one in PENALTIES.T)
    is_free = [np.isfinite(one).reshape(shape) for one in PENALTIES.T]
    fitted = np.zeros((len(PENALTIES), *positives.shape[:-1], 2))
    for _ in range(MAX_STEPS):
        precision = expit(logits + fitted[..., :1] + fitted[..., 1:] * column)
        excess = totals * precision - positives
        curvature = totals * precision * (1 - precision)
        slopes = excess.sum(axis=-1) + first * fitted[..., 0], excess @ column + second * fitted[..., 1]
        a, b, c = curvature.sum(axis=-1) + first, curvature @ column, curvature @ np.square(column) + second
        b = np.where(is_free[1], b, 0.0)
        c = np.where(is_free[1], c, 1.0)
        determinant = (a * c - b * b).clip(1e-12)
        steps = (c * slopes[0] - b * slopes[1]) / determinant, (a * slopes[1] - b * slopes[0]) / determinant
        move = np.stack([np.where(free, step, 0.0) for free, step in zip(is_free, steps, strict=True)], axis=-1)
        move = move.clip(-MAX_STEP, MAX_STEP)
        fitted = fitted - move
        if np.abs(move).max(initial=0.0) < SMALL_STEP:
            break
    return fitted


def shifted(logits: Floats, choice: ShiftChoice, fitted: Floats) -> Floats:
    """Add shifts (..., 2) to common log odds (b,), giving (..., b)."""
    return np.asarray(logits + fitted[..., :1] + fitted[..., 1:] * (logits - choice.centre) / choice.scale)


def mean_shifts(choice: ShiftChoice, fitted: Floats) -> Floats:
    """Average shifts (q, ..., 2) over the penalties tried, giving (..., 2)."""
    return np.asarray(np.tensordot(choice.weights, fitted, axes=1))
