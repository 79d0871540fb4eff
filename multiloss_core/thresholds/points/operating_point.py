"""The operating point: where on a path the last alerts added are just worth their false positives."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from multiloss_core.errors import DataError
from multiloss_core.numerics.arrays import UNDEFINED, Floats, ratio
from multiloss_core.numerics.rounding import shortest_between
from multiloss_core.thresholds.data.flagging import Rule
from multiloss_core.thresholds.data.rated_documents import RatedDocuments
from multiloss_core.thresholds.paths.threshold_path import ThresholdPath

Status = Literal["inside", "at_floor", "unreachable"]


@dataclass(frozen=True, eq=False)
class OperatingPoint:
    """Thresholds (k,) with their exact counts at a target marginal precision in (0, 1).

    `status`: `inside` the path; `at_floor` when even the documents at the floors are worth it, so that the best point
    lies below what was rated; `unreachable` when no part of the path reaches the target, so that nothing is
    flagged. `step_precision` and `step_alerts` describe the last step up to the point, `next_precision` and
    `next_alerts` the step that would follow (not a number and 0 where there is none). `rated_tp` and
    `rated_fp` are the counts at the floors. Rates over nothing are not a number. `estimated`: the precisions of the
    steps are those of a smooth fit, not counted. `by_hand`: the thresholds were set by hand; the marginal precision is then
    that of the path where it flags as many. A threshold of infinity stands for never.
    """

    thresholds: Floats
    tp: float
    fp: float
    marginal_precision: float
    status: Status
    method: str
    rule: Rule
    names: tuple[str, ...]
    rated_tp: float
    rated_fp: float
    step_precision: float
    step_alerts: float
    next_precision: float
    next_alerts: float
    estimated: bool = False
    by_hand: bool = False

    @property
    def slope(self) -> float:
        """The target as the slope dTP/dFP = m / (1 - m): the paper's target derivative."""
        return self.marginal_precision / (1 - self.marginal_precision)

    @property
    def alerts(self) -> float:
        """TP + FP: how many documents are flagged."""
        return self.tp + self.fp

    @property
    def precision(self) -> float:
        """TP / (TP + FP); not a number where nothing is flagged."""
        return ratio(self.tp, self.alerts)

    @property
    def fp_per_tp(self) -> float:
        """False positives for each true positive; not a number where nothing is caught."""
        return ratio(self.fp, self.tp)

    @property
    def share_of_rated_positives(self) -> float:
        """TP over the rated positives at the floors. Not recall: what lies below the floors was never rated."""
        return ratio(self.tp, self.rated_tp)


def operating_point(path: ThresholdPath, marginal_precision: float) -> OperatingPoint:
    """The vertex of a path that maximises TP - m / (1 - m) FP for target marginal precision m.

    TP and FP are the counts, or what a fit expects where the path carries that. The vertex is the tangent point of the path's concave majorant (Robles et al. 2020, Algorithm 1, on counts): always a real
    vertex, moving one way as m moves. A step whose marginal precision equals m is taken. Of vertices with equal counts
    the strictest is returned, but the floors themselves when the point is at the floor. After the majorant, O(log m)
    for each target.

    Raises
    ------
    DataError : a target outside (0, 1).
    """
    return operating_points(path, [marginal_precision])[0]


def operating_points(path: ThresholdPath, marginal_precisions: Iterable[float]) -> list[OperatingPoint]:
    """`operating_point` for many targets at once, one look-up each."""
    majorant = path.majorant
    vertices, precisions = majorant.vertices, majorant.marginal_precisions
    tp, fp = path.tp[vertices], path.fp[vertices]
    points = []
    for target in marginal_precisions:
        if not 0 < target < 1:
            raise DataError(f"The marginal precision must lie between 0 and 1, not at {target}.")
        steps = int(np.searchsorted(-precisions, -target, side="right"))
        last = len(precisions)
        points.append(
            OperatingPoint(
                # At the floor the floors themselves: nothing is known to be lost by looser thresholds there.
                thresholds=path.thresholds[0 if steps == last and steps else vertices[steps]],
                tp=float(tp[steps]),
                fp=float(fp[steps]),
                marginal_precision=float(target),
                status="unreachable" if steps == 0 else "at_floor" if steps == last else "inside",
                method=path.method,
                rule=path.rule,
                names=path.names,
                rated_tp=float(path.tp[0]),
                rated_fp=float(path.fp[0]),
                step_precision=float(precisions[steps - 1]) if steps else UNDEFINED,
                step_alerts=float((tp + fp)[steps] - (tp + fp)[steps - 1]) if steps else 0.0,
                next_precision=float(precisions[steps]) if steps < last else UNDEFINED,
                next_alerts=float((tp + fp)[steps + 1] - (tp + fp)[steps]) if steps < last else 0.0,
                estimated=path.smooth_tp is not None,
            )
        )
    return points


def round_thresholds(documents: RatedDocuments, thresholds: Sequence[float] | Floats) -> Floats:
    """The shortest decimal numbers that flag exactly the same of these documents, (k,).

    A threshold at its floor stays as it is: below it nobody rated. One above every score stays above every score.
    """
    result = np.array(thresholds, dtype=np.float64)
    for j, threshold in enumerate(result):
        if threshold <= documents.floors[j]:
            continue
        scores = documents.ordered_scores[j]
        first = int(np.searchsorted(scores, threshold))
        lower = max(float(scores[first - 1]) if first else -np.inf, float(documents.floors[j]))
        upper = float(scores[first]) if first < len(scores) else np.inf
        result[j] = shortest_between(float(threshold), lower, upper)
    return result
