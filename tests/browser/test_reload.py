"""Test files restored from the browser's storage."""

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
    without_webgl,
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
def visitor(flat_page):
    """A page that notes every number of data that it shows, however short."""
    note_numbers(flat_page)
    return flat_page


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


def expect_kept(page, number):
    """Check the number of files that the browser keeps."""
    files = f"{number} file{'' if number == 1 else 's'}"
    expect(page.locator("[class*=st-key-kept_files] .count")).to_have_text(re.compile(f"^{files} kept, "))


def upload_and_keep(page, server, data, name=NAME):
    open_page(page, f"{server}/rated_data", PAGES["rated_data"])
    upload(page, name, data)
    expect(selected(page, "Data")).to_have_value(name)
    expect_kept(page, 1)
    settle(page)


def not_loaded(page):
    return page.get_by_test_id("stAlert").filter(has_text="Your file is not loaded any more")


def test_reload_of_rated_data_shows_same_numbers_and_no_other(server, visitor, data, frame):
    upload_and_keep(visitor, server, data)
    before = shown_numbers(visitor)
    visitor.reload()
    expect(losses(visitor)).to_contain_text(f"{len(frame):,} rows: ")
    assert shown_numbers(visitor) == before
    assert seen(visitor) <= before
    expect(selected(visitor, "Data")).to_have_value(NAME)
    # Also without an address that names it.
    open_page(visitor, f"{server}/rated_data", PAGES["rated_data"])
    expect(losses(visitor)).to_contain_text(f"{len(frame):,} rows: ")
    assert seen(visitor) <= before


def test_reload_of_operating_point_shows_point_that_was_chosen(server, visitor, data, frame):
    upload_and_keep(visitor, server, data)
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
    without_webgl(other)
    note_numbers(other)
    other.goto(address)
    expect_point(other, SCORES, point)
    assert shown_numbers(other) == before
    assert seen(other) <= before


def test_a_new_server_gets_the_file_again(tmp_path, visitor, data, frame):
    port = free_port()
    before = None
    for folder in ("first", "second"):
        (tmp_path / folder).mkdir()
        with app_server(tmp_path / folder, port) as address:
            if before is None:
                upload_and_keep(visitor, address, data)
                before = shown_numbers(visitor)
            else:
                visitor.reload()
            expect(losses(visitor)).to_contain_text(f"{len(frame):,} rows: ")
            assert shown_numbers(visitor) == before
    assert seen(visitor) <= before


def test_file_is_uploaded_again_when_none_is_kept(server, visitor, data, frame):
    upload_and_keep(visitor, server, data)
    visitor.get_by_text("Keep files in this browser").first.click()
    expect_kept(visitor, 0)
    follow(visitor, "Operating point", "Operating point")
    press(visitor, "ArrowRight", "20.5")
    settle_target(visitor, "20.5")
    address = visitor.url
    before = shown_numbers(visitor)
    visitor.reload()
    expect(not_loaded(visitor)).to_contain_text("Upload it again")
    assert seen(visitor) == set()
    assert visitor.url == address
    upload(visitor, NAME, data)
    expect_point(visitor, SCORES, expected_point(frame, SCORES, RATING, percent=20.5))
    assert shown_numbers(visitor) == before
    assert visitor.url == address
    # The goal is kept.
    follow(visitor, "Rated data", "Rated data")
    expect(visitor.get_by_role("switch", name="Keep files in this browser")).not_to_be_checked()
    expect(visitor.locator("[class*=st-key-kept_files] .count")).to_be_hidden()


def test_forgotten_file_is_not_confused_with_its_namesake(server, visitor, data):
    upload_and_keep(visitor, server, data)
    visitor.locator("[class*=st-key-kept_files] .count").click()
    expect(visitor.locator("[class*=st-key-kept_files] li")).to_have_text(re.compile(f"^{NAME}, "))
    visitor.get_by_role("button", name="Forget the files kept in this browser").click()
    expect(visitor.locator("[class*=st-key-kept_files] .notice")).to_contain_text("Forgotten")
    visitor.reload()
    expect(not_loaded(visitor)).to_be_visible()
    assert seen(visitor) == set()
    other = rated_csv(6)
    upload(visitor, NAME, other)
    rows = f"{len(pd.read_csv(io.BytesIO(other))):,}"
    expect(losses(visitor)).to_contain_text(f"{rows} rows: ")
    expect(visitor.get_by_test_id("stAlert").filter(has_text="not the same file as before")).to_be_visible()


def test_the_longest_unused_file_makes_room_and_is_named(server, visitor, data):
    open_page(visitor, f"{server}/rated_data", PAGES["rated_data"])
    upload(visitor, NAME, data)
    expect_kept(visitor, 1)
    settle(visitor)
    # As if a file of nearly all the room had been kept long ago.
    visitor.evaluate(
        """async () => {
            const opening = indexedDB.open('multiloss')
            await new Promise(done => opening.onsuccess = done)
            const transaction = opening.result.transaction('files', 'readwrite')
            const file = new Blob([new Uint8Array(249_900_000)])
            transaction.objectStore('files').put({
                shelf: 'data', name: 'long ago.csv', digest: '0'.repeat(64), size: file.size, used: 1, file })
            await new Promise(done => transaction.oncomplete = done)
            opening.result.close()
        }"""
    )
    upload(visitor, "new.csv", rated_csv(7))
    said = visitor.locator("[class*=st-key-kept_files] .notice")
    expect(said).to_have_text("No longer kept in this browser, to make room: long ago.csv.")
    expect_kept(visitor, 2)


def test_browser_without_storage_is_explained(server, visitor, data, frame):
    visitor.add_init_script("indexedDB.open = () => { throw new DOMException('no', 'SecurityError') }")
    open_page(visitor, f"{server}/rated_data", PAGES["rated_data"])
    upload(visitor, NAME, data)
    expect(losses(visitor)).to_contain_text(f"{len(frame):,} rows: ")
    about = visitor.locator("[class*=st-key-kept_files] .about")
    expect(about).to_contain_text("This browser keeps no files for this page")
    visitor.reload()
    expect(not_loaded(visitor)).to_be_visible()
    assert seen(visitor) == set()
