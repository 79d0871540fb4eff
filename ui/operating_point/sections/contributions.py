"""Show the alerts of each classifier at a point, alone and together with others."""

import streamlit as st

from multiloss_core.figures import contributions_chart
from multiloss_core.formatting import count, score_name
from multiloss_core.inspection import Contribution, contribution_words, contributions
from multiloss_core.thresholds import Rule
from ui.data.document_table import no_documents
from ui.operating_point.point_text import COUNT_KINDS, count_columns
from ui.operating_point.state import PointContext
from ui.shared.formatting import show_numbers, vocabulary
from ui.shared.page_setup import theme
from ui.shared.widgets import shown_when_open


@shown_when_open("Who flags what", icon=":material/join_inner:", key="contributions")
def show_contributions(context: PointContext) -> None:
    """Show each classifier's alerts alone and together; under `all`, those it alone rejects."""
    analysis, point = context.analysis, context.point
    if not analysis.rated.supports("documents"):
        st.info(no_documents(vocabulary()))
        return
    documents = analysis.rated.documents
    rule, names = analysis.settings.rule, tuple(map(score_name, documents.names))
    found = contributions(documents, analysis.deployable(point), rule)
    # Of fifteen combinations most are often empty; single classifiers stay, also with nothing.
    shown = [part for part in found if part.documents.alerts or len(part.classifiers) == 1 or not part.flagged]
    if not any(part.documents.alerts for part in shown):
        st.info("Nothing is flagged at this point.")
        return
    words = vocabulary()
    st.plotly_chart(
        contributions_chart(shown, names, theme=theme(), vocabulary=words),
        theme=None,
        key="contributions_chart",
        alt=f"{words.documents.capitalize()} by which classifiers reach their thresholds: "
        f"{_in_one_sentence(shown, names, rule)}.",
    )
    show_numbers(
        [
            {
                "Flagged by" if rule == "any" else words.documents.capitalize(): _title(part, names, rule),
                **count_columns(part.documents.tp, part.documents.fp, part.documents.interval),
            }
            for part in shown
        ],
        COUNT_KINDS,
        alt="True and false positives of each combination of classifiers.",
    )
    sentence = (
        "Each alert counts once, under all the classifiers that flag it. What one flags alone would be lost without it."
        if rule == "any"
        else "What one classifier alone holds back reaches the thresholds of all others: without it, it would be "
        "flagged as well."
    )
    st.caption(f"{sentence}{' Alerts without a decision are not counted here.' if analysis.has_undecided else ''}")


def _title(part: Contribution, names: tuple[str, ...], rule: Rule) -> str:
    words = contribution_words(part, names)
    return f"flagged by {words}" if rule == "all" and part.flagged else words


def _in_one_sentence(shown: list[Contribution], names: tuple[str, ...], rule: Rule) -> str:
    return "; ".join(
        f"{_title(part, names, rule)} {count(part.documents.tp)} true and {count(part.documents.fp)} false positives"
        for part in shown
    )
