import numpy as np

from multiloss_core import G_MEAN, LOSSES, F, exhaustive_search
from multiloss_core.figures import (
    all_predictions,
    losses_by_strength,
    small_loss_curves,
    sorted_probabilities,
)


def test_bars_are_sorted_and_split_by_the_prediction():
    probabilities, best = np.array([0.2, 0.9, 0.5, 0.7]), np.array([False, True, False, True])
    figure = sorted_probabilities(probabilities, best, title="F1", theme="dark")
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


def test_every_prediction_is_a_dot():
    probabilities = np.random.default_rng(2).random(8)
    search = exhaustive_search(probabilities, F())
    figure = all_predictions(search, probabilities, loss_name="F1", theme="dark")
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


def test_every_loss_has_a_small_curve_with_its_optimum():
    probabilities = np.random.default_rng(6).random(6)
    curves = {name: exhaustive_search(probabilities, loss).top_k_values for name, loss in LOSSES.items()}
    figure = small_loss_curves(curves, theme="dark")
    assert figure.layout.title.text == "Expected loss of flagging the k most probable items"
    assert len(figure.data) == 2 * len(LOSSES)
    for name, line, star in zip(curves, figure.data[::2], figure.data[1::2], strict=True):
        np.testing.assert_array_equal(line.x, np.arange(7))
        np.testing.assert_array_equal(line.y, curves[name])
        assert (star.x[0], star.y[0]) == (np.argmin(curves[name]), curves[name].min())
        assert line.xaxis == star.xaxis
    assert len({line.xaxis for line in figure.data[::2]}) == len(LOSSES)
    assert figure.layout.annotations[0].text == f"AM: k* = {np.argmin(curves['AM'])}"
    # Those with nothing below them name their axis.
    last = range(len(LOSSES) - 3, len(LOSSES) + 1)
    assert [figure.layout[f"xaxis{i}"].title.text for i in last] == ["k"] * 4


def test_both_losses_are_drawn_from_independent_to_identical():
    strengths = np.linspace(0, 1, 5)
    best, top_k = np.array([0.4, 0.39, 0.37, 0.36, 0.36]), np.array([0.4, 0.39, 0.38, 0.38, 0.37])
    figure = losses_by_strength(strengths, best, top_k, chosen=0.75, loss_name="F1", theme="dark")
    drawn = {trace.name: trace for trace in figure.data}
    np.testing.assert_array_equal(drawn["best of all predictions"].y, best)
    np.testing.assert_array_equal(drawn["best top-k prediction"].y, top_k)
    assert {trace.line.dash for trace in figure.data} == {"dash", "solid"}
    assert figure.layout.shapes[0].x0 == 0.75
    assert figure.layout.yaxis.range[0] < best.min() < top_k.max() < figure.layout.yaxis.range[1]
