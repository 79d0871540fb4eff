"""A guided tour over the sample data: five steps, each one sentence and one action."""

from collections.abc import Callable
from typing import NamedTuple

import streamlit as st

from multiloss_core import Unit
from multiloss_core.thresholds import SMOOTH
from ui.data.rated_workspace import rated_uploads
from ui.operating_point.controls.settings import choose_method, choose_unit, want_new_data
from ui.operating_point.controls.target_drivers import slider_takes_over
from ui.operating_point.target import set_target
from ui.shared.session import session

SAMPLE = "Card alerts"


class Step(NamedTuple):
    """What to look at, and what the button does."""

    sentence: str
    action: str
    act: Callable[[], None]


def _target(percent: float) -> None:
    slider_takes_over()
    set_target(percent)


def _load_sample() -> None:
    rated_uploads().choose(SAMPLE)
    choose_method(SMOOTH.name)
    choose_unit(Unit.DOCUMENTS)


def _show_new_data() -> None:
    choose_method(SMOOTH.name)
    want_new_data()


STEPS = (
    Step(
        "Fraud is rare, so people rated only documents that scored above a floor: *caught* and *false alerts* are "
        "known, missed fraud is not.",
        "Load the sample of card alerts",
        _load_sample,
    ),
    Step(
        "The slider asks one question: of the last alerts added, how many must be fraud? At 20 % you pay 4 false "
        "alerts for each extra catch.",
        "Set it to 50 %: 1 false alert for each",
        lambda: _target(50.0),
    ),
    Step(
        "Each star is the chosen point: a pair of thresholds on the left, what they catch and cost on the right, where "
        "the curve is as steep as the dotted tangent.",
        "See another path to the same target",
        lambda: choose_method("graph"),
    ),
    Step(
        "Thresholds look best on the data that chose them; resampling and held-out documents tell what next month "
        "will show.",
        "Show what new data will show",
        _show_new_data,
    ),
    Step(
        "What was decided leaves the room as a file: the thresholds exactly as printed, with the counts they give.",
        "Back to 20 %, and take them away above",
        lambda: _target(20.0),
    ),
)


def offer_tour() -> None:
    """Draw a button that begins the tour."""
    st.button("Tour in five steps", icon=":material/explore:", on_click=_go_to, args=(0,))


def show_tour() -> None:
    """Show the step that the user is at, if on tour. Before the widgets that its actions set."""
    at = session().point.tour_step
    if at is None:
        return
    step = STEPS[at]
    with st.container(border=True, key="tour_step"):
        words, go, leave = st.columns([5, 2, 1], vertical_alignment="center")
        words.markdown(f"**{at + 1} of {len(STEPS)}** · {step.sentence}")
        go.button(step.action, type="primary", width="stretch", key="tour_go", on_click=_act, args=(at,))
        leave.button("Leave", width="stretch", key="tour_leave", on_click=_go_to, args=(None,))


def _act(at: int) -> None:
    STEPS[at].act()
    _go_to(at + 1 if at + 1 < len(STEPS) else None)


def _go_to(at: int | None) -> None:
    session().point.tour_step = at
