"""The graph over the nodes of a threshold grid as a figure (Robles et al. 2020, figure 2)."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from multiloss_core.figures.loss_curve import CURVE
from multiloss_core.figures.theme import Theme, ink, new_figure, paper

if TYPE_CHECKING:
    import networkx as nx

_EDGE = {"light": "#c3ced6", "dark": "#44525d"}
_Node = tuple[int, ...]


def threshold_graph(graph: "nx.DiGraph", path: Sequence[_Node], *, theme: Theme, height: int = 520) -> go.Figure:
    """Draw the graph of `to_networkx` for two classifiers, with a path through it.

    `path`: its nodes, from the loosest thresholds to the strictest. Each node stands at its two thresholds.
    """
    first, second = graph.graph["names"]
    figure = new_figure("Threshold graph and its shortest path", theme, height=height)
    for name, edges, colour, width in (
        ("a step: one threshold one node up", graph.edges, _EDGE[theme], 1),
        ("shortest path", pairwise(path), CURVE[theme], 4),
    ):
        x, y = _lines(graph, edges)
        figure.add_scatter(x=x, y=y, mode="lines", name=name, line={"color": colour, "width": width}, hoverinfo="skip")
    nodes = list(graph.nodes.values())
    on_path = set(path)
    figure.add_scatter(
        x=[node["thresholds"][0] for node in nodes],
        y=[node["thresholds"][1] for node in nodes],
        mode="markers",
        name="a pair of thresholds",
        marker={
            "color": [CURVE[theme] if node in on_path else paper(theme) for node in graph],
            "size": 11,
            "line": {"color": ink(theme), "width": 1},
        },
        customdata=[(node["tp"], node["fp"]) for node in nodes],
        hovertemplate="thresholds %{x:.4g}, %{y:.4g}<br>TP %{customdata[0]:,}, FP %{customdata[1]:,}<extra></extra>",
    )
    figure.update_layout(margin={"b": 120})
    figure.update_xaxes(title_text=f"threshold of {first}")
    figure.update_yaxes(title_text=f"threshold of {second}")
    return figure


def _lines(graph: "nx.DiGraph", edges: Iterable[tuple[_Node, _Node]]) -> tuple[list[float | None], list[float | None]]:
    """Coordinates of separate segments, with a gap after each."""
    x: list[float | None] = []
    y: list[float | None] = []
    for ends in edges:
        for node in ends:
            across, up = graph.nodes[node]["thresholds"]
            x.append(across)
            y.append(up)
        x.append(None)
        y.append(None)
    return x, y
