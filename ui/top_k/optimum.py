"""The first screen: bars, k*, the loss of every k and all 2^n predictions, or a guess of k."""

from typing import NamedTuple

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from multiloss_core import TopK, optimal_top_k
from multiloss_core.figures import CurveMark, all_predictions, loss_curve
from multiloss_core.formatting import plural, short_loss
from multiloss_core.losses import ExhaustiveSearch, search_subsets, subset_distributions
from multiloss_core.numerics import Bools, Floats
from ui.shared.choices import UrlParameter, choose, chosen, in_url
from ui.shared.page_setup import theme
from ui.shared.session import session
from ui.shared.widgets import named_loss, show_chart
from ui.top_k.items import (
    CHART_HEIGHT,
    FIRST_SCREEN,
    GUESS_KEY,
    Settings,
    ask_options,
    current_items,
    show_items,
    update_part,
)

K_KEY = "topk_k"
IN_URL: UrlParameter[bool] = UrlParameter("topk_shown", lambda text: text == "true" or None, lambda _: "true")


class Optimum(NamedTuple):
    """The name of a loss, all its 2^n predictions and the best top-k prediction."""

    name: str
    search: ExhaustiveSearch
    top_k: TopK


@st.fragment(key=FIRST_SCREEN)
def explore_items(settings: Settings, options: DeltaGenerator) -> None:
    """Show the items and their optimum; only this fragment runs again after a drag."""
    probabilities = current_items(settings)
    ask_options(options, settings, probabilities)
    is_guessed = bool(chosen(GUESS_KEY))
    with st.container(key="topk_answer"):
        *places, words = st.columns([2, 1, 1, 5] if is_guessed else [1, 5], vertical_alignment="center")
    with st.container(key="topk_items"):
        bars, curve, dots = st.columns([5, 4, 4])
    guessed = ask_guess(settings, *places[:2]) if is_guessed else None
    if is_hidden(settings):
        with bars:
            show_items(settings, probabilities, first_items(probabilities, guessed or 0), f"Your guess: flag {guessed}")
        words.markdown("*Show* adds the optimum, the loss of every *k* and all predictions.")
        return
    found = found_optimum(probabilities, settings)
    places[-1].metric("Optimum k*", f"{found.top_k.k}")
    words.markdown(answer_in_words(found) if guessed is None else guess_in_words(guessed, found))
    show_curve(curve, found, guessed)
    show_predictions(dots, found, probabilities)
    # Last: after the bars the browser sends its next move, which may interrupt this run.
    with bars:
        show_items(settings, probabilities, found.search.best, f"The best prediction under {found.name}")


def ask_guess(settings: Settings, place: DeltaGenerator, button_place: DeltaGenerator) -> int:
    """Ask for k, and for *Show* to reveal the optimum."""
    if int(chosen(K_KEY) or 0) > settings.n:
        choose(K_KEY, settings.n)
    label = "Which k? Number to flag"
    k = place.slider(label, 0, settings.n, **in_url(K_KEY), persist_state="session")
    if IN_URL.asked(if_gone=False):
        session().top_k.revealed = settings
    hidden = is_hidden(settings)
    IN_URL.show(None if hidden else True)
    button_place.button(
        "Show" if hidden else "Guess again",
        key="topk_show",
        type="primary" if hidden else "secondary",
        width="stretch",
        on_click=_reveal,
        args=(settings if hidden else None,),
    )
    return int(k)


def is_hidden(settings: Settings) -> bool:
    """Return whether the optimum is hidden until a k is guessed."""
    return bool(chosen(GUESS_KEY)) and session().top_k.revealed != settings


def answer_in_words(found: Optimum) -> str:
    """Describe the optimum and its expected loss."""
    k = found.top_k.k
    flagged = (
        f"the **{plural(k, 'most probable alert')}**, down to **{short_loss(found.top_k.cut)}**" if k else "**none**"
    )
    return (
        f"Flag {flagged}: expected {found.name} loss **{short_loss(found.search.expected_loss)}**, the smallest of all "
        f"{found.search.values.size:,} predictions."
    )


def guess_in_words(k: int, found: Optimum) -> str:
    """Compare a guessed k with the optimum."""
    values, name = found.search.top_k_values, found.name
    worse, loss = float(values[k] - values[found.top_k.k]), short_loss(values[k])
    if k == found.top_k.k:
        return f"**Right.** Flagging {plural(k, 'item')} has the smallest expected {name} loss, {loss}."
    if worse < 5e-5:
        return f"**As good as the optimum**: expected {name} loss {loss} with either."
    return f"Your {k} has an expected {name} loss of {loss}: **{short_loss(worse)} more** than the optimum."


def first_items(probabilities: Floats, k: int) -> Bools:
    """Flag (n,) the k most probable items, ties in their order."""
    flagged = np.zeros(probabilities.size, dtype=bool)
    flagged[np.argsort(-probabilities, kind="stable")[:k]] = True
    return flagged


def _reveal(settings: Settings | None) -> None:
    session().top_k.revealed = settings
    update_part()


def show_curve(place: DeltaGenerator, found: Optimum, guessed: int | None) -> None:
    """Draw the expected loss of every k, with the optimum and the guess."""
    name, search, top_k = found
    marks = [CurveMark("optimum k*", top_k.k, "star")]
    if guessed is not None and guessed != top_k.k:
        marks.append(CurveMark("your guess", guessed, "x"))
    figure = loss_curve(search.top_k_values, marks, loss_name=name, theme=theme(), height=CHART_HEIGHT)
    figure.update_xaxes(dtick=1 if search.top_k_values.size <= 11 else 2)
    show_chart(
        figure,
        key="topk_curve",
        alt=f"The expected {name} loss of flagging the k most probable items, against k. It is smallest, "
        f"{short_loss(top_k.expected_loss)}, at k* = {top_k.k}.",
        place=place,
    )


def show_predictions(place: DeltaGenerator, found: Optimum, probabilities: Floats) -> None:
    """Draw all predictions as dots."""
    name, search, top_k = found
    figure = all_predictions(search, probabilities, loss_name=name, theme=theme(), height=CHART_HEIGHT)
    show_chart(
        figure,
        key="topk_all",
        alt=f"The expected {name} loss of all {search.values.size:,} predictions by how many items they "
        f"flag. The smallest is {short_loss(search.expected_loss)}, at k = {top_k.k}.",
        place=place,
    )
    drawn, predictions = figure.layout.meta["drawn"], figure.layout.meta["predictions"]
    if drawn < predictions:
        place.caption(f"{drawn:,} of {predictions:,} dots drawn; the others lie hidden behind them.")


def found_optimum(probabilities: Floats, settings: Settings) -> Optimum:
    """Find all predictions and the best top-k set under the loss of the settings."""
    search = _search(tuple(probabilities.tolist()), settings.choice, settings.beta)
    return Optimum(settings.loss.name, search, optimal_top_k(probabilities, settings.loss))


@st.cache_data(max_entries=64, show_spinner=False)
def _search(probabilities: tuple[float, ...], choice: str, beta: float) -> ExhaustiveSearch:
    return search_subsets(subset_distributions(probabilities), named_loss(choice, beta))
