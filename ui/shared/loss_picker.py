"""Losses by the names that the user chooses from, and beta of F."""

from streamlit.delta_generator import DeltaGenerator

from multiloss_core import LOSSES, F
from multiloss_core.losses import Loss

# "F" instead of "F1": a link to it stays right whatever beta is. The four of the paper's figure 1 come first.
LOSS_CHOICES = tuple("F" if isinstance(loss, F) else name for name, loss in LOSSES.items())


def named_loss(choice: str, beta: float) -> Loss:
    """Find the loss of a choice, F with its beta."""
    return F(beta) if choice == "F" else LOSSES[choice]


def ask_beta(place: DeltaGenerator, key: str) -> float:
    """Ask for beta of F, within 0.1 to 10 in the browser only."""
    return place.number_input(
        "Beta of F",
        0.1,
        10.0,
        1.0,
        0.1,
        key=key,
        bind="query-params",
        help="How many times recall counts as much as precision. 1 is the usual F1.",
    )
