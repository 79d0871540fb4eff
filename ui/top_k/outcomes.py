"""An expected loss worked out by hand: three items, eight outcomes."""

import numpy as np
import pandas as pd
import streamlit as st

from multiloss_core.losses import Loss, observed_counts
from multiloss_core.numerics import Floats
from ui.shared.lazy_section import shown_when_open
from ui.shared.url_params import ask_number
from ui.top_k.guess import first_items

ITEMS = 3


@shown_when_open("An expected loss by hand: three items, eight outcomes", key="topk_outcomes")
def eight_outcomes(probabilities: Floats, loss: Loss) -> None:
    """Show every outcome of three items, what it costs to flag some of them, and the mean of that."""
    few = spread_out(probabilities)
    st.markdown(
        f"Nobody knows the labels beforehand. So the {loss.name} loss is worked out for every outcome, and the mean "
        "weighs each by how likely it is. The three items are the most probable, the middle and the least probable "
        f"one: {', '.join(f'{value:.4f}' for value in few)}.",
        width=860,
    )
    k = ask_number(st.slider, "How many of the three to flag", (0, few.size), 1, key="topk_by_hand", width=360)
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
    """List the outcomes of a few items: probability, counts and loss of flagging the k most probable, their product."""
    rows = []
    for number in range(2**probabilities.size):
        labels = (number >> np.arange(probabilities.size)) & 1 == 1
        counts = observed_counts(first_items(probabilities, k), labels)
        chance, charged = float(np.prod(np.where(labels, probabilities, 1 - probabilities))), counts.loss(loss)
        cells = (counts.tp, counts.fp, counts.fn, counts.tn)
        rows.append((" ".join(str(int(label)) for label in labels), chance, *cells, charged, chance * charged))
    columns = ["Labels", "Probability", "TP", "FP", "FN", "TN", "Loss", "Product"]
    return pd.DataFrame(rows, columns=columns)
