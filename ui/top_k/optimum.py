"""Theorem 1 on the items: the optimum under each loss, found with and without the theorem."""

from collections.abc import Mapping
from typing import NamedTuple

import pandas as pd
import streamlit as st

from multiloss_core import TopK, optimal_top_k
from multiloss_core.figures import CurveMark, all_predictions, loss_curve, small_loss_curves, sorted_probabilities
from multiloss_core.losses import ExhaustiveSearch, promised_counts, search_subsets, subset_distributions
from multiloss_core.numerics import Floats
from ui.shared.lazy_section import shown_when_open
from ui.shared.loss_picker import LOSS_CHOICES, named_loss, show_formula
from ui.shared.page_setup import room, theme
from ui.top_k.guess import ask_guess, first_items, show_guess
from ui.top_k.items import current_items, show_items
from ui.top_k.outcomes import eight_outcomes
from ui.top_k.settings import Settings, chosen_losses

# In pixels, of the bars and what belongs to them.
ITEMS_HEIGHT = 421


class Optimum(NamedTuple):
    """What is known about one loss: its name, all 2^n predictions, the best top-k prediction."""

    name: str
    search: ExhaustiveSearch
    top_k: TopK


@st.fragment
def explore_items(settings: Settings) -> None:
    """Show the items and what is best for them; only this part runs again when a bar was dragged."""
    probabilities = current_items(settings)
    is_revealed = one_loss(settings, probabilities)
    if is_revealed:
        optima = found_optima(probabilities, settings.beta)
        optimum_table(optima)
        every_loss(probabilities, optima)


def one_loss(settings: Settings, probabilities: Floats) -> bool:
    """Show the items, the question which k, and once that is answered the optimum under one loss; return whether."""
    st.subheader("Which k?")
    # The answer colours the bars, so the place of the bars is taken before and filled after.
    with room("topk_items", ITEMS_HEIGHT):
        bars, controls = st.columns([3, 2], gap="large")
    with controls:
        choice = st.selectbox("Loss", LOSS_CHOICES, index=1, key="topk_loss", bind="query-params")
        loss = named_loss(choice, settings.beta)
        guess = ask_guess(probabilities.size, (*settings[:3], loss.name))
        if guess.is_revealed:
            found = found_optimum(probabilities, choice, settings.beta)
            top_k = found.top_k
            if guess.k is not None:
                show_guess(guess.k, found.search.top_k_values, top_k.k, loss.name)
            else:
                st.metric("Optimum k*", f"{top_k.k}", border=True)
                st.markdown(f"Expected {loss.name} loss **{top_k.expected_loss:.4f}**, the smallest of every k.")
    with bars:
        if guess.is_revealed:
            show_items(settings, probabilities, found.search.best, f"The best prediction under {loss.name}")
        else:
            title = f"Your guess: flag {guess.k}"
            show_items(settings, probabilities, first_items(probabilities, guess.k or 0), title)
    if guess.is_revealed:
        counts = promised_counts(probabilities, top_k.selected)
        about = (
            f"The formula at the mean counts of the best prediction. The expected loss, {top_k.expected_loss:.4f}, is "
            "another number: the mean of the losses of all outcomes, not the loss of the mean outcome."
        )
        show_formula(loss, counts, about)
    else:
        show_formula(loss)
    eight_outcomes(probabilities, loss)
    if guess.is_revealed:
        show_predictions(probabilities, found, guess.k)
    return guess.is_revealed


