"""Ask for the ratings, scores, current thresholds and limits of the decision sheet."""

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from multiloss_core import DataError, operating_point
from multiloss_core.datasets import RatedDataset, RatedSource
from multiloss_core.decisions import GoalValue, RecordedTarget, target_of_point
from multiloss_core.formatting import count, score_name, score_side, score_threshold, short_percent, shortened
from multiloss_core.numerics import Floats
from multiloss_core.thresholds import SMOOTH, Payoffs, Point
from multiloss_core.thresholds.targets import target_for_price
from ui.data.rated import written_words
from ui.operating_point.active_goal import ALERTS, GOALS
from ui.operating_point.analysis import Analysis
from ui.operating_point.costs import amounts_of, currency_of, money_words, point_cases, recorded_goal, target_of
from ui.operating_point.current_thresholds import (
    ask_current_thresholds,
    comparison_of,
    current_thresholds_of,
    offer_deployed,
)
from ui.operating_point.goals import DAYS_KEY, under_cap
from ui.operating_point.state import round_cap
from ui.shared.choices import ask_choice, ask_number
from ui.shared.formatting import as_label, as_text
from ui.shared.session import Scenario

MEANINGS = (("positive", "fraud"), ("negative", "not fraud"), ("undecided", "undecided"))


def show_meaning(source: RatedSource, dataset: RatedDataset) -> None:
    """Show the ratings that count as fraud, as not fraud and as undecided."""
    st.markdown("#### 1 · What counts as fraud?")
    totals, choice = dataset.source.totals, dataset.columns
    numbers = {"positive": totals.tp, "negative": totals.fp, "undecided": dataset.undecided_weight}
    written = {} if choice.rating is None else written_words(source, choice.rating)
    lines = []
    for meaning, words in MEANINGS:
        named = [written.get(value, value) for value, found in choice.meanings if found == meaning]
        values = ", ".join(f"*{as_text(shortened(value))}*" for value in named)
        if numbers.get(meaning):
            lines.append(f"**{count(numbers[meaning])} {words}**{f' ({values})' if values else ''}")
    st.markdown(" · ".join(lines))


def show_scores(analysis: Analysis) -> None:
    """Show the scores with their rating floors."""
    st.markdown("#### 2 · Rated from which score?")
    floors, choice = analysis.rated.source.floors, analysis.rated.columns
    suggested = [floor is None for floor in choice.floors] or [not choice.is_counts] * len(floors)
    st.markdown(
        " · ".join(
            f"{as_text(shortened(score_name(name)))} **{score_threshold(name, floor)}**"
            f"{' (estimated)' if guessed else ''}"
            for name, floor, guessed in zip(analysis.surfaces.names, floors, suggested, strict=False)
        )
    )
    if analysis.alert_rules:
        st.caption(f"Beside them {as_text(', '.join(map(shortened, analysis.alert_rules)))} raised alerts.")
    st.page_link("pages/rated_data.py", label="Columns", icon=":material/edit:")


def ask_current(analysis: Analysis) -> None:
    """Ask for the current thresholds, starting with the known ones."""
    st.markdown("#### 4 · Current thresholds?")
    kept = comparison_of(analysis)
    ask_current_thresholds(analysis, lambda name: as_label(score_side(shortened(name))), key="in_force")
    if kept.origin:
        st.caption(f"From {as_text(kept.origin)}.")
    offer_deployed(analysis)


CAUTIOUS, BALANCED, WIDE = "cautious", "balanced", "wide"
# How much more than asked for a setting allows: alerts, or false alerts for a catch. A review is worth as much less.
FACTORS = {CAUTIOUS: 0.5, BALANCED: 1.0, WIDE: 2.0}
PRECISION, COSTS = "precision", "costs"
KINDS = {ALERTS: "Alerts a day", PRECISION: "Last alerts", COSTS: "Costs"}
FIRST_PERCENT, FIRST_REVIEW, FIRST_CATCH = 20.0, 5.0, 25.0


@dataclass(frozen=True)
class Setting:
    """One of three settings: its name, request, point, and the request for the record.

    `point` is None where there is none, for the reason `refused`. `worth` is its value in money.
    """

    name: str
    asked: str
    worth: str = ""
    target: RecordedTarget | None = None
    point: Point | None = None
    refused: str = ""


@dataclass(frozen=True)
class Affordable:
    """Find each setting by the factor of the request. `find` raises DataError.

    `most_alerts`: the cap with undecided alerts, or None. `worth` describes the value of a point in money.
    """

    request: tuple[str | float, ...]
    find: Callable[[float], tuple[str, Point, RecordedTarget]]
    most_alerts: float | None = None
    worth: Callable[[Point], str] = lambda _: ""

    def settings(self) -> tuple[Setting, ...]:
        """Find the three settings, the most cautious one first."""
        return tuple(self._setting(name, factor) for name, factor in FACTORS.items())

    def _setting(self, name: str, factor: float) -> Setting:
        try:
            asked, point, target = self.find(factor)
        except DataError as error:
            return Setting(name, "", refused=str(error))
        return Setting(name, asked, self.worth(point), target, point)


def ask_affordable(analysis: Analysis) -> Affordable:
    """Ask for alerts a day, for the share of fraud in the last alerts, or for costs."""
    st.markdown("#### 3 · What can you afford?")
    offered = {key: words for key, words in KINDS.items() if key != ALERTS or analysis.rated.days is not None}
    if ALERTS not in offered:
        st.caption(f"Alerts a day are not known: {_missing(analysis.rated.columns.time, 'time')}.")
    kind = ask_choice(st.segmented_control, "Limit", offered, key="afford", required=True, label_visibility="collapsed")
    return {ALERTS: _by_alerts, PRECISION: _by_precision, COSTS: _by_costs}[kind](analysis)


