"""Go from an alert queue with rules to a decision with own thresholds for segments."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from multiloss_core import DecisionRecord
from tests.browser.steps import metric, number, open_page, open_part, settle, to_operating_point, upload
from ui.data.rated import sample

RULES = sample("Alert queue").first_choice.alert_rules


@pytest.fixture(scope="module")
def frame():
    return sample("Alert queue").frame


def test_a_queue_of_rules_and_scores(page, server, frame):
    open_page(page, f"{server}/rated_data", "Rated data")
    upload(page, "queue.csv", frame.to_csv(index=False).encode())
    # Columns named like rules are asked about.
    for rule in RULES:
        expect(page.get_by_test_id("stMultiSelect").get_by_text(rule, exact=True)).to_be_visible()
    to_operating_point(page)
    expect(page.locator('.explorer dt[data-label^="Rules on"]')).to_be_visible()
    alerts = sum(number(metric(page, label).inner_text()) for label in ("Caught (TP)", "False alerts (FP)"))

    open_part(page, "Rules and scores")
    editor = page.locator(".st-key-sources").get_by_test_id("stDataFrame")
    expect(editor).to_be_visible()
    expect(page.locator(".st-key-sources").get_by_text("The first source in the order")).to_be_visible()

    open_part(page, "Segments, and thresholds of their own")
    page.get_by_text("Own where they pay", exact=True).click()
    settle(page)
    section = page.locator(".st-key-segments")
    expect(section.get_by_text(re.compile("^Own thresholds, (proposed|for comparison)"))).to_be_visible(timeout=60_000)
    expect(section.get_by_text("On held-out alerts they gain")).to_be_visible(timeout=60_000)

    open_part(page, "Save this decision")
    page.get_by_role("textbox", name="Decided by").fill("A. Nalyst")
    page.get_by_role("textbox", name="Why").fill("Channels differ.")
    page.get_by_role("button", name="Only make the files").click()
    with page.expect_download() as download:
        page.get_by_test_id("stDownloadButton").get_by_role("button", name=re.compile("record", re.IGNORECASE)).click()
    record = DecisionRecord.from_json(download.value.path().read_text(encoding="utf-8"))
    assert record.columns.alert_rule_names == RULES
    assert {value for one in record.segments.own for value in one.values} == {"online", "card present", "phone"}
    flags, fraud = record.flags(frame), (frame["rating"] == "fraud").to_numpy()
    assert (record.expected.tp, record.expected.fp) == (np.sum(flags & fraud), np.sum(flags & ~fraud))
    assert record.expected.alerts < alerts
    expect(page.get_by_test_id("stException")).to_have_count(0)
