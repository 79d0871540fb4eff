"""Explain an operating point by documents, classifiers, periods and segments.

`compare` compares current with proposed thresholds, `compare_with_simpler_rules` a point with simpler rules;
`contributions` counts what each combination of classifiers flags, `borderline_documents` finds the documents nearest to
the thresholds. Over time: `calendar` of the documents' times, then `weekly_counts`, `daily_alerts` and the tests
`precision_drift` and `alerts_drift`; `incomplete_from` finds weeks with incomplete ratings. By segment:
`segmentation`, then `segment_counts`. `graph_walk` shows how the graph's shortest path is found.
"""

from multiloss_core.inspection.band_parts import BandParts, band_parts, daily_reviews, held_on_nine_of_ten
from multiloss_core.inspection.borderline_documents import BorderlineDocuments, borderline_documents
from multiloss_core.inspection.comparison import Comparison, CountedThresholds, compare, gain_interval
from multiloss_core.inspection.contributions import Contribution, contribution_words, contributions
from multiloss_core.inspection.document_subset import DocumentSubset
from multiloss_core.inspection.drift import MIN_WEEKS, Drift, alerts_drift, incomplete_from, precision_drift
from multiloss_core.inspection.graph_walk import GraphWalk, RelaxedEdge, SettledNode, graph_walk
from multiloss_core.inspection.periods import (
    Calendar,
    DailyAlerts,
    WeeklyCounts,
    calendar,
    daily_alerts,
    days_in_data,
    weekly_counts,
)
from multiloss_core.inspection.segments import Segment, Segmentation, folded, segment_counts, segmentation
from multiloss_core.inspection.simpler_rules import compare_with_simpler_rules

__all__ = [
    "MIN_WEEKS",
    "BandParts",
    "BorderlineDocuments",
    "Calendar",
    "Comparison",
    "Contribution",
    "CountedThresholds",
    "DailyAlerts",
    "DocumentSubset",
    "Drift",
    "GraphWalk",
    "RelaxedEdge",
    "Segment",
    "Segmentation",
    "SettledNode",
    "WeeklyCounts",
    "alerts_drift",
    "band_parts",
    "borderline_documents",
    "calendar",
    "compare",
    "compare_with_simpler_rules",
    "contribution_words",
    "contributions",
    "daily_alerts",
    "daily_reviews",
    "days_in_data",
    "folded",
    "gain_interval",
    "graph_walk",
    "held_on_nine_of_ten",
    "incomplete_from",
    "precision_drift",
    "segment_counts",
    "segmentation",
    "weekly_counts"
]  # fmt: skip
