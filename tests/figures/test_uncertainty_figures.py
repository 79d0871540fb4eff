from dataclasses import replace

import numpy as np
import pytest

from multiloss_core.figures import curve_band, marginal_precision_curve, threshold_cloud
from multiloss_core.figures.theme import translucent
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


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_marginal_precision_runs_over_the_expected_alerts(theme):
    figure = marginal_precision_curve(bands(), 0.25, theme=theme)
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


def test_thresholds_of_never_are_drawn_at_the_end_of_the_axis():
    cloud = threshold_cloud(
        np.array([[0.5, np.inf], [np.inf, 0.2]]), (np.array([0.0, 1.0]), np.array([0.0, 2.0])), ("a", "b")
    )
    np.testing.assert_array_equal(cloud.x, [0.5, 1.0])
    np.testing.assert_array_equal(cloud.y, [2.0, 0.2])


def test_a_colour_becomes_translucent():
    assert translucent("#AA3377", 0.2) == "rgba(170,51,119,0.2)"


def test_a_band_has_gaps_where_nothing_is_known():
    known = bands()
    share = known.marginal_precision.copy()
    share[:, 1] = np.nan
    figure = marginal_precision_curve(replace(known, marginal_precision=share), 0.25, theme="light")
    *areas, line = figure.data
    assert [list(area.x) for area in areas] == [[90.0], [90.0], [270.0], [270.0]]
    assert np.isnan(line.y[1])
    # A point between gaps is seen.
    assert "markers" in line.mode
