"""Choose thresholds from rated data with surfaces, paths and the marginal-precision slider."""

import streamlit as st

from multiloss_core import DataError
from multiloss_core.datasets import RatedDataset
from ui.data.rated import choose_source, dataset_of
from ui.decisions.reopening_panel import show_reopened
from ui.operating_point.active_goal import use_goals_of
from ui.operating_point.analysis import find_the_rest
from ui.operating_point.explorer.component import explorer
from ui.operating_point.explorer.plain_charts import show_plainly
from ui.operating_point.layout import ask_point, show_unusable
from ui.operating_point.sections import show_views
from ui.operating_point.sections.next_ratings import show_effective_size
from ui.operating_point.sections.over_time import show_alerts_per_day
from ui.operating_point.sections.save_decision import show_decision
from ui.operating_point.settings import PLAIN_KEY, offer_leaving, show_held, show_origin, show_unit, show_weighting
from ui.operating_point.state import restore_target
from ui.operating_point.tour import offer_tour, show_tour
from ui.shared.choices import chosen
from ui.shared.page_setup import bootstrap, run_page


@st.fragment
def explore(dataset: RatedDataset) -> None:
    """Show all that depends on settings and target; only this fragment runs again after a move."""
    run_page(lambda: _explore(dataset))


def _explore(dataset: RatedDataset) -> None:
    controls, charts = (st.container(key=key) for key in ("point_controls", "explorer_place"))
    below = st.container(key="below_charts", horizontal=True, vertical_alignment="center")
    tables, details = st.container(key="tables"), st.container(key="details")
    with controls:
        try:
            context, save_box = ask_point(dataset, below, tables)
        except DataError as error:
            show_unusable(error)
    with charts:
        offer_leaving()
        show_reopened(context.analysis, context.point)
        with st.container(key="explorer_room"):
            (show_plainly if chosen(PLAIN_KEY) else explorer)(context.analysis, context.view)
    with below:
        show_origin(dataset)
        offer_tour()
    with details:
        show_held(context.analysis, context.view)
        show_unit(context.analysis)
        show_weighting(context.analysis, context.point)
        show_effective_size(context)
        show_alerts_per_day(context)
        show_views(context)
    # Last: a decision holds what the sections found.
    with save_box:
        show_decision(context)
    with details:
        find_the_rest(context.analysis)


bootstrap(__file__)
restore_target()
show_tour()
with st.container(key="bar"):
    with st.container(key="page_title"):
        st.title("Operating point")
    source = choose_source()
    use_goals_of(source.fingerprint)
    try:
        dataset = dataset_of(source)
    except DataError as error:
        show_unusable(error)
explore(dataset)
