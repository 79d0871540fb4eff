"""Costs of alerts: named scenarios, and their payoff on the data of the screen."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd
import streamlit as st

from multiloss_core import DataError, Unit
from multiloss_core.decisions import COSTS, COSTS_IN_RECORD, GoalValue, RecordedTarget
from multiloss_core.numerics import written_number
from multiloss_core.tables import currency_of_amounts
from multiloss_core.thresholds import CasesAlong, Payoffs, Point, cases_along
from ui.data.rated import rated_uploads
from ui.operating_point.analysis import Analysis
from ui.shared.choices import UrlParameter
from ui.shared.session import Scenario

MAX_SCENARIOS, MAX_NAME, MAX_CURRENCY, MAX_AMOUNT = 20, 60, 12, 1e9
# Columns of the table, also their URL parameters; their names in records; the first row.
NAME, REVIEW, RECOVERED, CATCH = "goal_name", "goal_review", "goal_recovered", "goal_catch"
ANNOYANCE, CURRENCY = "goal_annoyance", "goal_currency"
RECORDED = dict(zip((REVIEW, CATCH, ANNOYANCE), COSTS_IN_RECORD.values(), strict=True))
SHARE_RECOVERED = "recovered of the amount in percent"
FIRST: dict[str, Any] = {NAME: "", REVIEW: 5.0, RECOVERED: 0.0, CATCH: 25.0, ANNOYANCE: 0.0, CURRENCY: ""}
_IN_RECORD = re.compile(rf"{COSTS}, scenario '(.*)'", re.DOTALL)
NO_AMOUNTS = "This data has no amounts to recover a share of; choose an amount column on Rated data, or enter 0 %."


def read_scenarios(
    table: pd.DataFrame, check: Callable[[Payoffs], object]
) -> tuple[dict[int, Scenario], dict[int, str]]:
    """Parse the scenarios of a table by row index, and return the errors of invalid rows.

    `check` raises DataError for payoffs without a point.
    """
    found: dict[int, Scenario] = {}
    refused: dict[int, str] = {}
    for row, cells in zip(table.index.tolist(), table.to_dict("records"), strict=True):
        try:
            scenario = _read(cells, {scenario.name for scenario in found.values()})
            check(scenario.payoffs)
            found[row] = scenario
        except DataError as error:
            refused[row] = str(error)
    return found, refused


def _read(cells: dict[Any, Any], taken: set[str]) -> Scenario:
    name = cleaned(cells[NAME])
    if len(name) > MAX_NAME:
        raise DataError(f"The name of a scenario has at most {MAX_NAME} characters; shorten it.")
    if name in taken:
        named = f"There is another scenario '{name}'" if name else "There is another scenario without a name"
        raise DataError(f"{named}; choose another name.")
    if len(taken) >= MAX_SCENARIOS:
        raise DataError(f"At most {MAX_SCENARIOS} scenarios are compared; remove one.")
    recovered = cells.get(RECOVERED)
    payoffs = Payoffs(
        review=cells[REVIEW],
        catch=cells[CATCH],
        annoyance=cells[ANNOYANCE],
        # Rows added without amounts are blank here.
        recovered=0.0 if pd.isna(recovered) else recovered / 100,
    )
    return Scenario(name, payoffs, cleaned(cells[CURRENCY])[:MAX_CURRENCY])


def cleaned(text: object) -> str:
    """Clean untrusted text to one printable line; "" for anything but text."""
    return "".join(filter(str.isprintable, text)).strip() if isinstance(text, str) else ""


def asked_in_url() -> dict[str, Any] | None:
    """Read a new row from a link or a step back in the browser; return None if unchanged."""
    asked = [parameter.asked(if_gone=FIRST[parameter.name]) for parameter in IN_URL]
    if all(value is None for value in asked):
        return None
    shown = {parameter.name: parameter.shown() for parameter in IN_URL}
    return {column: FIRST[column] if value is None else value for column, value in shown.items()}


def share_scenario(scenario: Scenario | None) -> None:
    """Write the active scenario to the URL where it differs from the first row; None removes it."""
    cells = FIRST if scenario is None else _cells(scenario)
    for parameter in IN_URL:
        value = cells[parameter.name]
        parameter.show(None if value == FIRST[parameter.name] else value)


def _cells(scenario: Scenario) -> dict[str, Any]:
    payoffs = scenario.payoffs
    recovered = round(100 * payoffs.recovered, 10)
    values = (scenario.name, payoffs.review, recovered, payoffs.catch, payoffs.annoyance, scenario.currency)
    return dict(zip(FIRST, values, strict=True))


def _amount(text: str) -> float | None:
    try:
        amount = written_number(text)
    except ValueError:
        return None
    return amount if 0 <= amount <= MAX_AMOUNT else None


IN_URL: tuple[UrlParameter[Any], ...] = (
    UrlParameter(NAME, lambda text: cleaned(text)[:MAX_NAME].strip(), str),
    *(UrlParameter(column, _amount, repr) for column in (REVIEW, RECOVERED, CATCH, ANNOYANCE)),
    UrlParameter(CURRENCY, lambda text: cleaned(text)[:MAX_CURRENCY].strip(), str),
)


def recorded_goal(scenario: Scenario) -> tuple[str, tuple[GoalValue, ...]]:
    """Convert a scenario to the goal and values of a decision record."""
    goal = f"{COSTS}, scenario '{scenario.name}'" if scenario.name else COSTS
    currency = f" in {scenario.currency}" if scenario.currency else ""
    cells = _cells(scenario)
    goal_values = tuple(GoalValue(f"{words}{currency}", cells[column]) for column, words in RECORDED.items())
    return goal, (*goal_values, GoalValue(SHARE_RECOVERED, cells[RECOVERED])) if cells[RECOVERED] else goal_values


def scenario_choices(target: RecordedTarget) -> dict[str, str] | None:
    """Convert the scenario of a record to URL parameters; None without a scenario."""
    named = _IN_RECORD.fullmatch(target.goal)
    if named is None and target.goal != COSTS:
        return None
    return dict(_choices(target, named[1] if named else ""))


def _choices(target: RecordedTarget, name: str) -> Iterator[tuple[str, str]]:
    if name:
        yield NAME, name
    for goal in target.goal_values:
        if goal.name == SHARE_RECOVERED:
            yield RECOVERED, repr(goal.value)
        for key, words in RECORDED.items():
            if goal.name == words:
                yield key, repr(goal.value)
                yield CURRENCY, ""
            elif goal.name.startswith(f"{words} in "):
                yield key, repr(goal.value)
                yield CURRENCY, goal.name.removeprefix(f"{words} in ")


def has_amounts(analysis: Analysis) -> bool:
    """Return whether the amount of each document is known."""
    return analysis.rated.supports("money")


def amounts_of(analysis: Analysis) -> tuple[float, float] | None:
    """Return the mean amounts of rated positives and negatives, or None without amounts."""
    return analysis.rated.mean_amounts() if has_amounts(analysis) else None


def target_of(analysis: Analysis, payoffs: Payoffs) -> float:
    """Find the marginal precision, in the paths' unit, at which another alert has payoff 0.

    Every catch counts as one of the mean amount.

    Raises
    ------
    DataError : no alert is worth its review, or a share recovered without amounts.
    """
    amounts = amounts_of(analysis)
    if amounts is None:
        if payoffs.recovered:
            raise DataError(NO_AMOUNTS)
        return payoffs.marginal_precision
    positive, negative = amounts
    if analysis.settings.unit is Unit.MONEY:
        return payoffs.marginal_precision_of_money(positive, negative)
    return payoffs.at_amount(positive).marginal_precision


def review_cost_at(analysis: Analysis, marginal_precision: float) -> float:
    """Find the cost of a review that gives a marginal precision if amounts are fully recovered."""
    amounts = amounts_of(analysis)
    if amounts is None:
        raise DataError(NO_AMOUNTS)
    positive, negative = amounts
    if analysis.settings.unit is Unit.DOCUMENTS:
        return marginal_precision * positive
    return marginal_precision / ((1 - marginal_precision) / negative + marginal_precision / positive)


def point_cases(analysis: Analysis, point: Point) -> tuple[float, float, float]:
    """Count the TP and FP of a point in documents, and the money in its TP (0 without amounts)."""
    other = analysis.in_other_unit([point])[0]
    if other is None:
        return point.tp, point.fp, 0.0
    documents, money = (other, point) if analysis.settings.unit is Unit.MONEY else (point, other)
    return documents.tp, documents.fp, money.tp


def cases_of(analysis: Analysis, method: str) -> CasesAlong:
    """Count documents and the money caught at every vertex of a path."""
    return _cases(analysis.key, method, analysis)


@st.cache_resource(scope="session", max_entries=16, show_spinner=False)
def _cases(key: tuple[object, ...], method: str, _analysis: Analysis) -> CasesAlong:
    return cases_along(_analysis.path(method), _analysis.rated.source.documents, _analysis.rated.amounts)


@st.cache_data(scope="session", max_entries=6, show_spinner=False)
def _currency(key: str, _analysis: Analysis) -> str | None:
    rated = _analysis.rated
    units = rated_uploads().source(rated.name).units
    return currency_of_amounts(rated.frame, rated.columns.amount, units)


def number_of(analysis: Analysis, unit: Unit) -> Callable[[float], str]:
    """Return the formatter for counts of a unit, with the currency of money if known."""
    currency = currency_of(analysis) if unit is Unit.MONEY else None
    if not currency:
        return unit.number
    before, after = (currency, "") if not currency.isalpha() else ("", f"\N{NO-BREAK SPACE}{currency}")
    return lambda value: f"{before}{unit.number(value)}{after}"


def with_currency(analysis: Analysis, label: str, unit: Unit) -> str:
    """Add the currency of the data, if it names one, to the label of money."""
    currency = currency_of(analysis) if unit is Unit.MONEY else None
    return f"{label} ({currency})" if currency else label


def currency_of(analysis: Analysis) -> str | None:
    """Return the currency from a column or the name of the amounts' column, or None."""
    return _currency(analysis.rated.key, analysis)


def money_words(value: float, currency: str) -> str:
    """Format an amount with at most two decimals and its currency."""
    digits = f"{value:,.2f}".removesuffix(".00").replace("-", "\N{MINUS SIGN}")
    return f"{digits}\N{NO-BREAK SPACE}{currency}".rstrip("\N{NO-BREAK SPACE}")
