"""The search for the shortest path of the threshold graph, one node at a time (Robles et al. 2020, Algorithm 3)."""

from dataclasses import dataclass

import numpy as np

from multiloss_core.thresholds.data.count_surfaces import CountSurfaces

Node = tuple[int, ...]


@dataclass(frozen=True)
class RelaxedEdge:
    """A step of the graph into the node at hand, and what the best way by it is worth.

    The step comes from the node `before`, gives up `fp_lost` false positives and leads from `tp_before` to `tp_after`
    true positives. `gained` is the area of its trapezoid, minus the paper's weight; `total` the area of the best way
    to `before` and that.
    """

    before: Node
    fp_lost: float
    tp_before: float
    tp_after: float
    gained: float
    total: float


@dataclass(frozen=True)
class SettledNode:
    """A node whose best way is now known: the `edges` that lead into it, of which `kept` is the position of the best.

    `thresholds`, `tp` and `fp` are those of the node; the kept edge's total is the largest area of a way to it.
    """

    node: Node
    thresholds: tuple[float, ...]
    tp: float
    fp: float
    edges: tuple[RelaxedEdge, ...]
    kept: int

    @property
    def best(self) -> RelaxedEdge:
        """The edge that is kept."""
        return self.edges[self.kept]


@dataclass(frozen=True)
class GraphWalk:
    """The whole search: every node but the first as it is `settled`, and the `path` read backwards at the end."""

    settled: tuple[SettledNode, ...]
    path: tuple[Node, ...]

    @property
    def area(self) -> float:
        """The area under the TP-FP curve of the path."""
        return self.settled[-1].best.total


def graph_walk(surfaces: CountSurfaces) -> GraphWalk:
    """Find the best path of a small grid as `graph_path` does, and keep what was compared on the way.

    Nodes are settled by their distance from the first corner, so that those before one are settled before it. Of equal
    totals the way with the larger sum of TP is kept, then the step along the first axis. Time and memory O(k N) for N
    nodes, in Python: for grids to look at.
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
