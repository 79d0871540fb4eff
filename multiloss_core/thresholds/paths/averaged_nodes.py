"""Average the best nodes for every target over resamples of the documents."""

from collections.abc import Callable
from functools import partial

import numpy as np

from multiloss_core.numerics.arrays import Bools, Floats, Indices
from multiloss_core.thresholds.data.counts import Rule
from multiloss_core.thresholds.paths.best_nodes import (
    best_in_table,
    best_nodes,
    counts_along_nodes,
    never_where_useless,
    nodes_at,
    table_of_nodes,
)
from multiloss_core.thresholds.paths.precision_model import single_threaded
from multiloss_core.thresholds.paths.resampling import CellSample
from multiloss_core.thresholds.paths.smooth_fit import SmoothFit

RESAMPLES = 40
# Nodes of the tables of resamples, by the number of classifiers: the average is finer than they are.
NODES, NODES_OF_MANY = {1: 2_000, 2: 6_400}, 20_000
# How many standard errors nodes may lack of the best gain; current thresholds less with more positives than these.
MAX_LACK, FEW_POSITIVES = 0.6, 30.0


@single_threaded
def averaged_nodes(
    fit: SmoothFit, targets: Floats, rule: Rule, sample: CellSample, current: Floats | None = None
) -> Indices:
    """Average the best nodes (t, k) for rising targets (t,) over resamples; none falls.

    The nodes of `best_nodes` move with chance as n^(-1/3); their mean over resamples (Breiman 1996) moves less. It is
    taken in the logarithm of the number of documents at or above each node.

    At a jump of the precision, or where classifiers can replace each other, the mean may lie far below the best. So it
    is kept only where data hardly distinguish it from the best: its expected gain lacks at most `MAX_LACK` standard
    errors, of the documents that one flags and the other does not. Else half the way is tried, else the best nodes
    stay; where nothing is gained, nothing is flagged. `current` thresholds (k,) come before the mean on such a
    condition, the stricter the more positives there are. Deterministic. Each resample costs a refit and O(n log n) for
    a table of n nodes; too many classifiers for a table keep the best nodes.
    """
    best, ranks = best_nodes(fit, targets, rule), _log_ranks(fit)
    at_best = _at(ranks, best)
    mean = _mean_over_resamples(fit, targets, rule, sample, ranks)
    chosen = best
    aims = [] if mean is None else [(mean, MAX_LACK)]
    if current is not None:
        trust = np.sqrt(FEW_POSITIVES / max(float(fit.positives @ fit.scale), FEW_POSITIVES))
        aims.append((_at(ranks, nodes_at(fit.cells, current[np.newaxis])), MAX_LACK * trust))
    for aim, most_lack in aims:
        for part in (0.5, 1.0):
            nodes = _nearest(ranks, at_best + part * (aim - at_best))
            chosen = np.where(_is_close(fit, best, nodes, targets, rule, most_lack)[:, np.newaxis], nodes, chosen)
    chosen = _rising(chosen, partial(_gains, fit, targets=targets, rule=rule))
    return never_where_useless(fit, targets, chosen, rule)


def _mean_over_resamples(
    fit: SmoothFit, targets: Floats, rule: Rule, sample: CellSample, ranks: list[Floats]
) -> Floats | None:
    """Average the ranks (t, k) of the best nodes of resamples; None without a table.

    A table must hold two nodes of each axis.
    """
    max_nodes = NODES.get(len(ranks), NODES_OF_MANY)
    if 2 ** len(ranks) > max_nodes:
        return None
    mean = np.zeros((len(targets), len(ranks)))
    for drawn in sample.draw(np.random.default_rng(0), RESAMPLES):
        table = table_of_nodes(fit.refitted(drawn), rule, max_nodes)
        mean += _at(ranks, _rising(best_in_table(table, targets), partial(table.gains, targets=targets)))
    return mean / RESAMPLES


def _rising(nodes: Indices, gains: Callable[[Indices], Floats]) -> Indices:
    """Raise or lower nodes (t, k) until none falls, whichever gains more in all."""
    ways = np.maximum.accumulate(nodes), np.minimum.accumulate(nodes[::-1])[::-1]
    return max(ways, key=lambda way: float(gains(way).sum()))


def _log_ranks(fit: SmoothFit) -> list[Floats]:
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


def _gains(fit: SmoothFit, nodes: Indices, targets: Floats, rule: Rule) -> Floats:
    """Compute the expected (1 - m) TP - m FP at rising nodes (t, k) for targets m (t,)."""
    tp, alerts = counts_along_nodes(fit, nodes, rule)
    return np.asarray(tp - targets * alerts)


def _is_close(fit: SmoothFit, best: Indices, nodes: Indices, targets: Floats, rule: Rule, most_lack: float) -> Bools:
    """Find the targets (t,) at which rising nodes (t, k) gain hardly less than the best ones."""
    gains, most = (_gains(fit, at, targets, rule) for at in (nodes, best))
    # Flagged by one of the two, but not by the other; as sums of squared weights.
    joined = np.minimum(nodes, best) if rule == "any" else np.maximum(nodes, best)
    of_one, of_other, of_joined = (
        np.array(counts_along_nodes(fit, at, rule, fit.scale)) for at in (nodes, best, joined)
    )
    tp, alerts = np.abs(2 * of_joined - of_one - of_other)
    variance = (1 - targets) ** 2 * tp + targets**2 * (alerts - tp)
    return np.asarray((gains > 0) & (most - gains <= most_lack * np.sqrt(variance.clip(0.0))))
