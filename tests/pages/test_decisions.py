"""Test making, listing, comparing, deploying and reopening decisions."""

import io
import re
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from decision_log import ADDRESS, DecisionLog, log_address
from multiloss_core import RatedDocuments, operating_point, smooth_path
from multiloss_core.datasets import RatedDataset
from multiloss_core.decisions import (
    CurrentThresholds,
    GoalValue,
    RecordedColumns,
    RecordedData,
    RecordedInterval,
    RecordedSettings,
    RecordedTarget,
    data_fingerprint,
    record_of,
    sql_where,
)
from multiloss_core.model_change import model_change
from multiloss_core.tables import ColumnMeanings
from tests.decisions.records import HOSTILE_NAMES, make_record
from tests.decisions.samples import as_csv, file_decision, rated_frame, sample_decision
from tests.pages.rated_data import steps as loading
from tests.pages.steps import (
    decide,
    enter_scenario,
    explorer,
    goal_called,
    opened,
    press,
    run,
    saved_record,
    state,
    typed_scenarios,
)
from ui.data.rated import sample
from ui.operating_point.active_goal import GOALS
from ui.records import thresholds_words


def give(app, text, name="record.json"):
    return run(app.file_uploader(key="record_file").set_value((name, text.encode(), "application/json")))


def said(elements):
    """Return the messages of one kind without their Markdown escapes."""
    return " ".join(element.value for element in elements).replace("\\", "").replace("\N{WORD JOINER}", "")


def report_opened(app, tag="entry"):
    app.session_state[f"report_{tag}"] = True
    return run(app)


def address_of(app):
    """Return the parameters of the address."""
    return {name: value if isinstance(value, str) else value[0] for name, value in app.query_params.items()}


def produced(app):
    """Return the lines on deployed thresholds."""
    return [line for line in app.markdown if "**Deployed:**" in line.value]


def table(app, column):
    return next(element.value for element in app.dataframe if column in element.value)


def words_of(app):
    """The numbers of the operating point."""
    shown = explorer(app)
    data = shown["table"]
    return (shown["hand"] or data["rows"][data["percents"].index(shown["percent"])])["words"]


def shown_thresholds(app):
    return [None if value == "never" else float(value.removeprefix("≥ ")) for _, value in words_of(app)["thresholds"]]


def logged(address, *records):
    with DecisionLog(address) as log:
        return [log.add(record) for record in records]


# The page


def test_empty_log_shows_a_hint():
    app = opened("decisions")
    assert "no decisions yet" in said(app.info)
    assert not app.error
    assert not app.dataframe
    assert not app.get("download_button")


def test_the_list_shows_every_decision_the_newest_first(log_address):
    one, two = sample_decision(), make_record(HOSTILE_NAMES[:2], (None, 0.25), author="<b>B</b>")
    numbers = logged(log_address, one, two)
    app = opened("decisions")
    shown = table(app, "Deployed")
    assert list(shown["No."]) == numbers[::-1]
    assert list(shown["Data"]) == ["alerts.csv", "Card alerts"]
    assert list(shown["TP"]) == [300, one.expected.tp]
    assert list(shown["FP"]) == [1100, one.expected.fp]
    assert list(shown["Precision"]) == [100 * 300 / 1400, 100 * one.expected.precision]
    assert list(shown["Target"]) == [20, 35]
    assert all(shown[column].dtype == float for column in ("TP", "FP", "Precision", "Target"))
    assert "Counted" not in shown
    assert shown["Thresholds"][0] == 'a"b never, two words ≥ 0.25'
    assert app.selectbox(key="decision").value == str(numbers[1])
    assert app.selectbox(key="decision").options[0].startswith(f"{numbers[1]} · alerts.csv")

    run(app.selectbox(key="decisions_for").select("Card alerts"))
    assert list(table(app, "Deployed")["No."]) == [numbers[0]]
    assert app.selectbox(key="decision").options[0].startswith(f"{numbers[0]} · Card alerts")
    assert not app.code
    assert report_opened(app).code[0].value == sql_where(one)
    run(app.selectbox(key="decisions_for").select("all data"))
    assert len(table(app, "Deployed")) == 2


def test_no_address_names_data_or_authors(log_address):
    logged(
        log_address,
        sample_decision(),
        make_record(author="Ann Lee"),
        make_record(record_id="00000000-0000-4000-8000-000000000001"),
    )
    app = opened("decisions")
    for key in ("decisions_for", "decision", "compared_with"):
        run(app.selectbox(key=key).select_index(1))
    told = address_of(app)
    assert set(told) == {"decisions_for", "decision", "compared_with"}
    assert all(re.fullmatch(r"[0-9a-f]{12}|\d+", value) for value in told.values())
    linked = opened("decisions", **told)
    assert [linked.selectbox(key=key).value for key in told] == [app.selectbox(key=key).value for key in told]