def _missing(column: str | None, what: str) -> str:
    """Return why a column of times or amounts cannot be used."""
    if column is None:
        return f"no {what} column is chosen on Rated data"
    return "these rows are counted where they lie, without their times and amounts"


def _by_alerts(analysis: Analysis) -> Affordable:
    days, current = analysis.rated.days or 1.0, current_thresholds_of(analysis)
    preset = operating_point(analysis.path(SMOOTH.name), FIRST_PERCENT / 100)
    first = round_cap(_first_alerts(analysis, current, preset) / days, up=True)
    cap = ask_number(
        st.number_input,
        KINDS[ALERTS],
        (0.01, 1e9),
        first,
        format="%g",
        key=_key("afford_alerts", analysis),
        help="On average, including undecided alerts.",
    )
    if cap == first:
        origin = f"{FIRST_PERCENT:g} % of the last alerts are fraud" if current is None else "as many as now"
        st.caption(f"A start: {origin}.")

    def find(factor: float) -> tuple[str, Point, RecordedTarget]:
        if factor == 1 and cap == first and current is None and preset.alerts:
            # Nothing was asked for yet: the operating point as it is, and not the best below its rounded rate.
            return f"up to {first:,.6g} a day", preset, target_of_point(preset)
        most = round_cap(cap * factor)
        point = under_cap(analysis.key, SMOOTH.name, most, days, False, analysis)
        goals = GOALS[ALERTS].goals
        goal_values = (GoalValue(goals["goal_alerts"], most), GoalValue(goals[DAYS_KEY], days))
        return f"up to {most:,.6g} a day", point, RecordedTarget(GOALS[ALERTS].label, goal_values)

    return Affordable((ALERTS, cap), find, most_alerts=cap * days)


def _first_alerts(analysis: Analysis, current: Floats | None, preset: Point) -> float:
    """Count the alerts of the current thresholds, the preset point or all documents."""
    if current is not None:
        alerts = analysis.rated.source.counts_at(current, analysis.settings.rule).alerts
        if alerts:
            return alerts + analysis.undecided_at([current])[0]
    return preset.alerts + analysis.undecided([preset])[0] or analysis.rated.source.totals.alerts


def _by_precision(analysis: Analysis) -> Affordable:
    label = "Minimum share of fraud among the last alerts added (%)"
    percent = ask_number(st.number_input, label, (1.0, 99.0), FIRST_PERCENT, format="%g", key="afford_percent")
    false_per_catch = (100 - percent) / percent
    request = (PRECISION, percent)
    return Affordable(request, lambda factor: _at(analysis, target_for_price(false_per_catch * factor)))


def _at(analysis: Analysis, marginal_precision: float) -> tuple[str, Point, RecordedTarget]:
    # In whole tenths of a percent, as on the slider.
    point = operating_point(analysis.path(SMOOTH.name), round(marginal_precision, 3))
    asked = f"at least {short_percent(point.marginal_precision)} fraud in the last alerts"
    return asked, point, target_of_point(point)


def _by_costs(analysis: Analysis) -> Affordable:
    left, right = st.columns(2)
    review = ask_number(
        left.number_input, "A review costs", (0.01, 1e9), FIRST_REVIEW, format="%g", key="afford_review"
    )
    means = amounts_of(analysis)
    if means is None:
        label, key = "A fraud stopped saves", "afford_catch"
        catch = ask_number(right.number_input, label, (0.01, 1e9), FIRST_CATCH, format="%g", key=key)
        worth = {"catch": catch}
        if analysis.rated.columns.amount is not None:
            st.caption(f"Amounts are not used: {_missing(analysis.rated.columns.amount, 'amount')}.")
    else:
        label, key = "Of its amount, percent saved", "afford_share"
        share = ask_number(right.number_input, label, (0.1, 100.0), 100.0, format="%g", key=key)
        st.caption(f"A fraud that is caught saves {share:g} % of its amount, which is {means[0]:,.2f} on average.")
        worth = {"catch": 0.0, "recovered": share / 100}

    asked, currency = Payoffs(review=review, **worth), currency_of(analysis) or ""

    def find(factor: float) -> tuple[str, Point, RecordedTarget]:
        payoffs = Payoffs(review=review / factor, **worth)
        point = operating_point(analysis.path(SMOOTH.name), target_of(analysis, payoffs))
        goal, goal_values = recorded_goal(Scenario("", payoffs, currency))
        target = RecordedTarget(goal, goal_values, point.marginal_precision, point.status)
        words = "" if factor == 1 else "as if "
        return (
            f"{words}a review cost{'s' if factor == 1 else ''} {payoffs.review:,.6g} {currency}".strip(),
            point,
            target,
        )

    def brings(point: Point) -> str:
        waiting = analysis.undecided_at([point.thresholds])[0]
        total = asked.total(*point_cases(analysis, point)) - asked.review * waiting
        reviewed = f", less the review of {count(waiting)} undecided" if waiting else ""
        return f"worth {money_words(total, currency)}{reviewed}"

    return Affordable((COSTS, review, *worth.values()), find, worth=brings)


def _key(name: str, analysis: Analysis) -> str:
    """Name a widget whose first value is of the data."""
    return f"{name}_{analysis.rated.key[:8]}"
