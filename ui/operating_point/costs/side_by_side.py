"""The payoff matrix of the scenario that drives, and all scenarios side by side."""

import pandas as pd
import streamlit as st

from multiloss_core import operating_point
from multiloss_core.formatting import count, direction, plural, score_side, short_percent
from multiloss_core.thresholds import Point
from ui.operating_point.analysis import Analysis
from ui.operating_point.costs.worth import amounts_of, point_cases, target_of
from ui.operating_point.target import DIGITS
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
