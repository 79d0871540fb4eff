"""Uploads of many rows: counted through DuckDB, with what the ordinary way finds."""

import io

import numpy as np
import pandas as pd
import pytest

from multiloss_core import RatedCounts, RatedDocuments
from multiloss_core.engines import loading
from tests.pages.rated_data.steps import confirm, csv_of, metrics, rated_frame, upload
from tests.pages.steps import explorer, run, state
from tests.tables.reading.workbooks import workbook


def dated_frame():
    frame = rated_frame().round(4)
    moments = pd.Timestamp("2026-03-02") + pd.to_timedelta(np.arange(len(frame)) % 28, unit="D")
    return frame.assign(seen=moments.strftime("%d.%m.%Y"), country=np.resize(["AT", "DE", "AT"], len(frame)))


def documents_of(frame, **given):
    return RatedDocuments.from_frame(frame, ["model A", "model B"], "rating", positive="fraud", **given)


def parquet_of(frame):
    stream = io.BytesIO()
    frame.to_parquet(stream)
    return stream.getvalue()


def xlsx_of(frame):
    return workbook({"Alerts": [list(frame.columns), *frame.to_numpy().tolist()]})


FILES = {
    "plain.csv": csv_of,
    "semicolons.csv": lambda frame: csv_of(frame, sep=";", decimal=","),
    "utf16.txt": lambda frame: frame.to_csv(index=False, sep="\t").encode("utf-16"),
    "rows.parquet": parquet_of,
    "book.xlsx": xlsx_of,
}


@pytest.fixture
def few_fetched(monkeypatch):
    monkeypatch.setattr(loading, "MOST_FETCHED", 300)


def folder_of(app, name):
    return state(app).rated.sources[name].origin.engine._path.parent


@pytest.mark.parametrize("name", FILES)
@pytest.mark.usefixtures("few_fetched")
def test_many_rows_are_counted_as_few_are(app, name):
    frame = dated_frame()
    upload(app, FILES[name](frame), name)
    assert not app.error
    confirm(app)
    (dataset,) = state(app).counted.values()
    counts = dataset.source
    assert isinstance(counts, RatedCounts)
    # Suggested from the rows that were fetched, floors are a little higher than from all.
    documents = documents_of(frame, floors=list(counts.floors))
    assert counts.floors == pytest.approx(documents_of(frame).floors, abs=0.02)
    assert counts.funnel == documents.funnel
    assert len(dataset.frame) == 300
    assert metrics(app)["Rows read"] == f"{len(frame):,}"
    for node in np.linspace(0, 1, 9):
        at = [axis[int(node * (len(axis) - 1))] for axis in counts.axes]
        assert tuple(counts.counts_at(at)) == tuple(documents.counts_at(at))
    point = run(app.switch_page("pages/operating_point.py"))
    assert not point.error
    assert explorer(point)["table"]
