"""A score whose low values are suspicious: positive numbers and the column's name in every file, and back again."""

import json

import duckdb
import numpy as np
import pandas as pd
import pytest

from multiloss_core import DataError, DecisionRecord, RatedDocuments, count_surfaces, operating_point, smooth_path
from multiloss_core.decisions import (
    CurrentThresholds,
    RecordedColumns,
    dbt_model,
    html_report,
    markdown_summary,
    python_function,
    spark_expression,
    sql_where,
    thresholds_csv,
    thresholds_json,
)
from multiloss_core.figures import count_surface, score_histogram, space_drawing, threshold_space
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
    assert f'"trust" <= {-record.thresholds[1]:.10g}' in dbt_model(record)
    assert "`trust` <=" in spark_expression(record)
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


def test_csv_compares_with_at_most(record):
    rows = pd.read_csv(pd.io.common.StringIO(thresholds_csv(record)))
    assert rows["classifier"].tolist() == ["card", "trust"]
    assert rows["comparison"].tolist() == [">=", "<="]
    assert rows["threshold"].tolist() == [record.thresholds[0], -record.thresholds[1]]


def test_reports_name_the_column_and_positive_numbers(record):
    for text in (markdown_summary(record), html_report(record)):
        assert "minus trust" not in text
        assert f"{-record.thresholds[1]:.10g}"[:6] in text
        assert f"{record.thresholds[1]:.10g}"[:6] not in text


@pytest.mark.slow
def test_charts_have_the_scale_of_the_column(documents):
    surfaces, path = count_surfaces(documents, resolution=30), smooth_path(documents)
    point = operating_point(path, 0.3)
    space = threshold_space(surfaces, [path], [point], chosen="smooth", theme="light")
    surface = count_surface(surfaces, [path], count="tp", theme="light")
    for axis in (space.layout.yaxis, surface.layout.scene.yaxis):
        low, high = axis.range
        # Loose thresholds come first, which are the high ones.
        assert low > high > -50
        assert "minus" not in axis.title.text
    (star,) = [trace for trace in space.data if trace.text is not None and "smooth" in trace.text]
    assert star.y[list(star.text).index("smooth")] == -point.thresholds[1]
    assert all((np.asarray(trace.y, dtype=float) >= 0).all() for trace in (*space.data, *surface.data))
    histogram = score_histogram(documents, 1, theme="light")
    assert min(min(bars.x) for bars in histogram.data) > 0
    assert f"{-documents.floors[1]:.6g}" in histogram.layout.annotations[0].text
    drawing = space_drawing(surfaces, path, point)
    assert "minus trust" not in drawing
    assert "nan" not in drawing


def test_real_column_named_like_an_inverted_score_is_refused(frame):
    named = frame.rename(columns={"card": "minus trust"})
    with pytest.raises(DataError, match="minus trust"):
        RatedDocuments.from_frame(named, ["minus trust"], "verdict", "fraud")