def test_older_decisions_are_one_click_away(log_address):
    logged(log_address, *(make_record(record_id=f"00000000-0000-4000-8000-{i:012d}") for i in range(103)))
    app = opened("decisions")
    assert len(table(app, "Deployed")) == 100
    press(app, "Show older")
    assert list(table(app, "Deployed")["No."]) == list(range(103, 0, -1))


def test_two_decisions_are_compared_with_signed_differences(log_address):
    before, after = sample_decision(percent=20.0, rule="any"), sample_decision(percent=60.0, rule="any")
    logged(log_address, before, after)
    app = opened("decisions")
    run(app.selectbox(key="compared_with").select_index(1))
    shown = table(app, "The other").set_index("")
    expected = after.expected.tp - before.expected.tp
    assert expected < 0
    assert shown.loc["Caught (TP)", "Difference"] == f"{expected:,.0f}".replace("-", "\N{MINUS SIGN}")
    assert shown.loc["Target", "Difference"] == "+40.0 points"
    for name, new, old in zip(before.columns.scores, after.thresholds, before.thresholds, strict=True):
        assert float(shown.loc[f"Threshold of {name}", "This decision"]) == new
        assert float(shown.loc[f"Threshold of {name}", "Difference"]) == pytest.approx(new - old, rel=1e-5)


def test_decision_is_marked_as_deployed_and_retires_one_before(log_address):
    first, second = logged(log_address, sample_decision(), sample_decision(percent=50.0))
    app = opened("decisions")
    press(app, "Mark as deployed")
    assert "Enter the name" in said(app.error)
    app.text_input(key="deployed_by").set_value("B. Oss")
    press(app, "Mark as deployed")
    assert "marked as deployed" in said(app.success)
    assert "since" in table(app, "Deployed")["Deployed"][0]
    run(app.selectbox(key="decision").select_index(1))
    assert app.text_input(key="deployed_by").value == "B. Oss"
    press(app, "Mark as deployed")
    shown = table(app, "Deployed").set_index("No.")["Deployed"]
    assert shown[first].startswith("since")
    assert shown[first].endswith("by B. Oss")
    assert shown[second].startswith("until")
    with DecisionLog(log_address) as log:
        assert [entry.id for entry in log.deployed_entries()] == [first]


def test_remarks_and_a_withdrawal_are_added(log_address):
    logged(log_address, sample_decision())
    app = opened("decisions")
    press(app, "Withdraw the decision")
    assert "Enter your name" in said(app.error)
    app.text_input(key="remark_by").set_value("B. Oss")
    app.text_input(key="remark_words_1_0").set_value("Seen in July: as expected.")
    press(app, "Add the remark")
    assert "has a new remark" in said(app.success)
    assert "B. Oss: Seen in July" in said(app.markdown)
    app.text_input(key="remark_words_1_1").set_value("The model was replaced.")
    press(app, "Withdraw the decision")
    assert "by B. Oss: The model was replaced." in said(app.warning)
    assert table(app, "Deployed")["Deployed"][0] == "withdrawn"
    labels = [button.label for button in app.button]
    assert "Mark as deployed" not in labels
    assert "Withdraw the decision" not in labels


def test_unreadable_entry_does_not_hide_others(log_address):
    kept, broken = logged(log_address, sample_decision(), make_record())
    with closing(sqlite3.connect(log_address.removeprefix("sqlite:///"))) as connection, connection:
        connection.execute("DROP TRIGGER decision_log_entries_no_update")
        connection.execute("UPDATE decision_log_entries SET record = '{}' WHERE id = ?", (broken,))
    app = opened("decisions")
    assert f"Entry {broken} of the decision log cannot be read" in said(app.warning)
    assert list(table(app, "Deployed")["No."]) == [kept]
    assert not app.error


def test_downloaded_table_holds_no_formula_of_others(log_address):
    hostile = '=HYPERLINK("http://evil.example")'
    record = make_record(author=hostile)
    logged(log_address, replace(record, data=replace(record.data, name="=1+1")), make_record())
    app = opened("decisions")
    listed = table(app, "Deployed")
    assert listed["By"].tolist()[1] == f"'{hostile}"
    assert listed["Data"].tolist()[1] == "'=1+1"
    run(app.selectbox(key="compared_with").select_index(1))
    compared = table(app, "The other")
    assert f"'{hostile}" in compared["The other"].tolist()
    assert not any(
        str(cell).startswith("=")
        for element in app.dataframe
        for column in element.value
        for cell in element.value[column]
    )


