"""Explain and choose sources of alerts: scores with thresholds, and rules.

`RuleSet` counts sources in priority order; `simulate_alert_queue` makes an example.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
