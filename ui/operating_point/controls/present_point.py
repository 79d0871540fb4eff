"""The point on the screen, which what drives next starts from."""

import math
from collections.abc import Hashable

from multiloss_core import operating_point
from multiloss_core.thresholds import Point
from ui.operating_point.analysis import Analysis
from ui.operating_point.target import current_target
from ui.shared.session import ShownPoint, session


def remember_point(analysis: Analysis, point: Point, driver: str) -> ShownPoint:
    """Keep the point on the screen and what drove it."""
    session().point.shown = shown = ShownPoint(point, _about(analysis), driver)
    return shown


def shown_point(analysis: Analysis) -> ShownPoint | None:
    """Return the point that the last run showed of these data and settings, if there was one."""
    shown = session().point.shown
    return shown if shown is not None and shown.about == _about(analysis) else None


def present_point(analysis: Analysis, method: str) -> Point:
    """Return the point that the last run showed of these data and settings, at first the slider's."""
    shown = shown_point(analysis)
    if shown is not None:
        return shown.point
    return operating_point(analysis.path(method), current_target().marginal_precision)


def point_shown_by(driver: str, analysis: Analysis, method: str) -> Point | None:
    """Return the point that a driver led to in the last run, if it did."""
    shown = session().point.shown
    is_same = shown is not None and (shown.about, shown.driver, shown.point.method) == (
        _about(analysis),
        driver,
        method,
    )
    return shown.point if shown is not None and is_same else None


def round_cap(value: float, *, up: bool = False) -> float:
    """Round alerts a day to three digits and, from 1 on, at most one decimal, as they are shown; or round `up`."""
    if not value > 0:
        return 0.0
    unit = 10.0 ** (math.floor(math.log10(value)) - 2)
    if value >= 1:
        unit = max(unit, 0.1)
    return float(f"{(math.ceil(value / unit - 1e-9) if up else round(value / unit)) * unit:.12g}")


def _about(analysis: Analysis) -> Hashable:
    return analysis.dataset.key, analysis.settings
