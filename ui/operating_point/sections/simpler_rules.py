"""Show the losses of simpler rules at equal false positives, and the next ratings."""

import streamlit as st

from multiloss_core import DataError, RatedDocuments, Unit, flagged
from multiloss_core.formatting import count, money, plural, score_name, score_range, whole
from multiloss_core.generalisation import rated_size, rating_plan
from multiloss_core.inspection import compare_with_simpler_rules
from multiloss_core.thresholds import Point
from ui.operating_point.analysis import Analysis
from ui.operating_point.state import PointContext
from ui.shared.formatting import COUNT, ESTIMATED, PERCENT, WHOLE, as_text, show_numbers, vocabulary
from ui.shared.widgets import shown_when_open


def show_simpler_rules(context: PointContext) -> None:
    """Show what simpler cuts lose at as many false positives, and what to rate next."""
    data, point = context.analysis.dataset, context.point
    # A simpler cut would have to say what happens to alert rules.
    if data.supports("documents") and point.status != "unreachable" and not context.analysis.alert_rules:
        _show_simpler_rules(context.analysis, data.documents, point)


@shown_when_open("Would one rule do? And what to rate next", icon=":material/compare_arrows:", key="simpler")
def _show_simpler_rules(analysis: Analysis, documents: RatedDocuments, point: Point) -> None:
    tp = ESTIMATED[analysis.settings.unit]
    show_numbers(
        [
            {
                "Simpler cut": "one percentile for all scores"
                if cut.kind == "common"
                else f"{score_name(cut.name)} alone",
                "TP at the same FP": cut.tp_at_equal_fp,
                "TP lost": cut.tp_lost,
                "share lost": cut.share_lost,
            }
            for cut in compare_with_simpler_rules(documents, point)
        ],
        {"TP at the same FP": tp, "TP lost": tp, "share lost": PERCENT},
        alt="True positives that simpler cuts catch at as many false positives as the point.",
    )
    st.caption("*TP at the same FP* lies between two real cuts where none has exactly as many false alerts.")
    if analysis.settings.unit is Unit.DOCUMENTS:
        _show_rating_plan(analysis, documents, point)
    else:
        st.caption(f"Recommended ratings appear where {vocabulary().documents} are counted.")


def _show_rating_plan(analysis: Analysis, documents: RatedDocuments, point: Point) -> None:
    """Recommend flagged documents to rate, and show the effect of ratings in each band."""
    try:
        plan = rating_plan(documents, point, analysis.path(point.method))
    except DataError as error:
        st.caption(as_text(str(error)))
        return
    waiting = analysis.undecided([point])[0]
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
