"""What payoffs come to on the data of the screen, whatever unit its counts are in."""

from collections.abc import Callable

import streamlit as st

from multiloss_core import DataError, Unit
from multiloss_core.tables import currency_of_amounts
from multiloss_core.thresholds import CasesAlong, Payoffs, Point, cases_along, mean_amounts
from ui.data.rated_workspace import rated_uploads
from ui.operating_point.analysis import Analysis

NO_AMOUNTS = "These data have no amounts to recover a share of; choose an amount column on Rated data, or enter 0 %."


def has_amounts(analysis: Analysis) -> bool:
    """Whether the money in each document is known."""
    return analysis.rated.amounts is not None and analysis.rated.source.documents is not None


def amounts_of(analysis: Analysis) -> tuple[float, float] | None:
    """Return the mean amount of a rated positive, and of a rated negative; None where amounts are not known."""
    documents, amounts = analysis.rated.source.documents, analysis.rated.amounts
    return None if documents is None or amounts is None else mean_amounts(documents, amounts)


def target_of(analysis: Analysis, payoffs: Payoffs) -> float:
    """Find the marginal precision, in the unit of the paths, at which one more alert brings nothing.

    A catch is taken to be worth what one of the mean amount is.

    Raises
    ------
    DataError : no alert is worth its review, or a share of amounts that are not known.
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
    """Find the cost of a review that comes to a marginal precision, where all of an amount is recovered."""
    amounts = amounts_of(analysis)
    if amounts is None:
        raise DataError(NO_AMOUNTS)
    positive, negative = amounts
    if analysis.settings.unit is Unit.DOCUMENTS:
        return marginal_precision * positive
    return marginal_precision / ((1 - marginal_precision) / negative + marginal_precision / positive)


def point_cases(analysis: Analysis, point: Point) -> tuple[float, float, float]:
    """Count the TP and FP of a point in documents, and the money in its TP (0 where amounts are not known)."""
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
    return currency_of_amounts(rated.frame, rated.choice.amount, units)


def number_of(analysis: Analysis, unit: Unit) -> Callable[[float], str]:
    """Return how counts of a unit are written: money with its currency, where the data name one."""
    currency = currency_of(analysis) if unit is Unit.MONEY else None
    if not currency:
        return unit.number
    before, after = (currency, "") if not currency.isalpha() else ("", f"\N{NO-BREAK SPACE}{currency}")
    return lambda value: f"{before}{unit.number(value)}{after}"


def with_currency(analysis: Analysis, label: str, unit: Unit) -> str:
    """Return the label of a count: of money with its currency, where the data name one."""
    currency = currency_of(analysis) if unit is Unit.MONEY else None
    return f"{label} ({currency})" if currency else label


def currency_of(analysis: Analysis) -> str | None:
    """Return the one currency that the data name: in a column, beside the amounts or in the name of their column."""
    return _currency(analysis.rated.key, analysis)
