"""Ask for the two main costs of the active scenario."""

from typing import Any

import pandas as pd
import streamlit as st

from multiloss_core import DataError
from ui.operating_point.analysis import Analysis
from ui.operating_point.costs import (
    CATCH,
    CURRENCY,
    FIRST,
    MAX_AMOUNT,
    NAME,
    RECOVERED,
    REVIEW,
    asked_in_url,
    cleaned,
    currency_of,
    has_amounts,
    read_scenarios,
    review_cost_at,
    share_scenario,
    target_of,
)
from ui.shared.session import Scenario, session

SCENARIO_KEY = "scenario"
ALL = 100.0
REVIEW_BOX, CATCH_BOX = (REVIEW, "A review costs", MAX_AMOUNT), (CATCH, "A fraud stopped saves", MAX_AMOUNT)


def ask_scenario(analysis: Analysis, marginal_precision: float) -> Scenario:
    """Draw the two costs of the active scenario and return it.

    The first scenario of an empty table gives `marginal_precision`.

    Raises
    ------
    DataError : an invalid row of the active scenario, or an empty table.
    """
    known, asked = session().point.scenarios, asked_in_url()
    if asked is not None:
        others = known.typed[[cleaned(name) != asked[NAME] for name in known.typed.get(NAME, [])]]
        start_from(fitting(analysis, pd.DataFrame([asked, *others.to_dict("records")])), 0)
    elif not len(known.typed):
        start_from(fitting(analysis, pd.DataFrame([_first_row(analysis, marginal_precision)])), 0)
    found, refused = read_typed(analysis)
    active = _active_row()
    known.usable, known.driving = list(found.values()), found.get(active)
    _ask_two_costs(analysis, active)
    if known.driving is None:
        raise DataError(refused.get(active, "There is no scenario; add a row."))
    share_scenario(known.driving)
    return known.driving


def read_typed(analysis: Analysis) -> tuple[dict[int, Scenario], dict[int, str]]:
    """Parse the table of scenarios (see `read_scenarios`)."""
    return read_scenarios(session().point.scenarios.typed, lambda payoffs: target_of(analysis, payoffs))


def _active_row() -> int:
    rows = session().point.scenarios.typed.index.tolist()
    if st.session_state.get(SCENARIO_KEY) not in rows:
        st.session_state[SCENARIO_KEY] = next(iter(rows), None)
    return int(st.session_state[SCENARIO_KEY])


def _ask_two_costs(analysis: Analysis, row: int) -> None:
    """Draw boxes for the cost of a review and the worth of a catch."""
    worth = (RECOVERED, "Of its amount, percent saved", ALL) if has_amounts(analysis) else CATCH_BOX
    table = session().point.scenarios.typed
    for place, (column, label, most) in zip(st.columns(2), (REVIEW_BOX, worth), strict=True):
        value = pd.to_numeric(table.get(column, pd.Series(0.0, table.index)), errors="coerce").fillna(0.0)[row]
        st.session_state[f"box_{column}"] = min(max(float(value), 0.0), most)
        place.number_input(label, 0.0, most, format="%g", key=f"box_{column}", on_change=_type, args=(column, row))


def _type(column: str, row: int) -> None:
    known = session().point.scenarios
    before, table = known.typed, known.typed.copy()
    table.loc[row, column] = st.session_state[f"box_{column}"]
    start_from(table, row)
    known.before = before


def first_row_of(analysis: Analysis) -> dict[str, Any]:
    """Fill a new row: a catch is worth its amount if known, or else a fixed value."""
    row = FIRST | {CURRENCY: currency_of(analysis) or FIRST[CURRENCY]}
    return row | {RECOVERED: ALL, CATCH: 0.0} if has_amounts(analysis) else row


def _first_row(analysis: Analysis, marginal_precision: float) -> dict[str, Any]:
    row = first_row_of(analysis)
    if has_amounts(analysis):
        return row | {REVIEW: round(review_cost_at(analysis, marginal_precision), 6)}
    return row | {CATCH: round(FIRST[REVIEW] / marginal_precision, 2)}


def fitting(analysis: Analysis, table: pd.DataFrame) -> pd.DataFrame:
    """Drop an unused share recovered without amounts: the editor would show it as blanks."""
    given = RECOVERED in table and bool((pd.to_numeric(table[RECOVERED]) > 0).any())
    return table if has_amounts(analysis) or given else table.drop(columns=RECOVERED, errors="ignore")


def start_from(table: pd.DataFrame, active: int | None) -> None:
    """Restart the editor with a table, in which the row with this index is active."""
    known, rows = session().point.scenarios, table.index.tolist()
    st.session_state[SCENARIO_KEY] = rows.index(active) if active in rows else 0
    known.given = known.typed = table.reset_index(drop=True) if rows else pd.DataFrame([FIRST])
    known.before, known.version = None, known.version + 1
