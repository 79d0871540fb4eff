"""Points at a price, at a vertex or at thresholds set by hand; other wishes are in `wishes`."""

import numpy as np
from numpy.typing import ArrayLike

from multiloss_core.errors import DataError
from multiloss_core.thresholds.data.counts import Counts, checked_thresholds
from multiloss_core.thresholds.data.rated_data import RatedData
from multiloss_core.thresholds.paths.operating_point import ManualPoint, Point, WishedPoint, operating_point
from multiloss_core.thresholds.paths.threshold_path import ThresholdPath
from multiloss_core.thresholds.targets.goals import place_on, point_beside, target_of_corner


def target_for_price(false_per_catch: float) -> float:
    """Convert the false alerts paid for each extra true positive, x, into a marginal precision: 1 / (1 + x).

    Raises
    ------
    DataError : a price that is not positive.
    """
    if not 0 < false_per_catch < np.inf:
        raise DataError("The false alerts paid for an extra catch must be more than 0.")
    return 1 / (1 + false_per_catch)


def manual_point(source: RatedData, path: ThresholdPath, thresholds: ArrayLike) -> ManualPoint:
    """Count thresholds (k,) set by hand; infinity stands for never. On surfaces, those of the next node.

    Its marginal precision is that of the path where it flags as many. What a next step would bring is not known.

    Raises
    ------
    DataError : a threshold below its floor, where nobody rated, or one that is no number of a usual size.
    """
    values = checked_thresholds(thresholds, path.names)
    for name, value, floor in zip(path.names, values, source.floors, strict=True):
        if value < floor:
            raise DataError(f"The threshold of '{name}' must be at least its floor, {floor:g}: below it nobody rated.")
    counts = source.counts_at(values, path.rule)
    return point_beside(ManualPoint, path, counts, values, place_on(path, counts.alerts))


def point_of_vertex(path: ThresholdPath, vertex: int) -> Point:
    """Make the point of a vertex: one of the slider where some target leads there, else a wished one.

    Raises
    ------
    DataError : the path has no such vertex.
    """
    if not 0 <= vertex < len(path.tp):
        raise DataError(f"The path has vertices from 0 to {len(path.tp) - 1}, and none of number {vertex}.")
    tp, fp = float(path.tp[vertex]), float(path.fp[vertex])
    corners = path.majorant.vertices
    same = np.flatnonzero((path.tp[corners] == tp) & (path.fp[corners] == fp))
    if same.size and len(corners) > 1 and 0 < (target := target_of_corner(path, int(same[0]))) < 1:
        return operating_point(path, target)
    return point_beside(WishedPoint, path, Counts(tp, fp), path.thresholds[vertex], place_on(path, tp + fp))
