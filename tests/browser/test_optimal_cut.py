import io
import re

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

from multiloss_core import F, optimal_top_k
from tests.browser.steps import (
    PAGES,
    cells,
    open_page,
    settle,
    upload,
)

ITEMS = 1_000_000


@pytest.fixture(scope="module")
def million():
    """A file of a million items, some of them marked as fraud, and the same as a table."""
    generator = np.random.default_rng(12)
    probabilities = (1 / (1 + np.exp(5 - 1.8 * generator.standard_normal(ITEMS)))).round(6)
    frame = pd.DataFrame(
        {
            "alert": np.arange(ITEMS) + 10_000_000,
            "probability": probabilities,
            "outcome": np.where(generator.random(ITEMS) < probabilities, "fraud", "ok"),
        }
    )
    return frame.to_csv(index=False).encode(), frame


def answer(page):
    return page.get_by_role("heading", name=re.compile(r"^Under .* flag"))


def test_a_million_items_from_the_file_to_the_rows_taken_away(server, new_page, million, tmp_path):
    data, frame = million
    file = tmp_path / "million.csv"
    file.write_bytes(data)
    best = optimal_top_k(frame["probability"], F())
    page = new_page(viewport={"width": 1280, "height": 900})
    open_page(page, f"{server}/optimal_cut", PAGES["optimal_cut"])
    page.evaluate(
        """() => {
            window.shown = new Set();
            new MutationObserver(() => document.querySelectorAll('[data-testid=stSpinner], [data-testid=stProgress]')
                .forEach(element => window.shown.add(element.innerText.trim())))
                .observe(document.body, {childList: true, subtree: true, characterData: true});
        }"""
    )
    page.locator("[data-testid=stFileUploader] input[type=file]").set_input_files(file)
    expect(answer(page)).to_contain_text(f"flag the {best.k:,} most probable of 1,000,000 items")
    settle(page)
    # Cells hold their numbers unformatted for screen readers.
    expect(cells(page, "Cut", "Items").first).to_have_text(f"{best.k}")
    expected = float(cells(page, "Cut", "Expected loss").first.inner_text())
    assert expected == pytest.approx(best.expected_loss, abs=1e-6)

    page.get_by_role("radio", name="All losses").click()
    expect(page.get_by_text("G-Mean and H-Mean take at most 20,000 items")).to_be_visible()
    settle(page)
    expect(page.get_by_role("progressbar")).to_have_count(0)
    shown = page.evaluate("() => [...window.shown]")
    # Which of the many indications are caught depends on the machine; that there are some does not.
    assert shown

    with page.expect_download() as download:
        page.get_by_role("button", name=f"Download the {best.k:,} selected items").click()
    taken = pd.read_csv(io.BytesIO(download.value.path().read_bytes()))
    pd.testing.assert_frame_equal(taken, frame[best.selected].reset_index(drop=True))

    upload(page, "percent.csv", b"id,prob\na,50\nb,70\nc,93\n")
    expect(page.get_by_test_id("stAlert").filter(has_text="divide by 100")).to_be_visible()
    settle(page)
    expect(answer(page)).to_contain_text("1,000,000 items")
    expect(page.get_by_test_id("stException")).to_have_count(0)
