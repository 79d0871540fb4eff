"""Manage the active goal, which sets the target or thresholds; each file keeps its goals."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from multiloss_core import DataError, OperatingPoint, Unit
from multiloss_core.decisions import (
    ALERTS_PER_DAY,
    CAP_ON_ALERTS,
    COSTS,
    DAYS_IN_DATA,
    PRECISION_FLOOR,
    PRECISION_PERCENT,
    GoalValue,
    RecordedTarget,
)
from multiloss_core.formatting import direction, score_name, score_side, score_threshold
from multiloss_core.numerics import Floats, typed_number
from multiloss_core.thresholds import ManualPoint, Point
from multiloss_core.thresholds.targets import manual_point, target_for_price
from ui.operating_point.analysis import Analysis
from ui.operating_point.costs import recorded_goal, scenario_choices, share_scenario, target_of
from ui.operating_point.costs_form import ask_scenario
from ui.operating_point.current_thresholds import compared_thresholds
from ui.operating_point.decision import certificate_values
from ui.operating_point.goals import (
    DAYS_KEY,
    HELD_KEY,
    MAX_DAYS,
    SHARE_OF_DAYS,
    by_alerts,
    by_precision,
    by_share,
    cap_values,
)
from ui.operating_point.state import point_shown_by, present_point, restore_target, set_target
from ui.shared.choices import (
    HIGHEST,
    LOWEST,
    ask_choice,
    ask_number,
    choose,
    choose_first,
    chosen,
    chosen_or_linked,
    numbers_parameter,
    remove_from_url,
    swap_choices_of_file,
    withdraw,
)
from ui.shared.formatting import as_label, as_text
from ui.shared.session import Goals, session

GOAL_KEY = "goal"
SLIDER, PRICE, ALERTS, PRECISION, SHARE, MANUAL = "slider", "price", "alerts", "precision", "share", "manual"
MANUAL_IN_URL = numbers_parameter("hand")
IN_MONEY = " in money"
HELP = """What the point is derived from. The slider shows where that lies, and moving it takes over again. A cap, a
floor or a share leads to the best thresholds that it allows, also between two positions of the slider."""


@dataclass(frozen=True)
class Goal:
    """A goal: its name on the screen and in records, and its target or point.

    `goals`: the values of its widgets by key; those of costs belong to the scenario.
    """

    label: str
    lead: Callable[[Analysis, str], float | Point | None]
    goals: Mapping[str, str] = field(default_factory=dict)


def ask_goal(analysis: Analysis, method: str, choice: DeltaGenerator, inputs: DeltaGenerator) -> Point | None:
    """Draw the choice of the active goal and its inputs; return the point if the goal finds one.

    A goal that amounts to a target sets the target instead. `choice` and `inputs` are the places of both widgets.
    """
    labels = {key: goal.label for key, goal in GOALS.items()}
    goal = ask_choice(choice.selectbox, "Set the point by", labels, key=GOAL_KEY, help=HELP)
    _leave_in_url(goal)
    _restore_manual(analysis.names, len(analysis.alert_rules))
    state = session().point
    found, state.goal_note = None, ""
    with inputs:
        try:
            led = GOALS[goal].lead(analysis, method)
            state.goal_refused = isinstance(led, float) and not _drive_to(100 * led)
            found = None if isinstance(led, float) else led
        except DataError as error:
            state.goal_refused = True
            found = None if goal in (SLIDER, PRICE, COSTS) else point_shown_by(goal, analysis, method)
            _say_refused(as_text(str(error)))
    MANUAL_IN_URL.show(state.goals.manual_thresholds if goal == MANUAL else None)
    if goal != MANUAL:
        state.goals.manual_thresholds = None
    if goal != COSTS:
        share_scenario(None)
    return found


def compared_point(analysis: Analysis, method: str) -> Point | None:
    """Return the point at the thresholds that others are compared with, where the user gave any."""
    thresholds = compared_thresholds(analysis)
    return None if thresholds is None else _counted(analysis, method, thresholds)


def _counted(analysis: Analysis, method: str, thresholds: Floats) -> Point | None:
    try:
        return manual_point(analysis.dataset.source, analysis.path(method), thresholds)
    except DataError:
        # The widget that took the thresholds shows this error.
        return None


def active_goal() -> str:
    """Return the name of the active goal; empty for the slider or a refused goal."""
    goal = chosen_goal()
    if session().point.goal_refused:
        return ""
    scenario = session().point.goals.scenarios.driving
    if goal == COSTS and scenario is not None:
        return recorded_goal(scenario)[0]
    return GOALS[goal].label if _goals(goal) else ""


def recorded_target(analysis: Analysis, point: Point) -> RecordedTarget | None:
    """Return the active goal with its values; None for the slider and manual thresholds."""
    words = active_goal()
    if not words or isinstance(point, ManualPoint):
        return None
    scenario, goal = session().point.goals.scenarios.driving, chosen_goal()
    goals = recorded_goal(scenario)[1] if scenario and goal == COSTS else _recorded_goals(analysis, goal)
    goal_values = (*goals, *certificate_values(analysis, point))
    # A goal finds its point again; a target would find another one.
    led = goal in (PRICE, COSTS) and isinstance(point, OperatingPoint)
    return RecordedTarget(words, goal_values, *((point.marginal_precision, point.status) if led else ()))


def _recorded_goals(analysis: Analysis, goal: str) -> tuple[GoalValue, ...]:
    asked = _goals(goal)
    values = {key: chosen(key) for key in asked if chosen(key) is not None}
    if goal == ALERTS and (days := analysis.rated.days) is not None:
        values[DAYS_KEY] = days
    of = IN_MONEY if analysis.settings.unit is Unit.MONEY else ""
    goal_values = tuple(
        GoalValue(asked[key] + ("" if key == DAYS_KEY else of), float(value)) for key, value in values.items()
    )
    return (*goal_values, *cap_values(analysis)) if goal == ALERTS else goal_values


def is_known(target: RecordedTarget) -> bool:
    """Return whether this version of the program has the goal of a record."""
    return _goal_of(target) is not None


def is_restorable(target: RecordedTarget, *, same_data: bool) -> bool:
    """Return whether a record's goal can be active; values of a path depend on its data."""
    goal = _goal_of(target)
    # A record with a target restores that instead of its goal about the path.
    return goal in (COSTS, PRICE) or (goal is not None and same_data and target.marginal_precision is None)


