"""Go from a file of alerts to a draw, rate it, and see recall on both pages."""

import re

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

from multiloss_core import flagged, simulate_population
from multiloss_core.audit import Audit, plan_from_json
from tests.browser.steps import follow, losses, number, open_page, open_part, settle, to_operating_point, upload

SCORES = ["card score", "device score"]


@pytest.fixture(scope="module")
def everything():
    found = simulate_population(np.random.default_rng(8), documents=60_000, prevalence=0.01, rated_share=0.02)
    frame = pd.DataFrame(found.scores, columns=SCORES).round(4)
    frame["verdict"] = np.where(found.labels, "fraud", "ok")
    frame["id"] = np.arange(len(frame))
    rated = frame[flagged(frame[SCORES].to_numpy(), np.round(found.floors, 4), "any")]
    return frame, rated


def give(page, key, name, frame):
    """Give a table to an uploader of the page."""
    data = {"name": name, "mimeType": "text/csv", "buffer": frame.to_csv(index=False).encode()}
    page.locator(f"[class*=st-key-{key}_] input[type=file]").set_input_files(data)


def downloaded(page, name):
    with page.expect_download() as download:
        page.get_by_role("button", name=re.compile(name)).click()
    return download.value.path()


def test_from_alerts_to_recall(page, server, everything):
    frame, rated = everything
    open_page(page, f"{server}/rated_data", "Rated data")
    upload(page, "alerts.csv", rated.to_csv(index=False).encode())
    expect(losses(page)).to_contain_text(f"{len(rated):,} rows")
    to_operating_point(page)
    expect(page.get_by_text(re.compile("^Recall "))).to_have_count(0)
    page.get_by_role("link", name="Audit").first.click()
    expect(page.get_by_role("heading", name="Audit", exact=True)).to_be_visible()

    page.get_by_role("button", name="Plan an audit").click()
    give(page, "audit_population", "all.csv", frame.drop(columns="verdict"))
    expect(page.get_by_role("heading", name="2 · How many can be rated?")).to_be_visible(timeout=30_000)
    open_part(page, "Other ways to draw")
    plan = plan_from_json(downloaded(page, "Download the plan").read_text(encoding="utf-8"))
    assert plan.budget == 800
    key = page.locator(".st-key-audit_key input")
    key.fill("id")
    key.press("Enter")
    expect(page.get_by_role("button", name=re.compile("800 rows to rate"))).to_be_visible()
    drawn = pd.read_csv(downloaded(page, "800 rows to rate"))
    assert "verdict" not in drawn
    assert np.bincount(drawn["audit_stratum"]).tolist() == plan.allocation.tolist()

    rows = drawn.merge(frame[["id", "verdict"]], on="id")
    give(page, "audit_rows", "rated.csv", rows)
    sentence = page.get_by_text(re.compile(r"^Between \d+ and \d+ % of fraud is caught"))
    expect(sentence).to_be_visible(timeout=30_000)
    low, high = (int(number) for number in re.findall(r"\d+", sentence.inner_text())[:2])
    audit = Audit.from_frame(rows, plan, "verdict", positive="fraud")
    assert audit.rated.sum() == 800
    expect(page.locator(".st-key-audit_chart .js-plotly-plot")).to_be_visible()
    settle(page)

    # A second rating of the positive that stands for most documents.
    weight = page.get_by_text(re.compile("^Missed positives below the floors"))
    before, (stands_for,) = weight.inner_text(), re.findall(r"stands for up to ([\d,]+)", weight.inner_text())
    editor = page.get_by_role("region", name="Positives to rate a second time.")
    editor.scroll_into_view_if_needed()
    settle(page)
    editor.locator(".dvn-scroller").click(position={"x": 40, "y": 52})
    editor.locator("canvas").first.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    expect(weight).not_to_have_text(before)
    settle(page)
    missed = [number(re.findall(r"about ([\d,]+), ", text)[0]) for text in (before, weight.inner_text())]
    assert missed[0] - missed[1] == pytest.approx(number(stands_for), abs=1)
    expect(page.get_by_text("1 positive is negative by a second rating")).to_be_visible()
    low, high = (int(value) for value in re.findall(r"\d+", sentence.inner_text())[:2])

    follow(page, "Operating point", "Operating point")
    words = page.get_by_test_id("stAlert").filter(has_text="Recall")
    expect(words).to_be_visible()
    shown = [float(number) for number in re.findall(r"[\d.]+", words.inner_text().partition("Recall")[2])[1:3]]
    assert low <= shown[0]
    assert shown[1] <= high
    assert high - low <= shown[1] - shown[0] + 2
    expect(page.get_by_test_id("stException")).to_have_count(0)
