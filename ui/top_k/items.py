"""Settings and items of the Top-k page, drawn or typed."""

import math
import re
from typing import NamedTuple

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from multiloss_core import DataError
from multiloss_core.figures import sorted_probabilities
from multiloss_core.formatting import shortened
from multiloss_core.losses import Loss, sigmoid_items
from multiloss_core.numerics import Bools, Floats, written_number
from ui.shared.choices import UrlParameter, ask_number, choose, chosen, in_url
from ui.shared.formatting import as_text
from ui.shared.page_setup import theme
from ui.shared.session import OwnItems, session
from ui.shared.widgets import LOSS_CHOICES, ask_beta, named_loss, show_chart
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
# Pixels of each chart of the first screen.
CHART_HEIGHT = 400
PLAIN_KEY, TYPED_KEY, GUESS_KEY = "plain", "topk_typed", "topk_guess"
# Keys of two fragments: the first screen, and the open part below it if it shows the items.
FIRST_SCREEN, PART = "topk_first_screen", "topk_part"
MAX_ITEMS, MAX_TEXT = 14, 400
DIGITS = 4


class Settings(NamedTuple):
    """The checked choices: `n` items, the random `seed`, `scale` of w, `beta` of F, the loss."""

    n: int
    seed: int
    scale: float
    beta: float
    choice: str = "F"

    @property
    def draw(self) -> tuple[float, ...]:
        """The settings of the drawn items."""
        return self[:3]

    @property
    def loss(self) -> Loss:
        """The chosen loss."""
        return named_loss(self.choice, self.beta)


def introduction() -> None:
    """Show the title, the model and the theorem."""
    st.title("Top-k: sort, then cut")
    st.markdown(
        "How many of these alerts should be flagged? **Theorem 1**: with independent labels and a loss that falls with "
        "every true positive, the best of all 2ⁿ predictions flags the *k* most probable alerts. Drag a bar to try all "
        "again."
    )


def chosen_settings() -> tuple[Settings, DeltaGenerator]:
    """Ask for loss, beta, n, seed and scale; return them and their row."""
    with st.container(key="topk_settings"):
        row = st.container(horizontal=True, vertical_alignment="bottom")
    choice = row.selectbox("Loss", LOSS_CHOICES, index=1, **in_url("topk_loss"))
    beta = ask_beta(row, "topk_beta")
    n, seed, scale = (
        ask_number(row.number_input, label, limits[:2], *limits[2:], key=key, help=hint)
        for key, label, limits, hint in NUMBERS
    )
    return Settings(int(n), int(seed), scale, beta, choice), row


@st.cache_data(max_entries=64, show_spinner=False)
def drawn_probabilities(n: int, seed: int, scale: float) -> Floats:
    """Draw the items' probabilities (n,), the most probable first."""
    return np.sort(sigmoid_items(np.random.default_rng(seed), n=n, scale=scale).probabilities)[::-1]


def chosen_losses(beta: float) -> dict[str, Loss]:
    """Make the losses of Table 1, F with the chosen beta."""
    return {choice: named_loss(choice, beta) for choice in LOSS_CHOICES}


def current_items(settings: Settings) -> Floats:
    """Return the probabilities (n,) of the items: from the URL, edited, or drawn."""
    asked = IN_URL.asked(if_gone=())
    own = session().top_k.own if asked is None else OwnItems(settings.draw, asked) if asked else None
    if own is not None and (own.draw != settings.draw or len(own.probabilities) != settings.n):
        own = None
    session().top_k.own = own
    IN_URL.show(None if own is None else own.probabilities)
    return shown_items(settings)


def shown_items(settings: Settings) -> Floats:
    """Return the probabilities (n,) on the first screen."""
    own = session().top_k.own
    drawn = drawn_probabilities(settings.n, settings.seed, settings.scale)
    return drawn if own is None else np.array(own.probabilities)


def show_items(settings: Settings, probabilities: Floats, flagged: Bools, title: str) -> None:
    """Draw the items as draggable bars, or as a plain chart, and emphasise those `flagged` (n,)."""
    if chosen(PLAIN_KEY):
        show_chart(
            sorted_probabilities(probabilities, flagged, title=title, theme=theme(), height=CHART_HEIGHT),
            key="topk_sorted",
            alt=f"The {probabilities.size} probabilities as bars, largest first. {title}: {flagged.sum()} items.",
        )
    else:
        about, on_moved = str(settings.draw), lambda moved: _set_items(settings, moved)
        probability_bars(probabilities, flagged, title=title, about=about, on_moved=on_moved)


def ask_options(place: DeltaGenerator, settings: Settings, probabilities: Floats) -> None:
    """Offer to type or reset the probabilities, to draw a plain chart and to hide the optimum."""
    complaint = session().top_k.complaint
    if complaint is None:
        choose(TYPED_KEY, ", ".join(f"{value:.{DIGITS}g}" for value in probabilities))
    place.text_input(
        f"Probabilities of the {settings.n} items",
        key=TYPED_KEY,
        max_chars=MAX_TEXT,
        on_change=_set_typed,
        args=(settings,),
        help=f"{settings.n} numbers from 0 to 1, with commas or spaces between them.",
    )
    if complaint is not None:
        place.error(as_text(complaint), icon=":material/error:")
    place.button("Back to the draw", key="topk_drawn", disabled=session().top_k.own is None, on_click=_forget_own)
    hint = "A static chart instead of draggable bars, for example for screen readers."
    place.toggle("Plain chart", **in_url(PLAIN_KEY), help=hint)
    hint = "For classes: hide the optimum until a k is chosen."
    place.toggle("Hide and guess", **in_url(GUESS_KEY), on_change=update_part, help=hint)


def update_part() -> None:
    """Let the open part follow the first screen, if it shows the items; for callbacks."""
    if session().top_k.part_shows_items:
        st.rerun([FIRST_SCREEN, PART])


def _set_typed(settings: Settings) -> None:
    try:
        _set_items(settings, typed_probabilities(str(chosen(TYPED_KEY)), settings.n))
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
    session().top_k.own = OwnItems(settings.draw, tuple(round(value, DIGITS) for value in probabilities))
    session().top_k.complaint = None
    update_part()


def _forget_own() -> None:
    session().top_k.own = session().top_k.complaint = None
    update_part()


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
