"""What drives the operating point: the slider, or a wish that is turned into the slider's target."""

import math
from collections.abc import Callable

import numpy as np
import streamlit as st
from numpy.typing import NDArray
from streamlit.delta_generator import DeltaGenerator

from multiloss_core import DataError, OperatingPoint, RatedDocuments, RecordedTarget, ThresholdPath, Wish
from multiloss_core.thresholds.wishes import (
    point_by_hand,
    target_for_alerts,
    target_for_costs,
    target_for_precision,
    target_for_price,
    target_for_share,
)
from ui.analysis import Analysis
from ui.current_thresholds import current_thresholds
from ui.target import HIGHEST, LOWEST, current_target, settle
from ui.words import threshold

DRIVER, BY_SLIDER, BY_HAND = "driver", "marginal precision", "thresholds by hand"
HAND = "hand_thresholds"
HELP = """What the point is derived from. Whatever it is, the slider shows the marginal precision that it comes to;
moving the slider takes over again."""


def ask_driver(analysis: Analysis, method: str, choice: DeltaGenerator, wish: DeltaGenerator) -> None:
    """Let the reader drive the point by something else than the slider; sets the target to what the wish comes to.

    `choice` and `wish` are the places of what drives and of what is wished.
    """
    driver = choice.selectbox("Set the point by", list(DRIVERS), key=DRIVER, bind="query-params", help=HELP)
    with wish:
        try:
            target = DRIVERS.get(driver, DRIVERS[BY_SLIDER])(analysis, analysis.path(method))
        except DataError as error:
            st.error(f"{error} The point stays where it was.", icon=":material/block:")
            return
    if target is not None:
        _drive(100 * target)


def point_set_by_hand(analysis: Analysis, method: str) -> OperatingPoint | None:
    """The point at the thresholds set by hand, where these drive."""
    thresholds = st.session_state.get(HAND)
    if st.session_state.get(DRIVER) != BY_HAND or thresholds is None or len(thresholds) != len(analysis.surfaces.names):
        return None
    return _counted(analysis, method, np.array(thresholds))


def present_point(analysis: Analysis, method: str) -> OperatingPoint | None:
    """The point at the thresholds that are in force now, where the reader gave any."""
    thresholds = current_thresholds(analysis)
    return None if thresholds is None else _counted(analysis, method, thresholds)


def _counted(analysis: Analysis, method: str, thresholds: NDArray[np.float64]) -> OperatingPoint | None:
    try:
        return point_by_hand(analysis.dataset.source, analysis.path(method), thresholds)
    except DataError:
        # Said where the thresholds were given.
        return None


def current_driver() -> str:
    """What the target is derived from, in words; nothing for the slider itself."""
    driver = str(st.session_state.get(DRIVER, BY_SLIDER))
    return "" if driver in (BY_SLIDER, BY_HAND) else driver


def recorded_target(point: OperatingPoint) -> RecordedTarget | None:
    """What drove the point, with the wishes it was derived from; None for the slider and for thresholds by hand."""
    driver = current_driver()
    if not driver or point.by_hand:
        return None
    wishes = tuple(
        Wish(name, float(st.session_state[key])) for key, name in WISHES[driver].items() if key in st.session_state
    )
    return RecordedTarget(driver, wishes, point.marginal_precision, point.status)


def take_over() -> None:
    """The slider drives: called when the reader moved it."""
    st.session_state[DRIVER] = BY_SLIDER


def pick(thresholds: object) -> None:
    """Take thresholds that the reader clicked in a chart; None stands for never."""
    if isinstance(thresholds, list) and all(value is None or isinstance(value, int | float) for value in thresholds):
        st.session_state[HAND] = [math.inf if value is None else float(value) for value in thresholds]
        for j in range(len(thresholds)):
            st.session_state.pop(f"hand_{j}", None)
        st.session_state[DRIVER] = BY_HAND


