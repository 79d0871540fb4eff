"""Test the same rows as an upload, and as tables of PostgreSQL and Spark."""

import io
import json
import re

import pandas as pd
import pyarrow as arrow
import pytest
from playwright.sync_api import expect
from sqlalchemy import create_engine, make_url

from multiloss_core import DecisionRecord
from multiloss_core.engines import loading
from tests.app_server import app_server
from tests.browser.steps import (
    choose,
    expect_point,
    expected_point,
    losses,
    open_page,
    open_part,
    rated_csv,
    selected,
    settle,
    to_operating_point,
    upload,
)
from tests.engines.conftest import write_folder, write_table

SCORES = ["card score", "device score"]
# Fields of a record that name its time and the source of its rows.
OF_ITSELF = ("record_id", "created")
OF_SOURCE = ("name", "fingerprint", "source", "snapshot", "counted_at")


@pytest.fixture(scope="module")
def frame():
    # A third: what new data will show is worked out four times.
    return pd.read_csv(io.BytesIO(rated_csv())).iloc[::3].reset_index(drop=True)


@pytest.fixture
def connected_server(tmp_path, frame, postgres_database, spark_cluster):
    """Start a server with a database and a cluster of the same rows."""
    table = arrow.Table.from_pandas(frame, preserve_index=False)
    shared = spark_cluster.folder / tmp_path.name
    write_folder(shared, table, parts=2)
    engine = create_engine(postgres_database)
    write_table(engine, "alerts", table)
    engine.dispose()
    address = make_url(postgres_database).render_as_string(hide_password=False)
    secrets = tmp_path / "secrets.toml"
    secrets.write_text(
        "\n".join(
            [
                "[connections.database]",
                'type = "sql"',
                f"url = {json.dumps(address)}",
                'tables = ["alerts"]',
                "[connections.cluster]",
                'type = "spark"',
                f"remote = {json.dumps(spark_cluster.remote)}",
                f"tables = [{json.dumps(f'parquet.`{shared}`')}]",
            ]
        )
    )
    (tmp_path / "server").mkdir()
    with app_server(tmp_path / "server", secrets=secrets) as started:
        yield started


def use_source(page, name):
    """Fetch the rows of a source on Rated data."""
    page.get_by_text("From a connected source", exact=True).click()
    choose(page, "Source", name)
    settle(page)
    page.get_by_role("button", name="Use these rows").click()
    expect(page.get_by_text(re.compile(rf"rows of '.*' in '{name}', fetched"))).to_be_visible()
    settle(page)


def decision(page, tmp_path):
    """Save a decision with intervals; return its record, and its fields without the source."""
    page.get_by_text("What new data will show", exact=True).click()
    # Workers yield to everything else on a busy machine.
    waiting = {"timeout": 300_000}
    expect(page.get_by_text("At these thresholds on new data of the same size")).to_be_visible(**waiting)
    expect(page.get_by_role("progressbar")).to_have_count(0, **waiting)
    settle(page)
    open_part(page, "Save this decision")
    page.get_by_role("textbox", name="Decided by").fill("A. Nalyst")
    page.get_by_role("textbox", name="Why").fill("The same rows.")
    page.get_by_role("textbox", name="Decided by").fill("A. Nalyst")
    page.get_by_role("textbox", name="Why").fill("Fewer false alerts.")
    page.get_by_role("button", name="Save to the log").click()
    expect(page.get_by_test_id("stAlert").filter(has_text="number")).to_be_visible()
    downloads = page.get_by_test_id("stDownloadButton")
    with page.expect_download() as download:
        downloads.get_by_role("button", name=re.compile("record", re.IGNORECASE)).click()
    text = download.value.path().read_text(encoding="utf-8")
    record = DecisionRecord.from_json(text)
    found = json.loads(text)
    for name in OF_ITSELF:
        found.pop(name, None)
    for name in OF_SOURCE:
        found["data"].pop(name, None)
    return record, found


@pytest.mark.timeout(2400)
def test_the_same_rows_give_the_same_decision_wherever_they_lie(connected_server, new_page, frame, tmp_path):
    assert len(frame) <= loading.MAX_HELD
    point = expected_point(frame, SCORES, "verdict", "fraud", percent=20)
    found = {}
    for source in ("upload", "database", "cluster"):
        page = new_page()
        open_page(page, f"{connected_server}/rated_data", "Rated data")
        if source == "upload":
            upload(page, "alerts.csv", frame.to_csv(index=False).encode())
            expect(selected(page, "Data")).to_have_value("alerts.csv")
        else:
            use_source(page, source)
        expect(losses(page)).to_contain_text(f"{len(frame):,} rows: ")
        to_operating_point(page)
        expect_point(page, SCORES, point)
        record, found[source] = decision(page, tmp_path)
        assert record.expected.alerts is not None
        if source != "upload":
            assert record.data.source == source
        page.context.close()
    assert found["upload"]["expected"]["precision"]
    for source, one in found.items():
        assert one == found["upload"], source
