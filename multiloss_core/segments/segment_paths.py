"""Find thresholds for each segment, all under one marginal precision, and count them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from multiloss_core.errors import DataError
from multiloss_core.generalisation.marginal_interval import Interval
from multiloss_core.numerics.arrays import UNDEFINED, Floats, Indices, ratio
from multiloss_core.numerics.proportions import precision_interval
from multiloss_core.segments.held_out_gain import Gate, closed_gate, held_out_gate
from multiloss_core.segments.rated_segments import RatedSegments, segments_of_counts, segments_of_documents
from multiloss_core.segments.segment_fits import fit_segments, nodes_of_segments
from multiloss_core.thresholds.data.counts import Counts, Rule, require_rule, still_flagged, turning_points
from multiloss_core.thresholds.data.rated_counts import RatedCounts
from multiloss_core.thresholds.data.rated_documents import RatedDocuments
from multiloss_core.thresholds.data.undecided_documents import UndecidedDocuments, no_documents
from multiloss_core.thresholds.paths.smooth.cells import nodes_at, thresholds_at
from multiloss_core.thresholds.paths.smooth.path import TARGETS, expected_along, path_of_fit
from multiloss_core.thresholds.paths.smooth.smooth_fit import SmoothFit, smooth_fit
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


def count_along(
    fit: SmoothFit, squares: Floats, undecided: UndecidedDocuments, rule: Rule, thresholds: Floats
) -> CountsAlong:
    """Count a segment at rising thresholds (m, k) that are nodes of its fit. O(c log m).

    `squares` (c,): sums of the squared weights of its documents. `undecided`: its undecided alerts.
    """
    nodes = nodes_at(fit.cells, thresholds)
    # Cell index i lies at or above node i - 1.
    turning = turning_points(fit.cells.cells, nodes + 1, rule)
    tp, alerts, spread = (still_flagged(turning, part, len(nodes)) for part in (fit.positives, fit.totals, squares))
    expected_tp, expected_alerts = fit.expected_cells.counts_along(nodes, rule)
    return CountsAlong(
        tp,
        (alerts - tp).clip(0.0),
        squares=spread,
        undecided=undecided.count_along(thresholds, rule),
        expected_tp=expected_tp,
        expected_alerts=expected_alerts,
    )


def own_path(
    fit: SmoothFit, nodes: Indices | None, common: ThresholdPath, count: Callable[[Floats], CountsAlong]
) -> tuple[ThresholdPath, CountsAlong]:
    """Make and count the path of a segment from its nodes (t, k) at `TARGETS`.

    As `path_of_fit` does; without nodes, as for a segment without rated documents, the path is the common one. `count`
    counts the segment at thresholds (m, k).
    """
    rated = Counts(float(fit.positives.sum()), float((fit.totals - fit.positives).sum()))
    if nodes is None:
        counts = count(common.thresholds)
        return replace(common, tp=counts.tp, fp=counts.fp, rated=rated), counts
    nodes, tp, alerts = expected_along(fit, nodes, common.rule)
    thresholds = thresholds_at(fit.cells, nodes)
    counts = replace(count(thresholds), expected_tp=tp, expected_alerts=alerts)
    path = replace(
        common, thresholds=thresholds, tp=counts.tp, fp=counts.fp, smooth_tp=tp, smooth_fp=alerts - tp, rated=rated
    )
    return path, counts


@dataclass(frozen=True, eq=False, kw_only=True)
class SegmentPaths:
    """Paths of thresholds for s segments of rated documents, and the common path.

    `members`: the names in each segment, several for the pool of small ones. `common`: the path of `smooth_path` on all
    documents. `own`: one path for each segment, with exact counts of its documents. `common_in_segments` and
    `own_in_segments` are counts of each segment along both. `shifts` (s, 2): intercept and slope that each segment adds
    to the common log odds of the precision. `gate`: whether own thresholds are proposed.
    """

    names: tuple[str, ...]
    members: tuple[tuple[str, ...], ...]
    common: ThresholdPath
    own: tuple[ThresholdPath, ...]
    common_in_segments: tuple[CountsAlong, ...]
    own_in_segments: tuple[CountsAlong, ...]
    shifts: Floats
    rated: RatedSegments
    common_fit: SmoothFit
    gate: Gate

    def __repr__(self) -> str:
        return f"SegmentPaths({', '.join(self.names)}; rule {self.common.rule})"

    def held_out(self) -> Self:
        """Decide on held-out documents whether own thresholds pay; see `held_out_gate`."""
        return replace(self, gate=held_out_gate(self.rated, self.common_fit, self.common.rule))

    def points_at(self, target: float) -> SegmentPoints:
        """Look up own and common thresholds of every segment at one marginal precision in (0, 1).

        Maximising total TP under a common budget needs the same marginal precision in every segment. O(s log m).

        Raises DataError: a target outside (0, 1).
        """
        targets = np.array([target], dtype=np.float64)
        shared = int(corners_at(self.common, targets)[0])
        corners = [int(corners_at(path, targets)[0]) for path in self.own]
        return SegmentPoints(
            target=float(target),
            own=tuple(map(point_of, self.names, self.own, self.own_in_segments, corners)),
            common=tuple(
                point_of(name, self.common, counts, shared)
                for name, counts in zip(self.names, self.common_in_segments, strict=True)
            ),
            proposed="own" if self.gate.is_open else "common",
            held_out_gain=self.gate.gain(target),
            held_out_gains=self.gate.gains_by_segment(target),
        )

    def point_under(self, cap: float) -> SegmentPoints:
        """Find the lowest target at which the proposal of all segments together meets a cap.

        `cap`: most alerts, rated and undecided. No other choice of points of these paths with as few expected alerts
        has more expected TP. O(s t log m) for t steps of all paths.

        Raises DataError: a negative cap.
        """
        if not cap >= 0:
            raise DataError(f"A cap must be at least 0, not {cap}.")
        is_own = self.gate.is_open
        parts = [
            (self.own[s] if is_own else self.common, (self.own_in_segments if is_own else self.common_in_segments)[s])
            for s in range(len(self.names))
        ]
        steps = [path.majorant.marginal_precisions for path, _ in parts]
        # Beyond the last step nothing is flagged.
        targets = np.unique(np.concatenate([*steps, [1 - 1e-9]]).clip(1e-9, 1 - 1e-9))
        summed = np.zeros(len(targets))
        for path, counts in parts:
            at = vertices_of(path, corners_at(path, targets))
            summed += (counts.alerts + counts.undecided)[at]
        meets = np.flatnonzero(summed <= cap * (1 + 1e-9))
        return self.points_at(float(targets[meets[0] if meets.size else -1]))


def segment_paths(
    source: RatedDocuments | RatedCounts,
    segments: ArrayLike | Mapping[str, RatedCounts],
    *,
    rule: Rule = "any",
    undecided: ArrayLike | None = None,
    resolution: int | None = None,
    hold_out: bool = True,
) -> SegmentPaths:
    """Find the common path and one path for each segment, such as a channel or a country.

    `segments`: a name for each document (n,), or for counted data the counts of each segment on the grid of all.
    `undecided`: a name for each undecided alert (u,). Segments with fewer than `MIN_OF_EACH_CLASS` rated positives or
    negatives, and the smallest beyond `MAX_SEGMENTS`, are pooled into one. Without `hold_out` the gate stays shut until
    `SegmentPaths.held_out`, which takes longer than the paths.

    The precision in a segment is the common one (`smooth_fit`), shifted in log odds by an intercept and a slope on
    the common log odds. Both are shrunk towards no difference by penalties chosen on held-out folds; no difference is
    one of the choices. The result is blended with the counts of the segment, and the best nodes for every target are
    averaged over resamples as those of `smooth_path`. Deterministic. After the cell counts, the cost depends on the
    number of segments and of cells they occupy.

    Raises DataError: an unknown rule, names that do not fit the documents, or fewer than two segments after pooling.

    Examples
    --------
    >>> import numpy as np
    >>> from multiloss_core import simulate_population
    >>> from multiloss_core.segments import segment_paths
    >>> documents = simulate_population(np.random.default_rng(0), documents=20_000, prevalence=0.01).rated()
    >>> channels = np.where(np.arange(len(documents.labels)) % 3 == 0, "phone", "online")
    >>> points = segment_paths(documents, channels).points_at(0.2)
    >>> [(point.name, point.tp, point.fp) for point in points.common], points.proposed
    ([('online', 57.0, 47.0), ('phone', 35.0, 16.0)], 'common')
    """
    require_rule(rule)
    # Earlier files have no segments.
    source = source.with_earlier(()) if isinstance(source, RatedDocuments) else source
    fit = smooth_fit(source, resolution=resolution)
    if isinstance(source, RatedDocuments):
        if isinstance(segments, Mapping):
            raise DataError("Documents need one segment name each, not counts by segment.")
        alerts = source.undecided
        rated, of_segment = segments_of_documents(source, fit, segments, undecided)
    else:
        if not isinstance(segments, Mapping):
            raise DataError("Counted data need the counts of each segment, not names of documents.")
        if undecided is not None and np.size(undecided):
            raise DataError("Counted data have no undecided alerts; leave their segments out.")
        rated, alerts = segments_of_counts(source, fit, segments), no_documents(len(source.names))
        of_segment = np.empty(0, dtype=np.intp)

    common = path_of_fit(source, fit, rule)
    counts, squares = rated.table(rated.row_weight), rated.table(rated.row_square).sum(axis=0)
    fits = fit_segments(rated, fit, counts)
    nodes = nodes_of_segments(rated, fits, counts.sum(axis=0), squares, TARGETS, rule)
    own, common_in_segments = [], []
    for s, (part, best) in enumerate(zip(fits.own, nodes, strict=True)):
        waiting = alerts.part(np.flatnonzero(of_segment == s))
        count = partial(count_along, part, squares.sum(axis=0)[rated.pair_segment == s], waiting, rule)
        own.append(own_path(part, best, common, count))
        common_in_segments.append(count(common.thresholds))
    paths = SegmentPaths(
        names=rated.names,
        members=rated.members,
        common=common,
        own=tuple(path for path, _ in own),
        common_in_segments=tuple(common_in_segments),
        own_in_segments=tuple(counted for _, counted in own),
        shifts=fits.shifts,
        rated=rated,
        common_fit=fit,
        gate=closed_gate(len(rated.names), "not held out yet"),
    )
    return paths.held_out() if hold_out else paths
