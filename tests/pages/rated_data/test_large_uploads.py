"""Uploads of many rows: counted through DuckDB, with what the ordinary way finds."""

import gc
import hashlib
import io

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from multiloss_core import RatedCounts, RatedDocuments
from multiloss_core.engines import count_along, loading
from multiloss_core.sources import simulate_alert_queue
from tests.pages.rated_data.steps import (
    as_read,
    confirm,
    csv_of,
    funnel,
    rated_frame,
    upload,
    use,
)
from tests.pages.steps import explorer, run, saved_record, state, tasks_of
from tests.tables.reading.workbooks import workbook
from ui.data import store
from ui.operating_point.segment_tasks import SEGMENTS


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
    "semicolons.csv": lambda frame: csv_of(frame, sep=";", decimal=","),
    "rows.parquet": parquet_of,
    "book.xlsx": xlsx_of,
}


@pytest.fixture
def few_fetched(monkeypatch):
    monkeypatch.setattr(loading, "MAX_HELD", 300)


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
    assert funnel(app)[0] == len(frame)
    for node in np.linspace(0, 1, 9):
        at = [axis[int(node * (len(axis) - 1))] for axis in counts.axes]
        assert tuple(counts.counts_at(at)) == tuple(documents.counts_at(at))
    point = run(app.switch_page("pages/operating_point.py"))
    assert not point.error
    assert explorer(point)["table"]


@pytest.mark.usefixtures("few_fetched")
def test_dates_in_words_are_counted_by_day_and_record_names_file(app):
    frame = dated_frame()
    upload(app, csv_of(frame, sep=";", decimal=","), "alerts.csv")
    app = use(app, "seen", "time")
    confirm(app)
    (source,) = state(app).rated.sources.values()
    assert source.rows == len(frame)
    assert source.origin.recorded == {}
    assert source.fingerprint == hashlib.sha256(csv_of(frame, sep=";", decimal=",")).hexdigest()
    dataset = list(state(app).counted.values())[-1]
    columns = dataset.rows
    assert columns.time == "seen"
    found = count_along(source.origin.engine, "alerts.csv", columns, np.array([columns.floors]), "any", "day")
    assert [*np.unique(found.by)] == [*np.arange("2026-03-02", "2026-03-30", dtype="datetime64[D]")]
    assert found.documents.sum() == dataset.source.funnel.at_or_above_floor


@pytest.mark.usefixtures("few_fetched")
def test_a_score_that_is_turned_round_is_counted(app):
    frame = dated_frame().assign(**{"model A": lambda frame: 1 - frame["model A"]})
    upload(app, csv_of(frame), "alerts.csv")
    app = use(app, "model A", "falling")
    assert not app.error
    dataset = list(state(app).counted.values())[-1]
    assert dataset.source.names == ("minus model A", "model B")
    documents = RatedDocuments.from_frame(
        frame, ["minus model A", "model B"], "rating", positive="fraud", floors=list(dataset.source.floors)
    )
    assert dataset.source.funnel == documents.funnel
    assert tuple(dataset.source.totals) == tuple(documents.totals)


@pytest.mark.usefixtures("few_fetched")
def test_rows_on_disk_go_with_the_table(app, monkeypatch):
    frame = dated_frame()
    upload(app, csv_of(frame), "first.csv")
    first = folder_of(app, "first.csv")
    assert {file.name for file in first.iterdir()} == {".owner", "rows.parquet"}
    assert first.stat().st_mode & 0o077 == 0
    assert state(app).rated.files["first.csv"].memory > (first / "rows.parquet").stat().st_size
    monkeypatch.setattr(store, "MAX_MEMORY_BYTES", 1)
    upload(app, csv_of(frame.iloc[1:]), "second.csv")
    assert not app.error
    assert "to make room: 'first.csv'" in as_read(app.info[0].value)
    second = folder_of(app, "second.csv")
    gc.collect()
    assert not first.exists()
    assert second.exists()


