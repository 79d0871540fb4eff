"""Show Theorem 1 without one assumption: independent labels, or a TP-monotone loss."""

from collections.abc import Callable
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from multiloss_core import exhaustive_search
from multiloss_core.figures import losses_by_strength, sorted_probabilities
from multiloss_core.formatting import plural, short_loss
from multiloss_core.losses import (
    NOT_MONOTONE,
    AgainstTopK,
    DrawSearch,
    ExhaustiveSearch,
    Loss,
    against_top_k,
    correlated_search,
    factor_loadings,
    find_failure,
    is_tp_monotone,
    joint_distribution,
    sigmoid_items,
)
from multiloss_core.numerics import Floats, Indices
from ui.shared.choices import ask_number, choose, in_url
from ui.shared.formatting import AREA, show_numbers
from ui.shared.long_work import stoppable
from ui.shared.page_setup import theme
from ui.shared.session import session
from ui.shared.widgets import LOSS_CHOICES, named_loss, show_chart, shown_when_open
from ui.top_k.items import Settings

ITEMS = 8
SCALE = 1.0
MAX_DRAWS = 2000
MAX_SEED = 1_000_000
STRENGTHS = np.linspace(0.0, 1.0, 21)

TIED, OTHER_LOSS = "Labels that depend on each other", "A loss that true positives do not lower"
# The library's names of the choices.
COMMON_CAUSES = MappingProxyType(
    {"A ring of every second item": "ring", "Two rival rings": "rivals", "All items alike": "all"}
)
NOTES = MappingProxyType(
    {
        "ring": "Hatched: the items of the ring. The others are independent of it and of each other.",
        "rivals": "Hatched one way and the other: the two rings.",
        "all": "With all items tied alike, top-k never fails: given the common cause, labels are independent and keep "
        "their order of probability. The theorem fails where ties differ between items.",
    }
)
# Pixels of each chart.
HEIGHT = 380
JOINT_ITEMS, JOINT_STRENGTH = 3, 0.9
# Top-k fails on this draw for a ring and G-Mean with this strength.
FAILING_DRAW, FAILING_STRENGTH = 143, 0.9


def broken_assumption(settings: Settings) -> None:
    """Show predictions without one of the two assumptions of Theorem 1."""
    st.markdown(
        "Theorem 1 needs independent labels and a loss that falls with every true positive. Without one of them, the "
        f"best of all {2**ITEMS} predictions on {ITEMS} drawn items may skip a more probable item."
    )
    broken = st.segmented_control(
        "Assumption to break",
        [TIED, OTHER_LOSS],
        default=TIED,
        required=True,
        **in_url("topk_broken"),
        persist_state="session",
        label_visibility="collapsed",
    )
    if broken == OTHER_LOSS:
        loss_that_is_not_monotone()
    else:
        tied_labels(settings)


class CommonCause(NamedTuple):
    """The checked choices: kind of common cause, loss by name and object, strength, draw."""

    kind: str
    choice: str
    loss: Loss
    strength: float
    draw: int


def tied_labels(settings: Settings) -> None:
    """Show labels with a common cause, from independent to identical."""
    kind, choice, loss, strength, draw = ask_common_cause(settings)
    found = against_top_k(tied_search(draw, kind, strength, loss))
    conclusion(found, loss.name, certain=kind == "all" or strength == 0)
    sides = np.sign(factor_loadings(kind, ITEMS, 1.0)).astype(np.intp) if kind != "all" else None
    by_strength_place = both_predictions("topk_tied", draw, found, sides)
    best, top_k = by_strength(draw, kind, choice, settings.beta)
    show_chart(
        losses_by_strength(STRENGTHS, best, top_k, chosen=strength, loss_name=loss.name, theme=theme(), height=HEIGHT),
        key="topk_by_strength",
        alt=f"The smallest expected {loss.name} loss of all predictions and of top-k predictions as labels go from "
        f"independent to identical. Top-k costs at most {short_loss(np.max(top_k - best))} more.",
        place=by_strength_place,
    )
    st.caption(NOTES[kind])
    inputs = kind, loss.name, strength
    offer_search("topk_tied_draw", inputs, draw, lambda seed: tied_search(seed, kind, strength, loss))
    joint_labels(drawn_items(draw))


