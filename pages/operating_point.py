"""Surfaces, paths and the marginal-precision slider: from rated data to thresholds that can be deployed."""

import streamlit as st

from multiloss_core import DataError
from ui.analysis import Analysis, analyse
from ui.bootstrap import bootstrap
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
)
from ui.target import current_target, restore_target
from ui.workspace import choose_source, dataset_of


@st.fragment
def explore(analysis: Analysis) -> None:
    """Everything that depends on the target; only this part runs again when the slider comes to rest."""
    analysis = guaranteed(analysis)
    points = chosen_points(analysis, current_target().marginal_precision)
    path_box, pair_box, switch_box, files_box = st.columns(
        [1, 1.4, 1.2, 1.4], vertical_alignment="bottom", gap="medium"
    )
    with path_box:
        method = ask_method(analysis)
    with pair_box:
        pair = ask_pair(analysis)
    with switch_box:
        new_data = ask_new_data()
    point = points[method]
    with files_box:
        offer_downloads(analysis, point)
    evidence = finished_evidence(analysis, points["smooth"]) if new_data else (None, None)
    scene = Scene(points, method, pair, analysis.sliced(point, pair), evidence)
    if st.session_state.get("plain"):
        show_plainly(analysis, scene)
    else:
        explorer(analysis, scene, interval_words(evidence[0]) if method == "smooth" else None)
    show_effective_size(analysis, point)
    show_methods(analysis, points)
    if new_data:
        show_new_data(analysis, points["smooth"])
    show_margins(analysis, point)
    show_certificate(analysis)
    show_simpler_cuts(analysis, point)
    show_f_beta(point)


bootstrap()
restore_target()
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
