import numpy as np
import pytest
from scipy import stats

from experiments.files import read_results
from experiments.intervals import SHARE, percentile_interval, resampled_shares, t_interval


def test_the_t_interval_is_that_of_scipy():
    values = np.random.default_rng(0).normal(size=9)
    found = t_interval(values, (-np.inf, np.inf))
    expected = stats.ttest_1samp(values, 0.0).confidence_interval(0.95)
    assert (found.mean, found.low, found.high) == pytest.approx((values.mean(), expected.low, expected.high))


def test_one_draw_has_no_interval():
    found = t_interval([0.3], SHARE)
    assert found.mean == 0.3
    assert np.isnan([found.low, found.high]).all()


@pytest.mark.parametrize("values", [[0.0, 0.0, 0.0, 0.0, 0.7], [1.0, 1.0, 0.2], [0.5, 0.5], [0.0, 1.0]])
def test_an_interval_of_shares_lies_within_0_and_1(values):
    for further in (None, 1):
        whole, cut = (t_interval(values, bounds, further) for bounds in ((-np.inf, np.inf), SHARE))
        assert (cut.low, cut.high) == (max(whole.low, 0.0), min(whole.high, 1.0))
        assert 0.0 <= cut.low <= cut.mean <= cut.high <= 1.0


def test_one_further_draw_lies_in_its_range_in_95_percent():
    drawn = np.random.default_rng(3).normal(0.5, 0.05, size=(4000, 6))
    ranges = [t_interval(values, SHARE, further=1) for values in drawn[:, :5]]
    within = [found.low <= value <= found.high for found, value in zip(ranges, drawn[:, 5], strict=True)]
    assert np.mean(within) == pytest.approx(0.95, abs=0.012)


@pytest.mark.parametrize("name", ["natarajan", "natarajan_small_sets", "robles"])
def test_stored_intervals_of_shares_lie_within_0_and_1(name):
    held = read_results(name)
    shares = [cell["interval"] for cell in (*held.get("cells", ()), *held.get("ways", ()))]
    shares += [cell["ours"] for cell in held.get("compared", ()) if cell["ours"]]
    shares += [row["intervals"][of] for row in held.get("measured", ()) for of in ("precision", "recall", "F1")]
    ends = [one[end] for one in shares if one for end in ("low", "high") if one[end] is not None]
    ends += [end for cell in held.get("cells", ()) for end in cell["one_run"] or () if end is not None]
    assert ends
    assert 0.0 <= min(ends) <= max(ends) <= 1.0


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
