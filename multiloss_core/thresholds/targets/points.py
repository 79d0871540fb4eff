"""Make points at a price, at a vertex or at manual thresholds; other goals are in `goals`."""

import numpy as np
from numpy.typing import ArrayLike

from multiloss_core.errors import DataError
from multiloss_core.thresholds.data.counts import Counts, checked_thresholds
from multiloss_core.thresholds.data.rated_data import RatedData
from multiloss_core.thresholds.paths.operating_point import GoalPoint, ManualPoint, Point, operating_point
from multiloss_core.thresholds.paths.threshold_path import ThresholdPath
from multiloss_core.thresholds.targets.goals import place_on, point_off_path, target_of_corner


def target_for_price(false_per_catch: float) -> float:
    """Convert x false alerts per extra true positive into a marginal precision: 1 / (1 + x).

    Raises DataError: a price that is not positive.
    """
    if not 0 < false_per_catch < np.inf:
        raise DataError("The number of false alerts for an extra catch must be above 0.")
    return 1 / (1 + false_per_catch)


def manual_point(source: RatedData, path: ThresholdPath, thresholds: ArrayLike) -> ManualPoint:
    """Count manual thresholds (k,), infinity for never; on surfaces, those of the next node.

    The marginal precision is that of the path at as many alerts; that of the next step is unknown.

    Raises DataError: a threshold below its floor, without ratings, or a number of unusual size.
    """
    values = checked_thresholds(thresholds, path.names)
    for name, value, floor in zip(path.names, values, source.floors, strict=True):
        if value < floor:
            raise DataError(f"The threshold of '{name}' must be at least its floor, {floor:g}; enter a higher one.")
    counts = source.counts_at(values, path.rule)
    return point_off_path(ManualPoint, path, counts, values, place_on(path, counts.alerts))


def point_of_vertex(path: ThresholdPath, vertex: int) -> Point:
    """Make the point of a vertex: an operating point if some target has it, else a `GoalPoint`.

    Raises DataError: the path has no such vertex.
    """
    if not 0 <= vertex < len(path.tp):
        raise DataError(f"The path has vertices 0 to {len(path.tp) - 1}, but not {vertex}.")
    tp, fp = float(path.tp[vertex]), float(path.fp[vertex])
    corners = path.majorant.vertices
    same = np.flatnonzero((path.tp[corners] == tp) & (path.fp[corners] == fp))
    if same.size and len(corners) > 1 and 0 < (target := target_of_corner(path, int(same[0]))) < 1:
        return operating_point(path, target)
    return point_off_path(GoalPoint, path, Counts(tp, fp), path.thresholds[vertex], place_on(path, tp + fp))
