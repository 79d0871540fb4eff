"""Surfaces, paths and the marginal-precision slider: from rated data to thresholds that can be deployed."""

import streamlit as st

from multiloss_core import DataError
from ui.analysis import Analysis, analyse
from ui.bootstrap import bootstrap
from ui.new_data_views import (
    ask_new_data,
    finished_evidence,
    show_certificate,
    show_effective_size,
    show_new_data,
    show_simpler_cuts,
)
from ui.point_views import (
    ask_marginal_precision,
    ask_method,
    ask_pair,
    ask_settings,
    chosen_points,
    let_it_appear,
    offer_downloads,
    show_counts,
    show_f_beta,
    show_key,
    show_margins,
    show_methods,
    show_origin,
    show_planes,
    show_status,
    show_surfaces,
    show_thresholds,
)
from ui.workspace import choose_source, dataset_of


@st.fragment
def explore(analysis: Analysis) -> None:
    """Everything that moves with the slider; only this part runs again when it is moved."""
    controls, charts = st.columns([1, 2.4], gap="medium")
    with controls:
        target = ask_marginal_precision()
        method = ask_method()
        points = chosen_points(analysis, target)
        point = points[method]
        show_status(point)
        show_thresholds(analysis, point)
        show_counts(analysis, point)
        show_effective_size(analysis, point)
        new_data = ask_new_data()
        let_it_appear()
    with charts:
        pair = ask_pair(analysis)
        show_key(method)
        surfaces = analysis.sliced(point, pair)
        evidence = finished_evidence(analysis, points["smooth"]) if new_data else (None, None)
        show_planes(analysis, surfaces, points, method, pair, evidence)
        let_it_appear()
        show_methods(analysis, points)
        if new_data:
            show_new_data(analysis, points["smooth"])
        show_margins(analysis, point)
        show_certificate(analysis)
        show_simpler_cuts(analysis, point)
    with controls:
        offer_downloads(analysis, point)
        show_f_beta(point)
    if len(analysis.surfaces.names) > 2:
        show_surfaces(analysis, surfaces, pair)


bootstrap()
st.title("Operating point")
bar, rule_bar = st.columns([2, 3], gap="large")
with bar:
    source = choose_source()
try:
    dataset = dataset_of(source)
    with bar:
        show_origin(dataset)
    with rule_bar:
        settings = ask_settings(dataset)
    analysis = analyse(dataset, settings)
except DataError as error:
    st.error(str(error), icon=":material/error:")
    st.page_link("pages/rated_data.py", label="Correct the columns of this file", icon=":material/arrow_back:")
    st.stop()

explore(analysis)
if len(analysis.surfaces.names) == 2:
    show_surfaces(analysis, analysis.surfaces, (0, 1))
