"""Convert a goal (cap on alerts, minimum precision, share kept, price) into the equivalent target."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from multiloss_core.errors import DataError
from multiloss_core.numerics.rounding import shortest_between
from multiloss_core.thresholds.data.flagged_counts import Counts, checked_thresholds
from multiloss_core.thresholds.data.rated_data import RatedData
from multiloss_core.thresholds.paths.operating_point import ManualPoint
from multiloss_core.thresholds.paths.threshold_path import ThresholdPath


def target_for_price(false_per_catch: float) -> float:
    """Convert the false alerts paid for each extra true positive, x, into a marginal precision: 1 / (1 + x).

    Raises
    ------
    DataError : a price that is not positive.
    """
    if not 0 < false_per_catch < np.inf:
        raise DataError("The false alerts paid for an extra catch must be more than 0.")
    return 1 / (1 + false_per_catch)


def target_for_alerts(path: ThresholdPath, most: float) -> float:
    """Find the target whose point flags most documents (weights) among those that flag at most so many.

    Raises
    ------
    DataError : even the strictest step flags more.
    """
    return _target_of_loosest_vertex(path, lambda tp, fp: tp + fp <= most, _fewest_sentence(path, most))


def target_for_precision(path: ThresholdPath, least: float) -> float:
    """Find the target whose point flags most documents among those with at least this precision, in (0, 1).

    Raises
    ------
    DataError : a precision outside (0, 1), or one that no point of the path has.
    """
    if not 0 < least < 1:
        raise DataError("The precision must lie between 0 % and 100 %.")
    return _target_of_loosest_vertex(
        path,
        lambda tp, fp: (tp + fp > 0) & (tp >= least * (tp + fp)),
        f"No point of this path has a precision of {100 * least:g} %; lower it.",
    )


def target_for_share(path: ThresholdPath, least: float) -> float:
    """Find the strictest target whose point keeps at least this share, in (0, 1], of the positives at the floors.

    Raises
    ------
    DataError : a share outside (0, 1].
    """
    if not 0 < least <= 1:
        raise DataError("The share of rated positives to keep must be above 0 % and at most 100 %.")
    corners = path.majorant.vertices
    enough = np.flatnonzero(path.tp[corners] >= least * path.tp[0] * (1 - 1e-12))
    if not enough.size:
        raise DataError(f"No point of this path keeps {100 * least:g} % of the rated positives; keep fewer.")
    return _target_of(path, int(enough[0]))


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
    corners, precisions = path.majorant.vertices, path.majorant.marginal_precisions
    alerts = (path.tp + path.fp)[corners]
    step = int(np.clip(np.searchsorted(alerts, counts.alerts) - 1, 0, max(len(precisions) - 1, 0)))
    marginal = float(precisions[step]) if len(precisions) else 0.5
    return ManualPoint(
        counts.tp,
        counts.fp,
        thresholds=values,
        rule=path.rule,
        names=path.names,
        rated=Counts(float(path.tp[0]), float(path.fp[0])),
        method=path.method,
        marginal_precision=float(np.clip(marginal, 1e-6, 1 - 1e-6)),
    )


def _target_of_loosest_vertex(
    path: ThresholdPath, allowed: Callable[[np.ndarray, np.ndarray], np.ndarray], refusal: str
) -> float:
    """Find the target of the loosest vertex of the majorant that flags anything and is allowed, or raise `refusal`."""
    corners = path.majorant.vertices[1:]
    # No target is so low that a step without any positive is taken.
    worth_taking = path.majorant.marginal_precisions > 0
    good = np.flatnonzero(worth_taking & allowed(path.tp[corners], path.fp[corners]))
    if not good.size:
        raise DataError(refusal)
    return _target_of(path, int(good[-1]) + 1)


def _target_of(path: ThresholdPath, corner: int) -> float:
    """Find the target of fewest digits in percent whose operating point is a vertex of the majorant."""
    precisions = path.majorant.marginal_precisions
    highest = float(precisions[corner - 1]) if corner else 1.0
    lowest = float(precisions[corner]) if corner < len(precisions) else 0.0
    return shortest_between(50 * (lowest + highest), 100 * lowest, min(100 * highest, 100 - 1e-6)) / 100


def _fewest_sentence(path: ThresholdPath, most: float) -> str:
    corners = path.majorant.vertices
    if len(corners) < 2:
        return "This path flags nothing."
    fewest = float((path.tp + path.fp)[corners[1]])
    return f"The first step of this path already flags {fewest:,.6g}, more than {most:,.6g}; allow more."
