import numpy as np
import pytest

from multiloss_core import count_surfaces, graph_path, simulate_population
from multiloss_core.figures import path_trapezoids, printed_beside_found


@pytest.fixture(scope="module")
def path():
    population = simulate_population(np.random.default_rng(3), documents=20_000, prevalence=0.01)
    return graph_path(count_surfaces(population.rated(), resolution=6))


def areas(trace):
    """Measure the polygons of a trace, which gaps keep apart, by the shoelace formula."""
    polygons = np.column_stack([trace.x, trace.y]).astype(float)
    gaps = np.flatnonzero(np.isnan(polygons[:, 0]))
    parts = [part[~np.isnan(part[:, 0])] for part in np.split(polygons, gaps)]
    return [abs(np.sum(x[:-1] * y[1:] - x[1:] * y[:-1])) / 2 for x, y in (part.T for part in parts if len(part))]


@pytest.mark.parametrize("edge", [0, 4, 9])
def test_trapezoids_add_up_to_the_area_of_the_path(path, edge):
    every, one, nodes = path_trapezoids(path, edge, theme="dark").data
    found = areas(every)
    assert sum(found) == pytest.approx(path.area)
    weight = abs(path.fp[edge] - path.fp[edge + 1]) * (path.tp[edge] + path.tp[edge + 1]) / 2
    assert areas(one) == [pytest.approx(weight)]
    assert found[edge] == pytest.approx(weight)
    assert list(nodes.x) == list(path.fp)


def test_floor_is_drawn_where_there_is_one():
    shown = ["a", "b"], [0.1, np.nan], [0.2, 0.3], [0.1, 0.2], [0.3, 0.4]
    words = {"title": "Losses", "measure": "loss (0 to 1)"}
    assert len(printed_beside_found(*shown, **words).data) == 2
    assert len(printed_beside_found(*shown, [0.0, 0.1], **words).data) == 3
