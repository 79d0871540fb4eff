"""Thresholds from rated predicted positives, and optimal predictions under multivariate losses.

The main road: a table -> `RatedDocuments` -> `CountSurfaces` -> a `ThresholdPath` -> its `OperatingPoint` ->
`DecisionRecord` (Robles, Zaidouni, Mavromoustaki, Refael 2020), and probabilities -> `expected_losses` -> `TopK`
(Natarajan, Koyejo, Ravikumar, Dhillon 2016). All else is in submodules: `tables` reads files and columns, `thresholds`
holds what lies along the road, `targets` turns goals into a target, `generalisation` says what new data will show,
`inspection` what stands behind a point, `losses`, `decisions` and `figures` the rest.
"""

from typing import Any

from multiloss_core.decisions.record import DecisionRecord
from multiloss_core.errors import DataError
from multiloss_core.formatting import Unit
from multiloss_core.losses.expected.methods import expected_losses
from multiloss_core.losses.multinomial import multinomial_top_k
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
from multiloss_core.losses.scored_items import ScoredItems
from multiloss_core.losses.theorem_1.all_predictions import exhaustive_search
from multiloss_core.losses.top_k import TopK, optimal_top_k
from multiloss_core.tables.reading.read_file import read_table
from multiloss_core.thresholds.data.count_surfaces import CountSurfaces, count_surfaces
from multiloss_core.thresholds.data.counts import Counts, flagged
from multiloss_core.thresholds.data.rated_counts import RatedCounts
from multiloss_core.thresholds.data.rated_documents import RatedDocuments
from multiloss_core.thresholds.data.simulated_population import simulate_population
from multiloss_core.thresholds.paths.analytic import analytic_path
from multiloss_core.thresholds.paths.benchmark import benchmark_path
from multiloss_core.thresholds.paths.graph import graph_path, mean_graph_path
from multiloss_core.thresholds.paths.methods import PATH_METHODS
from multiloss_core.thresholds.paths.operating_point import OperatingPoint, operating_point, operating_points
from multiloss_core.thresholds.paths.smooth import smooth_path
from multiloss_core.thresholds.paths.threshold_path import ThresholdPath
from multiloss_core.thresholds.targets.f_beta import f_beta_of_point
from multiloss_core.version import __version__

__all__ = [
    "AM",
    "AUC",
    "G_MEAN",
    "G_TP_PR",
    "H_MEAN",
    "JACCARD",
    "LOSSES",
    "PATH_METHODS",
    "CountSurfaces",
    "Counts",
    "DataError",
    "DecisionRecord",
    "F",
    "FractionalLinear",
    "OperatingPoint",
    "RatedCounts",
    "RatedDocuments",
    "ScoredItems",
    "ThresholdPath",
    "ThresholdSelector",
    "TopK",
    "Unit",
    "UserLoss",
    "__version__",
    "analytic_path",
    "benchmark_path",
    "count_surfaces",
    "exhaustive_search",
    "expected_losses",
    "f_beta_of_point",
    "flagged",
    "graph_path",
    "mean_graph_path",
    "multinomial_top_k",
    "operating_point",
    "operating_points",
    "optimal_top_k",
    "read_table",
    "simulate_population",
    "smooth_path"
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import `ThresholdSelector` only when it is asked for: it needs scikit-learn."""
    if name == "ThresholdSelector":
        from multiloss_core.threshold_selector import ThresholdSelector  # noqa: PLC0415

        return ThresholdSelector
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
