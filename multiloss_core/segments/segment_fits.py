"""Fit the precision of each segment, and find its best nodes averaged over resamples."""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from scipy.special import expit, logit

from multiloss_core.numerics.arrays import Floats, Indices, sums
from multiloss_core.segments.rated_segments import RatedSegments
from multiloss_core.thresholds.data.counts import Rule
from multiloss_core.thresholds.data.rated_counts import CellCounts
from multiloss_core.thresholds.paths.smooth.nodes import RESAMPLES, averaged_nodes
from multiloss_core.thresholds.paths.smooth.precision_model import single_threaded
from multiloss_core.thresholds.paths.smooth.resampling import cell_sample_of_cells
from multiloss_core.thresholds.paths.smooth.smooth_fit import SmoothFit, count_weight, with_rule_choices

# Precisions of penalties: infinity is no difference from the common fit at all.
INTERCEPT_PENALTIES, SLOPE_PENALTIES = (8.0, 2.0, 0.5, 0.125), (np.inf, 8.0, 1.0)
PENALTIES = np.array([(np.inf, np.inf), *((a, b) for a in INTERCEPT_PENALTIES for b in SLOPE_PENALTIES)])
BIN_WIDTH = 0.15
# Up to this many segments each has all resamples; more have fewer, but at least 10.
FEW_SEGMENTS, MIN_RESAMPLES = 10, 10
MAX_STEPS, MAX_STEP, SMALL_STEP = 20, 1.5, 1e-4
MAX_LOG_ODDS = 25.0


@dataclass(frozen=True, eq=False, kw_only=True)
class LogitBins:
    """Cells in bins of their common log odds: the bin of each (c,), the log odds (b,) of bins."""

    bin: Indices
    logits: Floats


@dataclass(frozen=True, eq=False, kw_only=True)
class ShiftChoice:
    """Weights (q,) of the penalties tried, by their likelihood on held-out data.

    `centre` and `scale`: the common log odds at which a slope turns, and those of one unit of it.
    """

    weights: Floats
    centre: float
    scale: float


def log_odds(precision: Floats) -> Floats:
    """Convert precisions to log odds within finite bounds."""
    # Means of precisions may exceed 1 by rounding.
    return np.asarray(logit(precision.clip(0.0, 1.0)).clip(-MAX_LOG_ODDS, MAX_LOG_ODDS))


def logit_bins(logits: Floats) -> LogitBins:
    """Group cells (c,) into bins of equal width of their common log odds."""
    low = float(logits.min())
    place = np.floor((logits - low) / BIN_WIDTH).astype(np.intp)
    centres = low + BIN_WIDTH * (np.arange(int(place.max()) + 1) + 0.5)
    return LogitBins(bin=place, logits=np.asarray(centres, dtype=np.float64))


def chosen_shifts(bins: LogitBins, positives: Floats, totals: Floats) -> ShiftChoice:
    """Weigh penalties by the deviance of segments (s) on each held-out fold.

    `positives` and `totals` (f, s, b) are effective counts by fold, segment and bin. O(q f s b) for each Newton step.
    """
    caught, all_there = positives.sum(axis=(0, 1)), totals.sum(axis=(0, 1))
    centre = float(caught @ bins.logits / caught.sum())
    spread = float(all_there @ np.square(bins.logits - centre) / all_there.sum())
    choice = ShiftChoice(weights=np.eye(len(PENALTIES))[0], centre=centre, scale=max(np.sqrt(spread), BIN_WIDTH))
    if len(positives) < 2:
        return choice
    others = positives.sum(axis=0) - positives, totals.sum(axis=0) - totals
    fitted = fit_shifts(bins.logits, choice, others[0], others[1])
    at = shifted(bins.logits, choice, fitted)
    deviances = (totals * np.logaddexp(0.0, at) - positives * at).sum(axis=(1, 2, 3))
    weights = np.exp(deviances.min() - deviances)
    return ShiftChoice(weights=weights / weights.sum(), centre=centre, scale=choice.scale)


