"""The certificate that the user asked for: in the session and in the URL, with the path that it was tested on."""

from collections.abc import Hashable

import streamlit as st

from multiloss_core import DataError, RatedCounts, RatedDocuments
from multiloss_core.engines import MOST_FETCHED
from multiloss_core.formatting import shortened
from multiloss_core.generalisation import Certificate
from ui.operating_point.analysis import Analysis, Settings, documents_or_counts
from ui.operating_point.calculations import SECONDS_OF_CERTIFICATE, find_certificate
from ui.operating_point.target import DIGITS
from ui.shared.formatting import vocabulary
from ui.shared.long_work import begin, wait_for
from ui.shared.session import CertificateRequest, session
from ui.shared.url_params import numbers_parameter

MIN_PRECISION, MAX_PRECISION = 1.0, 99.5
CONFIDENCES = {"95 %": 95.0, "90 %": 90.0, "99 %": 99.0}
IN_URL = numbers_parameter("guaranteed")


def with_certificate(analysis: Analysis) -> Analysis:
    """Return the analysis with the path of the certificate asked for, where that was for the same data and settings."""
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
        # Where it was asked for, the reason is told.
        return analysis
    return analysis.with_certificate(found)


def request_certificate(about: Hashable, precision: float, confidence: float) -> None:
    """Have the path of a certificate among the paths, while the screen is about these data and settings."""
    session().point.certificate = CertificateRequest(about, precision, confidence)


def request_shown_certificate(analysis: Analysis, precision: float, confidence: float) -> None:
    """Have the path of a certificate of what is on the screen among the paths."""
    request_certificate(_about(analysis), precision, confidence)


def certificate_of(
    analysis: Analysis, documents: RatedDocuments | RatedCounts, precision: float, confidence: float
) -> Certificate:
    """Return the certificate of documents, kept for the session. Raises DataError where nothing can be guaranteed."""
    group = analysis.dataset.choice.group
    if isinstance(documents, RatedCounts) and group is not None:
        raise DataError(
            f"{vocabulary().documents.capitalize()} of one '{shortened(group)}' belong together, and counts of cells "
            f"do not tell which: a guarantee needs the rows. Choose dates with at most {MOST_FETCHED:,} of them, or no "
            "group."
        )
    return _certificate(analysis.dataset.key, analysis.settings, precision, confidence, documents)


def _about(analysis: Analysis) -> tuple[str, Settings]:
    return analysis.dataset.key, analysis.settings


def _can_be_asked(asked: CertificateRequest) -> bool:
    """Whether the boxes could ask for it. Links and records may come from anybody."""
    in_range = MIN_PRECISION <= round(100 * asked.precision, DIGITS) <= MAX_PRECISION
    return in_range and round(100 * asked.confidence, DIGITS) in CONFIDENCES.values()


@st.cache_resource(scope="session", max_entries=8, show_spinner=False)
def _certificate(
    key: str, settings: Settings, precision: float, confidence: float, _documents: RatedDocuments | RatedCounts
) -> Certificate:
    task = begin(find_certificate, _documents, precision, confidence, settings.rule, seconds=SECONDS_OF_CERTIFICATE)
    wait_for([task], "Choosing on one third, testing on the others …")
    if task.latest is None:
        raise DataError("The guarantee was not calculated, because this page was closed for a while; ask for it again.")
    return task.latest