@pytest.mark.parametrize(("is_counted", "odd"), [(False, np.inf), (True, np.nan)])
def test_blank_numbers_are_one_segment(app, monkeypatch, is_counted, odd):
    """A double column with NULL and NaN, or infinity."""
    if is_counted:
        monkeypatch.setattr(loading, "MAX_HELD", 300)
    queue = simulate_alert_queue(np.random.default_rng(6), documents=60_000, prevalence=0.01, rules=0)
    fraud, generator = queue.labels[queue.is_rated], np.random.default_rng(1)
    frame = pd.DataFrame(queue.scores[queue.is_rated].round(4), columns=["model A", "model B"])
    frame["rating"] = np.where(fraud, "fraud", "ok")
    here = generator.random(len(frame)) < np.where(fraud, 0.8, 0.3)
    odd_or_null = [odd if number else None for number in generator.integers(0, 2, len(frame))]
    codes = [7.0 if inside else other for inside, other in zip(here, odd_or_null, strict=True)]
    table = pa.Table.from_pandas(frame).append_column("branch", pa.array(codes, pa.float64(), from_pandas=False))
    stream = io.BytesIO()
    pq.write_table(table, stream)
    upload(app, stream.getvalue(), "queue.parquet")
    app = confirm(use(app, "branch", "segment"))
    app = run(app.switch_page("pages/operating_point.py"))
    app.session_state["segments"], app.session_state["view"] = True, "rules"
    app = run(run(app).segmented_control(key="segment_thresholds").set_value("Own where they pay"))
    if is_counted:
        run(app.button(key="count_by_segments").click())
    tasks_of(app, SEGMENTS)[0].wait(120)
    record = saved_record(run(app))
    assert {one.values for one in record.segments.own} == {("7",), ("(blank)",)}
    flags = record.flags(table.to_pandas())
    assert (record.expected.tp, record.expected.fp) == ((flags & fraud).sum(), (flags & ~fraud).sum())


@pytest.mark.usefixtures("few_fetched")
def test_long_values_refuse_own_thresholds(app):
    upload(app, csv_of(dated_frame().replace("DE", "D" * 301)), "long.csv")
    app = confirm(use(app, "country", "segment"))
    app = run(app.switch_page("pages/operating_point.py"))
    app.session_state["segments"], app.session_state["view"] = True, "rules"
    app = run(run(app).segmented_control(key="segment_thresholds").set_value("Own where they pay"))
    app = run(app.button(key="count_by_segments").click())
    assert sum("300 characters" in error.value for error in app.error) == 1
    assert not tasks_of(app, SEGMENTS)
    assert saved_record(app).segments is None


@pytest.mark.usefixtures("few_fetched")
def test_rules_and_segments_of_many_rows(app):
    """Counted in the engine: switches and own thresholds are those of the rows."""
    queue = simulate_alert_queue(np.random.default_rng(6), documents=60_000, prevalence=0.01, rules=2)
    kept = queue.is_rated
    fraud = queue.labels[kept]
    frame = pd.DataFrame(queue.scores[kept].round(4), columns=["model A", "model B"])
    frame["velocity rule"], frame["country rule"] = queue.rules[kept].astype(int).T
    frame["channel"] = np.where(np.random.default_rng(1).random(len(frame)) < np.where(fraud, 0.8, 0.3), "web", "shop")
    frame["rating"] = np.where(fraud, "fraud", "ok")
    upload(app, csv_of(frame), "queue.csv")
    app = use(app, "channel", "segment")
    confirm(app)
    app = run(app.switch_page("pages/operating_point.py"))
    app.session_state["segments"] = app.session_state["sources"] = True
    app.session_state["view"] = "rules"
    app = run(run(app).segmented_control(key="segment_thresholds").set_value("Own where they pay"))
    run(app.button(key="count_by_segments").click())
    tasks_of(app, SEGMENTS)[0].wait(120)
    run(app)
    shown = next(one.value for one in app.dataframe if "Marginal precision" in one.value).set_index("Segment")
    for segment, row in shown.iterrows():
        reached = (frame["model A"] >= float(row["model A ≥"])) | (frame["model B"] >= float(row["model B ≥"]))
        for rule in ("velocity rule", "country rule"):
            reached |= (frame[rule] == 1) & (rule in row["Rules on, of 2"])
        here = reached & (frame["channel"] == segment)
        assert (row["Caught (TP)"], row["False alerts (FP)"]) == ((here & fraud).sum(), (here & ~fraud).sum())
    record = saved_record(app)
    assert record.segments.column == "channel"
    flags = record.flags(frame)
    assert (record.expected.tp, record.expected.fp) == ((flags & fraud).sum(), (flags & ~fraud).sum())
    assert record.columns.alert_rule_names == ("velocity rule", "country rule")
