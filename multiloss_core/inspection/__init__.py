"""Explain an operating point by documents, classifiers, periods and segments.

`compare` compares current with proposed thresholds; `borderline_documents` finds the documents nearest to the
thresholds. Over time: `calendar` of the documents' times, then `weekly_counts`, `daily_alerts` and the tests
`precision_drift` and `alerts_drift`; `incomplete_from` finds weeks with incomplete ratings. By segment:
`segmentation`, then `segment_counts`. `graph_walk` shows how the graph's shortest path is found.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
