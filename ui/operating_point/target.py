"""The marginal precision that the user asks for: one target, in the session and in the URL."""

import math

from multiloss_core.thresholds import Point
from ui.shared.session import Target, session
from ui.shared.url_params import FIRST, HIGHEST, LOWEST, UrlParameter

DIGITS = 6


def current_target() -> Target:
    """Return this session's target."""
    return session().point.target


def restore_target() -> None:
    """Take the target of the URL, or put it there: at each run of a whole page."""
    set_target(IN_URL.asked())
    set_target(current_target().percent)


def percent_of(point: Point) -> float:
    """Where the slider shows a point: its marginal precision in percent, brought within the bounds of the slider."""
    percent = _percent(100 * point.marginal_precision)
    return FIRST if percent is None else percent


def set_target(percent: object) -> None:
    """Make a percentage, brought within the bounds of the slider, the target; anything else changes nothing."""
    wanted = _percent(percent)
    if wanted is not None:
        current_target().percent = wanted
        if wanted != FIRST or IN_URL.shown() is not None:
            IN_URL.show(wanted)


def _percent(wish: object) -> float | None:
    """Keep a goal within the bounds of the slider. It may come from anybody's browser."""
    try:
        percent = float(str(wish))
    except ValueError:
        return None
    return round(min(max(percent, LOWEST), HIGHEST), DIGITS) if math.isfinite(percent) else None


IN_URL: UrlParameter[float] = UrlParameter("m", _percent, "{:.10g}".format)
