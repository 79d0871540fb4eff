"""A point over time and in each segment: counted again by pandas alone."""

import re
from functools import partial

import numpy as np
import pandas as pd
import pytest

from multiloss_core.datasets import Source
from multiloss_core.formatting import shortened
from multiloss_core.tables import ColumnMeanings
from tests.pages.steps import number, opened_sections, wilson
from ui.data.rated import sample
from ui.operating_point.sections.segments import MAX_SHOWN
from ui.shared.formatting import as_text

SECTIONS = ("periods", "segments")
POINTS = pytest.mark.parametrize(("percent", "rule"), [(10.0, "any"), (60.0, "any"), (20.0, "all")])


opened = partial(opened_sections, ("over_time.show_alerts_per_day", "over_time.show_periods", "segments.show_segments"))


def alerts_of(app, rule):
    """The rows of the sample that people looked at, and those of them that are flagged."""
    source = sample("Card alerts")
    rated = source.frame
    scores = zip(source.first_choice.scores, app.session_state["told"]["thresholds"], strict=True)
    reached = pd.DataFrame({score: rated[score] >= value for score, value in scores})
    return rated, rated[reached.any(axis=1) if rule == "any" else reached.all(axis=1)]


def texts(app):
    return " ".join(element.value for kind in ("markdown", "caption", "info", "warning") for element in app.get(kind))


def assert_row(row, ratings):
    """A row of a table is that of alerts with these ratings, some of which are blank."""
    fraud, false, undecided = ((ratings == "fraud").sum(), (ratings == "ok").sum(), ratings.isna().sum())
    counts = [len(ratings), fraud, false, undecided]
    assert row[["Alerts", "Caught (TP)", "False alerts (FP)", "Undecided"]].tolist() == counts
    shares = row[["Precision", "95 % from", "95 % to"]]
    decided = fraud + false
    if not decided:
        assert shares.isna().all()
        return
    assert shares.tolist() == pytest.approx([fraud / decided, *wilson(fraud, decided)], abs=0.0051)


def test_alerts_per_day_are_shown_with_sections_closed():
    app = opened(percent=10.0, rule="any")
    rated, alerts = alerts_of(app, "any")
    days = pd.date_range(rated["time"].min().normalize(), rated["time"].max().normalize())
    per_day = alerts.groupby(alerts["time"].dt.normalize()).size().reindex(days, fill_value=0)
    (words,) = [element.value for element in app.caption if "Alerts per day" in element.value]
    said = re.search(
        r"([\d.,]+) on average, ([\d.,]+) to ([\d.,]+) on most days .*, busiest ([\d,]+) on ([\d-]+); ([\d,]+) days",
        words,
    ).groups()
    low, high = per_day.quantile([0.1, 0.9])
    assert [number(said[i]) for i in range(3)] == pytest.approx([per_day.mean(), low, high], abs=0.051)
    assert number(said[3]) == per_day.max()
    assert said[4] == str(per_day.idxmax().date())
    assert number(said[5]) == len(days)
    assert not app.dataframe
    assert [block.label for block in app.expander] == [
        "Over time: does the point drift?",
        "Segments, and thresholds of their own",
    ]


@POINTS
def test_weeks_and_segments_are_those_of_a_count_by_hand(percent, rule):
    app = opened("periods", "segments", percent=percent, rule=rule)
    rated, alerts = alerts_of(app, rule)
    assert_weeks(app, rated, alerts)
    assert_segments(app, rated, alerts)


def assert_weeks(app, rated, alerts):
    week = (alerts["time"] - pd.to_timedelta(alerts["time"].dt.day_of_week, unit="D")).dt.normalize()
    shown = app.dataframe[0].value.set_index("Week of")
    first = rated["time"].min().normalize()
    mondays = pd.date_range(first - pd.Timedelta(days=first.weekday()), rated["time"].max().normalize(), freq="7D")
    assert [label.split(" ")[0] for label in shown.index] == [str(monday.date()) for monday in mondays]
    for monday, (_, row) in zip(mondays, shown.iterrows(), strict=True):
        assert_row(row, alerts.loc[week == monday, "rating"])
    total = app.session_state["told"]
    assert shown["Caught (TP)"].sum() == total["tp"]
    assert shown["False alerts (FP)"].sum() == total["fp"]
    assert len(app.get("plotly_chart")) == 2
    assert re.search(r"\*\*Precision(: no sign of drift| drifts| varies|:\*\* too few)", texts(app))
    assert re.search(r"\*\*Alerts (per week|vary)", texts(app))


