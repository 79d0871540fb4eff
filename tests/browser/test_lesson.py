"""Test a lesson on the screen Top-k: follow links, guess, show, drag, type, walk the graph."""

import re
from urllib.parse import parse_qs, urlsplit

import numpy as np
from playwright.sync_api import expect

from multiloss_core import F, optimal_top_k
from multiloss_core.losses import sigmoid_items
from tests.browser.steps import PAGES, metric, open_page, settle
from ui.shared.choices import ECHO_SECONDS
from ui.shared.widgets import LESSON
from ui.top_k.steps import STEPS

DRAWN = np.sort(sigmoid_items(np.random.default_rng(70), n=10).probabilities)[::-1].round(4)


def bars(page):
    return page.locator(".probability-bars .bar")


def expect_best_of(page, probabilities):
    """Wait until the bars and the number say what the library finds."""
    best = optimal_top_k(probabilities, F())
    expect(metric(page, "Optimum k*")).to_have_text(f"{best.k}")
    for bar, flagged in zip(bars(page).all(), best.selected, strict=True):
        expect(bar).to_have_attribute("aria-valuetext", re.compile(r"\d, flagged" if flagged else "not flagged"))


def open_step(page, name):
    page.locator(".st-key-step").get_by_role("radio", name=STEPS[name].label).click()
    expect_open(page, name)


def expect_open(page, name):
    expect(page.locator(".st-key-topk_steps").get_by_role("heading", name=STEPS[name].question)).to_be_visible()
    settle(page)


def expect_scrolled_to_steps(page):
    """Wait until the steps are at the top of the window, below the navigation."""
    page.wait_for_function(
        "() => { const top = document.querySelector('.st-key-topk_steps').getBoundingClientRect().top;"
        " return top >= 0 && top < 120 }"
    )


def test_first_screen_fits_without_scrolling(server, new_page):
    page = new_page(viewport={"width": 1280, "height": 800})
    open_page(page, f"{server}/top_k", PAGES["top_k"])
    seen = (bars(page).first, page.get_by_test_id("stMetric"), *page.locator(".js-plotly-plot").all())
    assert len(seen) == 4
    for element in seen:
        box = element.bounding_box()
        assert box["y"] > 0
        assert box["y"] + box["height"] <= 800


def test_every_link_of_the_lesson_opens_its_step(server, page):
    links = re.findall(r"\]\((top_k\S*)\)", LESSON.read_text(encoding="utf-8"))
    assert len(links) >= 8
    for link in links:
        asked = parse_qs(urlsplit(link).query)
        open_page(page, f"{server}/{link}", PAGES["top_k"])
        (name,) = asked.pop("step", ["loss"])
        expect_open(page, name)
        if "step=" in link:
            expect_scrolled_to_steps(page)
        expect(metric(page, "Optimum k*")).to_have_count(0 if "topk_guess" in asked else 1)
        expect(page.get_by_test_id("stException")).to_have_count(0)


def test_links_on_the_page_keep_to_their_step(server, page):
    open_page(page, f"{server}/top_k?step=lesson", PAGES["top_k"])
    with page.expect_popup() as opened:
        page.get_by_role("link", name="the tangent").click()
    other = opened.value
    expect_open(other, "tangent")
    expect_scrolled_to_steps(other)
    expect(other.get_by_role("slider", name="Slide from")).to_have_value("5")
    open_step(other, "assumption")
    expect(other).to_have_url(re.compile("step=assumption"))
    other.reload()
    expect_open(other, "assumption")
    expect_scrolled_to_steps(other)
    open_step(other, "early")
    expect(other).to_have_url(re.compile("step=early"))
    # Earlier, the old value in the address counts as a delayed echo.
    other.wait_for_timeout(1000 * ECHO_SECONDS + 500)
    other.go_back()
    expect_open(other, "assumption")


def test_link_to_a_moved_step_opens_papers(server, page):
    page.goto(f"{server}/top_k?step=graph&topk_graph_steps=4")
    expect(page.get_by_role("slider", name="Nodes on each axis")).to_have_value("4")
    expect(page).to_have_url(re.compile(r"papers\?.*robles_part=search"))


def test_a_student_guesses_drags_and_walks(server, page):
    open_page(page, f"{server}/top_k?topk_guess=true", PAGES["top_k"])
    expect(bars(page)).to_have_count(10)
    expect(metric(page, "Optimum k*")).to_have_count(0)
    page.get_by_role("slider", name="Which k?").press("ArrowRight")
    expect(page.get_by_text("Your guess: flag 1")).to_be_visible()
    page.get_by_role("button", name="Show", exact=True).click()
    expect_best_of(page, DRAWN)
    expect(page).to_have_url(re.compile("topk_shown=true"))

    first = bars(page).nth(0)
    room = first.locator(".track")
    height = room.bounding_box()["height"]
    room.drag_to(room, source_position={"x": 9, "y": 0.2 * height}, target_position={"x": 9, "y": 0.9 * height})
    expect(first).to_have_attribute("aria-valuenow", "0.10")
    dragged = DRAWN.copy()
    dragged[0] = 0.1
    expect_best_of(page, dragged)
    second = bars(page).nth(1)
    second.press("End")
    second.press("ArrowDown")
    expect(second).to_have_attribute("aria-valuenow", "0.99")
    dragged[1] = 0.99
    expect_best_of(page, dragged)
    expect(page).to_have_url(re.compile("topk_p=0.1%2C0.99%2C"))
    settle(page)

    # The address restores the items and the answer.
    open_page(page, page.url, PAGES["top_k"])
    expect_best_of(page, dragged)
    page.get_by_role("button", name="Options").click()
    page.get_by_role("button", name="Back to the draw").click()
    expect_best_of(page, DRAWN)

    open_page(page, f"{server}/papers?paper=robles&robles_part=search&topk_graph_steps=6", PAGES["papers"])
    page.get_by_role("slider", name="Step of the search").press("ArrowRight")
    expect(page.get_by_text("Step 1 of 36.")).to_be_visible()
    page.get_by_role("slider", name="Step of the search").press("End")
    expect(page.get_by_text("Step 36 of 36: the path.")).to_be_visible()
    expect(page).to_have_url(re.compile("topk_step=36"))
    expect(page.get_by_test_id("stException")).to_have_count(0)
