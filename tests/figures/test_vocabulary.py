"""Test that charts and reports use the user's noun and keep their numbers."""

from dataclasses import replace

import numpy as np
import pytest

from multiloss_core import RatedDocuments, count_surfaces, operating_point, simulate_population, smooth_path
from multiloss_core.decisions import (
    ExpectedCounts,
    GoalValue,
    RecordedSettings,
    RecordedTarget,
    html_report,
    markdown_summary,
)
from multiloss_core.figures import (
    count_surface,
    daily_chart,
    plane_drawing,
    profit_chart,
    score_histogram,
    surface_drawing,
    threshold_curves,
    tp_fp_plane,
    weekly_chart,
)
from multiloss_core.formatting import FRAUD, Unit
from multiloss_core.inspection import calendar, daily_alerts, weekly_counts
from multiloss_core.thresholds import Payoffs, cases_along, profit_curve
from tests.decisions.records import make_record

CALLED = replace(FRAUD, document="account", documents="accounts")


def drawn(vocabulary, unit):
    """Every chart that names rows, as text."""
    documents = simulate_population(np.random.default_rng(3), documents=20_000, classifiers=2).rated()
    surfaces, path = count_surfaces(documents, resolution=12), smooth_path(documents)
    point = operating_point(path, 0.2)
    only = RatedDocuments(documents.scores[:, 0], documents.labels, floors=[0.0])
    times = np.datetime64("2026-01-05", "us") + np.arange(len(documents.labels)) * np.timedelta64(1, "h")
    at = documents, calendar(times), point.thresholds, "any"
    profit = profit_curve(cases_along(path, documents, None), Payoffs(review=1.0, catch=5.0))
    look = {"theme": "light", "vocabulary": vocabulary}
    figures = [
        count_surface(surfaces, [path], count="tp", unit=unit, **look),
        daily_chart(daily_alerts(*at), **look),
        profit_chart(profit, "smooth", {}, **look),
        score_histogram(documents, 0, **look),
        threshold_curves(smooth_path(only), unit=unit, **look),
        tp_fp_plane([path], [point], chosen="smooth", unit=unit, **look),
        weekly_chart(weekly_counts(*at), **look),
    ]
    return [
        *(figure.to_json() for figure in figures),
        plane_drawing(path, point, unit=unit, vocabulary=vocabulary),
        surface_drawing(surfaces, path, point, count="fp", unit=unit, vocabulary=vocabulary),
    ]


@pytest.mark.slow
def test_charts_say_the_noun_and_nothing_else_changes():
    for before, after in zip(drawn(FRAUD, Unit.DOCUMENTS), drawn(CALLED, Unit.DOCUMENTS), strict=True):
        assert "document" in before
        assert "document" not in after
        assert before.replace("document", "account") == after


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"rule": "all"},
        {"names": ("only model",), "thresholds": (0.5,)},
        {"settings": RecordedSettings("any", "smooth", "positives", 100, "amount")},
        {"expected": ExpectedCounts.of(0.0, 0.0)},
        {"target": RecordedTarget("a goal", (GoalValue("a goal", 0.2),), 0.2, "at_floor")},
    ],
)
def test_reports_say_the_noun_and_nothing_else_changes(changes):
    record = make_record(**changes)
    for write in (markdown_summary, lambda made, words: html_report(made, None, words)):
        before, after = write(record, FRAUD), write(record, CALLED)
        assert "document" in before
        assert before.replace("a document", "an account").replace("document", "account") == after
