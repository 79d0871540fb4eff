"""Guided tour with the sample data: each step explains, outlines and offers one action."""

from collections.abc import Callable
from typing import NamedTuple

import streamlit as st

from multiloss_core import Unit
from multiloss_core.thresholds import SMOOTH
from ui.data.rated import rated_uploads
from ui.operating_point.active_goal import slider_takes_over
from ui.operating_point.settings import choose_method, choose_unit, want_new_data
from ui.operating_point.state import set_target
from ui.shared.formatting import vocabulary
from ui.shared.page_setup import write_style
from ui.shared.session import session

SAMPLE = "Card alerts"


class Step(NamedTuple):
    """What to look at, where that is on the page as CSS selectors, and what the button does."""

    sentence: str
    outlined: tuple[str, ...]
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
        "Fraud is rare, so people rated only {documents} that scored above a floor: *caught* and *false alerts* are "
        "known, missed fraud is not.",
        (".explorer .counts", "[data-testid=stMetric]"),
        "Load the sample of card alerts",
        _load_sample,
    ),
    Step(
        "The slider asks one question: of the last alerts added, how many must be fraud? At 20 % you pay 4 false "
        "alerts for each extra catch.",
        (".explorer .track", ".explorer .target", ".st-key-m_plain"),
        "Set it to 50 %: 1 false alert for each",
        lambda: _target(50.0),
    ),
    Step(
        "Each star is the chosen point: thresholds in one chart, what they catch and cost in the other, where the "
        "curve is as steep as the dotted tangent.",
        (
            ".explorer [data-chart=space]",
            ".explorer [data-chart=plane]",
            ".st-key-plain_space",
            ".st-key-plain_plane",
        ),
        "See another path to the same target",
        lambda: choose_method("graph"),
    ),
    Step(
        "Thresholds look best on the data that chose them; resampling and held-out {documents} tell what next month "
        "will show. It takes a minute; the switch stands above the slider, the answer below the charts.",
        (".st-key-new_data",),
        "Work out what new data will show",
        _show_new_data,
    ),
    Step(
        "Download the thresholds exactly as printed, with the counts they give, or save the decision with a reason.",
        (".st-key-download_thresholds", ".st-key-save_decision"),
        "Back to 20 %",
        lambda: _target(20.0),
    ),
)
LAST_WORD = (
    "That was the tour. What you have seen holds for your own data as well: drop the export of your system on *Rated "
    "data*, and the same slider stands on it."
)


def offer_tour() -> None:
    """Draw a button that begins the tour."""
    st.button("Tour in five steps", icon=":material/explore:", on_click=_go_to, args=(0,))


def show_tour() -> None:
    """Show the step that the user is at, if on tour. Before the widgets that its actions set."""
    at = session().point.tour_step
    _outline(() if at is None or at == len(STEPS) else STEPS[at].outlined)
    if at is None:
        return
    with st.container(border=True, key="tour_step"):
        words, back, go, leave = st.columns([5, 1, 2, 1], vertical_alignment="center")
        back.button("Back", width="stretch", key="tour_back", disabled=at == 0, on_click=_go_to, args=(at - 1,))
        if at == len(STEPS):
            words.markdown(LAST_WORD)
            go.page_link("pages/rated_data.py", label="Rated data", icon=":material/upload_file:")
            leave.button("End", width="stretch", key="tour_leave", on_click=_go_to, args=(None,))
            return
        step = STEPS[at]
        words.markdown(f"**{at + 1} of {len(STEPS)}** · {vocabulary().in_words(step.sentence)}")
        go.button(step.action, type="primary", width="stretch", key="tour_go", on_click=_act, args=(at,))
        leave.button("Leave", width="stretch", key="tour_leave", on_click=_go_to, args=(None,))


def _outline(selectors: tuple[str, ...]) -> None:
    # An outline takes no room: nothing on the page moves. Every colour has a meaning but that of text.
    look = "outline: 3px dashed currentcolor; outline-offset: 4px; border-radius: 4px"
    write_style(f"{', '.join(selectors)} {{{look}}}" if selectors else "")


def _act(at: int) -> None:
    STEPS[at].act()
    _go_to(at + 1)


def _go_to(at: int | None) -> None:
    session().point.tour_step = at
