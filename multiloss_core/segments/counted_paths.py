"""Count the documents of a segment along paths of thresholds."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from scipy.special import expit

from multiloss_core.numerics.arrays import Floats, Indices
from multiloss_core.segments.points import CountsAlong
from multiloss_core.segments.rated_segments import RatedSegments
from multiloss_core.segments.segment_fits import SegmentFit, SegmentFits
from multiloss_core.thresholds.data.counts import Counts, Rule, still_flagged, turning_points
from multiloss_core.thresholds.data.undecided_documents import UndecidedDocuments
from multiloss_core.thresholds.paths.node_tables import counts_along_nodes, nodes_at, thresholds_at
from multiloss_core.thresholds.paths.smooth import LOG_ODDS, STEP
from multiloss_core.thresholds.paths.threshold_path import ThresholdPath


@dataclass(frozen=True, eq=False, kw_only=True)
class SegmentCounter:
    """Documents of one segment in its cells (c,), with their fit and undecided alerts.

    `squares` (c,): sums of squared weights.
    """

    fit: SegmentFit
    squares: Floats
    undecided: UndecidedDocuments

    @classmethod
    def of(cls, rated: RatedSegments, fits: SegmentFits, segment: int, undecided: UndecidedDocuments) -> Self:
        """Pick one segment."""
        here = rated.pair_segment == segment
        squares = rated.table(rated.row_square).sum(axis=(0, 1))[here]
        return cls(fit=fits.own[segment], squares=squares, undecided=undecided)

    def along(self, thresholds: Floats, rule: Rule) -> CountsAlong:
        """Count at rising thresholds (m, k) that are nodes. O(c log m)."""
        nodes = nodes_at(self.fit.cells, thresholds)
        # Cell index i lies at or above node i - 1.
        turning = turning_points(self.fit.cells.cells, nodes + 1, rule)
        tp, alerts, squares = (
            still_flagged(turning, weights, len(nodes))
            for weights in (self.fit.positives, self.fit.totals, self.squares)
        )
        expected_tp, expected_alerts = counts_along_nodes(self.fit, nodes, rule)
        return CountsAlong(
            tp,
            (alerts - tp).clip(0.0),
            squares=squares,
            undecided=self.undecided.count_along(thresholds, rule),
            expected_tp=expected_tp,
            expected_alerts=expected_alerts,
        )


def own_path(
    counter: SegmentCounter, nodes: Indices | None, common: ThresholdPath
) -> tuple[ThresholdPath, CountsAlong]:
    """Make and count the path of a segment from its nodes (t, k) at `TARGETS`.

    As `path_of_fit` does; without nodes, as for a segment without rated documents, the path is the common one.
    """
    fit, rule = counter.fit, common.rule
    rated = Counts(float(fit.positives.sum()), float((fit.totals - fit.positives).sum()))
    if nodes is None:
        counts = counter.along(common.thresholds, rule)
        return replace(common, tp=counts.tp, fp=counts.fp, rated=rated), counts
    never = np.array([[len(axis) for axis in fit.cells.axes]])
    nodes = np.vstack([np.zeros_like(never), nodes, never])
    _, alerts = counts_along_nodes(fit, nodes, rule)
    # The documents between the best thresholds of two targets are worth what lies between these.
    between = expit(np.append(LOG_ODDS, LOG_ODDS[-1] + STEP) - STEP / 2)
    tp = np.append(np.cumsum((between * -np.diff(alerts))[::-1])[::-1], 0.0)
    kept = np.append(True, (np.diff(nodes, axis=0) > 0).any(axis=1))
    thresholds, tp, alerts = thresholds_at(fit.cells, nodes[kept]), tp[kept], alerts[kept]
    counts = replace(counter.along(thresholds, rule), expected_tp=tp, expected_alerts=alerts)
    path = replace(
        common,
        thresholds=thresholds,
        tp=counts.tp,
        fp=counts.fp,
        smooth_tp=tp,
        smooth_fp=alerts - tp,
        rated=rated,
    )
    return path, counts
