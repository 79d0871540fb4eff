"""Surfaces, paths and the marginal-precision slider: from rated data to thresholds that can be deployed."""

from typing import Literal

import streamlit as st

from multiloss_core import DataError
from ui.data.rated_workspace import choose_source, dataset_of
from ui.decisions.reopening_panel import show_reopened
from ui.operating_point.analysis import Analysis, analyse
from ui.operating_point.current_thresholds import present_thresholds, share_counterpart
from ui.operating_point.explorer.component import explorer
from ui.operating_point.plain_charts import show_plainly
from ui.operating_point.presentation import present
from ui.operating_point.sections.borderline import show_contributions, show_near
from ui.operating_point.sections.comparison import show_comparison
from ui.operating_point.sections.new_data import (
    ask_new_data,
    guaranteed,
    show_certificate,
    show_effective_size,
    show_new_data,
    show_simpler_cuts,
)
from ui.operating_point.sections.over_time import show_alerts_per_day, show_periods
from ui.operating_point.sections.payoffs import show_scenarios
from ui.operating_point.sections.save_decision import show_decision
from ui.operating_point.sections.segments import show_segments
from ui.operating_point.settings import (
    ask_method,
    ask_pair,
    ask_settings,
    offer_downloads,
    show_f_beta,
    show_margins,
    show_methods,
    show_origin,
    show_unit,
)
from ui.operating_point.target import restore_target
from ui.operating_point.target_drivers import ask_driver, driven_by_costs, recorded_target
from ui.operating_point.tour import offer_tour, show_tour
from ui.operating_point.view_state import scene_now
from ui.shared.formatting import as_text
from ui.shared.page_setup import bootstrap

# In pixels: path, what drives, what is wished, new data, files.
CONTROLS: tuple[int | Literal["content"], ...] = (150, 210, 300, "content", "content")


@st.fragment
def explore(analysis: Analysis) -> None:
    """Everything that depends on the target; only this part runs again when the slider comes to rest."""
    analysis = guaranteed(analysis)
    share_counterpart(analysis)
    controls, charts, details = (st.container(key=key) for key in ("point_controls", "explorer_place", "details"))
    # Side by side while there is room, never cut off.
    row = controls.container(horizontal=True, vertical_alignment="bottom")
    path_box, driver_box, wish_box, switch_box, files_box = (row.container(width=width) for width in CONTROLS)
    with path_box:
        method = ask_method(analysis)
    ask_driver(analysis, method, driver_box, wish_box)
    with switch_box:
        new_data = ask_new_data()
    with controls:
        pair = ask_pair(analysis)
    scene = scene_now(analysis, method, pair, new_data=new_data)
    point = scene.chosen
    with files_box:
        offer_downloads(analysis, point)
    if driven_by_costs(analysis):
        with controls:
            show_scenarios(analysis, method, point)
    with charts:
        show_reopened(analysis, point)
        if st.session_state.get("plain"):
            show_plainly(analysis, scene)
        else:
            explorer(analysis, scene)
        show_effective_size(analysis, point)
        show_alerts_per_day(analysis, point)
    with details:
        show_methods(analysis, scene.points)
        if new_data:
            show_new_data(analysis, scene.told)
        show_margins(analysis, point)
        show_comparison(analysis.in_documents, point)
        show_contributions(analysis.in_documents, point)
        show_near(analysis.in_documents, point)
        show_periods(analysis, point)
        show_segments(analysis, point)
        show_certificate(analysis)
        show_simpler_cuts(analysis, point)
        show_f_beta(analysis, point)
        show_decision(
            analysis,
            point,
            target=recorded_target(analysis, point),
            evidence=scene.resamples,
            current=present_thresholds(analysis),
            pair=pair,
        )


bootstrap()
restore_target()
with st.container(key="bar"):
    title, tour = st.columns([4, 1], vertical_alignment="bottom")
    title.title("Operating point")
    with tour:
        offer_tour()
    show_tour()
    data_bar, rule_bar = st.columns([2, 3], gap="large")
    with data_bar:
        source = choose_source()
    try:
        dataset = dataset_of(source)
        with data_bar:
            show_origin(dataset)
        with rule_bar:
            settings = ask_settings(dataset)
        analysis = analyse(dataset, settings)
        with rule_bar:
            show_unit(analysis)
    except DataError as error:
        st.error(as_text(str(error)), icon=":material/error:")
        st.page_link("pages/rated_data.py", label="Correct the columns of this file", icon=":material/arrow_back:")
        st.stop()

present()
explore(analysis)
