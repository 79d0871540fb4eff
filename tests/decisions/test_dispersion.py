"""Test that busy weeks are no alarm, and that changes still are."""

import math

import numpy as np
import pytest

from benchmarks.watch import ALERTS, VARIATIONS, WEEKS, YEAR, drawn_weeks, is_alarm
from multiloss_core.decisions.record_fields import RecordedInterval
from multiloss_core.decisions.then_and_now import MIN_WEEKS, Change, Sizes, change_of, dispersion_of

SAMPLES = 30


def looks(variation, factor, weeks):
    """Draw the weeks before and after a decision."""
    for seed in range(SAMPLES):
        generator = np.random.default_rng(seed)
        before, after = drawn_weeks(generator, WEEKS, variation, 1.0), drawn_weeks(generator, weeks, variation, factor)
        yield before, after


@pytest.mark.slow
@pytest.mark.parametrize("variation", VARIATIONS)
def test_at_most_one_false_alarm_a_year(variation):
    alarms = [
        sum(is_alarm(before, after[week : week + 1]) for week in range(YEAR))
        for before, after in looks(variation, 1.0, YEAR)
    ]
    assert np.mean(alarms) <= 1.0


@pytest.mark.parametrize(("variation", "found"), [(0.0, 0.85), (0.2, 0.65)])
def test_doubled_false_alerts_are_found_within_four_weeks(variation, found):
    alarms = [
        any(is_alarm(before, after[: week + 1]) for week in range(4)) for before, after in looks(variation, 2.0, 4)
    ]
    assert np.mean(alarms) >= found


def test_dispersion_is_variance_over_mean_and_never_below_one():
    generator = np.random.default_rng(0)
    rates = generator.gamma(25.0, 1 / 25.0, 4_000)
    busy = generator.poisson(ALERTS * rates).astype(float)
    # With many weeks the tails of Student's t are normal.
    assert dispersion_of(busy) == pytest.approx(1 + ALERTS / 25.0, rel=0.1)
    assert dispersion_of(3 * busy, 3.0) == pytest.approx(dispersion_of(busy))
    assert dispersion_of(np.full(12, 26.0)) == 1.0
    assert dispersion_of(np.zeros(12)) == 1.0
    assert dispersion_of(busy[: MIN_WEEKS - 1]) == 1.0


def test_busy_weeks_widen_the_bounds_of_both_periods():
    interval = RecordedInterval(100.0, 90.0, 110.0, 0.95)
    plain, busy = (
        change_of(
            100.0,
            interval,
            50.0,
            (40.0, 60.0),
            Sizes(unit="a day", then=1.0, now=1.0, arrived=(1e12, 1e12), dispersion=phi),
        )
        for phi in (1.0, 3.0)
    )
    assert plain.then_bounds == pytest.approx((90.0, 110.0), abs=1e-3)
    assert busy.then_bounds[1] == pytest.approx(100 + math.hypot(10.0, 1.959964 * math.sqrt(2 * 100)))
    assert busy.now_bounds[0] == pytest.approx(50 - math.hypot(10.0, 1.959964 * math.sqrt(2 * 50)))


def test_alarm_needs_more_than_the_shown_interval():
    outside_95 = Change(then=0.0, then_bounds=(-1.0, 1.0), now=1.6, now_bounds=(0.6, 2.6))
    assert outside_95.bounds[0] > 0
    assert not outside_95.is_beyond_chance
    assert Change(then=0.0, then_bounds=(-1.0, 1.0), now=2.2, now_bounds=(1.2, 3.2)).is_beyond_chance
