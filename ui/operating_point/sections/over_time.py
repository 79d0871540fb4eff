"""A point over time: alerts per day, and whether its precision drifts from week to week."""

import numpy as np
import streamlit as st

from multiloss_core import RatedDocuments
from multiloss_core.engines import By, CountedDataset
from multiloss_core.figures import daily_chart, weekly_chart
from multiloss_core.formatting import count, percent, plural
from multiloss_core.inspection import (
    MIN_WEEKS,
    Calendar,
    DailyAlerts,
    Drift,
    WeeklyCounts,
    alerts_drift,
    precision_drift,
)
from multiloss_core.thresholds import Point, rated_in_full
from ui.data.engine_connections import ask_along
from ui.operating_point.analysis import Analysis
from ui.operating_point.point_text import COUNT_KINDS, count_columns
from ui.operating_point.state import PointContext
from ui.shared.formatting import show_numbers, vocabulary
from ui.shared.page_setup import theme
from ui.shared.widgets import shown_when_open

MAX_DAYS_DRAWN = 1_100
BESIDE_THE_PATH = "These thresholds were set manually: only points of a path can be counted in the source."


def show_alerts_per_day(context: PointContext) -> None:
    """Alerts per day in a line. Nothing where documents have no times."""
    days = context.analysis.alerts_per_day(context.point)
    if days is not None:
        st.caption(_day_words(days))


def show_periods(context: PointContext) -> None:
    """Show TP, FP and precision per week, and signs of drift, if documents have times."""
    if context.analysis.rated.supports("time"):
        _show_periods(context.analysis, context.point)


def only_rated() -> str:
    """Return the warning for thresholds below a floor."""
    return (
        f"The thresholds reach below a floor, where nothing was rated: only rated {vocabulary().documents} are counted "
        "here."
    )


def is_counted(analysis: Analysis, point: Point, by: By) -> bool:
    """Return whether a point is counted by day or segment; in an engine, offer to count it.

    A message explains that thresholds beside the path cannot be counted there.
    """
    rated = analysis.rated
    if not isinstance(rated, CountedDataset):
        return True
    if analysis.vertex(point) is None:
        st.info(BESIDE_THE_PATH)
        return False
    path, column = analysis.path(point.method), rated.columns.time if by == "day" else rated.columns.segment
    return ask_along(rated, path.thresholds, path.rule, by, column or "") is not None


@shown_when_open("Over time: does the point drift?", icon=":material/calendar_month:", key="periods")
def _show_periods(analysis: Analysis, point: Point) -> None:
    found = analysis.over_time(point) if is_counted(analysis, point, "day") else None
    if found is None:
        return
    weeks, incomplete = found.weeks, found.incomplete
    if not weeks.all_alerts.any():
        st.info("Nothing is flagged at this point.")
        return
    st.markdown(f"{_precision_words(weeks, incomplete)}\n\n{_alert_words(weeks)}")
    if incomplete is not None:
        st.warning(_incomplete_words(weeks, incomplete), icon=":material/pending_actions:")
    warn_of_floors(analysis, point)
    _show_weeks(weeks)
    _show_days(found.days)
    if not analysis.rated.supports("documents"):
        st.caption(
            f"Only decided {vocabulary().documents} are counted in the source, so weeks with many open ones have few "
            "alerts here."
        )


def warn_of_floors(analysis: Analysis, point: Point) -> None:
    """Warn if thresholds reach below a floor, where only rated documents are counted."""
    rated = analysis.rated
    if rated.supports("documents") and not rated_in_full(
        rated.source.floors, analysis.deployable(point), analysis.settings.rule
    ):
        st.warning(only_rated(), icon=":material/warning:")


def _show_days(days: DailyAlerts) -> None:
    if 1 < len(days.dates) <= MAX_DAYS_DRAWN:
        figure = daily_chart(days, theme=theme(), vocabulary=vocabulary())
        st.plotly_chart(figure, theme=None, key="daily_chart", alt=_day_words(days))
    st.caption(
        f"Every day and week from the first to the last {vocabulary().document} counts, also without alerts; weeks run "
        "from Monday to Sunday, and those that the data cover in part are marked and not tested. Times with a time "
        "zone are in UTC, others as they are written. *p*: how often chance alone would make weeks differ as much."
    )


def dated(analysis: Analysis) -> tuple[RatedDocuments, Calendar] | None:
    """Documents as they were rated, and when; None where that is not known."""
    rated = analysis.rated
    return (rated.documents, rated.calendar) if rated.supports("documents") and rated.supports("time") else None


def _incomplete_words(weeks: WeeklyCounts, incomplete: int) -> str:
    waiting, alerts = weeks.undecided[incomplete:].sum(), weeks.all_alerts[incomplete:].sum()
    return (
        f"**Ratings are incomplete from the week of {weeks.mondays[incomplete]} on:** {count(waiting)} of "
        f"{plural(alerts, 'alert', 'are')} undecided at these thresholds since then. Precision is judged on the weeks "
        "before; on *Rated data* these weeks can be left out of everything."
    )


