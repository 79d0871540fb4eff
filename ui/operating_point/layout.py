"""Lay out the page Operating point: style, controls and downloads above the charts."""

from dataclasses import replace
from typing import Literal, NoReturn

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from multiloss_core import DataError, OperatingPoint, Unit, operating_point
from multiloss_core.datasets import RatedDataset
from multiloss_core.decisions import COSTS
from multiloss_core.thresholds import SMOOTH, Point, point_as_csv, point_as_json, thresholds_as_csv, thresholds_as_json
from ui.operating_point.active_goal import ask_goal, chosen_goal, compared_point
from ui.operating_point.analysis import Analysis, analyse
from ui.operating_point.costs_form import ask_scenarios
from ui.operating_point.current_thresholds import share_comparison
from ui.operating_point.resampling_tasks import finished_evidence
from ui.operating_point.sections.certificate import with_certificate
from ui.operating_point.segment_tasks import segment_rows
from ui.operating_point.settings import METHOD_KEY, apply_presentation, ask_method, ask_new_data, ask_pair, ask_settings
from ui.operating_point.state import PointContext, ViewState, percent_of, present_point, remember_point
from ui.shared.choices import chosen_or_linked
from ui.shared.formatting import as_text
from ui.shared.session import session

PLACE = "download_thresholds"
# Widths in pixels: active goal, its value, unit, settings, files, the decision.
WIDTHS: tuple[int | Literal["content"], ...] = (190, 250, "content", "content", "content", "content")


def show_unusable(error: DataError) -> NoReturn:
    """Show an error of the data with a link to its columns, and stop."""
    st.error(as_text(str(error)), icon=":material/error:")
    st.page_link("pages/rated_data.py", label="Correct the columns of this file", icon=":material/arrow_back:")
    st.stop()


def offer_downloads(analysis: Analysis, point: Point) -> None:
    """Offer the thresholds as files that reproduce the counts on the screen exactly."""
    deployed = replace(point, thresholds=analysis.deployable(point))
    origin = {"data": analysis.dataset.name, "data_and_columns_sha256": analysis.dataset.key}
    if analysis.settings.unit is Unit.MONEY:
        origin["counted"] = f"money: sums of '{analysis.dataset.columns.amount}'"
    own = segment_rows(analysis, point)
    if own is None:
        texts = point_as_json(deployed, origin), point_as_csv(deployed)
    else:
        given = deployed.names, deployed.thresholds, deployed.rule
        texts = thresholds_as_json(*given, origin, segments=own), thresholds_as_csv(*given, segments=own)
    with st.popover("Download", icon=":material/download:", key=PLACE), st.container(horizontal=True):
        for words, text, name, mime in (
            ("JSON", texts[0], "thresholds.json", "application/json"),
            ("CSV", texts[1], "thresholds.csv", "text/csv"),
        ):
            st.download_button(words, text, name, mime, icon=":material/download:", on_click="ignore")


def ask_point(
    dataset: RatedDataset, below: DeltaGenerator, tables: DeltaGenerator
) -> tuple[PointContext, DeltaGenerator]:
    """Draw the controls; return the point, and the place among them for its decision.

    `below` is the row under the charts, `tables` the place after it.

    Raises DataError if settings do not fit.
    """
    # A horizontal container wraps on narrow screens; columns would cut controls off.
    row = st.container(horizontal=True, vertical_alignment="bottom")
    choice_box, goal_box, unit_box, settings_box, files_box, save_box = (row.container(width=width) for width in WIDTHS)
    with settings_box:
        settings_box = st.popover("Settings", icon=":material/tune:")
    settings = ask_settings(dataset, unit_box, settings_box)
    apply_presentation()
    found = analyse(dataset, settings, method=chosen_or_linked(METHOD_KEY), shows_all=True)
    analysis = with_certificate(found)
    share_comparison(analysis)
    with settings_box:
        method, pair = ask_method(analysis), ask_pair(analysis)
    scenarios = None
    if chosen_goal() == COSTS:
        with tables:
            scenarios = ask_scenarios(analysis, present_point(analysis, method).marginal_precision)
    own = ask_goal(analysis, method, choice_box, goal_box)
    with below:
        new_data = ask_new_data()
    view = _view(analysis, method, pair, own, new_data=new_data)
    remember_point(analysis, view.chosen_point, chosen_goal())
    context = PointContext(analysis=analysis, view=view, new_data=new_data, scenarios=scenarios)
    with files_box:
        offer_downloads(analysis, view.chosen_point)
    return context, save_box


def _view(analysis: Analysis, method: str, pair: tuple[int, int], own: Point | None, *, new_data: bool) -> ViewState:
    """Build the view at the point of a goal, or the slider's; resample only with `new_data`."""
    percent = session().point.goals.percent if own is None else percent_of(own)
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
        compared_point=compared_point(analysis, method),
        resamples=resamples,
        bands=None if along_path is None else along_path.bands,
    )
