"""The documents nearest to the thresholds of a point."""

import numpy as np
import streamlit as st

from multiloss_core import RatedDocuments
from multiloss_core.formatting import count, plural
from multiloss_core.inspection import BorderlineDocuments, borderline_documents
from ui.data.document_table import NO_DOCUMENTS, show_documents
from ui.operating_point.analysis import Analysis
from ui.operating_point.point_view import PointContext
from ui.shared.lazy_section import shown_when_open

MAX_NEAR = 50


@shown_when_open("Documents near the thresholds", icon=":material/zoom_in:", key="near")
def show_borderline(context: PointContext) -> None:
    """Show the documents that are just flagged and those that are just not."""
    analysis, point = context.analysis, context.point
    documents = analysis.rated.source.documents
    if documents is None:
        st.info(NO_DOCUMENTS)
        return
    found = borderline_documents(documents, analysis.deployable(point), analysis.settings.rule, most=MAX_NEAR)
    _show_side(analysis, documents, "just flagged", found.flagged, "Nothing is flagged at this point.")
    _show_side(
        analysis,
        documents,
        "just not flagged",
        found.not_flagged,
        "No rated document: what lies below the floors was never rated.",
    )
    st.caption(
        "*Documents away*: how many documents the threshold of the classifier that decides would pass to reach this "
        "one, which is then counted too. A threshold of *never* decides nothing."
    )


def _show_side(
    analysis: Analysis, documents: RatedDocuments, what: str, near: BorderlineDocuments, nothing: str
) -> None:
    if not near.positions.size:
        st.markdown(f"**{what.capitalize()}.** {nothing}")
        return
    fraud = int(documents.labels[near.positions].sum())
    st.markdown(
        f"**{what.capitalize()}: the nearest {plural(near.positions.size, 'document')}**, {count(fraud)} rated fraud."
    )
    beside = {"decided by": np.array(documents.names)[near.deciding], "documents away": near.distances}
    show_documents(analysis.rated, near.positions, what=f"{what} documents", beside=beside)
