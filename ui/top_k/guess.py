"""Predict, then reveal: the student says which k she would flag before the optimum is shown."""

from collections.abc import Hashable
from typing import NamedTuple

import numpy as np
import streamlit as st

from multiloss_core.formatting import plural
from multiloss_core.numerics import Floats
from ui.shared.session import session
from ui.shared.url_params import UrlParameter

GUESS_KEY, K_KEY = "topk_guess", "topk_k"


class Guess(NamedTuple):
    """The k that was guessed, None where nobody is asked; whether the optimum may be shown."""

    k: int | None
    is_revealed: bool


def ask_guess(n: int, about: Hashable) -> Guess:
    """Ask for k of the items and the loss that `about` names, until *Show*; nothing where guessing is switched off."""
    asked = st.toggle(
        "Guess first",
        value=True,
        key=GUESS_KEY,
        bind="query-params",
        help="The optimum stays hidden until you have said which k you would take. Switch it off to see it at once.",
    )
    if not asked:
        return Guess(None, is_revealed=True)
    if int(st.session_state.get(K_KEY) or 0) > n:
        st.session_state[K_KEY] = n
    k = int(
        st.slider(
            "Which k? Flag so many of the most probable items",
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
    """Say what the guess and the optimum cost; `values` (n + 1,) are the expected losses of every k."""
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
            f"Your {k} costs an expected {loss_name} loss of {values[k]:.4f}, the optimum {values[best]:.4f}: "
            f"**{worse:.4f} more**."
        )
    st.markdown(words)


def first_items(probabilities: Floats, k: int) -> np.ndarray:
    """Find which items (n,) bool are the k most probable, equal ones in their order."""
    flagged = np.zeros(probabilities.size, dtype=bool)
    flagged[np.argsort(-probabilities, kind="stable")[:k]] = True
    return flagged


def _reveal(about: Hashable | None) -> None:
    session().top_k.revealed = about


IN_URL: UrlParameter[bool] = UrlParameter("topk_shown", lambda text: text == "true" or None, lambda _: "true")
