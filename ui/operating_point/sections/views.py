"""Sections: the decision curve, both rules, and the data as the paper's graph."""

from dataclasses import replace
from typing import get_args

import numpy as np
import streamlit as st

from multiloss_core import ThresholdPath, Unit, figures, operating_point, operating_points
from multiloss_core.figures import RULE_NAMES
from multiloss_core.formatting import count, score_side, score_value
from multiloss_core.thresholds import SMOOTH, Rule, to_graphml
from ui.operating_point.analysis import Analysis
from ui.operating_point.path_tasks import PathTasks
from ui.operating_point.state import PointContext
from ui.shared.choices import PERCENTS
from ui.shared.formatting import COUNT, SHARE, THRESHOLD, rounded_share, show_numbers, vocabulary
from ui.shared.page_setup import theme
from ui.shared.session import session
from ui.shared.widgets import shown_when_open

MIN_NODES, MAX_NODES = 3, 10


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


@shown_when_open("Union and intersection", icon=":material/join:", key="both_rules")
def show_both_rules(context: PointContext) -> None:
    """Show the curves of both rules, and which rule is better at the target."""
    analysis, m = context.analysis, context.point.marginal_precision
    if len(analysis.surfaces.names) == 1 or not analysis.has_both_rules:
        st.info(
            "Two rules need at least two scores."
            if analysis.rated.source.score_count == 1
            else "An alert rule raises alerts alone, whatever the scores: there is no intersection to compare with."
            if analysis.alert_rules
            else f"The table was counted under one rule, '{analysis.settings.rule}' of the scores."
        )
        return
    paths: dict[Rule, ThresholdPath] = {rule: _path_under(analysis, rule) for rule in get_args(Rule)}
    points = {rule: operating_point(path, m) for rule, path in paths.items()}
    benefits = {rule: float(point.net_benefit(m)) for rule, point in points.items()}
    better, gap = max(benefits, key=lambda rule: benefits[rule]), round(abs(benefits["any"] - benefits["all"]), 1)
    counted = "frauds" if analysis.settings.unit is Unit.DOCUMENTS else "of the money in fraud"
    st.markdown(
        f"At a target of {100 * m:.3g} %, flagging by **{RULE_NAMES[better]}** is worth {count(gap)} {counted} more, "
        "net of false alerts."
        if gap
        else f"At a target of {100 * m:.3g} % both rules are worth the same."
    )
    figure = figures.two_rules(paths, points, theme=theme(), unit=analysis.settings.unit, vocabulary=vocabulary())
    words = "; ".join(f"{RULE_NAMES[rule]}: TP {point.tp:g}, FP {point.fp:g}" for rule, point in points.items())
    alt = f"True against false positives under both rules. {words}."
    st.plotly_chart(figure, theme=None, key="both_rules_chart", alt=alt)
    rows = [
        {"Flag by": RULE_NAMES[rule]}
        | {
            score_side(name): score_value(name, value)
            for name, value in zip(point.names, analysis.deployable(point), strict=True)
        }
        | {"TP": point.tp, "FP": point.fp, "Precision": rounded_share(point.precision, point.alerts)}
        | {"Net benefit": benefits[rule]}
        for rule, point in points.items()
    ]
    kinds = {"TP": COUNT, "FP": COUNT, "Precision": SHARE, "Net benefit": COUNT}
    thresholds = dict.fromkeys(map(score_side, context.point.names), THRESHOLD)
    show_numbers(rows, kinds | thresholds, alt="Both rules at the target.")
    st.caption(f"The {SMOOTH.name} path of each rule on the same data. *Settings* changes the rule of this page.")


def _path_under(analysis: Analysis, rule: Rule) -> ThresholdPath:
    if rule == analysis.settings.rule:
        return analysis.path(SMOOTH.name)
    settings = replace(analysis.settings, rule=rule)
    key = analysis.rated.key, settings
    search = session().tasks.ask("path of the other rule", key, lambda: PathTasks.of(analysis.rated, settings))
    search.begin([SMOOTH.name])
    search.wait([SMOOTH.name])
    return search.found[SMOOTH.name].path


@shown_when_open("View as graph", icon=":material/hub:", key="as_graph")
def show_as_graph(context: PointContext) -> None:
    """Show the data as the paper's graph on a coarse grid, with the search by step."""
    # Imported here because networkx loads slowly.
    from ui.shared.graph_search import explore_graph  # noqa: PLC0415

    if len(context.analysis.surfaces.names) == 1:
        st.info("A single score has one path only: its thresholds in order.")
        return
    thinned, bounds = context.view.surfaces.thinned, (MIN_NODES, MAX_NODES)
    graph = explore_graph(thinned, bounds, nodes_key="graph_nodes", step_key="graph_step_")
    st.caption("The charts above use a finer grid.")
    file, mime = "threshold_graph.graphml", "application/xml"
    st.download_button("GraphML", to_graphml(graph), file, mime, icon=":material/download:", on_click="ignore")
