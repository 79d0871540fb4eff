"""Group rated documents into cells of a grid, and count cells at nodes of thresholds."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.optimize import isotonic_regression
from scipy.special import xlog1py, xlogy

from multiloss_core.numerics.arrays import Bools, Floats, Indices, sums
from multiloss_core.numerics.concave_majorant import concave_majorant
from multiloss_core.thresholds.data.counts import Rule, still_flagged, turning_points
from multiloss_core.thresholds.data.grid_counts import Axes, BucketCounts, count_nodes_at_or_below, counts_at_nodes

# Nodes of each kind and classifier, tried in turn until the cells are few enough: for one or two classifiers, and more.
MERGED_RESOLUTIONS, MAX_MERGED_CELLS = (60, 40, 25, 15), 900
MERGED_RESOLUTIONS_OF_MANY, MAX_MERGED_CELLS_OF_MANY = (25, 15, 10, 6), 3600
# Nodes at jumps of the precision along one score, and the least gain of the log likelihood for one.
MAX_BOUNDARIES, MIN_GAIN = 24, 0.5
# Distance of a threshold below a positive: at most this multiple of the mean spacing of the next positives above.
NEIGHBOURS, SPACINGS = 4, 2.0


@dataclass(frozen=True, eq=False)
class ScoreCells:
    """Documents in the occupied cells of a grid.

    `axes`: k increasing arrays of nodes, the first at the floor, the last above every score. `cells` (c, k): number of
    nodes of each axis at or below the scores of a cell. `slots` (n,): the cell of each document, empty for a table of
    counts. The last `alert_rules` axes have one node, 1: cells there are 1 where the rule raised the documents.
    """

    axes: Axes
    cells: Indices
    slots: Indices
    alert_rules: int = 0

    @property
    def score_count(self) -> int:
        """The number of axes of scores."""
        return len(self.axes) - self.alert_rules

    @cached_property
    def of_scores(self) -> "ScoreCells":
        """The cells of the scores alone; `slots` (c,): where each cell lies among them."""
        return _cells_of(self.axes[: self.score_count], list(self.cells.T[: self.score_count]), 0)


def score_cells(scores: Floats, labels: Bools, floors: Floats, resolution: int, *, alert_rules: int = 0) -> ScoreCells:
    """Group documents into cells at positives, even log ranks and jumps of the precision.

    `scores` (n, k), `labels` (n,), `floors` (k,). At most about `resolution` nodes of the first two kinds for each
    classifier. TP changes only at the scores of positives; log ranks resolve the few documents at the top, near the
    thresholds; jumps matter where the precision falls from 1 to 0 within a few documents. A node stands half-way down
    to the next document, as new positives may lie just below the last one, but no further down than the spacing of the
    positives above: below an abrupt end there are only false alerts. The last `alert_rules` columns have one node, 1.
    Time O(n log n).
    """
    scored = scores.shape[1] - alert_rules
    # Documents below all floors of scores were raised by rules.
    by_score = (scores[:, :scored] >= floors[:scored]).any(axis=1) | (not alert_rules)
    known, labels = scores[by_score], labels[by_score]
    axes = (
        *(_axis(known[:, j], labels, float(floors[j]), resolution) for j in range(scored)),
        *[np.ones(1)] * alert_rules,
    )
    columns = [count_nodes_at_or_below(axis, scores[:, j]) for j, axis in enumerate(axes)]
    return _cells_of(axes, columns, alert_rules)


def cells_of_surfaces(buckets: BucketCounts, alert_rules: int = 0) -> tuple[ScoreCells, Floats, Floats]:
    """Turn a table of counts into cells, positives and totals (c,); no weight is negative."""
    positives = buckets.positives.clip(0.0)
    cells = ScoreCells(buckets.axes, buckets.cells, np.empty(0, dtype=np.intp), alert_rules)
    return cells, positives, positives + buckets.negatives.clip(0.0)


def merged_cells(cells: ScoreCells, positives: Floats, totals: Floats) -> ScoreCells:
    """Merge cells (c,) with these counts into those of fewer nodes, chosen as in `score_cells`.

    The `slots` (c,) of the result are the merged cell of each cell. More classifiers get fewer nodes, as cells
    multiply.
    """
    few = cells.score_count < 3
    for resolution in MERGED_RESOLUTIONS if few else MERGED_RESOLUTIONS_OF_MANY:
        axes, columns = [], []
        scored = cells.score_count
        for axis, column in zip(cells.axes[:scored], cells.cells.T[:scored], strict=True):
            chosen = _thinned(column, positives, totals, len(axis), resolution)
            columns.append(np.searchsorted(chosen, column, side="left"))
            axes.append(axis[chosen])
        merged = _cells_of((*axes, *cells.axes[scored:]), [*columns, *cells.cells.T[scored:]], cells.alert_rules)
        if len(merged.cells) <= (MAX_MERGED_CELLS if few else MAX_MERGED_CELLS_OF_MANY):
            break
    return merged


def precision_boundaries(x: Floats, positives: Floats, totals: Floats, most: int) -> Floats:
    """Find at most `most` values of x where the fitted precision rises, by likelihood gain.

    `positives` and `totals` (n,) are the counts at each x. O(n log n).
    """
    values, places = np.unique(x, return_inverse=True)
    caught, all_there = (sums(places, counts, len(values)) for counts in (positives, totals))
    there = all_there > 0
    values, caught, all_there = values[there], caught[there], all_there[there]
    if len(values) < 2:
        return np.empty(0)
    starts = np.asarray(isotonic_regression(caught / all_there, weights=all_there).blocks)[:-1]
    of_blocks, in_blocks = np.add.reduceat(caught, starts), np.add.reduceat(all_there, starts)
    apart = _log_likelihood(of_blocks, in_blocks)
    joined = _log_likelihood(of_blocks[1:] + of_blocks[:-1], in_blocks[1:] + in_blocks[:-1])
    gains = apart[1:] + apart[:-1] - joined
    chosen = np.sort(np.argsort(-gains, kind="stable")[:most])
    return np.asarray(values[starts[1:]][chosen[gains[chosen] > MIN_GAIN]])


def _thinned(column: Indices, positives: Floats, totals: Floats, nodes: int, resolution: int) -> Indices:
    """Choose nodes of an axis, with its ends, from counts of cells above node `column` - 1."""
    above = column > 0
    documents = sums(column[above] - 1, totals[above], nodes)
    caught = sums(column[above] - 1, positives[above], nodes)
    ranks = np.exp(np.linspace(np.log(max(documents.sum(), 1.0)), 0.0, resolution))
    from_top = np.cumsum(documents[::-1])
    by_rank = nodes - 1 - np.searchsorted(from_top, ranks - 1e-9).clip(0, nodes - 1)
    shares = np.linspace(0.0, caught.sum(), min(resolution, int(np.count_nonzero(caught)) + 1))
    by_positives = np.searchsorted(np.cumsum(caught), shares - 1e-9).clip(0, nodes - 1)
    jumps = precision_boundaries(
        column[above].astype(np.float64), positives[above], totals[above], min(resolution, MAX_BOUNDARIES)
    )
    return np.unique(np.concatenate([[0], by_rank, by_positives, jumps.astype(np.intp) - 1, [nodes - 1]]))


def _cells_of(axes: Axes, columns: list[Indices], alert_rules: int) -> ScoreCells:
    shape = tuple(len(axis) + 1 for axis in axes)
    if np.prod(shape, dtype=np.float64) > np.iinfo(np.intp).max / 2:
        # With many classifiers the number of cells exceeds an integer.
        occupied, slots = np.unique(np.column_stack(columns), axis=0, return_inverse=True)
        return ScoreCells(axes, occupied, slots, alert_rules)
    numbers, slots = np.unique(np.ravel_multi_index(tuple(columns), shape), return_inverse=True)
    return ScoreCells(axes, np.column_stack(np.unravel_index(numbers, shape)), slots, alert_rules)


def _axis(scores: Floats, labels: Bools, floor: float, resolution: int) -> Floats:
    inside = scores >= floor
    above = np.sort(scores[inside])
    if not above.size:
        return np.array([floor, np.nextafter(floor, np.inf)])
    positives = np.unique(scores[inside & labels])
    jumps = precision_boundaries(scores[inside], labels[inside].astype(np.float64), np.ones(len(above)), MAX_BOUNDARIES)
    thinned = np.linspace(0, len(positives) - 1, min(len(positives), resolution)).round().astype(np.intp)
    ranks = np.exp(np.linspace(np.log(len(above)), 0.0, resolution))
    by_rank = above[(len(above) - ranks).round().astype(np.intp).clip(0, len(above) - 1)]
    values = np.unique(np.concatenate([positives[thinned], by_rank, jumps]))
    place = np.searchsorted(above, values)
    # Above the floor itself if nothing is below; halves first, as the difference could overflow.
    lower = np.where(place > 0, above[place - 1], floor)
    # No further below a positive than the spacing of the next ones above it.
    number = np.arange(len(positives))
    ahead = np.minimum(number + NEIGHBOURS, len(positives) - 1)
    spacings = np.full(len(positives), np.inf)
    with np.errstate(over="ignore"):
        np.divide(SPACINGS * (positives[ahead] - positives), ahead - number, out=spacings, where=ahead > number)
    reaches = np.full(len(values), np.inf)
    reaches[np.searchsorted(values, positives[thinned])] = spacings[thinned]
    nodes = np.maximum(lower / 2 + values / 2, values - reaches)
    nodes = np.where(nodes > lower, nodes, values)
    return np.unique(np.concatenate([[floor], nodes[nodes > floor], [np.nextafter(above[-1], np.inf)]]))


def _log_likelihood(positives: Floats, totals: Floats) -> Floats:
    share = (positives + 0.25) / (totals + 0.5)
    return np.asarray(xlogy(positives, share) + xlog1py(totals - positives, -share))


@dataclass(frozen=True, eq=False)
class ExpectedCells:
    """Cells with the positives and totals (c,) expected in each."""

    cells: ScoreCells
    expected: Floats
    totals: Floats

    def cells_beside_rules(self, active: Bools) -> "ExpectedCells":
        """Leave to the scores what active alert rules (r,) did not raise."""
        raised = self.cells.cells[:, self.cells.score_count :][:, active] > 0
        return self.left_to_scores(np.asarray(~raised.any(axis=1)))

    def left_to_scores(self, left: Bools) -> "ExpectedCells":
        """Count cells (c,) by their scores alone."""
        alone = self.cells.of_scores
        counts = (sums(alone.slots, part * left, len(alone.cells)) for part in (self.expected, self.totals))
        return ExpectedCells(alone, *counts)

    def counts_along(self, nodes: Indices, rule: Rule) -> tuple[Floats, Floats]:
        """Compute expected TP and alerts (m,) at rising nodes (m, k). O(c log m)."""
        # Cell index i lies at or above node i - 1: cells act as documents with their indices as scores.
        turning = turning_points(self.cells.cells, nodes + 1, rule)
        tp, alerts = (still_flagged(turning, counts, len(nodes)) for counts in (self.expected, self.totals))
        return tp, alerts

    def counts_at(self, nodes: Indices, rule: Rule) -> tuple[Floats, Floats]:
        """Compute expected TP and alerts (m,) at nodes (m, k) in any order.

        O(c m), or O(c + n) where the grid has fewer nodes n.
        """
        shape = tuple(len(axis) + 1 for axis in self.cells.axes)
        if np.prod(shape, dtype=np.float64) <= len(self.totals) * len(nodes):
            of_all = (counts_at_nodes(self.cells.cells, part, shape, rule) for part in (self.expected, self.totals))
            tp, alerts = (counts[tuple(nodes.T)] for counts in of_all)
            return tp, alerts
        caught = flagged_cells(self.cells, nodes, rule)
        return self.expected @ caught, self.totals @ caught

    def table(self, rule: Rule, max_nodes: int) -> "TableOfNodes":
        """Count what is expected at all nodes, or at `max_nodes` evenly chosen ones."""
        # The last node is never, one after the nodes of the axis.
        counts = np.array([len(axis) + 1 for axis in self.cells.axes])
        nodes_per_axis = np.minimum(counts, int(max_nodes ** (1 / len(counts))))
        complete = bool(np.prod(counts.astype(np.float64)) <= max_nodes)
        nodes = tuple(
            np.arange(count) if complete else np.unique(np.linspace(0, count - 1, few).round().astype(np.intp))
            for count, few in zip(counts, nodes_per_axis, strict=True)
        )
        # Number of table nodes at or below the scores of each cell.
        places = np.column_stack(
            [np.searchsorted(axis_nodes, column) for axis_nodes, column in zip(nodes, self.cells.cells.T, strict=True)]
        )
        shape = tuple(len(axis_nodes) for axis_nodes in nodes)
        tp, alerts = (counts_at_nodes(places, part, shape, rule) for part in (self.expected, self.totals))
        return TableOfNodes(nodes, tp, alerts, complete)


def thresholds_at(cells: ScoreCells, nodes: Indices) -> Floats:
    """Convert node numbers (m, k) to thresholds, never to infinity."""
    return np.column_stack([np.append(axis, np.inf)[nodes[:, j]] for j, axis in enumerate(cells.axes)])


def nodes_at(cells: ScoreCells, thresholds: Floats) -> Indices:
    """Find the first nodes (m, k) at or above thresholds (m, k); never for infinity."""
    return np.column_stack([np.searchsorted(axis, thresholds[:, j]) for j, axis in enumerate(cells.axes)])


def flagged_cells(cells: ScoreCells, nodes: Indices, rule: Rule) -> Floats:
    """Compute 0/1 masks (c, m) of the cells flagged at node numbers (m, k)."""
    above = [cells.cells[:, j, np.newaxis] > nodes[:, j] for j in range(nodes.shape[1])]
    caught: Bools = np.logical_or.reduce(above) if rule == "any" else np.logical_and.reduce(above)
    return caught.astype(np.float64)


@dataclass(frozen=True, eq=False)
class TableOfNodes:
    """Expected TP and alerts, of shape (n_1, …, n_k), at `nodes` of each axis.

    `complete`: these are all nodes.
    """

    nodes: tuple[Indices, ...]
    tp: Floats
    alerts: Floats
    complete: bool

    def gains(self, nodes: Indices, targets: Floats) -> Floats:
        """Look up (1 - m) TP - m FP at nodes (…, t, k) of the table for targets m (t,)."""
        places = tuple(np.searchsorted(axis, nodes[..., j]) for j, axis in enumerate(self.nodes))
        return np.asarray(self.tp[places] - targets * self.alerts[places])

    def best(self, targets: Floats) -> Indices:
        """Find the strictest best node (t, k) at each target (t,); never without gain. O(n log n)."""
        strictest_first = (slice(None, None, -1),) * self.tp.ndim
        corners, precisions = concave_majorant(self.alerts[strictest_first].ravel(), self.tp[strictest_first].ravel())
        numbers = np.unravel_index(corners[np.searchsorted(-precisions, -targets)], self.tp.shape)
        return np.column_stack([axis[::-1][at] for axis, at in zip(self.nodes, numbers, strict=True)])
