"""Find the best nodes for every target, averaged over resamples of the documents."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from operator import itemgetter

import numpy as np

from multiloss_core.numerics.arrays import Bools, Floats, Indices
from multiloss_core.thresholds.data.counts import Rule, still_flagged
from multiloss_core.thresholds.paths.smooth.cells import ExpectedCells, ScoreCells, nodes_at
from multiloss_core.thresholds.paths.smooth.precision_model import single_threaded
from multiloss_core.thresholds.paths.smooth.resampling import CellSample
from multiloss_core.thresholds.paths.smooth.smooth_fit import SmoothFit

MAX_ROUNDS = 20
MAX_TABLE_NODES = 200_000
RESAMPLES = 40
# Nodes of the tables of resamples, by the number of classifiers: the average is finer than they are.
NODES, NODES_OF_MANY = {1: 2_000, 2: 6_400}, 20_000
# How many standard errors nodes may lack of the best gain; current thresholds less with more positives than these.
MAX_LACK, FEW_POSITIVES = 0.6, 30.0


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
    cells = fit.expected_cells
    if fit.rule_choices is None:
        nodes = _best_of_scores(cells, fit.model.beyond, targets, rule, max_nodes)
    else:
        nodes = _best_beside_rules(fit, fit.rule_choices, targets, max_nodes)
    if (np.diff(nodes, axis=0) >= 0).all():
        return nodes
    raised, lowered = np.maximum.accumulate(nodes), np.minimum.accumulate(nodes[::-1])
    candidates = np.unique(np.vstack([nodes, raised, lowered]), axis=0)
    expected_tp, alerts = cells.counts_at(candidates, rule)
    levels = targets[:, np.newaxis]
    gains = expected_tp - levels * alerts - fit.price_of_rules(candidates, levels)
    may_follow = np.asarray((candidates[:, np.newaxis] <= candidates).all(axis=2))
    return candidates[_best_chain(gains, may_follow)]


def _best_of_scores(cells: ExpectedCells, beyond: Floats, targets: Floats, rule: Rule, max_nodes: int) -> Indices:
    """Find the best nodes (m, k) of scores for targets (m,), in any order."""
    never = tuple(len(axis) for axis in cells.cells.axes)
    # With more classifiers not even two nodes each fit into a table: the ascent starts from flagging nothing or all.
    start = never if rule == "any" else (0,) * len(never)
    table = cells.table(rule, max_nodes) if 2 ** len(start) <= max_nodes else None
    nodes = np.tile(start, (len(targets), 1)) if table is None else table.best(targets)
    if table is None or not table.complete:
        for i, target in enumerate(targets.tolist()):
            starts = dict.fromkeys(tuple(row) for row in nodes[max(i - 1, 0) : i + 1][::-1].tolist())
            gains = cells.expected - target * cells.totals
            reached, gain = max((_ascend(cells.cells, gains, rule, one) for one in starts), key=itemgetter(1))
            nodes[i] = reached if gain > 0 else never
    return _never_where_useless(cells.cells, beyond, targets, nodes, rule)


def _best_beside_rules(fit: SmoothFit, choices: Bools, targets: Floats, max_nodes: int) -> Indices:
    """Find the best nodes (m, k) for targets (m,), each with the best of (u, r) active rules."""
    cells, found, gains = fit.expected_cells, [], []
    for active in choices:
        beside = cells.cells_beside_rules(active)
        scores = _best_of_scores(beside, fit.model.beyond, targets, "any", max_nodes)
        found.append(np.hstack([scores, np.tile(~active, (len(targets), 1))]).astype(np.intp))
        rising = (np.diff(scores, axis=0) >= 0).all()
        tp, alerts = (beside.counts_along if rising else beside.counts_at)(scores, "any")
        # What the rules raised is an alert at every target.
        tp += cells.expected.sum() - beside.expected.sum()
        alerts += cells.totals.sum() - beside.totals.sum()
        gains.append(tp - targets * alerts - fit.price_of_rules(found[-1], targets))
    # Of equal gains the first: choices with fewer active rules come first.
    best = np.argmax(np.round(gains, 9), axis=0)
    return np.array(found)[best, np.arange(len(targets))]


def _never_where_useless(cells: ScoreCells, beyond: Floats, targets: Floats, nodes: Indices, rule: Rule) -> Indices:
    """Set nodes (t, k) to never for scores that are useless even above the last node.

    Useless: the precision there, `beyond` (k,), is below the target. Where no score flags anything, all are never.
    """
    never = np.array([len(axis) for axis in cells.axes])
    at_top = nodes >= never - 1
    above = np.where(beyond < targets[:, np.newaxis], never, never - 1)
    nothing: Bools = np.asarray(at_top.all(axis=1) if rule == "any" else at_top.any(axis=1))
    return np.where(nothing[:, np.newaxis], never, np.where(at_top, above, nodes))


def _ascend(cells: ScoreCells, gains: Floats, rule: Rule, start: tuple[int, ...]) -> tuple[list[int], float]:
    """Move one threshold at a time to the largest gain of the flagged cells."""
    nodes, gain = list(start), 0.0
    reached = np.array(start)[:, np.newaxis] < cells.cells.T
    for _ in range(MAX_ROUNDS):
        before = list(nodes)
        for j, axis in enumerate(cells.axes):
            others = np.delete(reached, j, axis=0)
            # This classifier decides on cells that the others leave open; the rest are flagged, or not, without it.
            is_open = ~others.any(axis=0) if rule == "any" else others.all(axis=0)
            settled = float(gains[~is_open].sum()) if rule == "any" else 0.0
            added = still_flagged(cells.cells[:, j], gains * is_open, len(axis))
            # Of equally good nodes the strictest.
            nodes[j] = len(added) - 1 - int(np.argmax(added[::-1]))
            gain = settled + float(added[nodes[j]])
            reached[j] = cells.cells[:, j] > nodes[j]
        if nodes == before:
            break
    return nodes, gain


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


def refits_of(fit: SmoothFit, sample: CellSample) -> Iterator[SmoothFit]:
    """Fit again to each of `RESAMPLES` resamples, drawn when the first one is needed."""
    for counts in sample.draw(np.random.default_rng(0), RESAMPLES):
        yield fit.refitted(counts)


@single_threaded
def averaged_nodes(
    fit: SmoothFit, targets: Floats, rule: Rule, refits: Iterable[SmoothFit], current: Floats | None = None
) -> Indices:
    """Average the best nodes (t, k) for rising targets (t,) over resamples; none falls.

    `refits`: fits to resamples, in the cells of `fit`.

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
    best, cells, scored = best_nodes(fit, targets, rule), fit.expected_cells, fit.cells.score_count
    # A table must hold two nodes of each axis.
    has_table = 2**scored <= NODES.get(scored, NODES_OF_MANY)
    resampled = [refit.expected_cells for refit in refits] if has_table else []
    present = None if current is None else current[:scored]
    squared = ExpectedCells(cells.cells, cells.expected / fit.scale, cells.totals / fit.scale)
    if fit.rule_choices is None:
        return _averaged(cells, squared, fit, best, targets, rule, resampled, present)
    chosen = best.copy()
    for inactive in np.unique(best[:, scored:], axis=0):
        rows = (best[:, scored:] == inactive).all(axis=1)
        alone = cells.cells_beside_rules(inactive == 0)
        if alone.totals.any():
            beside = [refit.cells_beside_rules(inactive == 0) for refit in resampled]
            chosen[rows, :scored] = _averaged(
                alone,
                squared.cells_beside_rules(inactive == 0),
                fit,
                best[rows, :scored],
                targets[rows],
                rule,
                beside,
                present,
            )
    return _rising(chosen, lambda nodes: _gains(cells, nodes, targets, rule) - fit.price_of_rules(nodes, targets))


