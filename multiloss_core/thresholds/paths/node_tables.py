"""Count what a fit expects at nodes of thresholds: at all of them, or along a path."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from multiloss_core.numerics.arrays import Bools, Floats, Indices, sums
from multiloss_core.numerics.concave_majorant import concave_majorant
from multiloss_core.thresholds.data.count_surfaces import counts_at_nodes
from multiloss_core.thresholds.data.counts import Rule, still_flagged, turning_points
from multiloss_core.thresholds.paths.score_cells import ScoreCells


class ExpectedCells(Protocol):
    """Cells with the positives and totals (c,) expected in each."""

    @property
    def cells(self) -> ScoreCells:
        """The cells."""

    @property
    def expected(self) -> Floats:
        """The positives expected in each cell (c,)."""

    @property
    def totals(self) -> Floats:
        """The weight in each cell (c,)."""


@dataclass(frozen=True, eq=False)
class CellsOfScores:
    """Cells with the positives and totals (c,) expected in each."""

    cells: ScoreCells
    expected: Floats
    totals: Floats


def beside_rules(fit: ExpectedCells, active: Bools) -> CellsOfScores:
    """Leave to the scores what active alert rules (r,) did not raise; all cells stay."""
    cells, scored = fit.cells, fit.cells.score_count
    left = ~(cells.cells[:, scored:][:, active] > 0).any(axis=1)
    alone = ScoreCells(cells.axes[:scored], cells.cells[:, :scored], cells.slots)
    return CellsOfScores(alone, fit.expected * left, fit.totals * left)


def counts_along_nodes(
    fit: ExpectedCells, nodes: Indices, rule: Rule, scale: Floats | float = 1.0
) -> tuple[Floats, Floats]:
    """Compute expected TP and alerts (m,) at rising nodes (m, k). O(c log m).

    The weights of cells are divided by `scale`.
    """
    # Cell index i lies at or above node i - 1: cells act as documents with their indices as scores.
    turning = turning_points(fit.cells.cells, nodes + 1, rule)
    tp, alerts = (still_flagged(turning, counts / scale, len(nodes)) for counts in (fit.expected, fit.totals))
    return tp, alerts


def thresholds_at(cells: ScoreCells, nodes: Indices) -> Floats:
    """Convert node numbers (m, k) to thresholds, never to infinity."""
    return np.column_stack([np.append(axis, np.inf)[nodes[:, j]] for j, axis in enumerate(cells.axes)])


def nodes_at(cells: ScoreCells, thresholds: Floats) -> Indices:
    """Find the first nodes (m, k) at or above thresholds (m, k); never for infinity."""
    return np.column_stack([np.searchsorted(axis, thresholds[:, j]) for j, axis in enumerate(cells.axes)])


def counts_of_nodes(fit: ExpectedCells, nodes: Indices, rule: Rule) -> tuple[Floats, Floats]:
    """Compute expected TP and alerts (m,) at nodes (m, k) in any order. O(c m)."""
    caught = flagged_cells(fit.cells, nodes, rule)
    return fit.expected @ caught, fit.totals @ caught


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


def table_of_nodes(fit: ExpectedCells, rule: Rule, max_nodes: int) -> TableOfNodes:
    """Count what the fit expects at all nodes, or at `max_nodes` evenly chosen ones."""
    # The last node is never, one after the nodes of the axis.
    counts = np.array([len(axis) + 1 for axis in fit.cells.axes])
    nodes_per_axis = np.minimum(counts, int(max_nodes ** (1 / len(counts))))
    complete = bool(np.prod(counts.astype(np.float64)) <= max_nodes)
    nodes = tuple(
        np.arange(count) if complete else np.unique(np.linspace(0, count - 1, few).round().astype(np.intp))
        for count, few in zip(counts, nodes_per_axis, strict=True)
    )
    # Number of table nodes at or below the scores of each cell.
    cells = np.column_stack(
        [np.searchsorted(axis_nodes, column) for axis_nodes, column in zip(nodes, fit.cells.cells.T, strict=True)]
    )
    shape = tuple(len(axis_nodes) for axis_nodes in nodes)
    slots = np.ravel_multi_index(tuple(cells.T), shape)
    tp, alerts = (
        counts_at_nodes(sums(slots, part, int(np.prod(shape))).reshape(shape), rule)
        for part in (fit.expected, fit.totals)
    )
    return TableOfNodes(nodes, tp, alerts, complete)


def best_in_table(table: TableOfNodes, targets: Floats) -> Indices:
    """Find the strictest best node (t, k) at each target (t,); never without gain. O(n log n)."""
    strictest_first = (slice(None, None, -1),) * table.tp.ndim
    corners, precisions = concave_majorant(table.alerts[strictest_first].ravel(), table.tp[strictest_first].ravel())
    numbers = np.unravel_index(corners[np.searchsorted(-precisions, -targets)], table.tp.shape)
    return np.column_stack([axis[::-1][at] for axis, at in zip(table.nodes, numbers, strict=True)])
