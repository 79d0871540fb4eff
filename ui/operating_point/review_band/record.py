"""The upper cut in a decision record, and back on the screen."""

import streamlit as st

from multiloss_core import OperatingPoint
from multiloss_core.decisions import RecordedBlock, RecordedTarget, recorded_thresholds
from ui.operating_point.analysis import Analysis
from ui.operating_point.review_band.controls import CAPACITY_KEY, DRIVER_KEY, DRIVERS, SWITCH_KEY
from ui.shared.session import session


def recorded_block(analysis: Analysis) -> RecordedBlock | None:
    """Record the upper cut of the screen; None where there is one cut."""
    chosen = session().point.band
    if chosen is None:
        return None
    block = chosen.band.block
    of_target = (block.marginal_precision, block.status) if isinstance(block, OperatingPoint) else ()
    return RecordedBlock(
        recorded_thresholds(analysis.deployable(block)),
        block.tp,
        block.fp,
        RecordedTarget(chosen.driver, chosen.wishes, *of_target),
        chosen.reviews_per_day,
    )


def restore_block(block: RecordedBlock | None) -> dict[str, str]:
    """Have the upper cut of a record drawn, or none; returns the choices as the URL holds them."""
    keys = (SWITCH_KEY, DRIVER_KEY, CAPACITY_KEY, *(driver.key for driver in DRIVERS.values()))
    for key in keys:
        # What has a default takes its value from the URL, unless something was chosen before.
        st.session_state.pop(key, None)
    found = None if block is None else next((key for key in DRIVERS if DRIVERS[key].label == block.target.driver), None)
    if block is None or found is None or not block.target.wishes:
        return {}
    st.session_state[DRIVER_KEY] = found
    choices = {SWITCH_KEY: "true", DRIVER_KEY: found, DRIVERS[found].key: repr(block.target.wishes[0].value)}
    return choices if block.reviews_per_day is None else choices | {CAPACITY_KEY: repr(block.reviews_per_day)}
