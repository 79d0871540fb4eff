"""The graph over the nodes of a threshold grid as a figure (Robles et al. 2020, figure 2)."""

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from multiloss_core.figures.loss_curve import CURVE
from multiloss_core.figures.theme import Theme, ink, new_figure, paper
from multiloss_core.formatting import threshold

if TYPE_CHECKING:
    import networkx as nx

_EDGE = {"light": "#c3ced6", "dark": "#44525d"}


def threshold_graph(
    graph: "nx.DiGraph", path: Sequence[tuple[int, int]], *, theme: Theme, height: int = 520
) -> go.Figure:
    """Draw the graph of `to_networkx` for two classifiers, with a path through it.

    `path`: its nodes, from the loosest thresholds to the strictest. Nodes are evenly spaced; the axes name thresholds.
    """
    figure = new_figure("Threshold graph and its shortest path", theme, height=height)
    for name, steps, colour, width in (
        ("a step: one threshold one node up", list(graph.edges), _EDGE[theme], 1),
        ("shortest path", list(pairwise(path)), CURVE[theme], 4),
    ):
        # A gap after each step keeps them apart.
        x, y = ([place for start, end in steps for place in (start[j], end[j], None)] for j in (0, 1))
        line = {"color": colour, "width": width}
        figure.add_scatter(x=x, y=y, mode="lines", name=name, line=line, hoverinfo="skip")
    on_path = set(path)
    figure.add_scatter(
        x=[node[0] for node in graph],
        y=[node[1] for node in graph],
        mode="markers",
        name="a pair of thresholds",
        marker={
            "color": [CURVE[theme] if node in on_path else paper(theme) for node in graph],
            "size": 11,
            "line": {"color": ink(theme), "width": 1},
        },
        customdata=[(*map(threshold, node["thresholds"]), node["tp"], node["fp"]) for node in graph.nodes.values()],
        hovertemplate="thresholds %{customdata[0]}, %{customdata[1]}<br>TP %{customdata[2]:,}, FP %{customdata[3]:,}"
        "<extra></extra>",
    )
    figure.update_layout(margin={"b": 120})
    for j, update in enumerate((figure.update_xaxes, figure.update_yaxes)):
        *nodes, largest = sorted({node["thresholds"][j] for node in graph.nodes.values()})
        update(
            title_text=f"threshold of {graph.graph['names'][j]}",
            tickvals=list(range(len(nodes) + 1)),
            # The last node is the next number after the largest score.
            ticktext=[*(f"{value:.3g}" for value in nodes), f"above {largest:.3g}"],
            showgrid=False,
            zeroline=False,
        )
    return figure
