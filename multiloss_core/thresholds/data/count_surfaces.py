"""TP and FP as surfaces over the thresholds of all classifiers."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from multiloss_core.errors import DataError, require_type
from multiloss_core.numerics.arrays import Floats, Indices, rounding_tolerance
from multiloss_core.thresholds.data.counts import Counts, Rule, checked_thresholds, flagged, require_rule
from multiloss_core.thresholds.data.grid_counts import (
    MAX_NODES,
    Axes,
    BucketCounts,
    Spacing,
    bucket_counts,
    count_cells,
    counts_at_nodes,
    grid_axes,
)
from multiloss_core.thresholds.data.rated_documents import RatedDocuments
from multiloss_core.thresholds.data.read_count_table import known_rule, read_count_table


@dataclass(frozen=True, eq=False)
class CountSurfaces:
    """True and false positives at every node of a threshold grid; validated when made.

    `axes` is a tuple of k increasing arrays of thresholds, `tp` and `fp` have shape (n_1, …, n_k) and never increase
    along an axis. `rule`: a document is flagged when `any` or `all` of its scores reach their thresholds.
    `rated` counts all documents that were rated; left out, as for a ready table, these are the ones at the first nodes.
    `alert_rules`: see `RatedCounts`; a table of counts has none.

    Raises
    ------
    DataError : shapes that do not fit, negative counts, or counts that rise with a threshold.

    Examples
    --------
    >>> import numpy as np
    >>> from multiloss_core import CountSurfaces
    >>> thresholds, tp, fp = np.array([0.5, 0.8]), np.array([9.0, 6.0]), np.array([30.0, 4.0])
    >>> surfaces = CountSurfaces((thresholds,), tp, fp, "any", ("model",))
    >>> surfaces.totals
    Counts(tp=9.0, fp=30.0)
    """

    axes: Axes
    tp: Floats
    fp: Floats
    rule: Rule
    names: tuple[str, ...]
    rated: Counts[float] | None = None
    alert_rules: int = field(default=0, kw_only=True)

    def __post_init__(self) -> None:
        require_rule(self.rule)
        shape = tuple(len(axis) for axis in self.axes)
        if len(self.names) != len(shape) or self.tp.shape != shape or self.fp.shape != shape:
            raise DataError(f"Counts of shape {self.tp.shape} and {self.fp.shape} do not fit axes of lengths {shape}.")
        for name, counts in (("TP", self.tp), ("FP", self.fp)):
            tolerance = rounding_tolerance(counts)
            if not (counts >= 0).all():
                raise DataError(f"{name} holds negative or undefined counts.")
            if any((np.diff(counts, axis=j) > tolerance).any() for j in range(counts.ndim)):
                raise DataError(
                    f"{name} rises with a threshold, which no rule of flagging at or above thresholds can do."
                )

    def thinned(self, resolution: int) -> "CountSurfaces":
        """Keep at most `resolution` evenly spread nodes per axis with both ends: O(nodes kept)."""
        kept = [np.unique(np.linspace(0, len(axis) - 1, resolution).round().astype(np.intp)) for axis in self.axes]
        axes = tuple(axis[nodes] for axis, nodes in zip(self.axes, kept, strict=True))
        return CountSurfaces(axes, self.tp[np.ix_(*kept)], self.fp[np.ix_(*kept)], self.rule, self.names, self.rated)

    def __repr__(self) -> str:
        axes = " x ".join(f"{len(axis)} {name}" for name, axis in zip(self.names, self.axes, strict=True))
        loosest = self.counts_at(self.floors)
        return f"CountSurfaces({axes}; rule {self.rule}; {loosest.tp:g} TP and {loosest.fp:g} FP at the floors)"

    @property
    def score_count(self) -> int:
        """The number of scores; the axes after them are alert rules."""
        return len(self.names) - self.alert_rules

    @property
    def floors(self) -> Floats:
        """The first node (k,) of each axis: below it nothing was counted."""
        return np.array([axis[0] for axis in self.axes])

    @property
    def buckets(self) -> BucketCounts:
        """Weights of positives and negatives in the occupied cells, see `buckets_from_surfaces`."""
        return buckets_from_surfaces(self)

    @property
    def squares(self) -> Floats | None:
        """Sum squared weights per cell of `buckets` by class, (c, 2), negatives first, or None."""
        return None

    @property
    def documents(self) -> None:
        """Return None: a table of counts has no documents."""
        return None

    @property
    def totals(self) -> Counts[float]:
        """Weight of the known rated positives and negatives: at least those at the first nodes."""
        return self.rated or self.counts_at(self.floors)

    def counts_at(self, thresholds: ArrayLike, rule: Rule | None = None) -> Counts[float]:
        """Count at the first node of each axis not below thresholds (k,), infinity for never.

        Raises
        ------
        DataError : not one usable threshold for each classifier, or another rule than the table's.
        """
        return self.counts_along(checked_thresholds(thresholds, self.names)[np.newaxis], rule).at(0)

    def counts_along(self, thresholds: Floats, rule: Rule | None = None) -> Counts[Floats]:
        """Count as `counts_at` does at each row of thresholds (m, k)."""
        self.require_own(rule)
        index = tuple(node_index(self.axes, thresholds).T)
        return Counts(self.tp[index], self.fp[index])

    def counted_thresholds(self, thresholds: Floats) -> Floats:
        """Find the nodes (k,) at which thresholds (k,) are counted."""
        node = node_index(self.axes, thresholds[np.newaxis])[0]
        return np.array([axis[i] for axis, i in zip(self.axes, node, strict=True)])

    def require_own(self, rule: Rule | None) -> None:
        """Refuse another rule than the one that was counted with."""
        if rule is not None and rule != self.rule:
            raise DataError(f"The table of counts is for rule '{self.rule}', not '{rule}'.")

    def round_thresholds(self, thresholds: ArrayLike) -> Floats:
        """Return thresholds (k,) as they are: what lies between the nodes is not known."""
        return np.array(thresholds, dtype=np.float64)

    @classmethod
    def from_table(
        cls, frame: pd.DataFrame, *, thresholds: Sequence[str] | None = None, rule: Rule | None = None
    ) -> "CountSurfaces":
        """Read a table of counts: one row per node (T1, T2, …, TP, FP) of a full grid, unordered.

        The threshold columns are those named like thresholds unless given. The rule follows from the counts (under
        `any`, raising one threshold to the top leaves what the others flag; under `all`, it leaves nothing) unless
        given. Row numbers in messages count from 1 below the header.

        Raises
        ------
        DataError : missing columns, cells that are no numbers, a node that is missing or occurs twice, negative
            counts, counts that rise with a threshold, or more than 4 million rows.
        """
        axes, tp, fp, names = read_count_table(frame, thresholds)
        return cls(axes, tp, fp, rule or known_rule(tp + fp), names)


def count_surfaces(
    documents: RatedDocuments, *, rule: Rule = "any", resolution: int = 100, spacing: Spacing = "uniform"
) -> CountSurfaces:
    """Count TP and FP at every grid node (Robles et al. 2020, any number k of classifiers).

    `resolution` is the largest number of nodes for each classifier; see `grid_axes` for the spacing. Time
    O(k n + k N) and memory O(n + N) for n documents and N = resolution^k nodes.

    Raises
    ------
    DataError : more than 4 million nodes (the message names a resolution that fits), unknown rule or spacing.

    Examples
    --------
    >>> from multiloss_core import RatedDocuments, count_surfaces
    >>> scores = [[0.9, 0.2], [0.8, 0.7], [0.7, 0.1], [0.6, 0.9], [0.5, 0.3], [0.2, 0.6]]
    >>> documents = RatedDocuments(scores, [1, 1, 0, 1, 0, 0], floors=[0.5, 0.6])
    >>> surfaces = count_surfaces(documents, resolution=3)
    >>> surfaces.tp
    array([[3., 3., 3.],
           [3., 2., 1.],
           [2., 1., 0.]])
    """
    require_type(documents, RatedDocuments, "RatedDocuments, see RatedDocuments.from_frame")
    require_rule(rule)
    classifiers = len(documents.names)
    require_resolution(classifiers, resolution)
    buckets = bucket_counts(documents, grid_axes(documents, resolution, spacing))
    return replace(surfaces_from_buckets(buckets, rule, documents.names), rated=documents.totals)


def require_resolution(classifiers: int, resolution: int) -> None:
    """Refuse a grid of more than 4 million nodes, naming a resolution that fits."""
    require_type(resolution, (int, np.integer), "a whole number as resolution")
    if resolution**classifiers > MAX_NODES:
        fits = largest_resolution(classifiers)
        raise DataError(
            f"A grid of {resolution:,} nodes for each of {classifiers} classifiers has "
            f"{float(resolution) ** classifiers:,.0f} nodes, more than {MAX_NODES:,}; a resolution of {fits:,} fits."
        )


def largest_resolution(classifiers: int) -> int:
    """Return the largest resolution whose grid has at most 4 million nodes."""
    fits = int(MAX_NODES ** (1 / classifiers))
    return fits + 1 if (fits + 1) ** classifiers <= MAX_NODES else fits


def surfaces_from_buckets(buckets: BucketCounts, rule: Rule, names: tuple[str, ...]) -> CountSurfaces:
    """Sum bucket counts to surfaces, see `counts_at_nodes`."""
    shape = tuple(len(axis) for axis in buckets.axes)
    tp, fp = (counts_at_nodes(buckets.cells, part, shape, rule) for part in (buckets.positives, buckets.negatives))
    return CountSurfaces(buckets.axes, tp, fp, rule, names)


def buckets_from_surfaces(surfaces: CountSurfaces) -> BucketCounts:
    """Undo `surfaces_from_buckets`: the weight in each cell, by differences along each axis.

    What lies below the first node of every axis is not in the surfaces and comes back as no document. A table that
    no set of documents could have produced gives some negative weights; sums over them are still the table's counts.
    """
    densities = [_density(counts, surfaces.rule) for counts in (surfaces.tp, surfaces.fp)]
    cells = np.argwhere((densities[0] != 0) | (densities[1] != 0))
    positives, negatives = (density[tuple(cells.T)] for density in densities)
    return BucketCounts(axes=surfaces.axes, cells=cells, positives=positives, negatives=negatives)


def slice_surfaces(surfaces: CountSurfaces, thresholds: Floats, pair: tuple[int, int]) -> CountSurfaces:
    """Cut the surface over two of k >= 3 classifiers; others stay at thresholds (k,)."""
    index: list[slice | int] = [int(i) for i in node_index(surfaces.axes, thresholds[np.newaxis])[0]]
    for j in pair:
        index[j] = slice(None)
    tp, fp = surfaces.tp[tuple(index)], surfaces.fp[tuple(index)]
    if pair[0] > pair[1]:
        tp, fp = tp.T, fp.T
    first, second = pair
    axes = surfaces.axes[first], surfaces.axes[second]
    names = surfaces.names[first], surfaces.names[second]
    return CountSurfaces(axes, tp, fp, surfaces.rule, names, surfaces.totals)


def slice_documents(
    documents: RatedDocuments,
    thresholds: Floats,
    pair: tuple[int, ...],
    *,
    rule: Rule,
    resolution: int = 100,
    spacing: Spacing = "uniform",
) -> CountSurfaces:
    """Count the surfaces of `slice_surfaces` from documents, exact at the others' thresholds.

    `pair` may be a single classifier.
    """
    others = [j for j in range(len(documents.names)) if j not in pair]
    decided = flagged(documents.scores[:, others], thresholds[others], rule)
    open_to_pair = ~decided if rule == "any" else decided
    all_axes = grid_axes(documents, resolution, spacing)
    buckets = count_cells(
        documents.scores[open_to_pair][:, pair],
        documents.labels[open_to_pair],
        documents.weights[open_to_pair],
        tuple(all_axes[j] for j in pair),
    )
    surfaces = surfaces_from_buckets(buckets, rule, tuple(documents.names[j] for j in pair))
    surfaces = replace(surfaces, rated=documents.totals)
    if rule == "all":
        return surfaces
    always = documents.counts_of(decided)
    return replace(surfaces, tp=surfaces.tp + always.tp, fp=surfaces.fp + always.fp)


def node_index(axes: Axes, thresholds: Floats) -> Indices:
    """Find the first node of each axis not below thresholds (m, k), else the last."""
    return np.column_stack(
        [np.minimum(np.searchsorted(axis, thresholds[:, j]), len(axis) - 1) for j, axis in enumerate(axes)]
    )


def _density(counts: Floats, rule: Rule) -> Floats:
    """Compute the weight in each cell (n_1 + 1, …, n_k + 1) of a grid whose surface is `counts`."""
    if rule == "all":
        density = np.pad(counts, 1)[(slice(1, None),) * counts.ndim]
        for j in range(counts.ndim):
            density = -np.diff(density, axis=j, append=0.0)
        return np.pad(density[(slice(0, -1),) * counts.ndim], [(1, 0)] * counts.ndim)
    density = counts[(0,) * counts.ndim] - counts
    for j in range(counts.ndim):
        density = np.diff(density, axis=j, prepend=0.0)
    density = np.pad(density, [(0, 1)] * counts.ndim)
    density[(-1,) * counts.ndim] = counts[(-1,) * counts.ndim]
    return density
