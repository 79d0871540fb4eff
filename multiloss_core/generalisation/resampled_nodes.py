"""Place the thresholds of a path as if chosen on a part of the documents."""

from dataclasses import dataclass

import numpy as np

from multiloss_core.numerics.arrays import Floats, Indices
from multiloss_core.thresholds.paths.score_cells import ScoreCells


@dataclass(frozen=True, eq=False)
class AxisPlaces:
    """Lowest and highest scores in cells 0..m of an axis of m nodes, (m + 1,) each.

    For empty cells, those of the next documents above and below; infinite above all of them.
    """

    lowest: Floats
    highest: Floats


def axis_places(cells: ScoreCells, scores: Floats) -> tuple[AxisPlaces, ...]:
    """Find the scores (n, k) of documents in their cells. O(n k)."""
    found = []
    for axis, indices, column in zip(cells.axes, cells.cells.T, scores.T, strict=True):
        lowest, highest = np.full(len(axis) + 1, np.inf), np.full(len(axis) + 1, -np.inf)
        np.minimum.at(lowest, indices[cells.slots], column)
        np.maximum.at(highest, indices[cells.slots], column)
        # The next document below the lowest threshold is the floor itself.
        highest[0] = axis[0]
        lowest[0] = -np.inf
        found.append(AxisPlaces(np.minimum.accumulate(lowest[::-1])[::-1], np.maximum.accumulate(highest)))
    return tuple(found)


def half_way_down(cells: ScoreCells, places: tuple[AxisPlaces, ...], nodes: Indices, totals: Floats) -> Indices:
    """Move nodes (t, k) half-way down to the next document among occupied cells (c,).

    Nodes stand half-way between a document and the next one (`score_cells`). A part of the documents has unoccupied
    nodes in between, and ties go to the strictest: without this, resamples would use the positions of documents that
    they lack, and false alerts just below a threshold would never appear.
    """
    moved = nodes.copy()
    for j, (axis, place) in enumerate(zip(cells.axes, places, strict=True)):
        held = np.flatnonzero(np.bincount(cells.cells[:, j], totals, len(axis) + 1) > 0)
        next_held = np.searchsorted(held, nodes[:, j], side="right")
        rows = np.flatnonzero((nodes[:, j] < len(axis)) & (next_held > 0) & (next_held < len(held)))
        upper, lower = held[next_held[rows]], held[next_held[rows] - 1]
        half = place.lowest[upper] / 2 + place.highest[lower] / 2
        # The documents in between that lie at or above the threshold are flagged.
        moved[rows, j] = (np.searchsorted(place.lowest, half) - 1).clip(lower, upper - 1)
    return moved
