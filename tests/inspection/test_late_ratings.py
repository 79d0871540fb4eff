"""Test the newest weeks whose fraud is not rated yet, against simulated populations."""

import numpy as np
import pandas as pd
import pytest

from multiloss_core.datasets import RatedDataset
from multiloss_core.tables import ColumnMeanings

START = pd.Timestamp("2026-01-05")


def dataset(seed, *, days=180, rows=2_000, late=None, trend=0.0, at_break=1.0):
    """Make alerts whose fraud is rated after `late` days, and falls over all days or at a break."""
    generator = np.random.default_rng(seed)
    day = np.sort(generator.integers(0, days, rows))
    score = generator.random(rows)
    chance = 0.4 * score * (1 - trend * day / days) * np.where(day > 0.7 * days, at_break, 1.0)
    fraud = generator.random(rows) < chance
    if late is not None:
        fraud &= days - day > generator.integers(late[0], late[1] + 1, rows)
    frame = pd.DataFrame(
        {"score": score, "day": START + pd.to_timedelta(day, "D"), "rating": np.where(fraud, "fraud", "ok")}
    )
    columns = ColumnMeanings(
        scores=("score",),
        rating="rating",
        meanings=(("fraud", "positive"), ("ok", "negative")),
        floors=(0.0,),
        time="day",
    )
    return RatedDataset.from_frame(frame, columns)


@pytest.mark.parametrize("late", [(30, 60), (45, 45), (20, 40)])
@pytest.mark.parametrize("seed", range(5))
def test_weeks_without_their_fraud_are_found(seed, late):
    found = dataset(seed, late=late).late_ratings
    since = (pd.Timestamp(found.monday) - START).days
    assert 180 - late[1] - 35 <= since <= 180 - late[0]
    assert found.late < 0.6 * found.before


@pytest.mark.parametrize("change", [{}, {"trend": 0.4}, {"at_break": 0.6}, {"trend": -0.5}])
def test_steady_weeks_trends_and_breaks_are_not_late(change):
    assert sum(dataset(seed, **change).late_ratings is not None for seed in range(10)) <= 1


def test_data_without_times_have_no_late_ratings():
    made = dataset(0, late=(30, 60))
    assert RatedDataset.from_frame(made.frame, ColumnMeanings(
        scores=("score",), rating="rating", meanings=made.columns.meanings, floors=(0.0,)
    )).late_ratings is None  # fmt: skip
