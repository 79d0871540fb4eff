"""The operating point: where on a path the last alerts added are just worth their false positives."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from multiloss_core.digits import shortest_between
from multiloss_core.errors import DataError
from multiloss_core.shares import effective_size, share_interval
from multiloss_core.thresholds.paths.path import ThresholdPath
from multiloss_core.thresholds.rated import RatedDocuments
from multiloss_core.thresholds.surfaces import CountSurfaces, Rule, node_index

Status = Literal["inside", "at_floor", "unreachable"]
UNDEFINED = float("nan")


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

    thresholds: NDArray[np.float64]
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


@dataclass(frozen=True)
class ClassifierMargin:
    """What moving one classifier's threshold alone would add (lowered) or lose (raised), nearest documents first.

    Precisions are shares of positives in [0, 1] among `added` or `lost` documents (weights); not a number over
    nothing, as below a floor, where nobody rated. `added_interval` and `lost_interval` are 95 % Wilson intervals (low,
    high) of these precisions, over as many documents as the weights are worth.
    """

    name: str
    added: float
    precision_added: float
    added_interval: tuple[float, float]
    lost: float
    precision_lost: float
    lost_interval: tuple[float, float]


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


def classifier_margins(
    source: RatedDocuments | CountSurfaces, point: OperatingPoint, *, band: float | None = None
) -> tuple[ClassifierMargin, ...]:
    """For each classifier, the marginal precision of the documents next to its threshold that it alone decides.

    Lowering one threshold adds documents, raising it loses some; the nearest of them up to a weight of `band`
    (default: 5 % of the alerts, at least 20) give the precision on either side. At the best point for target m all of
    them are near m. From documents exact; from surfaces by whole nodes. After the documents were sorted once, the
    cost follows the documents read, not their number.
    """
    if band is None:
        band = max(20.0, 0.05 * point.alerts)
    if isinstance(source, CountSurfaces):
        return _margins_on_surfaces(source, point.thresholds, band)
    return tuple(
        ClassifierMargin(
            name, *_nearest_decided(source, point, j, "down", band), *_nearest_decided(source, point, j, "up", band)
        )
        for j, name in enumerate(source.names)
    )


def round_thresholds(
    documents: RatedDocuments, thresholds: Sequence[float] | NDArray[np.float64]
) -> NDArray[np.float64]:
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


def ratio(part: float, whole: float) -> float:
    """part / whole, not a number where the whole is nothing."""
    return part / whole if whole > 0 else UNDEFINED


def ratios(parts: NDArray[np.float64], wholes: NDArray[np.float64]) -> NDArray[np.float64]:
    """`ratio` for arrays of equal shape."""
    return np.divide(parts, wholes, out=np.full(np.shape(wholes), UNDEFINED), where=wholes > 0)


def _nearest_decided(
    documents: RatedDocuments, point: OperatingPoint, j: int, direction: Literal["down", "up"], band: float
) -> tuple[float, float, tuple[float, float]]:
    """Weight, precision and its interval of the documents nearest to threshold j that it alone decides, up to a weight of `band`.

    Documents of equal score stay together. Ever larger pieces are read, so that the cost follows the band.
    """
    scores, order = documents.ordered_scores[j], documents.order[j]
    others = np.delete(np.arange(len(point.thresholds)), j)
    position = int(np.searchsorted(scores, point.thresholds[j]))
    limit = int(np.searchsorted(scores, documents.floors[j])) if direction == "down" else len(scores)
    pieces = [order[:0]]
    weight, size = 0.0, 256
    while position != limit and weight < band:
        if direction == "down":
            end = int(np.searchsorted(scores, scores[max(position - size, limit)], side="left"))
            piece = order[end:position][::-1]
        else:
            end = int(np.searchsorted(scores, scores[min(position + size, limit) - 1], side="right"))
            piece = order[position:end]
        above = documents.scores[np.ix_(piece, others)] >= point.thresholds[others]
        pieces.append(piece[~above.any(axis=1) if point.rule == "any" else above.all(axis=1)])
        weight += float(documents.weights[pieces[-1]].sum())
        position, size = end, 2 * size
    found = np.concatenate(pieces)
    if not found.size:
        return 0.0, UNDEFINED, precision_interval(UNDEFINED, 0.0)
    reached = min(int(np.searchsorted(np.cumsum(documents.weights[found]), band)), len(found) - 1)
    found_scores = documents.scores[found, j]
    found = found[: np.flatnonzero(found_scores == found_scores[reached])[-1] + 1]
    weights = documents.weights[found]
    total = float(weights.sum())
    precision = ratio(float(weights[documents.labels[found]].sum()), total)
    return total, precision, precision_interval(precision, effective_size(weights))


def precision_interval(precision: float, documents: float, level: float = 0.95) -> tuple[float, float]:
    """The Wilson interval (low, high) of a precision over so many documents, effective ones with weights.

    Not a number over nothing. `level` in (0, 1).
    """
    if not documents > 0:
        return UNDEFINED, UNDEFINED
    low, high = share_interval(precision * documents, documents, level)
    return float(low), float(high)


def _margins_on_surfaces(
    surfaces: CountSurfaces, thresholds: NDArray[np.float64], band: float
) -> tuple[ClassifierMargin, ...]:
    node = node_index(surfaces.axes, thresholds[np.newaxis])[0]
    alerts = surfaces.tp + surfaces.fp
    here = tuple(int(i) for i in node)
    margins = []
    for j, name in enumerate(surfaces.names):
        line: list[int | slice] = list(here)
        line[j] = slice(None)
        tp, flagged_here = surfaces.tp[tuple(line)], alerts[tuple(line)]
        sides: list[Any] = []
        for step, end in ((-1, 0), (1, len(tp) - 1)):
            other = here[j]
            while other != end and abs(flagged_here[other] - flagged_here[here[j]]) < band:
                other += step
            moved = abs(float(flagged_here[other] - flagged_here[here[j]]))
            precision = ratio(abs(float(tp[other] - tp[here[j]])), moved)
            sides += [moved, precision, precision_interval(precision, moved)]
        margins.append(ClassifierMargin(name, *sides))
    return tuple(margins)
