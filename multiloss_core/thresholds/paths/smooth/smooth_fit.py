"""Estimate P(positive | scores) of rated documents: a smooth model blended with the counts."""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from scipy.special import expit

from multiloss_core.numerics.arrays import Bools, Floats, Indices, sums
from multiloss_core.thresholds.data.count_surfaces import CountSurfaces
from multiloss_core.thresholds.data.folds import document_folds
from multiloss_core.thresholds.data.rated_documents import RatedDocuments
from multiloss_core.thresholds.paths.age_weights import AgeWeights, choose_age_weights
from multiloss_core.thresholds.paths.earlier_files import EarlierWeights, choose_earlier_weights
from multiloss_core.thresholds.paths.smooth.cells import ExpectedCells, ScoreCells, cells_of_surfaces, score_cells
from multiloss_core.thresholds.paths.smooth.precision_model import (
    FOLDS,
    PrecisionModel,
    fit_precision,
    newton_refit,
    precision_design,
)
from multiloss_core.thresholds.paths.smooth.rules import price_of_rule, rule_choices

# Nodes of either kind of an axis, by the number of classifiers.
RESOLUTIONS = {1: 1000, 2: 120}
RESOLUTION_OF_MANY = 60
# Marginal precisions from 0.1 to 99.9 % at which alert rules are chosen.
TARGETS_OF_RULES = expit(np.linspace(-7.0, 7.0, 57))
# Weight of the counts beside the model: the minimum, what jumps add, and the number of positives for half of the rest.
MIN_COUNT_WEIGHT, ADDED_BY_JUMPS, POSITIVES_FOR_HALF = 0.15, 0.45, 4500.0
# Parts of the cells within which weights count alike, and the largest weight beside the mean of its class.
SCALES, MAX_OF_MEAN = 8, 10.0


@dataclass(frozen=True, eq=False)
class SmoothFit:
    """The fitted precision of rated documents, with all inputs of a refit to resamples.

    `rule_choices` (u, r): sets of alert rules, some of which is best for each target; None without rules.
    `totals` and `positives` (c,) are the weights in each cell, `squares` (c,) the sums of their squares; `scale` (c,)
    turns weights into effective numbers of documents (1 without weights), on which the model is fitted. `count_weight`
    in [0, 1]: see `count_weight`.
    `age_weights`: how much less old documents count, None where their ages are unknown; `factors` (2, c): what
    their age and the limit of large weights make of the weight of positives and of negatives in each cell.
    `earlier_weights`: how much earlier files count, None without any; `earlier` (2, c): the weights of their positives
    and negatives in each cell. Together with those of the newest file they are scaled to its number of documents.
    """

    cells: ScoreCells
    model: PrecisionModel
    positives: Floats
    totals: Floats
    scale: Floats
    count_weight: float = 0.0
    rule_choices: Bools | None = None
    age_weights: AgeWeights | None = None
    factors: Floats | None = None
    squares: Floats = field(default_factory=lambda: np.empty(0))
    earlier_weights: EarlierWeights | None = None
    earlier: Floats | None = None

    @cached_property
    def expected(self) -> Floats:
        """Blend model and counts into the positives (c,) expected in each cell of new data."""
        own = self.totals * self.model.precision
        return own + self.count_weight * (self.positives - own)

    @property
    def expected_cells(self) -> ExpectedCells:
        """Return the cells with their expected positives."""
        return ExpectedCells(self.cells, self.expected, self.totals)

    @cached_property
    def precision(self) -> Floats:
        """Return the share of positives expected in each cell (c,); the model's in empty cells."""
        shares = np.divide(self.expected, self.totals, out=self.model.precision.copy(), where=self.totals > 0)
        return np.asarray(shares)

    @property
    def document(self) -> float:
        """Return the weight of one effective document."""
        return float(self.totals.sum() / (self.totals @ self.scale))

    def price_of_rules(self, nodes: Indices, targets: Floats) -> Floats:
        """Compute what active rules of nodes (..., k) must gain, at targets that broadcast to (...)."""
        if not self.cells.alert_rules:
            return np.zeros(())
        active = np.count_nonzero(nodes[..., self.cells.score_count :] == 0, axis=-1)
        return np.asarray(active * price_of_rule(self.document, targets))

    def refitted(self, counts: Floats) -> "SmoothFit":
        """Fit again to positives and negatives (2, c) of a resample; see `newton_refit`."""
        counts = counts if self.factors is None else counts * self.factors
        known, share = counts, 1.0
        if self.earlier is not None:
            known = counts + self.earlier
            share = float(counts.sum() / known.sum())
        positives, totals = known[0], known.sum(axis=0)
        model = newton_refit(self.model, positives * self.scale, totals * self.scale)
        return replace(self, model=model, positives=positives * share, totals=totals * share)


