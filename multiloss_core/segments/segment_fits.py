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
from multiloss_core.thresholds.paths.node_tables import CellsOfScores
from multiloss_core.thresholds.paths.precision_model import single_threaded
from multiloss_core.thresholds.paths.resampling import cell_sample_of_cells
from multiloss_core.thresholds.paths.smooth_fit import SmoothFit, count_weight, with_rule_choices


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
    precision = _precision_of_pairs(rated, logits, choice, fitted)
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
        own.append(with_rule_choices(fit) if len(here) else fit)
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
    expected = np.array([_expected(rated, fits, *pair) for pair in zip(refitted, drawn, strict=True)])
    totals = drawn.sum(axis=1)
    nodes: list[Indices | None] = []
    for s, fit in enumerate(fits.own):
        here = np.flatnonzero((rated.pair_segment == s) & (counts.sum(axis=0) > 0))
        # A segment is not fitted again alone, but with all others.
        own = (CellsOfScores(fit.cells, *pair) for pair in zip(expected[:, here], totals[:, here], strict=True))
        nodes.append(averaged_nodes(fit, targets, rule, own) if len(here) else None)
    if with_common:
        nodes.append(averaged_nodes(fits.common, targets, rule, refitted))
    return nodes


def _of_cells(rated: RatedSegments, counts: Floats, cells: int) -> Floats:
    """Sum counts of pairs (..., p) to cells (..., c)."""
    return np.array([sums(rated.pair_cell, part, cells) for part in counts])


def _expected(rated: RatedSegments, fits: SegmentFits, refitted: SmoothFit, drawn: Floats) -> Floats:
    """Compute the positives (p,) expected in a resample (2, p) by refits to it."""
    positives, totals = drawn[0], drawn.sum(axis=0)
    logits = log_odds(refitted.model.precision)
    bins = logit_bins(logits)
    by_bin = partial(_by_bin, rated, bins, fits.common.scale)
    fitted = mean_shifts(fits.choice, fit_shifts(bins.logits, fits.choice, by_bin(positives), by_bin(totals)))
    own = totals * _precision_of_pairs(rated, logits, fits.choice, fitted)
    weights = np.array([fit.count_weight for fit in fits.own])[rated.pair_segment]
    return np.asarray(own + weights * (positives - own))


def _precision_of_pairs(rated: RatedSegments, logits: Floats, choice: ShiftChoice, fitted: Floats) -> Floats:
    """Compute the precision (p,) of pairs from common log odds (c,) and shifts (s, 2)."""
    shift = fitted[rated.pair_segment]
    return np.asarray(expit(shifted(logits[rated.pair_cell][:, np.newaxis], choice, shift)[:, 0]))


def _by_bin(rated: RatedSegments, bins: LogitBins, scale: Floats, counts: Floats) -> Floats:
    """Sum effective counts of pairs (..., p) by segment and bin, (..., s, b)."""
    size = len(bins.logits)
    keys = rated.pair_segment * size + bins.bin[rated.pair_cell]
    scaled = (counts * scale[rated.pair_cell]).reshape(-1, counts.shape[-1])
    summed = np.array([sums(keys, row, len(rated.names) * size) for row in scaled])
    return summed.reshape(*counts.shape[:-1], len(rated.names), size)
