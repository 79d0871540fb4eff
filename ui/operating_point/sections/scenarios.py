"""Compare scenarios of costs: their table, the payoff matrix, and each one's point."""

from typing import Any

import pandas as pd
import streamlit as st

from multiloss_core import operating_point
from multiloss_core.formatting import count, direction, plural, score_side, short_percent
from multiloss_core.thresholds import Point
from ui.operating_point.active_goal import is_set_by_costs
from ui.operating_point.analysis import Analysis
from ui.operating_point.costs import (
    ANNOYANCE,
    CATCH,
    CURRENCY,
    MAX_AMOUNT,
    MAX_CURRENCY,
    MAX_NAME,
    NAME,
    RECOVERED,
    REVIEW,
    amounts_of,
    cleaned,
    point_cases,
    target_of,
)
from ui.operating_point.costs_form import ALL, SCENARIO_KEY, first_row_of, fitting, read_typed, start_from
from ui.operating_point.state import DIGITS, PointContext
from ui.shared.formatting import COUNT, EXACT, as_text, show_table, vocabulary
from ui.shared.session import Scenario, session
from ui.shared.widgets import shown_when_open

MONEY = "%,.2f"
FORMAT = "localized"


def show_scenarios(context: PointContext) -> None:
    """Show the scenarios where costs set the point."""
    if is_set_by_costs():
        _show_scenarios(context.analysis, context.view.method, context.point)


@shown_when_open("Compare scenarios", icon=":material/payments:", key="scenarios_box")
def _show_scenarios(analysis: Analysis, method: str, point: Point) -> None:
    known = session().point.scenarios
    _ask_scenarios(analysis)
    if known.driving is not None:
        _show_matrix(analysis, known.driving, point)
    if known.usable:
        _show_comparison(analysis, method, point)


def money_words(value: float, currency: str) -> str:
    """Format an amount with at most two decimals and its currency."""
    digits = f"{value:,.2f}".removesuffix(".00").replace("-", "\N{MINUS SIGN}")
    return f"{digits}\N{NO-BREAK SPACE}{currency}".rstrip("\N{NO-BREAK SPACE}")


def sum_words(analysis: Analysis, scenario: Scenario, point: Point) -> str:
    """Explain the payoff of a point."""
    payoffs, (tp, fp, amount) = scenario.payoffs, point_cases(analysis, point)
    parts = [
        (payoffs.recovered, f"{100 * payoffs.recovered:g} % of {{}} in fraud caught", amount),
        (payoffs.catch, f"{count(tp)} caught at {{}} each", payoffs.catch),
        (payoffs.review, f"less {plural(tp + fp, 'review')} at {{}} each", payoffs.review),
        (payoffs.annoyance, f"less friction of {plural(fp, 'false alert')} at {{}} each", payoffs.annoyance),
    ]
    terms = ", ".join(words.format(money_words(value, scenario.currency)) for factor, words, value in parts if factor)
    total = money_words(payoffs.total(tp, fp, amount), scenario.currency)
    return f"**This point brings {as_text(total)}:** {as_text(terms)}."


def _show_matrix(analysis: Analysis, scenario: Scenario, point: Point) -> None:
    amounts = amounts_of(analysis)
    payoffs = scenario.payoffs if amounts is None else scenario.payoffs.at_amount(amounts[0])
    fraud = "Fraud of the mean amount" if scenario.payoffs.recovered else "Fraud"
    st.dataframe(
        pd.DataFrame(
            {
                "": [fraud, "No fraud"],
                "Flagged": [payoffs.of_catch, -payoffs.of_false_alert],
                "Not flagged": [0.0, 0.0],
                "Currency": scenario.currency,
            }
        ),
        hide_index=True,
        column_config=dict.fromkeys(("Flagged", "Not flagged"), st.column_config.NumberColumn(format=MONEY)),
        alt=f"Payoff of {vocabulary().a_document}, flagged or not, fraud or not.",
    )
    st.markdown(sum_words(analysis, scenario, point))
    st.caption(
        "Payoffs are relative to flagging nothing, because rated alerts do not show missed fraud. The break-even share "
        f"of fraud in the last alerts is {short_percent(payoffs.marginal_precision)}."
        f"{' Undecided alerts are excluded.' if analysis.has_undecided else ''}"
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
        alt="The scenarios with their points, and the payoffs there and at the point shown.",
    )
    st.caption(
        f"Every scenario at its own point of the {method} path; TP and FP are {vocabulary().documents}. Payoffs are "
        "counted on this data, relative to flagging nothing."
        + (
            " The path uses a smooth estimate, so another point may have a higher payoff on this data by chance."
            if path.smooth_tp is not None
            else ""
        )
    )


def _row(analysis: Analysis, method: str, point: Point, scenario: Scenario) -> dict[str, str | float]:
    payoffs, target = scenario.payoffs, target_of(analysis, scenario.payoffs)
    # Round as the slider does: at the break-even of a step the last digits matter.
    own = operating_point(analysis.path(method), round(100 * target, DIGITS) / 100)
    tp, fp, amount = point_cases(analysis, own)
    return {
        "Scenario": scenario.name,
        "": "active" if scenario == session().point.scenarios.driving else "",
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


def _ask_scenarios(analysis: Analysis) -> None:
    """Draw the table of scenarios and the choice of the active one."""
    known = session().point.scenarios
    if editor_key() not in st.session_state:
        # Streamlit drops the edits while the table is closed.
        start_from(fitting(analysis, known.typed), st.session_state.get(SCENARIO_KEY))
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
        # The point above depends on it.
        known.before, known.typed = known.typed, typed
        st.rerun()
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
    refused = {row: words for row, words in read_typed(analysis)[1].items() if row != st.session_state[SCENARIO_KEY]}
    for row, words in list(refused.items())[:1]:
        st.error(as_text(f"Row {rows.index(row) + 1}: {words}"), icon=":material/error:")
    _show_amounts(analysis, "" if known.driving is None else known.driving.currency)


def editor_key() -> str:
    """Return the key of the editor; a new one for each given table discards older edits."""
    return f"scenarios_{session().point.scenarios.version}"


def _columns(analysis: Analysis, given: pd.DataFrame) -> dict[str, Any]:
    """Configure the columns of the editor."""
    first = first_row_of(analysis)
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
    known = session().point.scenarios
    if known.before is not None:
        start_from(known.before, st.session_state[SCENARIO_KEY])