def goal_choices(target: RecordedTarget, *, same_data: bool) -> dict[str, str]:
    """Return the goal of a record as the URL holds it; nothing where it cannot be active."""
    goal = _goal_of(target)
    if goal is None or not is_restorable(target, same_data=same_data):
        return {}
    wanted = {goal.name.removesuffix(IN_MONEY): goal.value for goal in target.goal_values}
    found = {key: repr(wanted[name]) for key, name in _goals(goal).items() if name in wanted}
    held = {HELD_KEY: MAX_DAYS} if SHARE_OF_DAYS in wanted else {}
    return {GOAL_KEY: goal} | (scenario_choices(target) or {}) | found | held


def move_slider(percent: object) -> None:
    """Set the target to a percentage and make the slider the active control."""
    set_target(percent)
    choose(GOAL_KEY, SLIDER)


def set_manual_thresholds(thresholds: object) -> None:
    """Activate thresholds of a browser or record, None for never; ignore invalid ones."""
    if isinstance(thresholds, list) and all(value is None or isinstance(value, int | float) for value in thresholds):
        session().point.goals.manual_thresholds = [math.inf if value is None else float(value) for value in thresholds]
        withdraw("hand_")
        choose(GOAL_KEY, MANUAL)


def chosen_goal() -> str:
    """Return the active goal by its URL value."""
    goal = chosen_or_linked(GOAL_KEY)
    return goal if goal in GOALS else SLIDER


def _goal_of(target: RecordedTarget) -> str | None:
    """Return the goal that a record names, where it asks for something."""
    if scenario_choices(target) is not None:
        return COSTS
    return next((key for key, goal in GOALS.items() if goal.goals and goal.label == target.goal), None)


def _goals(goal: str) -> Mapping[str, str]:
    return GOALS[goal].goals


def _leave_in_url(goal: str) -> None:
    """Remove the values of inactive goals from the URL, where removed widgets leave them."""
    inactive = (key for other in GOALS if other != goal for key in _goals(other))
    remove_from_url(*inactive, *(() if goal == ALERTS else (HELD_KEY,)))


def _drive_to(wanted: float) -> bool:
    """Set the target to a goal's percentage; return whether the slider reaches it."""
    if not LOWEST <= wanted <= HIGHEST:
        _say_refused(
            f"This comes to a marginal precision of {wanted:.4g} %, beyond the slider's {LOWEST:g} to {HIGHEST:g} %."
        )
        return False
    if abs(session().point.goals.percent - wanted) > 1e-9:
        set_target(wanted)
    return True


