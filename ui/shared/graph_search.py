"""Show the search for the shortest path through a threshold graph, step by step."""

from collections.abc import Callable

import networkx as nx
import streamlit as st

from multiloss_core import CountSurfaces
from multiloss_core.figures import threshold_graph, threshold_graph_search
from multiloss_core.inspection import graph_walk, step_in_words
from multiloss_core.thresholds import to_networkx
from ui.shared.choices import ask_number
from ui.shared.page_setup import theme
from ui.shared.widgets import show_chart


def explore_graph(
    surfaces_of: Callable[[int], CountSurfaces], bounds: tuple[int, int], *, nodes_key: str, step_key: str
) -> "nx.DiGraph":
    """Draw the search after a chosen step, compare it with networkx, and return the graph.

    `surfaces_of` counts at a number of nodes on each axis. A `step_key` that ends in "_" goes on with the last step.
    """
    chart, controls = st.columns([3, 2], gap="large")
    with controls:
        st.markdown(
            "Each **node** is a pair of thresholds, each **edge** raises one of them by a step. Its **weight** is "
            "minus the area of a trapezoid in the TP-FP plane (Robles et al. 2020, Algorithm 3), so the **shortest "
            "path** from the loosest pair to the strictest has the largest area under its curve."
        )
        nodes = ask_number(st.slider, "Nodes on each axis", bounds, 6, key=nodes_key)
        surfaces = surfaces_of(nodes)
        walk, graph = graph_walk(surfaces), to_networkx(surfaces)
        last = len(walk.settled) + 1
        key, first = (f"{step_key}{last}", last) if step_key.endswith("_") else (step_key, 0)
        step = ask_number(st.slider, "Step of the search", (0, last), first, key=key)
        st.markdown(step_in_words(walk, surfaces.names, step))
        path = nx.bellman_ford_path(graph, walk.path[0], walk.path[-1])
        length = -nx.path_weight(graph, path, "weight")
        st.caption(
            f"{graph.number_of_nodes()} nodes, {graph.number_of_edges()} edges. Bellman and Ford's method, the "
            f"paper's, finds an area of {length:,.1f}; the sweep shown here, that of the app, finds {walk.area:,.1f}."
        )
    whole = step == last
    show_chart(
        threshold_graph(graph, path, theme=theme())
        if whole
        else threshold_graph_search(graph, walk, step, theme=theme()),
        key=f"{nodes_key}_chart",
        alt=f"A grid of {graph.number_of_nodes()} pairs of thresholds with {graph.number_of_edges()} steps; "
        + (f"the shortest path has {len(path)} nodes." if whole else f"the best ways to {step + 1} of them are known."),
        place=chart,
    )
    return graph
