import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.steps import (
    PAGES,
    choose,
    follow,
    losses,
    open_page,
    percent_box,
    settle,
)
from tests.browser.test_access import expect_accessible
from ui.operating_point.tour import STEPS

# Streamlit asks for these beside the page before it finds them at the root.
HARMLESS = re.compile(rf"/({'|'.join(PAGES)})/_stcore/(health|host-config)$")


@pytest.fixture
def watched():
    """Collect what a page writes to its console, what it is refused and the hosts that it asks."""
    complaints, hosts = [], set()

    def watch(page):
        def note(message):
            if message.type == "error" and not HARMLESS.search(message.location["url"]):
                complaints.append(f"{message.type}: {message.text} ({message.location['url']})")

        page.on("console", note)
        page.on("pageerror", lambda error: complaints.append(f"page error: {error}"))
        page.on("request", lambda request: hosts.add(urlsplit(request.url).hostname))
        page.on("websocket", lambda socket: hosts.add(urlsplit(socket.url).hostname))
        page.on(
            "response",
            lambda answer: (
                complaints.append(f"{answer.status} {answer.url}")
                if answer.status >= 400 and not HARMLESS.search(answer.url)
                else None
            ),
        )
        return page

    yield watch
    assert not complaints
    assert {host for host in hosts if host} == {"127.0.0.1"}


def test_walk_by_links_leaves_console_clean(server, page, watched):
    watched(page)
    open_page(page, f"{server}/rated_data", "Rated data")
    choose(page, "Data", "Count table")
    expect(page.get_by_text("at the floors")).to_be_visible()
    choose(page, "Data", "Card alerts")
    expect(losses(page)).to_be_visible()
    follow(page, "Operating point", "Operating point")
    percent_box(page).fill("50")
    percent_box(page).press("Enter")
    expect(page).to_have_url(re.compile("m=50"))
    settle(page)
    follow(page, "Top-k", PAGES["top_k"])
    expect(page.locator(".js-plotly-plot").nth(1)).to_be_visible()
    follow(page, "Rated data", "Rated data")


def expect_page_of_its_own(page, address):
    expect(page).to_have_url(re.compile(f"^{address}(\\?|$)"))
    expect(page.get_by_test_id("stException")).to_have_count(0)


@pytest.mark.parametrize("name", PAGES)
def test_page_fits_a_phone_and_leaves_console_clean(server, new_page, watched, name):
    page = watched(new_page(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True))
    open_page(page, f"{server}/{name}?data=Login+alerts", PAGES[name])
    expect_page_of_its_own(page, f"{server}/{name}")
    if name not in ("rated_data", "audit", "decisions", "decision_sheet", "top_k"):
        expect(page.locator(".js-plotly-plot").first).to_be_attached()
    settle(page)
    page.wait_for_function(
        """() => [document.scrollingElement, document.body,
                  ...document.querySelectorAll('[data-testid=stAppViewContainer], [data-testid=stMain]')]
            .every(element => element.scrollWidth <= Math.min(element.clientWidth, 390))"""
    )
    expect_accessible(page)


def test_a_long_verification_can_be_cancelled(server, page):
    open_page(page, f"{server}/top_k?step=draws&topk_n=14&topk_draws=1000", PAGES["top_k"])
    page.get_by_role("button", name="Verify", exact=True).click()
    expect(page.get_by_test_id("stProgress")).to_contain_text(re.compile(r"[1-9]\d* of 1,000 draws"))
    page.get_by_role("button", name="Cancel").click()
    expect(
        page.get_by_test_id("stAlert").filter(has_text=re.compile(r"Stopped after [\d,]+ of 1,000 draws"))
    ).to_be_visible()
    expect(page.get_by_role("button", name="Cancel")).to_have_count(0)
    expect(page.get_by_test_id("stException")).to_have_count(0)


def test_the_tour_outlines_something_that_is_there_at_every_step(server, page):
    open_page(page, f"{server}/operating_point", PAGES["operating_point"])
    page.get_by_role("button", name="Tour in five steps").click()
    for number, step in enumerate(STEPS, 1):
        expect(page.get_by_text(f"{number} of {len(STEPS)}")).to_be_visible()
        outlined = page.locator(", ".join(step.outlined)).first
        expect(outlined).to_be_visible()
        expect(outlined).to_have_css("outline-style", "dashed")
        if number < len(STEPS):
            # The fourth begins a minute of work, which the tour need not wait for.
            page.get_by_role("button", name=step.action).click()
    page.get_by_role("button", name="Back", exact=True).click()
    expect(page.get_by_text(f"{len(STEPS) - 1} of {len(STEPS)}")).to_be_visible()
