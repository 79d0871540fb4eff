"""Check every page with axe in the dark; tests/browser/test_pages.py does so in the light."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browser.steps import PAGES, open_page

SERIOUS = ("serious", "critical")


@pytest.mark.parametrize("page_name", PAGES)
def test_page_has_no_serious_accessibility_violation(new_page, server, page_name):
    page = new_page(color_scheme="dark", viewport={"width": 1280, "height": 800})
    open_page(page, f"{server}/{page_name}", PAGES[page_name])
    expect_accessible(page)


def expect_accessible(page):
    found = Axe().run(page).response["violations"]
    serious = {one["id"]: [node["html"][:200] for node in one["nodes"]] for one in found if one["impact"] in SERIOUS}
    assert not serious, serious
