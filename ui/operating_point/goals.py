"""Find points for a cap on alerts, a minimum precision or a share of positives to keep."""

import math

import streamlit as st

from multiloss_core import DataError, ThresholdPath, Unit
from multiloss_core.decisions import GoalValue
from multiloss_core.formatting import count, percent, plural
from multiloss_core.numerics import Floats
from multiloss_core.thresholds import Point
from multiloss_core.thresholds.targets import (
    NINE_OF_TEN,
    point_for_alerts,
    point_for_busy_days,
    point_for_precision,
    point_for_share,
)
from ui.operating_point.analysis import Analysis
from ui.operating_point.point_text import WORDS
from ui.operating_point.state import present_point, round_cap
from ui.shared.choices import ask_choice, ask_number, chosen, in_url
from ui.shared.session import session

DAYS_KEY, HELD_KEY = "goal_days", "goal_held"
MEAN, MAX_DAYS = "mean", "most"
HELD = {MEAN: "on average", MAX_DAYS: "on nine days of ten"}
HELD_HELP = """A mean is exceeded on about every second day. *Nine days of ten*: on at most one day of ten of these data
there are more alerts than that. Where alerts rise or fall over time, days to come count."""
SHARE_OF_DAYS = "days that hold the cap in percent"


def by_alerts(analysis: Analysis, method: str) -> Point:
    """Ask for a cap on alerts per day; return the best point under it. Raises DataError."""
    cap, span = st.columns(2, vertical_alignment="bottom")
    label = "Money flagged per day, at most" if analysis.settings.unit is Unit.MONEY else "Alerts per day, at most"
    days = analysis.rated.equivalent_days
    of_most = False
    if days is not None:
        of_most = ask_choice(span.selectbox, "Held", HELD, key=HELD_KEY, help=HELD_HELP) == MAX_DAYS
    else:
        days = span.number_input(
            "Days in the data", 1.0, 10_000.0, None, format="%g", **in_url(DAYS_KEY), placeholder="days"
        )
    start = None if days is None else _first_cap(analysis, present_point(analysis, method), analysis.path(method), days)
    most = ask_number(cap.number_input, label, (0.0, 1e9), 100.0, start=start, key="goal_alerts", format="%g")
    if days is None:
        raise DataError("The data have no time column; type how many days they span, or choose a time column.")
    point = under_cap(analysis.key, method, most, days, of_most, analysis)
    session().point.goal_note = _what_is_used(analysis, point, most, days, of_most=of_most)
    return point


def cap_on_all_days(analysis: Analysis) -> float:
    """Return the alerts, undecided ones included, that a cap on the mean allows in the data."""
    days = analysis.rated.equivalent_days
    return float(chosen("goal_alerts") * (chosen(DAYS_KEY) if days is None else days))


def cap_values(analysis: Analysis) -> tuple[GoalValue, ...]:
    """Record on how many days a cap holds, where it is one of days."""
    of_most = analysis.rated.days is not None and chosen(HELD_KEY) == MAX_DAYS
    return (GoalValue(SHARE_OF_DAYS, 100 * NINE_OF_TEN),) if of_most else ()


def _first_cap(analysis: Analysis, point: Point, path: ThresholdPath, days: float) -> float:
    """Round a point's alerts per day up to three digits; without alerts use the first step."""
    first = (path.tp + path.fp)[path.majorant.vertices[:2]].max()
    return round_cap((point.alerts + _undecided(analysis, point) or float(first)) / days, up=True)


def _what_is_used(analysis: Analysis, point: Point, most: float, days: float, *, of_most: bool) -> str:
    """Describe the used share of a cap, the days above it and the reason for the unused rest."""
    number = analysis.settings.unit.number
    mean = round((point.alerts + _undecided(analysis, point)) / days, 1)
    used, daily, trend = f"Used: {number(mean)} a day on average", _alerts_by_day(analysis, point), None
    if daily is not None:
        trend = analysis.dataset.alert_trend
        to_come = daily if trend is None else daily / trend.levels
        busy, all_days = int((to_come > most * (1 + 1e-9)).sum()), plural(len(daily), "day")
        used += (
            f" of the {all_days} of the data; on {count(busy)} of them more than {most:g}"
            if trend is None
            else f" on days to come; more than {most:g} on {count(busy)} of {all_days} like them. {trend.words}"
        )
    left = round(most - mean, 1)
    if of_most or left <= 0:
        return f"{used}."
    return f"{used}. Left: {number(left)} a day, because no other thresholds tried catch more within the cap."


def _alerts_by_day(analysis: Analysis, point: Point) -> Floats | None:
    data = analysis.dataset
    if not (data.supports("documents") and data.supports("time")):
        return None
    return data.daily_alerts(point.thresholds, point.rule).alerts


def _undecided(analysis: Analysis, point: Point) -> float:
    return analysis.undecided([point])[0] if analysis.settings.unit is Unit.DOCUMENTS else 0.0


@st.cache_resource(scope="session", max_entries=32, show_spinner=False)
def under_cap(
    key: tuple[object, ...], method: str, most: float, days: float, of_most: bool, _analysis: Analysis
) -> Point:
    """Find the best point under a cap on mean or 90th-percentile alerts per day."""
    path, choices, data = _analysis.path(method), _analysis.choices(method), _analysis.dataset
    if not (of_most and data.supports("documents") and data.supports("time")):
        return point_for_alerts(path, choices, most * days)
    return point_for_busy_days(path, choices, data.daily_cap(most))


def by_precision(analysis: Analysis, method: str) -> Point:
    """Ask for a floor on precision; returns the best point above it. Raises DataError."""
    label = f"{WORDS[analysis.settings.unit].precision} of at least, in percent"
    precision = present_point(analysis, method).precision
    start = 60.0 if math.isnan(precision) else _whole_tenths(precision, 99.5)
    least = ask_number(st.number_input, label, (0.5, 99.5), 60.0, start=start, key="goal_precision")
    return _with_precision(analysis.key, method, least / 100, analysis)


@st.cache_resource(scope="session", max_entries=32, show_spinner=False)
def _with_precision(key: tuple[object, ...], method: str, least: float, _analysis: Analysis) -> Point:
    return point_for_precision(_analysis.path(method), _analysis.choices(method), least)


def by_share(analysis: Analysis, method: str) -> Point:
    """Ask for the share of rated positives to keep; return the point with fewest alerts.

    Raises
    ------
    DataError : the rule cannot reach the share.
    """
    label = f"{WORDS[analysis.settings.unit].kept.removesuffix('kept')}to keep, in percent"
    point = present_point(analysis, method)
    start = _whole_tenths(point.share_of_rated_positives, 100.0)
    least = ask_number(st.number_input, label, (0.5, 100.0), 50.0, start=start, key="goal_share")
    if point.reachable_share < 1:
        st.caption(f"At most {percent(point.reachable_share)} can be reached when every score must agree.")
    return _with_share(analysis.key, method, least / 100, analysis)


@st.cache_resource(scope="session", max_entries=32, show_spinner=False)
def _with_share(key: tuple[object, ...], method: str, least: float, _analysis: Analysis) -> Point:
    return point_for_share(_analysis.path(method), _analysis.choices(method), least)


def _whole_tenths(share: float, most: float) -> float:
    """Round a share down to one decimal of a percent within the bounds of its widget."""
    return min(max(math.floor(1000 * share + 1e-9) / 10, 0.5), most)