def test_audit_trail_lists_events_and_changes(log_address):
    (number,) = logged(log_address, sample_decision())
    with DecisionLog(log_address) as log:
        log.mark_deployed(number, "C. Hief")
        head = log.audit().head
    app = opened("decisions")
    app.session_state["audit_trail"] = True
    run(app)
    assert "1 decision and 2 events are as the program wrote them." in said(app.success)
    events = table(app, "What")
    assert events["What"].tolist() == ["deployed", "recorded"]
    assert events["Who"].tolist()[0] == "C. Hief"
    assert [code.value for code in app.code][-1] == head
    with closing(sqlite3.connect(log_address.removeprefix("sqlite:///"))) as connection, connection:
        connection.execute("DROP TRIGGER decision_log_deployments_no_update")
        connection.execute("UPDATE decision_log_deployments SET deployed_by = 'Mallory'")
    run(app)
    assert "Deployment 1 of entry 1 was changed after 20" in said(app.error)


def test_reopening_keeps_the_present_thresholds(log_address):
    record = sample_decision("Login alerts", rule="any")
    logged(log_address, replace(record, current=CurrentThresholds((0.9,), 1.0, 2.0)))
    app = press(opened("decisions"), "Open on the operating point")
    assert [kept.current for kept in state(app).point.compared.values()] == [[0.9]]
    assert app.query_params["now"] in ("0.9", ["0.9"])


def test_deployed_thresholds_are_offered_as_current(log_address):
    record = sample_decision("Login alerts", rule="any")
    (number,) = logged(log_address, record)
    with DecisionLog(log_address) as log:
        log.mark_deployed(number, "Ann")
    app = opened("operating_point", data="Login alerts")
    app.session_state["compare"] = True
    run(app)
    assert app.text_input(key="current_0").value == f"{record.thresholds[0]:.10g}"
    assert "use_production" not in {button.key for button in app.button}
    run(app.text_input(key="current_0").set_value("0.5"))
    run(app.button(key="use_production").click())
    assert app.text_input(key="current_0").value == f"{record.thresholds[0]:.10g}"


def test_data_page_shows_deployed_thresholds_of_its_scores(log_address):
    one, other = sample_decision("Login alerts", rule="any"), sample_decision("Card alerts", percent=35)
    numbers = logged(log_address, one, other)
    assert not produced(opened("rated_data", data="Login alerts"))
    with DecisionLog(log_address) as log:
        for number in numbers:
            log.mark_deployed(number, "Ann *Lee*")
    for number, record in zip(numbers, (one, other), strict=True):
        app = opened("rated_data", data=record.data.name)
        (line,) = produced(app)
        assert thresholds_words(record.columns.scores, record.thresholds) in said([line])
        assert "by Ann *Lee* (UTC)" in said([line])
        assert r"Ann \*Lee\*" in line.value
        (link,) = [link.proto for link in app.get("page_link") if link.proto.label == f"Decision {number}"]
        assert link.query_string == f"decision={number}"
    assert not produced(opened("rated_data", data="Insurance claims"))


# Records from files


def test_an_uploaded_record_is_shown_and_added_to_the_log_once(log_address):
    record = sample_decision()
    app = give(opened("decisions"), record.to_json())
    assert app.subheader[0].value == r"From the file record.json".replace("_", r"\_")
    assert [tile.value for tile in app.metric][1:3] == [f"{record.expected.tp:,.0f}", f"{record.expected.fp:,.0f}"]
    assert not any("#### Thresholds" in line.value for line in app.markdown)
    report_opened(app, "uploaded")
    assert any("#### Thresholds" in line.value for line in app.markdown)
    press(app, "Add to the log")
    assert "Added to the log as number 1" in said(app.success)
    assert app.selectbox(key="decision").options[0].startswith("1 · Card alerts")
    give(app, record.to_json())
    press(app, "Add to the log")
    assert "number 1." in said(app.success)
    with DecisionLog(log_address) as log:
        assert [entry.record for entry in log.entries()] == [record]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"a": 1}', "this is no decision record"),
        (make_record().to_json().replace('"tp": 300.0', '"tp": "many"', 1), "Field 'expected.tp'"),
        (make_record().to_json().replace('"author"', '"![](http://evil.example/x)"'), "![](http://evil.example/x)"),
    ],
)
def test_file_without_a_record_is_one_error(text, words):
    app = give(opened("decisions"), text, "bad.json")
    assert words in said(app.error)
    assert "'bad.json'" in said(app.error)
    assert r"\!\[\]\(http\://evil.example" in app.error[0].value or "![" not in app.error[0].value
    assert not app.subheader
    give(app, make_record().to_json())
    assert not app.error
    assert app.subheader


