"""Estimate the results of an operating point on new data.

`bootstrap_points` and `bootstrap_thresholds` give intervals for a chosen and for a fixed point, `bootstrap_flagged` for
a fixed one on documents that were counted where they lie; `cross_fit` counts methods on documents held out; `certify`
finds thresholds with a precision of at least x with 95 % confidence; `rating_plan` finds the documents to rate next,
and `rated_size` measures the information in the rated ones.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
