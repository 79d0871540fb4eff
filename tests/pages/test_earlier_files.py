"""Test that pages let thresholds rest on earlier files, say so, and record it."""

import numpy as np
import pandas as pd
import pytest

from benchmarks.earlier_files import drawn_alerts, populations_of
from multiloss_core import RatedDocuments, operating_point, smooth_path
from tests.pages.rated_data.steps import (
    csv_of,
    go_to_operating_point,
    rated_frame,
    say_no_other_alerts,
    switch,
    upload,
    use,
)
from tests.pages.steps import opened, run, saved_record, state

SENTENCE = "earlier files count"


def says_so(app):
    return any(SENTENCE in element.value for element in app.caption)


@pytest.fixture(scope="module")
def months():
    """Three months of documents from one population, the newest first."""
    generator = np.random.default_rng(4)
    return [drawn_alerts(one, 40, generator) for one in populations_of("stable", generator)[:3]]


def csv(documents, month):
    frame = pd.DataFrame(documents.scores, columns=["model a", "model b"])
    frame["verdict"] = np.where(documents.labels, "fraud", "genuine")
    frame["created_at"] = pd.Timestamp(2026, month, 1) + pd.to_timedelta(np.arange(len(frame)) % 28, unit="D")
    return csv_of(frame)


@pytest.fixture
def newest(months):
    """Rated data with all files loaded, and the newest one picked."""
    app = opened("rated_data")
    for month, documents in zip((1, 2, 3), months[::-1], strict=True):
        app = say_no_other_alerts(upload(app, csv(documents, month), f"month {month}.csv"))
    return app


def test_chosen_files_move_the_thresholds_and_are_recorded(newest, months):
    picker = next(box for box in newest.multiselect if box.key.startswith("earlier_"))
    assert set(picker.options) == {"month 1.csv", "month 2.csv"}
    run(picker.select("month 1.csv").select("month 2.csv"))
    point = go_to_operating_point(newest)
    assert says_so(point)
    record = saved_record(point)
    assert record.data.earlier == ("month 2.csv", "month 1.csv")
    # The page estimates the floors.
    floors = record.columns.floors
    above = [(one, (one.scores >= floors).any(axis=1)) for one in months]
    documents, *earlier = (RatedDocuments(one.scores[kept], one.labels[kept], floors=floors) for one, kept in above)
    joined = documents.with_earlier(earlier)
    expected = operating_point(smooth_path(joined), record.target.marginal_precision)
    np.testing.assert_array_equal(record.threshold_array, joined.round_thresholds(expected.thresholds))
    assert record.expected.rated_positives == documents.labels.sum()


def test_a_link_brings_the_earlier_files_along(newest):
    picker = next(box for box in newest.multiselect if box.key.startswith("earlier_"))
    run(picker.select("month 1.csv").select("month 2.csv"))
    thresholds = state(go_to_operating_point(newest)).point.goals.shown.point.thresholds
    address = newest.query_params["data_file"]
    other = opened("operating_point", data_file=address if isinstance(address, str) else address[0])
    assert says_so(other)
    assert set(state(other).rated.sources) == {"month 1.csv", "month 2.csv", "month 3.csv"}
    assert other.selectbox(key="data").value == "month 3.csv"
    np.testing.assert_array_equal(state(other).point.goals.shown.point.thresholds, thresholds)


def test_files_with_the_column_of_an_inverted_score_are_offered():
    app = opened("rated_data")
    for seed, name in ((1, "before.csv"), (2, "now.csv")):
        frame = rated_frame(seed).assign(trust=lambda table: 1 - table["model B"]).drop(columns="model B")
        app = upload(app, csv_of(frame), name)
    use(app, "trust", "falling")
    say_no_other_alerts(app)
    assert next(one for one in app.multiselect if one.key.startswith("earlier_")).options == ["before.csv"]


def test_sheet_offers_to_leave_them_out(newest):
    run(next(box for box in newest.multiselect if box.key.startswith("earlier_")).select("month 2.csv"))
    sheet = switch(newest, "pages/decision_sheet.py")
    assert any("1 earlier file count" in caption.value for caption in sheet.caption)
    again = switch(sheet, "pages/rated_data.py")
    assert next(box for box in again.multiselect if box.key.startswith("earlier_")).value == ["month 2.csv"]
    sheet = switch(again, "pages/decision_sheet.py")
    run(sheet.button(key="no_earlier_files").click())
    run(sheet)
    assert not any("earlier file" in caption.value for caption in sheet.caption)


def test_a_later_file_is_refused_in_a_sentence(newest):
    run(newest.selectbox(key="data").select("month 1.csv"))
    run(next(box for box in newest.multiselect if box.key.startswith("earlier_")).select("month 3.csv"))
    assert any("only older files" in error.value for error in newest.error)


def test_a_file_that_is_not_loaded_is_named(newest):
    run(next(box for box in newest.multiselect if box.key.startswith("earlier_")).select("month 2.csv"))
    state(newest).rated.sources.pop("month 2.csv")
    sheet = switch(newest, "pages/decision_sheet.py")
    assert any("month 2.csv" in warning.value for warning in sheet.warning)
    assert not any("earlier file count" in caption.value for caption in sheet.caption)
    again = switch(sheet, "pages/rated_data.py")
    assert next(box for box in again.multiselect if box.key.startswith("earlier_")).value == ["month 2.csv"]
    assert any("month 2.csv" in warning.value for warning in again.warning)
