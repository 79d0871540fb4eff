import networkx as nx
import numpy as np
import pytest

from multiloss_core import count_surfaces, graph_path
from multiloss_core.inspection import graph_walk
from multiloss_core.thresholds import to_networkx
from tests.thresholds.brute_force import random_documents


@pytest.mark.parametrize(("seed", "k", "resolution"), [(3, 1, 6), (4, 2, 5), (5, 2, 7), (6, 3, 4)])
def test_settled_distances_equal_bellman_ford(seed, k, resolution):
    surfaces = count_surfaces(random_documents(seed, n=80, k=k), resolution=resolution)
    graph, walk = to_networkx(surfaces), graph_walk(surfaces)
    first, last = (0,) * k, tuple(size - 1 for size in surfaces.tp.shape)
    distances = nx.single_source_bellman_ford_path_length(graph, first)
    assert len(walk.settled) == graph.number_of_nodes() - 1
    for settled in walk.settled:
        assert settled.best.total == pytest.approx(-distances[settled.node])
        assert {edge.before for edge in settled.edges} == set(graph.predecessors(settled.node))
        assert (settled.tp, settled.fp) == (surfaces.tp[settled.node], surfaces.fp[settled.node])
        for edge in settled.edges:
            assert edge.gained == pytest.approx(-graph.edges[edge.before, settled.node]["weight"])
            assert edge.total <= settled.best.total
    assert (walk.path[0], walk.path[-1]) == (first, last)
    assert all(step in graph.edges for step in zip(walk.path, walk.path[1:], strict=False))
    assert walk.area == pytest.approx(graph_path(surfaces).area)


def test_nodes_are_settled_in_order_with_the_graph_path():
    surfaces = count_surfaces(random_documents(8, n=90, k=2), resolution=6)
    walk, known = graph_walk(surfaces), {(0, 0)}
    for settled in walk.settled:
        assert {edge.before for edge in settled.edges} <= known
        known.add(settled.node)
    thresholds = [[axis[i] for axis, i in zip(surfaces.axes, node, strict=True)] for node in walk.path]
    np.testing.assert_array_equal(graph_path(surfaces).thresholds, thresholds)