def show_predictions(probabilities: Floats, found: Optimum, guessed: int | None) -> None:
    """Draw the expected loss of every k beside all predictions as dots."""
    name, search, top_k = found
    marks = [CurveMark("optimum k*", top_k.k, "star")]
    if guessed is not None and guessed != top_k.k:
        marks.append(CurveMark("your guess", guessed, "x"))
    curve_column, dots_column = st.columns(2)
    curve_column.plotly_chart(
        loss_curve(search.top_k_values, marks, loss_name=name, theme=theme()),
        key="topk_curve",
        alt=f"The expected {name} loss of flagging the k most probable items, against k. It is smallest, "
        f"{top_k.expected_loss:.4f}, at k* = {top_k.k}.",
        theme=None,
    )
    figure = all_predictions(search, probabilities, loss_name=name, theme=theme())
    dots_column.plotly_chart(
        figure,
        key="topk_all",
        alt=f"The expected {name} loss of all {2**probabilities.size:,} predictions by how many items they "
        f"flag. The smallest is {search.expected_loss:.4f}, at k = {top_k.k}.",
        theme=None,
    )
    drawn, predictions = figure.layout.meta["drawn"], figure.layout.meta["predictions"]
    if drawn < predictions:
        dots_column.caption(f"{drawn:,} of {predictions:,} dots drawn; the others lie hidden behind them.")


def found_optima(probabilities: Floats, beta: float) -> dict[str, Optimum]:
    """Find all predictions and the best top-k set under each loss."""
    return {choice: found_optimum(probabilities, choice, beta) for choice in chosen_losses(beta)}


def found_optimum(probabilities: Floats, choice: str, beta: float) -> Optimum:
    """Find all predictions and the best top-k set under one loss."""
    loss = named_loss(choice, beta)
    search = _search(tuple(probabilities.tolist()), choice, beta)
    return Optimum(loss.name, search, optimal_top_k(probabilities, loss))


@st.cache_data(max_entries=64, show_spinner=False)
def _search(probabilities: tuple[float, ...], choice: str, beta: float) -> ExhaustiveSearch:
    return search_subsets(subset_distributions(probabilities), named_loss(choice, beta))


def optimum_table(optima: Mapping[str, Optimum]) -> None:
    """Show the optimum under each loss as a table."""
    st.subheader("The optimum under each loss")
    found = optima.values()
    st.dataframe(
        pd.DataFrame(
            {
                "loss": [optimum.name for optimum in found],
                "k": [optimum.top_k.k for optimum in found],
                "cut": [f"{optimum.top_k.cut:.4f}" if optimum.top_k.k else "none" for optimum in found],
                "expected_loss": [optimum.search.expected_loss for optimum in found],
                "is_top_k": ["yes" if optimum.search.is_top_k else "no" for optimum in found],
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
        "AUC counts only pairs in which the negative is flagged and the positive is not. Who flags nothing makes no "
        "such mistake, so AUC cannot choose a cut. With half a mistake for each pair treated alike, it becomes AM."
    )


@shown_when_open("The same items under all seven losses", key="topk_every_loss")
def every_loss(probabilities: Floats, optima: Mapping[str, Optimum]) -> None:
    """Show the best prediction and the expected loss of every k under each loss, small."""
    st.caption("P(Y = 1 | x) of each item, largest first. Strong colour: predicted positive.")
    places = [*st.columns(4), *st.columns(4)]
    for place, (name, search, top_k) in zip(places, optima.values(), strict=False):
        place.plotly_chart(
            sorted_probabilities(
                probabilities,
                search.best,
                title=f"{name}: k* = {top_k.k}",
                theme=theme(),
                height=180,
                small=True,
            ),
            key=f"topk_small_{name}",
            alt=f"The best prediction under {name} flags {int(search.best.sum())} items.",
            theme=None,
            config={"displayModeBar": False},
        )
    st.plotly_chart(
        small_loss_curves({name: search.top_k_values for name, search, _ in optima.values()}, theme=theme()),
        key="topk_small_curves",
        alt="The expected loss against k under each loss, smallest at "
        + ", ".join(f"k = {top_k.k} for {name}" for name, _, top_k in optima.values())
        + ".",
        theme=None,
        config={"displayModeBar": False},
    )
    st.caption("Each loss has a scale of its own: different losses cannot be compared with each other.")
