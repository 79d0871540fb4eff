import networkx as nx
import numpy as np
import pytest

from multiloss_core import LOSSES, count_surfaces, graph_path
from multiloss_core.figures import sliding_tangent, threshold_graph_search, verified_draws
from multiloss_core.inspection import graph_walk
from multiloss_core.losses import verify_theorem_1
from multiloss_core.thresholds import to_networkx
from tests.brute_force import random_documents


@pytest.fixture
def surfaces():
    return count_surfaces(random_documents(3, n=60, k=2), resolution=4)


def by_name(figure):
    return {trace.name: trace for trace in figure.data}


def steps_of(trace):
    places = list(zip(trace.x, trace.y, strict=True))
    return list(zip(places[::3], places[1::3], strict=True))


def test_search_shows_what_is_settled_and_steps_compared_last(surfaces):
    graph, walk = to_networkx(surfaces), graph_walk(surfaces)
    for step, settled in enumerate(walk.settled, 1):
        traces = by_name(threshold_graph_search(graph, walk, step, theme="dark"))
        assert len(steps_of(traces["best way to a node"])) == step
        assert steps_of(traces["step that is kept"]) == [(settled.best.before, settled.node)]
        dropped = {start for start, _ in steps_of(traces["step that is dropped"])}
        assert dropped == set(graph.predecessors(settled.node)) - {settled.best.before}
        assert (traces["node at hand"].x[0], traces["node at hand"].y[0]) == settled.node
        filled = traces["a pair of thresholds"].marker.color.count(traces["step that is kept"].line.color)
        assert filled == step + 1


def test_search_begins_with_one_node_and_ends_with_shortest_path(surfaces):
    graph, walk = to_networkx(surfaces), graph_walk(surfaces)
    first = by_name(threshold_graph_search(graph, walk, 0, theme="light"))
    assert "node at hand" not in first
    last = by_name(threshold_graph_search(graph, walk, len(walk.settled) + 1, theme="light"))
    drawn = steps_of(last["shortest path"])
    area = -nx.path_weight(graph, [drawn[0][0], *(end for _, end in drawn)], "weight")
    assert area == pytest.approx(graph_path(surfaces).area)
    assert "node at hand" not in last


def test_tangent_joins_ends_of_its_step_above_curve():
    path = graph_path(count_surfaces(random_documents(5, n=200, k=2), resolution=12))
    for step in range(len(path.majorant.marginal_precisions)):
        figure = sliding_tangent(path, step, theme="light")
        line, ends = by_name(figure)["tangent"], by_name(figure)["the documents it adds"]
        across, up = np.diff(ends.x)[0], np.diff(ends.y)[0]
        assert up / (up + across) == pytest.approx(path.majorant.marginal_precisions[step])
        if across:
            above = np.interp(ends.x, line.x, line.y)
            np.testing.assert_allclose(above, ends.y, rtol=1e-9)
            at_zero = line.y[0] - up / across * line.x[0]
            assert np.all(path.tp <= at_zero + up / across * path.fp + 1e-9)
        else:
            assert set(line.x) == set(ends.x)


def test_draws_verified_so_far_are_bars_of_each_loss():
    states = verify_theorem_1(np.random.default_rng(1), list(LOSSES.values()), n=3, scale=1.0, draws=5)
    next(states)
    figure = verified_draws(next(states), theme="dark")
    kept, others = figure.data
    assert list(kept.y) == list(LOSSES)
    assert (np.array(kept.x) + np.array(others.x) == 2).all()
    assert tuple(figure.layout.xaxis.range) == (0, 5)
