"""Compute expected multivariate losses, and check Theorem 1 (Natarajan et al. 2016)."""

from multiloss_core.losses.calibration import (
    CALIBRATIONS,
    CalibrationMap,
    IsotonicMap,
    PlattMap,
    cross_fitted,
    fit_isotonic,
    fit_platt,
)
from multiloss_core.losses.constant_threshold import (
    items_at,
    observed_loss,
    random_half,
    shortest_threshold,
    tuned_threshold,
)
from multiloss_core.losses.expected.interface import Method
from multiloss_core.losses.expected.methods import METHODS, ExpectedLosses
from multiloss_core.losses.formulas import (
    ConfusionMatrix,
    LossFormula,
    formula_with_numbers,
    has_empty_rate,
    loss_formula,
    observed_counts,
    promised_counts,
)
from multiloss_core.losses.monotonicity import (
    is_tp_monotone,
    is_tpr_tnr_monotone,
    meets_corrected_proposition_2,
    meets_proposition_2,
)
from multiloss_core.losses.multinomial import multinomial_losses
from multiloss_core.losses.multivariate import Loss
from multiloss_core.losses.reliability import Reliability, reliability
from multiloss_core.losses.theorem_1.all_predictions import ExhaustiveSearch, search_subsets, subset_distributions
from multiloss_core.losses.theorem_1.correlated_labels import correlated_search, factor_loadings, joint_distribution
from multiloss_core.losses.theorem_1.counterexamples import (
    EARLY_STOP,
    NOT_MONOTONE,
    AgainstTopK,
    DrawSearch,
    against_top_k,
    early_stop_k,
    find_failure,
)
from multiloss_core.losses.theorem_1.sigmoid_items import sigmoid_items
from multiloss_core.losses.theorem_1.timing import TimedRun, methods_for, sizes_of, timed_runs
from multiloss_core.losses.theorem_1.verify import Verification, verify_theorem_1
from multiloss_core.losses.top_k import best_k, probability_order

__all__ = [
    "CALIBRATIONS",
    "EARLY_STOP",
    "METHODS",
    "NOT_MONOTONE",
    "AgainstTopK",
    "CalibrationMap",
    "ConfusionMatrix",
    "DrawSearch",
    "ExhaustiveSearch",
    "ExpectedLosses",
    "IsotonicMap",
    "Loss",
    "LossFormula",
    "Method",
    "PlattMap",
    "Reliability",
    "TimedRun",
    "Verification",
    "against_top_k",
    "best_k",
    "correlated_search",
    "cross_fitted",
    "early_stop_k",
    "factor_loadings",
    "find_failure",
    "fit_isotonic",
    "fit_platt",
    "formula_with_numbers",
    "has_empty_rate",
    "is_tp_monotone",
    "is_tpr_tnr_monotone",
    "items_at",
    "joint_distribution",
    "loss_formula",
    "meets_corrected_proposition_2",
    "meets_proposition_2",
    "methods_for",
    "multinomial_losses",
    "observed_counts",
    "observed_loss",
    "probability_order",
    "promised_counts",
    "random_half",
    "reliability",
    "search_subsets",
    "shortest_threshold",
    "sigmoid_items",
    "sizes_of",
    "subset_distributions",
    "timed_runs",
    "tuned_threshold",
    "verify_theorem_1"
]  # fmt: skip
