"""The target and the point of the screen, with its context for the sections."""

import math
from collections.abc import Hashable
from dataclasses import dataclass

from streamlit.elements.lib.mutable_expander_container import ExpanderContainer

from multiloss_core import CountSurfaces, OperatingPoint, operating_point
from multiloss_core.generalisation import PathBands, PointBootstrap
from multiloss_core.numerics import Floats
from multiloss_core.thresholds import ManualPoint, Point
from ui.operating_point.analysis import Analysis
from ui.shared.choices import FIRST, HIGHEST, LOWEST, UrlParameter
from ui.shared.session import ShownPoint, session

DIGITS = 6


def target_of(point: Point) -> float:
    """Return the marginal precision asked of a point; of one set by hand, that of the slider."""
    by_hand = isinstance(point, ManualPoint) or not point.marginal_precision > 0
    return session().point.goals.percent / 100 if by_hand else point.marginal_precision


def restore_target() -> None:
    """Read the target from the URL, or write it there; call this at each full run of the page."""
    set_target(IN_URL.asked())
    set_target(session().point.goals.percent)


def percent_of(point: Point) -> float:
    """Return the position of the slider for a point: its marginal precision in percent, clamped."""
    percent = _percent(100 * point.marginal_precision)
    return FIRST if percent is None else percent


def set_target(percent: object) -> None:
    """Set the target to a percentage, clamped to the slider; ignore anything else."""
    clamped = _percent(percent)
    if clamped is not None:
        session().point.goals.percent = clamped
        if clamped != FIRST or IN_URL.shown() is not None:
            IN_URL.show(clamped)


def _percent(value: object) -> float | None:
    """Clamp an untrusted value to the slider; return None for anything but a finite number."""
    try:
        percent = float(str(value))
    except ValueError:
        return None
    return round(min(max(percent, LOWEST), HIGHEST), DIGITS) if math.isfinite(percent) else None


IN_URL: UrlParameter[float] = UrlParameter("m", _percent, "{:.10g}".format)


def remember_point(analysis: Analysis, point: Point, goal: str) -> ShownPoint:
    """Store the point on the screen with its goal."""
    session().point.goals.shown = shown = ShownPoint(point, _about(analysis), goal)
    return shown


def shown_point(analysis: Analysis) -> ShownPoint | None:
    """Return the point of the last run with this data and these settings, if any."""
    shown = session().point.goals.shown
    return shown if shown is not None and shown.about == _about(analysis) else None


def present_point(analysis: Analysis, method: str) -> Point:
    """Return the point of the last run with this data and these settings, or the slider's."""
    shown = shown_point(analysis)
    if shown is not None:
        return shown.point
    return operating_point(analysis.path(method), session().point.goals.percent / 100)


def point_shown_by(goal: str, analysis: Analysis, method: str) -> Point | None:
    """Return the point of the last run if this goal led to it."""
    shown = session().point.goals.shown
    is_same = shown is not None and (shown.about, shown.goal, shown.point.method) == (_about(analysis), goal, method)
    return shown.point if shown is not None and is_same else None


def round_cap(value: float, *, up: bool = False) -> float:
    """Round daily alerts to three digits and, from 1 on, at most one decimal; optionally `up`."""
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
    """The point of each method, the chosen method's name, and the classifiers to draw.

    `chosen_point` is the point on the screen: the method's, or one between the slider's targets, set manually or found
    for a goal. `percent` is its position on the slider. `assessed_point` is the point of the intervals: the smooth
    path's, or the one between targets. `compared_point` is at the compared thresholds. `resamples` are of
    `assessed_point`, `bands` along the smooth path; both are None unless requested and finished.
    """

    points: dict[str, OperatingPoint]
    method: str
    pair: tuple[int, int]
    percent: float
    surfaces: CountSurfaces
    chosen_point: Point
    assessed_point: Point
    compared_point: Point | None = None
    resamples: PointBootstrap | None = None
    bands: PathBands | None = None

    @property
    def point_off_path(self) -> Point | None:
        """The chosen point, if no target of the slider leads to it."""
        return None if self.chosen_point is self.points[self.method] else self.chosen_point

    @property
    def cloud(self) -> Floats | None:
        """Thresholds (resamples, pair) chosen by other samples for the same target."""
        return (
            None
            if self.resamples is None or self.point_off_path is not None
            else self.resamples.resampled_thresholds[:, 0][:, self.pair]
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class PointContext:
    """The analysis and view below the charts; `new_data`: show expectations for new data.

    `scenarios` holds the table of scenarios where costs set the point.
    """

    analysis: Analysis
    view: ViewState
    new_data: bool = False
    scenarios: ExpanderContainer | None = None

    @property
    def point(self) -> Point:
        """The point on the screen."""
        return self.view.chosen_point
