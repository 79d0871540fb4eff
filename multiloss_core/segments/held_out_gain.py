"""Decide on held-out documents whether own thresholds of segments pay."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.optimize import brentq
from scipy.special import logit
from scipy.stats import norm

from multiloss_core.generalisation.marginal_interval import Interval
from multiloss_core.numerics.arrays import UNDEFINED, Floats, Indices, sums
from multiloss_core.numerics.proportions import NORMAL_95
from multiloss_core.segments.rated_segments import RatedSegments
from multiloss_core.segments.segment_fits import fit_segments, nodes_of_segments
from multiloss_core.thresholds.data.counts import Rule, turning_points
from multiloss_core.thresholds.paths.smooth.path import LOG_ODDS, TARGETS
from multiloss_core.thresholds.paths.smooth.smooth_fit import SmoothFit, with_rule_choices

# Every fourth target of the paths from 1.8 to 88 %.
GATE_TARGETS = TARGETS[(LOG_ODDS > -4.05) & (LOG_ODDS < 2.05)][::4]
# Standard errors by which the gain over all targets must exceed 0. Own thresholds of equal segments are noisier and
# lose on held-out documents: they were proposed in 1 of 160 samples (`benchmarks/results/segments.md`).
MIN_GAIN_IN_ERRORS = 1.0


@dataclass(frozen=True, eq=False, kw_only=True)
class Gate:
    """Held-out gain of own over common thresholds, and the one decision that follows.

    `is_open`: own thresholds are proposed, at every target. `statistic`: the gain over all `GATE_TARGETS` in standard
    errors, on the scale (1 - m) TP - m FP; NaN if it could not be held out. `gains` and `errors` (s, t) are the gain in
    TP - m / (1 - m) FP in each segment at these targets (t,) and its standard error, `total_errors` (t,) that of all
    segments together.
    """

    is_open: bool
    statistic: float
    gains: Floats
    errors: Floats
    total_errors: Floats
    reason: str = ""

    def gain(self, target: float) -> Interval:
        """Return the held-out gain of all segments at the nearest target, with its 95 % interval.

        It is reduced by what the choice of a large one adds, see `kept_share`.
        """
        return self._interval(self.gains.sum(axis=0), self.total_errors, target)

    def gains_by_segment(self, target: float) -> tuple[Interval, ...]:
        """Return the held-out gain of each segment, like `gain`."""
        return tuple(self._interval(*each, target) for each in zip(self.gains, self.errors, strict=True))

    @cached_property
    def kept_share(self) -> float:
        """Return the share of the gain that is left after its choice.

        The gate opens where the statistic, a normal variable, exceeds the minimum. The share is the most likely mean of
        it under that condition, at least 0, over its value (Zhong and Prentice 2008). 1 where the gate is closed.
        """
        if not self.statistic > MIN_GAIN_IN_ERRORS:
            return 1.0

        def excess(mean: float) -> float:
            beyond = mean - MIN_GAIN_IN_ERRORS
            return mean + float(np.exp(norm.logpdf(beyond) - norm.logcdf(beyond))) - self.statistic

        return 0.0 if excess(0.0) > 0 else float(brentq(excess, 0.0, self.statistic)) / self.statistic

    def _interval(self, gains: Floats, errors: Floats, target: float) -> Interval:
        at = int(np.argmin(np.abs(logit(GATE_TARGETS) - logit(target))))
        estimate, reach = self.kept_share * float(gains[at]), NORMAL_95 * float(errors[at])
        return Interval(estimate=estimate, low=estimate - reach, high=estimate + reach, reason=self.reason)


def held_out_gate(rated: RatedSegments, common: SmoothFit, rule: Rule) -> Gate:
    """Cross-fit common and own thresholds, and count both on the documents left out.

    For each fold the common precision, the shifts and all best nodes are found without it, on the nodes of all
    documents. Whole groups are the units of the standard errors where documents have groups, else documents. Time:
    about as long as finding all paths, for each fold.
    """
    counts, squares = rated.table(rated.row_weight), rated.table(rated.row_square)
    if rated.folds < 2:
        return closed_gate(len(rated.names), "no documents can be held out")
    own, shared = (np.zeros(len(rated.row_pair), dtype=np.intp) for _ in range(2))
    segment = rated.pair_segment[rated.row_pair]
    cells = rated.cells.cells[rated.pair_cell[rated.row_pair]]
    for fold in range(rated.folds):
        others = np.arange(rated.folds) != fold
        known, spread = counts[others].sum(axis=0), squares[others].sum(axis=0)
        if not known.sum(axis=1).all():
            continue
        of_cells = np.array([sums(rated.pair_cell, part, len(common.totals)) for part in known])
        fits = fit_segments(rated, with_rule_choices(common.refitted(of_cells[::-1])), counts[others])
        left_out = rated.row_fold == fold
        *of_segments, common_nodes = nodes_of_segments(rated, fits, known, spread, GATE_TARGETS, rule, with_common=True)
        assert common_nodes is not None
        shared[left_out] = turning_points(cells[left_out], common_nodes + 1, rule)
        for s, nodes in enumerate(of_segments):
            here = left_out & (segment == s)
            own[here] = turning_points(cells[here], (common_nodes if nodes is None else nodes) + 1, rule)
    return gate_of(rated, own, shared)


def gate_of(rated: RatedSegments, own: Indices, shared: Indices) -> Gate:
    """Decide from the number of targets (r,) at which own and common thresholds flag a row."""
    # Rows flagged by both or by neither at every target gain nothing.
    differs = np.flatnonzero(own != shared)
    own, shared = own[differs], shared[differs]
    caught = rated.row_class[differs] == 1
    segment = rated.pair_segment[rated.row_pair[differs]]
    weight, square = rated.row_weight[differs], rated.row_square[differs]
    unit = None if rated.row_group is None else rated.row_group[differs]
    number = len(rated.names)
    gains, errors = np.zeros((number, len(GATE_TARGETS))), np.zeros((number, len(GATE_TARGETS)))
    total_errors, summed = np.zeros(len(GATE_TARGETS)), np.zeros(len(differs))
    for t, target in enumerate(GATE_TARGETS.tolist()):
        value = ((own > t).astype(np.float64) - (shared > t)) * np.where(caught, 1.0, -target / (1 - target))
        summed += (1 - target) * value
        gains[:, t] = sums(segment, weight * value, number)
        errors[:, t] = np.sqrt(_variances(value, weight, square, unit, segment, number))
        total_errors[t] = np.sqrt(_variances(value, weight, square, unit, np.zeros_like(segment), 1)[0])
    error = float(np.sqrt(_variances(summed, weight, square, unit, np.zeros_like(segment), 1)[0]))
    statistic = float(weight @ summed) / error if error > 0 else 0.0
    return Gate(
        is_open=statistic > MIN_GAIN_IN_ERRORS,
        statistic=statistic,
        gains=gains,
        errors=errors,
        total_errors=total_errors,
    )


def _variances(
    value: Floats, weight: Floats, square: Floats, unit: Indices | None, part: Indices, parts: int
) -> Floats:
    """Estimate variances (parts,) of sums of values (d,) over documents or groups."""
    if unit is None:
        return sums(part, square * np.square(value), parts)
    groups, place = np.unique(unit * parts + part, return_inverse=True)
    return sums(groups % parts, np.square(sums(place, weight * value, len(groups))), parts)


def closed_gate(segments: int, reason: str) -> Gate:
    """Propose common thresholds where no gain is known."""
    unknown = np.full((segments, len(GATE_TARGETS)), UNDEFINED)
    return Gate(
        is_open=False, statistic=UNDEFINED, gains=unknown, errors=unknown, total_errors=unknown[0], reason=reason
    )
