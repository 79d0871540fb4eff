"""Goals (a cap on alerts, a precision, a price, a share kept) as the target marginal precision that meets them."""

from multiloss_core.thresholds.points.targets import (
    manual_point,
    target_for_alerts,
    target_for_precision,
    target_for_price,
    target_for_share,
)

__all__ = [
    "manual_point", "target_for_alerts", "target_for_precision", "target_for_price", "target_for_share"
]  # fmt: skip
