"""Trace the shortest-path search, node by node (Robles et al. 2020, Algorithm 3)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from multiloss_core.formatting import count, plural
from multiloss_core.thresholds.data.count_surfaces import CountSurfaces

Node = tuple[int, ...]


@dataclass(frozen=True)
class RelaxedEdge:
    """An edge into the current node, with the value of the best path through it.

    It comes from the node `before`, gives up `fp_lost` false positives and leads from `tp_before` to `tp_after` true
    positives. `gained` is the area of its trapezoid, minus the paper's weight; `total` the area of the best path to
    `before` plus that.
    """

    before: Node
    fp_lost: float
    tp_before: float
    tp_after: float
    gained: float
    total: float


@dataclass(frozen=True)
class SettledNode:
    """A node with its best path: incoming `edges`; `kept` is the position of the best.

    `thresholds`, `tp` and `fp` are those of the node; the kept edge's total is the largest area of a path to it.
    """

    node: Node
    thresholds: tuple[float, ...]
    tp: float
    fp: float
    edges: tuple[RelaxedEdge, ...]
    kept: int

    @property
    def best(self) -> RelaxedEdge:
        """Return the kept edge."""
        return self.edges[self.kept]


@dataclass(frozen=True)
class GraphWalk:
    """The whole search: nodes in the order `settled`, and the final `path`, traced back."""

    settled: tuple[SettledNode, ...]
    path: tuple[Node, ...]

    @property
    def area(self) -> float:
        """Return the area under the TP-FP curve of the path."""
        return self.settled[-1].best.total


def graph_walk(surfaces: CountSurfaces) -> GraphWalk:
    """Find the best path of a small grid as `graph_path` does, and record all comparisons.

    Nodes are settled by their distance from the first corner, so predecessors come first. Ties go to the larger sum of
    TP, then to the step along the first axis. Time and memory O(k N) for N nodes, in Python: for small grids.
    """
    shape = surfaces.tp.shape
    nodes = sorted(np.ndindex(shape), key=sum)
    area, tp_so_far, came_from = {nodes[0]: 0.0}, {nodes[0]: float(surfaces.tp[nodes[0]])}, {}
    settled = []
    for node in nodes[1:]:
        tp, fp = float(surfaces.tp[node]), float(surfaces.fp[node])
        edges = []
        for j in range(len(shape)):
            if node[j] == 0:
                continue
            before = (*node[:j], node[j] - 1, *node[j + 1 :])
            lost, tp_before = float(surfaces.fp[before]) - fp, float(surfaces.tp[before])
            gained = lost * (tp_before + tp) / 2
            edges.append(RelaxedEdge(before, lost, tp_before, tp, gained, area[before] + gained))
        worth = [(edge.total, tp_so_far[edge.before], -i) for i, edge in enumerate(edges)]
        kept = worth.index(max(worth))
        before = edges[kept].before
        area[node], tp_so_far[node], came_from[node] = edges[kept].total, tp_so_far[before] + tp, before
        thresholds = tuple(float(axis[i]) for axis, i in zip(surfaces.axes, node, strict=True))
        settled.append(SettledNode(node, thresholds, tp, fp, tuple(edges), kept))
    path = [nodes[-1]]
    while path[-1] in came_from:
        path.append(came_from[path[-1]])
    return GraphWalk(tuple(settled), tuple(path[::-1]))


def step_in_words(walk: GraphWalk, names: Sequence[str], step: int) -> str:
    """Describe one step of the search with its numbers."""
    steps = len(walk.settled) + 1
    if step == 0:
        return (
            f"**Start.** The loosest pair flags everything rated; the area so far is 0. Press *Next*: each of the "
            f"{steps - 1} other nodes is settled once, in order of distance from the start."
        )
    if step == steps:
        return (
            f"**Step {step} of {steps}: the path.** Every node stores its kept edge. From the strictest pair they lead "
            f"back to the start: {plural(len(walk.path) - 1, 'edge')}, area **{walk.area:,.1f}**, "
            f"weight \N{MINUS SIGN}{walk.area:,.1f}."
        )
    node = walk.settled[step - 1]
    pair = ", ".join(f"{name} {value:.3g}" for name, value in zip(names, node.thresholds, strict=True))
    lines = [
        f"**Step {step} of {steps}.** Node {pair}: TP {count(node.tp)}, FP {count(node.fp)}.",
        *(f"- {_edge_in_words(edge, node.node, names)}" for edge in node.edges),
    ]
    if len(node.edges) == 1:
        lines.append("Only one edge leads here: it is **kept**.")
    elif len({edge.total for edge in node.edges}) == 1:
        lines.append("Both ways have the same area; the one with more true positives is **kept**.")
    else:
        axis = _axis_of(node.best, node.node)
        lines.append(f"The larger area, the smaller weight: the edge that raises **{names[axis]}** is **kept**.")
    return "\n\n".join([lines[0], "\n".join(lines[1:-1]), lines[-1]])


def _edge_in_words(edge: RelaxedEdge, node: tuple[int, ...], names: Sequence[str]) -> str:
    return (
        f"Raising {names[_axis_of(edge, node)]} gives up {plural(edge.fp_lost, 'false positive')}, TP "
        f"{count(edge.tp_before)} → {count(edge.tp_after)}: {count(edge.fp_lost)} × ({count(edge.tp_before)} + "
        f"{count(edge.tp_after)}) / 2 = {edge.gained:,.1f}, with the way there **{edge.total:,.1f}**."
    )


def _axis_of(edge: RelaxedEdge, node: tuple[int, ...]) -> int:
    return next(j for j in range(len(node)) if edge.before[j] != node[j])
