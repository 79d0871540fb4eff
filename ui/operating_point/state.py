"""The target, the point on the screen and what the page knows about it."""

import math
from collections.abc import Hashable
from dataclasses import dataclass

from multiloss_core import CountSurfaces, OperatingPoint, operating_point
from multiloss_core.generalisation import PathBands, PointBootstrap
from multiloss_core.numerics import Floats
from multiloss_core.thresholds import Point
from ui.operating_point.analysis import Analysis
from ui.shared.session import ShownPoint, Target, session
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


@dataclass(frozen=True, kw_only=True, eq=False)
class ViewState:
    """The point of each method, the chosen method's name, and the classifiers whose thresholds are drawn.

    The screen is about `chosen_point`: the method's, or one that no target of the slider leads to, set by hand or found
    for a wish. `percent` is where the slider shows it. `assessed_point` is the one that intervals describe: the smooth
    path's, or the one beside the slider. `baseline_point` is at the thresholds that others are compared
    with. `resamples` are of `assessed_point`, `bands` along the smooth path; both are None while they are not known, or
    not asked for.
    """

    points: dict[str, OperatingPoint]
    method: str
    pair: tuple[int, int]
    percent: float
    surfaces: CountSurfaces
    chosen_point: Point
    assessed_point: Point
    baseline_point: Point | None = None
    resamples: PointBootstrap | None = None
    bands: PathBands | None = None

    @property
    def point_beside(self) -> Point | None:
        """The chosen point, where no target of the slider leads to it."""
        return None if self.chosen_point is self.points[self.method] else self.chosen_point

    @property
    def cloud(self) -> Floats | None:
        """Thresholds (resamples, pair) that other samples would have chosen for the same target."""
        return (
            None
            if self.resamples is None or self.point_beside is not None
            else self.resamples.resampled_thresholds[:, 0][:, self.pair]
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class PointContext:
    """What a section below the charts is about; `new_data`: whether to show what new data will show."""

    analysis: Analysis
    view: ViewState
    new_data: bool = False

    @property
    def point(self) -> Point:
        """The point that the screen is about."""
        return self.view.chosen_point
