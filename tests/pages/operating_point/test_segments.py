"""Thresholds of segments on the operating point, counted again by pandas."""

import json
import math

import numpy as np
import pytest

from multiloss_core import DataError, DecisionRecord, OperatingPoint
from multiloss_core.datasets import RatedDataset
from tests.pages.steps import opened, press, run, saved_record, state, tasks_of, unfold
from ui.data.rated import sample
from ui.operating_point.segment_tasks import SEGMENTS


def open_segments(name, **query):
    """Open the section and wait for both steps of the search."""
    app = unfold(opened(data=name, **query), "segments")
    run(app.segmented_control(key="segment_thresholds").set_value("Own where they pay"))
    tasks_of(app, SEGMENTS)[0].wait(120)
    return run(app)


def tables(app):
    found = [table.value for table in app.dataframe]
    thresholds = next(table for table in found if "Marginal precision" in table)
    differences = next(table for table in found if "Gain, held out" in table)
    return thresholds.set_index("Segment"), differences.set_index("Segment")


def counted(name, row, segment):
    """TP and FP of a row of thresholds in a segment, and which alerts it flags."""
    frame, choice = sample(name).frame, sample(name).first_choice
    flags = np.zeros(len(frame), dtype=bool)
    for score in choice.scores:
        value = row[f"{score} ≥"]
        flags |= frame[score] >= (math.inf if value == "never" else float(value))
    rules = next((str(row[label]) for label in row.index if label.startswith("Rules on")), "")
    for rule in choice.alert_rules:
        flags |= (frame[rule] == 1) & (rule in rules.split(", "))
    flags &= frame[choice.segment] == segment
    fraud = frame["rating"] == "fraud"
    return int((flags & fraud).sum()), int((flags & (frame["rating"] == "ok")).sum()), flags


@pytest.mark.parametrize("name", ["Card alerts", "Alert queue"])
def test_counts_are_those_of_the_shown_thresholds(name):
    app = open_segments(name)
    thresholds, differences = tables(app)
    assert set(thresholds.index) == {"online", "card present", "phone"}
    for segment, row in thresholds.iterrows():
        tp, fp, _ = counted(name, row, segment)
        assert (row["Caught (TP)"], row["False alerts (FP)"]) == (tp, fp)
        assert (differences["Caught (TP), own"][segment], differences["False alerts (FP), own"][segment]) == (tp, fp)
    shown = state(app).point.goals.shown.point
    assert differences["Caught (TP), common"]["all together"] == shown.tp
    assert differences["False alerts (FP), common"]["all together"] == shown.fp


def test_a_decision_keeps_own_thresholds_and_reopens_with_them():
    app = open_segments("Card alerts")
    thresholds, differences = tables(app)
    record = saved_record(app)
    assert record.segments.column == "channel"
    assert record.expected.tp == differences["Caught (TP), own"]["all together"]
    frame = sample("Card alerts").frame
    expected = np.zeros(len(frame), dtype=bool)
    for segment, row in thresholds.iterrows():
        expected |= counted("Card alerts", row, segment)[2]
    assert record.flags(frame).tolist() == expected.tolist()
    assert DecisionRecord.from_json(record.to_json()) == record
    assert record.evidence is not None

    # Of other data nothing was chosen.
    run(app.selectbox(key="data").select("Alert queue"))
    assert saved_record(app).segments is None
    run(app.selectbox(key="data").select("Card alerts"))
    tasks_of(app, SEGMENTS)[0].wait(120)
    assert saved_record(run(app)).segments == record.segments

    run(app.segmented_control(key="segment_thresholds").set_value("Common"))
    assert saved_record(app).segments is None
    run(app.switch_page("pages/decisions.py"))
    run(app.selectbox(key="decision").select("1"))
    press(app, "Open on the operating point")
    assert [choice.own for choice in state(app).point.segment_choices.values()] == [True]
    unfold(run(app.switch_page("pages/operating_point.py")), "segments")
    tasks_of(app, SEGMENTS)[0].wait(120)
    again = saved_record(run(app))
    assert again.segments == record.segments
    assert again.expected == record.expected


