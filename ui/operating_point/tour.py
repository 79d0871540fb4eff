"""Guide users through the sample data: each step explains, outlines and offers one action."""

from collections.abc import Callable
from typing import NamedTuple

import streamlit as st

from multiloss_core import Unit
from multiloss_core.thresholds import SMOOTH
from ui.data.rated import rated_uploads
from ui.operating_point.active_goal import move_slider
from ui.operating_point.settings import METHOD_KEY, NEW_DATA_KEY, UNIT_KEY
from ui.shared.choices import choose
from ui.shared.formatting import vocabulary
from ui.shared.page_setup import write_style
from ui.shared.session import session

SAMPLE = "Card alerts"
LAST_WORD = "This is the end of the tour. Upload your own export on *Rated data* to use the same slider."


class Step(NamedTuple):
    """A step: text, CSS selectors of outlined elements, and its button's label and action."""

    sentence: str
    outlined: tuple[str, ...]
    action: str
    act: Callable[[], None]


def _load_sample() -> None:
    rated_uploads().choose(SAMPLE)
    choose(METHOD_KEY, SMOOTH.name)
    choose(UNIT_KEY, Unit.DOCUMENTS.value)


def _show_new_data() -> None:
    choose(METHOD_KEY, SMOOTH.name)
    choose(NEW_DATA_KEY, True)


STEPS = (
    Step(
        "Fraud is rare, so people rated only {documents} that scored above a floor: *caught* and *false alerts* are "
        "known, missed fraud is not.",
        (".explorer .counts", "[data-testid=stMetric]"),
        "Load the sample of card alerts",
        _load_sample,
    ),
    Step(
        "The slider sets the share of fraud among the last alerts added. At 20 % you pay 4 false alerts for each "
        "extra catch.",
        (".explorer .track", ".explorer .target", ".st-key-m_plain"),
        "Set it to 50 %: 1 false alert for each",
        lambda: move_slider(50.0),
    ),
    Step(
        "Each star is the chosen point: one chart shows its thresholds, the other its counts, where the curve is as "
        "steep as the dotted tangent.",
        (".explorer [data-chart=space]", ".explorer [data-chart=plane]", ".st-key-plain_space", ".st-key-plain_plane"),
        "See another path to the same target",
        lambda: choose(METHOD_KEY, "graph"),
    ),
    Step(
        "Thresholds look best on the data that chose them; resampling and held-out {documents} estimate new data. It "
        "takes a minute; the switch and the result are below the charts.",
        (".st-key-new_data",),
        "Estimate results on new data",
        _show_new_data,
    ),
    Step(
        "Download the thresholds exactly as printed, with their counts, or save the decision with a reason.",
        (".st-key-download_thresholds", ".st-key-save_decision"),
        "Back to 20 %",
        lambda: move_slider(20.0),
    ),
)


def offer_tour() -> None:
    """Draw a button that starts the tour, whose steps are drawn above this fragment."""
    if st.button("Tour in five steps", icon=":material/explore:", on_click=_go_to, args=(0,)):
        st.rerun()


def show_tour() -> None:
    """Show the current step of the tour, if any, before the widgets that its actions set."""
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
    # An outline does not move the page; all colours but that of text have a meaning.
    style = "outline: 3px dashed currentcolor; outline-offset: 4px; border-radius: 4px"
    write_style(f"{', '.join(selectors)} {{{style}}}" if selectors else "")


def _act(at: int) -> None:
    STEPS[at].act()
    _go_to(at + 1)


def _go_to(at: int | None) -> None:
    session().point.tour_step = at
