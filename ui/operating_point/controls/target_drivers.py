"""What drives the operating point: the slider, or a goal that is turned into the slider's target."""

import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.errors import StreamlitAPIException

from multiloss_core import DataError, ThresholdPath, Unit
from multiloss_core.decisions import RecordedTarget, Wish
from multiloss_core.formatting import count, threshold
from multiloss_core.inspection import days_in_data
from multiloss_core.numerics import Floats
from multiloss_core.targets import (
    manual_point,
    target_for_alerts,
    target_for_precision,
    target_for_price,
    target_for_share,
)
from multiloss_core.thresholds import ManualPoint, Point
from ui.operating_point.analysis import Analysis
from ui.operating_point.baseline import baseline_thresholds
from ui.operating_point.controls.payoffs import ask_scenario
from ui.operating_point.decision_record import certificate_wishes
from ui.operating_point.payoff_scenarios import COSTS, recorded_driver, scenario_choices, share_scenario
from ui.operating_point.point_text import WORDS
from ui.operating_point.target import current_target, set_target
from ui.shared.formatting import as_text
from ui.shared.session import session
from ui.shared.url_params import HIGHEST, LOWEST, ask_choice, numbers_parameter

DRIVER_KEY, DAYS_KEY = "driver", "wish_days"
SLIDER, PRICE, ALERTS, PRECISION, SHARE, MANUAL = "slider", "price", "alerts", "precision", "share", "manual"
MANUAL_IN_URL = numbers_parameter("hand")
IN_MONEY = " in money"
HELP = """What the point is derived from. Whatever it is, the slider shows the marginal precision that it comes to;
moving the slider takes over again."""


@dataclass(frozen=True)
class Driver:
    """What can drive the point: its name on the screen and in records, and the target that it comes to.

    `goals`: by the key of each of its widgets, what that asks for; those of costs are the scenario's.
    """

    label: str
    target: Callable[[Analysis, ThresholdPath], float | None]
    goals: Mapping[str, str] = field(default_factory=dict)


def ask_driver(
    analysis: Analysis, method: str, choice: DeltaGenerator, goal: DeltaGenerator, table: DeltaGenerator
) -> None:
    """Draw the choice of what drives the point and that goal's inputs, and set the target to what they come to.

    `choice` and `goal` are the places of both, `table` that of a goal which needs the width of the screen.
    """
    labels = {key: driver.label for key, driver in DRIVERS.items()}
    driver = ask_choice(choice.selectbox, "Set the point by", labels, key=DRIVER_KEY, help=HELP)
    _leave_in_url(driver)
    _restore_manual(len(analysis.surfaces.names))
    state = session().point
    with table if driver == COSTS else goal:
        try:
            target = DRIVERS[driver].target(analysis, analysis.path(method))
            state.goal_refused = target is not None and not _drive_to(100 * target)
        except DataError as error:
            state.goal_refused = True
            st.error(f"{as_text(str(error))} The point stays where it was.", icon=":material/block:")
    MANUAL_IN_URL.show(state.manual_thresholds if driver == MANUAL else None)
    if driver != COSTS:
        share_scenario(None)


def point_set_by_hand(analysis: Analysis, method: str) -> Point | None:
    """Return the point at the thresholds set by hand, where these drive."""
    thresholds = session().point.manual_thresholds
    if _driver() != MANUAL or thresholds is None or len(thresholds) != len(analysis.surfaces.names):
        return None
    return _counted(analysis, method, np.array(thresholds))


def baseline_point(analysis: Analysis, method: str) -> Point | None:
    """Return the point at the thresholds that others are compared with, where the user gave any."""
    thresholds = baseline_thresholds(analysis)
    return None if thresholds is None else _counted(analysis, method, thresholds)


def _counted(analysis: Analysis, method: str, thresholds: Floats) -> Point | None:
    try:
        return manual_point(analysis.dataset.source, analysis.path(method), thresholds)
    except DataError:
        # The widget that took the thresholds shows this error.
        return None


def driven_by_costs(analysis: Analysis) -> bool:
    """Whether the payoff matrix, which is of documents, drives the point."""
    return _driver() == COSTS and analysis.settings.unit is Unit.DOCUMENTS


def current_driver() -> str:
    """Say what the target is derived from; nothing for the slider itself, or where the goal was refused."""
    driver = _driver()
    if session().point.goal_refused:
        return ""
    scenario = session().point.scenarios.driving
    if driver == COSTS and scenario is not None:
        return recorded_driver(scenario)[0]
    return DRIVERS[driver].label if _goals(driver) else ""


def recorded_target(analysis: Analysis, point: Point) -> RecordedTarget | None:
    """Return what drove the point, with the goals it was derived from; None for the slider and manual thresholds."""
    words = current_driver()
    if not words or isinstance(point, ManualPoint):
        return None
    scenario = session().point.scenarios.driving
    goals = (
        recorded_driver(scenario)[1] if scenario and driven_by_costs(analysis) else _recorded_goals(analysis, _driver())
    )
    return RecordedTarget(words, (*goals, *certificate_wishes(analysis, point)), point.marginal_precision, point.status)


def _recorded_goals(analysis: Analysis, driver: str) -> tuple[Wish, ...]:
    asked = _goals(driver)
    values = {key: st.session_state[key] for key in asked if key in st.session_state}
    if driver == ALERTS and (days := _counted_days(analysis)) is not None:
        values[DAYS_KEY] = days
    of = IN_MONEY if analysis.settings.unit is Unit.MONEY else ""
    return tuple(Wish(asked[key] + ("" if key == DAYS_KEY else of), float(value)) for key, value in values.items())


