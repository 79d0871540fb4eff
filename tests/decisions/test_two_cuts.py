"""Decisions with two cuts: read back, exported with both, and older ones as they were."""

import json
import sqlite3
from dataclasses import replace

import duckdb
import numpy as np
import pandas as pd
import pytest

from multiloss_core import DataError, DecisionRecord
from multiloss_core.decisions import (
    GoalValue,
    RecordedBlock,
    RecordedTarget,
    dbt_model,
    python_function,
    record_files,
    spark_action,
    sql_action,
    sql_where,
    thresholds_csv,
    thresholds_json,
)
from multiloss_core.thresholds import read_thresholds
from tests.decisions.records import make_record

SCORES = ("card", "device")
UPPER = RecordedTarget("precision", (GoalValue("precision in percent", 90.0),))


def with_block(record, thresholds, tp=1.0, fp=0.0):
    return replace(record, block=RecordedBlock(thresholds, tp, fp, UPPER, 40.0))


@pytest.fixture(params=["any", "all"])
def record(request):
    made = make_record(SCORES)
    return replace(made, settings=replace(made.settings, rule=request.param), thresholds=(0.5, 0.25))


@pytest.fixture
def frame():
    values = [0.1, 0.25, 0.5, 0.75, 0.8, 1.0, np.nan]
    return pd.DataFrame([(a, b) for a in values for b in values], columns=list(SCORES))


def by_pandas(record, frame):
    """Compute the action for each row without the library."""

    def reached(thresholds):
        each = [
            frame[name] >= (np.inf if value is None else value) for name, value in zip(SCORES, thresholds, strict=True)
        ]
        return each[0] | each[1] if record.settings.rule == "any" else each[0] & each[1]

    return np.select(
        [reached(record.block.thresholds), reached(record.thresholds)], ["block", "review"], "pass"
    ).tolist()


@pytest.mark.parametrize("upper", [(0.8, 0.75), (0.5, 0.25), (None, 0.8), (None, None)])
def test_every_export_flags_the_rows_of_the_record(record, frame, upper):
    record = with_block(record, upper)
    expected = by_pandas(record, frame)
    assert record.actions(frame).tolist() == expected

    documents = frame
    assert duckdb.sql(f"SELECT {sql_action(record)} FROM documents").fetchall() == [(word,) for word in expected]
    with sqlite3.connect(":memory:") as lite:
        frame.to_sql("documents", lite, index=False)
        assert [row[0] for row in lite.execute(f"SELECT {sql_action(record)} FROM documents")] == expected
    model = dbt_model(record).replace("{{ ref('documents') }}", "documents")
    found = duckdb.sql(model).df()
    assert found["action"].tolist() == expected
    assert found["flagged"].tolist() == [word != "pass" for word in expected]
    space = {}
    exec(python_function(record), space)
    assert [space["action"](row) for row in documents.to_dict("records")] == expected
    # Each condition tests the cell for a blank, then compares it.
    assert spark_action(record).count("`card`") == 2 * sum(cut[0] is not None for cut in (upper, (0.5, 0.25))) or (
        record.settings.rule == "all"
    )


def test_json_and_csv_hold_both_cuts_and_are_read_as_before(record):
    made = with_block(record, (0.8, None))
    content = json.loads(thresholds_json(made))
    assert content["thresholds"] == {"card": 0.5, "device": 0.25}
    assert content["block_thresholds"] == {"card": 0.8, "device": None}
    table = pd.read_csv(pd.io.common.StringIO(thresholds_csv(made)))
    assert table["block_threshold"].tolist() == [0.8, np.inf]
    for text, name in ((thresholds_json(made), "a.json"), (thresholds_csv(made), "a.csv"), (made.to_json(), "r.json")):
        assert read_thresholds(text.encode(), name, SCORES, record.settings.rule).tolist() == [0.5, 0.25]
    assert sql_where(made) == sql_where(record)
    names = {file.label for file in record_files(made)} - {file.label for file in record_files(record)}
    assert names == {"SQL, both cuts", "Spark, both cuts"}


def test_block_reads_back_and_is_null_for_one_cut(record):
    made = with_block(record, (0.8, None))
    assert DecisionRecord.from_json(made.to_json()) == made
    content = json.loads(record.to_json())
    assert content["block"] is None
    assert DecisionRecord.from_json(json.dumps(content)).block is None
    frame = pd.DataFrame({"card": [0.9, 0.1], "device": [0.9, 0.1]})
    assert record.actions(frame).tolist() == ["review", "pass"]
    assert "action" not in dbt_model(record)
    assert "action" not in python_function(record)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"thresholds": (0.4, 0.9)}, "should not be below"),
        ({"thresholds": (0.9,)}, "one for each score"),
        ({"tp": 1e9}, "block.tp should be at most expected.tp"),
        ({"fp": 1e9}, "block.fp should be at most expected.fp"),
    ],
)
def test_cuts_that_contradict_each_other_are_refused(record, change, words):
    block = with_block(record, (0.8, 0.75)).block
    with pytest.raises(DataError, match=words):
        replace(record, block=replace(block, **change))
