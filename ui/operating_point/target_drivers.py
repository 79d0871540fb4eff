"""What drives the operating point: the slider, or a wish that is turned into the slider's target."""

import math
from collections.abc import Callable
from contextlib import suppress

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.errors import StreamlitAPIException

from multiloss_core import DataError, RecordedTarget, ThresholdPath, Wish
from multiloss_core.formatting import Unit, count, threshold
from multiloss_core.numerics.arrays import Floats
from multiloss_core.thresholds.inspection.periods import days_in_data
from multiloss_core.thresholds.paths.operating_point import ManualPoint, Point
from multiloss_core.thresholds.points.targets import (
    manual_point,
    target_for_alerts,
    target_for_precision,
    target_for_price,
    target_for_share,
)
from ui.operating_point.analysis import Analysis
from ui.operating_point.current_thresholds import current_thresholds
from ui.operating_point.decision_record import guarantee_wishes
from ui.operating_point.payoff_scenarios import COSTS, recorded_driver, scenario_choices, scenario_now
from ui.operating_point.payoff_scenarios import WIDGETS as SCENARIO_WIDGETS
from ui.operating_point.point_text import WORDS
from ui.operating_point.sections.payoffs import ask_payoffs
from ui.operating_point.target import current_target, settle
from ui.shared.formatting import as_text
from ui.shared.slider_scale import HIGHEST, LOWEST
from ui.shared.url_params import as_numbers, as_text_of, from_address, into_address

DRIVER, BY_SLIDER, BY_HAND = "driver", "marginal precision", "thresholds by hand"
BY_PRICE, BY_ALERTS, BY_PRECISION, BY_SHARE = (
    "false alerts per extra catch",
    "a cap on alerts",
    "a floor on precision",
    "a share of positives to keep",
)
HAND, HAND_IN_URL, REFUSED = "hand_thresholds", "hand", "wish_refused"
HELP = """What the point is derived from. Whatever it is, the slider shows the marginal precision that it comes to;
moving the slider takes over again."""


def ask_driver(analysis: Analysis, method: str, choice: DeltaGenerator, wish: DeltaGenerator) -> None:
    """Let the reader drive the point by something else than the slider; sets the target to what the wish comes to.

    `choice` and `wish` are the places of what drives and of what is wished.
    """
    driver = choice.selectbox("Set the point by", list(DRIVERS), key=DRIVER, bind="query-params", help=HELP)
    _leave_in_address(driver)
    _restore_hand(len(analysis.surfaces.names))
    st.session_state[REFUSED] = True
    with wish:
        try:
            target = DRIVERS.get(driver, DRIVERS[BY_SLIDER])(analysis, analysis.path(method))
        except DataError as error:
            st.error(f"{as_text(str(error))} The point stays where it was.", icon=":material/block:")
            return
        finally:
            hand = st.session_state.get(HAND) if driver == BY_HAND else None
            into_address(HAND_IN_URL, None if hand is None else as_text_of(hand))
        if target is None or _drive(100 * target):
            st.session_state[REFUSED] = False


def point_set_by_hand(analysis: Analysis, method: str) -> Point | None:
    """The point at the thresholds set by hand, where these drive."""
    thresholds = st.session_state.get(HAND)
    if st.session_state.get(DRIVER) != BY_HAND or thresholds is None or len(thresholds) != len(analysis.surfaces.names):
        return None
    return _counted(analysis, method, np.array(thresholds))


def present_point(analysis: Analysis, method: str) -> Point | None:
    """The point at the thresholds that are in force now, where the reader gave any."""
    thresholds = current_thresholds(analysis)
    return None if thresholds is None else _counted(analysis, method, thresholds)


def _counted(analysis: Analysis, method: str, thresholds: Floats) -> Point | None:
    try:
        return manual_point(analysis.dataset.source, analysis.path(method), thresholds)
    except DataError:
        # Said where the thresholds were given.
        return None


def driven_by_costs(analysis: Analysis) -> bool:
    """Whether the payoff matrix, which is of documents, drives the point."""
    return st.session_state.get(DRIVER) == COSTS and analysis.settings.unit is Unit.DOCUMENTS


def current_driver() -> str:
    """What the target is derived from, in words; nothing for the slider itself, or where the wish was refused."""
    driver = str(st.session_state.get(DRIVER, BY_SLIDER))
    if st.session_state.get(REFUSED):
        return ""
    return recorded_driver(scenario_now())[0] if driver == COSTS else driver if driver in WISHES else ""


def recorded_target(analysis: Analysis, point: Point) -> RecordedTarget | None:
    """What drove the point, with the wishes it was derived from; None for the slider and for thresholds by hand."""
    driver = current_driver()
    if not driver or isinstance(point, ManualPoint):
        return None
    wishes = recorded_driver(scenario_now())[1] if driven_by_costs(analysis) else _wishes(analysis, driver)
    return RecordedTarget(driver, (*wishes, *guarantee_wishes(analysis, point)), point.marginal_precision, point.status)


def _wishes(analysis: Analysis, driver: str) -> tuple[Wish, ...]:
    values = {key: st.session_state[key] for key in WISHES[driver] if key in st.session_state}
    if driver == BY_ALERTS and (days := _counted_days(analysis)) is not None:
        values[DAYS] = days
    of = IN_MONEY if analysis.settings.unit is Unit.MONEY else ""
    return tuple(Wish(WISHES[driver][key] + ("" if key == DAYS else of), float(value)) for key, value in values.items())


def is_restorable(target: RecordedTarget, *, same_data: bool) -> bool:
    """Whether the driver of a record can drive again; what it wished of a path means little on that of other data."""
    if scenario_choices(target) is not None or target.driver == BY_PRICE:
        return True
    return target.driver in WISHES and same_data


