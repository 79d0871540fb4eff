"""Measure the documents added or lost by moving one threshold alone."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from multiloss_core.numerics.arrays import UNDEFINED, Floats, ratio
from multiloss_core.numerics.proportions import effective_size, precision_interval
from multiloss_core.thresholds.data.count_surfaces import CountSurfaces, node_index
from multiloss_core.thresholds.data.rated_documents import RatedDocuments
from multiloss_core.thresholds.paths.operating_point import Point


@dataclass(frozen=True)
class ClassifierMargin:
    """Documents gained or lost by moving one classifier's threshold, nearest first.

    Precisions are shares of positives in [0, 1] among `added` or `lost` documents (weights); NaN without documents, as
    below a floor. `added_interval` and `lost_interval` are 95 % Wilson intervals (low, high) of these precisions, over
    the effective number of documents.
    """

    name: str
    added: float
    precision_added: float
    added_interval: tuple[float, float]
    lost: float
    precision_lost: float
    lost_interval: tuple[float, float]


def classifier_margins(
    source: RatedDocuments | CountSurfaces, point: Point, *, band: float | None = None
) -> tuple[ClassifierMargin, ...]:
    """Measure the marginal precision of documents that one threshold alone decides.

    Lowering one threshold adds documents, raising it loses some; the nearest of them up to a weight of `band`
    (default: 5 % of the alerts, at least 20) give the precision on either side. At the best point for target m all of
    them are near m. From documents exact; from surfaces by whole nodes. After the documents were sorted once, the
    cost depends on the documents read, not on their number.
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


def _nearest_decided(
    documents: RatedDocuments, point: Point, j: int, direction: Literal["down", "up"], band: float
) -> tuple[float, float, tuple[float, float]]:
    """Measure weight, precision and interval of the nearest documents of threshold j alone.

    They have a weight of up to `band`; documents of equal score stay together. Pieces of growing size are read, so that
    the cost follows the band.
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


def _margins_on_surfaces(surfaces: CountSurfaces, thresholds: Floats, band: float) -> tuple[ClassifierMargin, ...]:
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
