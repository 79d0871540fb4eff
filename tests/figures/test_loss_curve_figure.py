import numpy as np

from multiloss_core.figures import CurveMark, loss_curve
from multiloss_core.figures.loss_curve import MAX_VERTICES, drawn_vertices

MARKS = [CurveMark("optimum k*", 2, "star"), CurveMark("threshold 0.5", 4), CurveMark("tuned", 2, "diamond")]


def test_a_short_curve_is_drawn_whole_with_its_marks():
    values = np.array([1.0, 0.6, 0.3, 0.4, 0.5, 0.9])
    figure = loss_curve(values, MARKS, loss_name="F1", theme="dark")
    line, *points = figure.data
    np.testing.assert_array_equal(line.x, np.arange(6))
    np.testing.assert_array_equal(line.y, values)
    # The first mark on top of the others and first in the legend.
    assert [point.name for point in sorted(points, key=lambda point: point.legendrank)] == [
        "optimum k* (k = 2)",
        "threshold 0.5 (k = 4)",
        "tuned (k = 2)",
    ]
    assert points[-1].marker.symbol == "star"
    assert [(point.x[0], point.y[0]) for point in points] == [(2, 0.3), (4, 0.5), (2, 0.3)]
    assert figure.layout.title.text == "Expected F1 loss of every cut"
    assert figure.layout.xaxis.title.text == "items flagged (k)"
    assert "expected loss" in figure.layout.yaxis.title.text
    assert figure.layout.meta == {"drawn": 6, "cuts": 6}


def test_a_long_curve_keeps_its_ends_its_dips_and_its_marks():
    generator = np.random.default_rng(4)
    values = 1 + 0.1 * np.sin(np.linspace(0, 60, 200_001)) + 1e-3 * generator.random(200_001)
    dips, marks = generator.choice(200_001, 5, replace=False), [123_457, 99_999]
    values[dips] -= np.array([0.5, 0.51, 0.52, 0.53, 0.54])
    kept = drawn_vertices(values, marks)
    assert kept.size <= MAX_VERTICES
    assert (np.diff(kept) > 0).all()
    assert {0, 200_000, *dips.tolist(), *marks, int(values.argmin())} <= set(kept.tolist())
    # What is drawn departs from no value by more than the spread within a few hundred neighbours.
    drawn = np.interp(np.arange(values.size), kept, values[kept])
    smooth = np.abs(drawn - values)
    smooth[np.concatenate([np.arange(max(d - 400, 0), d + 400) % values.size for d in dips])] = 0
    assert smooth.max() < 0.01
    figure = loss_curve(values, [CurveMark("mark", mark) for mark in marks], loss_name="AM", theme="light")
    assert len(figure.data[0].x) == figure.layout.meta["drawn"] <= MAX_VERTICES
    assert figure.layout.meta["cuts"] == 200_001
