"""Test a score whose low values are suspicious: every file has the column's own scale."""

import json
import re

import duckdb
import numpy as np
import pytest

from multiloss_core import DataError, DecisionRecord, RatedDocuments, operating_point, smooth_path
from multiloss_core.decisions import (
    CurrentThresholds,
    RecordedColumns,
    dbt_model,
    python_function,
    spark_expression,
    sql_where,
    thresholds_csv,
    thresholds_json,
)
from multiloss_core.thresholds import point_as_csv, point_as_json, read_thresholds
from tests.decisions.samples import decision, rated_frame

NAMES = ("card", "minus trust")


@pytest.fixture(scope="module")
def frame():
    frame = rated_frame()
    return frame.assign(trust=1000 - 1000 * frame.pop("device"))


@pytest.fixture(scope="module")
def documents(frame):
    return RatedDocuments.from_frame(frame, NAMES, "verdict", "fraud")


@pytest.fixture(scope="module")
def record(frame, documents):
    columns = RecordedColumns(NAMES, tuple(documents.floors.tolist()), "verdict", "fraud")
    made = decision(frame, columns, "trust.csv", "0" * 64, rule="any")
    content = json.loads(made.to_json()) | {"current": {"thresholds": [None, 250.0], "tp": 3.0, "fp": 4.0}}
    return DecisionRecord.from_json(json.dumps(content))


def test_record_holds_the_scale_of_the_column(record, documents):
    content = json.loads(record.to_json())
    assert content["columns"]["scores"] == ["card", "trust"]
    assert content["columns"]["inverted"] == ["trust"]
    assert content["columns"]["floors"][1] == -documents.floors[1] > 0
    assert 0 < content["thresholds"][1] <= content["columns"]["floors"][1]
    assert content["current"]["thresholds"] == [None, 250.0]
    assert record.current == CurrentThresholds((None, -250.0), 3.0, 4.0)
    assert DecisionRecord.from_json(record.to_json()) == record


@pytest.mark.parametrize("inverted", [["card", "device"], "trust", [1], None])
def test_record_with_other_inverted_scores_is_refused(record, inverted):
    content = json.loads(record.to_json())
    content["columns"]["inverted"] = inverted
    with pytest.raises(DataError, match="inverted"):
        DecisionRecord.from_json(json.dumps(content))


def test_queries_select_what_the_record_flags(record, frame):
    flags = record.flags(frame)
    alerts = frame.assign(number=np.arange(len(frame)))  # noqa: F841
    assert "minus" not in sql_where(record)
    found = duckdb.sql(f"SELECT number FROM alerts {sql_where(record)}").fetchnumpy()["number"]
    assert sorted(found) == np.flatnonzero(flags).tolist()
    assert f"END <= {-record.thresholds[1]:.10g}" in dbt_model(record)
    assert re.search(r"CAST\(`trust` AS DOUBLE\) ELSE \S+ END <= ", spark_expression(record))
    module = {}
    exec(python_function(record), module)
    rows = frame.to_dict("records")
    assert [module["flag"](row) for row in rows] == flags.tolist()
    assert not module["flag"]({"trust": None, "card": float("nan")})


@pytest.mark.parametrize("write", [thresholds_csv, thresholds_json, DecisionRecord.to_json])
def test_exported_thresholds_are_read_back(record, write):
    text = write(record)
    assert "minus" not in text
    found = read_thresholds(text.encode(), "thresholds", NAMES, "any")
    np.testing.assert_array_equal(found, record.threshold_array)
    with pytest.raises(DataError, match="trust"):
        read_thresholds(text.encode(), "thresholds", ("card", "trust"), "any")


@pytest.mark.parametrize("write", [point_as_csv, point_as_json])
def test_never_of_an_inverted_score_is_read_back(documents, write):
    point = operating_point(smooth_path(documents), 0.999999)
    assert np.isinf(point.thresholds).all()
    np.testing.assert_array_equal(read_thresholds(write(point).encode(), "t", NAMES, "any"), point.thresholds)


def test_real_column_named_like_an_inverted_score_is_refused(frame):
    named = frame.rename(columns={"card": "minus trust"})
    with pytest.raises(DataError, match="minus trust"):
        RatedDocuments.from_frame(named, ["minus trust"], "verdict", "fraud")
