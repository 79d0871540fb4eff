"""Goals as points: a cap on alerts, a precision, a share kept; a price as a target; thresholds set by hand."""

from multiloss_core.thresholds.points.busy_days import NINE_OF_TEN, DailyCap
from multiloss_core.thresholds.points.targets import manual_point, target_for_price
from multiloss_core.thresholds.points.threshold_choices import ThresholdChoices, threshold_choices
from multiloss_core.thresholds.points.wishes import (
    point_for_alerts,
    point_for_busy_days,
    point_for_precision,
    point_for_share,
)

__all__ = [
    "NINE_OF_TEN",
    "DailyCap",
    "ThresholdChoices",
    "manual_point",
    "point_for_alerts",
    "point_for_busy_days",
    "point_for_precision",
    "point_for_share",
    "target_for_price",
    "threshold_choices"
]  # fmt: skip
