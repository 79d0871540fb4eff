"""Theorem 1 on two scores: the best corner of thresholds and the best set."""

import numpy as np
import streamlit as st
from scipy.special import expit

from multiloss_core.combined import best_corner
from multiloss_core.figures import corner_and_best_set
from multiloss_core.formatting import rate
from ui.shared.choices import ask_number
from ui.shared.page_setup import theme
from ui.shared.widgets import show_chart
from ui.top_k.items import Settings

ITEMS, SEED = 60, 3


@st.fragment
def corner_or_best_set(_: Settings) -> None:
    """Show what two thresholds catch beside the items of largest probability."""
    scores = np.random.default_rng(SEED).normal(0.0, 1.5, (ITEMS, 2))
    probabilities = expit(scores.sum(axis=1) - 2.5)
    chart, words = st.columns([3, 2], gap="large")
    with words:
        st.markdown(
            "Each item has two scores that carry separate evidence: P(fraud | scores) rises with their sum. Two "
            "thresholds flag all above or to the right of the dashed corner. Theorem 1 flags the *k* items of largest "
            "probability (larger circles): those beyond the line of equal probability, which is the marginal precision."
        )
        k = ask_number(st.slider, "Items flagged, k", (1, ITEMS - 1), 12, key="topk_corner_k", persist_state="session")
        corner = best_corner(scores, probabilities, k)
        best = np.argsort(-probabilities, kind="stable")[:k]
        of_corner, of_best = float(probabilities[corner.flagged].sum()), float(probabilities[best].sum())
        left, right = st.columns(2)
        left.metric("Frauds expected, best corner", rate(of_corner))
        right.metric("Frauds expected, best set", rate(of_best))
        st.caption(
            "The corner is the best of all pairs of thresholds that flag k items. On rated alerts, *Would another form "
            "of rule do better?* answers the same question: [Operating point](operating_point?view=compare)."
        )
    show_chart(
        corner_and_best_set(scores, probabilities, corner, best, theme=theme()),
        key="topk_corner_figure",
        alt=f"{ITEMS} items by two scores. The best corner of {k} items expects {rate(of_corner)} frauds, the best set "
        f"{rate(of_best)}.",
        place=chart,
    )
