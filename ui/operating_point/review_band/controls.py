"""What the upper cut is chosen by: a slider, a precision of what is blocked, or what a false block costs."""

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from multiloss_core import DataError
from multiloss_core.decisions import Wish
from multiloss_core.targets import BandCosts, ReviewBand, band_at, band_for_payoffs, band_for_precision
from multiloss_core.thresholds import Point
from ui.operating_point.analysis import Analysis
from ui.operating_point.costs.worth import cases_of
from ui.shared.formatting import vocabulary
from ui.shared.session import ChosenBand, session
from ui.shared.url_params import HIGHEST, LOWEST, STEP, ask_choice, ask_number

SWITCH_KEY, DRIVER_KEY, CAPACITY_KEY = "band", "block_by", "reviews"
FIRST_TARGET, FIRST_PRECISION, FIRST_COST = 80.0, 90.0, 50.0


@dataclass(frozen=True)
class BlockDriver:
    """What can drive the upper cut: its name, the key of its widget, and the band that a value of it leads to."""

    label: str
    key: str
    wish: str
    ask: Callable[[], float]
    lead: Callable[[Analysis, Point, float], ReviewBand]


def ask_switch() -> bool:
    """Whether a part of the alerts is blocked without a review."""
    return st.toggle(
        "Block the surest part without a review",
        key=SWITCH_KEY,
        bind="query-params",
        help="Two cuts in place of one: what reaches the upper one is blocked, what lies between them is reviewed. The "
        "lower one is the operating point above.",
    )


def ask_band(analysis: Analysis, point: Point) -> ChosenBand:
    """Draw what the upper cut is chosen by, and how many can be reviewed a day.

    Raises
    ------
    DataError : no such upper cut, or one below the operating point.
    """
    by, goal, capacity = st.columns([2, 4, 2], gap="medium", vertical_alignment="bottom")
    labels = {key: driver.label for key, driver in DRIVERS.items()}
    driver = DRIVERS[ask_choice(by.selectbox, "Set the upper cut by", labels, key=DRIVER_KEY)]
    most = capacity.number_input(
        "Reviews a day, at most",
        min_value=0.0,
        max_value=1e9,
        value=None,
        format="%g",
        placeholder="not limited",
        key=CAPACITY_KEY,
        bind="query-params",
        disabled=analysis.rated.days is None,
        help="How many people can look at. It needs a column of times.",
    )
    with goal:
        value = driver.ask()
    return ChosenBand(
        band=driver.lead(analysis, point, value),
        driver=driver.label,
        wishes=(Wish(driver.wish, value),),
        reviews_per_day=None if analysis.rated.days is None else most,
    )


def _ask_target() -> float:
    label = f"Upper cut: of the last {vocabulary().documents} blocked, how many must be fraud?"
    return ask_number(st.slider, label, (LOWEST, HIGHEST), FIRST_TARGET, STEP, format="%g %%", key="block_m")


def _ask_precision() -> float:
    label = "Precision of what is blocked, at least, in percent"
    return ask_number(st.number_input, label, (0.5, 99.5), FIRST_PRECISION, 0.5, format="%g", key="block_precision")


def _ask_cost() -> float:
    scenario = session().point.scenarios.driving
    unit = f" ({scenario.currency})" if scenario is not None and scenario.currency else ""
    help_ = (
        "What it costs to stop a good customer for nothing. Reviews and catches cost and bring what the scenario says."
    )
    label = f"A false block costs{unit}"
    return ask_number(st.number_input, label, (0.0, 1e9), FIRST_COST, format="%g", key="block_cost", help=help_)


def _by_target(analysis: Analysis, point: Point, percent: float) -> ReviewBand:
    return band_at(analysis.path(point.method), point, percent / 100)


def _by_precision(analysis: Analysis, point: Point, percent: float) -> ReviewBand:
    return band_for_precision(analysis.path(point.method), point, percent / 100)


def _by_cost(analysis: Analysis, point: Point, cost: float) -> ReviewBand:
    scenario = session().point.scenarios.driving
    if scenario is None:
        raise DataError("What a review costs is not said yet; set the point by costs first.")
    costs = BandCosts(payoffs=scenario.payoffs, false_block=cost)
    return band_for_payoffs(analysis.path(point.method), cases_of(analysis, point.method), costs, point)


# By what the URL says, in the order of the screen.
DRIVERS = {
    "slider": BlockDriver("marginal precision", "block_m", "marginal precision in percent", _ask_target, _by_target),
    "precision": BlockDriver(
        "a precision of what is blocked", "block_precision", "precision in percent", _ask_precision, _by_precision
    ),
    "cost": BlockDriver("the cost of a false block", "block_cost", "cost of a false block", _ask_cost, _by_cost),
}
