"""Review costs with the amounts of the cases, the payoff drawn, and two cuts that people can keep up with."""

import re

from playwright.sync_api import expect

from tests.browser.steps import cells, choose, open_page, open_part, settle
from ui.data.rated import sample

SCORES = list(sample("Card alerts").first_choice.scores)


def reviewed(page):
    """How many rated documents are reviewed, as the table of the parts says."""
    return int(cells(page, "Action", "Rated documents").nth(1).inner_text().replace(",", ""))


def test_costs_with_amounts_payoff_and_a_review_band(server, flat_page):
    page = flat_page
    open_page(
        page, f"{server}/operating_point?goal_review=6&goal_recovered=100&goal_catch=0&goal=costs", "Operating point"
    )
    expect(page.get_by_text(re.compile("The mean amount of a rated fraud is 285.04"))).to_be_visible()

    open_part(page, "Payoff against alerts")
    expect(page.get_by_text(re.compile("^The best point of the path brings"))).to_be_visible()
    chart = page.locator("[aria-label^='Payoff against alerts along the path']").first
    expect(chart).to_be_visible()

    choose(page, "Set the point by", "marginal precision")
    page.get_by_text("Block the surest part without a review", exact=True).click()
    expect(page).to_have_url(re.compile("[?&]band=true"))
    settle(page)
    words = cells(page, "Action", "Action")
    expect(words).to_have_text(["Block", "Review", "Pass"])
    before = reviewed(page)

    box = page.get_by_role("spinbutton", name="Reviews a day, at most")
    box.fill("6")
    box.press("Enter")
    expect(page.get_by_text("6 a day is kept neither on average nor on nine days of ten")).to_be_visible()
    page.get_by_role("button", name="Move the operating point so that 6 a day are enough").click()
    expect(page.get_by_text("That keeps within 6")).to_be_visible()
    settle(page)
    assert 0 < reviewed(page) < before

    choose(page, "Set the upper cut by", "a precision of what is blocked")
    expect(page.get_by_role("spinbutton", name=re.compile("^Precision of what is blocked"))).to_have_value("90")
    settle(page)
    expect(page.get_by_test_id("stException")).to_have_count(0)
