"""Surfaces, paths and the marginal-precision slider: from rated data to thresholds that can be deployed."""

import streamlit as st

from multiloss_core import DataError
from ui.analysis import Analysis, analyse
from ui.bootstrap import bootstrap
from ui.compare_views import show_comparison
from ui.current_thresholds import present_thresholds, share_counterpart
from ui.decision_views import show_decision
from ui.document_views import show_contributions, show_near
from ui.driver import ask_driver, current_driver, driven_by_costs, point_set_by_hand, present_point, recorded_target
from ui.explorer.component import explorer
from ui.explorer.figures import Scene
from ui.new_data_views import (
    ask_new_data,
    finished_evidence,
    guaranteed,
    interval_words,
    show_certificate,
    show_effective_size,
    show_new_data,
    show_simpler_cuts,
)
from ui.period_views import show_alerts_per_day, show_periods
from ui.plain_views import show_plainly
from ui.point_views import (
    ask_method,
    ask_pair,
    ask_settings,
    chosen_points,
    offer_downloads,
    show_f_beta,
    show_margins,
    show_methods,
    show_origin,
    show_unit,
)
from ui.presentation import present
from ui.reopening_views import show_reopened
from ui.scenario_views import show_scenarios
from ui.segment_views import show_segments
from ui.target import current_target, restore_target
from ui.tour import offer_tour, show_tour
from ui.workspace import choose_source, dataset_of


@st.fragment
def explore(analysis: Analysis) -> None:
    """Everything that depends on the target; only this part runs again when the slider comes to rest."""
    analysis = guaranteed(analysis)
    share_counterpart(analysis)
    controls, charts, details = (st.container(key=key) for key in ("point_controls", "explorer_place", "details"))
    path_box, driver_box, wish_box, switch_box, files_box = controls.columns(
        [1, 1.2, 1.9, 1.2, 1.2], vertical_alignment="bottom", gap="small"
    )
    with path_box:
        method = ask_method(analysis)
    ask_driver(analysis, method, driver_box, wish_box)
    with switch_box:
        new_data = ask_new_data()
    with controls:
        pair = ask_pair(analysis)
    points = chosen_points(analysis, current_target().marginal_precision)
    by_hand = point_set_by_hand(analysis, method)
    point = by_hand or points[method]
    with files_box:
        offer_downloads(analysis, point)
    if driven_by_costs(analysis):
        with controls:
            show_scenarios(analysis, method, point)
    # New data is told of the smooth path's point, or of thresholds set by hand.
    told = by_hand or points["smooth"]
    resamples, bands = finished_evidence(analysis, told) if new_data else (None, None)
    scene = Scene(
        points,
        method,
        pair,
        analysis.sliced(point, pair),
        (None if by_hand else resamples, bands),
        by_hand,
        present_point(analysis, method),
    )
    with charts:
        show_reopened(analysis, point)
        if st.session_state.get("plain"):
            show_plainly(analysis, scene)
        else:
            intervals = interval_words(analysis, resamples, told) if told is point else None
            explorer(analysis, scene, intervals, current_driver())
        show_effective_size(analysis, point)
        show_alerts_per_day(analysis, point)
    with details:
        show_methods(analysis, points)
        if new_data:
            show_new_data(analysis, told)
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
            evidence=resamples,
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
        st.error(str(error), icon=":material/error:")
        st.page_link("pages/rated_data.py", label="Correct the columns of this file", icon=":material/arrow_back:")
        st.stop()

present()
explore(analysis)
