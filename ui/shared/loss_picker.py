"""Losses by the names that the reader chooses from, and beta of F."""

from streamlit.delta_generator import DeltaGenerator

from multiloss_core.losses.multivariate import LOSSES, F, Loss


def named_loss(choice: str, beta: float) -> Loss:
    """The loss of a choice, F with its beta."""
    return F(beta) if choice == "F" else LOSSES[choice]


def ask_beta(place: DeltaGenerator, key: str) -> float:
    """Beta of F, within 0.1 to 10 in the browser only."""
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
