import numpy as np
import pytest

from multiloss_core.figures import reliability_chart
from multiloss_core.losses import reliability


def rare(n=4000):
    generator = np.random.default_rng(3)
    probabilities = 1 / (1 + np.exp(6 - 2 * generator.standard_normal(n)))
    return reliability(probabilities, generator.random(n) < probabilities)


@pytest.mark.parametrize("logarithmic", [False, True])
def test_every_group_is_a_point_with_its_interval(logarithmic):
    found = rare()
    figure = reliability_chart(found, theme="dark", logarithmic=logarithmic)
    _, fitting, missing = figure.data
    edge = figure.layout.meta["edge"]
    assert len(fitting.x) + len(missing.x) == found.items.size
    assert len(missing.x) == found.outside.sum()
    assert [row[4] for row in fitting.customdata] == found.positives[~found.outside].tolist()
    np.testing.assert_allclose(fitting.y + fitting.error_y.array, found.high[~found.outside])
    bottom = fitting.y - fitting.error_y.arrayminus
    np.testing.assert_allclose(bottom, np.maximum(found.low[~found.outside], edge))
    assert figure.layout.xaxis.type == ("log" if logarithmic else None)
    assert "expected" in figure.layout.xaxis.title.text
    assert "observed" in figure.layout.yaxis.title.text


def test_nothing_promised_and_nothing_observed_can_be_drawn():
    found = reliability(np.zeros(5), np.zeros(5, bool))
    for logarithmic in (False, True):
        figure = reliability_chart(found, theme="light", logarithmic=logarithmic)
        assert np.isfinite(figure.layout.yaxis.range).all()
