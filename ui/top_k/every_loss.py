"""The optimum of the items under each loss."""

import pandas as pd
import streamlit as st

from multiloss_core.figures import small_loss_curves, sorted_probabilities
from ui.shared.page_setup import theme
from ui.shared.widgets import LOSS_CHOICES
from ui.top_k.items import PART, Settings, shown_items
from ui.top_k.optimum import found_optimum, is_hidden


@st.fragment(key=PART)
def every_loss(settings: Settings) -> None:
    """Show the optimum and the expected loss of every k under each loss."""
    if is_hidden(settings):
        st.info("Press *Show* first.")
        return
    probabilities = shown_items(settings)
    optima = [found_optimum(probabilities, settings._replace(choice=choice)) for choice in LOSS_CHOICES]
    st.dataframe(
        pd.DataFrame(
            {
                "loss": [optimum.name for optimum in optima],
                "k": [optimum.top_k.k for optimum in optima],
                "cut": [f"{optimum.top_k.cut:.4f}" if optimum.top_k.k else "none" for optimum in optima],
                "expected_loss": [optimum.search.expected_loss for optimum in optima],
                "is_top_k": ["yes" if optimum.search.is_top_k else "no" for optimum in optima],
            }
        ),
        hide_index=True,
        column_config={
            "loss": "Loss",
            "k": st.column_config.NumberColumn("k*: items flagged", alignment="left"),
            "cut": st.column_config.TextColumn("Cut: probability of the last one flagged"),
            "expected_loss": st.column_config.NumberColumn(
                "Smallest expected loss",
                format="%.4f",
                alignment="left",
                help="The smallest of all 2ⁿ, from 0 to 1. Different losses cannot be compared with each other.",
            ),
            "is_top_k": st.column_config.TextColumn(
                "Best of all 2ⁿ is a top-k set", help="Found by trying all 2ⁿ predictions, without Theorem 1."
            ),
        },
    )
    st.caption(
        "AUC counts only pairs in which the negative is flagged and the positive is not. Flagging nothing makes no "
        "such mistake, so AUC cannot choose a cut. With half a mistake for each pair treated alike, it becomes AM."
    )
    st.caption("P(Y = 1 | x) of each item, largest first. Strong colour: predicted positive.")
    places = [column for _ in range(0, len(optima), 4) for column in st.columns(4)]
    for place, (name, search, top_k) in zip(places, optima, strict=False):
        place.plotly_chart(
            sorted_probabilities(
                probabilities, search.best, title=f"{name}: k* = {top_k.k}", theme=theme(), height=180, small=True
            ),
            key=f"topk_small_{name}",
            alt=f"The best prediction under {name} flags {int(search.best.sum())} items.",
            theme=None,
            config={"displayModeBar": False},
        )
    st.plotly_chart(
        small_loss_curves({name: search.top_k_values for name, search, _ in optima}, theme=theme()),
        key="topk_small_curves",
        alt="The expected loss against k under each loss, smallest at "
        + ", ".join(f"k = {top_k.k} for {name}" for name, _, top_k in optima)
        + ".",
        theme=None,
        config={"displayModeBar": False},
    )
    st.caption("Each loss has a scale of its own: different losses cannot be compared with each other.")
