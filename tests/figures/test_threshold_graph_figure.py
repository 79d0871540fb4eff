import networkx as nx
import numpy as np
import pytest

from multiloss_core.figures.threshold_graph import threshold_graph
from multiloss_core.thresholds.data.count_surfaces import count_surfaces
from multiloss_core.thresholds.paths.graph import graph_path, to_networkx
from tests.thresholds.brute_force import random_documents


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nodes_steps_and_the_path_stand_at_their_thresholds(theme):
    surfaces = count_surfaces(random_documents(3, n=60, k=2), resolution=4)
    graph = to_networkx(surfaces)
    path = nx.bellman_ford_path(graph, (0, 0), tuple(size - 1 for size in surfaces.tp.shape))
    figure = threshold_graph(graph, path, theme=theme)
    steps, shortest, nodes = figure.data
    assert len(steps.x) == 3 * graph.number_of_edges()
    assert len(shortest.x) == 3 * (len(path) - 1)
    assert len(nodes.x) == surfaces.tp.size
    for trace in (steps, shortest):
        assert all(value is None for value in trace.x[2::3])
    corners = [graph.nodes[node]["thresholds"] for node in path]
    assert list(zip(shortest.x[::3], shortest.y[::3], strict=True)) == corners[:-1]
    assert (shortest.x[-2], shortest.y[-2]) == corners[-1]
    np.testing.assert_array_equal(np.array(nodes.customdata)[:, 0], surfaces.tp.ravel())
    assert -nx.path_weight(graph, path, "weight") == pytest.approx(graph_path(surfaces).area)
    on_path = [colour == shortest.line.color for colour in nodes.marker.color]
    assert on_path == [node in set(path) for node in graph]
    assert figure.layout.xaxis.title.text == f"threshold of {surfaces.names[0]}"
