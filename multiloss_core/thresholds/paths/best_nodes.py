"""Find the best nodes for every target under an estimate of P(positive | scores)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from multiloss_core.numerics.arrays import Bools, Floats, Indices, sums
from multiloss_core.numerics.concave_majorant import concave_majorant
from multiloss_core.thresholds.data.count_surfaces import counts_at_nodes
from multiloss_core.thresholds.data.counts import Rule, still_flagged, turning_points
from multiloss_core.thresholds.paths.score_cells import ScoreCells
from multiloss_core.thresholds.paths.smooth_fit import SmoothFit

MAX_ROUNDS = 20
MAX_TABLE_NODES = 200_000

Nodes = tuple[int, ...]


def best_nodes(fit: SmoothFit, targets: Floats, rule: Rule, max_nodes: int = MAX_TABLE_NODES) -> Indices:
    """Find nodes (m, k) of the best thresholds for rising targets; len(axis) is never.

    The best node at each target comes from a table of all nodes: exact for one or two classifiers. Where there are
    more than `max_nodes`, the table holds a part of the nodes of each axis, and an ascent along one classifier at a
    time goes on from its best node. Where a threshold would fall as the target rises, the chain with the largest
    (1 - m) TP - m FP, summed over targets, is returned, of the nodes found and of those that raising or lowering
    thresholds to one another makes of them. In this scale no target outweighs the others.
    """
    never: Nodes = tuple(len(axis) for axis in fit.cells.axes)
    # With more classifiers not even two nodes each fit into a table: the ascent starts from flagging nothing or all.
    start: Nodes = never if rule == "any" else (0,) * len(never)
    table = table_of_nodes(fit, rule, max_nodes) if 2 ** len(start) <= max_nodes else None
    nodes = np.tile(start, (len(targets), 1)) if table is None else best_in_table(table, targets)
    if table is None or not table.complete:
        for i, target in enumerate(targets.tolist()):
            starts = dict.fromkeys(tuple(row) for row in nodes[max(i - 1, 0) : i + 1][::-1].tolist())
            nodes[i] = _ascended(fit, target, rule, list(starts)) or never
    nodes = never_where_useless(fit, targets, nodes, rule)
    if (np.diff(nodes, axis=0) >= 0).all():
        return nodes
    raised, lowered = np.maximum.accumulate(nodes), np.minimum.accumulate(nodes[::-1])
    candidates = np.unique(np.vstack([nodes, raised, lowered]), axis=0)
    caught = flagged_cells(fit.cells, candidates, rule)
    alerts, expected_tp = fit.totals @ caught, fit.expected @ caught
    gains = expected_tp - targets[:, np.newaxis] * alerts
    may_follow = np.asarray((candidates[:, np.newaxis] <= candidates).all(axis=2))
    return candidates[_best_chain(gains, may_follow)]


def counts_along_nodes(
    fit: SmoothFit, nodes: Indices, rule: Rule, scale: Floats | float = 1.0
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


def table_of_nodes(fit: SmoothFit, rule: Rule, max_nodes: int) -> TableOfNodes:
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


def never_where_useless(fit: SmoothFit, targets: Floats, nodes: Indices, rule: Rule) -> Indices:
    """Set nodes (t, k) to never for classifiers that are useless even above the last node.

    Useless: the precision there is below the target. Where nothing is flagged, all are never.
    """
    never = np.array([len(axis) for axis in fit.cells.axes])
    at_top = nodes >= never - 1
    beyond = np.where(fit.model.beyond < targets[:, np.newaxis], never, never - 1)
    nothing: Bools = np.asarray(at_top.all(axis=1) if rule == "any" else at_top.any(axis=1))
    return np.where(nothing[:, np.newaxis], never, np.where(at_top, beyond, nodes))


def _ascended(fit: SmoothFit, target: float, rule: Rule, starts: Sequence[Nodes]) -> Nodes | None:
    gains = fit.expected - target * fit.totals
    best_gain, best = 0.0, None
    for start in starts:
        nodes, gain = _ascend(fit.cells, gains, rule, start)
        if gain > best_gain:
            best_gain, best = gain, nodes
    return best


def _ascend(cells: ScoreCells, gains: Floats, rule: Rule, start: Nodes) -> tuple[Nodes, float]:
    """Move one threshold at a time to the largest gain of the flagged cells."""
    nodes = list(start)
    reached = [cells.cells[:, j] > node for j, node in enumerate(nodes)]
    gain = 0.0
    for _ in range(MAX_ROUNDS):
        before = list(nodes)
        for j, axis in enumerate(cells.axes):
            others = reached[:j] + reached[j + 1 :]
            decided, settled = _decided_by_others(others, gains, rule)
            added = still_flagged(cells.cells[:, j], gains * decided, len(axis))
            # Of equally good nodes the strictest.
            nodes[j] = len(added) - 1 - int(np.argmax(added[::-1]))
            gain = settled + float(added[nodes[j]])
            reached[j] = cells.cells[:, j] > nodes[j]
        if nodes == before:
            break
    return tuple(nodes), gain


def _best_chain(gains: Floats, may_follow: Bools) -> Indices:
    """Choose the chain (m,) of largest gain from gains (m, u) and allowed steps (u, u)."""
    best, came_from = gains[0], []
    barred = np.where(may_follow, 0.0, -np.inf)
    for gain in gains[1:]:
        ways = best[:, np.newaxis] + barred
        came_from.append(ways.argmax(axis=0))
        best = gain + ways.max(axis=0)
    chain = [int(best.argmax())]
    for before in reversed(came_from):
        chain.append(int(before[chain[-1]]))
    return np.array(chain[::-1], dtype=np.intp)


def _decided_by_others(others: Sequence[Bools], gains: Floats, rule: Rule) -> tuple[Bools, float]:
    """Find the cells decided by one classifier, and the gain of those flagged by others."""
    if not others:
        return np.ones(len(gains), dtype=bool), 0.0
    if rule == "all":
        return np.logical_and.reduce(others), 0.0
    flagged = np.logical_or.reduce(others)
    return ~flagged, float(gains[flagged].sum())
