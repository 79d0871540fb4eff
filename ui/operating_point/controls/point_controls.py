"""The row above the charts: which path, what drives the point, what new data will show, and the files."""

from typing import Literal

import numpy as np
import streamlit as st

from multiloss_core import OperatingPoint, operating_point
from multiloss_core.thresholds import SMOOTH, Point
from ui.operating_point.analysis import Analysis
from ui.operating_point.controls.downloads import offer_downloads
from ui.operating_point.controls.present_point import remember_point
from ui.operating_point.controls.settings import ask_method, ask_new_data, ask_pair
from ui.operating_point.controls.target_drivers import ask_driver, baseline_point, chosen_driver, driven_by_costs
from ui.operating_point.costs.side_by_side import show_scenarios
from ui.operating_point.point_view import PointContext, ViewState
from ui.operating_point.resampling_jobs import finished_evidence
from ui.operating_point.target import current_target, percent_of

# In pixels: path, what drives, the goal, new data, files.
WIDTHS: tuple[int | Literal["content"], ...] = (150, 210, 300, "content", "content")


def ask_point(analysis: Analysis) -> PointContext:
    """Draw the controls; returns the point that they lead to."""
    # Side by side while there is room, never cut off.
    row = st.container(horizontal=True, vertical_alignment="bottom")
    path_box, driver_box, goal_box, switch_box, files_box = (row.container(width=width) for width in WIDTHS)
    table_box = st.container()
    with path_box:
        method = ask_method(analysis)
    own = ask_driver(analysis, method, driver_box, goal_box, table_box)
    with switch_box:
        new_data = ask_new_data()
    view = _view(analysis, method, ask_pair(analysis), own, new_data=new_data)
    remember_point(analysis, view.chosen_point, chosen_driver())
    with files_box:
        offer_downloads(analysis, view.chosen_point)
    if driven_by_costs():
        show_scenarios(analysis, method, view.chosen_point)
    return PointContext(analysis=analysis, view=view, new_data=new_data)


def _view(analysis: Analysis, method: str, pair: tuple[int, int], own: Point | None, *, new_data: bool) -> ViewState:
    """Build the view at a point of its own or the present target; new data are looked for with `new_data` only."""
    percent = current_target().percent if own is None else percent_of(own)
    points = {path.method: operating_point(path, percent / 100) for path in analysis.paths}
    on_slider = own is None or (
        isinstance(own, OperatingPoint) and np.array_equal(own.thresholds, points[method].thresholds)
    )
    beside = None if on_slider else own
    chosen, assessed = beside or points[method], beside or points[SMOOTH.name]
    resamples, along_path = finished_evidence(analysis, assessed) if new_data else (None, None)
    return ViewState(
        points=points,
        method=method,
        pair=pair,
        percent=percent,
        surfaces=analysis.sliced(chosen, pair),
        chosen_point=chosen,
        assessed_point=assessed,
        baseline_point=baseline_point(analysis, method),
        resamples=resamples,
        bands=None if along_path is None else along_path.bands,
    )
