"""What an alert costs and brings: scenarios of it in one table, the payoff matrix of one, and all side by side."""

from typing import Any

import pandas as pd
import streamlit as st
from ui.operating_point.payoff_scenarios import (
    ANNOYANCE,
    CATCH,
    CURRENCY,
    FIRST,
    MAX_AMOUNT,
    MAX_CURRENCY,
    MAX_NAME,
    NAME,
    REVIEW,
    asked_in_url,
    cleaned,
    read_scenarios,
    share_scenario,
)

from multiloss_core import DataError, operating_point
from multiloss_core.formatting import count, short_percent
from multiloss_core.thresholds import Point
from ui.operating_point.analysis import Analysis
from ui.operating_point.target import DIGITS
from ui.shared.formatting import EXACT, as_text
from ui.shared.session import Scenario, session

DRIVING = "scenario"
MONEY, COUNT = "%,.2f", "localized"
FIRST_TARGET = FIRST[REVIEW] / FIRST[CATCH]


def _amount(column: str, label: str, words: str) -> Any:
    return st.column_config.NumberColumn(
        label, help=words, default=FIRST[column], min_value=0.0, max_value=MAX_AMOUNT, format=MONEY
    )


COLUMNS = {
    NAME: st.column_config.TextColumn("Name", default="", max_chars=MAX_NAME),
    REVIEW: _amount(REVIEW, "One review costs", "Of every alert, fraud or not."),
    CATCH: _amount(CATCH, "One catch is worth", "What is saved when a fraud is caught, before its review is paid."),
    ANNOYANCE: _amount(
        ANNOYANCE,
        "Annoyance",
        "What a false alert costs beyond its review: a good customer was stopped. 0 where nobody notices.",
    ),
    CURRENCY: st.column_config.TextColumn(
        "Currency", help="Only a word or sign next to the numbers.", default=FIRST[CURRENCY], max_chars=MAX_CURRENCY
    ),
}


def ask_scenario(marginal_precision: float) -> Scenario:
    """Draw the table of scenarios and the choice of the one that drives, which is returned.

    Where none was typed yet, the first one comes to `marginal_precision`.

    Raises
    ------
    DataError : its row holds no scenario, or there is no row.
    """
    known, asked = session().point.scenarios, asked_in_url()
    if asked is not None:
        others = known.typed[[cleaned(name) != asked[NAME] for name in known.typed.get(NAME, [])]]
        _start_from(pd.DataFrame([asked, *others.to_dict("records")]), 0)
    elif editor_key() not in st.session_state:
        # The editor forgets what was typed while another driver or page was open.
        _start_from(known.typed, st.session_state.get(DRIVING), marginal_precision)
    choice, table = st.columns([1, 4], gap="medium")
    typed = table.data_editor(
        known.given,
        num_rows="dynamic",
        key=editor_key(),
        hide_index=True,
        column_config=COLUMNS,
        alt="Scenarios of costs, to be typed.",
    )
    if not typed.equals(known.typed):
        known.before, known.typed = known.typed, typed
    rows, (found, refused) = typed.index.tolist(), read_scenarios(typed)
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
    if known.driving is None:
        raise DataError(refused.get(driving, "There is no scenario; add a row."))
    share_scenario(known.driving)
    return known.driving


def editor_key() -> str:
    """Name the editor's widget; another one for each table that it starts from, so that none shows older edits."""
    return f"scenarios_{session().point.scenarios.version}"


def _start_from(table: pd.DataFrame, driving: int | None, marginal_precision: float = FIRST_TARGET) -> None:
    """Have the editor start from a table, of which the row of this index drives."""
    known, rows = session().point.scenarios, table.index.tolist()
    st.session_state[DRIVING] = rows.index(driving) if driving in rows else 0
    first = FIRST | {CATCH: round(FIRST[REVIEW] / marginal_precision, 2)}
    known.given = known.typed = table.reset_index(drop=True) if rows else pd.DataFrame([first])
    known.before, known.version = None, known.version + 1


