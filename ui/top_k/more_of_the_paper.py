"""More of Natarajan et al. 2016: TP-monotone losses and joint labels."""

import numpy as np
import pandas as pd
import streamlit as st

from multiloss_core import FractionalLinear
from multiloss_core.losses import (
    NOT_MONOTONE,
    factor_loadings,
    is_tp_monotone,
    is_tpr_tnr_monotone,
    joint_distribution,
    meets_corrected_proposition_2,
    meets_proposition_2,
)
from multiloss_core.numerics import Floats
from ui.top_k.items import Settings, chosen_losses

ITEMS = 8
# It has c1 = 1 < d1 = 2 and rises with every true positive.
RISING = FractionalLinear((0.0, 1.0, 0.0, 0.0), (2.0, 2.0, 0.0, 0.0), "u / (2 + 2u)")
JOINT_ITEMS = 3
STRENGTH = 0.9


def monotone_losses(settings: Settings) -> None:
    """Show which losses meet which condition, with the correction of Proposition 2."""
    st.markdown(
        "**Which losses fall with every true positive?** Theorem 1 requires that (definition 1). By Proposition 3 it "
        "is enough that higher true positive and true negative rates cost less (definition 2). For a ratio of linear "
        "functions, Proposition 2 requires only *c₁ < d₁*. That is not enough: *u / (2 + 2u)* meets it and rises. The "
        "corrected condition is *c₁ (d₀ + d₂v + d₃p) < d₁ (c₀ + c₂v + c₃p)*.",
        width=860,
    )
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
    st.dataframe(
        pd.DataFrame({"Loss": [loss.name for loss in losses], **met}),
        hide_index=True,
        alt="Which losses meet which condition for Theorem 1.",
    )
    st.caption(f"Checked at every count of {ITEMS} items.")


def labels_drawn_together(probabilities: Floats) -> None:
    """Show the joint distribution of three labels, independent and with a common cause."""
    few = np.sort(probabilities)[::-1][:JOINT_ITEMS]
    st.markdown(
        f"**Labels that depend on each other.** The probability of every outcome of the {few.size} most probable "
        f"items: independent, and with a common cause of strength {STRENGTH:g} (a Gaussian copula with one factor). "
        "Each item keeps its own probability; only the joint distribution changes.",
        width=860,
    )
    outcomes = (np.arange(2**few.size)[:, np.newaxis] >> np.arange(few.size)) & 1
    joint = {
        name: joint_distribution(few, factor_loadings("all", few.size, strength))
        for name, strength in (("Independent", 0.0), ("Common cause", STRENGTH))
    }
    st.dataframe(
        pd.DataFrame({"Labels": [" ".join(map(str, labels)) for labels in outcomes], **joint}),
        hide_index=True,
        column_config={name: st.column_config.NumberColumn(format="%.4f") for name in joint},
        alt="The probability of every outcome with independent labels and with a common cause.",
    )
    st.caption("Probabilities of a positive label: " + ", ".join(f"{value:.4f}" for value in few) + ".")
