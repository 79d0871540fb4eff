"""Thresholds from rated predicted positives, and optimal predictions under multivariate losses.

`thresholds` follows Robles, Zaidouni, Mavromoustaki, Refael 2020: rated documents -> count surfaces -> threshold path
-> operating point. `losses` follows Natarajan, Koyejo, Ravikumar, Dhillon 2016: probabilities -> expected losses ->
top k. `decisions` keeps what was decided as a record, with its exports and its report.
"""

from multiloss_core.decisions.deployable_code import (
    python_function,
    sql_where,
    thresholds_csv,
    thresholds_json,
)
from multiloss_core.decisions.record import (
    CurrentThresholds,
    DecisionRecord,
    ExpectedCounts,
    RecordedColumns,
    RecordedData,
    RecordedInterval,
    RecordedSettings,
    RecordedTarget,
    Wish,
    data_fingerprint,
    recorded_thresholds,
)
from multiloss_core.decisions.report import html_report, markdown_summary
from multiloss_core.errors import DataError
from multiloss_core.losses.constant_threshold import (
    TunedThreshold,
    items_at,
    observed_loss,
    shortest_threshold,
    tuned_threshold,
)
from multiloss_core.losses.expected.expected_losses import ExpectedLosses, expected_losses
from multiloss_core.losses.monotonicity import (
    is_tp_monotone,
    is_tpr_tnr_monotone,
    meets_corrected_proposition_2,
    meets_proposition_2,
)
from multiloss_core.losses.multinomial import multinomial_losses, multinomial_top_k
from multiloss_core.losses.multivariate import (
    AM,
    AUC,
    G_MEAN,
    G_TP_PR,
    H_MEAN,
    JACCARD,
    LOSSES,
    F,
    FractionalLinear,
    UserLoss,
)
from multiloss_core.losses.reliability import Reliability, reliability
from multiloss_core.losses.scored_items import ScoredItems
from multiloss_core.losses.theorem_1.all_predictions import ExhaustiveSearch, exhaustive_search
from multiloss_core.losses.theorem_1.correlated_labels import correlated_search, factor_loadings, joint_distribution
from multiloss_core.losses.theorem_1.counterexamples import early_stop_k
from multiloss_core.losses.theorem_1.sigmoid_items import SigmoidItems, sigmoid_items
from multiloss_core.losses.top_k import TopK, optimal_top_k
from multiloss_core.numerics.proportions import effective_size, share_interval
from multiloss_core.tables.amount_column import document_amounts
from multiloss_core.tables.guess_columns import guess_columns, is_count_table
from multiloss_core.tables.read_table import read_frame
from multiloss_core.tables.segment_column import document_segments
from multiloss_core.tables.spreadsheet_csv import frame_as_csv
from multiloss_core.tables.time_column import document_times
from multiloss_core.thresholds.data.count_surfaces import CountSurfaces, count_surfaces, slice_documents, slice_surfaces
from multiloss_core.thresholds.data.flagging import Counts, flagged
from multiloss_core.thresholds.data.grid_counts import BucketCounts, bucket_counts, grid_axes
from multiloss_core.thresholds.data.rated_documents import DataFunnel, RatedDocuments
from multiloss_core.thresholds.data.simulated_population import Population, simulate_population
from multiloss_core.thresholds.generalisation.certificate import Certificate, certify
from multiloss_core.thresholds.generalisation.cross_fitting import (
    CrossFittedCounts,
    CrossFittingStep,
    cross_fit,
    cross_fit_steps,
)
from multiloss_core.thresholds.generalisation.rating_plan import (
    RatedSize,
    RatingBand,
    RatingPlan,
    rated_size,
    rating_plan,
)
from multiloss_core.thresholds.inspection.borderline_documents import (
    BorderlineDocuments,
    BorderlineSides,
    borderline_documents,
)
from multiloss_core.thresholds.inspection.comparison import Comparison, CountedThresholds, compare
from multiloss_core.thresholds.inspection.contributions import Contribution, contributions
from multiloss_core.thresholds.inspection.document_subset import DocumentSubset
from multiloss_core.thresholds.inspection.drift import Drift, alerts_drift, precision_drift
from multiloss_core.thresholds.inspection.periods import (
    Calendar,
    DailyAlerts,
    WeeklyCounts,
    calendar,
    daily_alerts,
    days_in_data,
    weekly_counts,
)
from multiloss_core.thresholds.inspection.segments import Segment, Segmentation, segment_counts, segmentation
from multiloss_core.thresholds.inspection.simpler_rules import SimplerRule, compare_with_simpler_rules
from multiloss_core.thresholds.paths.analytic import analytic_path
from multiloss_core.thresholds.paths.benchmark import benchmark_path
from multiloss_core.thresholds.paths.graph import graph_path, mean_graph_path, to_networkx
from multiloss_core.thresholds.paths.money import money_at, money_weighted
from multiloss_core.thresholds.paths.operating_point import FlaggedCounts, ManualPoint, OperatingPoint
from multiloss_core.thresholds.paths.smooth import smooth_path
from multiloss_core.thresholds.paths.threshold_path import (
    ConcaveMajorant,
    ThresholdPath,
    operating_point,
    operating_points,
)
from multiloss_core.thresholds.points.classifier_margins import ClassifierMargin, classifier_margins
from multiloss_core.thresholds.points.f_beta import f_beta_of_point
from multiloss_core.thresholds.points.payoffs import Payoffs
from multiloss_core.thresholds.points.targets import (
    manual_point,
    target_for_alerts,
    target_for_precision,
    target_for_price,
    target_for_share,
)
from multiloss_core.thresholds.points.thresholds_file import point_as_csv, point_as_dict, point_as_json, read_thresholds
from multiloss_core.version import __version__ as __version__

