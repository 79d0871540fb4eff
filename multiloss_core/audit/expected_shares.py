"""Extrapolate the precision along a path to the strata below the floors."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, ndtri, xlogy

from multiloss_core.audit.strata import AuditStrata, checked_sizes
from multiloss_core.errors import DataError
from multiloss_core.numerics.arrays import Floats
from multiloss_core.numerics.penalised_logistic import penalised_logistic
from multiloss_core.thresholds.paths.threshold_path import ThresholdPath

# Standard deviation of the slope of the log odds before any data.
SLOPE_SD = 2.0
NODES, NODE_WEIGHTS = np.polynomial.hermite_e.hermegauss(15)


@dataclass(frozen=True, eq=False)
class ExpectedShares:
    """Shares of positives expected in strata (h,), and pessimistic ones (h,), in (0, 1)."""

    shares: Floats
    pessimistic: Floats

    def __post_init__(self) -> None:
        if self.shares.shape != self.pessimistic.shape or self.shares.ndim != 1:
            raise DataError("There must be one expected and one pessimistic share for each stratum.")
        for values in (self.shares, self.pessimistic):
            if not ((values > 0) & (values < 1)).all():
                raise DataError("Expected shares of positives must lie between 0 and 1, both ends excluded.")


def expected_shares(strata: AuditStrata, sizes: ArrayLike, path: ThresholdPath) -> ExpectedShares:
    """Extrapolate the precision along a path of all rated documents to the strata.

    `sizes` (h,) of the strata. Blocked documents, the steps of the path from its strictest thresholds on, and the
    strata below the floors follow each other by rank, the share of all documents before them. Two lines are fitted to
    the log odds of the steps by penalised logistic regression: in the logarithm of the rank (a power law) and in its
    normal quantile (a binormal model, Metz 1978), which falls faster below the floors. They never fall with the score.
    `shares` are the means of both lines over the uncertainty of the fits; `pessimistic` is the higher line plus one
    standard deviation (minus, for blocked documents the lower one). Only the allocation depends on them. Time O(m + h)
    for m vertices.

    Raises DataError: sizes that do not fit, or other scores than those of the path.
    """
    if path.names != strata.names:
        raise DataError("Expected shares need a path of the scores of the strata.")
    counts, blocked = checked_sizes(strata, sizes), strata.blocked
    rated = path.rated
    tp, fp = (
        np.append(values[::-1], max(values[0], 0.0 if rated is None else getattr(rated, name)))
        for name, values in (("tp", path.tp), ("fp", path.fp))
    )
    positives, totals = np.diff(tp, prepend=0.0), np.diff(tp + fp, prepend=0.0)
    used = totals > 0
    positives, totals = np.clip(positives[used], 0.0, totals[used]), totals[used]
    ends = np.cumsum([counts[blocked].sum(), *totals, *counts[~blocked]])
    ranks, steps = np.append(0.0, ends) / ends[-1], len(totals)
    logits, highest = [], []
    for scale in (_minus_log, _normal_quantile):
        places = scale(ranks[:-1], ranks[1:])
        # The blocked stratum is the last one.
        at = np.append(places[steps + 1 :], places[: blocked.sum()])
        middle, spread = _line_at(at, places[1 : steps + 1], positives, totals)
        logits.append(expit(middle[:, np.newaxis] + spread[:, np.newaxis] * NODES) @ NODE_WEIGHTS / NODE_WEIGHTS.sum())
        highest.append(expit(middle + np.where(blocked, -spread, spread)))
    worst = np.where(blocked, np.minimum(*highest), np.maximum(*highest))
    return ExpectedShares(_inside((logits[0] + logits[1]) / 2), _inside(worst))


def _line_at(at: Floats, places: Floats, positives: Floats, totals: Floats) -> tuple[Floats, Floats]:
    """Fit log odds to places (c,); compute them and their standard deviations at others (h,)."""
    middle = float(places @ totals / totals.sum())
    column, penalty = (places - middle)[:, np.newaxis], np.array([[1 / SLOPE_SD**2]])
    start = np.array([np.log((positives.sum() + 0.5) / ((totals - positives).sum() + 0.5)), 1.0])
    fitted = penalised_logistic(
        column, np.array([True]), positives, totals, penalty, start, max_steps=50, small_gain=1e-9
    )
    precision = expit(fitted[0] + column[:, 0] * fitted[1])
    basis = np.column_stack([np.ones(len(places)), places - middle])
    curvature = basis.T @ (basis * (totals * precision * (1 - precision))[:, np.newaxis])
    covariance = np.linalg.inv(curvature + np.diag([1e-9, 1 / SLOPE_SD**2]))
    basis = np.column_stack([np.ones(len(at)), at - middle])
    return basis @ fitted, np.sqrt(np.einsum("ij,jk,ik->i", basis, covariance, basis))


def _minus_log(low: Floats, high: Floats) -> Floats:
    """Compute means of -log between ranks (c,); at the rank of an empty interval."""
    width = high - low
    means = 1 - (xlogy(high, high) - xlogy(low, low)) / np.where(width > 0, width, 1.0)
    return np.asarray(np.where(width > 0, means, -np.log(np.maximum(high, 1e-12))))


def _normal_quantile(low: Floats, high: Floats) -> Floats:
    """Compute means of the upper normal quantile between ranks (c,), as `_minus_log`."""
    width, density = high - low, np.exp(-np.square(ndtri(np.stack([low, high]))) / 2) / np.sqrt(2 * np.pi)
    means = (density[1] - density[0]) / np.where(width > 0, width, 1.0)
    return np.asarray(np.where(width > 0, means, -ndtri(np.clip(high, 1e-12, 1 - 1e-12))))


def _inside(shares: Floats) -> Floats:
    return np.asarray(shares.clip(1e-9, 1 - 1e-9))
