"""Settings and items of the Top-k page, drawn or typed."""

import math
import re
from typing import NamedTuple

import numpy as np
import streamlit as st

from multiloss_core import DataError
from multiloss_core.figures import sorted_probabilities
from multiloss_core.formatting import shortened
from multiloss_core.losses import Loss, sigmoid_items
from multiloss_core.numerics import Bools, Floats, written_number
from ui.shared.formatting import as_text
from ui.shared.page_setup import room, theme
from ui.shared.session import OwnItems, session
from ui.shared.url_params import UrlParameter, ask_number
from ui.shared.widgets import LOSS_CHOICES, ask_beta, lesson_plan, named_loss
from ui.top_k.bars import probability_bars

# Key, label; lowest, highest, default and step; help.
NUMBERS = (
    ("topk_n", "Items (n)", (2, 14, 10, 1), "2 to 14: all 2ⁿ predictions are tried."),
    ("topk_seed", "Random seed", (0, 1_000_000, 70, 1), "Determines the drawn items."),
    (
        "topk_scale",
        "Scale of w",
        (0.0, 10.0, 1.0, 0.5),
        "The certainty of labels: at 0 every probability is 1/2, at large values most are near 0 or 1. "
        "P(Y = 1 | x) = 1 / (1 + exp(-w·x)); x and w are drawn from the standard Gaussian in the plane, and w is "
        "multiplied by this.",
    ),
)
# Pixels of a box with its label.
NUMBER_HEIGHT = 68
PLAIN_KEY, TYPED_KEY = "plain", "topk_typed"
MAX_ITEMS, MAX_TEXT = 14, 400
DIGITS = 4


class Settings(NamedTuple):
    """The checked choices: `n` items, the random `seed`, the `scale` of w, `beta` of F."""

    n: int
    seed: int
    scale: float
    beta: float


def introduction() -> None:
    """Show the title and the theorem."""
    st.title("Top-k: sort, then cut")
    st.markdown(
        "Which of *n* alerts should be flagged when the probability of fraud is known for each? There are 2ⁿ choices, "
        "but *n* + 1 of them suffice. **Theorem 1**: if alerts are independent and the loss falls with every true "
        "positive, it is best to sort by probability and flag the first *k*; only *k* depends on the loss. This page "
        "tries all 2ⁿ choices to show it.",
        width=860,
    )
    lesson_plan()


def chosen_settings() -> Settings:
    """Ask for n, seed, scale and beta."""
    with room("topk_settings", NUMBER_HEIGHT):
        *columns, beta_column = st.columns(4, vertical_alignment="bottom")
    n, seed, scale = (
        ask_number(column.number_input, label, limits[:2], *limits[2:], key=key, help=hint)
        for column, (key, label, limits, hint) in zip(columns, NUMBERS, strict=True)
    )
    return Settings(int(n), int(seed), scale, ask_beta(beta_column, "topk_beta"))


@st.cache_data(max_entries=64, show_spinner=False)
def drawn_probabilities(n: int, seed: int, scale: float) -> Floats:
    """Draw the items' probabilities (n,), the most probable first."""
    return np.sort(sigmoid_items(np.random.default_rng(seed), n=n, scale=scale).probabilities)[::-1]


def chosen_losses(beta: float) -> dict[str, Loss]:
    """Make the seven losses of Table 1, F with the chosen beta."""
    return {choice: named_loss(choice, beta) for choice in LOSS_CHOICES}


def current_items(settings: Settings) -> Floats:
    """Return the probabilities (n,) of the items: from the URL, edited, or drawn."""
    draw = _draw_of(settings)
    asked = IN_URL.asked(if_gone=())
    own = session().top_k.own if asked is None else OwnItems(draw, asked) if asked else None
    if own is not None and (own.draw != draw or len(own.probabilities) != settings.n):
        own = None
    session().top_k.own = own
    if own is None:
        IN_URL.show(None)
        return drawn_probabilities(settings.n, settings.seed, settings.scale)
    IN_URL.show(own.probabilities)
    return np.array(own.probabilities)


