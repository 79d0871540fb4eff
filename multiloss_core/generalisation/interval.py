"""An interval: an estimate between two bounds, or the reason why there is none."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Interval:
    """An estimate between two bounds; NaN where there is nothing to estimate.

    `reason`: why there is none, where more is to be said than that; a sentence without its first capital.
    """

    estimate: float
    low: float
    high: float
    reason: str = ""
