"""The views below the answer, of which only the open one is computed."""

import streamlit as st

from multiloss_core.datasets import ScoredDataset
from multiloss_core.formatting import count, plural, short_loss
from multiloss_core.losses import SUBSET_0_1, promised_counts
from ui.optimal_cut.batches import show_batches
from ui.optimal_cut.calibration import show_calibration, show_effect
from ui.optimal_cut.choices import LossChoice
from ui.optimal_cut.comparison import Answer, compare_losses
from ui.shared.choices import UrlParameter, ask_choice, choose
from ui.shared.widgets import show_formula

# By the name in the URL.
VIEWS = {"losses": "All losses", "reliability": "Reliability", "batches": "Batches", "formula": "Formula and method"}
# Of earlier links to the comparison of all losses.
ALL_LOSSES: UrlParameter[bool] = UrlParameter("cut_all", lambda text: text == "true" or None, lambda _: "true")


def show_more(given: ScoredDataset, used: ScoredDataset, asked: LossChoice, found: Answer | None) -> None:
    """Ask for a view and show it; without an answer, show the cuts of the other losses."""
    if ALL_LOSSES.asked():
        choose("cut_more", "losses")
        ALL_LOSSES.show(None)
    view = ask_choice(st.segmented_control, "More", VIEWS, key="cut_more", closable=True)
    if view == "losses" or found is None:
        compare_losses(used, asked.beta, asked.at_least)
    if view == "reliability":
        if used.calibration:
            show_effect(given, used, asked.loss, asked.at_least)
        show_calibration(given, used)
    elif view == "batches" and found is not None:
        show_batches(used, found)
    elif view == "formula":
        _show_method(used, asked, found)


def _show_method(dataset: ScoredDataset, asked: LossChoice, found: Answer | None) -> None:
    """Show the formula of the loss, with the counts of the optimum, and the method."""
    if found is None or asked.loss == SUBSET_0_1:
        show_formula(asked.loss)
    else:
        optimum = found.optimum
        about = (
            f"The formula at the mean counts of the optimum, {plural(optimum.k, 'item')} flagged. The expected loss is "
            f"{short_loss(optimum.expected_loss)}, the mean over all outcomes. With few items the two differ."
        )
        show_formula(asked.loss, promised_counts(dataset.items.probabilities, dataset.flagged(optimum.k)), about)
    if found is not None:
        st.caption(_how_known(dataset, found), width=860)


def _how_known(dataset: ScoredDataset, found: Answer) -> str:
    error = found.curve.error_bound
    proven = "exact up to rounding" if error == 0 else f"proven to within {error:.1g}"
    judged_on, tuned = count((~dataset.tuning).sum()), ""
    if found.tuned is not None:
        tuned = (
            f" The threshold was tuned on a fixed random half of {count(dataset.tuning.sum())} labelled items; the "
            f"observed losses are those of the other {judged_on}."
        )
    elif dataset.items.labels is not None:
        tuned = f" The observed losses are those of a fixed random sample of {judged_on} labelled items."
    chance = ""
    if any(way.observed < found.optimum.observed for way in found.ways):
        chance = (
            " Another cut may have a smaller observed loss: the optimum is best on the mean over all outcomes, and "
            "these are one draw. A large difference indicates wrong probabilities."
        )
    return (
        f"Expected losses are {proven} (method: {found.curve.method.replace('_', '-')}), for independent outcomes that "
        f"have these probabilities.{tuned}{chance}"
    )
