"""The expected loss: its formula, and its calculation from every outcome of three items."""

import numpy as np
import pandas as pd
import streamlit as st

from multiloss_core.losses import Loss, observed_counts, promised_counts
from multiloss_core.numerics import Floats
from ui.shared.url_params import ask_number
from ui.shared.widgets import show_formula
from ui.top_k.items import PART, Settings, shown_items
from ui.top_k.optimum import first_items, found_optimum, is_hidden


@st.fragment(key=PART)
def expected_loss(settings: Settings) -> None:
    """Show the formula of the loss, and its mean over every outcome of three items."""
    probabilities = shown_items(settings)
    if is_hidden(settings):
        show_formula(settings.loss)
    else:
        top_k = found_optimum(probabilities, settings).top_k
        counts, expected = promised_counts(probabilities, top_k.selected), f"{top_k.expected_loss:.4f}"
        relation = "here the same number" if f"{counts.loss(settings.loss):.4f}" == expected else "another number"
        about = (
            "The formula at the mean counts of the best prediction. The expected loss is the mean of the losses of all "
            f"outcomes, not the loss of the mean outcome: {expected}, {relation}."
        )
        show_formula(settings.loss, counts, about)
    st.subheader("Three items, eight outcomes")
    eight_outcomes(probabilities, settings.loss)


def eight_outcomes(probabilities: Floats, loss: Loss) -> None:
    """Show every outcome of three items, its loss, and the mean loss."""
    few = spread_out(probabilities)
    st.markdown(
        f"The labels are unknown beforehand. So the {loss.name} loss is calculated for every outcome and weighted with "
        "its probability. The three items are the most probable, the middle and the least probable one: "
        f"{', '.join(f'{value:.4f}' for value in few)}.",
        width=860,
    )
    k = ask_number(
        st.slider,
        "How many of the three to flag",
        (0, few.size),
        1,
        key="topk_by_hand",
        persist_state="session",
        width=360,
    )
    table = outcome_table(few, loss, int(k))
    st.dataframe(
        table,
        hide_index=True,
        alt="Every outcome of three items: its probability, the counts, the loss, and their product.",
        column_config={
            "Labels": st.column_config.TextColumn(help="1: positive, from the most probable item on."),
            **{name: st.column_config.NumberColumn(format="%.4f") for name in ("Probability", "Loss", "Product")},
            **{name: st.column_config.NumberColumn(format="%d") for name in ("TP", "FP", "FN", "TN")},
        },
    )
    expected = [float(outcome_table(few, loss, other)["Product"].sum()) for other in range(few.size + 1)]
    listed = ", ".join(f"{other}: {value:.4f}" for other, value in enumerate(expected))
    st.markdown(
        f"The products add up to the expected loss, **{expected[int(k)]:.4f}**. For every number flagged: {listed}. "
        f"The smallest is at **{int(np.argmin(expected))}**.",
        width=860,
    )


def spread_out(probabilities: Floats) -> Floats:
    """Pick the largest, the middle and the smallest probability; of two items, both."""
    ordered = np.sort(probabilities)[::-1]
    return ordered[np.unique([0, ordered.size // 2, ordered.size - 1])]


def outcome_table(probabilities: Floats, loss: Loss, k: int) -> pd.DataFrame:
    """List the outcomes of a few items with probability, counts, loss at k and their product."""
    rows = []
    for number in range(2**probabilities.size):
        labels = (number >> np.arange(probabilities.size)) & 1 == 1
        counts = observed_counts(first_items(probabilities, k), labels)
        chance, charged = float(np.prod(np.where(labels, probabilities, 1 - probabilities))), counts.loss(loss)
        cells = (counts.tp, counts.fp, counts.fn, counts.tn)
        rows.append((" ".join(str(int(label)) for label in labels), chance, *cells, charged, chance * charged))
    columns = ["Labels", "Probability", "TP", "FP", "FN", "TN", "Loss", "Product"]
    return pd.DataFrame(rows, columns=columns)
