"""Test the way from a raw export to thresholds in few clicks."""

import json

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

from multiloss_core import RatedDocuments, operating_point, smooth_path
from tests.browser.steps import expect_point, losses, open_page, opened_popover, settle, upload

SCORES = ["model_a_score", "rule_score"]
FEW_CLICKS = 5
MEANINGS = {
    "confirmed fraud": "positive",
    "genuine": "negative",
    "suspected fraud": "undecided",
    "pending": "undecided",
}


@pytest.fixture(scope="module")
def frame():
    """Make alerts of half a year; many of the last two weeks are pending."""
    generator = np.random.default_rng(7)
    n = 60_000
    fraud = generator.random(n) < 0.012
    model = np.clip(generator.normal(np.where(fraud, 650, 300), 160), 0, 999).astype(int)
    rule = np.clip(generator.normal(np.where(fraud, 45, 15), 13), 0, 100).round(1)
    kept = np.flatnonzero((model >= 600) | (rule >= 42))
    rows = len(kept)
    day = np.sort(generator.integers(0, 182, rows))
    disposition = np.where(fraud[kept], "Confirmed fraud", "Genuine").astype(object)
    disposition[generator.random(rows) < 0.02] = "Suspected fraud"
    disposition[(day >= 168) & (generator.random(rows) < 0.45)] = "Pending"
    times = pd.Timestamp("2026-04-01") + pd.to_timedelta(day * 86_400 + generator.integers(0, 86_400, rows), unit="s")
    return pd.DataFrame(
        {
            "case_id": [f"{number:08d}" for number in range(41, 41 + rows)],
            "created_at": times.floor("min"),
            "country": generator.choice(["DE", "FR", "NA", "ES"], rows),
            "amount": generator.lognormal(4, 1, rows).round(2),
            "model_a_score": model[kept],
            "rule_score": rule[kept],
            "disposition": disposition,
            "review_minutes": generator.integers(1, 40, rows),
        }
    )


def exported(frame):
    """The file that Excel in German writes."""
    written = frame.assign(created_at=frame["created_at"].dt.strftime("%d.%m.%Y %H:%M"))
    written["country"] = written["country"].replace("DE", "D\u00d6")
    return written.to_csv(index=False, sep=";", decimal=",").encode("cp1252")


def test_a_raw_export_gives_thresholds_in_few_clicks(server, page, frame):
    documents = RatedDocuments.from_frame(frame, SCORES, "disposition", meanings=MEANINGS)
    best = operating_point(smooth_path(documents), 0.2)
    expected = documents.round_thresholds(best.thresholds), best.tp, best.fp
    waiting = documents.undecided.flagged(best.thresholds, "any").sum()

    open_page(page, f"{server}/rated_data", "Rated data")
    upload(page, "alerts.csv", exported(frame))
    clicks = 1
    fraud = (frame["disposition"] == "Confirmed fraud").sum()
    expect(losses(page)).to_contain_text(f"{fraud:,} of them fraud")
    expect(page.get_by_text("Incomplete from")).to_be_visible()
    expect(losses(page)).to_contain_text(f"{len(frame):,} rows: ")
    settle(page)
    page.locator(".st-key-way_on").get_by_role("link", name="Operating point").click()
    clicks += 1
    expect_point(page, SCORES, expected)
    rates = page.locator('.explorer .rates tr:has(th[data-label="of them undecided"]) td > span')
    expect(rates).to_have_text(f"{waiting:,}")
    settle(page)
    with opened_popover(page, "Download"), page.expect_download() as download:
        page.get_by_role("button", name="JSON").click()
    clicks += 2
    told = json.loads(download.value.path().read_text())
    assert list(told["thresholds"].values()) == expected[0].tolist()
    assert (told["true_positives"], told["false_positives"]) == expected[1:]
    assert clicks <= FEW_CLICKS

    page.reload()
    expect_point(page, SCORES, expected)
    expect(rates).to_have_text(f"{waiting:,}")
