"""Test rows of a source that the operator named in secrets.toml."""

import numpy as np
import pandas as pd
import pytest
import streamlit as st
from streamlit import config
from streamlit.runtime.secrets import secrets_singleton

from multiloss_core import RatedCounts, RatedDocuments
from multiloss_core.engines import EngineError, loading
from multiloss_core.engines.backends.duckdb_engine import DuckDBEngine
from tests.pages.rated_data.steps import confirm, csv_of, funnel, rated_frame, upload
from tests.pages.steps import explorer, opened, run, state, tasks_of
from ui.operating_point.resampling_tasks import POINT

SOURCE = "alerts of a year"


@pytest.fixture
def folder(tmp_path):
    found = tmp_path / "tables"
    (found / "cards").mkdir(parents=True)
    frame = connected_frame()
    half = len(frame) // 2
    frame.iloc[:half].to_parquet(found / "cards" / "one.parquet", index=False)
    frame.iloc[half:].to_parquet(found / "cards" / "two.parquet", index=False)
    return found


@pytest.fixture
def connected(tmp_path, folder):
    """A program whose secrets name the folder, and a database whose tables are not named."""
    file = tmp_path / "secrets.toml"
    file.write_text(
        f'[connections."{SOURCE}"]\ntype = "duckdb"\nfolder = "{folder}"\n'
        '[connections.other]\ntype = "sql"\nurl = "sqlite://"\n'
    )
    before, defined = config.get_option("secrets.files"), config.get_where_defined("secrets.files")
    config.set_option("secrets.files", [str(file)])
    secrets_singleton._reset()
    # All these sessions share one name, the key of engines and first rows.
    st.cache_resource.clear()
    st.cache_data.clear()
    yield file
    # With its origin: a missing file that was named closes the program.
    config.set_option("secrets.files", before, defined)
    secrets_singleton._reset()


def connected_frame():
    frame = rated_frame()
    frame["seen"] = pd.Timestamp("2026-03-02") + pd.to_timedelta(np.arange(len(frame)) % 28, unit="D")
    frame["country"] = np.resize(["AT", "DE", "AT"], len(frame))
    return frame


def page():
    return opened("rated_data")


def use(app):
    return run(app.button(key="connected_use").click())


@pytest.mark.usefixtures("connected")
def test_only_sources_whose_tables_are_named_are_offered():
    app = page()
    assert app.selectbox(key="connected_source").options == [SOURCE]
    assert app.selectbox(key=f"connected_table_{SOURCE}").options == ["cards"]
    assert not [one for one in app.text_input if "floor" not in one.key]


@pytest.mark.usefixtures("connected")
def test_few_rows_give_what_an_upload_of_them_gives():
    frame = connected_frame()
    uploaded = upload(page(), csv_of(frame), "cards.csv")
    app = run(page().button(key="connected_count").click())
    assert any(f"{len(frame):,} rows. They are few enough" in caption.value for caption in app.caption)
    app = use(app)
    assert funnel(app) == funnel(uploaded)
    assert any(f"rows of 'cards' in '{SOURCE}', fetched" in entry.value for entry in app.caption)
    points = []
    for one in (app, uploaded):
        points.append(explorer(run(confirm(one).switch_page("pages/operating_point.py")))["table"])
    assert points[0] == points[1]


@pytest.mark.usefixtures("connected")
def test_many_rows_are_counted_where_they_are(monkeypatch):
    monkeypatch.setattr(loading, "MAX_HELD", 500)
    frame = connected_frame()
    app = use(page())
    assert funnel(app)[0] == len(frame)
    assert funnel(app)[4] == (frame["rating"] == "fraud").sum()
    assert any("too many to be fetched" in caption.value for caption in app.caption)
    (dataset,) = state(app).counted.values()
    counts = dataset.source
    assert isinstance(counts, RatedCounts)
    point = run(confirm(app).switch_page("pages/operating_point.py"))
    assert point.segmented_control(key="rule").options
    assert explorer(point)["table"]
    documents = RatedDocuments.from_frame(frame, ["model A", "model B"], "rating", positive="fraud")
    for node in np.linspace(0, 1, 5):
        at = [axis[int(node * (len(axis) - 1))] for axis in counts.axes]
        assert tuple(counts.counts_at(at)) == tuple(documents.counts_at(at))


