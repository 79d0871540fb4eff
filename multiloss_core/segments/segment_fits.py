"""Fit the precision of each segment, and find its best nodes averaged over resamples."""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from scipy.special import expit

from multiloss_core.numerics.arrays import Floats, Indices, sums
from multiloss_core.segments.rated_segments import RatedSegments
from multiloss_core.segments.shifts import (
    LogitBins,
    ShiftChoice,
    chosen_shifts,
    fit_shifts,
    log_odds,
    logit_bins,
    mean_shifts,
    shifted,
)
from multiloss_core.thresholds.data.counts import Rule
from multiloss_core.thresholds.data.rated_counts import CellCounts
from multiloss_core.thresholds.paths.averaged_nodes import RESAMPLES, averaged_nodes
from multiloss_core.thresholds.paths.precision_model import single_threaded
from multiloss_core.thresholds.paths.resampling import cell_sample_of_cells
from multiloss_core.thresholds.paths.smooth_fit import SmoothFit, count_weight, with_rule_choices

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

    None for a segment without documents. `with_common` adds those of all documents together. Counts and sums of squared
    weights (2, p) are those of the fits, negatives first. In each resample of all documents the common precision and
    the shifts are fitted again. Groups are not kept whole here: the average needs about the spread of the data,
    intervals come from elsewhere.
    """
    pairs = np.column_stack([rated.pair_segment, rated.pair_cell])
    # Effective numbers of documents: exact where all weigh the same.
    sizes = np.divide(np.square(counts), squares, out=np.zeros_like(counts), where=squares > 0)
    sample = cell_sample_of_cells(CellCounts(pairs, sizes.round().astype(np.intp).T, counts.T, squares.T))
    drawn = sample.draw(np.random.default_rng(0), RESAMPLES)
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
