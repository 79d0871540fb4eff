"""Draw the lessons: a sliding tangent, a search in a graph of thresholds, verified draws."""

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from multiloss_core.figures import theme as style
from multiloss_core.figures.theme import CURVE, Theme
from multiloss_core.formatting import threshold
from multiloss_core.inspection.graph_walk import GraphWalk, Node
from multiloss_core.losses.theorem_1.consistency import Consistency
from multiloss_core.losses.theorem_1.verify import Verification
from multiloss_core.thresholds.paths.threshold_path import ThresholdPath


def sliding_tangent(path: ThresholdPath, step: int, *, theme: Theme) -> go.Figure:
    """Draw the TP-FP curve of a path, its concave majorant and the line through one step.

    `step` counts the steps of the majorant from the strictest thresholds, from 0. The line's slope is TP gained for
    each FP; where nothing but TP is gained it is upright.
    """
    corners = path.majorant.vertices
    start, end = corners[step : step + 2]
    fp, tp = path.fp[[start, end]], path.tp[[start, end]]
    figure = style.new_figure("True against false positives, with the tangent", theme, height=520)
    figure.add_scatter(
        x=path.fp,
        y=path.tp,
        mode="lines",
        name="along the path",
        line={"color": style.GREY[theme], "width": 2},
        hovertemplate="FP %{x:,}<br>TP %{y:,}<extra></extra>",
    )
    figure.add_scatter(
        x=path.fp[corners],
        y=path.tp[corners],
        mode="lines+markers",
        name="concave majorant: where tangents touch",
        line={"color": CURVE[theme], "width": 1},
        marker={"color": CURVE[theme], "size": 5},
        hovertemplate="FP %{x:,}<br>TP %{y:,}<extra>corner</extra>",
    )
    x, y = _through(fp, tp, right=float(path.fp.max()), top=1.05 * float(path.tp.max()))
    line = {"color": style.ink(theme), "width": 2, "dash": "dot"}
    figure.add_scatter(x=x, y=y, mode="lines", name="tangent", line=line, hoverinfo="skip")
    figure.add_scatter(
        x=fp,
        y=tp,
        mode="lines+markers",
        name="the documents it adds",
        line={"color": CURVE[theme], "width": 6},
        marker={"color": CURVE[theme], "size": 11, "line": {"color": style.ink(theme), "width": 1}},
        hovertemplate="FP %{x:,}<br>TP %{y:,}<extra></extra>",
    )
    figure.update_layout(margin={"b": 110})
    right = float(path.fp.max())
    figure.update_xaxes(title_text="false positives, FP", title_standoff=20, range=[-0.02 * right, 1.02 * right])
    figure.update_yaxes(title_text="true positives, TP", range=[0.0, 1.08 * path.tp.max()])
    return figure


def _through(fp: np.ndarray, tp: np.ndarray, *, right: float, top: float) -> tuple[list[float], list[float]]:
    """Find the ends of the line through two points, cut off at the top and at the right."""
    across, up = float(fp[1] - fp[0]), float(tp[1] - tp[0])
    if across <= 0.0:
        return [float(fp[0])] * 2, [0.0, top]
    slope, at_zero = up / across, float(tp[0]) - up / across * float(fp[0])
    end = right if slope <= 0.0 else min(right, (top - at_zero) / slope)
    start = 0.0 if at_zero >= 0.0 else -at_zero / slope
    return [start, end], [at_zero + slope * start, at_zero + slope * end]


if TYPE_CHECKING:
    import networkx as nx

Step = tuple[Node, Node]


def threshold_graph(graph: "nx.DiGraph", path: Sequence[Node], *, theme: Theme, edge: int | None = None) -> go.Figure:
    """Draw the graph of `to_networkx` for two classifiers, with a path through it.

    `path`: its nodes, from the loosest thresholds to the strictest. Nodes are evenly spaced; the axes name thresholds.
    `edge`: position of an edge of the path to mark.
    """
    figure = style.new_figure("Threshold graph and its shortest path", theme, height=520)
    _draw_steps(figure, "a step: one threshold one node up", list(graph.edges), style.PALE[theme], 1)
    _draw_steps(figure, "shortest path", list(pairwise(path)), CURVE[theme], 4)
    if edge is not None:
        _draw_steps(figure, f"edge {edge + 1}", [(path[edge], path[edge + 1])], style.ink(theme), 8)
    _draw_nodes(figure, graph, set(path), theme)
    _name_axes(figure, graph)
    return figure


def threshold_graph_search(graph: "nx.DiGraph", walk: GraphWalk, step: int, *, theme: Theme) -> go.Figure:
    """Draw the shortest-path search after `step` nodes were settled; one more reads the path.

    Settled nodes are filled and joined by the best ways to them; the steps into the node settled last are thick, the
    kept one solid and the other dashed.
    """
    settled = walk.settled[:step]
    is_read = step > len(walk.settled)
    figure = style.new_figure("The search for the shortest path", theme, height=520)
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


def verified_draws(state: Verification, *, theme: Theme) -> go.Figure:
    """Draw for each loss the draws whose best prediction was a top-k set, and the others."""
    names = list(state.top_k)
    kept = list(state.top_k.values())
    figure = style.new_figure(f"Draws on which the best of all was a top-k set: {state.done:,} done", theme)
    for name, counts, colour, pattern in (
        ("a top-k set was best", kept, CURVE[theme], ""),
        ("none was", [state.done - count for count in kept], style.GREY[theme], "/"),
    ):
        figure.add_bar(
            y=names,
            x=counts,
            orientation="h",
            name=name,
            marker={"color": colour, "line": {"width": 0}, "pattern": {"shape": pattern, "fgcolor": style.ink(theme)}},
            hovertemplate=f"%{{y}}, {name}: %{{x:,}} draws<extra></extra>",
        )
    figure.update_layout(barmode="stack", height=320, margin={"l": 84, "b": 92})
    figure.update_xaxes(title_text="draws", range=[0, state.draws])
    figure.update_yaxes(title_text="loss", autorange="reversed")
    return figure


def regret_by_training_rows(found: Consistency, *, loss_name: str, theme: Theme) -> go.Figure:
    """Draw the mean regret against the number of training rows, on logarithmic axes.

    A mean of 0 has no place on a logarithmic axis and is left out.
    """
    figure = style.new_figure(f"Expected {loss_name} loss above the optimum", theme, height=360)
    shown = found.mean > 0
    figure.add_scatter(
        x=np.array(found.sizes)[shown],
        y=found.mean[shown],
        mode="lines+markers",
        line={"color": CURVE[theme], "width": 2},
        marker={"color": CURVE[theme], "size": 8},
        hovertemplate="%{x:,} training rows<br>mean regret %{y:.2g}<extra></extra>",
        showlegend=False,
    )
    first, last = np.log10([found.sizes[0], found.sizes[-1]])
    figure.update_xaxes(
        title_text="training rows N (logarithmic)",
        type="log",
        range=[first - 0.2, last + 0.2],
        dtick=1,
        tickformat=",~r",
    )
    figure.update_yaxes(title_text="mean regret (logarithmic)", type="log", tickformat=".1~g", nticks=8)
    return figure