__all__ = [
    "AM",
    "AUC",
    "G_MEAN",
    "G_TP_PR",
    "H_MEAN",
    "JACCARD",
    "LOSSES",
    "BorderlineDocuments",
    "BorderlineSides",
    "BucketCounts",
    "Calendar",
    "Certificate",
    "ClassifierMargin",
    "Comparison",
    "ConcaveMajorant",
    "Contribution",
    "CountSurfaces",
    "CountedThresholds",
    "Counts",
    "CrossFittedCounts",
    "CrossFittingStep",
    "CurrentThresholds",
    "DailyAlerts",
    "DataError",
    "DataFunnel",
    "DecisionRecord",
    "DocumentSubset",
    "Drift",
    "ExhaustiveSearch",
    "ExpectedCounts",
    "ExpectedLosses",
    "F",
    "FlaggedCounts",
    "FractionalLinear",
    "ManualPoint",
    "OperatingPoint",
    "Payoffs",
    "Population",
    "RatedDocuments",
    "RatedSize",
    "RatingBand",
    "RatingPlan",
    "RecordedColumns",
    "RecordedData",
    "RecordedInterval",
    "RecordedSettings",
    "RecordedTarget",
    "Reliability",
    "ScoredItems",
    "Segment",
    "Segmentation",
    "SigmoidItems",
    "SimplerRule",
    "ThresholdPath",
    "TopK",
    "TunedThreshold",
    "UserLoss",
    "WeeklyCounts",
    "Wish",
    "alerts_drift",
    "analytic_path",
    "benchmark_path",
    "borderline_documents",
    "bucket_counts",
    "calendar",
    "certify",
    "classifier_margins",
    "compare",
    "compare_with_simpler_rules",
    "contributions",
    "correlated_search",
    "count_surfaces",
    "cross_fit",
    "cross_fit_steps",
    "daily_alerts",
    "data_fingerprint",
    "days_in_data",
    "document_amounts",
    "document_segments",
    "document_times",
    "early_stop_k",
    "effective_size",
    "exhaustive_search",
    "expected_losses",
    "f_beta_of_point",
    "factor_loadings",
    "flagged",
    "frame_as_csv",
    "graph_path",
    "grid_axes",
    "guess_columns",
    "html_report",
    "is_count_table",
    "is_tp_monotone",
    "is_tpr_tnr_monotone",
    "items_at",
    "joint_distribution",
    "manual_point",
    "markdown_summary",
    "mean_graph_path",
    "meets_corrected_proposition_2",
    "meets_proposition_2",
    "money_at",
    "money_weighted",
    "multinomial_losses",
    "multinomial_top_k",
    "observed_loss",
    "operating_point",
    "operating_points",
    "optimal_top_k",
    "point_as_csv",
    "point_as_dict",
    "point_as_json",
    "precision_drift",
    "python_function",
    "rated_size",
    "rating_plan",
    "read_frame",
    "read_thresholds",
    "recorded_thresholds",
    "reliability",
    "segment_counts",
    "segmentation",
    "share_interval",
    "shortest_threshold",
    "sigmoid_items",
    "simulate_population",
    "slice_documents",
    "slice_surfaces",
    "smooth_path",
    "sql_where",
    "target_for_alerts",
    "target_for_precision",
    "target_for_price",
    "target_for_share",
    "thresholds_csv",
    "thresholds_json",
    "to_networkx",
    "tuned_threshold",
    "weekly_counts",
]
