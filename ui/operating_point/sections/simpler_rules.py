"""What simpler rules lose at as many false positives as the point, and what to rate next."""

import pandas as pd
import streamlit as st

from multiloss_core import RatedDocuments, Unit
from multiloss_core.formatting import percent
from multiloss_core.inspection import compare_with_simpler_rules
from multiloss_core.thresholds import Point
from ui.operating_point.analysis import Analysis
from ui.operating_point.sections.rating_plan import show_rating_plan
from ui.operating_point.view_state import PointContext
from ui.shared.lazy_section import shown_when_open


def show_simpler_rules(context: PointContext) -> None:
    """What simpler cuts lose at as many false positives, and what to rate next."""
    documents, point = context.analysis.dataset.source, context.point
    if isinstance(documents, RatedDocuments) and point.status != "unreachable":
        _show_simpler_rules(context.analysis, documents, point)


@shown_when_open("Simpler cuts, and what to rate next", icon=":material/compare_arrows:", key="simpler")
def _show_simpler_rules(analysis: Analysis, documents: RatedDocuments, point: Point) -> None:
    st.dataframe(
        pd.DataFrame(
            [
                {
                    "Simpler cut": "one common cut in ranks" if cut.kind == "common" else f"{cut.name} alone",
                    "TP at the same FP": analysis.settings.unit.estimate(cut.tp_at_equal_fp),
                    "TP lost": analysis.settings.unit.estimate(cut.tp_lost),
                    "of the point's": percent(cut.share_lost),
                }
                for cut in compare_with_simpler_rules(documents, point)
            ]
        ),
        hide_index=True,
        alt="True positives that simpler cuts catch at as many false positives as the point.",
    )
    if analysis.settings.unit is Unit.DOCUMENTS:
        show_rating_plan(analysis, documents, point)
    else:
        st.caption("What to rate next is told where documents are counted.")