def ask_common_cause(settings: Settings) -> CommonCause:
    """Ask for the common cause, loss, strength and draw."""
    cause_column, loss_column, strength_column, draw_column = st.columns(4)
    picked = cause_column.selectbox(
        "Items with a common cause",
        list(COMMON_CAUSES),
        **in_url("topk_ties"),
        persist_state="session",
        help="A ring: fraud of one gang, or alerts on one card. Rival rings: only one is active at a time. Every item "
        "keeps its own probability.",
    )
    choice = loss_column.selectbox(
        "Loss under tied labels",
        LOSS_CHOICES,
        index=LOSS_CHOICES.index("G-Mean"),
        **in_url("topk_tied_loss"),
        persist_state="session",
    )
    strength = ask_number(
        strength_column.slider,
        "From independent (0) to identical (1)",
        (0.0, 1.0),
        FAILING_STRENGTH,
        0.05,
        key="topk_strength",
        persist_state="session",
        help="The correlation of the latent Gaussian variables of two items of the same ring. At 1, the less probable "
        "item is positive only if the more probable one is.",
    )
    draw = drawn_seed(draw_column, "topk_tied_draw", FAILING_DRAW)
    return CommonCause(COMMON_CAUSES[picked], choice, named_loss(choice, settings.beta), strength, draw)


def loss_that_is_not_monotone() -> None:
    """Show a loss that another true positive can raise."""
    loss_column, draw_column, _ = st.columns([1, 1, 2])
    choice = loss_column.selectbox(
        "Loss that is not TP-monotone", list(NOT_MONOTONE), **in_url("topk_other_loss"), persist_state="session"
    )
    example = NOT_MONOTONE[choice]
    key = f"topk_draw_{choice.replace(' ', '_')}"
    draw = drawn_seed(draw_column, key, example.draw)
    monotone = is_tp_monotone(example.loss, ITEMS)
    st.markdown(
        f"{example.meaning} Checked at every count of {ITEMS} items: it is "
        f"{'' if monotone else 'not '}true that each additional true positive lowers it.",
        width=860,
    )
    found = against_top_k(search_independent(draw, example.loss))
    conclusion(found, f"“{example.loss.name}”", certain=monotone)
    both_predictions("topk_other", draw, found, None)
    offer_search(key, example.loss.name, draw, lambda seed: search_independent(seed, example.loss))


def drawn_seed(place: DeltaGenerator, key: str, failing: int) -> int:
    """Ask for the seed of a draw, set to the result of a finished search."""
    pending = session().top_k.pending_draw.pop(key, None)
    if pending is not None:
        choose(key, pending)
    return ask_number(
        place.number_input,
        "Draw",
        (0, MAX_SEED),
        failing,
        key=key,
        persist_state="session",
        help=f"The random seed of the {ITEMS} items, with w at scale 1.",
    )


def conclusion(found: AgainstTopK, loss_name: str, *, certain: bool) -> None:
    """Show whether the best prediction is a top-k set, and the extra loss of top-k."""
    k, flagged = int(np.sum(found.top_k)), int(np.sum(found.best))
    if found.lost > 0.0:
        st.warning(
            f"**Top-k fails here.** The best of all predictions flags {plural(flagged, 'item')}, not the most probable "
            f"ones: expected {loss_name} loss {short_loss(found.best_loss)}. The best top-k prediction flags {k}: "
            f"{short_loss(found.top_k_loss)}. It costs {short_loss(found.lost)} more."
        )
    else:
        st.success(
            f"**Top-k is best here.** Flagging the {plural(k, 'most probable item')} has the smallest expected "
            f"{loss_name} loss of all predictions, {short_loss(found.best_loss)}."
            + ("" if certain else " Nothing guarantees this: other draws may fail.")
        )


def both_predictions(key: str, draw: int, found: AgainstTopK, sides: Indices | None) -> DeltaGenerator:
    """Draw the best prediction beside the best top-k one; return the place of a third chart."""
    probabilities = drawn_items(draw)
    *places, third = st.columns(3)
    both = (
        ("best", "Best of all", found.best, found.best_loss),
        ("top_k", "Best top-k", found.top_k, found.top_k_loss),
    )
    for place, (kind, name, prediction, loss) in zip(places, both, strict=True):
        ranks = np.flatnonzero(prediction[np.argsort(-probabilities, kind="stable")]) + 1
        flags = f"the items of rank {', '.join(map(str, ranks))}" if ranks.size else "nothing"
        title = f"{name}: loss {short_loss(loss)}"
        show_chart(
            sorted_probabilities(probabilities, prediction, title=title, theme=theme(), height=HEIGHT, sides=sides),
            key=f"{key}_{kind}",
            alt=f"{name}: it flags {flags} by probability; expected loss {short_loss(loss)}.",
            place=place,
        )
    return third


