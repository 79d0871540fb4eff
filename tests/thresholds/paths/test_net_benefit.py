"""Net benefit, coarse grids and GraphML against closed forms and networkx."""

import networkx as nx
import numpy as np
import pytest

from multiloss_core import Counts, count_surfaces, figures, graph_path, operating_points, simulate_population
from multiloss_core.inspection import graph_walk
from multiloss_core.thresholds import to_graphml, to_networkx


@pytest.fixture(scope="module")
def surfaces():
    documents = simulate_population(np.random.default_rng(3), documents=20_000, prevalence=0.01).rated()
    return count_surfaces(documents, resolution=40)


def test_net_benefit_weighs_false_positives_by_the_odds():
    assert Counts(30.0, 80.0).net_benefit([0.2, 0.5]) == pytest.approx([30 - 80 / 4, 30 - 80])


def test_each_target_has_the_largest_net_benefit_of_its_path(surfaces):
    path, targets = graph_path(surfaces), np.linspace(0.05, 0.9, 18)
    everywhere = [Counts(tp, fp).net_benefit(targets) for tp, fp in zip(path.tp, path.fp, strict=True)]
    along = [point.net_benefit(m) for point, m in zip(operating_points(path, targets), targets, strict=True)]
    assert np.array(along) == pytest.approx(np.max(everywhere, axis=0))


def test_thinned_grid_keeps_both_ends_and_counts(surfaces):
    coarse = surfaces.thinned(5)
    assert coarse.tp.shape == (5, 5)
    for kept, axis in zip(coarse.axes, surfaces.axes, strict=True):
        assert {axis[0], axis[-1]} <= set(kept) <= set(axis)
    for i, j in np.ndindex(coarse.tp.shape):
        counts = surfaces.counts_at([coarse.axes[0][i], coarse.axes[1][j]])
        assert (coarse.tp[i, j], coarse.fp[i, j]) == (counts.tp, counts.fp)


def test_graphml_has_the_same_shortest_path(surfaces):
    coarse = surfaces.thinned(5)
    read = nx.parse_graphml(to_graphml(to_networkx(coarse)))
    walk = graph_walk(coarse)
    start, end = str(walk.path[0]), str(walk.path[-1])
    assert nx.bellman_ford_path_length(read, start, end) == pytest.approx(-walk.area)
    assert read.nodes[end]["T2"] == coarse.axes[1][-1]
    assert read.graph["T1"] == coarse.names[0]


def test_decision_curve_draws_every_line_and_marks_the_target():
    targets = np.linspace(0.1, 0.9, 9)
    lines = {"path": Counts(30.0, 8.0).net_benefit(targets), "flag all rated": Counts(50.0, 90.0).net_benefit(targets)}
    figure = figures.decision_curve(targets, lines, 0.3, colour="#000000", theme="light")
    assert [trace.name for trace in figure.data] == list(lines)
    assert figure.data[0].y == pytest.approx(lines["path"])
    assert {shape.x0 for shape in figure.layout.shapes} >= {30.0}
