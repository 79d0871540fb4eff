"""Trace the shortest-path search, node by node (Robles et al. 2020, Algorithm 3)."""

from dataclasses import dataclass

import numpy as np

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