def fit_shifts(logits: Floats, choice: ShiftChoice, positives: Floats, totals: Floats) -> Floats:
    """Fit intercept and slope (q, ..., 2) of segments at each penalty, to counts (..., b).

    Penalised logistic regression with the common log odds (b,) as offset, by Newton steps of bounded size.
    """
    column = (logits - choice.centre) / choice.scale
    shape = (len(PENALTIES), *(1,) * (positives.ndim - 1))
    first, second = (np.where(np.isinf(one), 0.0, one).reshape(shape) for one in PENALTIES.T)
    is_free = [np.isfinite(one).reshape(shape) for one in PENALTIES.T]
    fitted = np.zeros((len(PENALTIES), *positives.shape[:-1], 2))
    for _ in range(MAX_STEPS):
        precision = expit(logits + fitted[..., :1] + fitted[..., 1:] * column)
        excess = totals * precision - positives
        curvature = totals * precision * (1 - precision)
        slopes = excess.sum(axis=-1) + first * fitted[..., 0], excess @ column + second * fitted[..., 1]
        a, b, c = curvature.sum(axis=-1) + first, curvature @ column, curvature @ np.square(column) + second
        b = np.where(is_free[1], b, 0.0)
        c = np.where(is_free[1], c, 1.0)
        determinant = (a * c - b * b).clip(1e-12)
        steps = (c * slopes[0] - b * slopes[1]) / determinant, (a * slopes[1] - b * slopes[0]) / determinant
        move = np.stack([np.where(free, step, 0.0) for free, step in zip(is_free, steps, strict=True)], axis=-1)
        move = move.clip(-MAX_STEP, MAX_STEP)
        fitted = fitted - move
        if np.abs(move).max(initial=0.0) < SMALL_STEP:
            break
    return fitted


def shifted(logits: Floats, choice: ShiftChoice, fitted: Floats) -> Floats:
    """Add shifts (..., 2) to common log odds (b,), giving (..., b)."""
    return np.asarray(logits + fitted[..., :1] + fitted[..., 1:] * (logits - choice.centre) / choice.scale)


def mean_shifts(choice: ShiftChoice, fitted: Floats) -> Floats:
    """Average shifts (q, ..., 2) over the penalties tried, giving (..., 2)."""
    return np.asarray(np.tensordot(choice.weights, fitted, axes=1))


# Positives with which a segment's own counts weigh as much as those of all documents in placing its nodes.
POSITIVES_FOR_OWN = 30.0


@dataclass(frozen=True, eq=False, kw_only=True)
class SegmentFits:
    """The common fit and one fit for each segment in its occupied cells, to the same counts.

    `shifts` (s, 2): intercept and slope that a segment adds to the common log odds.
    """

    common: SmoothFit
    own: tuple[SmoothFit, ...]
    choice: ShiftChoice
    shifts: Floats


@single_threaded
def fit_segments(rated: RatedSegments, common: SmoothFit, counts: Floats) -> SegmentFits:
    """Shift the common precision by segment, for counts (f, 2, p) of folds, negatives first.

    The strength of the penalty on shifts is chosen on the folds. O(q f s b) for each Newton step on b bins.
    """
    negatives, positives = counts.sum(axis=0)
    totals = positives + negatives
    logits = log_odds(common.model.precision)
    bins = logit_bins(logits)
    by_bin = partial(_by_bin, rated, bins, common.scale)
    choice = chosen_shifts(bins, by_bin(counts[:, 1]), by_bin(counts.sum(axis=1)))
    fitted = mean_shifts(choice, fit_shifts(bins.logits, choice, by_bin(positives), by_bin(totals)))
    beyond = expit(shifted(log_odds(common.model.beyond), choice, fitted))
    precision = expit(shifted(logits[rated.pair_cell, np.newaxis], choice, fitted[rated.pair_segment])[:, 0])
    own = []
    for s in range(len(rated.names)):
        here = np.flatnonzero((rated.pair_segment == s) & (totals > 0))
        cells = rated.pair_cell[here]
        scale = common.scale[cells]
        fit = SmoothFit(
            replace(rated.cells, cells=rated.cells.cells[cells], slots=np.empty(0, dtype=np.intp)),
            replace(common.model, precision=precision[here], beyond=beyond[s]),
            positives[here],
            totals[here],
            scale,
            count_weight(float(positives[here] @ scale), common.model.jump_share),
        )
        own.append(fit)
    return SegmentFits(common=common, own=tuple(own), choice=choice, shifts=fitted)


