"""Find candidate thresholds beyond the vertices of a path, with their counts."""

from dataclasses import dataclass, field, replace
from functools import cached_property, reduce

import numpy as np

from multiloss_core.errors import DataError
from multiloss_core.numerics.arrays import Bools, Floats, Indices
from multiloss_core.thresholds.data.count_surfaces import CountSurfaces
from multiloss_core.thresholds.data.counts import Counts, Rule, flagged_weights
from multiloss_core.thresholds.data.grid_counts import Axes, counts_at_nodes
from multiloss_core.thresholds.data.rated_data import RatedData
from multiloss_core.thresholds.data.rated_documents import RatedDocuments
from multiloss_core.thresholds.paths.methods import PATH_METHODS
from multiloss_core.thresholds.paths.smooth.cells import nodes_at
from multiloss_core.thresholds.paths.smooth.smooth_fit import SmoothFit
from multiloss_core.thresholds.paths.threshold_path import ThresholdPath
from multiloss_core.thresholds.targets.busy_days import DailyCap, busy_days_along, busy_days_at_nodes

MAX_NODES = 200_000
# Corners of a path, from one stricter than the best on, whose alert rules are tried.
RULE_SETS = 3
# Limit of counts when a cap on single days needs a count for every day at every node.
MAX_DAILY_COUNTS = 10_000_000


@dataclass(frozen=True, eq=False, kw_only=True)
class Candidates:
    """Candidate thresholds: vertices of a path (m, k) or nodes of axes, with counts (m,).

    Infinity stands for never. `alerts` is TP + FP, `flagged` these plus undecided alerts, `expected_tp` the TP expected
    by a fit, if any. `busy_days`: number of days with more alerts than a cap, None without a cap. `rules` (r,): the
    thresholds of alert rules that the last axis switches on together (1) or off (infinity).
    """

    places: Floats | Axes
    tp: Floats
    alerts: Floats
    flagged: Floats
    expected_tp: Floats | None = None
    busy_days: Indices | None = None
    rules: Floats = field(default_factory=lambda: np.empty(0))

    def between(self, lower: Floats, upper: Floats) -> Bools:
        """Return the mask (m,) of candidates whose thresholds all lie between two points (k,)."""
        if isinstance(self.places, tuple):
            inside = [
                (axis >= low) & (axis <= high) for axis, low, high in zip(self.places, lower, upper, strict=False)
            ]
            if self.rules.size:
                ends = lower[-self.rules.size :], upper[-self.rules.size :]
                inside[len(self.places) - 1 :] = [
                    np.array([(ends[0] <= at).all() and (at <= ends[1]).all() for at in (self.rules, self._no_rules)])
                ]
            return np.asarray(reduce(np.logical_and.outer, inside)).ravel()
        return np.all((self.places >= lower) & (self.places <= upper), axis=1)

    def thresholds_at(self, row: int) -> Floats:
        """Return the thresholds (k,) of one candidate."""
        if isinstance(self.places, tuple):
            node = np.unravel_index(row, tuple(len(axis) for axis in self.places))
            found = np.array([axis[i] for axis, i in zip(self.places, node, strict=True)])
            if not self.rules.size:
                return found
            return np.append(found[:-1], self.rules if found[-1] == 1 else self._no_rules)
        return np.asarray(self.places[row])

    @property
    def _no_rules(self) -> Floats:
        return np.full(self.rules.size, np.inf)


