"""Goals belong to one file: another file starts without them, and the first one gets its own back."""

import streamlit as st

from ui.operating_point.controls.target_drivers import DRIVER_KEY, DRIVERS, set_manual_thresholds
from ui.operating_point.controls.wishes import DAYS_KEY, HELD_KEY
from ui.operating_point.costs.form import DRIVING
from ui.operating_point.target import current_target, restore_target
from ui.shared.session import Goals, session

NUMBERS = (
    *(key for driver in DRIVERS.values() for key in driver.goals if key != DAYS_KEY),
    *("afford_percent", "afford_review", "afford_catch", "afford_share"),
)
CHOICES = (DRIVER_KEY, HELD_KEY, DAYS_KEY, DRIVING, "afford", "setting")


def use_goals_of(file: str) -> None:
    """Set aside the goals of the file before, by fingerprint, and take those of this one, at first none.

    The first file of a session takes what the address asks for.
    """
    state = session().point
    before, state.file = state.file, file
    if before is None or before == file:
        return
    state.goals_of_files[before] = Goals(
        {key: st.session_state[key] for key in (*NUMBERS, *CHOICES) if key in st.session_state},
        state.target.percent,
        state.manual_thresholds,
        state.scenarios,
        state.shown,
        state.sheet_led_to,
    )
    found = state.goals_of_files.get(file, Goals())
    # The editor of the other file's table is another widget.
    found.scenarios.version = state.scenarios.version + 1
    for key in (key for key in (*NUMBERS, *CHOICES) if key in st.session_state or key in found.typed):
        if key in NUMBERS and key not in found.typed:
            # A box that has been drawn keeps what it held in the browser, unless it is given another number.
            state.start_anew.add(key)
        else:
            st.session_state[key] = found.typed.get(key)
    current_target().percent, state.scenarios = found.percent, found.scenarios
    state.shown, state.sheet_led_to = found.shown, found.sheet_led_to
    state.manual_thresholds = None
    set_manual_thresholds(found.manual)
    restore_target()
