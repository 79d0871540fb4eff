"""Bootstrap a chosen operating point, the choice of its thresholds included."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from multiloss_core.errors import DataError
from multiloss_core.generalisation.marginal_interval import MarginalEvidence
from multiloss_core.generalisation.new_data_intervals import PointBootstrap
from multiloss_core.generalisation.repeated_selection import RepeatedSelection, Resampled
from multiloss_core.numerics.arrays import UNDEFINED, Bools, Floats
from multiloss_core.thresholds.data.counts import Counts, Rule, flagged, require_rule
from multiloss_core.thresholds.data.group_variation import GroupParts
from multiloss_core.thresholds.data.rated_counts import CellCounts, RatedCounts
from multiloss_core.thresholds.data.rated_data import RatedData
from multiloss_core.thresholds.data.rated_documents import RatedDocuments
from multiloss_core.thresholds.paths.operating_point import operating_points
from multiloss_core.thresholds.paths.smooth.cells import flagged_cells, nodes_at
from multiloss_core.thresholds.paths.smooth.resampling import (
    CellSample,
    cell_sample,
    cell_sample_of_cells,
    resamples_of,
)
from multiloss_core.thresholds.paths.smooth.smooth_fit import SmoothFit
from multiloss_core.thresholds.paths.threshold_path import ThresholdPath

RESAMPLES = 200
RESAMPLES_FOR_FIXED_THRESHOLDS = 1000
RESAMPLES_PER_STEP = 20
# Errors of resamples are widened by this factor, as held-out counts have noise of their own.
SPREAD = 1.15
# Effective documents added to a count before its root is taken, so that a count of nothing has an interval too.
PSEUDO_COUNT = 1.0


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

    How often the intervals hold the truth: `benchmarks/results/coverage.md`.
    Intervals of the marginal precision: see `marginal_interval`.

    Raises DataError: a target outside (0, 1) or fewer than one resample.
    """
    wanted = np.unique(np.array(list(targets), dtype=np.float64))
    points = operating_points(path, wanted)
    if not len(wanted):
        raise DataError("Intervals need at least one target.")
    _require_resamples(resamples)
    thresholds = np.array([point.thresholds for point in points])
    documents = source.documents
    sample = resamples_of(source, fit, parts)
    if documents is None:
        units = _units_of_cells(fit, thresholds, path.rule)
        design_effects = np.ones((2, len(wanted))) if parts is None else parts.design_effects(thresholds)
    else:
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
    repeated = RepeatedSelection(fit, path.rule, wanted, documents, parts)

    def draw(count: int) -> Resampled:
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
    """Resample at thresholds (k,) fixed before the data were seen, without new selection.

    `parts`: groups of documents that were counted in place, counted at these thresholds alone.

    Raises DataError: an unknown rule, not one threshold for each classifier, or fewer than one resample.
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

    Raises DataError: an unknown rule, no document, or fewer than one resample.
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
    """Resample the two cells of fixed thresholds (k,): flagged and not flagged."""
    selection = _Selection(
        targets=np.array([UNDEFINED]),
        thresholds=thresholds[np.newaxis],
        in_sample=Counts(sample.positives[1:], sample.negatives[1:]),
        rule=rule,
        sample=sample,
        units=units,
        design_effects=design_effects,
    )

    def draw(count: int) -> Resampled:
        own = sample.draw(generator, count)[:, :, 1:]
        return Resampled(
            own=own,
            original=np.broadcast_to(np.array([*selection.in_sample]), own.shape),
            marginal_errors=np.full((count, 1), UNDEFINED),
            thresholds=np.tile(thresholds, (count, 1, 1)),
        )

    return next(_collect(selection, draw, resamples, generator, step=resamples))


@dataclass(frozen=True, eq=False, kw_only=True)
class _Selection:
    """Selected thresholds (t, k) for targets (t,), counts (t,), and their data in cells.

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
        """Return whether no document can be flagged (t,)."""
        never = np.isposinf(self.thresholds)
        return np.asarray(never.all(axis=1) if self.rule == "any" else never.any(axis=1))


def _stacked(parts: Sequence[Resampled]) -> Resampled:
    return Resampled(
        **{field.name: np.stack([getattr(part, field.name) for part in parts]) for field in fields(Resampled)}
    )


def _collect(
    selection: _Selection,
    draw: Callable[[int], Resampled],
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


def _possible_roots(selection: _Selection, drawn: Resampled, generator: np.random.Generator) -> Floats:
    """Compute roots of TP and FP (b, 2, t), with a pseudo-count, less resampling errors."""
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
    """Draw noise of counts (b, 2, t) of new data: multinomial, times the design effects."""
    size = selection.sample.size
    documents = max(round(size), 1)
    chances = (expected / size).clip(0.0, 1.0)
    tp = generator.binomial(documents, chances[:, 0])
    rest = np.divide(chances[:, 1], 1 - chances[:, 0], out=np.zeros_like(chances[:, 1]), where=chances[:, 0] < 1)
    fp = generator.binomial(documents - tp, rest.clip(0.0, 1.0))
    return np.asarray(np.sqrt(selection.design_effects) * (np.stack([tp, fp], axis=1) - expected))


def _units_and_design_effects(documents: RatedDocuments, thresholds: Floats, rule: Rule) -> tuple[Floats, Floats]:
    """Find the weight of an effective document (t,) and the design effects of groups (2, t).

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
            # Where none of a class is flagged, the first ones come in groups as all others do.
            counted = weights * (caught & kind if (caught & kind).any() else kind)
            deviations = counted - weights * (counted.sum() / total)
            alone = float(np.square(deviations).sum())
            if alone > 0:
                effects[row, i] = max(1.0, float(np.square(np.bincount(documents.groups, deviations)).sum()) / alone)
    return units, effects


def _units_of_cells(fit: SmoothFit, thresholds: Floats, rule: Rule) -> Floats:
    """Find the weight of an effective document (t,) in cells flagged by thresholds (t, k)."""
    caught = flagged_cells(fit.cells, nodes_at(fit.cells, thresholds), rule)
    # Where nothing is flagged, of all.
    caught[:, fit.totals @ caught <= 0] = 1.0
    return np.asarray(fit.squares @ caught / (fit.totals @ caught))


def _require_resamples(resamples: int) -> None:
    if resamples < 1:
        raise DataError(f"Intervals need at least one resample, not {resamples}.")
