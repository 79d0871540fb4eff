"""Losses by the names that the user chooses from, beta of F, and what a loss charges for."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from multiloss_core import LOSSES, F
from multiloss_core.losses import ConfusionMatrix, Loss, formula_with_numbers, has_empty_rate, loss_formula
from ui.shared.page_setup import write_style
from ui.shared.url_params import ask_number

# "F" instead of "F1": a link to it stays right whatever beta is. The four of the paper's figure 1 come first.
LOSS_CHOICES = tuple("F" if isinstance(loss, F) else name for name, loss in LOSSES.items())


def named_loss(choice: str, beta: float) -> Loss:
    """Find the loss of a choice, F with its beta."""
    return F(beta) if choice == "F" else LOSSES[choice]


def ask_beta(place: DeltaGenerator, key: str) -> float:
    """Ask for beta of F, within 0.1 to 10."""
    hint = "How many times recall counts as much as precision. 1 is the usual F1."
    return ask_number(place.number_input, "Beta of F", (0.1, 10.0), 1.0, 0.1, key=key, help=hint)


def show_formula(loss: Loss, counts: ConfusionMatrix | None = None, about: str = "") -> None:
    """Say what a loss charges for, with its formula in counts and in rates, and with `counts`, which are `about`."""
    formula = loss_formula(loss)
    # Numerators reach above the line that Streamlit cuts formulas off at.
    write_style(".katex-display { padding-block: 0.4em; }")
    st.markdown(f"**{loss.name}**: {formula.sentence}", width=860)
    in_counts, in_rates = st.columns(2)
    with in_counts:
        st.latex(rf"\text{{loss}} = {formula.in_counts}")
        st.caption("TP, FP: flagged rightly and wrongly. FN: missed. TN: rightly left alone.")
    with in_rates:
        st.latex(rf"\phi(u, v, p) = {formula.in_rates}")
        st.caption("The same in shares of all items: u = TP, v flagged (TP + FP), p positive (TP + FN).")
    if counts is None:
        return
    st.latex(rf"\text{{loss}} = {formula_with_numbers(loss, counts)}")
    empty = " A rate over nothing (0/0) counts as 1." if has_empty_rate(loss, counts) else ""
    st.caption(f"{about}{empty}", width=860)
