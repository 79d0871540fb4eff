"""A precision guaranteed with a confidence: the loosest thresholds that pass an exact test."""

import streamlit as st

from multiloss_core import DataError, RatedCounts, RatedDocuments, Unit
from multiloss_core.figures.looks import CERTIFIED
from multiloss_core.formatting import count, money, plural, reached, score_name
from ui.operating_point.analysis import Analysis, documents_or_counts
from ui.operating_point.certificate_state import (
    CONFIDENCES,
    MAX_PRECISION,
    MIN_PRECISION,
    certificate_of,
    request_shown_certificate,
)
from ui.operating_point.controls.settings import choose_method
from ui.operating_point.point_view import PointContext
from ui.shared.formatting import as_text, vocabulary
from ui.shared.lazy_section import shown_when_open
from ui.shared.url_params import ask_number

MAX_RATINGS_TOLD = 100_000


def show_certificate(context: PointContext) -> None:
    """Certify a precision on request: show the loosest thresholds whose precision is at least so much."""
    documents = documents_or_counts(context.analysis.dataset.source)
    if documents is not None:
        _show_certificate(context.analysis, documents)


@shown_when_open("Guarantee a precision", icon=":material/verified:", key="guarantee")
def _show_certificate(analysis: Analysis, documents: RatedDocuments | RatedCounts) -> None:
    wanted, sure = st.columns(2)
    label, bounds = "Precision of at least, in percent", (MIN_PRECISION, MAX_PRECISION)
    precision = ask_number(wanted.number_input, label, bounds, 50.0, 0.5, key="certify_precision", in_address=False)
    confidence = sure.selectbox("Confidence", list(CONFIDENCES), key="certify_confidence")
    asked = precision / 100, CONFIDENCES.get(confidence, 95.0) / 100
    try:
        found = certificate_of(analysis, documents, *asked)
    except DataError as error:
        st.info(as_text(str(error)), icon=":material/info:")
        return
    if found.thresholds is None:
        more = _more_ratings(found.more_ratings)
        st.warning(f"**No thresholds can be guaranteed to have {precision:g} %.**{more}", icon=":material/block:")
        return
    documents_called = vocabulary().documents
    words = ", ".join(
        f"{score_name(name)} {reached(name, value)}"
        for name, value in zip(found.names, analysis.rounded(found.thresholds), strict=True)
    )
    caught, tested = found.tested.tp, found.tested.alerts
    flagged_what, decided = (
        ("the money that", f"{money(caught)} of {money(tested)} of the money flagged was.")
        if analysis.settings.unit is Unit.MONEY
        else ("what", f"{count(caught)} of {plural(tested, 'alert')} were.")
    )
    st.success(
        f"**{confidence} sure: of {flagged_what} is flagged at {as_text(words)}, at least {precision:g} % is fraud.** "
        f"On the {documents_called} that decided, {decided}",
        icon=":material/verified:",
    )
    if analysis.certificate is not found:
        st.button(
            "Show the guaranteed range on the slider",
            icon=":material/tune:",
            on_click=lambda: _put_on_slider(analysis, *asked),
        )
    st.caption(
        f"A third of the {documents_called} gave a path; on the others, thresholds were tested from strict to loose "
        "and the last that passed is shown (fixed-sequence testing). It holds for data from the same source, for these "
        "thresholds and the stricter ones tested before them, which are the range on the slider. How sure: of all "
        "times the question is asked, also those that end without an answer."
        + (
            " Weights or groups: tested by betting, which assumes no larger weight than seen."
            if found.test == "betting"
            else ""
        )
    )


def _put_on_slider(analysis: Analysis, precision: float, confidence: float) -> None:
    request_shown_certificate(analysis, precision, confidence)
    choose_method(CERTIFIED.name)


def _more_ratings(more: int | None) -> str:
    documents = vocabulary().documents
    if more is None:
        return " No thresholds on the path seem to have that precision."
    if more > MAX_RATINGS_TOLD:
        return f" It would take more than {count(MAX_RATINGS_TOLD)} further rated {documents}."
    return f" About {count(float(f'{more:.1g}'))} more rated {documents} would give it in 4 of 5 cases."
