"""Test decisions with thresholds per segment and alert rules on the pages, against pandas."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from decision_log import DecisionLog
from multiloss_core.decisions import (
    ExpectedCounts,
    RecordedColumns,
    RecordedSegments,
    SegmentThresholds,
)
from tests.decisions.samples import as_csv, file_decision, rated_frame, sample_decision
from tests.decisions.test_alert_rules import record_of as record_with_rules
from tests.pages.steps import number, opened, press, run, state

SCORES = ["card", "device"]
OWN = {"web": (0.85, 0.9), "app": (0.85, 0.9), "=1+1": (None, 0.7)}


def frame_of(seed):
    frame = rated_frame(seed)
    values = ["web", "app", "=1+1", "post", None]
    return frame.assign(channel=np.random.default_rng(seed).choice(np.array(values, dtype=object), len(frame)))


def flags_of(frame, record, column="channel"):
    """Flag each row by a loop."""
    found = []
    for value, *scores in frame[[column, *SCORES]].itertuples(index=False):
        limits = OWN.get(value, record.thresholds)
        found.append(any(limit is not None and score >= limit for score, limit in zip(scores, limits, strict=True)))
    return pd.Series(found, index=frame.index)


def counts_of(frame, record, flags, part=True):
    rated = (frame[SCORES] >= list(record.columns.floors)).any(axis=1)
    caught = frame["verdict"][flags & rated & part]
    return float((caught == "fraud").sum()), float((caught == "ok").sum())


def decided(frame, name="june.csv"):
    """A decision on a file, with its counts at the thresholds of each segment."""
    record = file_decision(as_csv(frame), name, rule="any")
    flags, own = flags_of(frame, record), []
    for values in (("web", "app"), ("=1+1",)):
        counts = counts_of(frame, record, flags, frame["channel"].isin(values))
        own.append(SegmentThresholds(values, OWN[values[0]], *counts))
    expected = ExpectedCounts.of(*counts_of(frame, record, flags))
    return replace(record, segments=RecordedSegments("channel", own), expected=expected)


@pytest.fixture(scope="module")
def june():
    return frame_of(3)


@pytest.fixture(scope="module")
def record(june):
    return decided(june)


def logged(address, *records):
    with DecisionLog(address) as log:
        return [log.add(record) for record in records]


def deployed(address, record):
    (made,) = logged(address, record)
    with DecisionLog(address) as log:
        log.mark_deployed(made, "Ann")
    return made


def table(app, column):
    return next(element.value for element in app.dataframe if column in element.value)


def plain(elements):
    return " ".join(element.value for element in elements).replace("\\", "").replace("\N{WORD JOINER}", "")


def with_file(name, frame):
    app = opened("rated_data")
    run(app.file_uploader(key="upload").set_value((name, as_csv(frame), "text/csv")))
    return run(app.switch_page("pages/decisions.py"))


def test_log_lists_the_thresholds_of_each_segment(log_address, record, june):
    logged(log_address, record)
    app = opened("decisions")
    assert "3 values of 'channel'" in table(app, "Deployed")["Thresholds"][0]
    shown, flags = table(app, "Values"), flags_of(june, record)
    assert list(shown["Values"]) == ["web, app", "'=1+1", "All others"]
    assert shown["Thresholds"][0] == "card ≥ 0.85, device ≥ 0.9"
    assert shown["Thresholds"][1] == "card never, device ≥ 0.7"
    others = ~june["channel"].isin([*OWN])
    for row, part in enumerate((june["channel"].isin(["web", "app"]), june["channel"] == "=1+1", others)):
        tp, fp = counts_of(june, record, flags, part)
        assert (shown["TP"][row], shown["FP"][row]) == (tp, fp)
        assert shown["Precision"][row] == pytest.approx(100 * tp / (tp + fp))


def test_comparison_names_differences_of_segments(log_address, record):
    web, odd = record.segments.own
    other = replace(
        record,
        record_id="00000000-0000-4000-8000-000000000001",
        segments=replace(record.segments, own=(replace(web, values=("web",)), replace(odd, thresholds=(None, 0.8)))),
    )
    logged(log_address, other, record)
    app = opened("decisions")
    run(app.selectbox(key="compared_with").select_index(1))
    shown = table(app, "The other").set_index("")
    rows = {name: list(shown.loc[name]) for name in shown.index if "'channel'" in name}
    same, only, changed = (next(row for name, row in rows.items() if name.endswith(value)) for value in OWN)
    assert same[0] == same[1] == "card ≥ 0.85, device ≥ 0.9"
    assert same[2] == ""
    assert only[0] == same[0] != only[1]
    assert changed[:2] == ["card never, device ≥ 0.7", "card never, device ≥ 0.8"]
    assert only[2] == changed[2] != ""
    assert "Common threshold of card" in shown.index


def test_counts_on_other_data_follow_the_segments(log_address, record):
    logged(log_address, record)
    july = frame_of(4)
    app = with_file("july.csv", july)
    shown, flags = table(app, "New value").set_index(""), flags_of(july, record)
    tp, fp = counts_of(july, record, flags)
    common = (july[SCORES] >= list(record.thresholds)).any(axis=1)
    assert (tp, fp) != counts_of(july, record, common)
    rated = (july[SCORES] >= list(record.columns.floors)).any(axis=1).sum()
    for name, count in (("Caught (TP)", tp), ("False alerts (FP)", fp)):
        assert number(shown.loc[name, "New value"]) == pytest.approx(1_000 * count / rated, rel=0.006)
    low, high = (float(text.split()[0]) for text in shown.loc["Precision", "new, 95 %"].split("to"))
    assert low < 100 * tp / (tp + fp) < high
    assert f"{tp:,.0f} among {tp + fp:,.0f}" in plain(app.caption)
    (note,) = [caption.value for caption in app.caption if "post" in caption.value]
    assert "web" not in note


def test_counts_on_the_same_rows_are_the_expected_ones(log_address, record, june):
    logged(log_address, record)
    app = with_file("again.csv", june.assign(more=1))
    shown = table(app, "New value").set_index("")
    assert list(shown["New value"]) == list(shown["Old value"])


def test_missing_segment_column_is_one_error(log_address, record):
    logged(log_address, record)
    app = with_file("july.csv", frame_of(4).drop(columns="channel"))
    (error,) = app.error
    assert "'channel'" in plain([error])
    assert not [element for element in app.dataframe if "New value" in element.value]


def test_table_of_counts_is_one_error(log_address, record):
    columns = RecordedColumns(("T1", "T2"), (0.0, 0.0), "verdict", "fraud")
    made = replace(record, columns=columns, data=replace(record.data, name="Count table"))
    logged(log_address, made)
    (error,) = opened("decisions").error
    assert "'channel'" in plain([error])


def test_reopening_asks_for_thresholds_of_segments(log_address, record, june):
    without = replace(record, segments=None, record_id="00000000-0000-4000-8000-000000000002")
    made, plain_one = logged(log_address, record, without)
    app = with_file("june.csv", june)
    run(app.selectbox(key="decision").select(str(made)))
    press(app, "Open on the operating point")
    point = state(app).point
    assert [(choice.column, choice.own) for choice in point.segment_choices.values()] == [("channel", True)]
    assert point.goals.percent == 35.0
    # The screen shows them in as few digits as the data need.
    assert point.goals.shown.point.thresholds == pytest.approx(list(record.thresholds), rel=1e-3)
    tp, fp = record.expected.tp, record.expected.fp
    assert f"3 values of 'channel', it had {tp:,.0f} TP and {fp:,.0f} FP" in plain(app.success)

    run(app.switch_page("pages/decisions.py"))
    run(app.selectbox(key="decision").select(str(plain_one)))
    press(app, "Open on the operating point")
    assert not state(app).point.segment_choices
    assert "'channel'" not in plain(app.success)


def with_segments(record):
    own = SegmentThresholds(("PL",), tuple(0.99 for _ in record.thresholds), 1.0, 1.0)
    return replace(record, segments=RecordedSegments("country", [own]))


def test_deployed_segments_are_offered_and_not_adopted(log_address):
    record = with_segments(sample_decision("Login alerts", rule="any"))
    made = deployed(log_address, record)
    app = opened("operating_point", data="Login alerts")
    app.session_state["compare"] = True
    run(app)
    assert app.text_input(key="current_0").value == ""
    assert "now" not in app.query_params
    assert "1 value of 'country'" in app.button(key="use_production").label.replace("\\", "")
    run(app.button(key="use_production").click())
    assert app.text_input(key="current_0").value == f"{record.thresholds[0]:.10g}"
    (kept,) = state(app).point.compared.values()
    assert kept.origin == f"the common thresholds of decision {made} of the log"


def test_sheet_offers_common_thresholds_of_deployed_segments(log_address):
    record = with_segments(sample_decision("Login alerts", rule="any"))
    deployed(log_address, record)
    app = opened("decision_sheet", data="Login alerts")
    assert app.text_input(key="in_force_0").value == ""
    run(app.button(key="use_production").click())
    assert app.text_input(key="in_force_0").value == f"{record.thresholds[0]:.10g}"
    assert "use_production" not in {button.key for button in app.button}


def test_data_page_names_segments_of_deployed_decision(log_address):
    deployed(log_address, with_segments(sample_decision("Login alerts", rule="any")))
    (line,) = [line for line in opened("rated_data", data="Login alerts").markdown if "**Deployed:**" in line.value]
    assert "other thresholds for 1 value of 'country'" in plain([line])


def test_log_writes_alert_rules_as_on_or_off(log_address):
    record = record_with_rules()
    off = replace(record, thresholds=(0.9, None, *record.thresholds[2:]))
    logged(log_address, replace(off, record_id="00000000-0000-4000-8000-000000000003"), record)
    app = opened("decisions")
    words = table(app, "Deployed")["Thresholds"]
    assert words[0].startswith("card ≥ 0.9, 6 rules on, spare rule off")
    assert words[1].startswith("card ≥ 0.9, 5 rules on, 3 rules off")
    run(app.selectbox(key="compared_with").select_index(1))
    shown = table(app, "The other").set_index("")
    assert list(shown.loc["Rule velocity"]) == ["on", "off", ""]
    assert list(shown.loc["Rule hit"]) == ["on", "on", ""]
