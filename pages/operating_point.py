"""Surfaces, paths and the marginal-precision slider: from rated data to thresholds that can be deployed."""

import streamlit as st

from multiloss_core import DataError
from ui.data.rated_workspace import choose_source, dataset_of
from ui.decisions.reopening_panel import show_reopened
from ui.operating_point.analysis import Analysis, analyse
from ui.operating_point.baseline import share_baseline
from ui.operating_point.certificate_state import with_certificate
from ui.operating_point.controls.point_controls import ask_point
from ui.operating_point.controls.presentation import apply_presentation
from ui.operating_point.controls.settings import ask_settings, is_plain, show_origin, show_unit
from ui.operating_point.controls.tour import offer_tour, show_tour
from ui.operating_point.explorer.component import explorer
from ui.operating_point.plain_charts import show_plainly
from ui.operating_point.sections import SECTIONS
from ui.operating_point.sections.over_time import show_alerts_per_day
from ui.operating_point.sections.simpler_rules import show_effective_size
from ui.operating_point.target import restore_target
from ui.shared.formatting import as_text
from ui.shared.page_setup import bootstrap


@st.fragment
def explore(analysis: Analysis) -> None:
    """Everything that depends on the target; only this part runs again when the slider comes to rest."""
    analysis = with_certificate(analysis)
    share_baseline(analysis)
    controls, charts, details = (st.container(key=key) for key in ("point_controls", "explorer_place", "details"))
    with controls:
        context = ask_point(analysis)
    with charts:
        show_reopened(analysis, context.point)
        (show_plainly if is_plain() else explorer)(analysis, context.view)
        show_effective_size(context)
        show_alerts_per_day(context)
    with details:
        for show_section in SECTIONS:
            show_section(context)


bootstrap(__file__)
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

apply_presentation()
explore(analysis)