def test_a_cap_is_kept_by_all_segments_together():
    app = open_segments("Card alerts", goal="alerts", goal_alerts="20", days="70")
    _, differences = tables(app)
    own = differences.loc["all together"]
    shown = state(app).point.goals.shown.point
    assert own["Caught (TP), own"] + own["False alerts (FP), own"] <= shown.alerts * 1.03
    assert own["Caught (TP), own"] > own["Caught (TP), common"]
    assert (own["Caught (TP), common"], own["False alerts (FP), common"]) == (shown.tp, shown.fp)


def test_own_thresholds_need_the_smooth_path():
    app = unfold(opened(data="Card alerts", method="graph"), "segments")
    run(app.segmented_control(key="segment_thresholds").set_value("Own where they pay"))
    assert any("smooth" in info.value for info in app.info)
    assert not tasks_of(app, SEGMENTS)


def test_downloads_hold_own_thresholds(monkeypatch):
    given = {}

    def offer(label, text, *_, **__):
        given[label] = text

    monkeypatch.setattr("streamlit.download_button", offer)
    app = open_segments("Card alerts")
    thresholds, _ = tables(app)
    content = json.loads(given["JSON"])
    assert content["segments"]["column"] == "channel"
    listed = {value: one["thresholds"] for one in content["segments"]["own"] for value in one["values"]}
    for segment, row in thresholds.iterrows():
        assert listed[segment] == {score: row[f"{score} ≥"] for score in sample("Card alerts").first_choice.scores}


@pytest.mark.parametrize("query", [{"band": "true"}, {"now": "0.8,0.8", "stay": "true"}], ids=["two cuts", "stay"])
def test_own_thresholds_exclude_two_cuts_and_staying(query):
    app = unfold(opened(data="Card alerts", **query), "segments")
    run(app.segmented_control(key="segment_thresholds").set_value("Own where they pay"))
    assert not tasks_of(app, SEGMENTS)
    assert saved_record(app).segments is None


def own_alerts(app, name):
    """Alerts with and without a decision at the own thresholds of the decision."""
    record = saved_record(app)
    return None if record.segments is None else int(record.flags(sample(name).frame).sum())


@pytest.mark.parametrize("name", ["Alert queue", "Card alerts"])
def test_own_and_undecided_alerts_keep_a_mean_cap(name):
    app = open_segments(name, goal="alerts", goal_alerts="1")
    days, kinds, saved = RatedDataset.of(sample(name), sample(name).first_choice).days, set(), 0
    for cap in (0.7, 1.1, 2.3, 5.2, 16.0):
        run(app.number_input(key="goal_alerts").set_value(cap))
        kinds.add(type(state(app).point.goals.shown.point))
        found = own_alerts(app, name)
        saved += found is not None
        assert found is None or found <= cap * days
    assert saved >= 4
    assert OperatingPoint in kinds


@pytest.mark.parametrize(
    "query",
    [
        {"goal": "precision", "goal_precision": "60"},
        {"goal": "share", "goal_share": "50"},
        {"goal": "alerts", "goal_alerts": "5", "goal_held": "most"},
    ],
    ids=["precision", "share", "nine days of ten"],
)
def test_goals_of_one_set_of_thresholds_refuse_own(query):
    app = unfold(opened(data="Alert queue", **query), "segments")
    run(app.segmented_control(key="segment_thresholds").set_value("Own where they pay"))
    assert any("nine days of ten" in info.value for info in app.info)
    assert not tasks_of(app, SEGMENTS)
    record = saved_record(app)
    assert record.segments is None
    assert record.target is not None


def test_segments_that_no_record_holds_are_one_error(monkeypatch):
    def refuse(*_):
        raise DataError("A value is too long.")

    monkeypatch.setattr("ui.operating_point.sections.save_decision.chosen_segments", refuse)
    app = unfold(opened(data="Card alerts"), "save_decision")
    assert [error.value for error in app.error] == ["A value is too long."]
