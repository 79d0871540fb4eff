"""Goals belong to one file: another file starts without them, and the first one gets its own back."""

from typing import Any

import streamlit as st

from ui.operating_point.controls.target_drivers import DRIVER_KEY, DRIVERS, MANUAL_IN_URL
from ui.operating_point.controls.wishes import HELD_KEY
from ui.operating_point.costs.scenarios import share_scenario
from ui.operating_point.target import IN_URL, current_target, set_target
from ui.shared.session import session
from ui.shared.url_params import FIRST

TARGET, MANUAL = "target", "manual"
GOALS = (DRIVER_KEY, HELD_KEY, *(key for driver in DRIVERS.values() for key in driver.goals))
ON_SHEET = ("afford", "setting", "own", "afford_percent", "afford_review", "afford_catch", "afford_share")


def use_goals_of(file: str) -> None:
    """Set aside the goals of the file before, by fingerprint, and take up those of this one; at first there are none.

    The first file of a session takes what the address asks for.
    """
    state = session().point
    before, state.file = state.file, file
    if before in (None, file):
        return
    state.goals_of_files[str(before)] = _goals() | {
        TARGET: current_target().percent,
        MANUAL: state.manual_thresholds,
    }
    for key in (*GOALS, *ON_SHEET):
        st.session_state.pop(key, None)
        st.query_params.pop(key, None)
    found = state.goals_of_files.get(file, {})
    set_target(found.pop(TARGET, FIRST))
    state.manual_thresholds = found.pop(MANUAL, None)
    state.shown = state.sheet_led_to = None
    for key, value in found.items():
        st.session_state[key] = value
    MANUAL_IN_URL.show(None)
    share_scenario(None)
    if current_target().percent == FIRST:
        IN_URL.show(None)


def _goals() -> dict[str, Any]:
    return {key: st.session_state[key] for key in (*GOALS, *ON_SHEET) if key in st.session_state}
