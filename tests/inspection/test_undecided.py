"""Alerts without a decision: over time, in segments, and where decisions are incomplete."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from multiloss_core import RatedDocuments
from multiloss_core.inspection import (
    calendar,
    daily_alerts,
    incomplete_from,
    precision_drift,
    segment_counts,
    segmentation,
    weekly_counts,
)
from multiloss_core.thresholds.data.counts import flagged

MONDAY = np.datetime64("2026-01-05T00:00", "us")
WEEK = np.timedelta64(7, "D")
MEANINGS = {"fraud": "positive", "ok": "negative", "pending": "undecided"}


def table_of(generator, n, *, weeks=4, groups=False):
    """Documents that are fraud, ok, pending or not rated at all, with their times and segments."""
    frame = pd.DataFrame(
        {
            "a": generator.integers(0, 12, n) / 12,
            "b": generator.integers(0, 12, n) / 12,
            "rating": generator.choice(["fraud", "ok", "pending", ""], n, p=[0.3, 0.4, 0.2, 0.1]),
            "weight": generator.choice([0.5, 1.0, 3.0], n),
            "time": MONDAY + generator.integers(0, weeks * 7 * 24, n).astype("timedelta64[h]"),
            "segment": generator.choice(["north", "south", "east"], n),
            "customer": generator.integers(0, max(2, n // 3), n),
        }
    )
    # Both kinds are needed, and both scores must vary.
    frame.loc[0, ["a", "b", "rating"]] = [0.0, 0.0, "fraud"]
    frame.loc[1, ["a", "b", "rating"]] = [1.0, 1.0, "ok"]
    documents = RatedDocuments.from_frame(
        frame,
        ["a", "b"],
        "rating",
        meanings=MEANINGS,
        weight="weight",
        floors=[0.0, 0.0],
        group="customer" if groups else None,
    )
    return frame, documents


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 2**32),
    st.integers(8, 120),
    st.sampled_from(["any", "all"]),
    st.sampled_from([0.0, 0.5, 0.9, np.inf]),
    st.booleans(),
)
def test_days_weeks_and_segments_are_those_of_pandas(seed, n, rule, first, groups):
    frame, documents = table_of(np.random.default_rng(seed), n, groups=groups)
    thresholds = [first, 0.5]
    waiting = ~frame["rating"].isin(["fraud", "ok"])
    np.testing.assert_array_equal(np.sort(documents.undecided.rows), np.flatnonzero(waiting))
    alert = flagged(frame[["a", "b"]].to_numpy(), thresholds, rule)
    frame["all"] = np.where(alert, frame["weight"], 0.0)
    frame["undecided"] = np.where(alert & waiting, frame["weight"], 0.0)
    times, segments = frame["time"].to_numpy(), frame["segment"].to_numpy(dtype=object)
    rows, others = documents.rows, documents.undecided.rows
    days = calendar(times[rows], times[others])
    by_time = frame.set_index("time")

    per_day = by_time["all"].resample("D").sum()
    np.testing.assert_allclose(daily_alerts(documents, days, thresholds, rule).alerts, per_day)

    weeks = weekly_counts(documents, days, thresholds, rule)
    per_week = by_time[["all", "undecided"]].resample("W-MON", closed="left", label="left").sum()
    np.testing.assert_allclose(weeks.undecided, per_week["undecided"])
    np.testing.assert_allclose(weeks.all_alerts, per_week["all"], atol=1e-12)
    key = ["week", "customer"] if groups else ["week", frame.index]
    frame["week"] = frame["time"].dt.to_period("W-SUN")
    squares = frame.groupby(key)["all"].sum() ** 2
    expected = squares.groupby(level=0).sum().reindex(pd.PeriodIndex(weeks.mondays, freq="W-SUN"), fill_value=0)
    np.testing.assert_allclose(weeks.all_squares, expected, atol=1e-9)

    found = segment_counts(documents, segmentation(segments[rows], segments[others]), thresholds, rule)
    per_segment = frame.groupby("segment")["undecided"].sum()
    for segment in found:
        assert segment.undecided == pytest.approx(per_segment[segment.name])


def test_undecided_documents_change_no_count_of_rated_ones():
    frame, documents = table_of(np.random.default_rng(3), 300)
    rated = frame[frame["rating"].isin(["fraud", "ok"])]
    alone = RatedDocuments.from_frame(rated, ["a", "b"], "rating", "fraud", "weight", floors=[0.0, 0.0])
    for thresholds in ([0.3, 0.5], [0.0, 0.0], [np.inf, 0.7]):
        assert tuple(documents.counts_at(thresholds)) == tuple(alone.counts_at(thresholds))
    assert not len(alone.undecided)


def test_rows_without_score_or_below_floors_are_no_alerts():
    frame = pd.DataFrame(
        {
            "a": ["0.9", "0.8", "0.2", "", "x", "0.7", "0.1"],
            "rating": ["fraud", "ok", "ok", "pending", "pending", "pending", ""],
        }
    )
    documents = RatedDocuments.from_frame(frame, ["a"], "rating", meanings=MEANINGS, floors=[0.15])
    assert documents.undecided.rows.tolist() == [5]
    assert documents.undecided.flagged([0.7], "any").tolist() == [True]
    (note,) = [note for note in documents.notes if "are undecided" in note]
    assert "4 rows" in note
    assert "1 of them" in note


def dated(generator, *, weeks, per_week, late, late_share, early_share):
    """Draw weekly counts of alerts that are decided late."""
    shares = np.where(np.arange(weeks) >= weeks - late, late_share, early_share)
    week = np.repeat(np.arange(weeks), per_week)
    waiting = generator.random(week.size) < shares[week]
    frame = pd.DataFrame({"a": generator.random(week.size), "rating": np.where(waiting, "", "ok")})
    fraud = generator.random(week.size) < 0.3
    frame.loc[fraud & ~waiting, "rating"] = "fraud"
    documents = RatedDocuments.from_frame(frame, ["a"], "rating", meanings=MEANINGS, floors=[0.0])
    times = MONDAY + week * WEEK + generator.integers(0, 7, week.size).astype("timedelta64[D]")
    return weekly_counts(documents, calendar(times[documents.rows], times[documents.undecided.rows]), [0.0], "any")


def test_the_weeks_whose_decisions_are_incomplete_are_found():
    generator = np.random.default_rng(5)
    for late in (1, 2, 5):
        weeks = dated(generator, weeks=20, per_week=80, late=late, late_share=0.45, early_share=0.02)
        assert incomplete_from(weeks) == 20 - late


@pytest.mark.slow
def test_steady_weeks_are_seldom_called_incomplete():
    generator = np.random.default_rng(6)
    found = [
        incomplete_from(dated(generator, weeks=12, per_week=60, late=0, late_share=0.1, early_share=0.1)) is not None
        for _ in range(200)
    ]
    # 5 % at most, and its standard error three times.
    assert np.mean(found) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 200)


def test_precision_is_judged_on_the_weeks_before():
    weeks = dated(np.random.default_rng(9), weeks=12, per_week=200, late=4, late_share=0.6, early_share=0.02)
    assert precision_drift(weeks, incomplete_from(weeks)).weeks == 8


@pytest.mark.parametrize("rule", ["any", "all"])
def test_shortened_thresholds_flag_same_undecided_documents(rule):
    generator = np.random.default_rng(10)
    frame = pd.DataFrame(generator.random((2_000, 2)), columns=["a", "b"])
    frame["rating"] = generator.choice(["fraud", "ok", "pending"], 2_000, p=[0.2, 0.3, 0.5])
    documents = RatedDocuments.from_frame(frame, ["a", "b"], "rating", meanings=MEANINGS, floors=[0.0, 0.0])
    for thresholds in generator.random((50, 2)):
        shortened = documents.round_thresholds(thresholds)
        before, after = (documents.undecided.flagged(values, rule) for values in (thresholds, shortened))
        np.testing.assert_array_equal(before, after)
        assert tuple(documents.counts_at(thresholds, rule)) == tuple(documents.counts_at(shortened, rule))
