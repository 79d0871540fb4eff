"""ThresholdPath: a way through threshold space and the partial ROC curve it traces."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy.optimize import isotonic_regression

from multiloss_core.errors import DataError
from multiloss_core.numerics.arrays import Floats, Indices, rounding_tolerance
from multiloss_core.thresholds.data.flagging import Rule, flagged
from multiloss_core.thresholds.data.rated_documents import RatedDocuments


@dataclass(frozen=True, eq=False)
class ConcaveMajorant:
    """The corners of a path's upper concave hull in the TP-FP plane, from the strictest to the loosest.

    `vertices` (b + 1,) are positions in the path; `marginal_precisions` (b,) falls: entry i is the share of positives
    among the documents that the step from corner i to corner i + 1 adds.
    """

    vertices: Indices
    marginal_precisions: Floats


@dataclass(frozen=True, eq=False)
class ThresholdPath:
    """Threshold vectors from the loosest (the floors) to the strictest, with exact counts; validated when made.

    `thresholds` (m, k) never fall from one vertex to the next (only the benchmark's may, see `monotone`), so `tp` and
    `fp` (m,) never rise. `method` names how the path was found and `parameters` what was fitted. A threshold of infinity
    stands for never. `smooth_tp` and `smooth_fp` (m,), where there are any, are the counts that a fit expects; tangent
    points are then taken on them.

    Raises
    ------
    DataError : fewer than two vertices, shapes that do not fit, thresholds that fall or counts that rise.
    """

    thresholds: Floats
    tp: Floats
    fp: Floats
    method: str
    rule: Rule
    names: tuple[str, ...]
    monotone: bool = True
    parameters: Mapping[str, float] = field(default_factory=dict)
    smooth_tp: Floats | None = None
    smooth_fp: Floats | None = None

    def __post_init__(self) -> None:
        count = len(self.thresholds)
        if count < 2 or self.thresholds.shape != (count, len(self.names)):
            raise DataError(f"A path needs two vertices of {len(self.names)} thresholds, not {self.thresholds.shape}.")
        if self.tp.shape != (count,) or self.fp.shape != (count,):
            raise DataError(
                f"A path of {count} vertices needs as many counts, not {self.tp.shape} and {self.fp.shape}."
            )
        # Compared, not subtracted: the difference of two infinities is not a number.
        if self.monotone and (self.thresholds[1:] < self.thresholds[:-1]).any():
            raise DataError("Thresholds may not fall along a path.")
        for counts in (self.tp, self.fp, *self._smooth_counts):
            if (np.diff(counts) > rounding_tolerance(counts)).any():
                raise DataError("Counts may not rise along a path.")

    @property
    def _smooth_counts(self) -> tuple[Floats, ...]:
        return () if self.smooth_tp is None or self.smooth_fp is None else (self.smooth_tp, self.smooth_fp)

    @property
    def area(self) -> float:
        """The area under the path's partial ROC curve, the integral of TP dFP, in documents squared."""
        return float(np.sum(-np.diff(self.fp) * (self.tp[1:] + self.tp[:-1]) / 2))

    @property
    def normalised_area(self) -> float:
        """The area as a share of TP x FP at the floors, in [0, 1]; not a number where that is nothing."""
        whole = self.tp[0] * self.fp[0]
        return self.area / whole if whole > 0 else float("nan")

    @cached_property
    def majorant(self) -> ConcaveMajorant:
        """The concave majorant: adjacent increments pooled until the marginal precision falls along the path.

        Pool-adjacent-violators on the share of positives among added documents, weighted by their number; the
        tangent points of Robles et al. 2020 are its corners. Computed once; O(m).
        """
        # Of vertices with equal counts the strictest comes first and stands for all.
        tp, fp = self._smooth_counts or (self.tp, self.fp)
        alerts = (tp + fp)[::-1]
        distinct = np.flatnonzero(np.diff(alerts, prepend=-1.0) > rounding_tolerance(alerts))
        tp, alerts = tp[::-1][distinct], alerts[distinct]
        last = len(self.tp) - 1
        if len(distinct) == 1:
            return ConcaveMajorant(np.array([last - distinct[0]]), np.empty(0))
        added = np.diff(alerts)
        blocks = isotonic_regression(np.diff(tp) / added, weights=added, increasing=False).blocks
        corners = np.asarray(blocks, dtype=np.intp)
        precisions = np.diff(tp[corners]) / np.diff(alerts[corners])
        return ConcaveMajorant(last - distinct[corners], precisions.clip(0.0, 1.0))


def counts_along(documents: RatedDocuments, thresholds: Floats, rule: Rule) -> tuple[Floats, Floats]:
    """Exact TP and FP (m,) at thresholds (m, k) that never fall, for any k without a grid. Time O(n k log m).

    Along such a path every document has one turning point: the first vertex that no longer flags it.
    """
    turning = turning_points(documents.scores, thresholds, rule)
    vertices = len(thresholds)
    tp, fp = (
        np.minimum.accumulate(still_flagged(turning[mask], documents.weights[mask], vertices))
        for mask in (documents.labels, ~documents.labels)
    )
    return tp, fp


def flagged_weights(scores: Floats, weights: Floats, thresholds: Floats, rule: Rule) -> Floats:
    """The weight (m,) of documents with scores (n, k) and weights (n,) flagged at thresholds (m, k) in any order.

    Time O(n k log m) where thresholds never fall from one row to the next, as along a path; elsewhere O(n k m).
    """
    if (thresholds[1:] >= thresholds[:-1]).all():
        return still_flagged(turning_points(scores, thresholds, rule), weights, len(thresholds))
    return np.array([weights[flagged(scores, row, rule)].sum() for row in thresholds])


def turning_points(scores: Floats | Indices, thresholds: Floats | Indices, rule: Rule) -> Indices:
    """For each row of scores (n, k), the first vertex of thresholds (m, k) that no longer flags it, 0..m."""
    passed = [np.searchsorted(thresholds[:, j], scores[:, j], side="right") for j in range(thresholds.shape[1])]
    turning: Indices = np.maximum.reduce(passed) if rule == "any" else np.minimum.reduce(passed)
    return turning


def still_flagged(turning: Indices, weights: Floats, vertices: int) -> Floats:
    """The weight (m,) flagged at each of m vertices, of documents with `turning` points (n,) and `weights` (n,). O(n + m)."""
    # Of no document at all, NumPy counts integers.
    at_turning = np.bincount(turning, weights, vertices + 1).astype(np.float64)
    return np.cumsum(at_turning[::-1])[::-1][1:]
