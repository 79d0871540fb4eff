"""Section: block, review or pass, with two thresholds on one path."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import streamlit as st

from multiloss_core import DataError, OperatingPoint
from multiloss_core.decisions import GoalValue, RecordedBlock, RecordedTarget, recorded_thresholds
from multiloss_core.formatting import count, direction, plural, reached, score_name
from multiloss_core.inspection import DailyAlerts, DocumentSubset, band_parts, daily_reviews, held_on_nine_of_ten
from multiloss_core.thresholds import Point
from multiloss_core.thresholds.targets import (
    BandCosts,
    ReviewBand,
    band_at,
    band_for_payoffs,
    band_for_precision,
    review_for_busy_days,
)
from ui.operating_point.active_goal import move_slider, set_manual_thresholds
from ui.operating_point.analysis import Analysis
from ui.operating_point.costs import cases_of, money_words, point_cases
from ui.operating_point.state import PointContext
from ui.shared.choices import HIGHEST, LOWEST, STEP, ask_choice, ask_number, chosen_or_linked, in_url
from ui.shared.formatting import BOUND, COUNT, HIGH, LOW, MONEY, SHARE, as_text, rounded_share, show_numbers, vocabulary
from ui.shared.session import ChosenBand, session

SWITCH_KEY, GOAL_KEY, CAPACITY_KEY = "band", "block_by", "reviews"
FIRST_TARGET, FIRST_PRECISION, FIRST_COST = 80.0, 90.0, 50.0


@dataclass(frozen=True)
class BlockGoal:
    """A way to set the upper cut: name, widget key, and the band for its value."""

    label: str
    key: str
    value_name: str
    ask: Callable[[], float]
    lead: Callable[[Analysis, Point, float], ReviewBand]


def is_band_wanted() -> bool:
    """Return whether two cuts were asked for, by the switch or a link."""
    return chosen_or_linked(SWITCH_KEY) in (True, "true")


def ask_switch() -> bool:
    """Return whether a part of the alerts is blocked without a review."""
    return st.toggle(
        "Block the surest part without a review",
        **in_url(SWITCH_KEY),
        help="Two cuts in place of one: what reaches the upper one is blocked, what lies between them is reviewed. The "
        "lower one is the operating point above.",
    )


def ask_band(analysis: Analysis, point: Point) -> ChosenBand:
    """Draw the goal of the upper cut and the review capacity; return the chosen band.

    Raises
    ------
    DataError : no such upper cut, or one below the operating point.
    """
    by, inputs, capacity = st.columns([2, 4, 2], gap="medium", vertical_alignment="bottom")
    labels = {key: goal.label for key, goal in GOALS.items()}
    goal = GOALS[ask_choice(by.selectbox, "Set the upper cut by", labels, key=GOAL_KEY)]
    most = capacity.number_input(
        "Reviews a day, at most",
        min_value=0.0,
        max_value=1e9,
        value=None,
        format="%g",
        placeholder="not limited",
        **in_url(CAPACITY_KEY),
        disabled=analysis.rated.days is None,
        help="How many people can look at. It needs a column of times.",
    )
    with inputs:
        value = goal.ask()
    return ChosenBand(
        band=goal.lead(analysis, point, value),
        goal=goal.label,
        goal_values=(GoalValue(goal.value_name, value),),
        reviews_per_day=None if analysis.rated.days is None else most,
    )


def _ask_target() -> float:
    label = f"Upper cut: of the last {vocabulary().documents} blocked, how many must be fraud?"
    return ask_number(st.slider, label, (LOWEST, HIGHEST), FIRST_TARGET, STEP, format="%g %%", key="block_m")


def _ask_precision() -> float:
    label = "Precision of what is blocked, at least, in percent"
    return ask_number(st.number_input, label, (0.5, 99.5), FIRST_PRECISION, 0.5, format="%g", key="block_precision")


def _ask_cost() -> float:
    scenario = session().point.goals.scenarios.driving
    unit = f" ({scenario.currency})" if scenario is not None and scenario.currency else ""
    help_ = "The cost of stopping a good customer. The scenario gives the cost of reviews and the value of catches."
    label = f"A false block costs{unit}"
    return ask_number(st.number_input, label, (0.0, 1e9), FIRST_COST, format="%g", key="block_cost", help=help_)


def _by_target(analysis: Analysis, point: Point, percent: float) -> ReviewBand:
    return band_at(analysis.path(point.method), point, percent / 100)


def _by_precision(analysis: Analysis, point: Point, percent: float) -> ReviewBand:
    return band_for_precision(analysis.path(point.method), point, percent / 100)


def _by_cost(analysis: Analysis, point: Point, cost: float) -> ReviewBand:
    scenario = session().point.goals.scenarios.driving
    if scenario is None:
        raise DataError("The cost of a review is unknown; set the point by costs first.")
    costs = BandCosts(payoffs=scenario.payoffs, false_block=cost)
    return band_for_payoffs(analysis.path(point.method), cases_of(analysis, point.method), costs, point)


# By URL value, in the order of the screen.
GOALS = {
    "slider": BlockGoal("marginal precision", "block_m", "marginal precision in percent", _ask_target, _by_target),
    "precision": BlockGoal(
        "a precision of what is blocked", "block_precision", "precision in percent", _ask_precision, _by_precision
    ),
    "cost": BlockGoal("the cost of a false block", "block_cost", "cost of a false block", _ask_cost, _by_cost),
}


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
        RecordedTarget(chosen.goal, chosen.goal_values, *of_target),
        chosen.reviews_per_day,
    )


def block_choices(block: RecordedBlock | None) -> dict[str, str]:
    """Return the upper cut of a record as the URL holds it."""
    found = None if block is None else next((key for key in GOALS if GOALS[key].label == block.target.goal), None)
    if block is None or found is None or not block.target.goal_values:
        return {}
    choices = {SWITCH_KEY: "true", GOAL_KEY: found, GOALS[found].key: repr(block.target.goal_values[0].value)}
    return choices if block.reviews_per_day is None else choices | {CAPACITY_KEY: repr(block.reviews_per_day)}


FRAUD_COUNT, OTHER_COUNT, FRAUD_SHARE = "Fraud", "Not fraud", "Share of fraud"
UNDECIDED, CAUGHT, PER_DAY = "Undecided", "Money in fraud", "A day"
KINDS = {
    FRAUD_COUNT: COUNT,
    OTHER_COUNT: COUNT,
    UNDECIDED: COUNT,
    FRAUD_SHARE: SHARE,
    LOW: BOUND,
    HIGH: BOUND,
    CAUGHT: MONEY,
}


def show_review_band(context: PointContext) -> None:
    """Ask for an upper cut, and show what is blocked, reviewed and passed."""
    st.markdown("**Block, review, pass**")
    session().point.band = None
    if not ask_switch():
        return
    analysis = context.analysis
    try:
        chosen = ask_band(analysis, context.point)
        session().point.band = chosen
        _show_parts(analysis, chosen.band)
        _show_payoff(analysis, chosen)
        _show_days(analysis, chosen)
    except DataError as error:
        st.error(as_text(str(error)), icon=":material/block:")


def _show_parts(analysis: Analysis, band: ReviewBand) -> None:
    parts = band_parts(analysis.rated.source, band)
    st.markdown(_sentence(parts.blocked, parts.reviewed))
    block, review = (analysis.deployable(point) for point in (band.block, band.review))
    blocked, flagged = analysis.undecided([band.block, band.review])
    undecided = (blocked, flagged - blocked, analysis.rated.undecided_weight - flagged)
    rows, rated = [], f"Rated {vocabulary().documents}"
    for i, (words, part, cut) in enumerate(
        (("Block", parts.blocked, block), ("Review", parts.reviewed, review), ("Pass", parts.passed, None))
    ):
        row: dict[str, str | float] = {"Action": words}
        row |= {
            score_name(name): ("below" if direction(name) > 0 else "above")
            if cut is None
            else reached(name, cut[j], analysis.alert_rules)
            for j, name in enumerate(band.block.names)
        }
        row |= {rated: part.alerts, FRAUD_COUNT: part.tp, OTHER_COUNT: part.fp}
        if analysis.has_undecided:
            row[UNDECIDED] = undecided[i]
        row |= {FRAUD_SHARE: rounded_share(part.precision, part.alerts), LOW: part.interval[0], HIGH: part.interval[1]}
        if analysis.rated.amounts is not None and part.positions is not None:
            row[CAUGHT] = _money_in_fraud(analysis, part)
        rows.append(row)
    show_numbers(rows, {rated: COUNT, **KINDS}, alt="What is blocked, reviewed and passed, with the share of fraud.")
    st.caption(
        f"Counted on the rated {vocabulary().documents} that chose the point; of what is blocked and reviewed the "
        "share of fraud is the precision. *Pass* holds only what was rated: how much fraud lies below the floors is "
        "unknown."
    )


def _sentence(blocked: DocumentSubset, reviewed: DocumentSubset) -> str:
    if not blocked.alerts:
        return "**Nothing is blocked:** no part of the path is so sure. Lower the upper cut."
    return (
        f"**{plural(blocked.alerts, vocabulary().document)} blocked**, of which {count(blocked.fp)} for nothing; "
        f"**{count(reviewed.alerts)} reviewed**, of which {count(reviewed.tp)} are fraud."
    )


def _money_in_fraud(analysis: Analysis, part: DocumentSubset) -> float:
    amounts = analysis.rated.amounts
    if amounts is None or part.positions is None:
        return float("nan")
    documents = analysis.rated.documents
    fraud = part.positions[documents.labels[part.positions]]
    return float((documents.weights[fraud] * amounts[fraud]).sum())


def _show_payoff(analysis: Analysis, chosen: ChosenBand) -> None:
    """Show the payoff of both parts if costs chose the cut."""
    scenario = session().point.goals.scenarios.driving
    if chosen.goal != "the cost of a false block" or scenario is None:
        return
    costs = BandCosts(payoffs=scenario.payoffs, false_block=chosen.goal_values[0].value)
    block, both = (np.array(point_cases(analysis, point)) for point in (chosen.band.block, chosen.band.review))
    blocked, reviewed = costs.blocked(*block), costs.payoffs.total(*(both - block))
    amounts = [as_text(money_words(value, scenario.currency)) for value in (blocked + reviewed, blocked, reviewed)]
    alone = as_text(money_words(costs.payoffs.total(*both), scenario.currency))
    st.markdown(
        f"**Together they bring {amounts[0]}:** {amounts[1]} by blocking, {amounts[2]} by reviewing. "
        f"Reviewing all of it would bring {alone}."
    )


def _show_days(analysis: Analysis, chosen: ChosenBand) -> None:
    """Show the daily reviews against the capacity."""
    rated = analysis.rated
    if not (rated.supports("documents") and rated.supports("time")):
        st.caption("Without a column of times it is not known how many are reviewed a day.")
        return
    known = rated.calendar
    days = daily_reviews(rated.documents, known, chosen.band)
    often, most = held_on_nine_of_ten(days, rated.alert_trend), chosen.reviews_per_day
    workload = f"**Reviews a day:** {_about(days.mean)} on average, at most {_about(often)} on nine days of ten."
    if most is None:
        st.markdown(workload)
    elif often <= most:
        st.markdown(f"{workload} That keeps within {most:g}.")
    else:
        st.warning(_too_many(workload, days, most), icon=":material/groups:")
        _offer_fewer(analysis, chosen, most)


def _too_many(workload: str, days: DailyAlerts, most: float) -> str:
    held = (
        "on average, but not on nine days of ten" if days.mean <= most else "neither on average nor on nine days of ten"
    )
    return f"{workload} {most:g} a day is kept {held}: raise the operating point, or lower the upper cut."


def _offer_fewer(analysis: Analysis, chosen: ChosenBand, most: float) -> None:
    """Offer the lower cut that leaves as many reviews as people can do."""
    documents, path = analysis.rated.documents, analysis.path(chosen.band.block.method)
    try:
        fitting = review_for_busy_days(path, chosen.band.block, documents, analysis.rated.daily_cap(most)).review
    except DataError as error:
        st.caption(as_text(str(error)))
        return
    st.button(
        f"Move the operating point so that {most:g} a day are enough",
        icon=":material/vertical_align_top:",
        on_click=_move_to,
        args=(fitting, analysis.deployable(fitting).tolist()),
    )


def _move_to(point: Point, thresholds: list[float]) -> None:
    if isinstance(point, OperatingPoint):
        move_slider(100 * point.marginal_precision)
    else:
        set_manual_thresholds(thresholds)


def _about(value: float) -> str:
    return f"{value:,.1f}".removesuffix(".0")
