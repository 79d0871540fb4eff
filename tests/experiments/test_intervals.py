import numpy as np
import pytest
from scipy import stats

from experiments.intervals import percentile_interval, resampled_shares, t_interval


def test_the_t_interval_is_that_of_scipy():
    values = np.random.default_rng(0).normal(size=9)
    found = t_interval(values)
    expected = stats.ttest_1samp(values, 0.0).confidence_interval(0.95)
    assert (found.mean, found.low, found.high) == pytest.approx((values.mean(), expected.low, expected.high))


def test_one_draw_has_no_interval():
    found = t_interval([0.3])
    assert found.mean == 0.3
    assert np.isnan([found.low, found.high]).all()


def test_every_column_meets_the_same_items():
    generator = np.random.default_rng(1)
    labels = generator.random((50, 1)) < 0.4
    flagged = generator.random((50, 1)) < 0.5
    twice = resampled_shares(np.hstack([flagged, flagged]), np.hstack([labels, labels]), draws=300, generator=generator)
    assert np.array_equal(twice.p[:, 0], twice.p[:, 1])
    assert np.array_equal(twice.u[:, 0], twice.u[:, 1])
    assert np.all(twice.u <= np.minimum(twice.v, twice.p))


def test_the_shares_spread_as_a_binomial_does():
    labels = np.arange(400)[:, None] < 100
    found = resampled_shares(labels, labels, draws=4000, generator=np.random.default_rng(2))
    assert found.p.mean() == pytest.approx(0.25, abs=0.002)
    assert found.p.std() == pytest.approx(np.sqrt(0.25 * 0.75 / 400), rel=0.05)
    assert np.array_equal(found.u, found.p)


def test_the_percentile_interval_keeps_the_value():
    found = percentile_interval(0.5, np.arange(1001) / 1000)
    assert (found.mean, found.low, found.high) == pytest.approx((0.5, 0.025, 0.975))
