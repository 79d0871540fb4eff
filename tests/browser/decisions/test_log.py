"""Test a decision from a file: opened, logged, deployed, exported."""

import io
import json
import re
import sqlite3
from contextlib import closing

import pandas as pd
import pytest
from playwright.sync_api import expect

from multiloss_core import DecisionRecord
from multiloss_core.decisions import sql_where
from tests.browser.steps import (
    PAGES,
    expect_point,
    follow,
    metric,
    open_page,
    open_part,
    opened_popover,
    selected,
    settle,
    slider,
)
from tests.decisions.samples import sample_decision
from ui.data.rated import sample


@pytest.fixture(scope="module")
def record():
    return sample_decision("Login alerts", percent=42.5, rule="any", spacing="uniform", resolution=100)


def uploaded_record(page, text):
    field = page.locator(".st-key-record_file_room input[type=file]")
    field.set_input_files({"name": "record.json", "mimeType": "application/json", "buffer": text.encode()})


def record_card(page):
    """The frame of the record from the file."""
    heading = page.get_by_role("heading", name="From the file record.json")
    return page.get_by_test_id("stVerticalBlock").filter(has=heading).last


def expect_loaded(page):
    """The record of the file is on the page, and its data is there."""
    expect(page.get_by_role("heading", name="From the file record.json")).to_be_visible()
    settle(page)
    expect(record_card(page).get_by_text("is loaded and the same")).to_be_visible()


def alert(page, words):
    return page.get_by_test_id("stAlert").filter(has_text=words)


def taken(page, button):
    with page.expect_download() as download:
        page.get_by_test_id("stDownloadButton").get_by_role("button", name=button, exact=True).click()
    return download.value.path().read_text(encoding="utf-8")


def expect_same_counts(page, record):
    """Check that each download flags the counts of the record on the sample's rows."""
    frame = sample(record.data.name).frame
    rated = frame[frame["rating"].notna()]
    (score,) = record.columns.scores
    with closing(sqlite3.connect(":memory:")) as connection:
        rated.to_sql("alerts", connection)
        by_sql = pd.read_sql(f"SELECT rating FROM alerts {taken(page, 'SQL')}", connection)["rating"]
    program = {}
    exec(compile(taken(page, "Python"), "flag.py", "exec"), program)
    by_python = rated["rating"][[program["flag"](row) for row in rated.to_dict("records")]]
    by_json = rated["rating"][rated[score] >= json.loads(taken(page, "Thresholds (JSON)"))["thresholds"][score]]
    lines = pd.read_csv(io.StringIO(taken(page, "Thresholds (CSV)")), index_col="classifier")
    by_csv = rated["rating"][rated[score] >= lines["threshold"][score]]
    for flagged in (by_sql, by_python, by_json, by_csv):
        counts = (int((flagged == "fraud").sum()), int((flagged == "ok").sum()))
        assert counts == (record.expected.tp, record.expected.fp)


def test_record_from_file_is_opened_kept_deployed_and_exported(server, page, new_page, record):
    # Other choices were made before.
    open_page(
        page, f"{server}/operating_point?data=Login+alerts&m=80&resolution_1=1000&method=graph", "Operating point"
    )
    expect(metric(page, "Caught (TP)")).to_be_visible()
    follow(page, "Decisions", PAGES["decisions"])
    uploaded_record(page, "{}")
    expect(alert(page, "this is no decision record")).to_be_visible()
    uploaded_record(page, record.to_json())
    expect_loaded(page)
    expect(alert(page, "this is no decision record")).to_have_count(0)

    record_card(page).get_by_role("button", name="Open on the operating point").click()
    expect(page.get_by_role("heading", name="Operating point", exact=True)).to_be_visible()
    settle(page)
    expected = record.expected
    expect_point(page, record.columns.scores, (record.thresholds, expected.tp, expected.fp))
    expect(slider(page)).to_have_value("42.5")
    expect(selected(page, "Data")).to_have_value("Login alerts")
    expect(page).to_have_url(re.compile("m=42.5"))
    expect(page).to_have_url(re.compile("nodes=uniform(&|$)"))
    with opened_popover(page, "Settings"):
        expect(selected(page, "Path")).to_have_value("smooth")
        expect(selected(page, "Nodes for each classifier, at most")).to_have_value("100")

    follow(page, "Decisions", PAGES["decisions"])
    page.get_by_role("button", name="Add to the log").click()
    expect(alert(page, "Added to the log as number")).to_be_visible()
    expect(page.get_by_role("combobox", name="Decision", exact=True)).to_have_value(
        re.compile("Login alerts .* A. Nalyst")
    )
    settle(page)
    page.get_by_role("button", name="Deploy", exact=True).click()
    page.get_by_role("textbox", name="Deployed by").fill("B. Oss")
    page.get_by_role("button", name="Mark as deployed").click()
    expect(alert(page, "Deployed since")).to_contain_text("by B. Oss")
    settle(page)

    lines = [json.loads(line) for line in taken(page, "Export the whole log (JSON lines)").splitlines()]
    (line,) = [line for line in lines if line["record"]["record_id"] == record.record_id]
    assert [deployment["deployed_by"] for deployment in line["deployments"]] == ["B. Oss"]
    assert DecisionRecord.from_json(json.dumps(line["record"])) == record
    open_part(page, "Report, files and code")
    assert DecisionRecord.from_json(taken(page, "Record (JSON)")) == record
    comment, found, condition = taken(page, "SQL").partition("WHERE ")
    assert all(line.startswith("-- ") for line in comment.splitlines())
    assert f"{found}{condition}".strip() == sql_where(record)
    expect_same_counts(page, record)
    summary = taken(page, "Summary (Markdown)")
    report = new_page(offline=True)
    report.set_content(taken(page, "Report (HTML)"))
    for told in (f"{record.expected.tp:,.0f}", f"{record.expected.fp:,.0f}", repr(record.thresholds[0]), record.reason):
        assert told in summary
        assert told in report.locator("body").inner_text()
    expect(page.get_by_test_id("stException")).to_have_count(0)

    # Back to where it was: the record is in the address.
    address = page.url
    open_page(page, address, PAGES["decisions"])
    expect(page.get_by_role("combobox", name="Decision", exact=True)).to_have_value(re.compile("Login alerts"))


def test_a_row_of_the_list_opens_its_decision_and_takes_a_remark(server, page):
    open_page(page, f"{server}/decisions", PAGES["decisions"])
    for name, percent in (("Login alerts", 33.0), ("Card alerts", 44.0)):
        uploaded_record(page, sample_decision(name, percent=percent, rule="any").to_json())
        page.get_by_role("button", name="Add to the log").click()
        expect(alert(page, "Added to the log as number")).to_be_visible()
        settle(page)
    chosen = page.get_by_role("combobox", name="Decision", exact=True)
    expect(chosen).to_have_value(re.compile("Card alerts"))
    # The box at the beginning of the second row of a list whose rows are drawn.
    page.get_by_test_id("stDataFrame").first.click(position={"x": 16, "y": 35 + 35 + 17})
    expect(chosen).to_have_value(re.compile("Login alerts"))
    settle(page)
    page.get_by_role("button", name="Remark or withdraw").click()
    page.get_by_role("textbox", name="Your name").fill("B. Oss")
    page.get_by_role("textbox", name="Remark").fill("Seen in July.")
    page.get_by_role("button", name="Add the remark").click()
    expect(page.get_by_text("B. Oss: Seen in July.")).to_be_visible()
