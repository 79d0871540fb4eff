"""What the screen is about at the present target: points, axes, and what is known of new data."""

from dataclasses import dataclass

from multiloss_core import CountSurfaces, OperatingPoint
from multiloss_core.generalisation import PathBands, PointBootstrap
from multiloss_core.numerics import Floats
from multiloss_core.thresholds import Point
from ui.operating_point.analysis import Analysis


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