def _show_weeks(weeks: WeeklyCounts) -> None:
    st.plotly_chart(
        weekly_chart(weeks, theme=theme(), vocabulary=vocabulary()),
        theme=None,
        key="weekly_chart",
        alt=f"True and false positives and precision in each of {plural(len(weeks.mondays), 'week')}.",
    )
    columns = zip(weeks.mondays, weeks.complete, weeks.tp, weeks.fp, weeks.undecided, weeks.intervals.T, strict=True)
    waiting = weeks.undecided.any()
    show_numbers(
        [
            {
                "Week of": f"{monday}{'' if complete else ' (incomplete)'}",
                **count_columns(tp, fp, interval, undecided if waiting else None),
            }
            for monday, complete, tp, fp, undecided, interval in columns
        ],
        COUNT_KINDS,
        alt="Alerts, true and false positives and precision of each week.",
        height=min(320, 40 + 35 * len(weeks.mondays)),
    )


def _day_words(days: DailyAlerts) -> str:
    """Alerts per day in a sentence."""
    if not days.alerts.any():
        return "**Alerts per day:** none at this point."
    day, most = days.busiest
    if len(days.dates) == 1:
        return f"**Alerts per day:** {about(most)} on {day}, the only day in the data."
    low, high = days.most_days
    return (
        f"**Alerts per day:** {about(days.mean)} on average, {about(low)} to {about(high)} on most days (eight of "
        f"ten), busiest {about(most)} on {day}; {plural(len(days.dates), 'day')} in the data."
    )


def _precision_words(weeks: WeeklyCounts, incomplete: int | None) -> str:
    """Describe whether precision drifts."""
    drift = precision_drift(weeks, incomplete)
    first, last = (f"{100 * value:.0f}\N{NO-BREAK SPACE}%" for value in (drift.early, drift.late))
    match drift.verdict:
        case "too few":
            return f"**Precision:** {_too_few(drift, 'catches and false alerts')}"
        case "steady":
            points = max(1, round(100 * drift.least_seen))
            unseen = f"less than about {points} percentage points between the first and the last third of them"
            return f"**Precision: no sign of drift** over {_weeks(drift)}; a change of {unseen} might go unseen."
        case "drifts":
            return f"**Precision drifts: from {first}** {_ends(drift, last)}"
        case "varies":
            value = percent(weeks.precision[drift.stands_out])
            return f"**Precision varies from week to week** {_most(weeks, drift, value)}"


def _alert_words(weeks: WeeklyCounts) -> str:
    """Describe whether the number of alerts drifts."""
    drift = alerts_drift(weeks)
    match drift.verdict:
        case "too few":
            return f"**Alerts per week:** {_too_few(drift, 'alerts')}"
        case "steady":
            return (
                f"**Alerts per week: no sign of drift** over {_weeks(drift)}, no more variation than chance makes; a "
                f"change of less than about {plural(max(1, round(drift.least_seen)), 'alert')} a week between the "
                "first and the last third of them might go unseen."
            )
        case "drifts":
            return f"**Alerts per week drift: from {about(drift.early)}** {_ends(drift, about(drift.late))}"
        case "varies":
            return f"**Alerts vary from week to week** {_most(weeks, drift, about(weeks.all_alerts[drift.stands_out]))}"


def _too_few(drift: Drift, what: str) -> str:
    if drift.weeks < MIN_WEEKS:
        return f"too few weeks to say ({plural(drift.weeks, 'complete week')}; {MIN_WEEKS} are needed)."
    return f"too few {what} in {_weeks(drift)} to say."


def _weeks(drift: Drift) -> str:
    return f"the {drift.weeks} complete weeks"


def _ends(drift: Drift, last: str) -> str:
    third = max(1, drift.weeks // 3)
    first_ones, last_ones = ("week", "last") if third == 1 else (f"{third} complete weeks", f"last {third}")
    return f"in the first {first_ones} **to {last}** in the {last_ones} ({_chance(drift)})."


def _most(weeks: WeeklyCounts, drift: Drift, value: str) -> str:
    return (
        f"more than chance would make it ({_chance(drift)}), but no trend is clear; the week of "
        f"{weeks.mondays[drift.stands_out]} stands out most, with {value}."
    )


def _chance(drift: Drift) -> str:
    return "p < 0.001" if drift.p_value < 0.001 else f"p = {drift.p_value:.2g}"


def about(value: float) -> str:
    """Write a mean or quantile of counts: one decimal below 100, where it has one."""
    return (
        f"{value:,.1f}".removesuffix(".0")
        if abs(value) < 100 and not np.isclose(value, round(value))
        else f"{value:,.0f}"
    )
