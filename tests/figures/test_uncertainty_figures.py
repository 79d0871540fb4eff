import numpy as np

from multiloss_core.figures import curve_band, marginal_precision_curve
from multiloss_core.generalisation import PathBands


def bands():
    targets = np.array([0.1, 0.3, 0.6])
    middle = np.array([90.0, 60.0, 30.0])
    spread = np.array([0.0, -5.0, 5.0])[:, np.newaxis]
    share = targets + np.array([0.0, -0.05, 0.05])[:, np.newaxis]
    return PathBands(
        level=0.95,
        targets=targets,
        tp=middle + spread,
        fp=2 * middle + spread,
        precision=share,
        marginal_precision=share,
        curve_fp=np.array([0.0, 60.0]),
        curve_tp=middle[:2] + spread,
    )


def test_marginal_precision_runs_over_the_expected_alerts():
    figure = marginal_precision_curve(bands(), 0.25, theme="dark")
    low, high, line = figure.data
    np.testing.assert_allclose(line.x, [90.0, 180.0, 270.0])
    np.testing.assert_allclose(line.y, [0.6, 0.3, 0.1])
    assert (np.array(low.y) < np.array(line.y)).all()
    assert (np.array(high.y) > np.array(line.y)).all()
    assert figure.layout.shapes[0].y0 == 0.25
    for axis in (figure.layout.xaxis, figure.layout.yaxis):
        assert axis.title.text


def test_the_band_of_the_curve_lies_between_its_bounds():
    low, high = curve_band(bands())
    np.testing.assert_allclose(np.array(high.y) - np.array(low.y), 10.0)
    assert high.fill == "tonexty"
