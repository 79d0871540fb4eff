"""Robles et al. 2020: rated documents, surfaces, paths and points; folders in the order in which data flow."""

from multiloss_core.thresholds.data.count_surfaces import slice_documents, slice_surfaces
from multiloss_core.thresholds.data.counts import Rule, checked_thresholds, rated_in_full
from multiloss_core.thresholds.data.grid_counts import SPACINGS, Spacing, bucket_counts, grid_axes
from multiloss_core.thresholds.data.rated_data import RatedData
from multiloss_core.thresholds.data.rated_documents import DataFunnel
from multiloss_core.thresholds.data.rating_floors import (
    FloorEstimate,
    FloorMethod,
    UncertainFloorsError,
    explaining_scores,
)
from multiloss_core.thresholds.data.undecided_documents import UndecidedDocuments
from multiloss_core.thresholds.paths.graph import to_networkx
from multiloss_core.thresholds.paths.methods import (
    GRAPH,
    RESOLUTIONS,
    SMOOTH,
    PathMethod,
    PathSearch,
)
from multiloss_core.thresholds.paths.money import mean_amounts, money_at, money_weighted
from multiloss_core.thresholds.paths.operating_point import FlaggedCounts, ManualPoint, Point, WishedPoint
from multiloss_core.thresholds.paths.smooth import SmoothFit
from multiloss_core.thresholds.paths.threshold_path import ConcaveMajorant
from multiloss_core.thresholds.targets.classifier_margins import classifier_margins
from multiloss_core.thresholds.targets.payoffs import Payoffs
from multiloss_core.thresholds.targets.profit_curve import CasesAlong, ProfitCurve, cases_along, profit_curve
from multiloss_core.thresholds.targets.thresholds_file import (
    point_as_csv,
    point_as_dict,
    point_as_json,
    read_thresholds,
)

__all__ = [
    "GRAPH",
    "RESOLUTIONS",
    "SMOOTH",
    "SPACINGS",
    "CasesAlong",
    "ConcaveMajorant",
    "DataFunnel",
    "FlaggedCounts",
    "FloorEstimate",
    "FloorMethod",
    "ManualPoint",
    "PathMethod",
    "PathSearch",
    "Payoffs",
    "Point",
    "ProfitCurve",
    "RatedData",
    "Rule",
    "SmoothFit",
    "Spacing",
    "UncertainFloorsError",
    "UndecidedDocuments",
    "WishedPoint",
    "bucket_counts",
    "cases_along",
    "checked_thresholds",
    "classifier_margins",
    "explaining_scores",
    "grid_axes",
    "mean_amounts",
    "money_at",
    "money_weighted",
    "point_as_csv",
    "point_as_dict",
    "point_as_json",
    "profit_curve",
    "rated_in_full",
    "read_thresholds",
    "slice_documents",
    "slice_surfaces",
    "to_networkx"
]  # fmt: skip