# Opening again


@pytest.mark.parametrize("rule", ["any", "all"])
def test_a_decision_on_a_sample_reopens_where_it_was(log_address, rule):
    record = sample_decision(rule=rule)
    logged(log_address, record)
    # What was chosen before must not win.
    app = opened("operating_point", data="Card alerts", rule="all", goal="costs", goal_review="20", method="graph")
    run(app.switch_page("pages/decisions.py"))
    assert "is loaded and the same" in said(app.caption)
    press(app, "Open on the operating point")
    assert app.title[0].value == "Operating point"
    assert app.selectbox(key="data").value == "Card alerts"
    assert app.selectbox(key="goal").value == "slider"
    assert app.selectbox(key="method").value == "smooth"
    assert app.selectbox(key="nodes").value == "quantile"
    assert str(app.selectbox(key="resolution_2").value) == "50"
    assert app.get_by_key("rule").value == rule
    assert state(app).point.goals.percent == 35.0
    assert shown_thresholds(app) == list(record.thresholds)
    (_, tp), (_, fp), *_ = words_of(app)["counts"]
    assert (float(tp.replace(",", "")), float(fp.replace(",", ""))) == (record.expected.tp, record.expected.fp)


def test_a_decision_by_hand_reopens_with_its_thresholds(log_address):
    record = sample_decision("Login alerts", rule="any")
    by_hand = replace(record, target=RecordedTarget("set manually"), thresholds=(0.8,))
    logged(log_address, by_hand)
    app = press(opened("decisions"), "Open on the operating point")
    assert app.session_state["goal"] == "manual"
    assert app.text_input(key="hand_0").value == "0.8"


DRIVEN = {
    "false alerts per extra catch": {"goal_price": 2.5},
    "costs": {"goal_review": 3.0, "goal_catch": 9.0, "goal_annoyance": 1.0},
    "a cap on alerts": {"goal_alerts": 30.0, "goal_days": 5.0},
    "a floor on precision": {"goal_precision": 72.0},
    "a share of positives to keep": {"goal_share": 80.0},
}


@pytest.mark.parametrize("goal", DRIVEN)
def test_goal_of_a_decision_reopens(log_address, goal):
    inputs = {key: str(value) for key, value in DRIVEN[goal].items()}
    if goal == "costs":
        inputs |= {"goal_name": "it's 'Black' Friday", "goal_currency": "PLN"}
    app = opened("operating_point", data="Login alerts", goal=goal_called(goal), **inputs)
    decide(run(app))
    percent = state(app).point.goals.percent
    with DecisionLog(log_address) as log:
        target = log.entries()[0].record.target
    assert [goal.value for goal in target.goal_values] == list(DRIVEN[goal].values())
    assert target.goal.startswith(goal)

    # What was chosen before must not win.
    before = {"goal_price": "1", "goal_review": "20", "goal_name": "other", "goal_alerts": "2", "goal_share": "10"}
    app = opened("operating_point", data="Login alerts", goal="costs", m="70", **before)
    run(app.switch_page("pages/decisions.py"))
    press(app, "Open on the operating point")
    assert GOALS[app.selectbox(key="goal").value].label == goal
    for key, value in inputs.items():
        shown = typed_scenarios(app)[key][0] if goal == "costs" else app.get_by_key(key).value
        assert shown == value or float(shown) == float(value)
    if goal in ("costs", "false alerts per extra catch"):
        assert state(app).point.goals.percent == percent
    else:
        assert target.marginal_precision is None
    assert "Data and thresholds are the same" in said(app.success)
    # Reopened, it drives on.
    if goal == "costs":
        run(app.switch_page("pages/operating_point.py"))
        enter_scenario(app, review=6.0)
        assert state(app).point.goals.percent == pytest.approx(70.0)


