"""Ask for the loss, the minimum to flag and the calibration."""

from typing import NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from multiloss_core import DataError, FractionalLinear
from multiloss_core.datasets import ScoredDataset
from multiloss_core.formatting import plural, shortened
from multiloss_core.losses import (
    SEPARABLE,
    Loss,
    is_gain,
    is_tp_monotone,
    meets_corrected_proposition_2,
    meets_proposition_2,
)
from multiloss_core.numerics import written_number
from ui.optimal_cut.calibration import KINDS, NO_CALIBRATION, why_not_calibrated
from ui.optimal_cut.comparison import LOSS_CHOICES
from ui.shared.choices import ask_choice, in_url
from ui.shared.formatting import as_text
from ui.shared.widgets import ask_beta, named_loss

OWN_RATIO = "Own ratio"
SEPARABLE_CHOICES = {loss.name: loss for loss in SEPARABLE}
# More items take a second.
CHECKED_ITEMS = 60


class LossChoice(NamedTuple):
    """The loss, beta of F, minimum to flag and calibration."""

    loss: Loss
    beta: float
    at_least: int
    calibration: str


def ask_loss(dataset: ScoredDataset, loss_place: DeltaGenerator, settings_place: DeltaGenerator) -> LossChoice | None:
    """Ask for the loss and its settings; return None after an error for an unusable value."""
    choice = loss_place.selectbox(
        "Loss",
        (*LOSS_CHOICES, *SEPARABLE_CHOICES, OWN_RATIO),
        **in_url("cut_loss"),
        help="What a wrong prediction costs. F, Jaccard and G-TP/PR look at the positives only; AM, G-Mean and H-Mean "
        "weigh positives and negatives alike. Hamming counts wrong items; Subset 0-1 counts 1 if any item is wrong.",
    )
    with settings_place.popover("Settings", icon=":material/tune:", width="stretch"):
        beta = ask_beta(st.container(), "cut_beta")
        at_least = st.number_input(
            "Flag at least",
            0,
            None,
            0,
            1,
            **in_url("cut_least"),
            help="The minimum number of items to flag. With few expected positives, flagging nothing is often best; 1 "
            "excludes it.",
        )
        calibration = _ask_calibration(dataset)
        ratio = st.text_input(
            "Coefficients of the own ratio, c₀ c₁ c₂ c₃ / d₀ d₁ d₂ d₃",
            "0 -2 1 1 / 0 -1 1 1",
            **in_url("cut_ratio"),
            max_chars=200,
            disabled=choice != OWN_RATIO,
            help="The loss is (c₀ + c₁u + c₂v + c₃p) / (d₀ + d₁u + d₂v + d₃p), with the shares u of true positives, v "
            "of flagged items and p of positives. It starts as Jaccard. Choose *Own ratio* as the loss to use it.",
        )
    # Browsers alone enforce the limits of widgets.
    if not 0.1 <= beta <= 10.0:
        st.error(f"Beta of F is {beta:g}; choose 0.1 to 10.")
        return None
    n = dataset.items.probabilities.size
    if not 0 <= at_least <= n:
        st.error(f"At least {at_least:,} of {plural(n, 'item')} cannot be flagged; choose 0 to {n:,}.")
        return None
    loss = _own_ratio(ratio) if choice == OWN_RATIO else SEPARABLE_CHOICES.get(choice) or named_loss(choice, beta)
    return None if loss is None else LossChoice(loss, beta, int(at_least), calibration)


def ask_part() -> str:
    """Ask for the part of the curve to draw."""
    return st.segmented_control(
        "Part of the curve",
        ["around the cuts", "all cuts"],
        default="around the cuts",
        required=True,
        **in_url("cut_part"),
        label_visibility="collapsed",
    )


def _own_ratio(text: str) -> FractionalLinear | None:
    """Make a ratio of its coefficients, and show whether the theorem covers it."""
    try:
        loss = ratio_of(text)
        sentence, is_covered = about_ratio(loss)
    except DataError as error:
        st.error(as_text(str(error)), icon=":material/error:")
        return None
    if is_covered:
        st.caption(sentence, width=860)
    else:
        st.warning(sentence, icon=":material/warning:")
    return loss


def ratio_of(text: str) -> FractionalLinear:
    """Parse coefficients such as "0 -2 1 1 / 0 -1 1 1". Raises DataError."""
    try:
        above, below = ([written_number(word) for word in part.replace(",", " ").split()] for part in text.split("/"))
    except ValueError:
        raise DataError(
            f"The coefficients are '{shortened(text)}'; write four numbers, a slash and four numbers, such as "
            "0 -2 1 1 / 0 -1 1 1."
        ) from None
    return FractionalLinear(above, below, OWN_RATIO.lower())


def about_ratio(loss: FractionalLinear) -> tuple[str, bool]:
    """Describe the check of monotonicity and its consequence; whether Theorem 1 holds.

    Raises DataError where only the denominator is 0.
    """
    checked = f"checked at every count of {CHECKED_ITEMS} items"
    if is_tp_monotone(loss, CHECKED_ITEMS):
        corrected = meets_corrected_proposition_2(loss, CHECKED_ITEMS)
        condition = " It meets the corrected condition of Proposition 2." if corrected else ""
        return (
            f"This loss falls with every true positive ({checked}).{condition} So by Theorem 1 the best of all "
            "predictions flags the *k\\** most probable items.",
            True,
        )
    gain = " It rises with true positives, as a gain does: give 1 minus it." * is_gain(loss, CHECKED_ITEMS)
    printed = ", although it meets *c₁ < d₁*, the printed condition of Proposition 2" * meets_proposition_2(loss)
    return (
        f"This loss does not fall with every true positive ({checked}){printed}. So Theorem 1 does not cover it: "
        f"*k\\** is the best number of most probable items, but a prediction that skips one may be better.{gain}",
        False,
    )


def _ask_calibration(dataset: ScoredDataset) -> str:
    reason = why_not_calibrated(dataset)
    chosen = ask_choice(
        st.selectbox,
        "Calibration",
        KINDS,
        key="cut_calibration",
        disabled=bool(reason),
        help=reason
        or "Corrects the probabilities with known outcomes. Isotonic: any increasing map, for many outcomes. Platt: a "
        "logistic map with two parameters, for few outcomes. Neither uses an item's own outcome.",
    )
    return NO_CALIBRATION if reason else chosen
