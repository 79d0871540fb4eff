"""Test a lesson on the screen Top-k: guess, show, drag, type, walk the graph."""

import re

import numpy as np
from playwright.sync_api import expect

from multiloss_core import F, optimal_top_k
from multiloss_core.losses import sigmoid_items
from tests.browser.steps import PAGES, metric, open_page, open_part, settle

DRAWN = np.sort(sigmoid_items(np.random.default_rng(70), n=10).probabilities)[::-1].round(4)


def bars(page):
    return page.locator(".probability-bars .bar")


def expect_best_of(page, probabilities):
    """Wait until the bars and the number say what the library finds."""
    best = optimal_top_k(probabilities, F())
    expect(metric(page, "Optimum k*")).to_have_text(f"{best.k}")
    for bar, flagged in zip(bars(page).all(), best.selected, strict=True):
        expect(bar).to_have_attribute("aria-valuetext", re.compile(r"\d, flagged" if flagged else "not flagged"))


def test_a_student_guesses_drags_and_walks(server, page):
    open_page(page, f"{server}/top_k", PAGES["top_k"])
    expect(bars(page)).to_have_count(10)
    expect(metric(page, "Optimum k*")).to_have_count(0)
    page.get_by_role("slider", name="Which k?").press("ArrowRight")
    expect(page.get_by_text("Your guess: flag 1")).to_be_visible()
    page.get_by_role("button", name="Show", exact=True).click()
    expect(metric(page, "Your k")).to_have_text("1")
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
    page.get_by_role("button", name="Back to the draw").click()
    expect_best_of(page, DRAWN)

    open_part(page, "Thresholds of several classifiers as a shortest path")
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_text("Step 1 of 36.")).to_be_visible()
    page.get_by_role("button", name="Run to the end").click()
    expect(page.get_by_text("Step 36 of 36: the path.")).to_be_visible()
    expect(page).to_have_url(re.compile("topk_step=36"))
    expect(page.get_by_test_id("stException")).to_have_count(0)


def test_without_dragging_the_same_is_typed(server, page):
    open_page(page, f"{server}/top_k?plain=true&topk_guess=false&topk_n=3", PAGES["top_k"])
    expect(bars(page)).to_have_count(0)
    page.get_by_text("Type them").click()
    box = page.get_by_role("textbox", name="Probabilities of the 3 items")
    box.fill("0.9, 0.8, 0.1")
    box.press("Enter")
    expect(metric(page, "Optimum k*")).to_have_text(f"{optimal_top_k([0.9, 0.8, 0.1], F()).k}")
    expect(page).to_have_url(re.compile("topk_p=0.9%2C0.8%2C0.1"))
