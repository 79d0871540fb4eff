"""Show which documents to rate next, and how much the weights are worth."""

from functools import partial

import streamlit as st

from multiloss_core import DataError, RatedDocuments, Unit, flagged
from multiloss_core.datasets import queue_of
from multiloss_core.formatting import count, money, plural, score_name, score_range, whole
from multiloss_core.generalisation import rated_size, rating_plan
from multiloss_core.tables import frame_as_csv
from multiloss_core.thresholds import Point
from ui.operating_point.analysis import Analysis
from ui.operating_point.state import PointContext
from ui.shared.formatting import COUNT, PERCENT, WHOLE, as_text, show_numbers, vocabulary
from ui.shared.widgets import shown_when_open


def show_next_ratings(context: PointContext) -> None:
    """Recommend what to rate next where documents are counted, and a point exists."""
    analysis, point = context.analysis, context.point
    data, unit = analysis.dataset, analysis.settings.unit
    if data.supports("documents") and unit is Unit.DOCUMENTS and point.status != "unreachable":
        _show_rating_plan(analysis, data.documents, point)


@shown_when_open("What to rate next", icon=":material/playlist_add_check:", key="next_ratings")
def _show_rating_plan(analysis: Analysis, documents: RatedDocuments, point: Point) -> None:
    """Recommend flagged documents to rate, and show the effect of ratings in each band."""
    try:
        plan = rating_plan(documents, point, analysis.path(point.method))
    except DataError as error:
        st.caption(as_text(str(error)))
        return
    waiting = analysis.undecided([point])[0]
    if analysis.has_undecided:
        st.download_button(
            f"Undecided {vocabulary().documents}, likeliest fraud first (CSV)",
            partial(_queue, analysis, point),
            "alert-queue.csv",
            "text/csv",
            icon=":material/download:",
            key="queue",
            on_click="ignore",
            help="In the order of P(fraud | scores), with those that these thresholds flag.",
        )
    if plan.advice == "new_documents" and waiting:
        st.markdown(f"**What to rate next.** The {plural(waiting, 'alert')} at this point without a decision.")
        return
    st.markdown(f"**What to rate next.** {plan.sentence_in(vocabulary())}")
    if plan.advice == "rate_a_band":
        shares, removed = "Share of the uncertainty", {f"{count(band.more)} more take off" for band in plan.bands}
        show_numbers(
            [
                {
                    **{
                        score_name(name): score_range(name, low, high)
                        for name, low, high in zip(point.names, band.lower, band.upper, strict=True)
                    },
                    "Rated": band.size.documents,
                    "Stand for": band.size.alerts,
                    "Effective": band.size.effective,
                    shares: band.share_of_variance,
                    f"{count(band.more)} more take off": band.share_removed,
                }
                for band in plan.bands
            ],
            {"Rated": COUNT, "Stand for": COUNT, "Effective": WHOLE} | dict.fromkeys([shares, *removed], PERCENT),
            alt=f"Bands of flagged {vocabulary().documents}, with what more ratings in each would bring.",
        )


def _queue(analysis: Analysis, point: Point) -> str:
    """Write the undecided documents in the order in which to look at them."""
    data = analysis.rated
    return frame_as_csv(
        queue_of(data.frame, data.columns, analysis.deployable(point), analysis.settings.rule).listed(data.frame)
    )


def show_effective_size(context: PointContext) -> None:
    """With weights, how much the rates rest on."""
    analysis, point = context.analysis, context.point
    if not analysis.dataset.has_weights:
        return
    documents = analysis.dataset.documents
    size = rated_size(documents, flagged(documents.scores, point.thresholds, point.rule))
    of_what = f"{money(size.alerts)} of money" if analysis.settings.unit is Unit.MONEY else count(size.alerts)
    st.caption(
        f"Weights make these {plural(size.documents, 'rating')}, which stand for {of_what}, worth about "
        f"{whole(size.effective)} equal ones."
    )
