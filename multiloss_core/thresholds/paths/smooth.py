"""Find the best thresholds for every target under a smooth estimate of P(positive | scores)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import expit

from multiloss_core.numerics.arrays import Bools, Floats, Indices, sums
from multiloss_core.thresholds.data.count_surfaces import CountSurfaces, counts_at_nodes
from multiloss_core.thresholds.data.counts import Rule, require_rule, still_flagged, turning_points
from multiloss_core.thresholds.data.folds import document_folds
from multiloss_core.thresholds.data.rated_documents import RatedDocuments
from multiloss_core.thresholds.paths.precision_design import precision_design
from multiloss_core.thresholds.paths.precision_model import FOLDS, PrecisionModel, fit_precision
from multiloss_core.thresholds.paths.score_cells import ScoreCells, cells_of_surfaces, score_cells
from multiloss_core.thresholds.paths.threshold_path import ThresholdPath

# Nodes of either kind of an axis, by the number of classifiers.
RESOLUTIONS = {1: 1000, 2: 120}
RESOLUTION_OF_MANY = 60
# Marginal precisions from 0.1 to 99.9 %, evenly in the logarithm of their odds.
TARGETS = expit(np.linspace(-7.0, 7.0, 241))
MAX_ROUNDS = 20
MAX_TABLE_NODES = 200_000
# Weight of the counts beside the model: the minimum, and the number of positives for half of the rest.
MIN_COUNT_WEIGHT, POSITIVES_FOR_HALF = 0.35, 3000.0

Nodes = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class SmoothFit:
    """The fitted precision of rated documents, with all inputs of a refit to resamples.

    `totals` and `positives` (c,) are the weights in each cell; `scale` (c,) turns them into effective numbers of
    documents (1 without weights), on which the model is fitted. `count_weight` in [0, 1]: see `count_weight`.
    """

    cells: ScoreCells
    model: PrecisionModel
    positives: Floats
    totals: Floats
    scale: Floats
    count_weight: float = 0.0

    @cached_property
    def expected(self) -> Floats:
        """Blend model and counts into the positives (c,) expected in each cell of new data."""
        own = self.totals * self.model.precision
        return own + self.count_weight * (self.positives - own)

    @cached_property
    def precision(self) -> Floats:
        """Return the share of positives expected in each cell (c,); the model's in empty cells."""
        shares = np.divide(self.expected, self.totals, out=self.model.precision.copy(), where=self.totals > 0)
        return np.asarray(shares)


def smooth_path(
    source: RatedDocuments | CountSurfaces, *, rule: Rule = "any", resolution: int | None = None
) -> ThresholdPath:
    """Find the path of best thresholds under a smooth estimate of the precision, for any k.

    P(positive | scores) is fitted to bucket counts (see `precision_model`) and blended with the counts themselves (see
    `smooth_fit`). For every target m on a fine scale, the thresholds that maximise the expected TP - m / (1 - m) FP are
    found (`best_nodes`), no threshold falling as m rises. A classifier with a precision below the target even
    above its largest score never flags: its threshold is infinite. The path carries the counts that the blend expects
    at its vertices, and tangent points are taken on those (`ThresholdPath.majorant`); `tp` and `fp` are exact counts.
    After the bucket counts the cost does not depend on the number of documents. Deterministic.

    `resolution`: nodes of either kind for each classifier, see `score_cells`; by default fewer for more classifiers.
    From surfaces, with their own rule, the thresholds are nodes of the table.

    Raises DataError: an unknown rule.

    Examples
    --------
    >>> import numpy as np
    >>> from multiloss_core import operating_point, simulate_population, smooth_path
    >>> documents = simulate_population(np.random.default_rng(0), documents=20_000, prevalence=0.01).rated()
    >>> path = smooth_path(documents)
    >>> point = operating_point(path, 0.2)
    >>> point.tp, point.fp
    (96.0, 68.0)
    """
    if isinstance(source, CountSurfaces):
        rule = source.rule
    require_rule(rule)
    return path_of_fit(source, smooth_fit(source, resolution=resolution), rule)


