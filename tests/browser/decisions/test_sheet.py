"""Test the decision sheet in a browser."""

import re

from playwright.sync_api import expect

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
    page.get_by_role("button", name="See the trade-off").click()
    expect(page.get_by_role("heading", name="Operating point", exact=True)).to_be_visible()
    settle(page)
    for value in wanted:
        expect(page.locator(".explorer dd").filter(has_text=value).first).to_be_visible()
