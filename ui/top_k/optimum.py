"""Theorem 1 on drawn items: the optimum under each loss, found with and without the theorem."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from multiloss_core import DataError, TopK, optimal_top_k
from multiloss_core.figures import CurveMark, all_predictions, loss_curve, small_loss_curves, sorted_probabilities
from multiloss_core.losses import ExhaustiveSearch, Loss, search_subsets, sigmoid_items, subset_distributions
from multiloss_core.numerics import Floats
from ui.shared.lazy_section import shown_when_open
from ui.shared.loss_picker import LOSS_CHOICES, ask_beta, named_loss
from ui.shared.page_setup import theme

# Key, label; lowest, highest, default and step; help.
NUMBERS = (
    ("topk_n", "Items (n)", (2, 14, 10, 1), "2 to 14: all 2ⁿ predictions are tried."),
    ("topk_seed", "Random seed", (0, 1_000_000, 70, 1), "Another seed, other items."),
    (
        "topk_scale",
        "Scale of w",
        (0.0, 10.0, 1.0, 0.5),
        "P(Y = 1 | x) = 1 / (1 + exp(-w·x)); x and w are drawn from the standard Gaussian in the plane, and w is "
        "multiplied by this. Larger: labels are more certain. 0: every probability is 1/2.",
    ),
)


class Settings(NamedTuple):
    """The user's choices, checked: `n` items, the random `seed`, the `scale` of w, `beta` of F."""

    n: int
    seed: int
    scale: float
    beta: float


class Optimum(NamedTuple):
    """What is known about one loss: its name, all 2^n predictions, the best top-k prediction."""

    name: str
    search: ExhaustiveSearch
    top_k: TopK


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


def chosen_settings() -> Settings | None:
    """Ask for n, seed, scale and beta, checked again in code; None, with an error on the screen, outside the limits."""
    *columns, beta_column = st.columns(4)
    n, seed, scale = (
        column.number_input(label, *limits, key=key, bind="query-params", help=hint)
        for column, (key, label, limits, hint) in zip(columns, NUMBERS, strict=True)
    )
    beta = ask_beta(beta_column, "topk_beta")
    try:
        # The widgets' own limits hold in the browser only.
        for value, (_, label, (least, most, *_), _) in zip((n, seed, scale), NUMBERS, strict=True):
            require_within(label, value, least, most)
        require_within("Beta of F", beta, 0.1, 10)
    except DataError as error:
        st.error(str(error))
        return None
    return Settings(int(n), int(seed), scale, beta)


def require_within(label: str, value: float, least: float, most: float) -> None:
    """Refuse a value outside its range."""
    if not least <= value <= most:
        raise DataError(f"{label} is {value:,}; choose {least:,.9g} to {most:,.9g}.")


@st.cache_data(max_entries=64, show_spinner=False)
def drawn_probabilities(n: int, seed: int, scale: float) -> Floats:
    """Draw the items' probabilities (n,)."""
    return sigmoid_items(np.random.default_rng(seed), n=n, scale=scale).probabilities


def found_optima(settings: Settings) -> dict[str, Optimum]:
    """Find all predictions and the best top-k set under each loss."""
    probabilities = drawn_probabilities(settings.n, settings.seed, settings.scale)
    losses = chosen_losses(settings.beta)
    searches = all_searches(*settings)
    return {
        choice: Optimum(loss.name, searches[choice], optimal_top_k(probabilities, loss))
        for choice, loss in losses.items()
    }


def chosen_losses(beta: float) -> dict[str, Loss]:
    """Make the seven losses of Table 1, F with the chosen beta."""
    return {choice: named_loss(choice, beta) for choice in LOSS_CHOICES}


@st.cache_data(max_entries=16, show_spinner=False)
def all_searches(n: int, seed: int, scale: float, beta: float) -> dict[str, ExhaustiveSearch]:
    """Search all 2^n predictions under each loss."""
    distributions = subset_distributions(drawn_probabilities(n, seed, scale))
    return {choice: search_subsets(distributions, loss) for choice, loss in chosen_losses(beta).items()}


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
        "AUC charges only pairs put the wrong way round, so flagging nothing costs 0: it cannot choose a cut. "
        "Charging half for pairs flagged alike turns it into AM."
    )


def one_loss(probabilities: Floats, optima: Mapping[str, Optimum]) -> None:
    """Show one loss in full: its prediction, the expected loss of every k, and all predictions as dots."""
    st.subheader("One loss in full")
    choice = st.selectbox("Loss", LOSS_CHOICES, index=1, key="topk_loss", bind="query-params", width=240)
    name, search, top_k = optima[choice]
    sorted_column, curve_column = st.columns(2)
    sorted_column.plotly_chart(
        sorted_probabilities(probabilities, search.best, title=f"The best prediction under {name}", theme=theme()),
        key="topk_sorted",
        alt=f"The {probabilities.size} probabilities as bars, largest first. The best prediction under "
        f"{name} flags {int(np.sum(search.best))} items.",
        theme=None,
    )
    curve_column.plotly_chart(
        loss_curve(search.top_k_values, [CurveMark("optimum k*", top_k.k, "star")], loss_name=name, theme=theme()),
        key="topk_curve",
        alt=f"The expected {name} loss of flagging the k most probable items, against k. It is smallest, "
        f"{top_k.expected_loss:.4f}, at k* = {top_k.k}.",
        theme=None,
    )
    figure = all_predictions(search, probabilities, loss_name=name, theme=theme())
    st.plotly_chart(
        figure,
        key="topk_all",
        alt=f"The expected {name} loss of all {2**probabilities.size:,} predictions by how many items they "
        f"flag. The smallest is {search.expected_loss:.4f}, at k = {top_k.k}.",
        theme=None,
    )
    drawn, predictions = figure.layout.meta["drawn"], figure.layout.meta["predictions"]
    if drawn < predictions:
        st.caption(f"{drawn:,} of {predictions:,} dots drawn; the others lie hidden behind them.")


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
            alt=f"The best prediction under {name} flags {int(np.sum(search.best))} items.",
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