def smooth_fit(source: RatedDocuments | CountSurfaces, *, resolution: int | None = None) -> SmoothFit:
    """Count documents into cells, fit their precision, and blend it with the counts.

    Blending reduces the bias of the model and the noise of the counts; `benchmarks/results/constants.md` has the
    losses. Documents with ages count less the older they are where that predicts the newest ones better, see
    `choose_age_weights`, and documents of earlier files as far as files predict each other, see
    `choose_earlier_weights`. Deterministic: the folds of the fit are drawn with a fixed seed.
    """
    if isinstance(source, RatedDocuments):
        if source.earlier is not None:
            return _fit_with_earlier(source, source.earlier, resolution)
        fit = _fit_of_documents(source, resolution)
        if source.ages is None:
            return fit
        chosen = choose_age_weights(source, source.ages, fit.cells.slots, lambda counts: fit.refitted(counts).precision)
        fit = fit if chosen.half_life is None else _fit_of_documents(source, resolution, chosen.weights(source.ages))
        return replace(fit, age_weights=chosen)
    cells, positives, totals = cells_of_surfaces(source.buckets, source.alert_rules)
    squares = totals if source.squares is None else source.squares.sum(axis=1)
    scale = _pooled_scale(cells, totals, squares)
    folds = _split_counts(positives * scale, totals * scale, np.random.default_rng(0))
    return _fit_of_counts(cells, positives, totals, squares, scale, folds)


def _fit_of_documents(
    source: RatedDocuments, resolution: int | None, by_age: Floats | None = None, *, is_prior: bool = False
) -> SmoothFit:
    """Fit documents, each with its limited weight, times its weight `by_age` (n,).

    `is_prior`: a document of weight `by_age` is that part of a document; else all are effective documents.
    """
    labels, limited = source.labels, limited_weights(source.weights, source.labels)
    weights = limited if by_age is None else limited * by_age
    nodes = resolution or RESOLUTIONS.get(source.score_count, RESOLUTION_OF_MANY)
    cells = score_cells(source.scores, labels, source.floors, nodes, alert_rules=source.alert_rules)
    count = len(cells.cells)
    positives = sums(cells.slots[labels], weights[labels], count)
    totals = sums(cells.slots, weights, count)
    squares = sums(cells.slots, np.square(weights), count)
    scaled = (totals, squares)
    if is_prior:
        scaled = sums(cells.slots, limited, count), sums(cells.slots, np.square(limited), count)
    scale = _pooled_scale(cells, *scaled)
    # A single group cannot be held out.
    many = source.groups is not None and int(source.groups.max()) > 0
    fold = document_folds(source, FOLDS, whole_groups=many)
    keys = fold * count + cells.slots
    by_fold = (sums(keys[kind], weights[kind], FOLDS * count) for kind in (labels, slice(None)))
    folds = list(zip(*(scale * dealt.reshape(FOLDS, count) for dealt in by_fold), strict=True))
    fit = _fit_of_counts(cells, positives, totals, squares, scale, folds)
    if (weights == source.weights).all():
        return fit
    plain, fitted = (_by_class(cells.slots, labels, counted, count) for counted in (source.weights, weights))
    return replace(fit, factors=np.divide(fitted, plain, out=np.ones_like(plain), where=plain > 0))


def _fit_with_earlier(source: RatedDocuments, earlier: RatedDocuments, resolution: int | None) -> SmoothFit:
    """Fit documents of all files, as far as earlier ones count."""
    assert earlier.ages is not None
    ages = np.append(np.zeros(len(source.labels)), earlier.ages)
    joined = source.joined(earlier)
    fit = _fit_of_documents(joined, resolution)
    chosen = choose_earlier_weights(joined, ages, fit.cells.slots, lambda counts: fit.refitted(counts).precision)
    if chosen.half_life == 0:
        return replace(_fit_of_documents(source, resolution), earlier_weights=chosen)
    fit = _fit_of_documents(joined, resolution, chosen.weights(ages), is_prior=True)
    slots, labels = fit.cells.slots[: len(source.labels)], source.labels
    weights = limited_weights(joined.weights, joined.labels)[: len(labels)]
    counts, plain = (_by_class(slots, labels, counted, len(fit.totals)) for counted in (weights, source.weights))
    share = counts.sum() / fit.totals.sum()
    return replace(
        fit,
        cells=replace(fit.cells, slots=slots),
        positives=fit.positives * share,
        totals=fit.totals * share,
        factors=np.divide(counts, plain, out=np.ones_like(plain), where=plain > 0),
        earlier=np.array([fit.positives, fit.totals - fit.positives]) - counts,
        earlier_weights=chosen,
    )


