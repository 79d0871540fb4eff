"""Thresholds for each segment of the documents under one budget.

`segment_paths` finds the common path and one path for each segment; `SegmentPaths.points_at` looks up all thresholds at
one marginal precision, `SegmentPaths.point_under` those that meet a cap together. A `Gate` proposes own thresholds only
where they gain on held-out documents.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
