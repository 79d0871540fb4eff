"""Repeat the selection of thresholds on resamples of the data of a fit."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from multiloss_core.generalisation.marginal_interval import MarginalEvidence
from multiloss_core.numerics.arrays import Floats, Indices, ratio, sums
from multiloss_core.numerics.proportions import effective_size
from multiloss_core.thresholds.data.counts import Counts, Rule
from multiloss_core.thresholds.data.group_variation import GroupParts
from multiloss_core.thresholds.data.rated_documents import RatedDocuments
from multiloss_core.thresholds.paths.smooth.cells import ScoreCells, flagged_cells, thresholds_at
from multiloss_core.thresholds.paths.smooth.nodes import MAX_TABLE_NODES, best_nodes
from multiloss_core.thresholds.paths.smooth.resampling import CellSample
from multiloss_core.thresholds.paths.smooth.smooth_fit import SmoothFit


@dataclass(frozen=True, eq=False)
class AxisPlaces:
    """Lowest and highest scores in cells 0..m of an axis of m nodes, (m + 1,) each.

    For empty cells, those of the next documents above and below; infinite above all of them.
    """

    lowest: Floats
    highest: Floats


def axis_places(cells: ScoreCells, scores: Floats) -> tuple[AxisPlaces, ...]:
    """Find the scores (n, k) of documents in their cells. O(n k)."""
    found = []
    for axis, indices, column in zip(cells.axes, cells.cells.T, scores.T, strict=True):
        lowest, highest = np.full(len(axis) + 1, np.inf), np.full(len(axis) + 1, -np.inf)
        np.minimum.at(lowest, indices[cells.slots], column)
        np.maximum.at(highest, indices[cells.slots], column)
        # The next document below the lowest threshold is the floor itself.
        highest[0] = axis[0]
        lowest[0] = -np.inf
        found.append(AxisPlaces(np.minimum.accumulate(lowest[::-1])[::-1], np.maximum.accumulate(highest)))
    return tuple(found)


def half_way_down(cells: ScoreCells, places: tuple[AxisPlaces, ...], nodes: Indices, totals: Floats) -> Indices:
    """Move nodes (t, k) half-way down to the next document among occupied cells (c,).

    Nodes stand half-way between a document and the next one (`score_cells`). A part of the documents has unoccupied
    nodes in between, and ties go to the strictest: without this, resamples would use the positions of documents that
    they lack, and false alerts just below a threshold would never appear.
    """
    moved = nodes.copy()
    for j, (axis, place) in enumerate(zip(cells.axes, places, strict=True)):
        held = np.flatnonzero(np.bincount(cells.cells[:, j], totals, len(axis) + 1) > 0)
        next_held = np.searchsorted(held, nodes[:, j], side="right")
        rows = np.flatnonzero((nodes[:, j] < len(axis)) & (next_held > 0) & (next_held < len(held)))
        upper, lower = held[next_held[rows]], held[next_held[rows] - 1]
        half = place.lowest[upper] / 2 + place.highest[lower] / 2
        # The documents in between that lie at or above the threshold are flagged.
        moved[rows, j] = (np.searchsorted(place.lowest, half) - 1).clip(lower, upper - 1)
    return moved


# How often the documents are dealt to folds, each of which is counted at thresholds chosen without it.
SPLITS = 5
# With three or more classifiers, a resample tries this number of nodes first: a third of the time.
RESAMPLED_NODES = 20_000
# Half-width, in log odds around the target, of the band of documents that counts as next to a point.
HALF_BAND = 0.4


@dataclass(frozen=True, eq=False, kw_only=True)
class Resampled:
    """Selections of b resamples: thresholds (b, t, k), TP and FP (b, 2, t) in resample and data.

    `marginal_errors` (b, t): those of the fit next to the thresholds, in log odds. Without the first axis, of one
    resample.
    """

    own: Floats
    original: Floats
    marginal_errors: Floats
    thresholds: Floats


class RepeatedSelection:
    """Repeat the selection of thresholds for rising targets (t,) on resamples of a fit."""

    def __init__(
        self,
        fit: SmoothFit,
        rule: Rule,
        targets: Floats,
        documents: RatedDocuments | None,
        parts: GroupParts | None = None,
    ) -> None:
        self.fit, self.rule, self.targets, self.documents, self.parts = fit, rule, targets, documents, parts
        # Of the model alone: the counts that have a say in the choice were chosen by it.
        self.modelled = fit.totals * fit.model.precision
        self.places = None if documents is None else axis_places(fit.cells, documents.scores)
        self.max_nodes = MAX_TABLE_NODES if len(fit.cells.axes) < 3 else RESAMPLED_NODES

    @property
    def marginal(self) -> MarginalEvidence:
        """Compute the evidence on documents next to the points, without errors."""
        fit, documents = self.fit, self.documents
        _, lower, higher = nodes_around(fit, self.rule, self.targets)
        flags = flagged_cells(fit.cells, lower, self.rule)
        inside = flags - flagged_cells(fit.cells, higher, self.rule)
        totals, positives = fit.totals @ inside, fit.positives @ inside
        if documents is None:
            squares = fit.squares @ inside
            effective = np.divide(np.square(totals), squares, out=np.zeros_like(totals), where=squares > 0)
            if self.parts is not None:
                effective = effective / _effects_on_shares(fit, self.parts, inside)
        else:
            effective = _effective_sizes(documents, fit.cells.slots, inside)
        shares = np.divide(positives, totals, out=np.zeros_like(totals), where=totals > 0)
        return MarginalEvidence(
            fitted=ratio(self.modelled @ inside, totals),
            errors=np.empty((0, len(self.targets))),
            counted=Counts(effective * shares, effective * (1 - shares)),
            shares=ratio(totals, fit.totals @ flags),
        )

    def on(self, sample: CellSample, resample: Floats) -> Resampled:
        """Select from one resample (2, c), positives and negatives in cells of the sample."""
        fit = self.fit
        again = fit.refitted(resample)
        totals = again.totals
        nodes, lower, higher = nodes_around(again, self.rule, self.targets, self.max_nodes)
        nodes = self._as_in_a_path(nodes, totals)
        caught, below, above = (flagged_cells(fit.cells, at, self.rule) for at in (nodes, lower, higher))
        inside = below - above
        at_resample = _log_odds(ratio((totals * again.model.precision) @ inside, totals @ inside))
        at_data = _log_odds(ratio(self.modelled @ inside, fit.totals @ inside))
        return Resampled(
            own=resample @ caught,
            original=np.array([sample.positives, sample.negatives]) @ caught,
            marginal_errors=at_resample - at_data,
            thresholds=thresholds_at(fit.cells, nodes),
        )

    def held_out(self, sample: CellSample, in_sample: Counts[Floats], generator: np.random.Generator) -> Floats | None:
        """Count held-out TP and FP (2, t), scaled to the number of documents.

        Cross-validation in cells, adjusted for the smaller number of documents as in `cross_fit` (Burman 1989).
        """
        if sample.split is None:
            return None
        whole = np.array([sample.positives, sample.negatives])
        outside, on_all = np.zeros((2, len(self.targets))), np.zeros((2, len(self.targets)))
        for _ in range(SPLITS):
            parts = sample.split(generator)
            for part in parts:
                again = self.fit.refitted(whole - part)
                nodes = best_nodes(again, self.targets, self.rule, self.max_nodes)
                nodes = self._as_in_a_path(nodes, again.totals)
                caught = flagged_cells(self.fit.cells, nodes, self.rule)
                outside += part @ caught / SPLITS
                on_all += whole @ caught / (SPLITS * len(parts))
        return np.asarray((outside + np.array([*in_sample]) - on_all).clip(0.0))

    def _as_in_a_path(self, nodes: Indices, totals: Floats) -> Indices:
        """Move nodes (t, k) as a path of documents in cells (c,) places them; tables keep theirs."""
        return nodes if self.places is None else half_way_down(self.fit.cells, self.places, nodes, totals)


def _effective_sizes(documents: RatedDocuments, slots: Indices, inside: Floats) -> Floats:
    """Compute effective numbers (t,) of documents in cells `inside` (c, t), groups as one."""
    weights, groups, sizes = documents.weights, documents.groups, []
    for cells in inside.T:
        rows = cells[slots] > 0
        sizes.append(effective_size(weights[rows] if groups is None else np.bincount(groups[rows], weights[rows])))
    return np.array(sizes)


def _effects_on_shares(fit: SmoothFit, parts: GroupParts, inside: Floats) -> Floats:
    """Compute design effects (t,) of groups on the share of positives in cells `inside` (c, t)."""
    steps, size = parts.steps(fit.cells.axes, fit.cells.cells), parts.weights.shape[1]
    counts = (fit.totals - fit.positives, fit.positives)
    wholes = [sums(steps, kind, size) for kind in counts]
    effects = []
    for cells in inside.T:
        shares = [
            np.divide(sums(steps, kind * cells, size), whole, out=np.zeros(size), where=whole > 0)
            for kind, whole in zip(counts, wholes, strict=True)
        ]
        effects.append(parts.effect_on_share(np.column_stack(shares)))
    return np.array(effects)


def nodes_around(fit: SmoothFit, rule: Rule, targets: Floats, max_nodes: int = MAX_TABLE_NODES) -> Indices:
    """Find nodes (3, t, k) for rising targets (t,): the best ones, those below and above.

    The documents between the latter two are next to the point.
    """
    odds = logit(targets)
    around = np.concatenate([odds, odds - HALF_BAND, odds + HALF_BAND])
    order = np.argsort(around, kind="stable")
    nodes = np.empty((len(around), len(fit.cells.axes)), dtype=np.intp)
    nodes[order] = best_nodes(fit, expit(around[order]), rule, max_nodes)
    return nodes.reshape(3, len(targets), -1)


def _log_odds(precisions: Floats) -> Floats:
    # Off the ends, where a saturated fit would give infinity.
    return np.asarray(logit(precisions.clip(1e-12, 1 - 1e-12)))
