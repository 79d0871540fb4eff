"""A guided tour over the sample data: five steps, each one sentence and one action."""

from collections.abc import Callable
from typing import NamedTuple

import streamlit as st

from multiloss_core.thresholds.paths.methods import SMOOTH
from ui.operating_point.settings import UNIT
from ui.operating_point.target import settle
from ui.operating_point.target_drivers import take_over

STEP = "tour"
SAMPLE = "Card alerts"


class Step(NamedTuple):
    """What to look at, and what the button does."""

    sentence: str
    action: str
    act: Callable[[], None]


def _target(percent: float) -> None:
    take_over()
    settle(percent)


def _choose(**choices: object) -> None:
    for key, value in choices.items():
        st.session_state[key] = value


STEPS = (
    Step(
        "Fraud is rare, so people rated only documents that scored above a floor: *caught* and *false alerts* are known, "
        "missed fraud is not.",
        "Load the sample of card alerts",
        lambda: _choose(data=SAMPLE, method=SMOOTH.name, **{UNIT: "documents"}),
    ),
    Step(
        "The slider asks one question: of the last alerts added, how many must be fraud? At 20 % you pay 4 false alerts for "
        "each extra catch.",
        "Set it to 50 %: 1 false alert for each",
        lambda: _target(50.0),
    ),
    Step(
        "Each star is the chosen point: a pair of thresholds on the left, what they catch and cost on the right, where the "
        "curve is as steep as the dotted tangent.",
        "See another path to the same target",
        lambda: _choose(method="graph"),
    ),
    Step(
        "Thresholds look best on the data that chose them; resampling and held-out documents tell what next month will show.",
        "Show what new data will show",
        lambda: _choose(method=SMOOTH.name, new_data=True),
    ),
    Step(
        "What was decided leaves the room as a file: the thresholds exactly as printed, with the counts they give.",
        "Back to 20 %, and take them away above",
        lambda: _target(20.0),
    ),
)


def offer_tour() -> None:
    """A button that begins the tour."""
    st.button("Tour in five steps", icon=":material/explore:", on_click=lambda: _choose(**{STEP: 0}))


def show_tour() -> None:
    """The step that the reader is at, if on tour. Before the widgets that its actions set."""
    at = st.session_state.get(STEP)
    if at is None:
        return
    step = STEPS[at]
    with st.container(border=True, key="tour_step"):
        words, go, leave = st.columns([5, 2, 1], vertical_alignment="center")
        words.markdown(f"**{at + 1} of {len(STEPS)}** · {step.sentence}")
        go.button(step.action, type="primary", width="stretch", key="tour_go", on_click=lambda: _go(at))
        leave.button("Leave", width="stretch", key="tour_leave", on_click=_leave)


def _go(at: int) -> None:
    STEPS[at].act()
    st.session_state[STEP] = at + 1 if at + 1 < len(STEPS) else None


def _leave() -> None:
    st.session_state[STEP] = None
