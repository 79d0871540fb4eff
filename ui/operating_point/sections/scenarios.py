"""Section: the payoffs of this point and of each scenario's own point."""

import pandas as pd
import streamlit as st

from multiloss_core import operating_point
from multiloss_core.formatting import count, direction, plural, score_side, short_percent
from multiloss_core.thresholds import Point
from ui.operating_point.analysis import Analysis
from ui.operating_point.costs import amounts_of, money_words, point_cases, target_of
from ui.operating_point.state import DIGITS, PointContext
from ui.shared.formatting import COUNT, EXACT, as_text, show_table, vocabulary
from ui.shared.session import Scenario, session

MONEY = "%,.2f"
FORMAT = "localized"


def show_scenarios(context: PointContext) -> None:
    """Show below the table of scenarios the payoffs of this point and of each scenario's own."""
    known = session().point.goals.scenarios
    if context.scenarios is None or not context.scenarios.open:
        return
    with context.scenarios:
        if known.driving is not None:
            _show_matrix(context.analysis, known.driving, context.point)
        if known.usable:
            _show_comparison(context.analysis, context.view.method, context.point)


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
        pd.DataFrame([_row(analysis, method, point, scenario) for scenario in session().point.goals.scenarios.usable]),
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
        "": "active" if scenario == session().point.goals.scenarios.driving else "",
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
