"""Compare daily and weekly counts with pandas, and drift with scipy and simulated weeks."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2, chi2_contingency, norm
from scipy.stats import t as student

from multiloss_core import RatedDocuments, flagged
from multiloss_core.inspection import (
    WeeklyCounts,
    alerts_drift,
    calendar,
    daily_alerts,
    precision_drift,
    weekly_counts,
)
from multiloss_core.numerics.proportions import share_interval

MONDAY = np.datetime64("2026-01-05", "us")
WEEK = np.timedelta64(7, "D")


# --- counting ---


def documents_of(generator, n, *, groups=False, span=40):
    scores = generator.random((n, 2))
    labels = generator.random(n) < 0.4
    labels[:2] = [True, False]
    documents = RatedDocuments(
        scores,
        labels,
        generator.choice([0.5, 1.0, 3.0], n),
        floors=[0.0, 0.0],
        groups=generator.integers(0, max(1, n // 4), n) if groups else None,
    )
    times = np.datetime64("2026-01-07T05:00", "us") + generator.integers(0, span * 86_400, n).astype("timedelta64[s]")
    return documents, times


@settings(max_examples=50, deadline=None)
@given(
    st.integers(0, 2**32),
    st.integers(2, 120),
    st.sampled_from(["any", "all"]),
    st.sampled_from([0.0, 0.6, 0.95, np.inf]),
    st.integers(1, 60),
)
@pytest.mark.slow
def test_days_and_weeks_are_those_of_pandas(seed, n, rule, first, span):
    documents, times = documents_of(np.random.default_rng(seed), n, span=span)
    thresholds = [first, 0.7]
    chosen = flagged(documents.scores, thresholds, rule)
    frame = pd.DataFrame(
        {
            "alert": np.where(chosen, documents.weights, 0.0),
            "tp": np.where(chosen & documents.labels, documents.weights, 0.0),
            "fp": np.where(chosen & ~documents.labels, documents.weights, 0.0),
            "squares": np.where(chosen, documents.weights**2, 0.0),
        },
        index=pd.DatetimeIndex(times),
    )
    dated = calendar(times)
    days, per_day = daily_alerts(documents, dated, thresholds, rule), frame["alert"].resample("D").sum()
    assert days.dates.tolist() == [day.date() for day in per_day.index]
    np.testing.assert_allclose(days.alerts, per_day)
    assert days.mean == pytest.approx(per_day.mean())
    assert days.median == pytest.approx(per_day.median())
    assert days.most_days == pytest.approx(tuple(per_day.quantile([0.1, 0.9])))
    day, most = days.busiest
    assert most == pytest.approx(per_day.max())
    assert per_day[str(day)] == pytest.approx(per_day.max())
    assert dated.days == len(per_day)

    weeks = weekly_counts(documents, dated, thresholds, rule)
    per_week = frame.resample("W-MON", closed="left", label="left").sum()
    assert weeks.mondays.tolist() == [monday.date() for monday in per_week.index]
    np.testing.assert_allclose(weeks.tp, per_week["tp"])
    np.testing.assert_allclose(weeks.fp, per_week["fp"])
    np.testing.assert_allclose(weeks.precision, (per_week["tp"] / per_week["alert"]).to_numpy())
    first_day, last_day = times.min().astype("datetime64[D]"), times.max().astype("datetime64[D]")
    for monday, complete in zip(weeks.mondays, weeks.complete, strict=True):
        assert complete == (monday >= first_day and monday + np.timedelta64(6, "D") <= last_day)
    for i, (_, row) in enumerate(per_week.iterrows()):
        if row["alert"]:
            size = row["alert"] ** 2 / row["squares"]
            expected = share_interval(row["tp"] / row["alert"] * size, size)
            np.testing.assert_allclose(weeks.intervals[:, i], expected)
        else:
            assert np.isnan(weeks.intervals[:, i]).all()


# --- drift ---


def weeks_of(tp, fp, complete=None):
    """Weekly counts of alerts of weight 1."""
    tp, fp = np.asarray(tp, dtype=float), np.asarray(fp, dtype=float)
    mondays = MONDAY.astype("datetime64[D]") + np.arange(len(tp)) * WEEK
    complete = np.ones(len(tp), dtype=bool) if complete is None else np.asarray(complete)
    return WeeklyCounts(
        tp,
        fp,
        mondays=mondays,
        complete=complete,
        intervals=share_interval(tp, tp + fp),
        squares=np.stack([tp, np.zeros(len(tp)), fp]),
        undecided=np.zeros(len(tp)),
        all_squares=tp + fp,
    )


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(st.integers(8, 60), st.integers(8, 60)), min_size=3, max_size=15))
def test_alerts_of_weight_one_get_the_usual_tests(counts):
    tp, fp = np.array(counts, dtype=float).T
    # Enough in every week, so that none are taken together.
    n, p = tp + fp, tp.sum() / (tp + fp).sum()
    if (n * min(p, 1 - p)).min() < 5:
        return
    drift = precision_drift(weeks_of(tp, fp))
    assert drift.variation == pytest.approx(chi2_contingency([tp, fp], correction=False).pvalue)
    # Cochran-Armitage as in textbooks, and the regression that erratic weeks ask for.
    t = np.arange(len(n))
    top = (t * (tp - n * p)).sum()
    bottom = p * (1 - p) * ((n * t**2).sum() - (n * t).sum() ** 2 / n.sum())
    usual = 2 * norm.sf(abs(top) / np.sqrt(bottom))
    assert drift.trend == pytest.approx(max(usual, regression(t, tp / n, n)), rel=1e-6, abs=1e-12)
    third = max(1, len(n) // 3)
    assert drift.early == pytest.approx(tp[:third].sum() / n[:third].sum())
    assert drift.late == pytest.approx(tp[-third:].sum() / n[-third:].sum())
    assert drift.stands_out == ((tp - n * p) ** 2 / n).argmax()

    alerts = alerts_drift(weeks_of(tp, fp))
    assert alerts.variation == pytest.approx(chi2.sf(((n - n.mean()) ** 2).sum() / n.mean(), len(n) - 1))
    usual = 2 * norm.sf(abs((t - t.mean()) @ n) / np.sqrt(n.mean() * ((t - t.mean()) ** 2).sum()))
    assert alerts.trend == pytest.approx(max(usual, regression(t, n, np.ones(len(n)))), rel=1e-6, abs=1e-12)


def regression(x, y, weights):
    """The p value of the slope of weighted least squares."""
    design = np.column_stack([np.ones(len(x)), x]) * np.sqrt(weights)[:, None]
    coefficients, *_ = np.linalg.lstsq(design, y * np.sqrt(weights))
    residual = y * np.sqrt(weights) - design @ coefficients
    scale = max((residual**2).sum(), 1e-12) / (len(x) - 2)
    error = np.sqrt(scale * np.linalg.inv(design.T @ design)[1, 1])
    return 2 * student.sf(abs(coefficients[1]) / error, len(x) - 2)


def test_incomplete_weeks_are_not_tested():
    complete = [False, True, True, True, True, False]
    middle = weeks_of([50, 48, 52, 49], [50, 51, 49, 52])
    whole = weeks_of([1, 50, 48, 52, 49, 30], [60, 50, 51, 49, 52, 0], complete)
    for test in (precision_drift, alerts_drift):
        inner, outer = test(middle), test(whole)
        assert outer.weeks == 4
        assert (outer.trend, outer.variation, outer.early) == (inner.trend, inner.variation, inner.early)
        assert outer.stands_out == inner.stands_out + 1


def simulated(generator, precision, *, weeks=12, per_week=100, weight=None, group=1, rate=None):
    """Draw weekly counts with precision `precision(week)`; `group` alerts share their label."""
    count = generator.poisson(per_week / group if rate is None else rate, weeks)
    week = np.repeat(np.arange(weeks), count)
    label = generator.random(len(week)) < precision(week)
    week, label = np.repeat(week, group), np.repeat(label, group)
    label[:group], label[-group:] = True, False
    times = MONDAY + week * WEEK + generator.integers(0, 7 * 86_400, len(week)).astype("timedelta64[s]")
    # The first and the last day, so that all weeks are complete.
    times[:1], times[-1:] = MONDAY, MONDAY + weeks * WEEK - np.timedelta64(1, "s")
    documents = RatedDocuments(
        generator.random(len(week)),
        label,
        None if weight is None else weight(generator, label, week),
        floors=[0.0],
        groups=None if group == 1 else np.arange(len(week)) // group,
    )
    return weekly_counts(documents, calendar(times), [0.0], "any")


def share_of_verdicts(test, verdicts, precision, repeats=400, **options):
    generator = np.random.default_rng(5)
    return np.mean([test(simulated(generator, precision, **options)).verdict in verdicts for _ in range(repeats)])


def steady_half(week):
    return np.full(len(week), 0.5)


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"weeks": 4, "per_week": 40},
        {"weeks": 30, "per_week": 10},
        {"weight": lambda generator, label, week: np.where(label, 1.0, 10.0)},
        {"weight": lambda generator, label, week: np.where(week < 6, 1.0, 10.0)},
        {"weight": lambda generator, label, week: generator.choice([1.0, 20.0], len(week))},
        {"group": 5, "per_week": 300},
    ],
    ids=["plain", "short", "thin", "weights by label", "weights by week", "random weights", "groups"],
)
def test_steady_precision_is_reported_as_drift_in_5_percent(options):
    assert share_of_verdicts(precision_drift, ("drifts", "varies"), steady_half, **options) < 0.08


@pytest.mark.slow
@pytest.mark.parametrize("group", [1, 5])
def test_steady_alerts_are_reported_as_drift_in_5_percent(group):
    share = share_of_verdicts(alerts_drift, ("drifts", "varies"), steady_half, group=group, per_week=200)
    assert 0.005 < share < 0.08


@pytest.mark.slow
def test_clear_drift_is_seen_and_called_so():
    def falling(week):
        return 0.6 - 0.2 * week / 11

    assert share_of_verdicts(precision_drift, ("drifts",), falling, repeats=100) > 0.8
    drift = precision_drift(simulated(np.random.default_rng(2), falling, per_week=1000))
    assert drift.verdict == "drifts"
    assert drift.early == pytest.approx(0.573, abs=0.03)
    assert drift.late == pytest.approx(0.427, abs=0.03)
    rising = 50 * np.exp(np.linspace(0, 0.7, 12))
    assert share_of_verdicts(alerts_drift, ("drifts",), steady_half, repeats=100, rate=rising) > 0.9


@pytest.mark.slow
def test_one_bad_week_is_no_trend_and_is_found():
    def one_bad(week):
        return np.where(week == 5, 0.2, 0.5)

    assert share_of_verdicts(precision_drift, ("varies",), one_bad, repeats=100) > 0.9
    assert precision_drift(simulated(np.random.default_rng(3), one_bad, per_week=300)).stands_out == 5


@pytest.mark.slow
@pytest.mark.parametrize(("weeks", "per_week"), [(3, 400), (6, 200), (12, 100)])
def test_least_change_that_is_seen_is_seen_in_four_of_five_cases(weeks, per_week):
    drift = precision_drift(weeks_of([per_week / 2] * weeks, [per_week / 2] * weeks))
    # From the middle of the first third to that of the last.
    slope = drift.least_seen / (weeks - weeks // 3)

    def just_seen(week):
        return 0.5 + slope * (week - (weeks - 1) / 2)

    options = {"weeks": weeks, "per_week": per_week, "repeats": 300}
    assert 0.7 < share_of_verdicts(precision_drift, ("drifts", "varies"), just_seen, **options) < 0.92
