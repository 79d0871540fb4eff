"""Draw the search for the shortest path through a threshold graph."""

import networkx as nx
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from multiloss_core.figures import threshold_graph, threshold_graph_search
from multiloss_core.inspection import GraphWalk
from ui.shared.page_setup import theme


def show_search(graph: "nx.DiGraph", walk: GraphWalk, step: int, chart: DeltaGenerator, *, key: str) -> None:
    """Draw the search after `step` nodes and the path; compare it with networkx."""
    path = nx.bellman_ford_path(graph, walk.path[0], walk.path[-1])
    whole = step > len(walk.settled)
    chart.plotly_chart(
        threshold_graph(graph, path, theme=theme())
        if whole
        else threshold_graph_search(graph, walk, step, theme=theme()),
        key=key,
        alt=f"A grid of {graph.number_of_nodes()} pairs of thresholds with {graph.number_of_edges()} steps; "
        + (f"the shortest path has {len(path)} nodes." if whole else f"the best ways to {step + 1} of them are known."),
        theme=None,
    )
    length = -nx.path_weight(graph, path, "weight")
    st.caption(
        f"{graph.number_of_nodes()} nodes, {graph.number_of_edges()} edges. Bellman and Ford's method, the paper's, "
        f"finds an area of {length:,.1f}; the sweep shown here, which the app uses, finds {walk.area:,.1f}."
    )
