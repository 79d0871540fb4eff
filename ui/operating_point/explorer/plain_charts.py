"""Plain mode: static charts and standard widgets instead of the explorer."""

import streamlit as st

from multiloss_core import Unit
from multiloss_core.figures import plane_marks
from ui.operating_point.active_goal import active_goal, move_slider
from ui.operating_point.analysis import Analysis
from ui.operating_point.explorer.figures import SURFACES, alt_of, backdrop, chart_names, expected_traces, mark_traces
from ui.operating_point.point_text import WORDS, PointWords, place_words, point_words, price_words
from ui.operating_point.state import ViewState
from ui.shared.choices import HIGHEST, LOWEST, STEP, choose, chosen
from ui.shared.formatting import as_label
from ui.shared.page_setup import theme
from ui.shared.session import session

SLIDER_KEY = "m_plain"


def ask_marginal_precision(unit: Unit, percent: float) -> None:
    """Draw a slider for the target, at `percent`, and what it means as a price."""
    choose(SLIDER_KEY, percent)
    st.slider(
        f"Marginal precision: {WORDS[unit].question}",
        LOWEST,
        HIGHEST,
        step=STEP,
        format="%g %%",
        key=SLIDER_KEY,
        on_change=_moved,
    )
    m = percent / 100
    st.markdown(f"**{price_words(m, unit)}**  \nslope dTP/dFP = {m / (1 - m):.3g}")


def _moved() -> None:
    move_slider(chosen(SLIDER_KEY))


def show_plainly(analysis: Analysis, view: ViewState) -> None:
    """Numbers beside charts, as in the explorer."""
    controls, charts = st.columns([1, 3], gap="medium")
    with controls:
        ask_marginal_precision(analysis.settings.unit, view.percent)
        if place := place_words(view.chosen_point):
            st.caption(f"Optimised for {active_goal()}, {place}. {session().point.goal_note}")
        show_words(point_words(analysis, view.chosen_point))
        st.caption(WORDS[analysis.settings.unit].note)
    with charts:
        _show_charts(analysis, view)


def show_words(words: PointWords) -> None:
    """Show the numbers of a point, the important ones large."""
    if words.warning:
        st.warning(f"**{words.warning[0]}** {words.warning[1]}", icon=":material/warning:")
    for label, value in words.thresholds:
        st.metric(as_label(label), value)
    for i in range(0, len(words.counts), 2):
        for place, (label, value) in zip(st.columns(2), words.counts[i : i + 2], strict=True):
            place.metric(label, value, border=True)
    if words.guarantee:
        st.success(words.guarantee, icon=":material/verified:")
    rows = [f"| {label} | {value} |" for label, value in words.rates]
    st.markdown("\n".join(["| At this point | |", "|:--|--:|", *rows]))


def _show_charts(analysis: Analysis, view: ViewState) -> None:
    points = [
        view.chosen_point if name == view.method else view.points[name]
        for name in analysis.methods
        if view.points[name].status != "unreachable" or name == view.method
    ]
    places = st.columns(2)
    for i, name in enumerate(chart_names(analysis)):
        figure = backdrop(analysis, view, name, theme(), legend=True)
        figure.add_traces(expected_traces(analysis, view, name))
        if name not in SURFACES:
            figure.add_traces([mark for mark, _ in mark_traces(analysis, view, name, points, theme())])
        if name == "plane":
            figure.update_layout(plane_marks(points, chosen=view.method, theme=theme())[1])
        places[i % 2].plotly_chart(figure, theme=None, key=f"plain_{name}", alt=alt_of(view, name))
