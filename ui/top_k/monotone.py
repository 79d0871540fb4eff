"""The conditions for Theorem 1 that a loss meets (Natarajan et al. 2016)."""

import pandas as pd
import streamlit as st

from multiloss_core import FractionalLinear
from multiloss_core.losses import (
    NOT_MONOTONE,
    is_tp_monotone,
    is_tpr_tnr_monotone,
    meets_corrected_proposition_2,
    meets_proposition_2,
)
from ui.top_k.items import Settings, chosen_losses

ITEMS = 8
# It has c1 = 1 < d1 = 2 and rises with every true positive.
RISING = FractionalLinear((0.0, 1.0, 0.0, 0.0), (2.0, 2.0, 0.0, 0.0), "u / (2 + 2u)")


def monotone_losses(settings: Settings) -> None:
    """Show which losses meet which condition, with the correction of Proposition 2."""
    text, table = st.columns([2, 3], gap="large")
    text.markdown(
        "Theorem 1 requires it (definition 1). By Proposition 3 it is enough that higher true positive and true "
        "negative rates cost less (definition 2). For a ratio of linear functions, Proposition 2 requires only *c₁ < "
        "d₁*. That is not enough: *u / (2 + 2u)* meets it and rises. The corrected condition is *c₁ (d₀ + d₂v + d₃p) < "
        "d₁ (c₀ + c₂v + c₃p)*."
    )
    text.caption(f"Checked at every count of {ITEMS} items.")
    losses = [*chosen_losses(settings.beta).values(), RISING, *(example.loss for example in NOT_MONOTONE.values())]
    forms = [loss.fractional_linear for loss in losses]
    words = {True: "yes", False: "no", None: "not such a ratio"}
    columns: dict[str, list[bool | None]] = {
        "Definition 1": [is_tp_monotone(loss, ITEMS) for loss in losses],
        "Definition 2": [is_tpr_tnr_monotone(loss, ITEMS) for loss in losses],
        "Proposition 2": [None if form is None else meets_proposition_2(form) for form in forms],
        "Corrected": [None if form is None else meets_corrected_proposition_2(form, ITEMS) for form in forms],
    }
    met = {title: [words[one] for one in column] for title, column in columns.items()}
    table.dataframe(
        pd.DataFrame({"Loss": [loss.name for loss in losses], **met}),
        hide_index=True,
        alt="Which losses meet which condition for Theorem 1.",
    )
