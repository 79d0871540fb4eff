"""Numbers to Plotly figures, usable from a notebook: titles, axis names, units and one colour for each method."""

from multiloss_core.figures import theme
from multiloss_core.figures.contributions import contributions_chart
from multiloss_core.figures.count_surface import count_surface, surface_marks, surface_title
from multiloss_core.figures.histogram import score_histogram
from multiloss_core.figures.loss_curve import CurveMark, loss_curve
from multiloss_core.figures.papers import loss_by_regularisation, loss_by_size, printed_beside_found
from multiloss_core.figures.periods import daily_chart, weekly_chart
from multiloss_core.figures.predictions import (
    all_predictions,
    losses_by_strength,
    running_times,
    small_loss_curves,
    sorted_probabilities,
)
from multiloss_core.figures.profit_chart import BEST, CHOSEN, PRESENT, profit_chart
from multiloss_core.figures.reliability import reliability_chart
from multiloss_core.figures.report_charts import (
    curves_drawing,
    plane_drawing,
    space_drawing,
    surface_drawing,
    weeks_drawing,
)
from multiloss_core.figures.teaching import sliding_tangent, threshold_graph, threshold_graph_search, verified_draws
from multiloss_core.figures.theme import Theme
from multiloss_core.figures.threshold_space import (
    inside,
    space_backdrop,
    space_counts,
    space_marks,
    threshold_curves,
    threshold_mark,
    threshold_space,
)
from multiloss_core.figures.tp_fp_plane import (
    majorant_trace,
    plane_backdrop,
    plane_marks,
    plane_view,
    tangent_ends,
    tp_fp_plane,
)
from multiloss_core.figures.uncertainty import curve_band, marginal_precision_curve, threshold_cloud

__all__ = [
    "BEST", "CHOSEN", "PRESENT", "CurveMark", "Theme", "all_predictions", "contributions_chart", "count_surface",
    "curve_band", "curves_drawing", "daily_chart", "inside", "loss_by_regularisation", "loss_by_size", "loss_curve",
    "losses_by_strength", "majorant_trace", "marginal_precision_curve", "plane_backdrop", "plane_drawing",
    "plane_marks", "plane_view", "printed_beside_found", "profit_chart", "reliability_chart", "running_times",
    "score_histogram", "sliding_tangent", "small_loss_curves", "sorted_probabilities", "space_backdrop", "space_counts",
    "space_drawing", "space_marks", "surface_drawing", "surface_marks", "surface_title", "tangent_ends", "theme",
    "threshold_cloud", "threshold_curves", "threshold_graph", "threshold_graph_search", "threshold_mark",
    "threshold_space", "tp_fp_plane", "verified_draws", "weekly_chart", "weeks_drawing"
]  # fmt: skip
