"""The graph of Robles et al. 2020 on a coarse grid, with its shortest path."""

import numpy as np
import streamlit as st

from multiloss_core import CountSurfaces, count_surfaces, graph_path, simulate_population
from multiloss_core.figures import threshold_graph
from multiloss_core.thresholds import to_networkx
from ui.shared.lazy_section import shown_when_open
from ui.shared.page_setup import theme

DOCUMENTS = 200_000
SEED = 4


@shown_when_open("Thresholds of several classifiers as a shortest path", key="topk_graph")
def threshold_graph_of_two() -> None:
    """Draw the threshold graph of two simulated classifiers with its shortest path."""
    # Loaded here only: no other screen needs it.
    import networkx as nx  # noqa: PLC0415

    st.markdown(
        "The other paper (Robles et al. 2020, Algorithm 3) chooses thresholds for several classifiers. Each node is a "
        "pair of thresholds; each step raises one of them and costs minus the area of its trapezoid in the plane of TP "
        "and FP. The shortest path from the loosest pair to the strictest is the one with the largest area under its "
        "curve; the screen *Operating point* walks it on a fine grid.",
        width=860,
    )
    resolution = st.slider("Steps of each threshold", 3, 12, 6, key="topk_graph_steps", bind="query-params", width=360)
    surfaces = _surfaces(int(resolution))
    graph = to_networkx(surfaces)
    first, last = (0, 0), tuple(size - 1 for size in surfaces.tp.shape)
    path = nx.bellman_ford_path(graph, first, last)
    st.plotly_chart(
        threshold_graph(graph, path, theme=theme()),
        key="topk_graph_figure",
        alt=f"A grid of {graph.number_of_nodes()} pairs of thresholds with {graph.number_of_edges()} steps; the "
        f"shortest path has {len(path)} nodes.",
        theme=None,
    )
    length = -nx.path_weight(graph, path, "weight")
    st.caption(
        f"{graph.number_of_nodes()} nodes, {graph.number_of_edges()} steps. Bellman and Ford's method finds an area of "
        f"{length:,.1f}; the sweep over anti-diagonals that the app uses finds {graph_path(surfaces).area:,.1f}."
    )


@st.cache_resource(max_entries=10, show_spinner=False)
def _surfaces(resolution: int) -> CountSurfaces:
    population = simulate_population(np.random.default_rng(SEED), documents=DOCUMENTS)
    return count_surfaces(population.rated(), resolution=resolution)