def restore_driver(target: RecordedTarget, *, same_data: bool) -> dict[str, str]:
    """Have the driver of a record drive, or the slider; the choices as they stand in an address."""
    # What has a default takes its value from the address, unless something was chosen before.
    for key in (DRIVER, *SCENARIO_WIDGETS, *(key for keys in WISHES.values() for key in keys)):
        st.session_state.pop(key, None)
    if not is_restorable(target, same_data=same_data):
        return {}
    scenario = scenario_choices(target)
    if scenario is not None:
        return {DRIVER: COSTS} | scenario
    wanted = {wish.name.removesuffix(IN_MONEY): wish.value for wish in target.wishes}
    found = {key: repr(wanted[name]) for key, name in WISHES[target.driver].items() if name in wanted}
    return {DRIVER: target.driver} | found


def _leave_in_address(driver: str) -> None:
    """Take the wishes of other drivers out of the address: a widget that is gone may have left its own there."""
    for other, keys in {**WISHES, COSTS: SCENARIO_WIDGETS}.items():
        for key in keys if other != driver else ():
            # Refused while the widget is going: then it takes its wish with it.
            with suppress(StreamlitAPIException):
                st.query_params.pop(key, None)


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


def _drive(percent: float) -> bool:
    """Make a wish's percentage the target; whether the slider goes that far."""
    if not LOWEST <= percent <= HIGHEST:
        st.error(
            f"This comes to a marginal precision of {percent:.4g} %, beyond the slider's {LOWEST:g} to {HIGHEST:g} %. "
            "The point stays where it was.",
            icon=":material/block:",
        )
        return False
    if abs(current_target().percent - percent) > 1e-9:
        settle(percent)
    return True


def _by_slider(analysis: Analysis, path: ThresholdPath) -> None:
    return None


def _by_price(analysis: Analysis, path: ThresholdPath) -> float:
    label = (
        "Money in false alerts you would accept for each 1 more caught"
        if analysis.settings.unit is Unit.MONEY
        else "False alerts you would pay for one more catch"
    )
    return target_for_price(st.number_input(label, 0.01, 199.0, 4.0, key="wish_price", bind="query-params"))


def _by_costs(analysis: Analysis, path: ThresholdPath) -> float:
    if analysis.settings.unit is Unit.MONEY:
        raise DataError("Costs are of whole documents, and money is counted here; count documents to set them.")
    return ask_payoffs().marginal_precision


def _by_alerts(analysis: Analysis, path: ThresholdPath) -> float:
    cap, span = st.columns(2, vertical_alignment="bottom")
    label = "Money flagged per day, at most" if analysis.settings.unit is Unit.MONEY else "Alerts per day, at most"
    alerts = cap.number_input(label, 0.0, 1e9, 100.0, format="%g", key="wish_alerts", bind="query-params")
    return target_for_alerts(path, alerts * _ask_days(analysis, span))


def _ask_days(analysis: Analysis, place: DeltaGenerator) -> float:
    days = _counted_days(analysis)
    if days is None:
        return place.number_input("Days in the data", 1.0, 10_000.0, 10.0, format="%g", key=DAYS, bind="query-params")
    place.caption(f"over the **{count(days)} days** from the first to the last of the data's times")
    return days


def _counted_days(analysis: Analysis) -> float | None:
    """How many days the times of the data span, where it has times."""
    times = analysis.rated.times
    return None if times is None or not times.size else days_in_data(times)


def _by_precision(analysis: Analysis, path: ThresholdPath) -> float:
    label = f"{WORDS[analysis.settings.unit].precision} of at least, in percent"
    least = st.number_input(label, 0.5, 99.5, 60.0, key="wish_precision", bind="query-params")
    return target_for_precision(path, least / 100)


def _by_share(analysis: Analysis, path: ThresholdPath) -> float:
    label = f"{WORDS[analysis.settings.unit].kept.removesuffix('kept')}to keep, in percent"
    least = st.number_input(label, 0.5, 100.0, 50.0, key="wish_share", bind="query-params")
    return target_for_share(path, least / 100)


def _restore_hand(classifiers: int) -> None:
    """Take the thresholds of a link, where it has as many as there are classifiers."""
    asked = as_numbers(from_address(HAND_IN_URL))
    if asked is not None and len(asked) == classifiers:
        st.session_state[HAND] = asked
        for j, value in enumerate(asked):
            st.session_state[f"hand_{j}"] = threshold(value)


def _by_hand(analysis: Analysis, path: ThresholdPath) -> float:
    source, known = analysis.dataset.source, st.session_state.get(HAND)
    start = analysis.rounded(np.array(known if known is not None and len(known) == len(path.names) else source.floors))
    values = []
    for j, (place, name) in enumerate(zip(st.columns(len(path.names)), path.names, strict=True)):
        st.session_state.setdefault(f"hand_{j}", threshold(start[j]))
        values.append(_number(place.text_input(f"{name} ≥", key=f"hand_{j}", help="A number, or never."), name))
    point = manual_point(source, path, np.array(values))
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
    BY_PRICE: _by_price,
    COSTS: _by_costs,
    BY_ALERTS: _by_alerts,
    BY_PRECISION: _by_precision,
    BY_SHARE: _by_share,
    BY_HAND: _by_hand,
}
DAYS = "wish_days"
# The widgets of each driver, with what they ask for; those of costs are the scenario's.
WISHES = {
    BY_PRICE: {"wish_price": "false alerts per extra catch"},
    BY_ALERTS: {"wish_alerts": "alerts per day", DAYS: "days in the data"},
    BY_PRECISION: {"wish_precision": "precision in percent"},
    BY_SHARE: {"wish_share": "rated positives to keep in percent"},
}
IN_MONEY = " in money"
