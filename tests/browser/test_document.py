"""Test the HTML document of both commands: style, headers, history, the lost server."""

import re
import urllib.request

import pytest
from playwright.sync_api import expect

from tests.app_server import app_server
from tests.browser.steps import PAGES, follow, open_page, percent_box, settle, settle_target


@pytest.fixture(scope="module", params=["app.py", "server.py"])
def started(request, tmp_path_factory):
    with app_server(tmp_path_factory.mktemp("started"), script=request.param) as address:
        yield address


def test_both_commands_start_the_same_server(started, new_page):
    with urllib.request.urlopen(f"{started}/_stcore/health", timeout=30) as answer:
        assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
    page = new_page(viewport={"width": 1440, "height": 900})
    open_page(page, f"{started}/operating_point", PAGES["operating_point"])
    expect(page).to_have_title("Operating point · Multiloss")
    # The style puts the data and the controls on one row, the charts right below.
    assert page.locator(".explorer").bounding_box()["y"] < 250


def test_back_leads_to_the_page_before(server, page):
    open_page(page, f"{server}/rated_data", PAGES["rated_data"])
    follow(page, "Operating point", PAGES["operating_point"])
    steps = page.evaluate("history.length")
    for percent in (30, 40, 50):
        percent_box(page).fill(str(percent))
        percent_box(page).press("Enter")
        settle_target(page, percent)
    assert page.evaluate("history.length") == steps
    page.go_back()
    expect(page).to_have_url(re.compile("/rated_data"))
    expect(page.get_by_role("heading", name=PAGES["rated_data"], exact=True)).to_be_visible()
    page.go_forward()
    settle_target(page, 50)
    expect(percent_box(page)).to_have_value("50")


@pytest.mark.parametrize("address", ["?data=Card+alerts", "?to=operating_point&m=40"])
def test_back_leaves_an_address_that_leads_elsewhere(server, page, address):
    page.goto(f"{server}/_stcore/health")
    page.goto(f"{server}/{address}")
    expect(page).to_have_url(re.compile("/(rated_data|operating_point)"))
    settle(page)
    page.go_back()
    expect(page).to_have_url(re.compile("/health$"))


def test_lost_server_shows_our_sentence(tmp_path, page):
    with app_server(tmp_path) as address:
        open_page(page, f"{address.replace('127.0.0.1', 'localhost')}/papers", PAGES["papers"])
    lost = page.get_by_role("dialog")
    expect(lost).to_contain_text("Multiloss")
    assert "treamlit" not in lost.inner_text()