def assert_segments(app, rated, alerts):
    shown = app.dataframe[1].value.set_index("Segment")
    assert shown.index.tolist() == alerts.loc[alerts["rating"].notna(), "channel"].value_counts().index.tolist()
    fraud = alerts["rating"].eq("fraud")
    for channel, row in shown.iterrows():
        here = alerts["channel"] == channel
        assert_row(row, alerts.loc[here, "rating"])
        assert row["Of all alerts"] == pytest.approx(here.mean(), abs=0.0051)
        assert row["Of all catches"] == pytest.approx(fraud[here].sum() / fraud.sum(), abs=0.0051)
        rows = rated[(rated["channel"] == channel) & rated["rating"].notna()]
        assert row["Rated"] == len(rows)
        assert row["Rated positive"] == (rows["rating"] == "fraud").sum()
        sure = row["Differs"] in ("above", "below")
        assert (f"**{channel}**" in texts(app)) == sure
    assert "Compared with the precision of all alerts" in texts(app)


def test_documents_are_counted_also_where_point_is_one_of_money():
    app = opened("periods", "segments", unit="money")
    _, alerts = alerts_of(app, "any")
    weeks, segments = (element.value for element in app.dataframe)
    for table in (weeks, segments):
        assert table["Alerts"].sum() == len(alerts)
        assert table["Caught (TP)"].sum() == (alerts["rating"] == "fraud").sum()


@pytest.mark.parametrize("name", ["Login alerts", "Count table"])
def test_without_times_and_segments_nothing_is_shown(name):
    app = opened(*SECTIONS, name=name)
    assert not app.expander
    assert not app.caption


def test_point_that_flags_nothing_has_empty_sections():
    app = opened(*SECTIONS, by_hand=[np.inf, np.inf])
    assert "**Alerts per day:** none at this point." in texts(app)
    assert texts(app).count("Nothing is flagged at this point.") == 2
    (table,) = [element.value for element in app.dataframe]
    assert table[["Precision", "Of all alerts"]].isna().all(axis=None)
    assert app.dataframe[0].proto.placeholder == "undefined"


def made(times, channels, precision, seed=1):
    """A source of documents at given times; `precision` (n,) is the chance of each to be fraud."""
    generator = np.random.default_rng(seed)
    n = len(times)
    frame = pd.DataFrame(
        {
            "score": np.round(generator.random(n), 6),
            "rating": np.where(generator.random(n) < precision, "fraud", "ok"),
            "time": times,
            "channel": channels,
        }
    )
    names = {"scores": ("score",), "rating": "rating", "time": "time", "segment": "channel"}
    names["meanings"] = (("fraud", "positive"), ("ok", "negative"))
    choice = ColumnMeanings(floors=(0.0,), **names)
    return Source("made", f"made {seed} {n}", frame, choice)


def minutes(n, days):
    return pd.date_range("2026-01-05", periods=n, freq=pd.Timedelta(days=days) / n)


def test_many_segments_are_folded_and_names_are_taken_literally():
    generator = np.random.default_rng(4)
    names = np.array(["*x* [y](http://z) :red[q] `c`", *(f"s{i}" for i in range(60))], dtype=object)
    chosen = np.minimum(generator.geometric(0.05, 8000) - 1, 60)
    source = made(minutes(8000, 30), names[chosen], np.where(chosen == 0, 0.9, 0.4), 4)
    app = opened("segments", source=source, by_hand=[0.3])
    table = app.dataframe[0].value
    assert len(table) == MAX_SHOWN + 1
    assert table["Segment"].iloc[-1] == f"({len(set(chosen)) - MAX_SHOWN} others)"
    assert table["Alerts"].sum() == (source.frame["score"] >= 0.3).sum()
    assert as_text(shortened(str(names[0]))) in texts(app)
    assert str(names[0]) not in texts(app)
    assert shortened("x" * 100) == "x" * 40 + "…"
