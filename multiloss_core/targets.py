"""Give `multiloss_core.thresholds.targets` the short import path that notebooks use."""

from multiloss_core.thresholds.targets import *  # noqa: F403
