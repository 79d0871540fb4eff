"""Extrapolate the precision of rated documents to the strata below the floors."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, ndtri

from multiloss_core.audit.strata import AuditStrata
from multiloss_core.errors import DataError
from multiloss_core.numerics.arrays import Bools, Floats, sums
from multiloss_core.numerics.penalised_logistic import penalised_logistic
from multiloss_core.tables.column_values import MAX_SCORE
from multiloss_core.thresholds.data.rated_documents import RatedDocuments

# Standard deviation of the slope of the log odds before any data.
SLOPE_SD = 2.0
# Rated documents are counted in this number of cells of equal size by rank.
CELLS = 40
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


def expected_shares(strata: AuditStrata, documents: RatedDocuments, scores: ArrayLike) -> ExpectedShares:
    """Extrapolate the precision near the floors to strata by the rank of the scores.

    `scores` (n, k) of all documents, unrated ones included. The rank of a document is the least share, over its scores,
    of documents with at least that score. Two lines are fitted to the log odds of the rated documents, by penalised
    logistic regression: in the logarithm of the rank (a power law) and in its normal quantile (a binormal model, Metz
    1978), which falls faster below the floors. They never fall with the score. `shares` are the means of both lines
    over the uncertainty of the fits; `pessimistic` is the higher line plus one standard deviation (minus, for blocked
    documents the lower one). Only the allocation depends on them. Time O(n k log n).

    Raises
    ------
    DataError : alert rules among the scores, other names, or a stratum without a document in `scores`.
    """
    if documents.alert_rules or documents.names != strata.names:
        raise DataError("Expected shares need rated documents with the scores of the strata, without alert rules.")
    table = np.asarray(scores, dtype=np.float64)
    table = table[:, np.newaxis] if table.ndim == 1 else table
    table = table[(np.abs(table) < MAX_SCORE).all(axis=1)]
    numbers = strata.assign(table)
    if (np.bincount(numbers[numbers >= 0], minlength=strata.count) == 0).any():
        raise DataError("A stratum has no document among the scores; give the scores of all documents.")
    ordered = np.sort(table, axis=0)
    inside = numbers >= 0
    counts = np.bincount(numbers[inside], minlength=strata.count)
    below, rated = _ranks(ordered, table[inside]), _ranks(ordered, documents.scores)
    means, highest = [], []
    for scale in (_minus_log, _normal_quantile):
        places = sums(numbers[inside], scale(below), strata.count) / counts
        logits, spread = _line_at(places, scale(rated), documents.labels, documents.weights)
        means.append(expit(logits[:, np.newaxis] + spread[:, np.newaxis] * NODES) @ (NODE_WEIGHTS / NODE_WEIGHTS.sum()))
        highest.append(expit(logits + np.where(strata.blocked, -spread, spread)))
    worst = np.where(strata.blocked, np.minimum(*highest), np.maximum(*highest))
    return ExpectedShares(_inside((means[0] + means[1]) / 2), _inside(worst))


def _line_at(at: Floats, x: Floats, labels: Bools, weights: Floats) -> tuple[Floats, Floats]:
    """Fit log odds to x (n,); compute them and their standard deviations at places (h,)."""
    order = np.argsort(x, kind="stable")
    cell = (np.arange(len(order)) * CELLS // len(order)).astype(np.intp)
    totals = sums(cell, weights[order], CELLS)
    used = totals > 0
    places = sums(cell, (weights * x)[order], CELLS)[used] / totals[used]
    totals, positives = totals[used], sums(cell, (weights * labels)[order], CELLS)[used]
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


def _ranks(ordered: Floats, scores: Floats) -> Floats:
    """Compute ranks (m,) in (0, 1) of scores (m, k) among sorted ones (n, k); 0 is the top."""
    count = len(ordered)
    above = [
        count - np.searchsorted(column, values, side="left") for column, values in zip(ordered.T, scores.T, strict=True)
    ]
    return np.asarray((np.minimum.reduce(above) + 0.5) / (count + 1))


def _minus_log(ranks: Floats) -> Floats:
    return np.asarray(-np.log(ranks))


def _normal_quantile(ranks: Floats) -> Floats:
    return np.asarray(-ndtri(ranks))


def _inside(shares: Floats) -> Floats:
    return np.asarray(shares.clip(1e-9, 1 - 1e-9))
