"""The expected loss by outcome; the optimum and the conditions of each loss."""

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from multiloss_core import FractionalLinear
from multiloss_core.figures import small_loss_curves, sorted_probabilities
from multiloss_core.formatting import short_loss
from multiloss_core.losses import (
    NOT_MONOTONE,
    Loss,
    is_tp_monotone,
    is_tpr_tnr_monotone,
    meets_corrected_proposition_2,
    meets_proposition_2,
    observed_counts,
    promised_counts,
)
from multiloss_core.numerics import Floats
from ui.shared.choices import ask_number
from ui.shared.formatting import AREA, COUNT, show_numbers
from ui.shared.page_setup import theme
from ui.shared.widgets import LOSS_CHOICES, show_chart, show_formula, shown_when_open
from ui.top_k.items import PART, Settings, chosen_losses, shown_items
from ui.top_k.optimum import Optimum, first_items, found_optimum, is_hidden

ITEMS = 8
# It has c1 = 1 < d1 = 2 and rises with every true positive.
RISING = FractionalLinear((0.0, 1.0, 0.0, 0.0), (2.0, 2.0, 0.0, 0.0), "u / (2 + 2u)")
OUTCOME = ("Labels", "Probability", "TP", "FP", "FN", "TN", "Loss", "Product")


@st.fragment(key=PART)
def expected_loss(settings: Settings) -> None:
    """Show the formula of the loss, and its mean over every outcome of three items."""
    probabilities = shown_items(settings)
    formula, outcomes = st.columns(2, gap="large")
    with formula:
        if is_hidden(settings):
            show_formula(settings.loss)
        else:
            top_k = found_optimum(probabilities, settings).top_k
            counts, expected = promised_counts(probabilities, top_k.selected), short_loss(top_k.expected_loss)
            relation = (
                "here the same number" if short_loss(counts.loss(settings.loss)) == expected else "another number"
            )
            about = (
                "The formula at the mean counts of the best prediction. The expected loss is the mean of the losses of "
                f"all outcomes, not the loss of the mean outcome: {expected}, {relation}."
            )
            show_formula(settings.loss, counts, about)
    with outcomes:
        eight_outcomes(probabilities, settings.loss)


def eight_outcomes(probabilities: Floats, loss: Loss) -> None:
    """Show every outcome of three items, its loss, and the mean loss."""
    few = spread_out(probabilities)
    st.markdown(
        "**Three items, eight outcomes**: the most probable, the middle and the least probable item, "
        f"{', '.join(map(short_loss, few))}. The loss of each outcome is weighted with its probability."
    )
    label = "How many of the three to flag"
    k = int(ask_number(st.slider, label, (0, few.size), 1, key="topk_by_hand", persist_state="session", width=360))
    show_numbers(
        outcome_table(few, loss, k),
        {**dict.fromkeys(("Probability", "Loss", "Product"), AREA), **dict.fromkeys(("TP", "FP", "FN", "TN"), COUNT)},
        alt="Every outcome of three items: its probability, the counts, the loss, and their product.",
    )
    expected = [sum(row["Product"] for row in outcome_table(few, loss, other)) for other in range(few.size + 1)]
    listed = ", ".join(f"{other}: {short_loss(value)}" for other, value in enumerate(expected))
    st.markdown(
        f"The products add up to the expected loss, **{short_loss(expected[k])}**. For every number flagged: {listed}. "
        f"The smallest is at **{int(np.argmin(expected))}**."
    )


def spread_out(probabilities: Floats) -> Floats:
    """Pick the largest, the middle and the smallest probability; of two items, both."""
    ordered = np.sort(probabilities)[::-1]
    return ordered[np.unique([0, ordered.size // 2, ordered.size - 1])]


def outcome_table(probabilities: Floats, loss: Loss, k: int) -> list[dict[str, Any]]:
    """List the outcomes of a few items with probability, counts, loss at k and their product."""
    rows = []
    for number in range(2**probabilities.size):
        labels = (number >> np.arange(probabilities.size)) & 1 == 1
        counts = observed_counts(first_items(probabilities, k), labels)
        chance, charged = float(np.prod(np.where(labels, probabilities, 1 - probabilities))), counts.loss(loss)
        cells = (counts.tp, counts.fp, counts.fn, counts.tn)
        row = " ".join(str(int(label)) for label in labels), chance, *cells, charged, chance * charged
        rows.append(dict(zip(OUTCOME, row, strict=True)))
    return rows


@st.fragment(key=PART)
def every_loss(settings: Settings) -> None:
    """Show the optimum and the expected loss of every k under each loss."""
    if is_hidden(settings):
        st.info("Press *Show* first.")
        return
    probabilities = shown_items(settings)
    optima = [found_optimum(probabilities, settings._replace(choice=choice)) for choice in LOSS_CHOICES]
    words, curves = st.columns([4, 5], gap="large")
    with words:
        show_numbers(
            [
                {
                    "Loss": name,
                    "k*": top_k.k,
                    "Cut": short_loss(top_k.cut) if top_k.k else "none",
                    "Expected loss": search.expected_loss,
                    "Is top-k": "yes" if search.is_top_k else "no",
                }
                for name, search, top_k in optima
            ],
            {"Expected loss": AREA},
            alt="The optimum under each loss: items flagged, probability of the last one, expected loss.",
        )
        st.caption(
            "*Is top-k*: of all predictions, tried without Theorem 1. Each loss has a scale of its own: different "
            "losses cannot be compared. AUC cannot choose a cut: it counts only pairs in which the negative is flagged "
            "and the positive is not. With half a mistake for each pair treated alike, it becomes AM."
        )
    listed = ", ".join(f"k = {top_k.k} for {name}" for name, _, top_k in optima)
    show_chart(
        small_loss_curves({name: search.top_k_values for name, search, _ in optima}, theme=theme()),
        key="topk_small_curves",
        alt=f"The expected loss against k under each loss, smallest at {listed}.",
        place=curves,
    )
    best_predictions(probabilities, optima)


@shown_when_open("The best prediction under each loss", key="topk_best_predictions", icon=":material/bar_chart:")
def best_predictions(probabilities: Floats, optima: list[Optimum]) -> None:
    """Draw the items flagged under each loss, as figure 1 of the paper does."""
    places = [column for _ in range(0, len(optima), 4) for column in st.columns(4)]
    for place, (name, search, top_k) in zip(places, optima, strict=False):
        title = f"{name}: k* = {top_k.k}"
        show_chart(
            sorted_probabilities(probabilities, search.best, title=title, theme=theme(), height=180, small=True),
            key=f"topk_small_{name}",
            alt=f"The best prediction under {name} flags {int(search.best.sum())} items.",
            place=place,
        )


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
