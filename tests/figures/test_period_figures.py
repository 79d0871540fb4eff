import numpy as np
import pandas as pd
import pytest

from multiloss_core import RatedDocuments
from multiloss_core.figures import daily_chart, weekly_chart
from multiloss_core.figures import theme as style
from multiloss_core.inspection import calendar, daily_alerts, weekly_counts
from ui.shared.formatting import FRAUD

QUIET = pd.Timestamp("2026-01-26")


def counted(count):
    """Count six weeks, Wednesday to Wednesday: incomplete ends, and one week without alerts."""
    generator = np.random.default_rng(7)
    times = np.datetime64("2026-01-07T03:00", "us") + np.arange(360) * np.timedelta64(2, "h") * 1.1667
    times = times.astype("datetime64[us]")
    scores = generator.random(360)
    quiet = (times >= QUIET.to_datetime64()) & (times < (QUIET + pd.Timedelta(days=7)).to_datetime64())
    scores[quiet] *= 0.4
    documents = RatedDocuments(scores, generator.random(360) < 0.4, generator.uniform(0.5, 2, 360), floors=[0.0])
    return count(documents, calendar(times), [0.5], "any")


def traces(figure):
    return {trace.name: trace for trace in figure.data}


def test_bars_are_the_weekly_counts_in_the_colours_of_the_app():
    weeks = counted(weekly_counts)
    figure = weekly_chart(weeks, theme="dark", vocabulary=FRAUD)
    shown = traces(figure)
    true, false = shown["fraud (TP)"], shown["false alerts (FP)"]
    np.testing.assert_allclose(true.y, weeks.tp)
    np.testing.assert_allclose(false.y, weeks.fp)
    assert figure.layout.barmode == "stack"
    assert (true.marker.color, false.marker.color) == (style.TRUE_POSITIVE, style.FALSE_POSITIVE)
    middle = pd.DatetimeIndex(weeks.mondays) + pd.Timedelta(days=3.5)
    assert pd.DatetimeIndex(true.x).tolist() == middle.tolist()
    assert list(true.marker.pattern.shape) == ["" if complete else "/" for complete in weeks.complete]
    assert not weeks.complete.all()
    assert true.customdata[0] == "week of 2026-01-05 (incomplete)"
    assert "documents" in true.hovertemplate


def test_precision_and_its_band_break_where_there_are_no_alerts():
    weeks = counted(weekly_counts)
    figure = weekly_chart(weeks, theme="dark")
    shown = traces(figure)
    line, band, overall = (
        shown[name] for name in ("precision", "95 % interval of the precision", "precision of all weeks")
    )
    np.testing.assert_allclose(line.y, weeks.precision)
    empty = int(np.flatnonzero(weeks.alerts == 0)[0])
    assert weeks.mondays[empty] == QUIET.to_datetime64().astype("datetime64[D]")
    assert np.isnan(line.y[empty])
    hollow = [colour == style.paper("dark") for colour in line.marker.color]
    assert hollow == (~weeks.complete).tolist()
    assert overall.y[0] == pytest.approx(weeks.tp.sum() / weeks.alerts.sum())
    # Two outlines, before and after the quiet week, each up one bound and back along the other.
    y = [value for value in band.y if value is not None]
    assert list(band.y).count(None) == 2
    assert len(y) == 4 * (len(weeks.mondays) - 1)
    run = slice(0, empty)
    expected = [*np.repeat(weeks.intervals[0, run], 2), *np.repeat(weeks.intervals[1, run], 2)[::-1]]
    np.testing.assert_allclose(y[: 4 * empty], expected)
    assert "95 % interval" in line.customdata[0]
    assert line.customdata[empty] == ""


def test_days_are_drawn_with_their_mean_and_band():
    days = counted(daily_alerts)
    figure = daily_chart(days, theme="dark")
    shown = traces(figure)
    np.testing.assert_allclose(shown["alerts"].y, days.alerts)
    assert list(shown["alerts"].customdata) == [str(day) for day in days.dates]
    assert set(shown["mean"].y) == {days.mean}
    assert set(shown["eight of ten days"].y) == set(days.most_days)
    assert figure.layout.xaxis.title.text == "day"
    assert "documents" in figure.layout.yaxis.title.text
    assert figure.layout.template.layout.paper_bgcolor == style.paper("dark")
