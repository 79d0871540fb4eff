"""Test that the switch of age weights changes the page, which is drawn in parts."""

from playwright.sync_api import expect

from tests.browser.steps import follow, losses, open_page, opened_popover, settle, upload
from tests.command_line.test_age_weights import table


def test_switch_and_sheet_decide_whether_older_alerts_count_less(server, page):
    open_page(page, f"{server}/rated_data", "Rated data")
    frame = table()
    upload(page, "alerts.csv", frame.to_csv(index=False).encode())
    expect(losses(page)).to_contain_text(f"{len(frame):,} rows: ")
    settle(page)
    follow(page, "Operating point", "Operating point")
    sentence = page.get_by_text("Older alerts count less")
    expect(sentence).to_be_visible()
    with opened_popover(page, "Settings") as settings:
        switch = settings.get_by_test_id("stCheckbox").filter(has_text="Older alerts may count less")
        switch.locator("label").first.click()
        expect(sentence).to_have_count(0)
        expect(switch.get_by_role("checkbox")).not_to_be_checked()
        settle(page)
        switch.locator("label").first.click()
        expect(sentence).to_be_visible()
        settle(page)
    follow(page, "Decision sheet", "Decision sheet")
    expect(sentence).to_be_visible()
    settle(page)
    page.get_by_role("button", name="Count all alerts alike").click()
    expect(sentence).to_have_count(0)
