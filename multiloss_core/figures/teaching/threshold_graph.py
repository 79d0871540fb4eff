"""The graph of Robles et al. 2020 for two classifiers: its nodes, its steps, its shortest path and how it is found."""

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from multiloss_core.figures import theme as style
from multiloss_core.figures.theme import CURVE, Theme
from multiloss_core.formatting import threshold
from multiloss_core.inspection.graph_walk import GraphWalk, Node

if TYPE_CHECKING:
    import networkx as nx

Step = tuple[Node, Node]


def threshold_graph(
    graph: "nx.DiGraph", path: Sequence[tuple[int, int]], *, theme: Theme, height: int = 520
) -> go.Figure:
    """Draw the graph of `to_networkx` for two classifiers, with a path through it.

    `path`: its nodes, from the loosest thresholds to the strictest. Nodes are evenly spaced; the axes name thresholds.
    """
    figure = style.new_figure("Threshold graph and its shortest path", theme, height=height)
    _draw_steps(figure, "a step: one threshold one node up", list(graph.edges), style.PALE[theme], 1)
    _draw_steps(figure, "shortest path", list(pairwise(path)), CURVE[theme], 4)
    _draw_nodes(figure, graph, set(path), theme)
    _name_axes(figure, graph)
    return figure


def threshold_graph_search(
    graph: "nx.DiGraph", walk: GraphWalk, step: int, *, theme: Theme, height: int = 520
) -> go.Figure:
    """Draw the search for the shortest path after `step` nodes were settled, from 0 to all; one more reads the path.

    Settled nodes are filled and joined by the best ways to them; the steps into the node settled last are thick, the
    kept one solid and the other dashed.
    """
    settled = walk.settled[:step]
    is_read = step > len(walk.settled)
    figure = style.new_figure("The search for the shortest path", theme, height=height)
    _draw_steps(figure, "a step: one threshold one node up", list(graph.edges), style.PALE[theme], 1)
    _draw_steps(figure, "best way to a node", [(node.best.before, node.node) for node in settled], CURVE[theme], 2)
    if is_read:
        _draw_steps(figure, "shortest path", list(pairwise(walk.path)), CURVE[theme], 6)
    elif settled:
        last = settled[-1]
        rejected = [(edge.before, last.node) for edge in last.edges if edge is not last.best]
        _draw_steps(figure, "step that is kept", [(last.best.before, last.node)], CURVE[theme], 6)
        _draw_steps(figure, "step that is dropped", rejected, style.ink(theme), 3, "dash")
    known = set(walk.path) if is_read else {walk.path[0], *(node.node for node in settled)}
    _draw_nodes(figure, graph, known, theme)
    if settled and not is_read:
        x, y = settled[-1].node
        figure.add_scatter(
            x=[x],
            y=[y],
            mode="markers",
            name="node at hand",
            marker={"symbol": "circle-open", "size": 24, "color": style.ink(theme), "line": {"width": 3}},
            hoverinfo="skip",
        )
    _name_axes(figure, graph)
    return figure


def _draw_steps(
    figure: go.Figure, name: str, steps: Sequence[Step], colour: str, width: int, dash: str = "solid"
) -> None:
    # A gap after each step keeps them apart.
    x, y = ([place for start, end in steps for place in (start[j], end[j], None)] for j in (0, 1))
    line = {"color": colour, "width": width, "dash": dash}
    figure.add_scatter(x=x, y=y, mode="lines", name=name, line=line, hoverinfo="skip")


def _draw_nodes(figure: go.Figure, graph: "nx.DiGraph", filled: set[Node], theme: Theme) -> None:
    figure.add_scatter(
        x=[node[0] for node in graph],
        y=[node[1] for node in graph],
        mode="markers",
        name="a pair of thresholds",
        marker={
            "color": [CURVE[theme] if node in filled else style.paper(theme) for node in graph],
            "size": 11,
            "line": {"color": style.ink(theme), "width": 1},
        },
        customdata=[(*map(threshold, node["thresholds"]), node["tp"], node["fp"]) for node in graph.nodes.values()],
        hovertemplate="thresholds %{customdata[0]}, %{customdata[1]}<br>TP %{customdata[2]:,}, FP %{customdata[3]:,}"
        "<extra></extra>",
    )


def _name_axes(figure: go.Figure, graph: "nx.DiGraph") -> None:
    figure.update_layout(margin={"b": 120})
    for j, update in enumerate((figure.update_xaxes, figure.update_yaxes)):
        *nodes, largest = sorted({node["thresholds"][j] for node in graph.nodes.values()})
        update(
            title_text=f"threshold of {style.literal(graph.graph['names'][j])}",
            tickvals=list(range(len(nodes) + 1)),
            # The last node is the next number after the largest score.
            ticktext=[*(f"{value:.3g}" for value in nodes), f"> {largest:.3g}"],
            showgrid=False,
            zeroline=False,
        )
