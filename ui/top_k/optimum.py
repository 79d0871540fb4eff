"""Theorem 1 on a few items: guess k, enumerate outcomes, find the optimum of each loss."""

from collections.abc import Hashable, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from multiloss_core import TopK, optimal_top_k
from multiloss_core.figures import CurveMark, all_predictions, loss_curve, small_loss_curves, sorted_probabilities
from multiloss_core.formatting import plural
from multiloss_core.losses import (
    ExhaustiveSearch,
    Loss,
    observed_counts,
    promised_counts,
    search_subsets,
    subset_distributions,
)
from multiloss_core.numerics import Floats
from ui.shared.page_setup import room, theme
from ui.shared.session import session
from ui.shared.url_params import UrlParameter, ask_number
from ui.shared.widgets import LOSS_CHOICES, named_loss, show_formula, shown_when_open
from ui.top_k.items import Settings, chosen_losses, current_items, show_items

GUESS_KEY, K_KEY = "topk_guess", "topk_k"
IN_URL: UrlParameter[bool] = UrlParameter("topk_shown", lambda text: text == "true" or None, lambda _: "true")
# Pixels of the bars with their inputs.
ITEMS_HEIGHT = 421


class Guess(NamedTuple):
    """The guessed k, None without guessing, and whether the optimum is revealed."""

    k: int | None
    is_revealed: bool


def ask_guess(n: int, about: Hashable) -> Guess:
    """Ask for k until *Show*, unless guessing is off; `about` identifies the items and the loss."""
    asked = st.toggle(
        "Guess first",
        value=True,
        key=GUESS_KEY,
        bind="query-params",
        help="Hide the optimum until you have chosen a k. Switch off to see it at once.",
    )
    if not asked:
        return Guess(None, is_revealed=True)
    if int(st.session_state.get(K_KEY) or 0) > n:
        st.session_state[K_KEY] = n
    k = int(
        st.slider(
            "Which k? Number of most probable items to flag",
            0,
            n,
            key=K_KEY,
            bind="query-params",
            persist_state="session",
        )
    )
    if IN_URL.asked(if_gone=False):
        session().top_k.revealed = about
    is_revealed = session().top_k.revealed == about
    IN_URL.show(True if is_revealed else None)
    st.button(
        "Guess again" if is_revealed else "Show",
        key="topk_show",
        type="secondary" if is_revealed else "primary",
        width="stretch",
        on_click=_reveal,
        args=(None if is_revealed else about,),
    )
    return Guess(k, is_revealed)


def show_guess(k: int, values: Floats, best: int, loss_name: str) -> None:
    """Compare the guess with the optimum; `values` (n + 1,) are the expected losses of every k."""
    mine, optimum = st.columns(2)
    mine.metric("Your k", f"{k}", border=True)
    optimum.metric("Optimum k*", f"{best}", border=True)
    worse = float(values[k] - values[best])
    if k == best:
        words = f"**Right.** Flagging {plural(k, 'item')} has the smallest expected {loss_name} loss, {values[k]:.4f}."
    elif worse < 5e-5:
        words = f"**As good as the optimum**: expected {loss_name} loss {values[k]:.4f} with either."
    else:
        words = (
            f"The expected {loss_name} loss of your {k} is {values[k]:.4f}, of the optimum {values[best]:.4f}: "
            f"**{worse:.4f} more**."
        )
    st.markdown(words)


def first_items(probabilities: Floats, k: int) -> np.ndarray:
    """Flag (n,) bool the k most probable items, ties in their order."""
    flagged = np.zeros(probabilities.size, dtype=bool)
    flagged[np.argsort(-probabilities, kind="stable")[:k]] = True
    return flagged


def _reveal(about: Hashable | None) -> None:
    session().top_k.revealed = about


@shown_when_open("An expected loss step by step: three items, eight outcomes", key="topk_outcomes")
def eight_outcomes(probabilities: Floats, loss: Loss) -> None:
    """Show every outcome of three items, its loss, and the mean loss."""
    few = spread_out(probabilities)
    st.markdown(
        f"The labels are unknown beforehand. So the {loss.name} loss is calculated for every outcome and weighted with "
        "its probability. The three items are the most probable, the middle and the least probable one: "
        f"{', '.join(f'{value:.4f}' for value in few)}.",
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


class Optimum(NamedTuple):
    """The name of a loss, all its 2^n predictions and the best top-k prediction."""

    name: str
    search: ExhaustiveSearch
    top_k: TopK


@st.fragment
def explore_items(settings: Settings) -> None:
    """Show the items and their optima; only this fragment runs again after a drag."""
    probabilities = current_items(settings)
    is_revealed = one_loss(settings, probabilities)
    if is_revealed:
        optima = found_optima(probabilities, settings.beta)
        optimum_table(optima)
        every_loss(probabilities, optima)


def one_loss(settings: Settings, probabilities: Floats) -> bool:
    """Show the items, ask for k, and show the optimum; return whether it is revealed."""
    st.subheader("Which k?")
    # Fill the bars last: the guess below colours them.
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
        "AUC counts only pairs in which the negative is flagged and the positive is not. Flagging nothing makes no "
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
