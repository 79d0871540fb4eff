"""Bootstrap a chosen operating point, the choice of its thresholds included."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from scipy.special import expit, logit

from multiloss_core.errors import DataError
from multiloss_core.generalisation.bootstrap_intervals import PointBootstrap
from multiloss_core.generalisation.group_parts import GroupParts
from multiloss_core.generalisation.marginal_interval import MarginalEvidence
from multiloss_core.generalisation.resampled_nodes import axis_places, half_way_down
from multiloss_core.generalisation.resampling import (
    CellSample,
    cell_sample,
    cell_sample_of_cells,
    cell_sample_of_counts,
)
from multiloss_core.numerics.arrays import UNDEFINED, Bools, Floats, Indices, ratio, sums
from multiloss_core.numerics.proportions import effective_size
from multiloss_core.thresholds.data.counts import Counts, Rule, flagged, require_rule
from multiloss_core.thresholds.data.rated_counts import CellCounts, RatedCounts
from multiloss_core.thresholds.data.rated_data import RatedData
from multiloss_core.thresholds.data.rated_documents import RatedDocuments
from multiloss_core.thresholds.paths.operating_point import operating_points
from multiloss_core.thresholds.paths.precision_model import newton_refit
from multiloss_core.thresholds.paths.smooth import MAX_TABLE_NODES, SmoothFit, best_nodes, flagged_cells, thresholds_at
from multiloss_core.thresholds.paths.threshold_path import ThresholdPath

RESAMPLES = 200
RESAMPLES_FOR_FIXED_THRESHOLDS = 1000
RESAMPLES_PER_STEP = 20
# How often the documents are dealt to folds, each of which is counted at thresholds chosen without it.
SPLITS = 5
# How many times wider the errors of resamples lie about the held-out counts, which have noise of their own.
SPREAD = 1.15
# Effective documents added to a count before its root is taken, so that a count of nothing has an interval too.
PSEUDO_COUNT = 1.0
# Of three classifiers or more a resample tries so many nodes before it ascends from the best: a third of the time.
RESAMPLED_NODES = 20_000
# Half-width, in log odds around the target, of the band of documents that counts as next to a point.
HALF_BAND = 0.4


def bootstrap_points(
    source: RatedData,
    fit: SmoothFit,
    path: ThresholdPath,
    targets: Iterable[float],
    *,
    generator: np.random.Generator,
    resamples: int = RESAMPLES,
    parts: GroupParts | None = None,
) -> Iterator[PointBootstrap]:
    """Resample, fit and choose again; yields what there is so far after every few resamples.

    `path` is the path of `fit` on `source`; the thresholds in question are its operating points at `targets` in (0, 1).
    In each resample the precision is fitted again with the penalty found before, and thresholds are chosen for each
    target on the same nodes, half-way down to the next document of the resample as a path has them. The error of a
    count is its value in the resample at the resample's own thresholds less the value in the original data at the same
    thresholds, optimism included (Efron 1983). Taken between square roots, where the spread of a count does not depend
    on the count, it is subtracted from the count at the chosen thresholds (basic bootstrap, Davison and Hinkley 1997,
    5.2). This gives possible values of the expected TP and FP and of everything that follows from them; multinomial
    noise added gives those of a new period, in which a document of weight w stands for w of them.

    Resamples share documents with the data, and their errors show a part of the optimism only. So the middle of the
    possible values comes from a fifth of the documents at a time, dealt anew several times and counted at thresholds
    chosen without it, adjusted for the smaller number of documents (Burman 1989). Penalties, places of jumps and nodes
    are those of all documents here too; what optimism that hides remains. A table of counts keeps the middle of errors.

    Whole groups are drawn where documents have them, weights count as effective documents (see `cell_sample`). Where
    documents were counted in place, `parts` of their groups along `path` are drawn (see `cell_sample_of_cells`). A
    resample costs O(c d^2) for c cells and d coefficients, whatever the number of documents (without groups).

    Measured with 150 positives at targets .2 and .5, 40 samples each (`benchmarks/results/coverage.md`, standard error
    3 to 4): 95 % intervals held the expected TP in 92-100, FP in 92-100, precision in 92-98 % on a smooth population
    and one whose precision jumps, plain and with weights. With customers of five alerts each, FP in 95 and 85 % on the
    smooth one, in 82 and 75 % where precision jumps: too seldom. Of TP in the sample 1-10 % (plain) and up to 33 %
    (customers) were optimism, of the estimates -3 to +2 %; FP, up to 66 % too low in the sample, stays up to 10 % too
    low (customers 30 %). Intervals are 0.9-1.5 times as wide as the oracle's on the smooth population, 1.1-2.0 where
    precision jumps.
    Intervals of the marginal precision: see `marginal_interval`.

    Raises
    ------
    DataError : a target outside (0, 1) or fewer than one resample.
    """
    wanted = np.unique(np.array(list(targets), dtype=np.float64))
    points = operating_points(path, wanted)
    if not len(wanted):
        raise DataError("Intervals need at least one target.")
    _require_resamples(resamples)
    thresholds = np.array([point.thresholds for point in points])
    documents = source.documents
    if documents is None:
        sample = _sample_of_counts(source, fit, parts)
        units = _units_of_cells(fit, thresholds, path.rule)
        design_effects = np.ones((2, len(wanted))) if parts is None else parts.design_effects(thresholds)
    else:
        sample = cell_sample(documents, fit.cells.slots, len(fit.totals))
        units, design_effects = _units_and_design_effects(documents, thresholds, path.rule)
    selection = _Selection(
        targets=wanted,
        thresholds=thresholds,
        in_sample=Counts(np.array([point.tp for point in points]), np.array([point.fp for point in points])),
        rule=path.rule,
        sample=sample,
        units=units,
        design_effects=design_effects,
    )
    repeated = _RepeatedSelection(fit, path.rule, wanted, documents, parts)

    def draw(count: int) -> _Resampled:
        return _stacked([repeated.on(sample, resample) for resample in sample.draw(generator, count)])

    held_out = repeated.held_out(sample, selection.in_sample, generator)
    return _collect(selection, draw, resamples, generator, marginal=repeated.marginal, held_out=held_out)


def bootstrap_thresholds(
    documents: RatedDocuments | RatedCounts,
    thresholds: Iterable[float],
    rule: Rule,
    *,
    generator: np.random.Generator,
    resamples: int = RESAMPLES_FOR_FIXED_THRESHOLDS,
    parts: GroupParts | None = None,
) -> PointBootstrap:
    """Resample at thresholds (k,) fixed before the data were seen, such as typed ones: nothing is chosen again.

    `parts`: groups of documents that were counted in place, counted at these thresholds alone.

    Raises
    ------
    DataError : an unknown rule, not one threshold for each classifier, or fewer than one resample.
    """
    require_rule(rule)
    _require_resamples(resamples)
    fixed = np.array(list(thresholds), dtype=np.float64)
    if fixed.shape != (len(documents.names),) or np.isnan(fixed).any():
        raise DataError(f"There must be one threshold for each of the {len(documents.names)} classifiers.")
    if isinstance(documents, RatedCounts):
        flags = documents.flagged_or_not(fixed, rule)
        return bootstrap_flagged(flags, fixed, rule, generator=generator, resamples=resamples, parts=parts)
    caught = flagged(documents.scores, fixed, rule)
    sample = cell_sample(documents, caught.astype(np.intp), 2)
    units, design_effects = _units_and_design_effects(documents, fixed[np.newaxis], rule)
    return _of_fixed(fixed, rule, sample, units, design_effects, generator, resamples)


def bootstrap_flagged(
    counted: CellCounts,
    thresholds: Iterable[float],
    rule: Rule,
    *,
    generator: np.random.Generator,
    resamples: int = RESAMPLES_FOR_FIXED_THRESHOLDS,
    parts: GroupParts | None = None,
) -> PointBootstrap:
    """Resample as `bootstrap_thresholds` does, documents that were counted where they lie.

    `counted` has two cells: what thresholds (k,) do not flag, and what they flag. `parts`: their groups, counted at
    these thresholds alone.

    Raises
    ------
    DataError : an unknown rule, no document, or fewer than one resample.
    """
    require_rule(rule)
    _require_resamples(resamples)
    if counted.documents.shape != (2, 2) or not counted.documents.sum():
        raise DataError("There must be documents, counted by whether they are flagged and by class.")
    fixed = np.array(list(thresholds), dtype=np.float64)
    # Where nothing is flagged, of all.
    cells = slice(1, None) if counted.weights[1].sum() > 0 else slice(None)
    units = np.array([counted.squares[cells].sum() / counted.weights[cells].sum()])
    effects = np.ones((2, 1)) if parts is None else parts.design_effects(fixed[np.newaxis])
    sample = cell_sample_of_cells(counted, parts, counted.cells[:, 0])
    return _of_fixed(fixed, rule, sample, units, effects, generator, resamples)


def _of_fixed(
    thresholds: Floats,
    rule: Rule,
    sample: CellSample,
    units: Floats,
    design_effects: Floats,
    generator: np.random.Generator,
    resamples: int,
) -> PointBootstrap:
    """Resample what fixed thresholds (k,) do not flag and what they flag, the two cells of a sample."""
    selection = _Selection(
        targets=np.array([UNDEFINED]),
        thresholds=thresholds[np.newaxis],
        in_sample=Counts(sample.positives[1:], sample.negatives[1:]),
        rule=rule,
        sample=sample,
        units=units,
        design_effects=design_effects,
    )

    def draw(count: int) -> _Resampled:
        own = sample.draw(generator, count)[:, :, 1:]
        return _Resampled(
            own=own,
            original=np.broadcast_to(np.array([*selection.in_sample]), own.shape),
            marginal_errors=np.full((count, 1), UNDEFINED),
            thresholds=np.tile(thresholds, (count, 1, 1)),
        )

    return next(_collect(selection, draw, resamples, generator, step=resamples))


@dataclass(frozen=True, eq=False, kw_only=True)
class _Selection:
    """Thresholds (t, k) selected for targets (t,), their counts (t,), and the data that selected them, in cells.

    `units` (t,): the weight of an effective document among the flagged ones. `design_effects` (2, t): how many times
    groups widen the variance of TP and of FP.
    """

    targets: Floats
    thresholds: Floats
    in_sample: Counts[Floats]
    rule: Rule
    sample: CellSample
    units: Floats
    design_effects: Floats

    @property
    def flags_nothing(self) -> Bools:
        """Where no document can ever be flagged (t,)."""
        never = np.isposinf(self.thresholds)
        return np.asarray(never.all(axis=1) if self.rule == "any" else never.any(axis=1))


@dataclass(frozen=True, eq=False, kw_only=True)
class _Resampled:
    """What b resamples select: thresholds (b, t, k), with TP and FP (b, 2, t) there in the resample and in the data.

    `marginal_errors` (b, t): those of the fit next to the thresholds, in log odds. Without the first axis, of one
    resample.
    """

    own: Floats
    original: Floats
    marginal_errors: Floats
    thresholds: Floats


def _stacked(parts: Sequence[_Resampled]) -> _Resampled:
    return _Resampled(
        **{field.name: np.stack([getattr(part, field.name) for part in parts]) for field in fields(_Resampled)}
    )


def _collect(
    selection: _Selection,
    draw: Callable[[int], _Resampled],
    resamples: int,
    generator: np.random.Generator,
    *,
    step: int = RESAMPLES_PER_STEP,
    marginal: MarginalEvidence | None = None,
    held_out: Floats | None = None,
) -> Iterator[PointBootstrap]:
    parts: list[tuple[Floats, ...]] = []
    for start in range(0, resamples, step):
        drawn = draw(min(step, resamples - start))
        roots = _possible_roots(selection, drawn, generator)
        noise = _noise_of_a_period(selection, _possible_expectations(selection, roots), generator)
        parts.append((roots, noise, drawn.marginal_errors, drawn.thresholds))
        roots, noise, marginal_errors, thresholds = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        if held_out is not None:
            middle = np.sqrt(held_out + PSEUDO_COUNT * selection.units * selection.design_effects)
            roots = middle + SPREAD * (roots - np.median(roots, axis=0))
        expected = _possible_expectations(selection, roots)
        new_period = (expected + noise).clip(0.0)
        yield PointBootstrap(
            requested=resamples,
            targets=selection.targets,
            thresholds=selection.thresholds,
            in_sample=selection.in_sample,
            expected=Counts(expected[:, 0], expected[:, 1]),
            new_period=Counts(new_period[:, 0], new_period[:, 1]),
            marginal=None if marginal is None else replace(marginal, errors=marginal_errors),
            resampled_thresholds=thresholds,
        )


def _possible_roots(selection: _Selection, drawn: _Resampled, generator: np.random.Generator) -> Floats:
    """Roots of TP and FP (b, 2, t), a pseudo-count added: those of the data less the errors of resamples."""
    counts = np.array([*selection.in_sample])
    unit = selection.units * selection.design_effects
    pseudo = PSEUDO_COUNT * unit
    # Mean and variance as of a Poisson number, without its gaps.
    added = unit * generator.gamma(PSEUDO_COUNT, size=drawn.own.shape)
    errors = np.sqrt(drawn.own + added) - np.sqrt(drawn.original + pseudo)
    return np.asarray(np.sqrt(counts + pseudo) - errors)


def _possible_expectations(selection: _Selection, roots: Floats) -> Floats:
    """TP and FP (b, 2, t) whose roots, a pseudo-count added, these are."""
    counts, size = np.array([*selection.in_sample]), selection.sample.size
    expected = np.square(roots.clip(0.0)) - PSEUDO_COUNT * selection.units * selection.design_effects
    expected = expected.clip(0.0)
    expected[:, :, selection.flags_nothing] = 0.0
    alerts = expected.sum(axis=1, keepdims=True)
    # Never more than all; and all, where every rated document is flagged.
    everything = counts.sum(axis=0) >= size * (1 - 1e-12)
    scaled = (alerts > size) | (everything & (alerts > 0))
    return np.where(scaled, expected * size / np.where(scaled, alerts, 1.0), expected)


def _noise_of_a_period(selection: _Selection, expected: Floats, generator: np.random.Generator) -> Floats:
    """Draw by how much counts (b, 2, t) of new data differ from expectations: multinomial, times the design effects."""
    size = selection.sample.size
    documents = max(round(size), 1)
    chances = (expected / size).clip(0.0, 1.0)
    tp = generator.binomial(documents, chances[:, 0])
    rest = np.divide(chances[:, 1], 1 - chances[:, 0], out=np.zeros_like(chances[:, 1]), where=chances[:, 0] < 1)
    fp = generator.binomial(documents - tp, rest.clip(0.0, 1.0))
    return np.asarray(np.sqrt(selection.design_effects) * (np.stack([tp, fp], axis=1) - expected))


def _units_and_design_effects(documents: RatedDocuments, thresholds: Floats, rule: Rule) -> tuple[Floats, Floats]:
    """Find the weight of an effective document (t,), and how many times groups widen variances (2, t), at least 1.

    The unit is W2 / W of the documents that thresholds (t, k) flag: where documents with low scores were rated by
    sampling and stand for many, the flagged ones may still stand for themselves alone.
    """
    weights, total = documents.weights, documents.weights.sum()
    units = np.full(len(thresholds), float(np.square(weights).sum() / total))
    effects = np.ones((2, len(thresholds)))
    for i, at in enumerate(thresholds):
        caught = flagged(documents.scores, at, rule)
        if caught.any():
            units[i] = np.square(weights[caught]).sum() / weights[caught].sum()
        if documents.groups is None:
            continue
        for row, kind in enumerate((documents.labels, ~documents.labels)):
            counted = weights * (caught & kind)
            deviations = counted - weights * (counted.sum() / total)
            alone = float(np.square(deviations).sum())
            if alone > 0:
                effects[row, i] = max(1.0, float(np.square(np.bincount(documents.groups, deviations)).sum()) / alone)
    return units, effects


def _sample_of_counts(source: RatedData, fit: SmoothFit, parts: GroupParts | None) -> CellSample:
    if isinstance(source, RatedCounts):
        cells = source.counted.cells
        return cell_sample_of_cells(source.counted, parts, None if parts is None else parts.steps(source.axes, cells))
    return cell_sample_of_counts(positives=fit.positives, negatives=fit.totals - fit.positives)


def _units_of_cells(fit: SmoothFit, thresholds: Floats, rule: Rule) -> Floats:
    """Find the weight of an effective document (t,) among the cells that thresholds (t, k) flag, nodes of the grid."""
    nodes = np.column_stack(
        [np.searchsorted(axis, column) for axis, column in zip(fit.cells.axes, thresholds.T, strict=True)]
    )
    caught = flagged_cells(fit.cells, nodes, rule)
    # Where nothing is flagged, of all.
    caught[:, fit.totals @ caught <= 0] = 1.0
    return np.asarray((fit.totals / fit.scale) @ caught / (fit.totals @ caught))


class _RepeatedSelection:
    """Repeats the selection of thresholds for rising targets (t,) on resamples of the data of a fit."""

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
        self.most_nodes = MAX_TABLE_NODES if len(fit.cells.axes) < 3 else RESAMPLED_NODES

    @property
    def marginal(self) -> MarginalEvidence:
        """What the data say of the documents next to their points, without errors."""
        fit, documents = self.fit, self.documents
        _, lower, higher = nodes_around(fit, self.rule, self.targets)
        flags = flagged_cells(fit.cells, lower, self.rule)
        inside = flags - flagged_cells(fit.cells, higher, self.rule)
        totals, positives = fit.totals @ inside, fit.positives @ inside
        if documents is None:
            squares = (fit.totals / fit.scale) @ inside
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

    def on(self, sample: CellSample, resample: Floats) -> _Resampled:
        """Select from one resample (2, c), positives and negatives in cells of the sample."""
        fit = self.fit
        again = self._refitted(resample)
        totals = again.totals
        nodes, lower, higher = nodes_around(again, self.rule, self.targets, self.most_nodes)
        nodes = self._as_in_a_path(nodes, totals)
        caught, below, above = (flagged_cells(fit.cells, at, self.rule) for at in (nodes, lower, higher))
        inside = below - above
        at_resample = _log_odds(ratio((totals * again.model.precision) @ inside, totals @ inside))
        at_data = _log_odds(ratio(self.modelled @ inside, fit.totals @ inside))
        return _Resampled(
            own=resample @ caught,
            original=np.array([sample.positives, sample.negatives]) @ caught,
            marginal_errors=at_resample - at_data,
            thresholds=thresholds_at(fit.cells, nodes),
        )

    def held_out(self, sample: CellSample, in_sample: Counts[Floats], generator: np.random.Generator) -> Floats | None:
        """Count TP and FP (2, t) at thresholds chosen without the documents counted, of as many documents as there are.

        Cross-validation in cells, adjusted for the smaller number of documents as in `cross_fit` (Burman 1989).
        """
        if sample.split is None:
            return None
        whole = np.array([sample.positives, sample.negatives])
        outside, on_all = np.zeros((2, len(self.targets))), np.zeros((2, len(self.targets)))
        for _ in range(SPLITS):
            parts = sample.split(generator)
            for part in parts:
                again = self._refitted(whole - part)
                nodes = best_nodes(again, self.targets, self.rule, self.most_nodes)
                nodes = self._as_in_a_path(nodes, again.totals)
                caught = flagged_cells(self.fit.cells, nodes, self.rule)
                outside += part @ caught / SPLITS
                on_all += whole @ caught / (SPLITS * len(parts))
        return np.asarray((outside + np.array([*in_sample]) - on_all).clip(0.0))

    def _refitted(self, counts: Floats) -> SmoothFit:
        """Fit to positives and negatives (2, c)."""
        fit, positives, totals = self.fit, counts[0], counts.sum(axis=0)
        model = newton_refit(fit.model, positives * fit.scale, totals * fit.scale)
        return SmoothFit(fit.cells, model, positives, totals, fit.scale, fit.count_weight)

    def _as_in_a_path(self, nodes: Indices, totals: Floats) -> Indices:
        """Move nodes (t, k) to where a path of documents in cells (c,) has them; those of a table stay."""
        return nodes if self.places is None else half_way_down(self.fit.cells, self.places, nodes, totals)


def _effective_sizes(documents: RatedDocuments, slots: Indices, inside: Floats) -> Floats:
    """Effective numbers (t,) of the documents in cells `inside` (c, t), a group counting as one document."""
    weights, groups, sizes = documents.weights, documents.groups, []
    for cells in inside.T:
        rows = cells[slots] > 0
        sizes.append(effective_size(weights[rows] if groups is None else np.bincount(groups[rows], weights[rows])))
    return np.array(sizes)


def _effects_on_shares(fit: SmoothFit, parts: GroupParts, inside: Floats) -> Floats:
    """How many times groups widen the variance (t,) of the share of positives in cells `inside` (c, t)."""
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


def nodes_around(fit: SmoothFit, rule: Rule, targets: Floats, most_nodes: int = MAX_TABLE_NODES) -> Indices:
    """Find nodes (3, t, k) for rising targets (t,): the best ones at each target, and those below and above it.

    The documents between the latter two are next to the point.
    """
    odds = logit(targets)
    around = np.concatenate([odds, odds - HALF_BAND, odds + HALF_BAND])
    order = np.argsort(around, kind="stable")
    nodes = np.empty((len(around), len(fit.cells.axes)), dtype=np.intp)
    nodes[order] = best_nodes(fit, expit(around[order]), rule, most_nodes)
    return nodes.reshape(3, len(targets), -1)


def _log_odds(precisions: Floats) -> Floats:
    # Off the ends, where a saturated fit would give infinity.
    return np.asarray(logit(precisions.clip(1e-12, 1 - 1e-12)))


def _require_resamples(resamples: int) -> None:
    if resamples < 1:
        raise DataError(f"Intervals need at least one resample, not {resamples}.")
