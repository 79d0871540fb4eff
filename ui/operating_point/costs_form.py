"""Ask for the two main costs of the active scenario."""

from typing import Any

import pandas as pd
import streamlit as st
from streamlit.elements.lib.mutable_expander_container import ExpanderContainer

from multiloss_core import DataError
from ui.operating_point.analysis import Analysis
from ui.operating_point.costs import (
    ANNOYANCE,
    CATCH,
    CURRENCY,
    FIRST,
    MAX_AMOUNT,
    MAX_CURRENCY,
    MAX_NAME,
    NAME,
    RECOVERED,
    REVIEW,
    amounts_of,
    asked_in_url,
    cleaned,
    currency_of,
    has_amounts,
    money_words,
    read_scenarios,
    review_cost_at,
    share_scenario,
    target_of,
)
from ui.shared.choices import choose, chosen
from ui.shared.formatting import as_text
from ui.shared.session import Scenario, session

SCENARIO_KEY = "scenario"
ALL = 100.0
FORMAT = "localized"
REVIEW_BOX, CATCH_BOX = (REVIEW, "A review costs", MAX_AMOUNT), (CATCH, "A fraud stopped saves", MAX_AMOUNT)


def ask_scenario(analysis: Analysis, marginal_precision: float) -> Scenario:
    """Draw the two costs of the active scenario and return it.

    The first scenario of an empty table gives `marginal_precision`.

    Raises
    ------
    DataError : an invalid row of the active scenario, or an empty table.
    """
    known = session().point.goals.scenarios
    _start(analysis, marginal_precision)
    found, refused = _read_typed(analysis)
    active = _active_row()
    known.usable, known.driving = list(found.values()), found.get(active)
    _ask_two_costs(analysis, active)
    if known.driving is None:
        raise DataError(refused.get(active, "There is no scenario; add a row."))
    share_scenario(known.driving)
    return known.driving


def _start(analysis: Analysis, marginal_precision: float) -> None:
    """Take a scenario of the URL, or the first one into an empty table."""
    known, asked = session().point.goals.scenarios, asked_in_url()
    if asked is not None:
        others = known.typed[[cleaned(name) != asked[NAME] for name in known.typed.get(NAME, [])]]
        _start_from(_fitting(analysis, pd.DataFrame([asked, *others.to_dict("records")])), 0)
    elif not len(known.typed):
        _start_from(_fitting(analysis, pd.DataFrame([_first_row(analysis, marginal_precision)])), 0)


def _read_typed(analysis: Analysis) -> tuple[dict[int, Scenario], dict[int, str]]:
    """Parse the table of scenarios (see `read_scenarios`)."""
    return read_scenarios(session().point.goals.scenarios.typed, lambda payoffs: target_of(analysis, payoffs))


def _active_row() -> int:
    rows = session().point.goals.scenarios.typed.index.tolist()
    if chosen(SCENARIO_KEY) not in rows:
        choose(SCENARIO_KEY, next(iter(rows), None))
    return int(chosen(SCENARIO_KEY))


def _ask_two_costs(analysis: Analysis, row: int) -> None:
    """Draw boxes for the cost of a review and the worth of a catch."""
    worth = (RECOVERED, "Of its amount, percent saved", ALL) if has_amounts(analysis) else CATCH_BOX
    table = session().point.goals.scenarios.typed
    for place, (column, label, most) in zip(st.columns(2), (REVIEW_BOX, worth), strict=True):
        value = pd.to_numeric(table.get(column, pd.Series(0.0, table.index)), errors="coerce").fillna(0.0)[row]
        choose(f"box_{column}", min(max(float(value), 0.0), most))
        place.number_input(label, 0.0, most, format="%g", key=f"box_{column}", on_change=_type, args=(column, row))


def _type(column: str, row: int) -> None:
    known = session().point.goals.scenarios
    before, table = known.typed, known.typed.copy()
    table.loc[row, column] = chosen(f"box_{column}")
    _start_from(table, row)
    known.before = before


def _row_of(analysis: Analysis) -> dict[str, Any]:
    """Fill a new row: a catch is worth its amount if known, or else a fixed value."""
    row = FIRST | {CURRENCY: currency_of(analysis) or FIRST[CURRENCY]}
    return row | {RECOVERED: ALL, CATCH: 0.0} if has_amounts(analysis) else row


def _first_row(analysis: Analysis, marginal_precision: float) -> dict[str, Any]:
    row = _row_of(analysis)
    if has_amounts(analysis):
        return row | {REVIEW: float(f"{review_cost_at(analysis, marginal_precision):.3g}")}
    return row | {CATCH: round(FIRST[REVIEW] / marginal_precision, 2)}