@pytest.mark.usefixtures("connected")
def test_groups_and_rows_near_thresholds_are_asked_for_in_source(monkeypatch, folder):
    monkeypatch.setattr(loading, "MAX_HELD", 500)
    frame = connected_frame().assign(customer_id=lambda rows: np.arange(len(rows)) // 3)
    for file in folder.rglob("*.parquet"):
        file.unlink()
    frame.to_parquet(folder / "cards" / "one.parquet", index=False)
    app = run(confirm(use(page())).switch_page("pages/operating_point.py"))
    (dataset,) = state(app).counted.values()
    assert dataset.rows.group == "customer_id"
    app = run(app.toggle(key="new_data").set_value(True))
    assert not tasks_of(app, POINT)
    app = run(app.button(key="count_by_part").click())
    assert not app.exception
    assert tasks_of(app, POINT)
    (counts,) = state(app).counted_along.values()
    assert 20 < len(set(counts.by)) <= 256
    app.session_state["near"], app.session_state["view"] = True, "time"
    app = run(app)
    app = run(app.button(key="count_by_near").click())
    (found,) = state(app).borderline.values()
    assert 0 < len(found.flagged) <= 50
    assert 0 < len(found.not_flagged) <= 50
    assert set(frame.columns) <= set(found.flagged.columns)
    app.session_state["guarantee"], app.session_state["view"] = True, "compare"
    app = run(app)
    assert any("a guarantee needs the rows" in info.value for info in app.info)


@pytest.mark.usefixtures("connected")
def test_rows_are_chosen_by_day_and_by_value():
    frame = connected_frame()
    app = page()
    app = run(app.selectbox(key=f"connected_time_{SOURCE}_cards").select("seen"))
    app = run(app.date_input(key=f"connected_since_{SOURCE}_cards").set_value(pd.Timestamp("2026-03-09").date()))
    app = run(app.date_input(key=f"connected_until_{SOURCE}_cards").set_value(pd.Timestamp("2026-03-15").date()))
    app = run(app.selectbox(key=f"connected_filter_{SOURCE}_cards").select("country"))
    app = run(app.multiselect(key=f"connected_values_{SOURCE}_cards_country").select("AT"))
    kept = frame[(frame["seen"] >= "2026-03-09") & (frame["seen"] < "2026-03-16") & (frame["country"] == "AT")]
    app = run(app.button(key="connected_count").click())
    assert any(f"{len(kept):,} rows." in caption.value for caption in app.caption)
    assert funnel(use(app))[0] == len(kept)


@pytest.mark.usefixtures("connected")
def test_unreadable_source_is_one_sentence_and_loses_nothing(monkeypatch, folder):
    app = upload(page(), csv_of(rated_frame()), "mine.csv")

    def broken(*_):
        raise EngineError("The source cannot be read: it went away.")

    monkeypatch.setattr(DuckDBEngine, "query", broken)
    app = run(app.button(key="connected_count").click())
    assert [error.value.replace("\\", "") for error in app.error] == ["The source cannot be read: it went away."]
    assert app.selectbox(key="data").value == "mine.csv"
    monkeypatch.undo()
    for file in folder.rglob("*.parquet"):
        file.write_bytes(b"PAR1 not really")
    app = run(app.button(key="connected_use").click())
    assert "The source cannot be read" in app.error[0].value
    assert str(folder) not in app.error[0].value
    assert app.selectbox(key="data").value == "mine.csv"


def test_a_section_that_lacks_its_folder_names_what_is_missing(connected):
    connected.write_text(f'[connections."{SOURCE}"]\ntype = "duckdb"\n')
    secrets_singleton._reset()
    app = page()
    assert "'folder' is missing in its section of secrets.toml" in app.error[0].value


@pytest.mark.usefixtures("connected")
def test_audit_is_counted_and_drawn_there(tmp_path):
    app = upload(page(), csv_of(rated_frame()), "alerts.csv")
    app = run(confirm(app).switch_page("pages/audit.py"))
    dataset = next(iter(state(app).rated.sources.values()))
    floors = dataset.first_choice.floors
    # Half of the documents of the source lie below the floors of the file.
    generator, scores = np.random.default_rng(0), dataset.first_choice.scores
    everything = pd.DataFrame(generator.random((4_000, len(scores))), columns=list(scores)).assign(id=range(4_000))
    (tmp_path / "tables" / "all").mkdir()
    everything.to_parquet(tmp_path / "tables" / "all" / "one.parquet", index=False)
    st.cache_data.clear()
    run(app.button(key="audit_start").click())
    run(app.segmented_control(key="audit_place").set_value("A connected source"))
    run(app.selectbox(key=f"audit_table_{SOURCE}").set_value("all"))
    app = run(app.button(key="audit_count").click())
    assert not app.error, [error.value for error in app.error]
    run(app.selectbox(key="audit_key").set_value("id"))
    app = run(app.button(key="audit_draw").click())
    assert not app.error
    plan = next(iter(state(app).audits.values())).plan
    expected = plan.strata.assign(everything[list(scores)].to_numpy())
    assert plan.strata.floors.shape == (len(floors),)
    assert plan.sizes.tolist() == np.bincount(expected[expected >= 0], minlength=plan.strata.count).tolist()
    drawn = app.session_state["audit_drawn"][1]
    assert len(drawn) == plan.budget
    assert set(drawn["id"]) <= set(everything["id"])
