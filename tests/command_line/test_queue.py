"""The queue lists undecided alerts in the order of P(fraud | scores)."""

import json
from io import StringIO

import numpy as np
import pandas as pd
import pytest

from multiloss_core import DataError, DecisionRecord, combined_score, operating_point, smooth_path
from multiloss_core.command_line.columns import columns_of_record
from multiloss_core.datasets import RatedDataset, queue_of
from multiloss_core.decisions import RecordedSettings, record_of, sql_where
from multiloss_core.tables import ColumnMeanings
from tests.combined.samples import rated
from tests.command_line.conftest import complaint, run

MEANINGS = (("fraud", "positive"), ("ok", "negative"))


@pytest.fixture(scope="module")
def frame():
    """Rated documents, of which every fifth is not decided yet, and some that reach no floor."""
    documents = rated(0, floor=1.5)
    rating = np.where(documents.labels, "fraud", "ok").astype(object)
    rating[::5] = None
    table = pd.DataFrame({"id": np.arange(len(rating)), "a": documents.scores[:, 0], "b": documents.scores[:, 1]})
    low = pd.DataFrame({"id": [-1, -2], "a": [0.0, np.nan], "b": [0.1, np.nan], "rating": [None, None]})
    return pd.concat([table.assign(rating=rating), low], ignore_index=True)


def decided(frame, *, combined):
    columns = ColumnMeanings(scores=("a", "b"), rating="rating", meanings=MEANINGS, floors=(1.5, 1.5))
    if combined:
        formula = combined_score(RatedDataset.from_frame(frame, columns).documents).formula
        columns = ColumnMeanings(
            scores=("a", "b"), rating="rating", meanings=MEANINGS, floors=(1.5, 1.5), combined=formula
        )
    dataset = RatedDataset.from_frame(frame, columns)
    point = operating_point(smooth_path(dataset.documents), 0.3)
    return record_of(point, dataset, RecordedSettings("any", "smooth", "positives", 100))


def test_the_list_is_the_same_as_json(frame, tmp_path):
    (tmp_path / "record.json").write_text(decided(frame, combined=False).to_json())
    frame.to_csv(tmp_path / "file.csv", index=False)
    command = ("queue", tmp_path / "file.csv", "--record", tmp_path / "record.json", "--take", "20")
    listed = pd.read_csv(StringIO(run(*command).stdout))
    found = pd.DataFrame(json.loads(run(*command, "--json", "-").stdout))
    pd.testing.assert_frame_equal(found.fillna(np.nan), listed, check_dtype=False)
    assert run(*command, "--output", tmp_path / "queue.csv", "--json", tmp_path / "queue.json").exit_code == 0
    assert json.loads((tmp_path / "queue.json").read_text()) == found.to_dict("records")
    assert (tmp_path / "queue.csv").read_text() == run(*command).stdout


@pytest.mark.parametrize("combined", [False, True])
def test_undecided_alerts_come_in_order_of_the_combined_score(frame, tmp_path, combined):
    record = decided(frame, combined=combined)
    (tmp_path / "record.json").write_text(record.to_json())
    frame.to_csv(tmp_path / "file.csv", index=False)
    result = run("queue", tmp_path / "file.csv", "--record", tmp_path / "record.json", "--take", "100")
    assert result.exit_code == 0, result.output
    found = pd.read_csv(StringIO(result.stdout))
    assert found["queue place"].tolist() == list(range(1, 101))
    assert found["rating"].isna().all()
    columns = ColumnMeanings(scores=("a", "b"), rating="rating", meanings=MEANINGS, floors=(1.5, 1.5))
    formula = combined_score(RatedDataset.from_frame(frame, columns).documents).formula
    scores = formula.apply(frame[["a", "b"]])
    waiting = frame["rating"].isna() & (scores > 0)
    best = frame.loc[waiting, "id"].to_numpy()[np.argsort(-scores[waiting], kind="stable")][:100]
    assert found["id"].tolist() == best.tolist()
    by_hand = (
        (formula.apply(found[["a", "b"]]) >= record.thresholds[0])
        if combined
        else (found[["a", "b"]] >= [np.inf if t is None else t for t in record.thresholds]).any(axis=1)
    )
    assert (found["queue flagged"] == "yes").tolist() == by_hand.tolist()
    assert by_hand.sum() > 0


def test_a_decision_with_a_combined_score_needs_no_ratings(frame, tmp_path):
    (tmp_path / "record.json").write_text(decided(frame, combined=True).to_json())
    frame.drop(columns="rating").to_csv(tmp_path / "new.csv", index=False)
    given = ("queue", tmp_path / "new.csv", "--record", tmp_path / "record.json")
    assert run(*given, "--output", tmp_path / "queue.csv").exit_code == 0
    found = pd.read_csv(tmp_path / "queue.csv")
    assert len(found) == len(frame) - 2
    (tmp_path / "plain.json").write_text(decided(frame, combined=False).to_json())
    result = run("queue", tmp_path / "new.csv", "--record", tmp_path / "plain.json")
    assert result.exit_code == 2
    assert "'rating'" in complaint(result)


def test_a_record_of_a_combined_score_flags_the_same_rows(frame):
    duckdb = pytest.importorskip("duckdb")
    record = decided(frame, combined=True)
    again = DecisionRecord.from_json(record.to_json())
    assert again == record
    flags = duckdb.from_df(frame).query("t", f"SELECT count(*) FROM t {sql_where(again)}").fetchall()[0][0]
    queue = queue_of(
        frame,
        ColumnMeanings(
            scores=("a", "b"), rating="rating", meanings=MEANINGS, floors=(1.5, 1.5), combined=record.columns.combined
        ),
        record.threshold_array,
        "any",
    )
    assert flags == record.expected.tp + record.expected.fp + queue.flagged.sum()
    module = {}
    from multiloss_core.decisions import python_function

    exec(python_function(again), module)
    assert sum(map(module["flag"], frame.to_dict("records"))) == flags


def test_rows_below_an_estimated_floor_are_no_alerts(frame):
    one = frame.loc[(frame["a"] >= 1.5) | frame["rating"].isna()]
    columns = ColumnMeanings(scores=("a",), rating="rating", meanings=MEANINGS, floors=(None,), floor_method="corner")
    floor = RatedDataset.from_frame(one, columns).documents.floors[0]
    queue = queue_of(one, columns, np.array([2.5]), "any")
    expected = one.loc[one["rating"].isna() & (one["a"] >= floor), "a"]
    assert queue.scores.tolist() == sorted(expected, reverse=True)
    assert (queue.flagged == (queue.scores >= 2.5)).all()
    assert len(queue.rows) < one["rating"].isna().sum()


@pytest.mark.parametrize("blank", [None, "", "missing"])
def test_a_day_without_any_rating_is_all_waiting(frame, blank):
    record = decided(frame, combined=True)
    day = frame.drop(columns="rating") if blank == "missing" else frame.assign(rating=blank)
    columns = columns_of_record(record.columns, day, None, lambda _: (), None, rated=False)
    queue = queue_of(day, columns, record.threshold_array, "any")
    assert len(queue.rows) == (frame[["a", "b"]] >= 1.5).any(axis=1).sum()
    assert queue.flagged.sum() == record.flags(day).sum() > 0
    plain = decided(frame, combined=False)
    columns = columns_of_record(plain.columns, day, None, lambda _: (), None, rated=False)
    with pytest.raises(DataError, match="with ratings"):
        queue_of(day, columns, plain.threshold_array, "any")