def _undo() -> None:
    known = session().point.scenarios
    if known.before is not None:
        _start_from(known.before, st.session_state[DRIVING])


def show_scenarios(analysis: Analysis, method: str, point: Point) -> None:
    """Show the payoff matrix with what the point brings, and all scenarios side by side."""
    known = session().point.scenarios
    with st.expander("Payoffs and scenarios", icon=":material/payments:", key="scenarios_box"):
        if known.driving is not None:
            _show_matrix(known.driving, point)
        if known.usable:
            _show_comparison(analysis, method, point)


def _show_matrix(now: Scenario, point: Point) -> None:
    payoffs = now.payoffs
    st.dataframe(
        pd.DataFrame(
            {
                "": ["Fraud", "No fraud"],
                "Flagged": [payoffs.of_catch, -payoffs.of_false_alert],
                "Not flagged": [0.0, 0.0],
                "Currency": now.currency,
            }
        ),
        hide_index=True,
        column_config=dict.fromkeys(("Flagged", "Not flagged"), st.column_config.NumberColumn(format=MONEY)),
        alt="What a document brings that is flagged or not, fraud or not.",
    )
    total = payoffs.total(point.tp, point.fp)
    st.markdown(
        f"**This point brings {as_text(_money(total, now))}:** {count(point.tp)} caught at "
        f"{as_text(_money(payoffs.of_catch, now))} each, {count(point.fp)} false alerts at "
        f"{as_text(_money(-payoffs.of_false_alert, now))} each."
    )
    st.caption(
        "Counted against flagging nothing: how much fraud is missed cannot be known from rated alerts, so what is not "
        f"flagged brings 0. An alert just pays at a marginal precision of {short_percent(payoffs.marginal_precision)}."
    )


def _show_comparison(analysis: Analysis, method: str, point: Point) -> None:
    path, number = analysis.path(method), st.column_config.NumberColumn
    st.dataframe(
        pd.DataFrame([_row(analysis, method, point, scenario) for scenario in session().point.scenarios.usable]),
        hide_index=True,
        column_config={
            "Marginal precision": number(format="percent"),
            "Payoff there": number(format=MONEY),
            "Payoff of this point": number(format=MONEY),
            **{f"{name} ≥": number(format=EXACT) for name in path.names},
            **{name: number(format=COUNT) for name in ("TP", "FP", "Alerts")},
            "Precision": number(format="percent"),
        },
        alt="The scenarios with the points they lead to, and what these and the present point bring.",
    )
    st.caption(
        f"Every scenario at its own point of the {method} path. Payoffs are counted on this data, against flagging "
        "nothing."
        + (
            " The path chooses by a smooth estimate, so another point may by chance bring more on this data."
            if path.smooth_tp is not None
            else ""
        )
    )


def _row(analysis: Analysis, method: str, point: Point, scenario: Scenario) -> dict[str, str | float]:
    payoffs = scenario.payoffs
    # As the slider would hold it: where a step of the path is just worth it, the last digits decide.
    own = operating_point(analysis.path(method), round(100 * payoffs.marginal_precision, DIGITS) / 100)
    return {
        "Scenario": scenario.name,
        "": "drives" if scenario == session().point.scenarios.driving else "",
        "Marginal precision": payoffs.marginal_precision,
        "Payoff there": payoffs.total(own.tp, own.fp),
        "Payoff of this point": payoffs.total(point.tp, point.fp),
        "Currency": scenario.currency,
        **{f"{name} ≥": value for name, value in zip(own.names, analysis.deployable(own).tolist(), strict=True)},
        "TP": own.tp,
        "FP": own.fp,
        "Alerts": own.alerts,
        "Precision": own.precision,
    }


def _money(value: float, scenario: Scenario) -> str:
    """Write an amount with at most two decimals and its currency."""
    digits = f"{value:,.2f}".removesuffix(".00").replace("-", "\N{MINUS SIGN}")
    return f"{digits}\N{NO-BREAK SPACE}{scenario.currency}".rstrip("\N{NO-BREAK SPACE}")
