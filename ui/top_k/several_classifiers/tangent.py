"""The tangent along the curve of true against false positives: its slope is the marginal precision as odds."""

import numpy as np
import streamlit as st

from multiloss_core import ThresholdPath, count_surfaces, graph_path, simulate_population
from multiloss_core.figures import sliding_tangent
from multiloss_core.formatting import count, plural, price, short_percent
from ui.shared.lazy_section import shown_when_open
from ui.shared.page_setup import theme
from ui.shared.url_params import ask_number

DOCUMENTS, SEED, RESOLUTION = 200_000, 4, 60


@shown_when_open("The tangent along the curve", key="topk_tangent")
@st.fragment
def sliding_along_the_curve() -> None:
    """Let the user slide a tangent along the curve of the graph path, and say what its slope means."""
    st.markdown(
        "Lower the thresholds along the path, and each step adds some true and some false positives. **Marginal "
        "precision** is the share of true ones among what the last step added; the **slope** of the tangent is the "
        "same as odds: *m* / (1 - *m*). Where they are as low as you will accept, stop: that is the operating point.",
        width=860,
    )
    path = _path()
    precisions = path.majorant.marginal_precisions
    chart, words = st.columns([3, 2], gap="large")
    with words:
        label, middle = "Slide from the strictest thresholds to the loosest", 1 + precisions.size // 2
        position = ask_number(st.slider, label, (1, precisions.size), middle, key="topk_tangent_at") - 1
        st.metric("Marginal precision", short_percent(precisions[position]), border=True)
        st.markdown(step_in_words(path, position))
    start, end = path.majorant.vertices[position : position + 2]
    chart.plotly_chart(
        sliding_tangent(path, position, theme=theme()),
        key="topk_tangent_figure",
        alt=f"True against false positives; the tangent touches the curve from FP {path.fp[start]:,.0f}, TP "
        f"{path.tp[start]:,.0f} to FP {path.fp[end]:,.0f}, TP {path.tp[end]:,.0f}.",
        theme=None,
    )
    st.caption(
        "The same simulated documents as in the graph above, on a finer grid. The curve is uneven, as counts are; the "
        "concave majorant, the tight string over it, is where tangents touch."
    )


def step_in_words(path: ThresholdPath, position: int) -> str:
    """Say what one step of the majorant adds, and its slope."""
    start, end = path.majorant.vertices[position : position + 2]
    tp, fp = float(path.tp[end] - path.tp[start]), float(path.fp[end] - path.fp[start])
    m = float(path.majorant.marginal_precisions[position])
    added = f"This step adds **{plural(tp, 'true positive')}** and **{plural(fp, 'false positive')}**."
    if fp == 0:
        return f"{added} The tangent is upright: nothing is paid."
    if tp == 0:
        return f"{added} The tangent is level: nothing is gained."
    slope = f"Slope {count(tp)} / {count(fp)} = {tp / fp:.3g}"
    return f"{added} {slope}; marginal precision {count(tp)} / {count(tp + fp)} = {short_percent(m)}: {price(m)}."


@st.cache_resource(show_spinner=False)
def _path() -> ThresholdPath:
    population = simulate_population(np.random.default_rng(SEED), documents=DOCUMENTS)
    return graph_path(count_surfaces(population.rated(), resolution=RESOLUTION, spacing="positives"))
