"""Goals belong to one file: another file starts without them, and the first one gets its own back."""

import streamlit as st

from ui.operating_point.controls.target_drivers import DRIVER_KEY, DRIVERS, MANUAL_IN_URL
from ui.operating_point.controls.wishes import HELD_KEY
from ui.operating_point.costs import scenarios
from ui.operating_point.target import IN_URL, current_target
from ui.shared.page_setup import asked_in_address
from ui.shared.session import session
from ui.shared.url_params import FIRST

WIDGETS = (DRIVER_KEY, HELD_KEY, *(key for driver in DRIVERS.values() for key in driver.goals))
ON_SHEET = ("afford", "setting", "own", "afford_percent", "afford_review", "afford_catch", "afford_share")
IN_ADDRESS = (*WIDGETS, *ON_SHEET, IN_URL.name, MANUAL_IN_URL.name, *(one.name for one in scenarios.IN_URL))


def use_goals_of(file: str, page: str) -> None:
    """Set aside the goals of the file before, by fingerprint, and open the page with those of this one, at first none.

    Goals are in the address. The first file of a session takes what the address asks for.
    """
    state = session().point
    before, state.file = state.file, file
    if before is None or before == file:
        return
    asked = asked_in_address()
    state.goals_of_files[before] = {name: texts for name, texts in asked.items() if name in IN_ADDRESS}
    found = state.goals_of_files.get(file, {})
    for key in (*WIDGETS, *ON_SHEET):
        st.session_state.pop(key, None)
    current_target().percent, state.manual_thresholds = FIRST, None
    state.shown = state.sheet_led_to = None
    rest = {name: texts for name, texts in asked.items() if name not in IN_ADDRESS}
    if rest | found != asked:
        st.switch_page(page, query_params=rest | found)
