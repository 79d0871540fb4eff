"""Turn goals into points: caps, minimum precision, share kept, price, vertex, two cuts."""

from multiloss_core.thresholds.targets.busy_days import NINE_OF_TEN, DailyCap
from multiloss_core.thresholds.targets.goals import (
    point_for_alerts,
    point_for_busy_days,
    point_for_precision,
    point_for_share,
)
from multiloss_core.thresholds.targets.points import manual_point, point_of_vertex, target_for_price
from multiloss_core.thresholds.targets.review_band import (
    BandCosts,
    ReviewBand,
    band_at,
    band_for_payoffs,
    band_for_precision,
    best_band,
    review_for_alerts,
    review_for_busy_days,
)
from multiloss_core.thresholds.targets.threshold_choices import ThresholdChoices, threshold_choices

__all__ = [
    "NINE_OF_TEN",
    "BandCosts",
    "DailyCap",
    "ReviewBand",
    "ThresholdChoices",
    "band_at",
    "band_for_payoffs",
    "band_for_precision",
    "best_band",
    "manual_point",
    "point_for_alerts",
    "point_for_busy_days",
    "point_for_precision",
    "point_for_share",
    "point_of_vertex",
    "review_for_alerts",
    "review_for_busy_days",
    "target_for_price",
    "threshold_choices"
]  # fmt: skip