def _averaged(
    cells: ExpectedCells,
    squared: ExpectedCells,
    fit: SmoothFit,
    best: Indices,
    targets: Floats,
    rule: Rule,
    resampled: Sequence[ExpectedCells],
    current: Floats | None,
) -> Indices:
    """Move the best nodes (t, k) to the mean of resamples and to current thresholds (k,).

    `squared`: the cells with sums of squared weights.
    """
    ranks = _log_ranks(cells)
    at_best = _at(ranks, best)
    aims = []
    if resampled:
        mean = np.zeros(best.shape)
        for one in resampled:
            table = one.table(rule, NODES.get(len(ranks), NODES_OF_MANY))
            mean += _at(ranks, _rising(table.best(targets), partial(table.gains, targets=targets)))
        aims.append((mean / len(resampled), MAX_LACK))
    if current is not None:
        trust = np.sqrt(FEW_POSITIVES / max(float(fit.positives @ fit.scale), FEW_POSITIVES))
        aims.append((_at(ranks, nodes_at(cells.cells, current[np.newaxis])), MAX_LACK * trust))
    chosen = best
    for aim, most_lack in aims:
        for part in (0.5, 1.0):
            nodes = _nearest(ranks, at_best + part * (aim - at_best))
            is_close = _is_close(cells, squared, best, nodes, targets, rule, most_lack)
            chosen = np.where(is_close[:, np.newaxis], nodes, chosen)
    chosen = _rising(chosen, partial(_gains, cells, targets=targets, rule=rule))
    return _never_where_useless(cells.cells, fit.model.beyond, targets, chosen, rule)


def _rising(nodes: Indices, gains: Callable[[Indices], Floats]) -> Indices:
    """Raise or lower nodes (t, k) until none falls, whichever gains more in all."""
    ways = np.maximum.accumulate(nodes), np.minimum.accumulate(nodes[::-1])[::-1]
    return max(ways, key=lambda way: float(gains(way).sum()))


def _log_ranks(cells: ExpectedCells) -> list[Floats]:
    """Count documents at or above each node of each axis, as logarithms; the last is never."""
    ranks = []
    for axis, column in zip(cells.cells.axes, cells.cells.cells.T, strict=True):
        above = np.cumsum(np.bincount(column, cells.totals, len(axis) + 1)[::-1])[::-1]
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


def _gains(cells: ExpectedCells, nodes: Indices, targets: Floats, rule: Rule) -> Floats:
    """Compute the expected (1 - m) TP - m FP at rising nodes (t, k) for targets m (t,)."""
    tp, alerts = cells.counts_along(nodes, rule)
    return np.asarray(tp - targets * alerts)


def _is_close(
    cells: ExpectedCells,
    squared: ExpectedCells,
    best: Indices,
    nodes: Indices,
    targets: Floats,
    rule: Rule,
    most_lack: float,
) -> Bools:
    """Find the targets (t,) at which rising nodes (t, k) gain hardly less than the best ones."""
    gains, most = (_gains(cells, at, targets, rule) for at in (nodes, best))
    # Flagged by one of the two, but not by the other; as sums of squared weights.
    both = np.minimum(nodes, best) if rule == "any" else np.maximum(nodes, best)
    at_nodes, at_best, at_both = (np.array(squared.counts_along(at, rule)) for at in (nodes, best, both))
    tp, alerts = np.abs(2 * at_both - at_nodes - at_best)
    variance = (1 - targets) ** 2 * tp + targets**2 * (alerts - tp)
    return np.asarray((gains > 0) & (most - gains <= most_lack * np.sqrt(variance.clip(0.0))))
