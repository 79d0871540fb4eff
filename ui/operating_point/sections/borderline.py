"""The documents nearest to the thresholds of a point."""

import numpy as np
import streamlit as st

from multiloss_core import RatedDocuments
from multiloss_core.engines import CountedDataset, borderline_rows
from multiloss_core.formatting import count, plural, score_name
from multiloss_core.inspection import BorderlineDocuments, borderline_documents
from multiloss_core.thresholds import Point
from ui.data.document_table import no_documents, show_documents, show_rows
from ui.data.engine_connections import ask_engine
from ui.operating_point.analysis import Analysis
from ui.operating_point.state import PointContext
from ui.shared.formatting import vocabulary
from ui.shared.session import session
from ui.shared.widgets import shown_when_open

MAX_NEAR = 50


def _title() -> str:
    return f"{vocabulary().documents.capitalize()} near the thresholds"


@shown_when_open(_title, icon=":material/zoom_in:", key="near")
def show_borderline(context: PointContext) -> None:
    """Show the documents that are just flagged and those that are just not."""
    analysis, point = context.analysis, context.point
    rated, words = analysis.rated, vocabulary()
    if isinstance(rated, CountedDataset):
        _show_counted(rated, analysis, point)
        return
    if not rated.supports("documents"):
        st.info(no_documents(words))
        return
    documents = rated.documents
    found = borderline_documents(documents, analysis.deployable(point), analysis.settings.rule, most=MAX_NEAR)
    _show_side(analysis, documents, "just flagged", found.flagged, "Nothing is flagged at this point.")
    _show_side(
        analysis,
        documents,
        "just not flagged",
        found.not_flagged,
        f"No rated {words.document}: what lies below the floors was never rated.",
    )
    st.caption(
        f"*{words.documents.capitalize()} away*: how many {words.documents} the threshold of the classifier that "
        "decides would pass to reach this one, which is then counted too. A threshold of *never* decides nothing."
    )


def _show_counted(rated: CountedDataset, analysis: Analysis, point: Point) -> None:
    """Show rows that lie in a source, once they were asked for."""
    thresholds, rule, known = analysis.deployable(point), analysis.settings.rule, session().borderline
    words = vocabulary()
    key = (analysis.rated.key, rule, thresholds.tobytes())
    found = ask_engine(
        key,
        known,
        rated,
        f"Up to {MAX_NEAR} on either side are fetched, in at most four passes over them.",
        f"Fetch the {words.documents}",
        "near",
        lambda engine: borderline_rows(
            engine, rated.table, rated.rows, rated.source.under(rule), thresholds, most=MAX_NEAR
        ),
    )
    if found is None:
        return
    sides = (("just flagged", found.flagged), ("just not flagged", found.not_flagged))
    for (what, rows), deciding in zip(sides, found.deciding, strict=True):
        fraud = int(rows[rated.rows.rating].isin(rated.rows.positive).sum())
        if rows.empty:
            st.markdown(f"**{what.capitalize()}.** None.")
            continue
        st.markdown(
            f"**{what.capitalize()}: the nearest {plural(len(rows), words.document)}**, {count(fraud)} rated fraud."
        )
        show_rows(rows, what=f"{what} {words.documents}", beside={"decided by": np.array(deciding)})
    st.caption(
        "Nearest by how far a score lies from its threshold, measured by the scores of "
        f"{words.documents} next to it. A threshold of *never* decides nothing."
    )


def _show_side(
    analysis: Analysis, documents: RatedDocuments, what: str, near: BorderlineDocuments, nothing: str
) -> None:
    if not near.positions.size:
        st.markdown(f"**{what.capitalize()}.** {nothing}")
        return
    fraud, words = int(documents.labels[near.positions].sum()), vocabulary()
    st.markdown(
        f"**{what.capitalize()}: the nearest {plural(near.positions.size, words.document)}**, {count(fraud)} rated "
        "fraud."
    )
    beside = {
        "decided by": np.array([*map(score_name, documents.names)])[near.deciding],
        f"{words.documents} away": near.distances,
    }
    show_documents(analysis.rated, near.positions, what=f"{what} {words.documents}", beside=beside)