def test_goal_reopens_as_manual_thresholds_on_other_data(log_address):
    record = file_decision(as_csv(rated_frame(3)), rule="any")
    goal_values = (GoalValue("alerts per day", 20.0), GoalValue("days in the data", 5.0))
    logged(log_address, replace(record, target=RecordedTarget("a cap on alerts", goal_values)))
    app = opened("rated_data")
    run(app.file_uploader(key="upload").set_value(("july.csv", as_csv(rated_frame(4)), "text/csv")))
    run(app.switch_page("pages/decisions.py"))
    press(app, "Open with this data")
    assert app.selectbox(key="goal").value == "manual"
    # In as few digits as the newer data need.
    newer = rated_frame(4)[["card", "device"]].to_numpy()
    np.testing.assert_array_equal(newer >= shown_thresholds(app), newer >= list(record.thresholds))
    assert "its thresholds are set manually" in said(app.caption)


def test_unknown_goal_reopens_on_the_slider(log_address):
    record = sample_decision(rule="any")
    target = RecordedTarget("![](//evil.ex/a)", (GoalValue("x", 1.0),), 0.35, "inside")
    logged(log_address, replace(record, target=target))
    app = press(opened("decisions"), "Open on the operating point")
    assert app.selectbox(key="goal").value == "slider"
    assert state(app).point.goals.percent == 35.0
    assert "is unknown to this version" in said(app.caption)
    assert not [caption for caption in app.caption if "![](" in caption.value]


def test_goal_value_out_of_range_is_the_default(log_address):
    record = sample_decision(rule="any")
    target = RecordedTarget(
        "costs", (GoalValue("cost of a review", 1e300), GoalValue("value of a catch", 25.0)), 0.35, "inside"
    )
    logged(log_address, replace(record, target=target))
    app = press(opened("decisions"), "Open on the operating point")
    assert typed_scenarios(app)["goal_review"][0] == 5.0


@pytest.mark.parametrize("goal", ["costs", "a cap on alerts"])
def test_only_goals_beside_the_path_reopen_on_other_data(log_address, goal):
    record = file_decision(as_csv(rated_frame(3)), rule="any")
    goal_values = {
        "costs": (GoalValue("cost of a review", 2.0), GoalValue("value of a catch", 5.0)),
        "a cap on alerts": (GoalValue("alerts per day", 20.0), GoalValue("days in the data", 5.0)),
    }
    target = RecordedTarget(goal, goal_values[goal], 0.4 if goal == "costs" else 0.35, "inside")
    logged(log_address, replace(record, target=target))
    app = opened("rated_data")
    run(app.file_uploader(key="upload").set_value(("july.csv", as_csv(rated_frame(4)), "text/csv")))
    run(app.switch_page("pages/decisions.py"))
    press(app, "Open with this data")
    if goal == "costs":
        assert app.selectbox(key="goal").value == "costs"
        assert state(app).point.goals.percent == pytest.approx(40.0)
    else:
        assert app.selectbox(key="goal").value == "slider"
        assert state(app).point.goals.percent == 35.0
        assert "belongs to other data" in said(app.caption)


def test_a_decision_finds_its_file_while_it_is_kept(log_address, stored_files):
    app = loading.upload(opened("rated_data"), loading.csv_of(loading.rated_frame()), "june.csv")
    loading.go_to_operating_point(loading.say_no_other_alerts(app))
    record = saved_record(app)
    other = opened("decisions")
    assert "is kept on this server" in said(other.info)
    press(other, "Load its data")
    assert state(other).rated.picked == "june.csv"
    press(other, "Open on the operating point")
    assert shown_thresholds(other) == list(record.thresholds)
    shutil.rmtree(stored_files)
    assert "is not loaded in this session" in said(opened("decisions").info)


def test_a_file_reopens_with_the_columns_of_the_decision(log_address):
    data = as_csv(rated_frame())
    frame = pd.read_csv(io.BytesIO(data))
    guessed = RatedDocuments.from_frame(frame, ["card", "device"], "verdict", "fraud").floors
    floors = tuple((guessed + 0.01).round(3).tolist())
    record = file_decision(data, floors=floors)
    logged(log_address, record)

    app = opened("decisions")
    assert "is not loaded in this session" in said(app.info)
    assert not [button for button in app.button if button.label.startswith("Open")]
    run(app.switch_page("pages/rated_data.py"))
    # Loaded under another name, and with floors of its own.
    run(app.file_uploader(key="upload").set_value(("copy.csv", data, "text/csv")))
    run(app.switch_page("pages/decisions.py"))
    assert "'copy.csv', is loaded and the same" in said(app.caption)
    press(app, "Open on the operating point")
    assert app.selectbox(key="data").value == "copy.csv"
    assert shown_thresholds(app) == list(record.thresholds)
    run(app.switch_page("pages/rated_data.py"))
    assert [float(box.value) for box in app.text_input if "floor" in box.label] == list(floors)


