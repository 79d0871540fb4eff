"""Find the best nodes for every target, averaged over resamples of the documents."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

import numpy as np

from multiloss_core.numerics.arrays import Bools, Floats, Indices
from multiloss_core.thresholds.data.counts import Rule, still_flagged
from multiloss_core.thresholds.paths.smooth.cells import (
    ExpectedCells,
    ScoreCells,
    beside_rules,
    best_in_table,
    counts_along_nodes,
    counts_of_nodes,
    nodes_at,
    table_of_nodes,
)
from multiloss_core.thresholds.paths.smooth.fit import SmoothFit
from multiloss_core.thresholds.paths.smooth.model import single_threaded
from multiloss_core.thresholds.paths.smooth.resampling import CellSample

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


RESAMPLES = 40
# Nodes of the tables of resamples, by the number of classifiers: the average is finer than they are.
NODES, NODES_OF_MANY = {1: 2_000, 2: 6_400}, 20_000
# How many standard errors nodes may lack of the best gain; current thresholds less with more positives than these.
MAX_LACK, FEW_POSITIVES = 0.6, 30.0


def refits_of(fit: SmoothFit, sample: CellSample) -> Iterator[SmoothFit]:
    """Fit again to each of `RESAMPLES` resamples."""
    for counts in sample.draw(np.random.default_rng(0), RESAMPLES):
        yield fit.refitted(counts)


@single_threaded
def averaged_nodes(
    fit: SmoothFit, targets: Floats, rule: Rule, refits: Iterable[ExpectedCells], current: Floats | None = None
) -> Indices:
    """Average the best nodes (t, k) for rising targets (t,) over resamples; none falls.

    `refits`: what a fit to each resample expects in the cells of `fit`.

    The nodes of `best_nodes` move with chance as n^(-1/3); their mean over resamples (Breiman 1996) moves less. It is
    taken in the logarithm of the number of documents at or above each node.

    At a jump of the precision, or where classifiers can replace each other, the mean may lie far below the best. So it
    is kept only where data hardly distinguish it from the best: its expected gain lacks at most `MAX_LACK` standard
    errors, of the documents that one flags and the other does not. Else half the way is tried, else the best nodes
    stay; where nothing is gained, nothing is flagged. `current` thresholds (k,) come before the mean on such a
    condition, the stricter the more positives there are. Alert rules stay as `best_nodes` chooses them; the nodes of
    scores are averaged beside them. Deterministic. Each resample costs a refit and O(n log n) for a table of n nodes;
    too many classifiers for a table keep the best nodes.
    """
    best, scored = best_nodes(fit, targets, rule), fit.cells.score_count
    max_nodes = NODES.get(scored, NODES_OF_MANY)
    # A table must hold two nodes of each axis.
    has_table = 2**scored <= max_nodes
    refits = list(refits) if has_table else []
    trust = np.sqrt(FEW_POSITIVES / max(float(fit.positives @ fit.scale), FEW_POSITIVES))
    present = None if current is None else (current[:scored], MAX_LACK * trust)
    if fit.rule_choices is None:
        return _averaged(fit, fit, best, targets, rule, refits, max_nodes, present)
    chosen = best.copy()
    for inactive in np.unique(best[:, scored:], axis=0):
        rows = (best[:, scored:] == inactive).all(axis=1)
        beside = partial(beside_rules, active=inactive == 0)
        alone = beside(fit)
        if alone.totals.any():
            resampled = [beside(refit) for refit in refits]
            chosen[rows, :scored] = _averaged(
                alone, fit, best[rows, :scored], targets[rows], rule, resampled, max_nodes, present
            )
    return _rising(chosen, lambda nodes: _gains(fit, nodes, targets, rule) - fit.price_of_rules(nodes, targets))


def _averaged(
    cells: ExpectedCells,
    fit: SmoothFit,
    best: Indices,
    targets: Floats,
    rule: Rule,
    refits: Sequence[ExpectedCells],
    max_nodes: int,
    current: tuple[Floats, float] | None,
) -> Indices:
    """Average nodes (t, k) over refits of cells.

    `current`: thresholds (k,), and how many standard errors they may lack.
    """
    ranks = _log_ranks(cells)
    at_best = _at(ranks, best)
    chosen = best
    aims = [(_mean_over_resamples(refits, targets, rule, ranks, max_nodes), MAX_LACK)] if refits else []
    if current is not None:
        aims.append((_at(ranks, nodes_at(cells.cells, current[0][np.newaxis])), current[1]))
    for aim, most_lack in aims:
        for part in (0.5, 1.0):
            nodes = _nearest(ranks, at_best + part * (aim - at_best))
            is_close = _is_close(cells, fit.scale, best, nodes, targets, rule, most_lack)
            chosen = np.where(is_close[:, np.newaxis], nodes, chosen)
    chosen = _rising(chosen, partial(_gains, cells, targets=targets, rule=rule))
    return never_where_useless(cells.cells, fit.model.beyond, targets, chosen, rule)


def _mean_over_resamples(
    refits: Sequence[ExpectedCells], targets: Floats, rule: Rule, ranks: list[Floats], max_nodes: int
) -> Floats:
    """Average the ranks (t, k) of the best nodes of resamples."""
    mean = np.zeros((len(targets), len(ranks)))
    for refit in refits:
        table = table_of_nodes(refit, rule, max_nodes)
        mean += _at(ranks, _rising(best_in_table(table, targets), partial(table.gains, targets=targets)))
    return mean / len(refits)


def _rising(nodes: Indices, gains: Callable[[Indices], Floats]) -> Indices:
    """Raise or lower nodes (t, k) until none falls, whichever gains more in all."""
    ways = np.maximum.accumulate(nodes), np.minimum.accumulate(nodes[::-1])[::-1]
    return max(ways, key=lambda way: float(gains(way).sum()))


def _log_ranks(fit: ExpectedCells) -> list[Floats]:
    """Count documents at or above each node of each axis, as logarithms; the last is never."""
    ranks = []
    for axis, column in zip(fit.cells.axes, fit.cells.cells.T, strict=True):
        above = np.cumsum(np.bincount(column, fit.totals, len(axis) + 1)[::-1])[::-1]
        # Half a document where there is none.
        ranks.append(np.log(np.append(above[1:], 0.0).clip(above[above > 0].min() / 2)))
    return ranks


def _at(ranks: list[Floats], nodes: Indices) -> Floats:
    """Look up the ranks (…, k) of nodes (…, k)."""
    return np.stack([rank[nodes[..., j]] for j, rank in enumerate(ranks)], axis=-1)


def _nearest(ranks: list[Floats], wanted: Floats) -> Indices:
    """Find the nodes (t, k) nearest to ranks (t, k)."""
    columns = []
    for rank, column in zip(ranks, wanted.T, strict=True):
        # Never has the rank of the last node.
        after = np.searchsorted(-rank[:-1], -column).clip(1, len(rank) - 2)
        columns.append(np.where(rank[after - 1] - column <= column - rank[after], after - 1, after))
    return np.column_stack(columns)


def _gains(fit: ExpectedCells, nodes: Indices, targets: Floats, rule: Rule) -> Floats:
    """Compute the expected (1 - m) TP - m FP at rising nodes (t, k) for targets m (t,)."""
    tp, alerts = counts_along_nodes(fit, nodes, rule)
    return np.asarray(tp - targets * alerts)


def _is_close(
    fit: ExpectedCells, scale: Floats, best: Indices, nodes: Indices, targets: Floats, rule: Rule, most_lack: float
) -> Bools:
    """Find the targets (t,) at which rising nodes (t, k) gain hardly less than the best ones."""
    gains, most = (_gains(fit, at, targets, rule) for at in (nodes, best))
    # Flagged by one of the two, but not by the other; as sums of squared weights.
    joined = np.minimum(nodes, best) if rule == "any" else np.maximum(nodes, best)
    of_one, of_other, of_joined = (np.array(counts_along_nodes(fit, at, rule, scale)) for at in (nodes, best, joined))
    tp, alerts = np.abs(2 * of_joined - of_one - of_other)
    variance = (1 - targets) ** 2 * tp + targets**2 * (alerts - tp)
    return np.asarray((gains > 0) & (most - gains <= most_lack * np.sqrt(variance.clip(0.0))))
