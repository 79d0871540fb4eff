import numpy as np
import pytest

from multiloss_core.figures.losses import all_predictions, sorted_probabilities
from multiloss_core.losses.exhaustive import exhaustive_search
from multiloss_core.losses.multivariate import G_MEAN, F

THEMES = pytest.mark.parametrize("theme", ["light", "dark"])


@THEMES
def test_bars_are_sorted_and_split_by_the_prediction(theme):
    probabilities, best = np.array([0.2, 0.9, 0.5, 0.7]), np.array([False, True, False, True])
    figure = sorted_probabilities(probabilities, best, title="F1", theme=theme)
    chosen, others = figure.data
    assert (chosen.name, others.name) == ("predicted positive", "not predicted positive")
    np.testing.assert_array_equal(chosen.x, [1, 2])
    np.testing.assert_array_equal(chosen.y, [0.9, 0.7])
    np.testing.assert_array_equal(chosen.customdata, [2, 4])
    np.testing.assert_array_equal(others.x, [3, 4])
    np.testing.assert_array_equal(others.y, [0.5, 0.2])
    assert chosen.marker.color != others.marker.color
    assert figure.layout.title.text == "F1"
    assert figure.layout.yaxis.title.text == "P(Y = 1 | x), from 0 to 1"


def test_small_bars_have_no_legend():
    figure = sorted_probabilities(
        np.array([0.2, 0.9]), np.array([False, False]), title="AUC", theme="light", height=180, small=True
    )
    assert figure.layout.showlegend is False
    assert figure.layout.height == 180
    assert len(figure.data[0].x) == 0


@THEMES
def test_every_prediction_is_a_dot(theme):
    probabilities = np.random.default_rng(2).random(8)
    search = exhaustive_search(probabilities, F())
    figure = all_predictions(search, probabilities, loss_name="F1", theme=theme)
    dots, line, star = figure.data
    assert len(dots.x) == 256
    assert dots.x.dtype == dots.y.dtype == np.float32
    np.testing.assert_array_equal(np.rint(dots.x), search.sizes)
    np.testing.assert_allclose(dots.y, search.values, rtol=1e-6)
    np.testing.assert_array_equal(line.x, np.arange(9))
    np.testing.assert_array_equal(line.y, search.values[search.top_k_indices])
    assert (star.x[0], star.y[0]) == (search.best.sum(), search.values.min())
    assert figure.layout.meta == {"drawn": 256, "predictions": 256}
    assert "All 256 predictions under F1" in figure.layout.title.text
    assert all(trace.type == "scatter" for trace in figure.data)


def test_dots_hidden_behind_others_are_left_out_and_counted():
    probabilities = np.random.default_rng(2).random(14)
    search = exhaustive_search(probabilities, G_MEAN)
    figure = all_predictions(search, probabilities, loss_name="G-Mean", theme="light")
    dots = figure.data[0]
    assert figure.layout.meta == {"drawn": len(dots.x), "predictions": 2**14}
    assert 1000 < len(dots.x) < 2**14
    # Every prediction has a drawn dot within a cell of the grid.
    for k in range(15):
        drawn = np.sort(dots.y[np.rint(dots.x) == k])
        hidden = search.values[search.sizes == k]
        nearest = np.min(np.abs(hidden[:, np.newaxis] - drawn), axis=1)
        assert nearest.max() <= 1.01 * np.ptp(search.values) / 99


def test_the_same_input_gives_the_same_figure_even_when_all_values_are_equal():
    probabilities = np.full(13, 0.5)
    search = exhaustive_search(probabilities, F())
    figures = [all_predictions(search, probabilities, loss_name="F1", theme="dark") for _ in range(2)]
    assert figures[0].to_json() == figures[1].to_json()
