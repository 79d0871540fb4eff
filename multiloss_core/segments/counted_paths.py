"""Count the documents of a segment along paths of thresholds."""

from collections.abc import Callable
from dataclasses import replace

from multiloss_core.numerics.arrays import Floats, Indices
from multiloss_core.segments.points import CountsAlong
from multiloss_core.thresholds.data.counts import Counts, Rule, still_flagged, turning_points
from multiloss_core.thresholds.data.undecided_documents import UndecidedDocuments
from multiloss_core.thresholds.paths.node_tables import counts_along_nodes, nodes_at, thresholds_at
from multiloss_core.thresholds.paths.smooth import expected_along
from multiloss_core.thresholds.paths.smooth_fit import SmoothFit
from multiloss_core.thresholds.paths.threshold_path import ThresholdPath


def count_along(
    fit: SmoothFit, squares: Floats, undecided: UndecidedDocuments, rule: Rule, thresholds: Floats
) -> CountsAlong:
    """Count a segment at rising thresholds (m, k) that are nodes of its fit. O(c log m).

    `squares` (c,): sums of the squared weights of its documents. `undecided`: its undecided alerts.
    """
    nodes = nodes_at(fit.cells, thresholds)
    # Cell index i lies at or above node i - 1.
    turning = turning_points(fit.cells.cells, nodes + 1, rule)
    tp, alerts, spread = (still_flagged(turning, part, len(nodes)) for part in (fit.positives, fit.totals, squares))
    expected_tp, expected_alerts = counts_along_nodes(fit, nodes, rule)
    return CountsAlong(
        tp,
        (alerts - tp).clip(0.0),
        squares=spread,
        undecided=undecided.count_along(thresholds, rule),
        expected_tp=expected_tp,
        expected_alerts=expected_alerts,
    )


def own_path(
    fit: SmoothFit, nodes: Indices | None, common: ThresholdPath, count: Callable[[Floats], CountsAlong]
) -> tuple[ThresholdPath, CountsAlong]:
    """Make and count the path of a segment from its nodes (t, k) at `TARGETS`.

    As `path_of_fit` does; without nodes, as for a segment without rated documents, the path is the common one. `count`
    counts the segment at thresholds (m, k).
    """
    rated = Counts(float(fit.positives.sum()), float((fit.totals - fit.positives).sum()))
    if nodes is None:
        counts = count(common.thresholds)
        return replace(common, tp=counts.tp, fp=counts.fp, rated=rated), counts
    nodes, tp, alerts = expected_along(fit, nodes, common.rule)
    thresholds = thresholds_at(fit.cells, nodes)
    counts = replace(count(thresholds), expected_tp=tp, expected_alerts=alerts)
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
