"""Estimate the results of an operating point on new data.

`bootstrap_points` and `bootstrap_thresholds` give intervals for a chosen and for a fixed point, `bootstrap_flagged` for
a fixed one on documents that were counted where they lie; `cross_fit` counts methods on documents held out; `certify`
finds thresholds with a precision of at least x with 95 % confidence; `rating_plan` finds the documents to rate next,
and `rated_size` measures the information in the rated ones.
"""

from multiloss_core.generalisation.bootstrap import bootstrap_flagged, bootstrap_points, bootstrap_thresholds
from multiloss_core.generalisation.bootstrap_intervals import PathBands, PointBootstrap, PointIntervals
from multiloss_core.generalisation.certificate import Certificate, certify
from multiloss_core.generalisation.cross_fitting import CrossFittedCounts, cross_fit, cross_fit_steps
from multiloss_core.generalisation.group_parts import GroupParts
from multiloss_core.generalisation.interval import Interval
from multiloss_core.generalisation.rating_plan import rated_size, rating_plan

__all__ = [
    "Certificate", "CrossFittedCounts", "GroupParts", "Interval", "PathBands", "PointBootstrap", "PointIntervals",
    "bootstrap_flagged", "bootstrap_points", "bootstrap_thresholds", "certify", "cross_fit", "cross_fit_steps",
    "rated_size", "rating_plan"
]  # fmt: skip