def _drive(percent: float) -> None:
    if not LOWEST <= percent <= HIGHEST:
        st.error(
            f"This comes to a marginal precision of {percent:.4g} %, beyond the slider's {LOWEST:g} to {HIGHEST:g} %. "
            "The point stays where it was.",
            icon=":material/block:",
        )
        return
    target = current_target()
    if abs(target.percent - percent) > 1e-9:
        settle(percent)
        target.announce()


def _by_slider(analysis: Analysis, path: ThresholdPath) -> None:
    return None


def _by_price(analysis: Analysis, path: ThresholdPath) -> float:
    return target_for_price(
        st.number_input("False alerts you would pay for one more catch", 0.01, 199.0, 4.0, key="wish_price")
    )


def _by_costs(analysis: Analysis, path: ThresholdPath) -> float:
    cost, value = st.columns(2)
    review = cost.number_input("One review costs", 0.01, 1e9, 5.0, key="wish_review")
    return target_for_costs(review, value.number_input("One catch is worth", 0.01, 1e9, 25.0, key="wish_catch"))


def _by_alerts(analysis: Analysis, path: ThresholdPath) -> float:
    cap, span = st.columns(2)
    alerts = cap.number_input("Alerts per day, at most", 0.0, 1e9, 100.0, format="%g", key="wish_alerts")
    days = span.number_input("Days in the data", 1.0, 10_000.0, 10.0, format="%g", key="wish_days")
    return target_for_alerts(path, alerts * days)


def _by_precision(analysis: Analysis, path: ThresholdPath) -> float:
    least = st.number_input("Precision of at least, in percent", 0.5, 99.5, 60.0, key="wish_precision")
    return target_for_precision(path, least / 100)


def _by_share(analysis: Analysis, path: ThresholdPath) -> float:
    least = st.number_input("Rated positives to keep, in percent", 0.5, 100.0, 50.0, key="wish_share")
    return target_for_share(path, least / 100)


def _by_hand(analysis: Analysis, path: ThresholdPath) -> float:
    source = analysis.dataset.source
    floors = source.floors if isinstance(source, RatedDocuments) else [axis[0] for axis in source.axes]
    known = st.session_state.get(HAND)
    start = analysis.rounded(np.array(known if known is not None and len(known) == len(path.names) else floors))
    values = []
    for j, (place, name) in enumerate(zip(st.columns(len(path.names)), path.names, strict=True)):
        st.session_state.setdefault(f"hand_{j}", threshold(start[j]))
        values.append(_number(place.text_input(f"{name} ≥", key=f"hand_{j}", help="A number, or never."), name))
    point = point_by_hand(source, path, np.array(values))
    st.session_state[HAND] = values
    return float(np.clip(round(point.marginal_precision, 3), LOWEST / 100, HIGHEST / 100))


def _number(text: str, name: str) -> float:
    if text.strip().casefold() == "never":
        return math.inf
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        value = math.nan
    if math.isnan(value):
        raise DataError(f"The threshold of '{name}' is not a number: '{text[:20]}'. Type one, or never.")
    return value


DRIVERS: dict[str, Callable[[Analysis, ThresholdPath], float | None]] = {
    BY_SLIDER: _by_slider,
    "false alerts per extra catch": _by_price,
    "costs": _by_costs,
    "a cap on alerts": _by_alerts,
    "a floor on precision": _by_precision,
    "a share of positives to keep": _by_share,
    BY_HAND: _by_hand,
}
# The widgets of each driver, with what they ask for.
WISHES = {
    "false alerts per extra catch": {"wish_price": "false alerts per extra catch"},
    "costs": {"wish_review": "cost of a review", "wish_catch": "value of a catch"},
    "a cap on alerts": {"wish_alerts": "alerts per day", "wish_days": "days in the data"},
    "a floor on precision": {"wish_precision": "precision in percent"},
    "a share of positives to keep": {"wish_share": "rated positives to keep in percent"},
}
