"""Find the best nodes for every target under an estimate of P(positive | scores)."""

from collections.abc import Sequence

import numpy as np

from multiloss_core.numerics.arrays import Bools, Floats, Indices
from multiloss_core.thresholds.data.counts import Rule, still_flagged
from multiloss_core.thresholds.paths.node_tables import (
    ExpectedCells,
    beside_rules,
    best_in_table,
    counts_along_nodes,
    counts_of_nodes,
    table_of_nodes,
)
from multiloss_core.thresholds.paths.score_cells import ScoreCells
from multiloss_core.thresholds.paths.smooth_fit import SmoothFit

MAX_ROUNDS = 20
MAX_TABLE_NODES = 200_000

Nodes = tuple[int, ...]


def best_nodes(fit: SmoothFit, targets: Floats, rule: Rule, max_nodes: int = MAX_TABLE_NODES) -> Indices:
    """Find nodes (m, k) of the best thresholds for rising targets; len(axis) is never.

    The best node at each target comes from a table of all nodes: exact for one or two classifiers. Where there are
    more than `max_nodes`, the table holds a part of the nodes of each axis, and an ascent along one classifier at a
    time goes on from its best node. With alert rules this is done beside each of the fit's `rule_choices`, and the best
    of them is taken at each target. Where a threshold would fall as the target rises, the chain with the largest
    (1 - m) TP - m FP, summed over targets, is returned, of the nodes found and of those that raising or lowering
    thresholds to one another makes of them, less the price of active rules. In this scale no target outweighs the
    others.
    """
    if fit.rule_choices is None:
        nodes = _best_of_scores(fit, fit.model.beyond, targets, rule, max_nodes)
    else:
        nodes = _best_beside_rules(fit, fit.rule_choices, targets, max_nodes)
    if (np.diff(nodes, axis=0) >= 0).all():
        return nodes
    raised, lowered = np.maximum.accumulate(nodes), np.minimum.accumulate(nodes[::-1])
    candidates = np.unique(np.vstack([nodes, raised, lowered]), axis=0)
    expected_tp, alerts = counts_of_nodes(fit, candidates, rule)
    levels = targets[:, np.newaxis]
    gains = expected_tp - levels * alerts - fit.price_of_rules(candidates, levels)
    may_follow = np.asarray((candidates[:, np.newaxis] <= candidates).all(axis=2))
    return candidates[_best_chain(gains, may_follow)]


def _best_of_scores(fit: ExpectedCells, beyond: Floats, targets: Floats, rule: Rule, max_nodes: int) -> Indices:
    """Find the best nodes (m, k) of scores for targets (m,), in any order."""
    never: Nodes = tuple(len(axis) for axis in fit.cells.axes)
    # With more classifiers not even two nodes each fit into a table: the ascent starts from flagging nothing or all.
    start: Nodes = never if rule == "any" else (0,) * len(never)
    table = table_of_nodes(fit, rule, max_nodes) if 2 ** len(start) <= max_nodes else None
    nodes = np.tile(start, (len(targets), 1)) if table is None else best_in_table(table, targets)
    if table is None or not table.complete:
        for i, target in enumerate(targets.tolist()):
            starts = dict.fromkeys(tuple(row) for row in nodes[max(i - 1, 0) : i + 1][::-1].tolist())
            nodes[i] = _ascended(fit, target, rule, list(starts)) or never
    return never_where_useless(fit.cells, beyond, targets, nodes, rule)


def _best_beside_rules(fit: SmoothFit, choices: Bools, targets: Floats, max_nodes: int) -> Indices:
    """Find the best nodes (m, k) for targets (m,), each with the best of (u, r) active rules."""
    found, gains = [], []
    for active in choices:
        scores = _best_of_scores(beside_rules(fit, active), fit.model.beyond, targets, "any", max_nodes)
        found.append(np.hstack([scores, np.tile(~active, (len(targets), 1))]).astype(np.intp))
        rising = (np.diff(scores, axis=0) >= 0).all()
        tp, alerts = (counts_along_nodes if rising else counts_of_nodes)(fit, found[-1], "any")
        gains.append(tp - targets * alerts - fit.price_of_rules(found[-1], targets))
    # Of equal gains the first: choices with fewer active rules come first.
    best = np.argmax(np.round(gains, 9), axis=0)
    return np.array(found)[best, np.arange(len(targets))]


def never_where_useless(cells: ScoreCells, beyond: Floats, targets: Floats, nodes: Indices, rule: Rule) -> Indices:
    """Set nodes (t, k) to never for scores that are useless even above the last node.

    Useless: the precision there, `beyond` (k,), is below the target. Where no score flags anything, all are never.
    """
    never = np.array([len(axis) for axis in cells.axes])
    at_top = nodes >= never - 1
    above = np.where(beyond < targets[:, np.newaxis], never, never - 1)
    nothing: Bools = np.asarray(at_top.all(axis=1) if rule == "any" else at_top.any(axis=1))
    return np.where(nothing[:, np.newaxis], never, np.where(at_top, above, nodes))


def _ascended(fit: ExpectedCells, target: float, rule: Rule, starts: Sequence[Nodes]) -> Nodes | None:
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
