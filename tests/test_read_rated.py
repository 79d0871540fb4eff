"""Read rated documents in one call: from files, bytes and tables of other libraries."""

import datetime
import gzip

import duckdb
import numpy as np
import pandas as pd
import pyarrow as arrow
import pytest

import multiloss_core as library
from multiloss_core import DataError, DecisionRecord, RatedDocuments, read_rated
from multiloss_core.datasets import RATED_SAMPLES

SAMPLE = "Card alerts"


@pytest.fixture(scope="module")
def frame():
    return RATED_SAMPLES[SAMPLE](SAMPLE).frame


def forms(frame, folder):
    """The same table in each form that can be read."""
    frame.to_parquet(folder / "alerts.parquet")
    frame.to_csv(folder / "alerts.csv", index=False)
    yield frame
    yield folder / "alerts.parquet"
    yield str(folder / "alerts.csv")
    yield gzip.compress((folder / "alerts.csv").read_bytes())
    yield arrow.Table.from_pandas(frame, preserve_index=False)
    yield duckdb.connect().from_parquet(str(folder / "alerts.parquet"))


def test_all_forms_give_the_same_documents(frame, tmp_path):
    first, *others = (read_rated(form) for form in forms(frame, tmp_path))
    for other in others:
        assert other.documents.scores.tolist() == first.documents.scores.tolist()
        assert other.documents.labels.tolist() == first.documents.labels.tolist()
        assert other.columns == first.columns
        assert other.days == first.days == 70


def test_a_nightly_job_is_eight_lines(frame, tmp_path):
    frame.to_parquet(tmp_path / "alerts.parquet")
    data = library.read_rated(tmp_path / "alerts.parquet")
    path = library.smooth_path(data.documents)
    point = library.thresholds.targets.point_for_alerts(path, data.documents, 10 * data.days)
    record = library.decisions.record_of(point, data)
    (tmp_path / "decision.json").write_text(record.to_json())
    (tmp_path / "decision.sql").write_text(library.decisions.sql_where(record))
    assert DecisionRecord.from_json((tmp_path / "decision.json").read_bytes()) == record
    assert record.flags(arrow.Table.from_pandas(frame)).tolist() == record.flags(frame).tolist()
    found = duckdb.sql(f"SELECT count(*) FROM frame {library.decisions.sql_where(record)}").fetchall()
    assert found == [(int(record.flags(frame).sum()),)]
    assert (record.settings.rule, record.settings.method) == ("any", "smooth")


def test_given_meanings_replace_guessed_ones():
    table = pd.DataFrame({"a": [0.9, 0.8, 0.7], "b": [0.1, 0.9, 0.5], "state": ["x", "y", "x"]})
    data = read_rated(table, scores=["a"], rating="state", meanings={"x": "positive", "y": "negative"}, floors=[0.6])
    assert data.documents.names == ("a",)
    assert data.documents.labels.tolist() == [True, False, True]


@pytest.mark.parametrize(
    ("source", "columns", "words"),
    [
        (pd.DataFrame({"a": [0.9, 0.8], "state": ["x", "y"]}), {}, "rating"),
        (
            pd.DataFrame({"model": [0.9, 0.8], "state": ["x", "y"]}),
            {"rating": "state", "scores": ["model"]},
            "means is",
        ),
        (pd.DataFrame({"model": [0.9, 0.8], "verdict": ["fraud", "ok"]}), {"score": ("a",)}, "no meaning of columns"),
        (pd.DataFrame({"model": [0.9, 0.8], "verdict": ["fraud", "ok"]}), {"scores": ("b",)}, "no column 'b'"),
        ({"model": [0.9]}, {}, "not a value of the type dict"),
        (np.ones((2, 2)), {}, "ndarray"),
        (b"", {}, "empty"),
    ],
)
def test_wrong_input_is_one_sentence(source, columns, words):
    with pytest.raises(DataError, match=words):
        read_rated(source, **columns)


