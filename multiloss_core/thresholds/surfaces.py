"""TP and FP as surfaces over the thresholds of all classifiers."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from multiloss_core.errors import DataError
from multiloss_core.thresholds.bucket_counts import (
    Axes,
    BucketCounts,
    Spacing,
    bucket_counts,
    count_cells,
    grid_axes,
)
from multiloss_core.thresholds.count_table import threshold_columns
from multiloss_core.thresholds.rated import RatedDocuments, flagged, numbers

Rule = Literal["any", "all"]
MOST_NODES = 4_000_000


@dataclass(frozen=True, eq=False)
class CountSurfaces:
    """True and false positives at every node of a threshold grid; validated when made.

    `axes` is a tuple of k increasing arrays of thresholds, `tp` and `fp` have shape (n_1, …, n_k) and never increase
    along an axis. `rule` says whether a document is flagged when `any` or `all` of its scores reach their thresholds.

    Raises
    ------
    DataError : shapes that do not fit, negative counts, or counts that rise with a threshold.
    """

    axes: Axes
    tp: NDArray[np.float64]
    fp: NDArray[np.float64]
    rule: Rule
    names: tuple[str, ...]

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

    @property
    def floors(self) -> NDArray[np.float64]:
        """The first node (k,) of each axis: below it nothing was counted."""
        return np.array([axis[0] for axis in self.axes])

    @classmethod
    def from_table(
        cls, frame: pd.DataFrame, *, thresholds: Sequence[str] | None = None, rule: Rule | None = None
    ) -> "CountSurfaces":
        """Read a ready table of counts: one row for each node (T1, T2, …, TP, FP) of a full grid, in any order.

        The threshold columns are those named like thresholds unless given. The rule is told by the counts (under
        `any`, raising one threshold to the top leaves what the others flag; under `all`, it leaves nothing) unless
        given. Row numbers in messages count from 1 below the header.

        Raises
        ------
        DataError : missing columns, cells that are no numbers, a node that is missing or occurs twice, negative
            counts, counts that rise with a threshold, or more than 4 million rows.
        """
        by_name = {str(column).strip().lower(): column for column in frame.columns}
        for wanted in ("tp", "fp"):
            if wanted not in by_name:
                raise DataError(
                    f"A table of counts needs a column '{wanted.upper()}'; rename one or choose another file."
                )
        names = list(thresholds) if thresholds is not None else threshold_columns(frame)
        for name in names:
            if name not in frame.columns:
                raise DataError(f"There is no column '{name}' in the table of counts; choose another.")
        if not names:
            raise DataError("A table of counts needs threshold columns (T1, T2, …) beside TP and FP; add them.")
        if len(frame) > MOST_NODES:
            raise DataError(f"The table has {len(frame):,} rows, more than {MOST_NODES:,} nodes; use a coarser grid.")
        columns = [_finite_column(frame, name) for name in [*names, by_name["tp"], by_name["fp"]]]
        axes, positions = zip(
            *(np.unique(values, return_inverse=True) for values in columns[: len(names)]), strict=True
        )
        shape = tuple(len(axis) for axis in axes)
        for name, axis in zip(names, axes, strict=True):
            if len(axis) < 2:
                raise DataError(f"Column '{name}' holds one threshold only, {axis[0]:g} from row 1 on; leave it out.")
        row_at = _row_of_each_node(names, axes, positions, shape)
        tp, fp = (
            _surface_of_column(title, values, names, row_at.reshape(shape))
            for title, values in (("TP", columns[-2]), ("FP", columns[-1]))
        )
        return cls(axes, tp, fp, rule or _told_rule(tp + fp), tuple(map(str, names)))


def count_surfaces(
    documents: RatedDocuments, *, rule: Rule = "any", resolution: int = 100, spacing: Spacing = "uniform"
) -> CountSurfaces:
    """Count TP and FP at every node of a grid (method of Robles et al. 2020, any number k of classifiers).

    `resolution` is the largest number of nodes for each classifier; see `grid_axes` for the spacing. Time
    O(k n + k N) and memory O(n + N) for n documents and N = resolution^k nodes.

    Raises
    ------
    DataError : more than 4 million nodes (the message names a resolution that fits), unknown rule or spacing.
    """
    require_rule(rule)
    classifiers = len(documents.names)
    require_resolution(classifiers, resolution)
    return surfaces_from_buckets(
        bucket_counts(documents, grid_axes(documents, resolution, spacing)), rule, documents.names
    )


def require_resolution(classifiers: int, resolution: int) -> None:
    """Refuse a grid of more than 4 million nodes, naming a resolution that fits."""
    if resolution**classifiers > MOST_NODES:
        fits = largest_resolution(classifiers)
        raise DataError(
            f"A grid of {resolution:,} nodes for each of {classifiers} classifiers has {float(resolution) ** classifiers:,.0f} "
            f"nodes, more than {MOST_NODES:,}; a resolution of {fits:,} fits."
        )


def largest_resolution(classifiers: int) -> int:
    """The largest resolution whose grid has at most 4 million nodes."""
    fits = int(MOST_NODES ** (1 / classifiers))
    return fits + 1 if (fits + 1) ** classifiers <= MOST_NODES else fits


def surfaces_from_buckets(buckets: BucketCounts, rule: Rule, names: tuple[str, ...]) -> CountSurfaces:
    """Sum bucket counts to surfaces: one cumulative sum for each axis.

    `any`: all documents but those with every score below its threshold; `all`: those with every score at or above.
    """
    shape = tuple(len(axis) for axis in buckets.axes)
    surfaces = []
    for weights in (buckets.positives, buckets.negatives):
        counts = np.zeros(shape)
        counts[tuple(buckets.cells.T)] = weights
        surfaces.append(counts_at_nodes(counts, rule))
    return CountSurfaces(buckets.axes, surfaces[0], surfaces[1], rule, names)


def counts_at_nodes(counts: NDArray[np.float64], rule: Rule) -> NDArray[np.float64]:
    """Flagged weight at each node from the weight in each cell; both (n_1, …, n_k), and nothing above the last nodes."""
    for j in range(counts.ndim):
        counts = np.cumsum(counts, axis=j) if rule == "any" else _above(counts, j)
    if rule == "any":
        counts = counts[(-1,) * counts.ndim] - counts
    # Sums of fractional weights in different orders differ by rounding; counts must still never rise.
    for j in range(counts.ndim):
        counts = np.minimum.accumulate(counts, axis=j)
    return counts.clip(min=0.0)


def buckets_from_surfaces(surfaces: CountSurfaces) -> BucketCounts:
    """Undo `surfaces_from_buckets`: the weight in each cell, by differences along each axis.

    What lies below the first node of every axis is not in the surfaces and comes back as no document. A table that
    no set of documents could have produced gives some negative weights; sums over them are still the table's counts.
    """
    densities = [_density(counts, surfaces.rule) for counts in (surfaces.tp, surfaces.fp)]
    cells = np.argwhere((densities[0] != 0) | (densities[1] != 0))
    positives, negatives = (density[tuple(cells.T)] for density in densities)
    return BucketCounts(surfaces.axes, cells, positives, negatives)


def slice_surfaces(
    source: RatedDocuments | CountSurfaces,
    thresholds: NDArray[np.float64],
    pair: tuple[int, int],
    *,
    rule: Rule,
    resolution: int = 100,
    spacing: Spacing = "uniform",
) -> CountSurfaces:
    """The surfaces over two of k >= 3 classifiers while the others stay at the given thresholds (k,).

    From documents the counts are exact at the others' thresholds; from surfaces the others stay at the first node
    that is not below them.
    """
    if isinstance(source, CountSurfaces):
        index: list[slice | int] = [int(i) for i in node_index(source.axes, thresholds[np.newaxis])[0]]
        for j in pair:
            index[j] = slice(None)
        tp, fp = source.tp[tuple(index)], source.fp[tuple(index)]
        if pair[0] > pair[1]:
            tp, fp = tp.T, fp.T
        return CountSurfaces(
            (source.axes[pair[0]], source.axes[pair[1]]),
            tp,
            fp,
            source.rule,
            tuple(source.names[j] for j in pair),
        )
    others = [j for j in range(len(source.names)) if j not in pair]
    decided = flagged(source.scores[:, others], thresholds[others], rule)
    kept = ~decided if rule == "any" else decided
    all_axes = grid_axes(source, resolution, spacing)
    buckets = count_cells(
        source.scores[kept][:, pair],
        source.labels[kept],
        source.weights[kept],
        (all_axes[pair[0]], all_axes[pair[1]]),
    )
    surfaces = surfaces_from_buckets(buckets, rule, tuple(source.names[j] for j in pair))
    if rule == "all":
        return surfaces
    always = source.weights * decided
    return replace(
        surfaces,
        tp=surfaces.tp + always[source.labels].sum(),
        fp=surfaces.fp + always[~source.labels].sum(),
    )


def node_index(axes: Axes, thresholds: NDArray[np.float64]) -> NDArray[np.intp]:
    """For thresholds (m, k), the first node of each axis that is not below them (the last node where none is)."""
    return np.column_stack(
        [np.minimum(np.searchsorted(axis, thresholds[:, j]), len(axis) - 1) for j, axis in enumerate(axes)]
    )


def rounding_tolerance(counts: NDArray[np.float64]) -> float:
    """How far sums of weights may differ by rounding alone."""
    return 1e-9 * float(counts.max(initial=0.0))


def require_rule(rule: str) -> None:
    """Refuse a rule other than `any` and `all`."""
    if rule not in ("any", "all"):
        raise DataError(f"The rule must be 'any' or 'all', not '{rule}'.")


def _density(counts: NDArray[np.float64], rule: Rule) -> NDArray[np.float64]:
    """The weight in each cell (n_1 + 1, …, n_k + 1) of a grid whose surface is `counts`."""
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


def _above(counts: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    from_here = np.flip(np.cumsum(np.flip(counts, axis), axis=axis), axis)
    last = np.zeros_like(from_here.take([0], axis=axis))
    return np.concatenate([np.delete(from_here, 0, axis=axis), last], axis=axis)


def _finite_column(frame: pd.DataFrame, name: str) -> NDArray[np.float64]:
    values, blank, unusable = numbers(frame[name])
    bad = blank | unusable
    if bad.any():
        row = int(bad.argmax())
        raise DataError(
            f"Column '{name}' has {bad.sum():,} cells that are not finite numbers (first: row {row + 1:,}, "
            f"'{str(frame[name].iloc[row])[:40]}'); correct them."
        )
    return values


def _row_of_each_node(
    names: Sequence[str],
    axes: Sequence[NDArray[np.float64]],
    positions: Sequence[NDArray[np.intp]],
    shape: tuple[int, ...],
) -> NDArray[np.intp]:
    if np.prod(shape, dtype=np.float64) > MOST_NODES:
        raise DataError(
            f"The thresholds of the {len(positions[0]):,} rows form no full grid: {' x '.join(map(str, shape))} different "
            "values would need a row for each combination."
        )
    node = np.ravel_multi_index(tuple(positions), shape)
    times = np.bincount(node, minlength=int(np.prod(shape)))
    if (times > 1).any():
        first, second = np.flatnonzero(node == (times > 1).argmax())[:2]
        raise DataError(
            f"The node {_node_words(names, axes, int(node[first]), shape)} occurs more than once (rows {first + 1:,} and "
            f"{second + 1:,}; {(times > 1).sum():,} such nodes); keep one row for each."
        )
    if (times == 0).any():
        raise DataError(
            f"{(times == 0).sum():,} nodes of the {' x '.join(map(str, shape))} grid are missing (first: "
            f"{_node_words(names, axes, int((times == 0).argmax()), shape)}); add a row for each combination of "
            "thresholds."
        )
    return np.argsort(node)


def _node_words(names: Sequence[str], axes: Sequence[NDArray[np.float64]], node: int, shape: tuple[int, ...]) -> str:
    index = np.unravel_index(node, shape)
    return ", ".join(f"{name} = {axis[i]:.10g}" for name, axis, i in zip(names, axes, index, strict=True))


def _surface_of_column(
    title: str, values: NDArray[np.float64], names: Sequence[str], row_at: NDArray[np.intp]
) -> NDArray[np.float64]:
    """The counts at the nodes, where `row_at` (n_1, …, n_k) holds the row of each node; refused where they rise."""
    if (values < 0).any():
        row = int((values < 0).argmax())
        raise DataError(
            f"Column '{title}' has {(values < 0).sum():,} negative counts (first: row {row + 1:,}, {values[row]:g}); "
            "correct them."
        )
    counts = values[row_at]
    for j, name in enumerate(names):
        rises = np.diff(counts, axis=j) > rounding_tolerance(counts)
        if rises.any():
            low = tuple(np.argwhere(rises)[0])
            high = tuple(i + (axis == j) for axis, i in enumerate(low))
            raise DataError(
                f"Column '{title}' rises as '{name}' rises in {rises.sum():,} places (first: from {counts[low]:g} in "
                f"row {row_at[low] + 1:,} to {counts[high]:g} in row {row_at[high] + 1:,}); flagging at or above "
                "thresholds can only lose documents: check the columns."
            )
    return counts


def _told_rule(alerts: NDArray[np.float64]) -> Rule:
    """Tell the rule by what remains when one pair of thresholds is raised together or apart."""
    if alerts.ndim == 1:
        return "any"
    evidence = 0.0
    for i in range(alerts.ndim):
        for j in range(i):
            for rest in (0, -1):
                index: list[int | slice] = [rest] * alerts.ndim
                index[i] = index[j] = slice(None)
                face = alerts[tuple(index)]
                evidence += face[0, 0] - face[0, -1] - face[-1, 0] + face[-1, -1]
    return "all" if evidence > 0 else "any"
