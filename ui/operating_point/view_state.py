"""What the screen is about at the present target: points, axes, and what is known of new data."""

from dataclasses import dataclass

from multiloss_core import CountSurfaces, operating_point
from multiloss_core.numerics.arrays import Floats
from multiloss_core.thresholds.generalisation.bootstrap import PathBands, PointBootstrap
from multiloss_core.thresholds.paths.methods import SMOOTH
from multiloss_core.thresholds.paths.operating_point import ManualPoint, OperatingPoint, Point
from ui.operating_point.analysis import Analysis
from ui.operating_point.sections.new_data import finished_evidence
from ui.operating_point.target import current_target
from ui.operating_point.target_drivers import point_set_by_hand, present_point


@dataclass(frozen=True, eq=False)
class Scene:
    """The point of each method, the chosen method's name, and the classifiers whose thresholds are drawn.

    The screen is about the point `chosen`: the method's, or thresholds set by hand. New data is told of the point `told`:
    the smooth path's, or these. `present` is the point of the thresholds now in force. `resamples` are of the point `told`,
    `bands` along the smooth path; both are None while they are not known, or not asked for.
    """

    points: dict[str, OperatingPoint]
    method: str
    pair: tuple[int, int]
    surfaces: CountSurfaces
    chosen: Point
    told: Point
    present: Point | None = None
    resamples: PointBootstrap | None = None
    bands: PathBands | None = None

    @property
    def by_hand(self) -> Point | None:
        """The chosen point, where its thresholds were set by hand."""
        return self.chosen if isinstance(self.chosen, ManualPoint) else None

    @property
    def cloud(self) -> Floats | None:
        """Thresholds (resamples, pair) that other samples would have chosen; those set by hand were not chosen."""
        return None if self.resamples is None or self.by_hand else self.resamples.cloud[:, 0][:, self.pair]


def scene_now(analysis: Analysis, method: str, pair: tuple[int, int], *, new_data: bool) -> Scene:
    """The scene at the present target; what new data will show is looked for with `new_data` only."""
    target = current_target().marginal_precision
    points = {path.method: operating_point(path, target) for path in analysis.paths}
    by_hand = point_set_by_hand(analysis, method)
    chosen, told = by_hand or points[method], by_hand or points[SMOOTH.name]
    resamples, along_path = finished_evidence(analysis, told) if new_data else (None, None)
    return Scene(
        points,
        method,
        pair,
        analysis.sliced(chosen, pair),
        chosen,
        told,
        present_point(analysis, method),
        resamples,
        None if along_path is None else along_path.bands,
    )