def test_newer_data_show_expected_beside_observed(log_address):
    record = file_decision(as_csv(rated_frame(3)), rule="any")
    interval = RecordedInterval(0.02, 0.01, 0.03, 0.95)
    record = replace(record, expected=replace(record.expected, precision_interval=interval))
    logged(log_address, record)
    newer = rated_frame(4)
    app = opened("rated_data")
    run(app.file_uploader(key="upload").set_value(("july.csv", as_csv(newer), "text/csv")))
    run(app.switch_page("pages/decisions.py"))
    assert "'june.csv' is not loaded" in said(app.info)
    assert app.selectbox(key="try_on_entry").value == "july.csv"
    shown = table(app, "New value").set_index("")
    caught = newer[(newer[["card", "device"]] >= list(record.thresholds)).any(axis=1)]
    tp = int((caught["verdict"] == "fraud").sum())
    # The files are of unlike size.
    rated_then = record.data.funnel.at_or_above_floor
    newer = newer[(newer[["card", "device"]] >= list(record.columns.floors)).any(axis=1)]
    assert "per 1,000 documents rated" in said(app.markdown)
    assert float(shown.loc["Caught (TP)", "New value"]) == pytest.approx(1_000 * tp / len(newer), rel=0.006)
    assert float(shown.loc["False alerts (FP)", "New value"]) == pytest.approx(
        1_000 * (len(caught) - tp) / len(newer), rel=0.006
    )
    assert float(shown.loc["Caught (TP)", "Old value"]) == pytest.approx(
        1_000 * record.expected.tp / rated_then, rel=0.006
    )
    assert shown.loc["Precision", "old, 95 %"].replace("\N{NO-BREAK SPACE}", " ") == "1.0 % to 3.0 %"
    low, high = (float(text.split()[0]) for text in shown.loc["Precision", "new, 95 %"].split("to"))
    assert low < 100 * tp / len(caught) < high
    assert f"new counts: {tp:,} among {len(caught):,} of {len(newer):,} rated" in said(app.caption)
    assert "risen by more than chance" in said([*app.success, *app.warning])
    press(app, "Open with this data")
    assert app.title[0].value == "Operating point"
    assert app.selectbox(key="data").value == "july.csv"
    assert state(app).point.reopened.same_data is False


def test_decision_with_rules_is_tried_on_newer_data(log_address):
    def month(seed):
        frame, draw = rated_frame(seed), np.random.default_rng(seed)
        hit = draw.random(len(frame)) < np.where(frame["verdict"] == "fraud", 0.5, 0.05)
        return frame.assign(reason=np.where(hit, "velocity; geo", "geo"))

    columns = ColumnMeanings(
        scores=("card", "device"), alert_rules=("reason has velocity",), rating="verdict", floor_method="corner",
        meanings=(("fraud", "positive"), ("ok", "negative")),
    )  # fmt: skip
    dataset = RatedDataset.from_frame(month(3), columns, name="june.csv")
    point = operating_point(smooth_path(dataset.documents), 0.3)
    record = record_of(point, dataset, RecordedSettings("any", "smooth", "positives", 100))
    logged(log_address, record)
    newer = month(4)
    app = opened("rated_data")
    run(app.file_uploader(key="upload").set_value(("july.csv", as_csv(newer), "text/csv")))
    run(app.switch_page("pages/decisions.py"))
    assert not app.exception
    assert app.selectbox(key="try_on_entry").value == "july.csv"
    flagged = record.flags(newer)
    caught = int((newer["verdict"][flagged] == "fraud").sum())
    assert f"new counts: {caught:,} among {flagged.sum():,} of" in said(app.caption)


def test_file_of_the_same_name_is_not_taken_for_the_data(log_address):
    logged(log_address, file_decision(as_csv(rated_frame(3))))
    app = opened("rated_data")
    run(app.file_uploader(key="upload").set_value(("june.csv", as_csv(rated_frame(4)), "text/csv")))
    run(app.switch_page("pages/decisions.py"))
    assert "is loaded, but it is not the data of this decision" in said(app.warning)
    assert "Caught (TP)" in set(table(app, "New value")[""])


def test_a_table_of_counts_reopens(log_address):
    source = sample("Count table")
    frame = source.frame
    columns = RecordedColumns(("T1", "T2"), (float(frame["T1"].min()), float(frame["T2"].min())))
    record = replace(
        make_record(("T1", "T2")),
        data=RecordedData("Count table", data_fingerprint(source.fingerprint, columns)),
        columns=columns,
        settings=RecordedSettings("any", "graph", "uniform", 0),
        current=None,
    )
    logged(log_address, record)
    app = press(opened("decisions"), "Open on the operating point")
    assert app.selectbox(key="data").value == "Count table"
    assert app.selectbox(key="method").value == "graph"


