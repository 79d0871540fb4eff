"""What the user sets at the top of the screen: how many items, which draw, how certain the labels are, beta of F."""

from typing import NamedTuple

import numpy as np
import streamlit as st

from multiloss_core.losses import Loss, sigmoid_items
from multiloss_core.numerics import Floats
from ui.shared.lazy_section import lesson_plan
from ui.shared.loss_picker import LOSS_CHOICES, ask_beta, named_loss
from ui.shared.page_setup import room
from ui.shared.url_params import ask_number

# Key, label; lowest, highest, default and step; help.
NUMBERS = (
    ("topk_n", "Items (n)", (2, 14, 10, 1), "2 to 14: all 2ⁿ predictions are tried."),
    ("topk_seed", "Random seed", (0, 1_000_000, 70, 1), "Another seed, other items."),
    (
        "topk_scale",
        "Scale of w",
        (0.0, 10.0, 1.0, 0.5),
        "How certain labels are. At 0 every probability is 1/2: nobody can tell. The larger, the nearer the "
        "probabilities lie to 0 and 1. "
        "P(Y = 1 | x) = 1 / (1 + exp(-w·x)); x and w are drawn from the standard Gaussian in the plane, and w is "
        "multiplied by this.",
    ),
)
# In pixels, with its label.
NUMBER_HEIGHT = 68


class Settings(NamedTuple):
    """The user's choices, checked: `n` items, the random `seed`, the `scale` of w, `beta` of F."""

    n: int
    seed: int
    scale: float
    beta: float


def introduction() -> None:
    """Say what the theorem says and why it matters."""
    st.title("Top-k: sort, then cut")
    st.markdown(
        "Which of *n* alerts should be flagged when each one's probability of being fraud is known? There "
        "are 2ⁿ ways to choose, and you never need to look at them. **Theorem 1**: if the alerts are "
        "independent and the loss falls with every true positive, the best choice is to sort by probability "
        "and flag the first *k*; only *k* depends on the loss. This page tries all 2ⁿ choices to show it.",
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
