"""The form: scenarios of what an alert costs and brings in one table, of which one drives."""

from typing import Any

import pandas as pd
import streamlit as st

from multiloss_core import DataError
from ui.operating_point.analysis import Analysis
from ui.operating_point.costs.scenarios import (
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
    asked_in_url,
    cleaned,
    read_scenarios,
    share_scenario,
)
from ui.operating_point.costs.side_by_side import money_words
from ui.operating_point.costs.worth import amounts_of, currency_of, has_amounts, review_cost_at, target_of
from ui.shared.formatting import as_text
from ui.shared.session import Scenario, session

DRIVING = "scenario"
FORMAT = "localized"
ALL = 100.0


def ask_scenario(analysis: Analysis, marginal_precision: float) -> Scenario:
    """Draw the table of scenarios and the choice of the one that drives, which is returned.

    Where none was typed yet, the first one comes to `marginal_precision`.

    Raises
    ------
    DataError : its row holds no scenario, or there is no row.
    """
    known, asked = session().point.scenarios, asked_in_url()
    if asked is not None:
        others = known.typed[[cleaned(name) != asked[NAME] for name in known.typed.get(NAME, [])]]
        _start_from(_fitting(analysis, pd.DataFrame([asked, *others.to_dict("records")])), 0)
    elif editor_key() not in st.session_state:
        # The editor forgets what was typed while another driver or page was open.
        first = None if len(known.typed) else _first_row(analysis, marginal_precision)
        started = pd.DataFrame([first]) if first else known.typed
        _start_from(_fitting(analysis, started), st.session_state.get(DRIVING))
    choice, table = st.columns([1, 4], gap="medium")
    typed = table.data_editor(
        known.given,
        num_rows="dynamic",
        key=editor_key(),
        hide_index=True,
        column_config=_columns(analysis, known.given),
        alt="Scenarios of costs, to be typed.",
    )
    if not typed.equals(known.typed):
        known.before, known.typed = known.typed, typed
    rows, (found, refused) = typed.index.tolist(), read_scenarios(typed, lambda payoffs: target_of(analysis, payoffs))
    if st.session_state.get(DRIVING) not in rows:
        st.session_state[DRIVING] = next(iter(rows), None)
    names = {row: cleaned(name) or "without a name" for row, name in typed[NAME].items()}
    driving = choice.selectbox(
        "Scenario", rows, format_func=lambda row: names.get(row, ""), key=DRIVING, persist_state="session"
    )
    if known.before is not None:
        choice.button("Undo", icon=":material/undo:", key="scenario_undo", on_click=_undo, width="stretch")
    known.usable, known.driving = list(found.values()), found.get(driving)
    others_refused = [f"Row {rows.index(row) + 1}: {words}" for row, words in refused.items() if row != driving]
    if others_refused:
        st.error(as_text(others_refused[0]), icon=":material/error:")
    _say_amounts(analysis, "" if known.driving is None else known.driving.currency)
    if known.driving is None:
        raise DataError(refused.get(driving, "There is no scenario; add a row."))
    share_scenario(known.driving)
    return known.driving


def editor_key() -> str:
    """Name the editor's widget; another one for each table that it starts from, so that none shows older edits."""
    return f"scenarios_{session().point.scenarios.version}"


def _columns(analysis: Analysis, given: pd.DataFrame) -> dict[str, Any]:
    """Describe the columns of the table that the editor is given."""
    first = _row_of(analysis)
    amounts = RECOVERED in given

    def number(column: str, label: str, words: str, most: float = MAX_AMOUNT) -> Any:
        return st.column_config.NumberColumn(
            label, help=words, default=first[column], min_value=0.0, max_value=most, format=FORMAT
        )

    return {
        NAME: st.column_config.TextColumn("Name", default="", max_chars=MAX_NAME),
        REVIEW: number(REVIEW, "One review costs", "Of every alert, fraud or not."),
        RECOVERED: number(
            RECOVERED,
            "Recovered, % of the amount",
            "The share of a case's own amount that is saved when it is caught. 0 where a catch has a fixed value.",
            ALL,
        )
        if amounts
        else None,
        CATCH: number(
            CATCH,
            "Besides, a catch is worth" if amounts else "One catch is worth",
            "A fixed value of every fraud caught, before its review is paid; on top of what is recovered."
            if amounts
            else "What is saved when a fraud is caught, before its review is paid.",
        ),
        ANNOYANCE: number(
            ANNOYANCE,
            "Friction",
            "What a false alert costs beyond its review: a good customer was stopped. 0 where nobody notices.",
        ),
        CURRENCY: st.column_config.TextColumn(
            "Currency",
            help="Only a word or sign next to the numbers; that of the data, where they name one.",
            default=first[CURRENCY],
            max_chars=MAX_CURRENCY,
        ),
    }


def _row_of(analysis: Analysis) -> dict[str, Any]:
    """Fill a new row: a catch is worth its amount where amounts are known, else a fixed value."""
    row = FIRST | {CURRENCY: currency_of(analysis) or FIRST[CURRENCY]}
    return row | {RECOVERED: ALL, CATCH: 0.0} if has_amounts(analysis) else row


def _first_row(analysis: Analysis, marginal_precision: float) -> dict[str, Any]:
    row = _row_of(analysis)
    if has_amounts(analysis):
        return row | {REVIEW: round(review_cost_at(analysis, marginal_precision), 6)}
    return row | {CATCH: round(FIRST[REVIEW] / marginal_precision, 2)}


def _say_amounts(analysis: Analysis, currency: str) -> None:
    amounts = amounts_of(analysis)
    if amounts is None:
        return
    said = [money_words(amount, currency) for amount in amounts]
    st.caption(
        f"A rated fraud is of **{as_text(said[0])}** on average, a rated false alert of {as_text(said[1])}. The "
        "point is chosen as if every case had the mean amount; what it brings is summed over the amounts themselves."
    )


def _fitting(analysis: Analysis, table: pd.DataFrame) -> pd.DataFrame:
    """Leave out the share recovered where there are no amounts: a column out of sight would be filled with nothing."""
    given = RECOVERED in table and bool((pd.to_numeric(table[RECOVERED]) > 0).any())
    return table if has_amounts(analysis) or given else table.drop(columns=RECOVERED, errors="ignore")


def _start_from(table: pd.DataFrame, driving: int | None) -> None:
    """Have the editor start from a table, of which the row of this index drives."""
    known, rows = session().point.scenarios, table.index.tolist()
    st.session_state[DRIVING] = rows.index(driving) if driving in rows else 0
    known.given = known.typed = table.reset_index(drop=True) if rows else pd.DataFrame([FIRST])
    known.before, known.version = None, known.version + 1


def _undo() -> None:
    known = session().point.scenarios
    if known.before is not None:
        _start_from(known.before, st.session_state[DRIVING])
