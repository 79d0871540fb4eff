"""Section: guarantee a precision with a confidence by an exact test."""

from collections.abc import Hashable

import streamlit as st

from multiloss_core import DataError, RatedCounts, RatedDocuments, Unit
from multiloss_core.engines import MAX_HELD
from multiloss_core.figures import CERTIFIED
from multiloss_core.formatting import count, money, plural, reached, score_name, shortened
from multiloss_core.generalisation import Certificate
from ui.operating_point.analysis import Analysis, documents_or_counts
from ui.operating_point.calculations import SECONDS_OF_CERTIFICATE, find_certificate
from ui.operating_point.path_tasks import Settings
from ui.operating_point.settings import METHOD_KEY
from ui.operating_point.state import DIGITS, PointContext
from ui.shared.choices import ask_number, choose, numbers_parameter
from ui.shared.formatting import as_text, vocabulary
from ui.shared.long_work import ask_task, wait_for
from ui.shared.session import CertificateRequest, session
from ui.shared.widgets import shown_when_open

MIN_PRECISION, MAX_PRECISION = 1.0, 99.5
CONFIDENCES = {"95 %": 95.0, "90 %": 90.0, "99 %": 99.0}
IN_URL = numbers_parameter("guaranteed")


def with_certificate(analysis: Analysis) -> Analysis:
    """Return the analysis with its certificate's path, if requested for the same data."""
    documents = documents_or_counts(analysis.dataset.source)
    linked = IN_URL.asked()
    if linked is not None and len(linked) == 2:
        request_certificate(_about(analysis), linked[0] / 100, linked[1] / 100)
    asked = session().point.certificate
    if asked is None or asked.about != _about(analysis) or not _can_be_asked(asked) or documents is None:
        IN_URL.show(None)
        return analysis
    IN_URL.show([round(100 * share, DIGITS) for share in (asked.precision, asked.confidence)])
    try:
        found = certificate_of(analysis, documents, asked.precision, asked.confidence)
    except DataError:
        # The form shows the reason.
        return analysis
    return analysis.with_certificate(found)


def request_certificate(about: Hashable, precision: float, confidence: float) -> None:
    """Add a certificate's path to the paths of its data and settings."""
    session().point.certificate = CertificateRequest(about, precision, confidence)


def certificate_of(
    analysis: Analysis, documents: RatedDocuments | RatedCounts, precision: float, confidence: float
) -> Certificate:
    """Return the certificate. Raises DataError if nothing can be guaranteed."""
    group = analysis.dataset.columns.group
    if isinstance(documents, RatedCounts) and group is not None:
        raise DataError(
            f"{vocabulary().documents.capitalize()} of one '{shortened(group)}' belong together, but counts of cells "
            f"do not show which: a guarantee needs the rows. Choose dates with at most {MAX_HELD:,} of them, or no "
            "group."
        )
    key, work = (*_about(analysis), precision, confidence), (documents, precision, confidence, analysis.settings.rule)
    task = ask_task("certificate", key, find_certificate, *work, retry=True, seconds=SECONDS_OF_CERTIFICATE)
    wait_for([task], "Choosing on one third, testing on the others …")
    if task.latest is None:
        raise DataError("The guarantee was not calculated, because this page was closed for a while; ask for it again.")
    return task.latest


def _about(analysis: Analysis) -> tuple[str, Settings]:
    return analysis.dataset.key, analysis.settings


def _can_be_asked(asked: CertificateRequest) -> bool:
    """Return whether the inputs allow this request; links and records are untrusted."""
    in_range = MIN_PRECISION <= round(100 * asked.precision, DIGITS) <= MAX_PRECISION
    return in_range and round(100 * asked.confidence, DIGITS) in CONFIDENCES.values()


MAX_RATINGS_TOLD = 100_000


def show_certificate(context: PointContext) -> None:
    """Certify a precision: show the loosest thresholds with at least this precision."""
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
        f"{score_name(name)} {reached(name, value, analysis.alert_rules)}"
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
        "times the question is asked, also those that end without an answer. Fraud is what was rated as fraud: errors "
        "of ratings are not part of it."
        + (
            " Weights or groups: tested by betting, which assumes no larger weight than seen."
            if found.test == "betting"
            else ""
        )
    )


def _put_on_slider(analysis: Analysis, precision: float, confidence: float) -> None:
    request_certificate(_about(analysis), precision, confidence)
    choose(METHOD_KEY, CERTIFIED.name)


def _more_ratings(more: int | None) -> str:
    documents = vocabulary().documents
    if more is None:
        return " No thresholds on the path seem to have that precision."
    if more > MAX_RATINGS_TOLD:
        return f" It would take more than {count(MAX_RATINGS_TOLD)} further rated {documents}."
    return f" About {count(float(f'{more:.1g}'))} more rated {documents} would give it in 4 of 5 cases."