def _by_class(slots: Indices, labels: Bools, weights: Floats, cells: int) -> Floats:
    """Sum the weights (n,) of positives and of negatives by cell, (2, c)."""
    return np.array([sums(slots[kind], weights[kind], cells) for kind in (labels, ~labels)])


def limited_weights(weights: Floats, labels: Bools) -> Floats:
    """Limit weights (n,) to ten times the mean of their class: one huge amount must not decide.

    In the mean, the largest twentieth counts as its smallest weight.
    """
    limited = weights.copy()
    for kind in (labels, ~labels):
        if kind.any():
            usual = np.minimum(weights[kind], np.quantile(weights[kind], 0.95)).mean()
            limited[kind] = np.minimum(weights[kind], MAX_OF_MEAN * usual)
    return limited


def _fit_of_counts(
    cells: ScoreCells,
    positives: Floats,
    totals: Floats,
    squares: Floats,
    scale: Floats,
    folds: list[tuple[Floats, Floats]],
) -> SmoothFit:
    model = fit_precision(precision_design(cells, positives * scale, totals * scale), folds)
    weight = count_weight(float(positives @ scale), model.jump_share)
    return with_rule_choices(SmoothFit(cells, model, positives, totals, scale, weight, squares=squares))


def with_rule_choices(fit: SmoothFit) -> SmoothFit:
    """Find the sets of alert rules that are best for some target, those with fewer rules first."""
    if not fit.cells.alert_rules:
        return fit
    active, _ = rule_choices(fit.expected_cells, TARGETS_OF_RULES, fit.document)
    sets = np.unique(active, axis=0)
    return replace(fit, rule_choices=sets[np.argsort(sets.sum(axis=1), kind="stable")])


def count_weight(positives: float, jump_share: float) -> float:
    """Return the weight of the counts beside the model, rising with rated positives.

    With more positives the noise of the counts vanishes, the bias of the model stays. Where the precision jumps, as
    models with jumps fit better, the model is more biased and the counts err less.
    """
    least = MIN_COUNT_WEIGHT + ADDED_BY_JUMPS * jump_share
    return least + (1 - least) * positives**2 / (positives**2 + POSITIVES_FOR_HALF**2)


def _pooled_scale(cells: ScoreCells, totals: Floats, squares: Floats) -> Floats:
    """Find the effective number of documents for each unit of weight (c,).

    It is that of a part of neighbouring cells: sampling of low scores must not weaken the evidence of high ones, so
    there are eight parts (Kish 1965). In a single cell a heavy document would cancel its own weight.
    """
    documents = np.divide(np.square(totals), squares, out=np.zeros_like(totals), where=squares > 0)
    above = [np.cumsum(np.bincount(column, documents)[::-1])[::-1][column] for column in cells.cells.T]
    order = np.argsort(np.mean(above, axis=0), kind="stable")
    middle = np.cumsum(documents[order]) - documents[order] / 2
    parts = np.empty(len(order), dtype=np.intp)
    parts[order] = (middle * SCALES / max(documents.sum(), 1.0)).astype(np.intp).clip(0, SCALES - 1)
    weight, square = (sums(parts, values, SCALES) for values in (totals, squares))
    return np.asarray(np.divide(weight, square, out=np.ones(SCALES), where=square > 0)[parts])


def _split_counts(positives: Floats, totals: Floats, generator: np.random.Generator) -> list[tuple[Floats, Floats]]:
    """Deal the counts of cells out to folds at random, document by document."""
    parts = []
    for counts in (positives, totals - positives):
        dealt = generator.multinomial(counts.round().astype(np.int64), np.full(FOLDS, 1 / FOLDS))
        parts.append(dealt.T.astype(np.float64))
    return [(caught, caught + false) for caught, false in zip(*parts, strict=True)]
