"""Test files that the server keeps: reloads, new servers, links and deletion."""

import io
import re

import pandas as pd
import pytest
from playwright.sync_api import expect

from tests.app_server import app_server, free_port
from tests.browser.steps import (
    PAGES,
    expect_point,
    expected_point,
    follow,
    losses,
    open_page,
    press,
    rated_csv,
    selected,
    settle,
    settle_target,
    upload,
)

NAME = "my alerts, é.csv"
SCORES, RATING = ["card score", "device score"], "verdict"


@pytest.fixture(scope="module")
def data():
    return rated_csv()


@pytest.fixture(scope="module")
def frame(data):
    return pd.read_csv(io.BytesIO(data))


@pytest.fixture
def visitor(page):
    """A page that notes every number of data that it shows, however short."""
    note_numbers(page)
    return page


def note_numbers(page):
    page.add_init_script(
        """
        window.seen = new Set();
        const numbers = '[data-testid=stMetricValue], .explorer dd:not(.between)';
        new MutationObserver(() => document.querySelectorAll(numbers)
            .forEach(element => window.seen.add(element.innerText.trim())))
            .observe(document, { childList: true, subtree: true, characterData: true });
        """
    )


def seen(page):
    return set(page.evaluate("() => [...window.seen]")) - {""}


def shown_numbers(page):
    settle(page)
    return set(page.locator("[data-testid=stMetricValue], .explorer dd:not(.between)").all_inner_texts()) - {""}


def open_and_upload(page, server, data, name=NAME):
    open_page(page, f"{server}/rated_data", PAGES["rated_data"])
    upload(page, name, data)
    expect(selected(page, "Data")).to_have_value(name)
    settle(page)
    expect(page).to_have_url(re.compile("data_file=[0-9a-f]{44}$"))


def not_loaded(page):
    return page.get_by_test_id("stAlert").filter(has_text="Your file is not loaded any more")


def test_reload_of_rated_data_shows_same_numbers_and_no_other(server, visitor, data, frame):
    open_and_upload(visitor, server, data)
    before = shown_numbers(visitor)
    visitor.reload()
    expect(losses(visitor)).to_contain_text(f"{len(frame):,} rows: ")
    assert shown_numbers(visitor) == before
    assert seen(visitor) <= before
    expect(selected(visitor, "Data")).to_have_value(NAME)


def test_reload_of_operating_point_shows_point_that_was_chosen(server, visitor, new_page, data, frame):
    open_and_upload(visitor, server, data)
    follow(visitor, "Operating point", "Operating point")
    for percent in ("20.5", "21", "21.5"):
        press(visitor, "ArrowRight", percent)
    settle_target(visitor, "21.5")
    point = expected_point(frame, SCORES, RATING, percent=21.5)
    expect_point(visitor, SCORES, point)
    address, before = visitor.url, shown_numbers(visitor)
    visitor.reload()
    expect_point(visitor, SCORES, point)
    assert shown_numbers(visitor) == before
    assert seen(visitor) <= before
    assert visitor.url == address

    # The copied address in another tab, while this one is open.
    other = visitor.context.new_page()
    note_numbers(other)
    other.goto(address)
    expect_point(other, SCORES, point)
    assert shown_numbers(other) == before
    assert seen(other) <= before

    # A colleague, whose moves are her own.
    colleague = new_page()
    colleague.goto(address)
    expect_point(colleague, SCORES, point)
    press(colleague, "ArrowRight", "22")
    visitor.reload()
    expect_point(visitor, SCORES, point)


def test_a_new_server_gets_the_file_again(tmp_path, visitor, data, frame):
    port = free_port()
    before = None
    for _ in range(2):
        with app_server(tmp_path, port) as address:
            if before is None:
                open_and_upload(visitor, address, data)
                before = shown_numbers(visitor)
            else:
                visitor.reload()
            expect(losses(visitor)).to_contain_text(f"{len(frame):,} rows: ")
            assert shown_numbers(visitor) == before
    assert seen(visitor) <= before


def test_a_deleted_file_is_uploaded_again_and_the_goal_stays(server, visitor, new_page, data, frame):
    open_and_upload(visitor, server, data)
    link = visitor.url
    follow(visitor, "Operating point", "Operating point")
    press(visitor, "ArrowRight", "20.5")
    settle_target(visitor, "20.5")
    address = visitor.url
    other = new_page()
    open_page(other, link, PAGES["rated_data"])
    other.get_by_text("Kept on this server").click()
    other.get_by_role("button", name="Delete this file").click()
    expect(other.get_by_text(f"'{NAME}' is deleted.")).to_be_visible()
    visitor.evaluate("window.seen.clear()")
    visitor.reload()
    expect(not_loaded(visitor)).to_contain_text("Upload it again")
    assert seen(visitor) == set()
    assert visitor.url == address
    upload(visitor, NAME, data)
    expect_point(visitor, SCORES, expected_point(frame, SCORES, RATING, percent=20.5))
