"""ThresholdPath: a way through threshold space, the partial ROC curve it traces, and its operating points."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy.optimize import isotonic_regression

from multiloss_core.errors import DataError
from multiloss_core.numerics.arrays import UNDEFINED, Floats, Indices, rounding_tolerance
from multiloss_core.thresholds.data.counts import Counts, Rule
from multiloss_core.thresholds.paths.operating_point import OperatingPoint


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
    `fp` (m,) never rise. `method` names how the path was found and `parameters` what was fitted. An infinite threshold
    stands for never. `smooth_tp` and `smooth_fp` (m,), where there are any, are the counts that a fit expects; tangent
    points are then taken on them. `rated` counts all that was rated, whatever the rule; where it is left out, that is
    what the first vertex flags.

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
    rated: Counts[float] | None = None

    def __post_init__(self) -> None:
        count = len(self.thresholds)
        if count < 2 or self.thresholds.shape != (count, len(self.names)):
            raise DataError(f"A path needs two vertices of {len(self.names)} thresholds, not {self.thresholds.shape}.")
        if self.tp.shape != (count,) or self.fp.shape != (count,):
            raise DataError(
                f"A path of {count} vertices needs as many counts, not {self.tp.shape} and {self.fp.shape}."
            )
        # Compared, not subtracted: the difference of two infinities is NaN.
        if self.monotone and (self.thresholds[1:] < self.thresholds[:-1]).any():
            raise DataError("Thresholds may not fall along a path.")
        for counts in (self.tp, self.fp, *self._smooth_counts):
            if (np.diff(counts) > rounding_tolerance(counts)).any():
                raise DataError("Counts may not rise along a path.")

    def __repr__(self) -> str:
        return (
            f"ThresholdPath({self.method}: {len(self.tp)} vertices of {', '.join(self.names)}; rule {self.rule}; "
            f"normalised area {self.normalised_area:.4f})"
        )

    @property
    def reachable(self) -> Counts[float]:
        """TP and FP at the first vertex: no thresholds of this rule flag more."""
        return Counts(float(self.tp[0]), float(self.fp[0]))

    @property
    def totals(self) -> Counts[float]:
        """Weight of the rated positives and negatives, whatever the rule."""
        return self.rated or self.reachable

    @property
    def _smooth_counts(self) -> tuple[Floats, ...]:
        return () if self.smooth_tp is None or self.smooth_fp is None else (self.smooth_tp, self.smooth_fp)

    @property
    def area(self) -> float:
        """The area under the path's partial ROC curve, the integral of TP dFP, in documents squared."""
        return float(np.sum(-np.diff(self.fp) * (self.tp[1:] + self.tp[:-1]) / 2))

    @property
    def normalised_area(self) -> float:
        """The area as a share of TP x FP at the floors, in [0, 1]; NaN where that is 0."""
        whole = float(self.tp[0] * self.fp[0])
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

    def at(self, marginal_precision: float) -> OperatingPoint:
        """Choose the vertex that maximises TP - m / (1 - m) FP for target marginal precision m.

        TP and FP are the counts, or what a fit expects where the path carries that. The vertex is the tangent point of
        the path's concave majorant (Robles et al. 2020, Algorithm 1, on counts): always a real vertex, moving one way
        as m moves. A step whose marginal precision equals m is taken. Of vertices with equal counts the strictest is
        returned, but the floors themselves when the point is at the floor. After the majorant, O(log m) each.

        Raises
        ------
        DataError : a target outside (0, 1).
        """
        return operating_points(self, [marginal_precision])[0]


def operating_point(path: ThresholdPath, marginal_precision: float) -> OperatingPoint:
    """`ThresholdPath.at` as a function.

    Examples
    --------
    >>> import numpy as np
    >>> from multiloss_core import operating_point, simulate_population, smooth_path
    >>> documents = simulate_population(np.random.default_rng(0), documents=20_000, prevalence=0.01).rated()
    >>> point = operating_point(smooth_path(documents), 0.2)
    >>> point.status, point.tp, point.fp
    ('inside', 96.0, 68.0)
    """
    return path.at(marginal_precision)


def operating_points(path: ThresholdPath, marginal_precisions: Iterable[float]) -> list[OperatingPoint]:
    """`ThresholdPath.at` for many targets at once, one look-up each.

    Examples
    --------
    >>> import numpy as np
    >>> from multiloss_core import operating_points, simulate_population, smooth_path
    >>> documents = simulate_population(np.random.default_rng(0), documents=20_000, prevalence=0.01).rated()
    >>> [point.tp for point in operating_points(smooth_path(documents), [0.1, 0.2, 0.5])]
    [98.0, 96.0, 77.0]
    """
    majorant = path.majorant
    vertices, precisions = majorant.vertices, majorant.marginal_precisions
    tp, fp = path.tp[vertices], path.fp[vertices]
    added = np.diff(tp + fp)
    targets = np.array([*marginal_precisions], dtype=np.float64)
    outside = ~((targets > 0) & (targets < 1))
    if outside.any():
        raise DataError(f"The marginal precision must lie between 0 and 1, not at {targets[outside][0]}.")
    last, estimated, rated, reachable = len(precisions), path.smooth_tp is not None, path.totals, path.reachable
    points = []
    for target, steps in zip(targets.tolist(), np.searchsorted(-precisions, -targets, side="right"), strict=True):
        points.append(
            OperatingPoint(
                # At the floor the floors themselves: nothing is known to be lost by looser thresholds there.
                thresholds=path.thresholds[0 if steps == last and steps else vertices[steps]],
                tp=float(tp[steps]),
                fp=float(fp[steps]),
                marginal_precision=target,
                status="unreachable" if steps == 0 else "at_floor" if steps == last else "inside",
                method=path.method,
                rule=path.rule,
                names=path.names,
                rated=rated,
                reachable=reachable,
                step_precision=float(precisions[steps - 1]) if steps else UNDEFINED,
                step_alerts=float(added[steps - 1]) if steps else 0.0,
                next_precision=float(precisions[steps]) if steps < last else UNDEFINED,
                next_alerts=float(added[steps]) if steps < last else 0.0,
                estimated=estimated,
            )
        )
    return points
