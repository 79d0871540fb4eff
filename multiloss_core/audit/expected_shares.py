"""Extrapolate the precision of rated documents to the strata below the floors."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from multiloss_core.audit.strata import AuditStrata
from multiloss_core.errors import DataError
from multiloss_core.numerics.arrays import Bools, Floats, sums
from multiloss_core.numerics.penalised_logistic import penalised_logistic
from multiloss_core.tables.column_values import MAX_SCORE
from multiloss_core.thresholds.data.rated_documents import RatedDocuments

# Standard deviation of the log odds for each unit of the log rank beyond the rated documents, and of the slope before
# any data.
WIDENING, SLOPE_SD = 0.2, 2.0
# Rated documents are counted in this number of cells of equal size by rank.
CELLS = 40
NODES, NODE_WEIGHTS = np.polynomial.hermite_e.hermegauss(15)


@dataclass(frozen=True, eq=False)
class ExpectedShares:
    """Shares of positives expected in strata (h,), and pessimistic ones, one sd higher."""

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
    of documents with at least that score. The log odds of the precision are a line in the log rank, fitted by
    penalised logistic regression to the rated documents; it never rises with the rank. Beyond the rated
    documents the standard deviation of the log odds grows by 0.2 for each unit of the log rank. `shares` are means
    over this uncertainty. Time O(n k log n).

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
    ranks = _log_ranks(ordered, table[inside])
    places = sums(numbers[inside], ranks, strata.count) / np.bincount(numbers[inside], minlength=strata.count)
    line = _fitted_line(_log_ranks(ordered, documents.scores), documents.labels, documents.weights)
    logits, spread = line.at(places)
    values = expit(logits[:, np.newaxis] + spread[:, np.newaxis] * NODES) @ (NODE_WEIGHTS / NODE_WEIGHTS.sum())
    pessimistic = expit(logits + np.where(strata.blocked, -spread, spread))
    return ExpectedShares(_inside(values), _inside(pessimistic))


@dataclass(frozen=True, eq=False)
class _Line:
    """Log odds = a + b (x - middle), with the covariance (2, 2) of a and b and fitted ends."""

    coefficients: Floats
    covariance: Floats
    middle: float
    low: float
    high: float

    def at(self, x: Floats) -> tuple[Floats, Floats]:
        """Compute the log odds at x (h,) and their standard deviations."""
        basis = np.column_stack([np.ones(len(x)), x - self.middle])
        fitted = np.einsum("ij,jk,ik->i", basis, self.covariance, basis)
        beyond = np.maximum(x - self.high, 0.0) + np.maximum(self.low - x, 0.0)
        return basis @ self.coefficients, np.sqrt(fitted + np.square(WIDENING * beyond))


def _fitted_line(ranks: Floats, labels: Bools, weights: Floats) -> _Line:
    order = np.argsort(ranks, kind="stable")
    x, caught, weight = ranks[order], labels[order], weights[order]
    cell = (np.arange(len(order)) * CELLS // len(order)).astype(np.intp)
    totals = sums(cell, weight, CELLS)
    used = totals > 0
    places = sums(cell, weight * x, CELLS)[used] / totals[used]
    totals, positives = totals[used], sums(cell, weight * caught, CELLS)[used]
    middle = float(places @ totals / totals.sum())
    column, penalty = (middle - places)[:, np.newaxis], np.array([[1 / SLOPE_SD**2]])
    start = np.array([np.log((positives.sum() + 0.5) / ((totals - positives).sum() + 0.5)), 1.0])
    fitted = penalised_logistic(
        column, np.array([True]), positives, totals, penalty, start, max_steps=50, small_gain=1e-9
    )
    precision = expit(fitted[0] + column[:, 0] * fitted[1])
    basis = np.column_stack([np.ones(len(places)), places - middle])
    curvature = basis.T @ (basis * (totals * precision * (1 - precision))[:, np.newaxis])
    curvature += np.diag([1e-9, 1 / SLOPE_SD**2])
    covariance = np.linalg.inv(curvature)
    return _Line(np.array([fitted[0], -fitted[1]]), covariance, middle, float(x.min()), float(x.max()))


def _log_ranks(ordered: Floats, scores: Floats) -> Floats:
    """Compute log ranks (m,) of scores (m, k) among sorted ones (n, k)."""
    count = len(ordered)
    above = [
        count - np.searchsorted(column, values, side="left") for column, values in zip(ordered.T, scores.T, strict=True)
    ]
    return np.log(np.maximum(np.minimum.reduce(above), 0.5) / count)


def _inside(shares: Floats) -> Floats:
    return np.asarray(shares.clip(1e-9, 1 - 1e-9))
