"""The first screen: purpose, upload box, a live example, and where to go."""

from math import inf

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from multiloss_core import DataError, OperatingPoint, Unit, figures, operating_point
from multiloss_core.formatting import count, plural
from multiloss_core.numerics import Floats
from multiloss_core.thresholds import ANALYTIC, MAIN_METHODS, SMOOTH
from ui.data.rated import dataset_of, rated_uploads, sample
from ui.operating_point.analysis import Analysis, analyse
from ui.operating_point.point_text import WORDS
from ui.operating_point.settings import current_settings
from ui.shared.choices import FIRST, HIGHEST, LOWEST, STEP
from ui.shared.formatting import as_text, vocabulary
from ui.shared.page_setup import theme

EXAMPLE = "Card alerts"
CARDS = (
    (
        "Thresholds",
        "From rated alerts to a saved decision.",
        (
            ("pages/rated_data.py", "Rated data"),
            ("pages/decision_sheet.py", "Decision sheet"),
            ("pages/operating_point.py", "Operating point"),
            ("pages/audit.py", "Audit"),
            ("pages/decisions.py", "Decisions"),
        ),
    ),
    ("Probabilities", "How many of the most probable items to flag.", (("pages/optimal_cut.py", "Optimal cut"),)),
    (
        "Theory",
        "The theorem, and every printed figure checked.",
        (("pages/top_k.py", "Top-k"), ("pages/papers.py", "Papers")),
    ),
)
HEIGHT = 330
# The surface from the corner of the strictest thresholds, high enough for the names of its axes.
CAMERA = {"eye": {"x": 1.85, "y": 0.8, "z": 0.75}, "center": {"x": 0, "y": 0, "z": -0.24}}


def show_landing_page() -> None:
    """Show purpose, upload box, example and the ways on."""
    with st.container(key="landing"):
        purpose, start = st.columns([3, 2], gap="large")
        with purpose:
            st.title("Choose one threshold per classifier when only high-scoring alerts were rated")
            st.markdown("Say how many of the last alerts added must be fraud, and read off the thresholds.")
            answer = st.container(key="landing_answer").empty()
        with start:
            _ask_file()
            st.page_link("pages/operating_point.py", label="Try the sample", icon=":material/tune:")
        example = st.container(key="landing_picture")
    with st.container(key="landing_cards"):
        for place, (name, words, links) in zip(st.columns([3, 2, 2], gap="medium"), CARDS, strict=True):
            with place.container(border=True, height="stretch"):
                st.markdown(f"**{name}**  \n{words}")
                with st.container(horizontal=True, gap="small"):
                    for page, label in links:
                        st.page_link(page, label=label)
    # Last, as it may wait for the paths.
    with example:
        _show_example(answer)


def _ask_file() -> None:
    """Take a file, and go on to its decision sheet, or to the questions about its columns."""
    uploads = rated_uploads()
    name = uploads.ask_upload()
    if name is None:
        return
    try:
        dataset_of(uploads.source(name))
        page = "pages/decision_sheet.py"
    except DataError:
        page = "pages/rated_data.py"
    st.switch_page(page, query_params=uploads.in_address(name))


@st.fragment
def _show_example(answer: DeltaGenerator) -> None:
    """Draw slider, curve and surface of the sample; only these run again after a move."""
    dataset = dataset_of(sample(EXAMPLE))
    analysis = analyse(dataset, current_settings(dataset), method=ANALYTIC.name)
    question = f"Marginal precision: {WORDS[Unit.DOCUMENTS].question}"
    target = st.slider(question, LOWEST, HIGHEST, FIRST, STEP, format="%g %%", key="landing_m")
    # The default path is drawn last, above the others.
    paths = [analysis.path(method.name) for method in reversed(MAIN_METHODS)]
    points = [operating_point(path, target / 100) for path in paths]
    point = points[-1]
    answer.markdown(f"**For example:** {as_text(_change(analysis, point))}.")
    curve, surface = st.columns(2, gap="medium")
    plane = figures.tp_fp_plane(
        paths, points, chosen=SMOOTH.name, theme=theme(), whole=True, vocabulary=vocabulary()
    ).update_layout(height=HEIGHT, margin={"t": 36, "b": 76}, legend={"traceorder": "reversed", "title": "Paths:"})
    plane.update_traces(showlegend=False, selector=lambda trace: trace.name not in analysis.methods)
    curve.plotly_chart(
        plane,
        theme=None,
        key="landing_plane",
        config={"displayModeBar": False},
        alt=f"True against false positives of the sample; operating point at TP {point.tp:g}, FP {point.fp:g}.",
    )
    hill = figures.count_surface(
        analysis.surfaces, paths, count="tp", theme=theme(), legend=False, vocabulary=vocabulary()
    ).update_layout(height=HEIGHT, margin={"t": 36, "b": 0}, scene={"camera": CAMERA})
    hill.add_trace(figures.surface_marks(points, analysis.surfaces, count="tp", chosen=SMOOTH.name, theme=theme()))
    surface.plotly_chart(
        hill,
        theme=None,
        key="landing_surface",
        config={"displayModeBar": False},
        alt=f"True positives over the two thresholds of the sample, with the same paths; {point.tp:g} at the star.",
    )


def _change(analysis: Analysis, point: OperatingPoint) -> str:
    """State the change from the floors to a point, with undecided alerts."""
    source, reachable = analysis.rated.source, point.reachable
    after, before = analysis.undecided_at([point.thresholds, source.floors])
    alerts = reachable.alerts + before
    fewer, lost = alerts - point.alerts - after, reachable.tp - point.tp
    start, end = (_span(analysis.rounded(values)) for values in (source.floors, point.thresholds))
    if not fewer:
        return (
            f"Keep both thresholds at {start}, with all {plural(alerts, 'alert')} and {plural(reachable.tp, 'fraud')}"
        )
    return (
        f"Raise both thresholds from {start} to {end}: drop {count(fewer)} of {plural(alerts, 'alert')}, give up "
        f"{count(lost)} of {plural(reachable.tp, 'fraud')}"
    )


def _span(values: Floats) -> str:
    return "-".join(dict.fromkeys(f"{value:.2f}" if value < inf else "never" for value in (values.min(), values.max())))
