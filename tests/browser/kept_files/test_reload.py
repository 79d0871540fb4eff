"""Files come back from the browser's own storage, and until then no other data takes their place."""

import io
import re

import pandas as pd
import pytest
from playwright.sync_api import expect

from tests.browser.steps import (
    PAGES,
    metric,
    open_page,
    rated_csv,
    selected,
    settle,
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
def visitor(new_page):
    """A page that notes every number of data that it shows, however short."""
    page = new_page()
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


def expect_kept(page, number):
    """The page says how many files the browser keeps."""
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


def test_a_reload_of_the_rated_data_shows_the_same_numbers_and_no_other(server, visitor, data, frame):
    upload_and_keep(visitor, server, data)
    before = shown_numbers(visitor)
    visitor.reload()
    expect(metric(visitor, "Rows read")).to_have_text(f"{len(frame):,}")
    assert shown_numbers(visitor) == before
    assert seen(visitor) <= before
    expect(selected(visitor, "Data")).to_have_value(NAME)
    # Also without an address that names it.
    open_page(visitor, server, PAGES["rated_data"])
    expect(metric(visitor, "Rows read")).to_have_text(f"{len(frame):,}")
    assert seen(visitor) <= before
