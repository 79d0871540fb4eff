"""Test the decision sheet in a browser."""

import re

from playwright.sync_api import expect

from multiloss_core import DecisionRecord
from tests.browser.steps import open_page, settle


def card(page, name):
    return page.locator(f".st-key-card_{name}")


def thresholds(page, name):
    return re.findall(r"≥\s([\d.]+)", card(page, name).inner_text())


def answer(page):
    return page.locator(".st-key-answer").get_by_role("heading", level=2)


def test_answer_leads_to_same_thresholds_and_survives_reload(page, server):
    open_page(page, f"{server}/decision_sheet?data=Card+alerts", "Decision sheet")
    card(page, "wide").get_by_role("button", name="Select").click()
    expect(card(page, "wide").get_by_role("button", name="Selected")).to_be_visible()
    wanted = thresholds(page, "wide")
    for value in wanted:
        expect(answer(page)).to_contain_text(f"from {value}")
    sentence = answer(page).inner_text()
    page.reload()
    expect(answer(page)).to_have_text(sentence)
    page.get_by_role("button", name="Why? See the trade-off").click()
    expect(page.get_by_role("heading", name="Operating point", exact=True)).to_be_visible()
    settle(page)
    for value in wanted:
        expect(page.locator(".explorer dd").filter(has_text=value).first).to_be_visible()


def test_a_decision_is_saved_on_the_sheet(page, server):
    open_page(page, f"{server}/decision_sheet?data=Card+alerts", "Decision sheet")
    wanted = thresholds(page, "balanced")
    page.get_by_text("Save this decision", exact=True).click()
    page.get_by_label("Decided by").fill("Ada")
    page.get_by_label("Why", exact=True).fill("As many as we can look at")
    page.get_by_role("button", name="Save to the log").click()
    expect(page.get_by_text(re.compile(r"Saved in the decision log as number \d+"))).to_be_visible()
    with page.expect_download() as started:
        page.get_by_role("button", name=re.compile("JSON")).first.click()
    record = DecisionRecord.from_json(started.value.path().read_bytes())
    assert [f"{value:g}" for value in record.thresholds] == wanted
    assert (record.author, record.target.goal) == ("Ada", "marginal precision")
