"""Sections: the decision curve, both rules, and the data as the paper's graph."""

import numpy as np
import streamlit as st

from multiloss_core import figures, operating_points
from multiloss_core.thresholds import to_graphml
from ui.operating_point.state import PointContext
from ui.shared.choices import PERCENTS
from ui.shared.formatting import vocabulary
from ui.shared.page_setup import theme
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