def test_documents_of_an_arrow_table():
    table = arrow.table({"model": [0.9, 0.7, 0.6], "verdict": ["fraud", "ok", "fraud"]})
    documents = RatedDocuments.from_frame(table, ["model"], "verdict", floors=[0.5])
    assert documents.labels.tolist() == [True, False, True]


def test_packages_are_found_by_tab_completion():
    assert {"decisions", "thresholds", "losses", "tables"} <= set(dir(library))
    assert not {"decisions", "thresholds"} & set(library.__all__)


def test_notebooks_show_small_tables_without_markup_of_names():
    name = "<b>model</b>"
    table = pd.DataFrame({name: [0.9, 0.7, 0.6, 0.55], "verdict": ["fraud", "ok", "fraud", "ok"]})
    data = read_rated(table, scores=[name], floors=[0.5])
    path = library.smooth_path(data.documents)
    point = library.operating_point(path, 0.3)
    for shown in (data.documents, path, point, library.decisions.record_of(point, data)):
        html = shown._repr_html_()
        assert "&lt;b&gt;model" in html
        assert "<b>" not in html


@pytest.mark.parametrize("floors", [(0.5, None), {"model": 0.5}, {"model": np.float32(0.5), "device": None}])
def test_floors_are_given_by_place_or_by_name(floors):
    frame = pd.DataFrame({"model": [0.9, 0.7, 0.6, 0.5], "device": [3, 9, 5, 8], "rating": ["fraud", "ok", "ok", "ok"]})
    read = read_rated(frame, scores=["model", "device"], rating="rating", floors=floors, floor_method="corner")
    assert read.documents.floors[0] == 0.5


@pytest.mark.parametrize("floors", [{"modle": 0.5}, ("0.5",), {"model": "0.5"}, {"model": [0.5]}, {0: 0.5}, "a"])
def test_unusable_floors_are_one_sentence(floors):
    frame = pd.DataFrame({"model": [0.9, 0.7, 0.6], "rating": ["fraud", "ok", "ok"]})
    with pytest.raises(DataError, match="floor"):
        read_rated(frame, scores=["model"], rating="rating", floors=floors)


def test_one_name_needs_no_list():
    frame = pd.DataFrame({"model": [0.9, 0.7, 0.6], "rating": ["fraud", "ok", "ok"]})
    read = read_rated(frame, scores="model", rating="rating", floors=0.5, alert_rules=None)
    assert read.documents.names == ("model",)
    assert read.documents.floors.tolist() == [0.5]


@pytest.mark.parametrize(
    "given",
    [
        {"scores": 5}, {"scores": []}, {"rating": ["rating"]}, {"group": 3}, {"meanings": 5}, {"meanings": "fraud"},
        {"meanings": {"fraud": "yes"}},
        {"since": 5}, {"since": "x"}, {"complete_until": "2026-13-01"}, {"repeats": "last"},
        {"alert_rules": [3]}, {"combined": 3}, {"segment": [1]}, {"age_weights": "x"}, {"leave_out_unusable": "a"},
        {"earlier": "x"}, {"floors": object()},
    ],
)  # fmt: skip
def test_unusable_meanings_are_one_sentence(given):
    frame = pd.DataFrame({"model": [0.9, 0.7, 0.6], "rating": ["fraud", "ok", "ok"], "time": ["2026-01-05"] * 3})
    (field,) = given
    with pytest.raises(DataError, match=field.removesuffix("s")) as caught:
        read_rated(frame, **({"scores": ["model"], "rating": "rating", "floors": (0.5,)} | given))
    assert str(caught.value).count(". ") == 0


def test_days_are_dates_or_texts():
    times = pd.date_range("2026-01-05", periods=4)
    frame = pd.DataFrame({"model": [0.9, 0.7, 0.6, 0.8], "rating": ["ok", "ok", "fraud", "ok"], "time": times})
    for since in ("2026-01-06", pd.Timestamp("2026-01-06"), datetime.date(2026, 1, 6)):
        assert read_rated(frame, floors=0.5, since=since).documents.rows.tolist() == [1, 2, 3]
