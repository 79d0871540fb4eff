"""Count documents into grid cells, so that no later cost depends on their number."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from multiloss_core.errors import DataError
from multiloss_core.numerics.arrays import Bools, Floats, Indices, sums
from multiloss_core.thresholds.data.counts import Rule
from multiloss_core.thresholds.data.rated_documents import RatedDocuments

Spacing = Literal["uniform", "quantile", "positives"]
SPACINGS: tuple[Spacing, ...] = get_args(Spacing)
MAX_DENSE_CELLS = 4_000_000
MAX_NODES = 4_000_000
# Bins of the fast searches; fewer values are searched directly. A larger scale could overflow.
BINS, FEWEST_BINNED, MAX_SCALE = 65_536, 50_000, 1e200

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


def counts_at_nodes(cells: Indices, weights: Floats, shape: tuple[int, ...], rule: Rule) -> Floats:
    """Sum weights (n,) in cells (n, k) to the flagged weight at every node, (n_1, …, n_k).

    `any`: all documents but those with every score below its threshold; `all`: those with every score at or above. One
    cumulative sum for each axis.
    """
    slots = np.ravel_multi_index(tuple(cells.T), shape)
    counts = sums(slots, weights, int(np.prod(shape))).reshape(shape)
    for j in range(len(shape)):
        if rule == "any":
            counts = np.cumsum(counts, axis=j)
        else:
            from_here = np.flip(np.cumsum(np.flip(counts, j), axis=j), j)
            last = np.zeros_like(from_here.take([0], axis=j))
            counts = np.concatenate([np.delete(from_here, 0, axis=j), last], axis=j)
    if rule == "any":
        counts = counts[(-1,) * len(shape)] - counts
    # Sums of fractional weights in different orders differ by rounding; counts must still never rise.
    for j in range(len(shape)):
        counts = np.minimum.accumulate(counts, axis=j)
    return counts.clip(min=0.0)


def count_nodes_at_or_below(axis: Floats, values: Floats) -> Indices:
    """Search like `np.searchsorted(…, side="right")`, faster for many values."""
    bins = _Bins.of(axis[0], axis[-1]) if len(values) >= FEWEST_BINNED else None
    if bins is None:
        return np.searchsorted(axis, values, side="right")
    nodes, places = bins.places(axis), bins.places(values)
    found = np.searchsorted(nodes, np.arange(BINS), side="right").astype(np.intp).take(places)
    holds_node = np.zeros(BINS, dtype=bool)
    holds_node[nodes] = True
    unclear = np.flatnonzero(holds_node.take(places))
    found[unclear] = np.searchsorted(axis, values[unclear], side="right")
    return found


@dataclass(frozen=True)
class _Bins:
    """Equal bins between two numbers; a larger value is never in a lower bin."""

    start: float
    scale: float

    @classmethod
    def of(cls, start: float, end: float) -> "_Bins | None":
        """Divide a range, unless it is empty or rounding would not allow it."""
        with np.errstate(over="ignore", divide="ignore"):
            scale = BINS / np.float64(end - start)
        return cls(start, float(scale)) if 0 < scale < MAX_SCALE else None

    def places(self, values: Floats) -> Indices:
        """Find the bins (n,) of values (n,), the outer ones for those outside."""
        return ((values - self.start) * self.scale).clip(0, BINS - 1).astype(np.intp)


def _quantiles(values: Floats, shares: Floats) -> Floats:
    """Find quantiles like `np.quantile(…, method="inverted_cdf")`, faster for many values."""
    bins = _Bins.of(values.min(), values.max()) if len(values) >= FEWEST_BINNED else None
    if bins is None:
        return np.quantile(values, shares, method="inverted_cdf")
    places = bins.places(values)
    ranks = np.ceil(shares * len(values)).astype(np.intp).clip(1) - 1
    up_to = np.cumsum(np.bincount(places, minlength=BINS))
    wanted = np.searchsorted(up_to, ranks, side="right")
    holds = np.zeros(BINS, dtype=bool)
    holds[wanted] = True
    inside = np.sort(values[holds.take(places)])
    # Ranks among the values of these bins: less those of the other bins below.
    sizes = np.diff(up_to, prepend=0)
    below = up_to - sizes - (np.cumsum(sizes * holds) - sizes * holds)
    return inside[ranks - below[wanted]]


def _axis(scores: Floats, labels: Bools, floor: float, resolution: int, spacing: Spacing) -> Floats:
    highest = scores.max()
    inside = scores[(scores >= floor) & labels] if spacing == "positives" else scores[scores >= floor]
    if spacing == "uniform" or not inside.size:
        nodes = np.linspace(floor, highest, resolution - 1)
    elif spacing == "quantile":
        nodes = _quantiles(inside, np.linspace(0, 1, resolution - 1))
    else:
        nodes = np.unique(inside)
        nodes = nodes[np.linspace(0, len(nodes) - 1, min(len(nodes), resolution - 2)).round().astype(np.intp)]
    return np.unique(np.concatenate([[floor], nodes, [np.nextafter(highest, np.inf)]]))
