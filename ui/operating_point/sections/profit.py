"""Sections: payoff against alerts, net benefit against the target."""

import numpy as np
import streamlit as st

from multiloss_core import DataError, figures, operating_points
from multiloss_core.decisions import COSTS
from multiloss_core.figures import BEST, CHOSEN, PRESENT, profit_chart
from multiloss_core.formatting import count, plural, shortened
from multiloss_core.thresholds import Point, ProfitCurve, profit_curve
from multiloss_core.thresholds.targets import point_of_vertex
from ui.operating_point.active_goal import GOAL_KEY, set_manual_thresholds
from ui.operating_point.analysis import Analysis
from ui.operating_point.costs import cases_of, money_words, point_cases
from ui.operating_point.sections.scenarios import sum_words
from ui.operating_point.state import PointContext
from ui.shared.choices import PERCENTS, choose
from ui.shared.formatting import LONG_NAME, as_text, vocabulary
from ui.shared.page_setup import theme
from ui.shared.session import Scenario, session
from ui.shared.widgets import shown_when_open

SECTION = "profit"


@shown_when_open("Payoff against alerts", icon=":material/show_chart:", key=SECTION)
def show_profit(context: PointContext) -> None:
    """Show what the path brings at the costs of the scenario used last, and where most."""
    analysis, point, scenario = context.analysis, context.point, session().point.goals.scenarios.driving
    if scenario is None:
        st.info("Say what a review costs and what a catch is worth, and the payoff is drawn here.")
        st.button("Set the point by costs", icon=":material/payments:", on_click=choose, args=(GOAL_KEY, COSTS))
        return
    try:
        curve = profit_curve(cases_of(analysis, point.method), scenario.payoffs)
    except DataError as error:
        st.error(as_text(str(error)), icon=":material/error:")
        return
    marks = {CHOSEN: _place(analysis, scenario, point), BEST: _best_place(curve)}
    if context.view.compared_point is not None:
        marks[PRESENT] = _place(analysis, scenario, context.view.compared_point)
    st.markdown(f"{sum_words(analysis, scenario, point)}\n\n{_best_words(curve, scenario, marks[CHOSEN][1])}")
    st.plotly_chart(
        profit_chart(curve, point.method, marks, theme=theme(), currency=scenario.currency, vocabulary=vocabulary()),
        theme=None,
        key="profit_chart",
        alt=_alt(marks, scenario),
    )
    best = point_of_vertex(analysis.path(point.method), curve.best)
    if curve.totals[curve.best] > 0:
        st.button(
            "Go to the best point on this data",
            icon=":material/flag:",
            on_click=set_manual_thresholds,
            args=(analysis.deployable(best).tolist(),),
            help="Sets these thresholds by hand.",
        )
    named = f"'{as_text(shortened(scenario.name, LONG_NAME))}'" if scenario.name else "used last"
    st.caption(
        f"At the costs of the scenario {named}, counted on the rated {vocabulary().documents} against flagging "
        "nothing. The best point is the best of this path on *these* data, so a little of its lead is luck."
        f"{' Undecided alerts are left out.' if analysis.has_undecided else ''}"
    )


@shown_when_open("Decision curve", icon=":material/ssid_chart:", key="decision_curve")
def show_decision_curve(context: PointContext) -> None:
    """Show the net benefit of the path, of fixed points and of all that was rated."""
    analysis, point, targets = context.analysis, context.point, PERCENTS / 100
    path = analysis.path(context.view.method)
    along = operating_points(path, targets)
    benefits = {f"{path.method} path": np.array([at.net_benefit(at.marginal_precision) for at in along])}
    benefits["this point at every target"] = point.net_benefit(targets)
    if context.view.compared_point is not None:
        benefits["current thresholds"] = context.view.compared_point.net_benefit(targets)
    benefits["flag all rated"] = point.reachable.net_benefit(targets)
    at = int(np.abs(targets - point.marginal_precision).argmin())
    st.plotly_chart(
        figures.decision_curve(
            targets,
            benefits,
            point.marginal_precision,
            colour=figures.look_of(path.method).colour,
            theme=theme(),
            unit=analysis.settings.unit,
            vocabulary=vocabulary(),
        ),
        theme=None,
        key="decision_curve_chart",
        alt=f"Net benefit against the target; at {PERCENTS[at]:g} %: "
        + ", ".join(f"{name} {values[at]:,.1f}" for name, values in benefits.items()),
    )
    st.caption(
        "Net benefit: TP less the false positives that a target m allows for one catch, TP \N{MINUS SIGN} m / "
        "(1 \N{MINUS SIGN} m) FP. Counted on the data that chose the path, so the path's lead is slightly optimistic."
    )


def _place(analysis: Analysis, scenario: Scenario, point: Point) -> tuple[float, float]:
    """Place a point in the chart: its alerts and what it brings."""
    tp, fp, amount = point_cases(analysis, point)
    return tp + fp, scenario.payoffs.total(tp, fp, amount)


def _best_place(curve: ProfitCurve) -> tuple[float, float]:
    return float(curve.alerts[curve.best]), float(curve.totals[curve.best])


def _best_words(curve: ProfitCurve, scenario: Scenario, chosen: float) -> str:
    alerts, most = _best_place(curve)
    if most <= 0:
        return "**No point of this path brings more than flagging nothing** at these costs."
    low, high = curve.nearly_best
    best = as_text(money_words(most, scenario.currency))
    gap = as_text(money_words(most - chosen, scenario.currency))
    # Sums of weights in another order differ by rounding; thresholds beside the path may bring more than all of it.
    lead = f", {gap} more than this point" if most - chosen > 0.005 else ""
    return (
        f"**The best point of the path brings {best}**, with {plural(alerts, 'alert')}{lead}. From {count(low)} to "
        f"{plural(high, 'alert')} it is at least 99 % of that."
    )


def _alt(marks: dict[str, tuple[float, float]], scenario: Scenario) -> str:
    parts = (
        f"{name}: {money_words(payoff, scenario.currency)} with {plural(alerts, 'alert')}"
        for name, (alerts, payoff) in marks.items()
    )
    return f"Payoff against alerts along the path. {'; '.join(parts)}."