def offer_search(key: str, inputs: object, draw: int, search_of: Callable[[int], ExhaustiveSearch]) -> None:
    """Offer a search for the next draw on which top-k fails, and show its result."""
    if st.button("Find another draw where it fails", key=f"{key}_find"):
        first = draw + 1 if draw + MAX_DRAWS < MAX_SEED else 0
        with stoppable(f"{key}_cancel") as show:
            for state in find_failure(search_of, first=first, draws=MAX_DRAWS):
                session().top_k.found = (inputs, state)
                show(state.done / state.draws, f"{state.done:,} of at most {state.draws:,} draws")
        if state.failed is not None:
            session().top_k.pending_draw[key] = state.failed
            st.rerun()
    kept = session().top_k.found
    if kept is not None and kept[0] == inputs:
        found_so_far(kept[1], draw)


def found_so_far(state: DrawSearch, draw: int) -> None:
    """Show the result of a search."""
    if state.failed == draw:
        st.info(
            f"Draw {draw:,} was found after {plural(state.done, 'draw')}: top-k costs {short_loss(state.lost)} more "
            "on it."
        )
    elif state.failed is None:
        stopped = f"Stopped after {plural(state.done, 'draw')}: top-k was best on all of them."
        st.info(stopped if state.done < state.draws else f"Top-k was best on all {state.done:,} draws.")


def tied_search(draw: int, common_cause: str, strength: float, loss: Loss) -> ExhaustiveSearch:
    """Search all predictions on a draw whose labels share a common cause."""
    return correlated_search(drawn_items(draw), factor_loadings(common_cause, ITEMS, strength), loss)


def search_independent(draw: int, loss: Loss) -> ExhaustiveSearch:
    """Search all predictions on a draw of independent labels."""
    return exhaustive_search(drawn_items(draw), loss)


def drawn_items(draw: int) -> Floats:
    """Draw the probabilities (8,) of a seed; not cached, because a search draws thousands."""
    return sigmoid_items(np.random.default_rng(draw), n=ITEMS, scale=SCALE).probabilities


@st.cache_data(max_entries=64, show_spinner=False)
def by_strength(draw: int, common_cause: str, choice: str, beta: float) -> tuple[Floats, Floats]:
    """Find the smallest expected loss of all and of top-k predictions at each of `STRENGTHS`."""
    loss = named_loss(choice, beta)
    found = [against_top_k(tied_search(draw, common_cause, float(strength), loss)) for strength in STRENGTHS]
    return np.array([both.best_loss for both in found]), np.array([both.top_k_loss for both in found])


@shown_when_open("The joint distribution of the labels", key="topk_joint_labels", icon=":material/table_chart:")
def joint_labels(probabilities: Floats) -> None:
    """Show the joint distribution of three labels, independent and with a common cause."""
    few = np.sort(probabilities)[::-1][:JOINT_ITEMS]
    st.markdown(
        f"The probability of every outcome of the {few.size} most probable items, {', '.join(map(short_loss, few))}: "
        f"independent, and with a common cause of strength {JOINT_STRENGTH:g} (a Gaussian copula with one factor). "
        "Each item keeps its own probability."
    )
    outcomes = (np.arange(2**few.size)[:, np.newaxis] >> np.arange(few.size)) & 1
    independent, tied = (
        joint_distribution(few, factor_loadings("all", few.size, strength)) for strength in (0.0, JOINT_STRENGTH)
    )
    show_numbers(
        [
            {"Labels": " ".join(map(str, labels)), "Independent": alone, "Common cause": together}
            for labels, alone, together in zip(outcomes, independent, tied, strict=True)
        ],
        {"Independent": AREA, "Common cause": AREA},
        alt="The probability of every outcome with independent labels and with a common cause.",
    )
