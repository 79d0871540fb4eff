"""Represent an estimate between two bounds, or the reason for its absence."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Interval:
    """An estimate between two bounds; NaN where there is nothing to estimate.

    `reason`: explains a missing interval; a sentence without its first capital.
    """

    estimate: float
    low: float
    high: float
    reason: str = ""
