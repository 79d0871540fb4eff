"""Test caps on days while alerts grow, against simulated days and a regression."""

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize

from multiloss_core import PATH_METHODS
from multiloss_core.datasets import RatedDataset
from multiloss_core.inspection.drift import DAYS_AHEAD
from multiloss_core.tables import ColumnMeanings
from multiloss_core.thresholds import PathSearch
from multiloss_core.thresholds.targets import point_for_busy_days, threshold_choices

START, DAYS, A_DAY = np.datetime64("2026-01-05", "s"), 91, 24


def dataset(seed, growth, days=DAYS, a_day=A_DAY):
    """Draw alerts whose number a day grows by a share within the file."""
    generator = np.random.default_rng(seed)
    level = (1 + growth) ** np.linspace(0, 1, days)
    day = np.repeat(np.arange(days), generator.poisson(a_day * level / level.mean()))
    score = generator.random(len(day))
    frame = pd.DataFrame(
        {
            "score": score,
            "day": START + day * np.timedelta64(86_400, "s"),
            "rating": np.where(generator.random(len(day)) < 0.4 * score, "fraud", "ok"),
        }
    )
    meanings = (("fraud", "positive"), ("ok", "negative"))
    columns = ColumnMeanings(scores=("score",), rating="rating", meanings=meanings, floors=(0.0,), time="day")
    return RatedDataset.from_frame(frame, columns)


def test_growth_is_that_of_a_poisson_regression():
    data = dataset(0, 0.65)
    alerts, place = np.bincount(data.calendar.day), np.linspace(-1, 0, DAYS)
    best = minimize(lambda at: (np.exp(at[0] + at[1] * place) - alerts * (at[0] + at[1] * place)).sum(), [3.0, 0.0])
    levels = data.alert_trend.levels
    assert np.log(levels[-1] / levels[0]) == pytest.approx(best.x[1], abs=1e-4)
    assert levels[-1] == pytest.approx((levels[0] / levels[-1]) ** (DAYS_AHEAD / (DAYS - 1)))
    assert data.equivalent_days == pytest.approx(levels.sum())
    assert "rose by" in data.alert_trend.words


def test_chance_is_hardly_ever_a_trend():
    assert sum(dataset(seed, 0.0).alert_trend is not None for seed in range(40)) <= 3


@pytest.mark.parametrize("growth", [0.65, -0.4])
def test_cap_holds_on_nine_days_of_ten_to_come(growth):
    above = []
    for seed in range(4):
        data = dataset(seed, growth)
        search = PathSearch(data.documents, "any")
        path = PATH_METHODS[0].find(search)
        point = point_for_busy_days(path, threshold_choices(path, data.documents), data.daily_cap(8.0))
        level = (1 + growth) ** (np.arange(DAYS + 28) / (DAYS - 1))
        expected = A_DAY * (1 - point.thresholds[0]) * level[DAYS:] / level[:DAYS].mean()
        above.append((np.random.default_rng(seed).poisson(expected, (200, 28)) > 8).mean())
    assert np.mean(above) <= 0.13


def test_falling_alerts_allow_more_than_in_all_the_days():
    data = dataset(1, -0.5)
    assert data.alert_trend.levels[-1] < 1
    assert data.equivalent_days > DAYS
    assert "fell by" in data.alert_trend.words


def test_a_month_of_few_alerts_has_no_trend():
    data = dataset(2, 0.5, days=20, a_day=3)
    assert data.alert_trend is None
    assert data.equivalent_days == data.days