def is_restorable(target: RecordedTarget, *, same_data: bool) -> bool:
    """Whether the driver of a record can drive again; what it asked of a path means little on that of other data."""
    driver = _driver_of(target)
    return driver in (COSTS, PRICE) or (driver is not None and same_data)


def restore_driver(target: RecordedTarget, *, same_data: bool) -> dict[str, str]:
    """Have the driver of a record drive, or the slider; returns the choices as the URL holds them."""
    # What has a default takes its value from the URL, unless something was chosen before.
    for key in (key for driver in DRIVERS.values() for key in driver.goals):
        st.session_state.pop(key, None)
    driver = _driver_of(target)
    if driver is None or not is_restorable(target, same_data=same_data):
        slider_takes_over()
        return {}
    st.session_state[DRIVER_KEY] = driver
    wanted = {wish.name.removesuffix(IN_MONEY): wish.value for wish in target.wishes}
    found = {key: repr(wanted[name]) for key, name in _goals(driver).items() if name in wanted}
    return {DRIVER_KEY: driver} | (scenario_choices(target) or {}) | found


def slider_takes_over() -> None:
    """Have the slider drive."""
    st.session_state[DRIVER_KEY] = SLIDER


def set_manual_thresholds(thresholds: object) -> None:
    """Have thresholds drive that came from a browser or a record; None stands for never, nonsense changes nothing."""
    if isinstance(thresholds, list) and all(value is None or isinstance(value, int | float) for value in thresholds):
        session().point.manual_thresholds = [math.inf if value is None else float(value) for value in thresholds]
        for j in range(len(thresholds)):
            st.session_state.pop(_manual_key(j), None)
        st.session_state[DRIVER_KEY] = MANUAL


def _driver() -> str:
    chosen = st.session_state.get(DRIVER_KEY)
    return chosen if chosen in DRIVERS else SLIDER


def _driver_of(target: RecordedTarget) -> str | None:
    """Return the driver that a record names, where it asks for something."""
    if scenario_choices(target) is not None:
        return COSTS
    return next((key for key, driver in DRIVERS.items() if driver.goals and driver.label == target.driver), None)


def _goals(driver: str) -> Mapping[str, str]:
    return DRIVERS[driver].goals


def _leave_in_url(driver: str) -> None:
    """Take the goals of other drivers out of the URL: a widget that is gone may have left its own there."""
    for other in DRIVERS:
        for key in _goals(other) if other != driver else ():
            # Refused while the widget is going: then it takes its goal with it.
            with suppress(StreamlitAPIException):
                st.query_params.pop(key, None)


def _drive_to(percent: float) -> bool:
    """Make the percentage that a goal comes to the target; returns whether the slider goes that far."""
    if not LOWEST <= percent <= HIGHEST:
        st.error(
            f"This comes to a marginal precision of {percent:.4g} %, beyond the slider's {LOWEST:g} to {HIGHEST:g} %. "
            "The point stays where it was.",
            icon=":material/block:",
        )
        return False
    if abs(current_target().percent - percent) > 1e-9:
        set_target(percent)
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
    return ask_scenario().payoffs.marginal_precision


def _by_alerts(analysis: Analysis, path: ThresholdPath) -> float:
    cap, span = st.columns(2, vertical_alignment="bottom")
    label = "Money flagged per day, at most" if analysis.settings.unit is Unit.MONEY else "Alerts per day, at most"
    alerts = cap.number_input(label, 0.0, 1e9, 100.0, format="%g", key="wish_alerts", bind="query-params")
    return target_for_alerts(path, alerts * _ask_days(analysis, span))


def _ask_days(analysis: Analysis, place: DeltaGenerator) -> float:
    days = _counted_days(analysis)
    if days is None:
        return place.number_input(
            "Days in the data", 1.0, 10_000.0, 10.0, format="%g", key=DAYS_KEY, bind="query-params"
        )
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


def _restore_manual(classifiers: int) -> None:
    """Take the thresholds of a link, where it has as many as there are classifiers."""
    asked = MANUAL_IN_URL.asked()
    if asked is not None and len(asked) == classifiers:
        session().point.manual_thresholds = asked
        for j, value in enumerate(asked):
            st.session_state[_manual_key(j)] = threshold(value)


def _by_hand(analysis: Analysis, path: ThresholdPath) -> float:
    source, known = analysis.dataset.source, session().point.manual_thresholds
    start = analysis.rounded(np.array(known if known is not None and len(known) == len(path.names) else source.floors))
    values = []
    for j, (place, name) in enumerate(zip(st.columns(len(path.names)), path.names, strict=True)):
        key = _manual_key(j)
        st.session_state.setdefault(key, threshold(start[j]))
        values.append(_number(place.text_input(f"{name} ≥", key=key, help="A number, or never."), name))
    point = manual_point(source, path, np.array(values))
    session().point.manual_thresholds = values
    return float(np.clip(round(point.marginal_precision, 3), LOWEST / 100, HIGHEST / 100))


def _manual_key(j: int) -> str:
    return f"hand_{j}"


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


# By what the URL says, in the order of the screen.
DRIVERS = {
    SLIDER: Driver("marginal precision", _by_slider),
    PRICE: Driver("false alerts per extra catch", _by_price, {"wish_price": "false alerts per extra catch"}),
    COSTS: Driver(COSTS, _by_costs),
    ALERTS: Driver("a cap on alerts", _by_alerts, {"wish_alerts": "alerts per day", DAYS_KEY: "days in the data"}),
    PRECISION: Driver("a floor on precision", _by_precision, {"wish_precision": "precision in percent"}),
    SHARE: Driver("a share of positives to keep", _by_share, {"wish_share": "rated positives to keep in percent"}),
    MANUAL: Driver("thresholds by hand", _by_hand),
}