def show_items(settings: Settings, probabilities: Floats, flagged: Bools, title: str) -> None:
    """Draw the items as draggable bars, emphasise those `flagged` (n,), and ask for inputs."""
    bars = st.container()
    is_plain = _ask_plain(settings, probabilities)
    with bars:
        if is_plain:
            st.plotly_chart(
                sorted_probabilities(probabilities, flagged, title=title, theme=theme(), height=380),
                key="topk_sorted",
                alt=f"The {probabilities.size} probabilities as bars, largest first. {title}: {flagged.sum()} items.",
                theme=None,
            )
        else:
            probability_bars(
                probabilities,
                flagged,
                title=title,
                about=str(_draw_of(settings)),
                on_moved=lambda moved: _set_items(settings, moved),
            )


def _ask_plain(settings: Settings, probabilities: Floats) -> bool:
    """Offer to type or reset the probabilities; return whether a plain chart is wanted."""
    typing, back, plain = st.columns(3, vertical_alignment="center")
    with typing.popover("Type them", icon=":material/keyboard:", width="stretch"):
        complaint = session().top_k.complaint
        if complaint is None:
            st.session_state[TYPED_KEY] = ", ".join(f"{value:.{DIGITS}g}" for value in probabilities)
        st.text_input(
            f"Probabilities of the {settings.n} items",
            key=TYPED_KEY,
            max_chars=MAX_TEXT,
            on_change=_set_typed,
            args=(settings,),
            help=f"{settings.n} numbers from 0 to 1, with commas or spaces between them.",
        )
        if complaint is not None:
            st.error(as_text(complaint), icon=":material/error:")
    back.button(
        "Back to the draw",
        disabled=session().top_k.own is None,
        width="stretch",
        key="topk_drawn",
        on_click=_forget_own,
    )
    return plain.toggle(
        "Plain chart",
        key=PLAIN_KEY,
        bind="query-params",
        help="A static chart instead of draggable bars, for example for screen readers.",
    )


def _set_typed(settings: Settings) -> None:
    try:
        _set_items(settings, typed_probabilities(str(st.session_state[TYPED_KEY]), settings.n))
    except DataError as error:
        session().top_k.complaint = str(error)


def typed_probabilities(text: str, n: int) -> tuple[float, ...]:
    """Parse n probabilities. Raises DataError that names the first invalid one."""
    words = [word for word in re.split(r"[,;\s]+", text) if word]
    values = [_probability(word) for word in words]
    way_out = f"type {n} numbers from 0 to 1, with commas between them."
    for place, (word, value) in enumerate(zip(words, values, strict=True), 1):
        if value is None:
            raise DataError(f"Probability {place} is '{shortened(word, 20)}'; {way_out}")
    if len(words) != n:
        raise DataError(f"There are {len(words)} probabilities for {n} items; {way_out}")
    return tuple(value for value in values if value is not None)


def _set_items(settings: Settings, probabilities: tuple[float, ...]) -> None:
    session().top_k.own = OwnItems(_draw_of(settings), tuple(round(value, DIGITS) for value in probabilities))
    session().top_k.complaint = None


def _draw_of(settings: Settings) -> tuple[float, ...]:
    return settings[:3]


def _forget_own() -> None:
    session().top_k.own = session().top_k.complaint = None


def _probability(word: str) -> float | None:
    try:
        value = written_number(word)
    except ValueError:
        return None
    return value if math.isfinite(value) and 0 <= value <= 1 else None


def _read(text: str) -> tuple[float, ...] | None:
    """Parse the probabilities of a URL; return None for invalid ones."""
    if len(text) > MAX_TEXT or not 2 <= (n := text.count(",") + 1) <= MAX_ITEMS:
        return None
    try:
        return typed_probabilities(text, n)
    except DataError:
        return None


IN_URL: UrlParameter[tuple[float, ...]] = UrlParameter(
    "topk_p", _read, lambda probabilities: ",".join(f"{value:.{DIGITS}g}" for value in probabilities)
)