# Making a decision

SCREEN = """
import streamlit as st
from multiloss_core import operating_point
from ui.operating_point.active_goal import GOALS
from ui.operating_point.analysis import analyse
from ui.operating_point.path_tasks import Settings
from ui.operating_point.current_thresholds import keep_current
from dataclasses import replace
from tests.pages.steps import context_of
from ui.operating_point.sections import save_decision
from ui.decisions.reopening_panel import show_reopened
from ui.data.rated import dataset_of
from ui.data.rated import sample
name, percent = st.session_state.get("name", "Login alerts"), st.session_state.get("percent", 20.0)
analysis = analyse(dataset_of(sample(name)), Settings("any", "positives", 24))
point = operating_point(analysis.path("smooth"), percent / 100)
show_reopened(analysis, point)
current = st.session_state.get("current", [None] * len(point.names))
keep_current(analysis.dataset.key, "any", list(current), "the test")
save_decision.show_decision(context_of(analysis, point))
"""


@pytest.fixture
def screen(monkeypatch):
    """The part of the operating point where decisions are made, by itself."""
    monkeypatch.setattr(st, "page_link", lambda *_, **__: None)
    app = AppTest.from_string(SCREEN, default_timeout=180)
    return run(app)


def test_a_decision_is_saved_with_author_and_reason(screen, log_address):
    screen.text_input(key="decision_author").set_value(" A. Nalyst ")
    screen.text_area(key="decision_reason").set_value("Two people less in June.")
    decide(screen)
    assert "number 1" in said(screen.success)
    with DecisionLog(log_address) as log:
        (entry,) = log.entries()
    expected = sample_decision("Login alerts", percent=20.0, rule="any", spacing="positives", resolution=24)
    same = replace(entry.record, record_id=expected.record_id, created=expected.created, reason=expected.reason)
    assert replace(same, evidence=None) == expected
    assert entry.record.reason == "Two people less in June."
    assert screen.code[0].value == sql_where(entry.record)
    # The same again is the same decision.
    decide(screen)
    with DecisionLog(log_address) as log:
        assert log.entries() == (entry,)


def test_the_files_belong_to_the_point_that_is_shown(screen):
    decide(screen, "Files only")
    assert "Not saved in the log" in said(screen.info)
    labels = [button.label for button in screen.get("download_button")]
    thresholds = ["Thresholds (JSON)", "Thresholds (CSV)", "SQL", "dbt", "Spark", "Python"]
    assert labels == ["Record (JSON)", *thresholds, "Summary (Markdown)", "Report (HTML)"]
    screen.session_state["percent"] = 60.0
    run(screen)
    assert not screen.get("download_button")
    screen.session_state["percent"] = 20.0
    run(screen)
    assert len(screen.get("download_button")) == len(labels)


@pytest.mark.parametrize(("author", "reason", "words"), [("", "Because.", "Say who decides"), ("Ada", " ", "Say why")])
def test_decision_needs_a_name_and_a_reason(screen, log_address, author, reason, words):
    screen.text_input(key="decision_author").set_value(author)
    screen.text_area(key="decision_reason").set_value(reason)
    for button in ("Save to the log", "Files only"):
        press(screen, button)
        assert words in said(screen.error)
        assert not screen.get("download_button")
        assert (screen.text_input(key="decision_author").value, screen.text_area(key="decision_reason").value) == (
            author,
            reason,
        )
    with DecisionLog(log_address) as log:
        assert log.entries() == ()


def test_a_decision_takes_along_what_else_was_known(screen, log_address):
    screen.session_state["name"] = "Card alerts"
    screen.session_state["current"] = np.array([0.8, 0.8])
    decide(run(screen))
    with DecisionLog(log_address) as log:
        record = log.entries()[0].record
    source, evidence = sample("Card alerts"), record.evidence
    choice, frame = source.first_choice, source.frame
    assert (evidence.amount, evidence.time, evidence.segment) == (choice.amount, choice.time, choice.segment)
    flags = (frame[list(choice.scores)] >= list(record.thresholds)).any(axis=1) & frame[choice.rating].notna()
    assert evidence.other_unit.tp + evidence.other_unit.fp == pytest.approx(frame.loc[flags, choice.amount].sum())
    assert sum(week.tp for week in evidence.weeks) == record.expected.tp
    assert sum(segment.fp for segment in evidence.segments) == record.expected.fp
    low, high = evidence.chance.tp
    assert low < record.expected.tp < high
    difference = evidence.added.tp - evidence.dropped.tp
    assert difference == record.expected.tp - record.current.tp


