"""A tangent along the curve (Robles et al. 2020), and the best corner of two scores."""

import numpy as np
import streamlit as st
from scipy.special import expit

from multiloss_core import ThresholdPath, count_surfaces, graph_path, simulate_population
from multiloss_core.combined import best_corner
from multiloss_core.figures import corner_and_best_set, sliding_tangent
from multiloss_core.formatting import count, plural, price, rate, short_percent
from ui.shared.choices import ask_number
from ui.shared.page_setup import theme
from ui.shared.widgets import show_chart
from ui.top_k.items import Settings

DOCUMENTS, SEED, RESOLUTION = 200_000, 4, 60
ITEMS, ITEM_SEED = 60, 3


@st.fragment
def sliding_along_the_curve(_: Settings) -> None:
    """Show a sliding tangent on the curve of the graph path, and explain its slope."""
    path = _path()
    precisions = path.majorant.marginal_precisions
    chart, words = st.columns([3, 2], gap="large")
    with words:
        st.markdown(
            "Lower thresholds along the path add true and false positives at each step. **Marginal precision** is the "
            "share of true positives in the last step; the **slope** of the tangent is the same as odds: *m* / (1 - "
            "*m*). The operating point is where they fall to your limit."
        )
        label, middle = "Slide from the strictest thresholds to the loosest", 1 + precisions.size // 2
        bounds = (1, precisions.size)
        step = ask_number(st.slider, label, bounds, middle, key="topk_tangent_at", persist_state="session") - 1
        st.metric("Marginal precision", short_percent(precisions[step]))
        st.markdown(tangent_in_words(path, step))
        st.caption(
            "Simulated documents. The curve is uneven, as counts are; the concave majorant, the tight string over it, "
            "is where tangents touch."
        )
    start, end = path.majorant.vertices[step : step + 2]
    show_chart(
        sliding_tangent(path, step, theme=theme()),
        key="topk_tangent_figure",
        alt=f"True against false positives; the tangent touches the curve from FP {path.fp[start]:,.0f}, TP "
        f"{path.tp[start]:,.0f} to FP {path.fp[end]:,.0f}, TP {path.tp[end]:,.0f}.",
        place=chart,
    )


def tangent_in_words(path: ThresholdPath, position: int) -> str:
    """Describe the counts that one step of the majorant adds, and its slope."""
    start, end = path.majorant.vertices[position : position + 2]
    tp, fp = float(path.tp[end] - path.tp[start]), float(path.fp[end] - path.fp[start])
    m = float(path.majorant.marginal_precisions[position])
    added = f"This step adds **{plural(tp, 'true positive')}** and **{plural(fp, 'false positive')}**."
    if fp == 0:
        return f"{added} The tangent is vertical: no cost."
    if tp == 0:
        return f"{added} The tangent is horizontal: no gain."
    slope = f"Slope {count(tp)} / {count(fp)} = {rate(tp / fp)}"
    return f"{added} {slope}; marginal precision {count(tp)} / {count(tp + fp)} = {short_percent(m)}: {price(m)}."


@st.cache_resource(show_spinner=False)
def _path() -> ThresholdPath:
    population = simulate_population(np.random.default_rng(SEED), documents=DOCUMENTS)
    return graph_path(count_surfaces(population.rated(), resolution=RESOLUTION, spacing="positives"))


@st.fragment
def corner_or_best_set(_: Settings) -> None:
    """Show what two thresholds catch beside the items of largest probability."""
    scores = np.random.default_rng(ITEM_SEED).normal(0.0, 1.5, (ITEMS, 2))
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