@dataclass(frozen=True, eq=False, kw_only=True)
class ThresholdChoices:
    """Rated data with their candidate thresholds: see `threshold_choices`.

    `axes` are the first nodes of the scores, None where only the vertices of a path are candidates. `fit`, if any,
    gives expected TP. `rules` (r,): the thresholds of the alert rules beside the nodes, 1 for on and infinity for off.
    """

    source: RatedData
    rule: Rule
    axes: Axes | None = None
    fit: SmoothFit | None = None
    rules: Floats = field(default_factory=lambda: np.empty(0))

    def with_rules_fixed(self, path: ThresholdPath, corner: int | None) -> "tuple[ThresholdChoices, ...]":
        """Return the choices beside each set of alert rules near a corner of the path's majorant."""
        count = self.source.alert_rules
        if not count or self.axes is None or self.rule != "any":
            return (self,) if not count else (replace(self, axes=None),)
        here = 0 if corner is None else corner
        near = path.majorant.vertices[max(here - 1, 0) : here + RULE_SETS]
        sets = np.unique(path.thresholds[near, len(path.names) - count :], axis=0)
        return tuple(replace(self, rules=rules) for rules in sets)

    @cached_property
    def expected_weights(self) -> Floats | None:
        """Return the expected TP of each document (n,), or of each cell of a table."""
        if self.fit is None:
            return None
        documents = self.source.documents
        if documents is None:
            return self.fit.expected
        return documents.weights * self.fit.precision[self.fit.cells.slots]

    @property
    def expected_total(self) -> float | None:
        """Return the expected TP of all rated documents."""
        return None if self.expected_weights is None else float(self.expected_weights.sum())

    def all_weights(self, cap: DailyCap) -> Floats:
        """Return the weights (n + u,) of the documents of a cap."""
        documents = self.source.documents
        return np.empty(0) if documents is None else _all_weights(documents, cap)

    def along(self, path: ThresholdPath, cap: DailyCap | None = None) -> Candidates:
        """Count the vertices of a path."""
        documents, alerts, busy = self.source.documents, path.tp + path.fp, None
        flagged = alerts
        if documents is not None:
            flagged = alerts + documents.undecided.count_along(path.thresholds, self.rule)
            if cap is not None:
                busy = busy_days_along(
                    _all_scores(documents), _all_weights(documents, cap), path.thresholds, self.rule, cap
                )
        return Candidates(
            places=path.thresholds,
            tp=path.tp,
            alerts=alerts,
            flagged=flagged,
            expected_tp=self._expected_along(path),
            busy_days=busy,
        )

    def _expected_along(self, path: ThresholdPath) -> Floats | None:
        documents, fit, weights = self.source.documents, self.fit, self.expected_weights
        if fit is None or weights is None:
            return None
        if documents is not None:
            return flagged_weights(documents.scores, weights, path.thresholds, self.rule)
        return fit.expected_cells.counts_along(nodes_at(fit.cells, path.thresholds), self.rule)[0]

    def at_nodes(self, axes: Axes, cap: DailyCap | None = None) -> Candidates:
        """Count all nodes of axes; a table of counts has its own."""
        documents, fit, weights = self.source.documents, self.fit, self.expected_weights
        shape, busy, expected = tuple(len(axis) for axis in axes), None, None
        if documents is None:
            counts = _counts_of_table(self.source)
            if fit is not None and weights is not None:
                # The cells of a table continue above its last node.
                behind = tuple(size + 1 for size in shape)
                above = counts_at_nodes(fit.cells.cells, weights, behind, self.rule)
                expected = above[(slice(-1),) * len(shape)].ravel()
            alerts = counts.alerts
            return Candidates(places=axes, tp=counts.tp, alerts=alerts, flagged=alerts, expected_tp=expected)
        cells = _cells(axes, self._scores(documents.scores))
        tp, alerts = (
            counts_at_nodes(cells, counted, shape, self.rule).ravel()
            for counted in (documents.weights * documents.labels, documents.weights)
        )
        undecided = _cells(axes, self._scores(documents.undecided.scores))
        flagged = alerts + counts_at_nodes(undecided, documents.undecided.weights, shape, self.rule).ravel()
        if weights is not None:
            expected = counts_at_nodes(cells, weights, shape, self.rule).ravel()
        if cap is not None:
            both = np.vstack([cells, undecided])
            busy = busy_days_at_nodes(both, _all_weights(documents, cap), shape, self.rule, cap)
        return Candidates(
            places=axes, tp=tp, alerts=alerts, flagged=flagged, expected_tp=expected, busy_days=busy, rules=self.rules
        )

    def _scores(self, scores: Floats) -> Floats:
        """Put whether an active rule raised a document (n,) in the place of its rules (n, r)."""
        if not self.rules.size:
            return scores
        raised = (scores[:, -self.rules.size :] >= self.rules).any(axis=1)
        return np.column_stack([scores[:, : -self.rules.size], raised])

    def first_axes(self, cap: DailyCap | None = None) -> Axes | None:
        """Return the first nodes, thinned to the limit."""
        if self.axes is None or self.is_fixed:
            return self.axes
        most = self.nodes_per_axis(cap)
        axes = (
            axis if len(axis) <= most else axis[np.unique(np.linspace(0, len(axis) - 1, most).round().astype(np.intp))]
            for axis in self.axes
        )
        return (*axes, *self._rule_axes)

    def axes_between(self, lower: Floats, upper: Floats, cap: DailyCap | None = None) -> Axes | None:
        """Return two points (k,) and the scores between them, thinned; all nodes of a table."""
        documents = self.source.documents
        if self.axes is None or self.is_fixed or documents is None:
            return self.axes
        most, axes = self.nodes_per_axis(cap) - 3, []
        for axis, low, high in zip(documents.ordered_scores[: len(self.axes)], lower, upper, strict=False):
            inside = np.unique(axis[np.searchsorted(axis, low, "right") : np.searchsorted(axis, high, "left")])
            if len(inside) > most:
                inside = inside[np.linspace(0, len(inside) - 1, most).round().astype(np.intp)]
            # Never ends each axis.
            axes.append(np.unique([low, *inside, high, np.inf]))
        return (*axes, *self._rule_axes)

    @property
    def _rule_axes(self) -> Axes:
        return (np.array([1.0, np.inf]),) if self.rules.size else ()

    def _score_axes(self, axes: Axes) -> Axes:
        return axes[: len(axes) - len(self._rule_axes)]

    @property
    def is_fixed(self) -> bool:
        """Return whether only the nodes themselves are candidates."""
        return self.fit is None or self.source.documents is None

    def nodes_per_axis(self, cap: DailyCap | None = None) -> int:
        """Return the maximum number of nodes of each axis that are counted at once."""
        most = MAX_NODES if cap is None else min(MAX_NODES, max(MAX_DAILY_COUNTS // max(cap.days, 1), 4_096))
        return max(int(most ** (1 / (len(self.source.names) - self.source.alert_rules))), 3)

    def finer_axes(self, axes: Axes, thresholds: Floats, cap: DailyCap | None = None) -> Axes | None:
        """Make finer axes around thresholds (k,), at most as fine as the scores, or None."""
        documents = self.source.documents
        if self.is_fixed or documents is None:
            return None
        most, finer, is_new = self.nodes_per_axis(cap), [], False
        for j, (axis, value) in enumerate(zip(self._score_axes(axes), thresholds, strict=False)):
            place = int(np.searchsorted(axis, value))
            around = axis[max(place - 1, 0) : place + 2]
            ordered = documents.ordered_scores[j]
            inside = np.unique(
                ordered[np.searchsorted(ordered, around[0], "right") : np.searchsorted(ordered, around[-1], "left")]
            )
            inside = inside[~np.isin(inside, around)]
            is_new = is_new or bool(inside.size)
            if len(inside) > most - 3:
                inside = inside[np.linspace(0, len(inside) - 1, max(most - 3, 1)).round().astype(np.intp)]
            # Never remains a candidate and ends the axis.
            finer.append(np.unique(np.concatenate([around, inside, [np.inf]])))
        return (*finer, *self._rule_axes) if is_new else None

    def settled(self, thresholds: Floats, marginal_precision: float) -> Floats:
        """Replace never by the largest score for classifiers with a sufficient precision above it."""
        if self.fit is None or self.source.documents is None:
            return thresholds
        scored = len(thresholds) - self.source.alert_rules
        tops = np.array([axis[-1] for axis in self.fit.cells.axes[:scored]])
        worth = np.isinf(thresholds[:scored]) & (self.fit.model.beyond[:scored] >= marginal_precision)
        return np.append(np.where(worth & (self.rule == "any"), tops, thresholds[:scored]), thresholds[scored:])


def threshold_choices(
    path: ThresholdPath, source: RatedData, *, surfaces: CountSurfaces | None = None, fit: SmoothFit | None = None
) -> ThresholdChoices:
    """Find candidate thresholds for goals other than a target, by the method of the path.

    The smooth path with its `fit` has all thresholds as candidates, compared by expected TP. Paths over the nodes of a
    grid have all nodes of `surfaces`, compared by counts. All other paths have their vertices only, and so have those
    of alert rules, but for the smooth path of documents: its choices are made beside the rules of its vertices.
    """
    chosen_from = next((method.beyond for method in PATH_METHODS if method.name == path.method), None)
    if source.alert_rules and (chosen_from != "fit" or source.documents is None):
        return ThresholdChoices(source=source, rule=path.rule)
    if chosen_from == "fit" and fit is not None:
        axes = fit.cells.axes[: len(source.names) - source.alert_rules]
        if source.documents is not None:
            # Counts above every score equal those at never.
            axes = tuple(np.append(axis[:-1], np.inf) for axis in axes)
        return ThresholdChoices(source=source, rule=path.rule, axes=axes, fit=fit)
    if chosen_from == "nodes" and surfaces is not None:
        return ThresholdChoices(source=source, rule=path.rule, axes=surfaces.axes)
    return ThresholdChoices(source=source, rule=path.rule)


def _counts_of_table(source: RatedData) -> Counts[Floats]:
    if not isinstance(source, CountSurfaces):
        raise AssertionError("what has no documents is a table of counts")
    return Counts(source.tp.ravel(), source.fp.ravel())


def _all_scores(documents: RatedDocuments) -> Floats:
    """Stack the scores (n + u, k) of rated documents, then of undecided ones."""
    return np.vstack([documents.scores, documents.undecided.scores])


def _all_weights(documents: RatedDocuments, cap: DailyCap) -> Floats:
    weights = np.concatenate([documents.weights, documents.undecided.weights])
    if cap.day.shape != weights.shape:
        raise DataError(f"The cap has days for {cap.day.size:,} documents, but there are {weights.size:,}.")
    return weights


def _cells(axes: Axes, scores: Floats) -> Indices:
    """Count the nodes of each axis at or below scores (n, k)."""
    return np.column_stack([np.searchsorted(axis, scores[:, j], side="right") for j, axis in enumerate(axes)])