def smooth_fit(source: RatedDocuments | CountSurfaces, *, resolution: int | None = None) -> SmoothFit:
    """Count documents into cells, fit their precision, and blend it with the counts.

    Blending reduces the bias of the model and the noise of the counts; `benchmarks/results/constants.md` has the
    losses. Deterministic: the folds of the fit are drawn with a fixed seed.
    """
    if isinstance(source, CountSurfaces):
        cells, positives, totals = cells_of_surfaces(source.buckets)
        squares = totals if source.squares is None else source.squares.sum(axis=1)
        scale = np.divide(totals, squares, out=np.ones_like(totals), where=squares > 0)
        folds = _split_counts(positives * scale, totals * scale, np.random.default_rng(0))
    else:
        labels, weights = source.labels, source.weights
        nodes = resolution or RESOLUTIONS.get(len(source.names), RESOLUTION_OF_MANY)
        cells = score_cells(source.scores, labels, source.floors, nodes)
        count = len(cells.cells)
        # Scale by cell: sampling of low scores must not weaken the evidence of high ones (Kish 1965).
        scale = sums(cells.slots, weights, count) / sums(cells.slots, np.square(weights), count)
        # A single group cannot be held out.
        many = source.groups is not None and int(source.groups.max()) > 0
        fold = document_folds(source, FOLDS, whole_groups=many)
        positives = sums(cells.slots[labels], weights[labels], count)
        totals = sums(cells.slots, weights, count)
        folds = []
        for number in range(FOLDS):
            left_out = fold == number
            caught = left_out & labels
            folds.append(
                (
                    scale * sums(cells.slots[caught], weights[caught], count),
                    scale * sums(cells.slots[left_out], weights[left_out], count),
                )
            )
    design = precision_design(cells, positives * scale, totals * scale)
    model = fit_precision(design, folds)
    return SmoothFit(cells, model, positives, totals, scale, count_weight(float(positives @ scale)))


def count_weight(positives: float) -> float:
    """Return the weight of the counts beside the model, rising with rated positives.

    With more positives the noise of the counts vanishes, the bias of the model stays.
    """
    grown = positives**2 / (positives**2 + POSITIVES_FOR_HALF**2)
    return MIN_COUNT_WEIGHT + (1 - MIN_COUNT_WEIGHT) * grown


def path_of_fit(source: RatedDocuments | CountSurfaces, fit: SmoothFit, rule: Rule) -> ThresholdPath:
    """Find the path of a fit, counted exactly on `source`."""
    nodes = best_nodes(fit, TARGETS, rule)
    floors = np.zeros_like(nodes[:1])
    never = np.array([[len(axis) for axis in fit.cells.axes]])
    nodes = np.vstack([floors, nodes, never])
    nodes = nodes[np.append(True, (np.diff(nodes, axis=0) > 0).any(axis=1))]
    thresholds = thresholds_at(fit.cells, nodes)
    # Cell index i lies at or above node i - 1: cells act as documents with their indices as scores.
    expected = fit.expected
    turning = turning_points(fit.cells.cells, nodes + 1, rule)
    smooth_tp, smooth_fp = (still_flagged(turning, counts, len(nodes)) for counts in (expected, fit.totals - expected))
    counts = source.counts_along(thresholds, rule)
    return ThresholdPath(
        thresholds,
        counts.tp,
        counts.fp,
        "smooth",
        rule,
        source.names,
        smooth_tp=smooth_tp,
        smooth_fp=smooth_fp,
        rated=source.totals,
    )


def best_nodes(fit: SmoothFit, targets: Floats, rule: Rule, max_nodes: int = MAX_TABLE_NODES) -> Indices:
    """Find nodes (m, k) of the best thresholds for rising targets; len(axis) is never.

    The best node at each target comes from a table of all nodes: exact for one or two classifiers. Where there are
    more than `max_nodes`, the table holds a part of the nodes of each axis, and an ascent along one classifier at a
    time goes on from its best node. Where a threshold would fall as the target rises, the chain with the largest
    (1 - m) TP - m FP, summed over targets, is returned, of the nodes found and of those that raising or lowering
    thresholds to one another makes of them. In this scale no target outweighs the others.
    """
    # With more classifiers not even two nodes each fit into a table: the ascent starts from flagging nothing or all.
    start: Nodes = tuple(len(axis) if rule == "any" else 0 for axis in fit.cells.axes)
    table = _table(fit, rule, max_nodes) if 2 ** len(start) <= max_nodes else None
    starts = [start] * len(targets) if table is None else _best_in_table(table, targets)
    found: list[Nodes] = []
    for target, in_table in zip(targets.tolist(), starts, strict=True):
        best = in_table
        if table is None or not table.complete:
            best = _ascended(fit, target, rule, list(dict.fromkeys([in_table, *found[-1:]])))
        found.append(_with_never(fit, target, best))
    nodes = np.array(found, dtype=np.intp)
    if (np.diff(nodes, axis=0) >= 0).all():
        return nodes
    raised, lowered = np.maximum.accumulate(nodes), np.minimum.accumulate(nodes[::-1])
    candidates = np.unique(np.vstack([nodes, raised, lowered]), axis=0)
    caught = flagged_cells(fit.cells, candidates, rule)
    alerts, expected_tp = fit.totals @ caught, fit.expected @ caught
    gains = expected_tp - targets[:, np.newaxis] * alerts
    may_follow = np.asarray((candidates[:, np.newaxis] <= candidates).all(axis=2))
    return candidates[_best_chain(gains, may_follow)]