def _say_refused(why: str) -> None:
    # Above the charts, so that nothing moves.
    with st.container(key="goal_refused"):
        st.error(f"{why} The point stays where it was.", icon=":material/block:")


def _by_slider(analysis: Analysis, method: str) -> None:
    return None


def _by_price(analysis: Analysis, method: str) -> float:
    label = (
        "Money in false alerts you would accept for each 1 more caught"
        if analysis.settings.unit is Unit.MONEY
        else "False alerts you would pay for one more catch"
    )
    m = present_point(analysis, method).marginal_precision
    start = float(f"{(1 - m) / m:.3g}")
    return target_for_price(ask_number(st.number_input, label, (0.01, 199.0), 4.0, start=start, key="goal_price"))


def _by_costs(analysis: Analysis, method: str) -> float:
    scenario = ask_scenario(analysis, present_point(analysis, method).marginal_precision)
    return target_of(analysis, scenario.payoffs)


def _restore_manual(names: Sequence[str], rules: int) -> None:
    """Take the thresholds of a link, where it has as many; the last ones are of alert rules."""
    asked = MANUAL_IN_URL.asked()
    if asked is not None and len(asked) == len(names):
        session().point.goals.manual_thresholds = asked
        for j, value in enumerate(asked):
            is_rule = j >= len(names) - rules
            choose(_manual_key(j), math.isfinite(value) if is_rule else score_threshold(names[j], value))


def _by_hand(analysis: Analysis, method: str) -> Point:
    source, path, known = analysis.dataset.source, analysis.path(method), session().point.goals.manual_thresholds
    present = present_point(analysis, method).thresholds
    start = analysis.rounded(np.array(known if known is not None and len(known) == len(path.names) else present))
    values, scored = [], len(path.names) - len(analysis.alert_rules)
    for j, (place, name) in enumerate(zip(st.columns(scored), path.names, strict=False)):
        key = _manual_key(j)
        choose_first(key, score_threshold(name, start[j]))
        values.append(_number(place.text_input(as_label(score_side(name)), key=key, help="A number, or never."), name))
    for j, name in enumerate(analysis.alert_rules, start=scored):
        key = _manual_key(j)
        choose_first(key, bool(np.isfinite(start[j])))
        values.append(1.0 if st.toggle(as_label(name), key=key, help="The alert rule is on.") else math.inf)
    point = manual_point(source, path, np.array(values))
    session().point.goals.manual_thresholds = values
    return point


def _manual_key(j: int) -> str:
    return f"hand_{j}"


def _number(text: str, name: str) -> float:
    if text.strip().casefold() == "never":
        return math.inf
    try:
        value = typed_number(text)
    except ValueError:
        value = math.nan
    if math.isnan(value):
        shown = f"The threshold of '{score_name(name)}' is not a number: '{text[:20]}'"
        raise DataError(f"{shown}. Type it as 0.5, or never.")
    return direction(name) * value


# By URL value, in the order of the screen.
GOALS = {
    SLIDER: Goal("marginal precision", _by_slider),
    PRICE: Goal("false alerts per extra catch", _by_price, {"goal_price": "false alerts per extra catch"}),
    COSTS: Goal(COSTS, _by_costs),
    ALERTS: Goal(CAP_ON_ALERTS, by_alerts, {"goal_alerts": ALERTS_PER_DAY, DAYS_KEY: DAYS_IN_DATA}),
    PRECISION: Goal(PRECISION_FLOOR, by_precision, {"goal_precision": PRECISION_PERCENT}),
    SHARE: Goal("a share of positives to keep", by_share, {"goal_share": "rated positives to keep in percent"}),
    MANUAL: Goal("thresholds by hand", _by_hand),
}


def use_goals_of(file: str) -> None:
    """Store the goals of the previous file and restore those of this one.

    The first file of a session takes the values of the URL.
    """
    state = session().point
    before, state.file = state.file, file
    if before is None or before == file:
        return
    old, new = state.goals, state.goals_of_files.get(file) or Goals()
    state.goals_of_files[before], state.goals = old, new
    old.choices = swap_choices_of_file(new.choices)
    # The editor of the other file's table is another widget.
    new.scenarios.version = old.scenarios.version + 1
    withdraw("hand_")
    restore_target()
