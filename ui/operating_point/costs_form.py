"""The form for cost scenarios, their payoff matrix and comparison."""

from typing import Any

import pandas as pd
import streamlit as st

from multiloss_core import DataError, operating_point
from multiloss_core.formatting import count, direction, plural, score_side, short_percent
from multiloss_core.thresholds import Point
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
    point_cases,
    read_scenarios,
    review_cost_at,
    share_scenario,
    target_of,
)
from ui.operating_point.state import DIGITS
from ui.shared.formatting import COUNT, EXACT, as_text, show_table, vocabulary
from ui.shared.session import Scenario, session

MONEY = "%,.2f"


def show_scenarios(analysis: Analysis, method: str, point: Point) -> None:
    """Show the payoff matrix with what the point brings, and all scenarios side by side."""
    known = session().point.scenarios
    with st.expander("Payoffs and scenarios", icon=":material/payments:", key="scenarios_box"):
        if known.driving is not None:
            _show_matrix(analysis, known.driving, point)
        if known.usable:
            _show_comparison(analysis, method, point)


def money_words(value: float, currency: str) -> str:
    """Write an amount with at most two decimals and its currency."""
    digits = f"{value:,.2f}".removesuffix(".00").replace("-", "\N{MINUS SIGN}")
    return f"{digits}\N{NO-BREAK SPACE}{currency}".rstrip("\N{NO-BREAK SPACE}")


def sum_words(analysis: Analysis, scenario: Scenario, point: Point) -> str:
    """Say what a point brings, and how that comes about."""
    payoffs, (tp, fp, amount) = scenario.payoffs, point_cases(analysis, point)
    parts = [
        (payoffs.recovered, f"{100 * payoffs.recovered:g} % of {{}} in fraud caught", amount),
        (payoffs.catch, f"{count(tp)} caught at {{}} each", payoffs.catch),
        (payoffs.review, f"less {plural(tp + fp, 'review')} at {{}} each", payoffs.review),
        (payoffs.annoyance, f"less friction of {plural(fp, 'false alert')} at {{}} each", payoffs.annoyance),
    ]
    said = ", ".join(words.format(money_words(value, scenario.currency)) for factor, words, value in parts if factor)
    total = money_words(payoffs.total(tp, fp, amount), scenario.currency)
    return f"**This point brings {as_text(total)}:** {as_text(said)}."


def _show_matrix(analysis: Analysis, now: Scenario, point: Point) -> None:
    amounts = amounts_of(analysis)
    payoffs = now.payoffs if amounts is None else now.payoffs.at_amount(amounts[0])
    fraud = "Fraud of the mean amount" if now.payoffs.recovered else "Fraud"
    st.dataframe(
        pd.DataFrame(
            {
                "": [fraud, "No fraud"],
                "Flagged": [payoffs.of_catch, -payoffs.of_false_alert],
                "Not flagged": [0.0, 0.0],
                "Currency": now.currency,
            }
        ),
        hide_index=True,
        column_config=dict.fromkeys(("Flagged", "Not flagged"), st.column_config.NumberColumn(format=MONEY)),
        alt=f"What {vocabulary().a_document} brings that is flagged or not, fraud or not.",
    )
    st.markdown(sum_words(analysis, now, point))
    st.caption(
        "Counted against flagging nothing: how much fraud is missed cannot be known from rated alerts, so what is not "
        f"flagged brings 0. An alert just pays where {short_percent(payoffs.marginal_precision)} of the last alerts "
        f"are fraud.{' Alerts that are not decided yet are left out.' if analysis.has_undecided else ''}"
    )


def _show_comparison(analysis: Analysis, method: str, point: Point) -> None:
    path, number = analysis.path(method), st.column_config.NumberColumn
    show_table(
        pd.DataFrame([_row(analysis, method, point, scenario) for scenario in session().point.scenarios.usable]),
        hide_index=True,
        column_config={
            "Marginal precision": number(format="percent"),
            "Payoff there": number(format=MONEY),
            "Payoff of this point": number(format=MONEY),
            **{score_side(name): number(format=EXACT) for name in path.names},
            **{name: number(format=COUNT.format) for name in ("TP", "FP", "Alerts")},
            "Precision": number(format="percent"),
        },
        alt="The scenarios with the points they lead to, and what these and the present point bring.",
    )
    st.caption(
        f"Every scenario at its own point of the {method} path; TP and FP are {vocabulary().documents}. Payoffs are "
        "counted on this data, against flagging nothing."
        + (
            " The path chooses by a smooth estimate, so another point may by chance bring more on this data."
            if path.smooth_tp is not None
            else ""
        )
    )


def _row(analysis: Analysis, method: str, point: Point, scenario: Scenario) -> dict[str, str | float]:
    payoffs, target = scenario.payoffs, target_of(analysis, scenario.payoffs)
    # As the slider would hold it: where a step of the path is just worth it, the last digits decide.
    own = operating_point(analysis.path(method), round(100 * target, DIGITS) / 100)
    tp, fp, amount = point_cases(analysis, own)
    return {
        "Scenario": scenario.name,
        "": "drives" if scenario == session().point.scenarios.driving else "",
        "Marginal precision": target,
        "Payoff there": payoffs.total(tp, fp, amount),
        "Payoff of this point": payoffs.total(*point_cases(analysis, point)),
        "Currency": scenario.currency,
        **{
            score_side(name): direction(name) * value
            for name, value in zip(own.names, analysis.deployable(own).tolist(), strict=True)
        },
        "TP": tp,
        "FP": fp,
        "Alerts": tp + fp,
        "Precision": tp / (tp + fp) if tp + fp else float("nan"),
    }


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