def thresholds_at(cells: ScoreCells, nodes: Indices) -> Floats:
    """Convert node numbers (m, k) to thresholds, never to infinity."""
    return np.column_stack([np.append(axis, np.inf)[nodes[:, j]] for j, axis in enumerate(cells.axes)])


def flagged_cells(cells: ScoreCells, nodes: Indices, rule: Rule) -> Floats:
    """Compute 0/1 masks (c, m) of the cells flagged at node numbers (m, k)."""
    above = [cells.cells[:, j, np.newaxis] > nodes[:, j] for j in range(nodes.shape[1])]
    caught: Bools = np.logical_or.reduce(above) if rule == "any" else np.logical_and.reduce(above)
    return caught.astype(np.float64)


@dataclass(frozen=True, eq=False)
class _Table:
    """Expected TP and FP, of shape (n_1, …, n_k), at the `nodes` of each axis."""

    nodes: tuple[Indices, ...]
    tp: Floats
    fp: Floats
    complete: bool


def _table(fit: SmoothFit, rule: Rule, max_nodes: int) -> _Table:
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
    expected = fit.expected
    shape = tuple(len(axis_nodes) for axis_nodes in nodes)
    slots = np.ravel_multi_index(tuple(cells.T), shape)
    tp, fp = (
        counts_at_nodes(sums(slots, part, int(np.prod(shape))).reshape(shape), rule)
        for part in (expected, fit.totals - expected)
    )
    return _Table(nodes, tp, fp, complete)


def _best_in_table(table: _Table, targets: Floats) -> list[Nodes | None]:
    """Find the strictest best node at each rising target; None if all gains are negative.

    Divide and conquer: the best node at a higher target never flags more, so each half searches a part of the nodes.
    """
    strictest_first = (slice(None, None, -1),) * table.tp.ndim
    tp = table.tp[strictest_first].ravel()
    alerts = tp + table.fp[strictest_first].ravel()
    best: list[Nodes | None] = [None] * len(targets)

    def settle(first: int, last: int, tp: Floats, alerts: Floats, places: Indices) -> None:
        middle = (first + last) // 2
        gains = tp - targets[middle] * alerts
        found = int(np.argmax(gains))
        if gains[found] > 0.0:
            numbers = np.unravel_index(places[found], table.tp.shape)
            best[middle] = tuple(int(axis[-1 - i]) for axis, i in zip(table.nodes, numbers, strict=True))
        for start, end, still in (
            (first, middle, alerts >= alerts[found]),
            (middle + 1, last, alerts <= alerts[found]),
        ):
            if start < end:
                settle(start, end, tp[still], alerts[still], places[still])

    if len(targets):
        settle(0, len(targets), tp, alerts, np.arange(len(tp)))
    return best


def _ascended(fit: SmoothFit, target: float, rule: Rule, starts: Sequence[Nodes | None]) -> Nodes | None:
    gains = fit.expected - target * fit.totals
    best_gain, best = 0.0, None
    for start in starts:
        if start is not None:
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


def _with_never(fit: SmoothFit, target: float, best: Nodes | None) -> Nodes:
    """Set never for classifiers with a precision below the target even above the last node."""
    tops = tuple(len(axis) - 1 for axis in fit.cells.axes)
    if best is None:
        return tuple(top + 1 for top in tops)
    return tuple(
        (top + 1 if beyond < target else top) if node >= top else node
        for node, top, beyond in zip(best, tops, fit.model.beyond, strict=True)
    )


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


def _split_counts(positives: Floats, totals: Floats, generator: np.random.Generator) -> list[tuple[Floats, Floats]]:
    """Deal the counts of cells out to folds at random, document by document."""
    parts = []
    for counts in (positives, totals - positives):
        dealt = generator.multinomial(counts.round().astype(np.int64), np.full(FOLDS, 1 / FOLDS))
        parts.append(dealt.T.astype(np.float64))
    return [(caught, caught + false) for caught, false in zip(*parts, strict=True)]