def test_current_thresholds_are_recorded_with_their_counts(screen, log_address):
    screen.session_state["current"] = np.array([0.75])
    decide(run(screen))
    with DecisionLog(log_address) as log:
        current = log.entries()[0].record.current
    frame = sample("Login alerts").frame
    caught = frame[frame["rating"].notna() & (frame["login model"] >= 0.75)]
    assert current.thresholds == (0.75,)
    assert (current.tp, current.fp) == ((caught["rating"] == "fraud").sum(), (caught["rating"] == "ok").sum())


def test_screen_names_the_reopened_decision(screen):
    from ui.shared.session import Reopened

    record = sample_decision("Login alerts", percent=20.0, rule="any", spacing="positives", resolution=24)
    state(screen).point.reopened = Reopened(record, "Login alerts", True)
    assert "Data and thresholds are the same" in said(run(screen).success)
    screen.session_state["percent"] = 70.0
    assert f"its thresholds are login model ≥ {record.thresholds[0]}" in said(run(screen).info)
    state(screen).point.reopened = Reopened(record, "Login alerts", False)
    assert "data differs" in said(run(screen).warning)
    press(screen, "Close")
    assert state(screen).point.reopened is None


# Without a log


@pytest.fixture
def no_log(monkeypatch, tmp_path):
    (tmp_path / "notes.txt").write_text("This is not a database, however long it is. " * 100)
    address = f"sqlite:///{tmp_path / 'notes.txt'}"
    monkeypatch.setenv(ADDRESS, address)
    return tmp_path / "notes.txt"


def test_unusable_log_is_one_sentence_and_files_work(no_log, screen):
    decide(screen)
    assert "Not saved in the log" in said(screen.error)
    assert len(screen.get("download_button")) == 9

    app = opened("decisions")
    assert len(app.error) == 1
    assert "cannot be used" in said(app.error)
    give(app, make_record().to_json())
    assert len(report_opened(app, "uploaded").get("download_button")) == 9
    press(app, "Add to the log")
    assert "cannot be used" in said(app.error)
    no_log.unlink()
    press(app, "Close")
    press(app, "Try again")
    assert not app.error
    assert "no decisions yet" in said(app.info)


def test_error_of_unreachable_log_hides_the_password(monkeypatch):
    monkeypatch.setenv(ADDRESS, "postgresql+psycopg://user:secret@127.0.0.1:1/log")
    app = opened("decisions")
    assert "The decision log cannot be used" in said(app.error)
    assert "secret" not in said(app.error)


def test_without_an_address_the_log_is_a_file_of_this_user(monkeypatch, tmp_path):
    monkeypatch.delenv(ADDRESS)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "données #1 %20?"))
    file = tmp_path / "données #1 %20?" / "multiloss" / "decisions.db"
    with DecisionLog(log_address()) as log:
        assert log.place == str(file)
    assert file.is_file()
    assert opened("decisions").title[0].value == "Decisions"


def test_present_thresholds_stay_when_reopened(log_address):
    app = opened("operating_point", data="Card alerts", m="20", now="0.766,0.766", stay="true")
    record = saved_record(app)
    app = opened("operating_point", data="Card alerts", m="50")
    run(app.switch_page("pages/decisions.py"))
    press(app, "Open on the operating point")
    assert app.checkbox(key="stay").value
    assert shown_thresholds(app) == pytest.approx(list(record.thresholds))


def test_new_scores_replace_those_of_a_decision(log_address):
    frame = rated_frame(3)
    record = file_decision(as_csv(frame), rule="any")
    logged(log_address, record)
    generator = np.random.default_rng(0)
    frame["card v2"] = 10 * frame["card"] + generator.normal(size=len(frame))
    app = opened("rated_data")
    run(app.file_uploader(key="upload").set_value(("both.csv", as_csv(frame), "text/csv")))
    run(app.switch_page("pages/decisions.py"))
    app.session_state["change_entry"] = True
    run(app)
    frame = pd.read_csv(io.BytesIO(as_csv(frame)))
    change = model_change(record, frame, {"card": "card v2"})
    assert change.words.replace("\N{NO-BREAK SPACE}", " ") in said(app.markdown)
    press(app, "Make it a decision")
    assert app.title[0].value == "Operating point"
    assert shown_thresholds(app) == pytest.approx([*change.thresholds])
