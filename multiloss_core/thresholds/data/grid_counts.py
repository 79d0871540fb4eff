"""Count documents into grid cells, so that no later cost depends on their number."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from multiloss_core.errors import DataError
from multiloss_core.numerics.arrays import Bools, Floats, Indices
from multiloss_core.thresholds.data.rated_documents import RatedDocuments

Spacing = Literal["uniform", "quantile", "positives"]
SPACINGS: tuple[Spacing, ...] = get_args(Spacing)
MAX_DENSE_CELLS = 4_000_000
MAX_NODES = 4_000_000
SMALLEST_STEP = 1e-200

Axes = tuple[Floats, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class BucketCounts:
    """Weights of positives and negatives in the occupied cells of a k-dimensional grid.

    `axes` holds k increasing arrays of nodes; `cells` (m, k) how many nodes of each axis lie at or below the scores
    of the cell (0: below the first node); `positives` and `negatives` (m,) the weights in each cell. m is at most
    the smaller of the number of documents and of cells.
    """

    axes: Axes
    cells: Indices
    positives: Floats
    negatives: Floats


def grid_axes(documents: RatedDocuments, resolution: int, spacing: Spacing) -> Axes:
    """Place at most `resolution` nodes per classifier, from its floor to above its top score.

    The first node is the floor, the last the next number above the largest score, so that the first corner flags
    every rated document (rule `any`) and the last flags none. Between them: `uniform` equal steps (Robles et al.
    2020), `quantile` equal mass of documents, `positives` the scores of rated positives, thinned evenly. Nodes that
    coincide are merged, so an axis may be shorter.

    Raises
    ------
    DataError : resolution below 2 or an unknown spacing.
    """
    if resolution < 2:
        raise DataError(f"The resolution must be at least 2 nodes for each classifier, not {resolution}.")
    if spacing not in SPACINGS:
        raise DataError(f"The spacing must be one of {', '.join(SPACINGS)}, not '{spacing}'.")
    return tuple(
        _axis(documents.scores[:, j], documents.labels, float(documents.floors[j]), resolution, spacing)
        for j in range(len(documents.names))
    )


def bucket_counts(documents: RatedDocuments, axes: Axes) -> BucketCounts:
    """Count documents into the cells of a grid. Time O(k n), memory O(n + cells)."""
    # Integer counting is faster where every document counts once.
    weights = None if (documents.weights == 1.0).all() else documents.weights
    return count_cells(documents.scores, documents.labels, weights, axes)


def count_cells(scores: Floats, labels: Bools, weights: Floats | None, axes: Axes) -> BucketCounts:
    """Count arrays as `bucket_counts` does: scores (n, k), labels (n,), weights (n,) or None.

    Raises
    ------
    DataError : more cells than can be numbered.
    """
    shape = tuple(len(axis) for axis in axes)
    cell_count = np.prod(shape, dtype=np.float64)
    key = np.zeros(len(labels), dtype=np.intp)
    if cell_count > np.iinfo(np.intp).max / 2:
        raise DataError("The grid has too many cells to number them; lower the resolution.")
    for j, axis in enumerate(axes):
        key *= shape[j]
        key += count_nodes_at_or_below(axis, scores[:, j])
    if cell_count <= MAX_DENSE_CELLS:
        occupied, slot, slots = None, key, int(cell_count)
    else:
        occupied, slot = np.unique(key, return_inverse=True)
        slots = len(occupied)
    by_class = np.bincount(2 * slot + labels, weights, 2 * slots).reshape(slots, 2)
    if occupied is None:
        occupied = np.flatnonzero(by_class.any(axis=1))
        by_class = by_class[occupied]
    return BucketCounts(
        axes=axes,
        cells=np.column_stack(np.unravel_index(occupied, shape)),
        positives=by_class[:, 1].astype(np.float64),
        negatives=by_class[:, 0].astype(np.float64),
    )


def count_nodes_at_or_below(axis: Floats, values: Floats) -> Indices:
    """Search like `np.searchsorted(…, side="right")`, faster where nodes have equal steps."""
    if len(axis) < 8:
        return np.searchsorted(axis, values, side="right")
    step = (axis[-1] - axis[0]) / (len(axis) - 2)
    even = axis[0] + step * np.arange(len(axis) - 1)
    # Below this step, dividing by it could overflow.
    if step < SMALLEST_STEP or not np.allclose(axis[:-1], even, rtol=0, atol=step / 4):
        return np.searchsorted(axis, values, side="right")
    # The guess is off by one node at most; comparing with the true nodes on both sides makes it exact.
    guess = ((values - axis[0]) * (1 / step)).clip(-1, len(axis) - 2).astype(np.intp)
    padded = np.concatenate([[-np.inf], axis[:-1], [np.inf]])
    guess += values >= padded.take(guess + 2)
    guess -= values < padded.take(guess + 1)
    guess += values >= axis[-1]
    return guess + 1


def _axis(scores: Floats, labels: Bools, floor: float, resolution: int, spacing: Spacing) -> Floats:
    highest = scores.max()
    inside = scores[(scores >= floor) & labels] if spacing == "positives" else scores[scores >= floor]
    if spacing == "uniform" or not inside.size:
        nodes = np.linspace(floor, highest, resolution - 1)
    elif spacing == "quantile":
        nodes = np.quantile(inside, np.linspace(0, 1, resolution - 1), method="inverted_cdf")
    else:
        nodes = np.unique(inside)
        nodes = nodes[np.linspace(0, len(nodes) - 1, min(len(nodes), resolution - 2)).round().astype(np.intp)]
    return np.unique(np.concatenate([[floor], nodes, [np.nextafter(highest, np.inf)]]))