def _fitting(analysis: Analysis, table: pd.DataFrame) -> pd.DataFrame:
    """Drop an unused share recovered without amounts: the editor would show it as blanks."""
    given = RECOVERED in table and bool((pd.to_numeric(table[RECOVERED]) > 0).any())
    return table if has_amounts(analysis) or given else table.drop(columns=RECOVERED, errors="ignore")


def _start_from(table: pd.DataFrame, active: int | None) -> None:
    """Restart the editor with a table, in which the row with this index is active."""
    known, rows = session().point.goals.scenarios, table.index.tolist()
    choose(SCENARIO_KEY, rows.index(active) if active in rows else 0)
    known.given = known.typed = table.reset_index(drop=True) if rows else pd.DataFrame([FIRST])
    known.before, known.version = None, known.version + 1


def ask_scenarios(analysis: Analysis, marginal_precision: float) -> ExpanderContainer:
    """Draw the table of scenarios and the choice of the active one, if open."""
    _start(analysis, marginal_precision)
    expander = st.expander("Compare scenarios", icon=":material/payments:", key="scenarios_box", on_change="rerun")
    if expander.open:
        with expander:
            _ask_table(analysis)
    return expander


def _ask_table(analysis: Analysis) -> None:
    known = session().point.goals.scenarios
    if chosen(editor_key()) is None:
        # Streamlit drops the edits while the table is closed.
        _start_from(_fitting(analysis, known.typed), chosen(SCENARIO_KEY))
    typed = st.data_editor(
        known.given,
        num_rows="dynamic",
        key=editor_key(),
        hide_index=True,
        column_config=_columns(analysis, known.given),
        alt="Scenarios of costs, to be typed.",
    )
    rows = typed.index.tolist()
    names = {row: cleaned(name) or "without a name" for row, name in typed[NAME].items()}
    if not typed.equals(known.typed):
        known.before, known.typed = known.typed, typed
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            "Active scenario",
            rows,
            format_func=lambda row: names.get(row, ""),
            key=SCENARIO_KEY,
            persist_state="session",
            width=300,
        )
        if known.before is not None:
            st.button("Undo", icon=":material/undo:", key="scenario_undo", on_click=_undo)
    refused = {row: words for row, words in _read_typed(analysis)[1].items() if row != chosen(SCENARIO_KEY)}
    for row, words in list(refused.items())[:1]:
        st.error(as_text(f"Row {rows.index(row) + 1}: {words}"), icon=":material/error:")
    _show_amounts(analysis, "" if known.driving is None else known.driving.currency)


def editor_key() -> str:
    """Return the key of the editor; a new one for each given table discards older edits."""
    return f"scenarios_{session().point.goals.scenarios.version}"


def _columns(analysis: Analysis, given: pd.DataFrame) -> dict[str, Any]:
    """Configure the columns of the editor."""
    first = _row_of(analysis)
    amounts = RECOVERED in given

    def number(column: str, label: str, words: str, most: float = MAX_AMOUNT) -> Any:
        return st.column_config.NumberColumn(
            label, help=words, default=first[column], min_value=0.0, max_value=most, format=FORMAT
        )

    return {
        NAME: st.column_config.TextColumn("Name", default="", max_chars=MAX_NAME),
        REVIEW: number(REVIEW, "One review costs", "The cost of every alert, fraud or not."),
        RECOVERED: number(
            RECOVERED,
            "Recovered, % of the amount",
            "The share of the amount that a catch saves. 0 for a fixed value of a catch.",
            ALL,
        )
        if amounts
        else None,
        CATCH: number(
            CATCH,
            "Besides, a catch is worth" if amounts else "One catch is worth",
            "A fixed value of every catch, before the cost of its review, added to the share recovered."
            if amounts
            else "The value of a catch, before the cost of its review.",
        ),
        ANNOYANCE: number(
            ANNOYANCE,
            "Friction",
            "The cost of a false alert beyond its review: a good customer was stopped. 0 if customers do not notice.",
        ),
        CURRENCY: st.column_config.TextColumn(
            "Currency",
            help="A label beside the numbers, by default the currency of the data.",
            default=first[CURRENCY],
            max_chars=MAX_CURRENCY,
        ),
    }


def _show_amounts(analysis: Analysis, currency: str) -> None:
    amounts = amounts_of(analysis)
    if amounts is None:
        return
    fraud, false_alert = (as_text(money_words(amount, currency)) for amount in amounts)
    st.caption(
        f"The mean amount of a rated fraud is **{fraud}**, of a rated false alert {false_alert}. The point is chosen "
        "with these means; its payoff is the sum over the actual amounts."
    )


def _undo() -> None:
    known = session().point.goals.scenarios
    if known.before is not None:
        _start_from(known.before, chosen(SCENARIO_KEY))
