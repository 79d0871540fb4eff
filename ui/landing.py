"""The first screen: the purpose in one sentence, one live example, and where to go."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from multiloss_core import Counts, OperatingPoint, Unit, figures, operating_point
from multiloss_core.decisions import headline_of
from multiloss_core.formatting import percent
from multiloss_core.thresholds import SMOOTH
from ui.data.rated import dataset_of, sample
from ui.operating_point.analysis import Analysis, analyse
from ui.operating_point.point_text import WORDS
from ui.operating_point.settings import current_settings
from ui.shared.choices import FIRST, HIGHEST, LOWEST, STEP
from ui.shared.formatting import as_text, vocabulary
from ui.shared.page_setup import theme
from ui.shared.widgets import main_link

EXAMPLE = "Card alerts"
CARDS = (
    (
        "Thresholds",
        "For analysts: export rated alerts, choose the operating point, save the decision.",
        (
            ("pages/rated_data.py", "Rated data"),
            ("pages/decision_sheet.py", "Decision sheet"),
            ("pages/operating_point.py", "Operating point"),
            ("pages/decisions.py", "Decisions"),
        ),
    ),
    (
        "Probabilities",
        "For calibrated scores: how many of the most probable items to flag under F1, Jaccard and other losses.",
        (("pages/optimal_cut.py", "Optimal cut"),),
    ),
    (
        "Theory",
        "For teachers and readers of the papers: the theorem on items you can drag, and every printed figure checked.",
        (("pages/top_k.py", "Top-k"), ("pages/papers.py", "Papers")),
    ),
)


def show_landing_page() -> None:
    """Show purpose, example and the ways on."""
    with st.container(key="landing"):
        purpose, picture = st.columns([5, 7], gap="large")
        with picture:
            example = st.container(key="landing_picture")
        with purpose:
            st.title("Choose one threshold per classifier when only high-scoring alerts were rated")
            st.markdown(
                "Analysts rate only alerts with high scores, so true and false positives are known and negatives are "
                "not. Say how many of the last alerts added must be fraud, and read off the thresholds."
            )
            answer = st.container(key="landing_answer").empty()
            with st.container(horizontal=True, vertical_alignment="center"):
                main_link("pages/rated_data.py", "Use my export", icon=":material/upload_file:", key="use_export")
                st.page_link("pages/operating_point.py", label="Try the sample", icon=":material/tune:")
    with st.container(key="landing_cards"):
        for place, (name, words, links) in zip(st.columns(len(CARDS), gap="medium"), CARDS, strict=True):
            with place.container(border=True, height="stretch"):
                st.markdown(f"**{name}**  \n{words}")
                with st.container(horizontal=True, gap="small"):
                    for page, label in links:
                        st.page_link(page, label=label)
    # Last, as it may wait for the path.
    with example:
        _show_example(answer)


@st.fragment
def _show_example(answer: DeltaGenerator) -> None:
    """Draw the slider and the curve of the sample; only this runs again after a move."""
    dataset = dataset_of(sample(EXAMPLE))
    analysis = analyse(dataset, current_settings(dataset))
    question = f"Marginal precision: {WORDS[Unit.DOCUMENTS].question}"
    target = st.slider(question, LOWEST, HIGHEST, FIRST, STEP, format="%g %%", key="landing_m")
    path = analysis.path(SMOOTH.name)
    point = operating_point(path, target / 100)
    figure = figures.tp_fp_plane(
        [path], [point], chosen=path.method, theme=theme(), legend=False, whole=True, vocabulary=vocabulary()
    )
    figure.update_layout(height=330)
    alt = f"True against false positives of the sample; operating point at TP {point.tp:g}, FP {point.fp:g}."
    st.plotly_chart(figure, theme=None, key="landing_plane", config={"displayModeBar": False}, alt=alt)
    st.caption("The star is the chosen point; the tangent there is as steep as the target.")
    answer.markdown(f"**For example:** {as_text(_change(analysis, point))}. {_worth(point)}")


def _worth(point: OperatingPoint) -> str:
    """State how many of the rated alerts given up were false."""
    given_up = Counts(point.reachable.tp - point.tp, point.reachable.fp - point.fp)
    return f"{percent(1 - given_up.precision)} of the rated alerts given up were false." if given_up.alerts else ""


def _change(analysis: Analysis, point: OperatingPoint) -> str:
    """State the change from the floors to a point, with undecided alerts."""
    source = analysis.rated.source
    after, before = analysis.undecided_at([point.thresholds, source.floors])
    difference = Counts(point.tp - point.reachable.tp, point.fp + after - point.reachable.fp - before)
    floors, thresholds = (analysis.rounded(values).tolist() for values in (source.floors, point.thresholds))
    return headline_of(source.names, floors, thresholds, difference, vocabulary=vocabulary())
