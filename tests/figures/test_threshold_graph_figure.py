import networkx as nx
import pytest

from multiloss_core import count_surfaces, graph_path
from multiloss_core.figures import threshold_graph
from multiloss_core.thresholds import to_networkx
from tests.brute_force import random_documents


def test_nodes_steps_and_the_path_stand_in_their_places():
    surfaces = count_surfaces(random_documents(3, n=60, k=2), resolution=4)
    graph = to_networkx(surfaces)
    path = nx.bellman_ford_path(graph, (0, 0), tuple(size - 1 for size in surfaces.tp.shape))
    figure = threshold_graph(graph, path, theme="dark")
    steps, shortest, nodes = figure.data
    assert len(steps.x) == 3 * graph.number_of_edges()
    assert len(shortest.x) == 3 * (len(path) - 1)
    assert len(nodes.x) == surfaces.tp.size
    for trace in (steps, shortest):
        assert all(value is None for value in trace.x[2::3])
    assert list(zip(shortest.x[::3], shortest.y[::3], strict=True)) == path[:-1]
    assert (shortest.x[-2], shortest.y[-2]) == path[-1]
    assert [row[2] for row in nodes.customdata] == surfaces.tp.ravel().tolist()
    for axis, values in zip((figure.layout.xaxis, figure.layout.yaxis), surfaces.axes, strict=True):
        assert list(axis.ticktext) == [*(f"{value:.3g}" for value in values[:-1]), f"> {values[-1]:.3g}"]
        assert list(axis.tickvals) == list(range(len(values)))
    assert -nx.path_weight(graph, path, "weight") == pytest.approx(graph_path(surfaces).area)
    on_path = [colour == shortest.line.color for colour in nodes.marker.color]
    assert on_path == [node in set(path) for node in graph]
    assert figure.layout.xaxis.title.text == f"threshold of {surfaces.names[0]}"
