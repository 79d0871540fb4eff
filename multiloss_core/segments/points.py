"""Describe thresholds of all segments at one target, with their counts and totals."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from multiloss_core.errors import DataError
from multiloss_core.generalisation.marginal_interval import Interval
from multiloss_core.numerics.arrays import UNDEFINED, Floats, Indices, ratio
from multiloss_core.numerics.proportions import precision_interval
from multiloss_core.thresholds.data.counts import Counts
from multiloss_core.thresholds.paths.threshold_path import ThresholdPath

Which = Literal["own", "common"]


@dataclass(frozen=True, eq=False, kw_only=True)
class CountsAlong(Counts[Floats]):
    """TP and FP (m,) of one segment at the vertices of a path.

    `squares` (m,): sums of the squared weights of flagged documents. `undecided` (m,): weight of undecided alerts.
    `expected_tp` and `expected_alerts` (m,) are those of the fit of the segment.
    """

    squares: Floats
    undecided: Floats
    expected_tp: Floats
    expected_alerts: Floats


@dataclass(frozen=True, eq=False, kw_only=True)
class SegmentPoint(Counts[float]):
    """Thresholds (k,) of one segment, infinity for never, with TP and FP (weights).

    `undecided`: weight of its undecided alerts, which `alerts` and `precision` leave out. `marginal_precision`: the
    share of positives expected in the last step of the path up to here; NaN if that step adds no document of the
    segment. `interval`: the 95 % Wilson interval of the precision, NaN without alerts.
    """

    name: str
    thresholds: Floats
    undecided: float
    marginal_precision: float
    interval: tuple[float, float]


@dataclass(frozen=True, eq=False, kw_only=True)
class SegmentPoints:
    """Own and common thresholds of all segments at one marginal precision in (0, 1).

    `proposed`: which of both the gate proposes. `held_out_gain`: gain of own over common thresholds in
    TP - m / (1 - m) FP on documents left out: the cost of one set of thresholds for all segments. `held_out_gains`: the
    same for each segment.
    """

    target: float
    own: tuple[SegmentPoint, ...]
    common: tuple[SegmentPoint, ...]
    proposed: Which
    held_out_gain: Interval
    held_out_gains: tuple[Interval, ...]

    @property
    def own_total(self) -> Counts[float]:
        """Sum own thresholds over segments."""
        return total(self.own)

    @property
    def common_total(self) -> Counts[float]:
        """Sum common thresholds over segments."""
        return total(self.common)


def total(points: Sequence[SegmentPoint]) -> Counts[float]:
    """Sum points over segments."""
    return Counts(float(sum(point.tp for point in points)), float(sum(point.fp for point in points)))


def corners_at(path: ThresholdPath, targets: Floats) -> Indices:
    """Find the majorant corners (t,) of the operating points at targets (t,).

    Raises DataError: a target outside (0, 1).
    """
    outside = ~((targets > 0) & (targets < 1))
    if outside.any():
        raise DataError(f"The marginal precision must lie between 0 and 1, not at {targets[outside][0]}.")
    return np.asarray(np.searchsorted(-path.majorant.marginal_precisions, -targets, side="right"))


def vertices_of(path: ThresholdPath, corners: Indices) -> Indices:
    """Find the vertices (t,) of majorant corners (t,); after the last step, the floors."""
    vertices = path.majorant.vertices
    at_floor = (corners == len(vertices) - 1) & (corners > 0)
    return np.asarray(np.where(at_floor, 0, vertices[corners]))


def point_of(name: str, path: ThresholdPath, counts: CountsAlong, corner: int) -> SegmentPoint:
    """Look up the point of a segment at a corner of the majorant of a path."""
    at, before = vertices_of(path, np.array([corner, max(corner - 1, 0)])).tolist()
    tp, fp, squares = float(counts.tp[at]), float(counts.fp[at]), float(counts.squares[at])
    size = (tp + fp) ** 2 / squares if squares > 0 else 0.0
    added_tp, added = (float(along[at] - along[before]) for along in (counts.expected_tp, counts.expected_alerts))
    # Sums of weights differ by rounding where nothing was added.
    nothing = added <= 1e-9 * float(counts.expected_alerts[0])
    return SegmentPoint(
        tp,
        fp,
        name=name,
        thresholds=path.thresholds[at],
        undecided=float(counts.undecided[at]),
        marginal_precision=UNDEFINED if nothing else min(ratio(added_tp, added), 1.0),
        interval=precision_interval(ratio(tp, tp + fp), size),
    )