@single_threaded
def nodes_of_segments(
    rated: RatedSegments,
    fits: SegmentFits,
    counts: Floats,
    squares: Floats,
    targets: Floats,
    rule: Rule,
    *,
    with_common: bool = False,
) -> list[Indices | None]:
    """Find nodes (t, k) for rising targets (t,) in each segment, averaged over resamples.

    None for a segment without documents. Many segments share the work of `FEW_SEGMENTS`: each has fewer resamples, at
    least `MIN_RESAMPLES`. `with_common` adds those of all documents together. Counts and sums of squared
    weights (2, p) are those of the fits, negatives first. In each resample of all documents the common precision and
    the shifts are fitted again. Groups are not kept whole here: the average needs about the spread of the data,
    intervals come from elsewhere.
    """
    pairs = np.column_stack([rated.pair_segment, rated.pair_cell])
    # Effective numbers of documents: exact where all weigh the same.
    sizes = np.divide(np.square(counts), squares, out=np.zeros_like(counts), where=squares > 0)
    sample = cell_sample_of_cells(CellCounts(pairs, sizes.round().astype(np.intp).T, counts.T, squares.T))
    resamples = max(RESAMPLES * FEW_SEGMENTS // max(len(rated.names), FEW_SEGMENTS), MIN_RESAMPLES)
    drawn = sample.draw(np.random.default_rng(0), resamples)
    refitted = [fits.common.refitted(_of_cells(rated, one, len(fits.common.totals))) for one in drawn]
    # A segment is not fitted again alone, but with all others.
    shifts = [_refitted_shifts(rated, fits, *pair) for pair in zip(refitted, drawn, strict=True)]
    nodes: list[Indices | None] = []
    for s, own in enumerate(fits.own):
        placing = partial(_placing_fit, rated, fits, s=s)
        fit = placing(fits.common, fits.shifts, counts[::-1])
        resampled = map(placing, refitted, shifts, drawn)
        nodes.append(averaged_nodes(with_rule_choices(fit), targets, rule, resampled) if len(own.totals) else None)
    if with_common:
        nodes.append(averaged_nodes(fits.common, targets, rule, refitted))
    return nodes


def _of_cells(rated: RatedSegments, counts: Floats, cells: int) -> Floats:
    """Sum counts of pairs (..., p) to cells (..., c)."""
    return np.array([sums(rated.pair_cell, part, cells) for part in counts])


def _placing_fit(
    rated: RatedSegments, fits: SegmentFits, common: SmoothFit, shifts: Floats, counts: Floats, s: int
) -> SmoothFit:
    """Make the fit of a segment in all cells that places its nodes.

    `counts` (2, p) of pairs, positives first, and the shifts (s, 2) are those of the common fit or of a refit to them.
    A segment with few positives has little to say on how its scores lie: its counts (`own`) weigh p / (p + 30) for p
    positives, those of all documents the rest, in proportion to its size, with its own precision.
    """
    here = np.flatnonzero(rated.pair_segment == s)
    own = np.zeros((2, len(common.totals)))
    own[:, rated.pair_cell[here]] = counts[:, here]
    number, usual = float(own[0] @ common.scale), common.model.precision
    weight = number / (number + POSITIVES_FOR_OWN)
    share = (1 - weight) * own.sum() / common.totals.sum()
    precision = expit(shifted(log_odds(usual), fits.choice, shifts[s]))
    # What counts add to the model is smaller where fraud is rarer.
    spread, usual_spread = precision * (1 - precision), usual * (1 - usual)
    scale = np.divide(spread, usual_spread, out=np.ones_like(usual), where=usual_spread > spread)
    added = (common.positives - common.totals * usual) * scale
    beyond = expit(shifted(log_odds(fits.common.model.beyond), fits.choice, shifts[s]))
    return replace(
        common,
        model=replace(common.model, precision=precision, beyond=beyond),
        positives=weight * own[0] + share * (common.totals * precision + added),
        totals=weight * own.sum(axis=0) + share * common.totals,
        count_weight=fits.own[s].count_weight,
    )


def _refitted_shifts(rated: RatedSegments, fits: SegmentFits, refitted: SmoothFit, drawn: Floats) -> Floats:
    """Fit the shifts (s, 2) again to a resample (2, p), beside a refit to it."""
    positives, totals = drawn[0], drawn.sum(axis=0)
    bins = logit_bins(log_odds(refitted.model.precision))
    by_bin = partial(_by_bin, rated, bins, fits.common.scale)
    return mean_shifts(fits.choice, fit_shifts(bins.logits, fits.choice, by_bin(positives), by_bin(totals)))


def _by_bin(rated: RatedSegments, bins: LogitBins, scale: Floats, counts: Floats) -> Floats:
    """Sum effective counts of pairs (..., p) by segment and bin, (..., s, b)."""
    size = len(bins.logits)
    keys = rated.pair_segment * size + bins.bin[rated.pair_cell]
    scaled = (counts * scale[rated.pair_cell]).reshape(-1, counts.shape[-1])
    summed = np.array([sums(keys, row, len(rated.names) * size) for row in scaled])
    return summed.reshape(*counts.shape[:-1], len(rated.names), size)
