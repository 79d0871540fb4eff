"""The report of a decision as a file in the browser of somebody who is offline."""

import numpy as np
import pytest
from playwright.sync_api import expect

from multiloss_core import count_surfaces, graph_path, operating_point, simulate_population
from multiloss_core.decisions import html_report
from multiloss_core.figures import count_surface, tp_fp_plane
from tests.decisions.records import HOSTILE_NAMES, make_record


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    documents = simulate_population(np.random.default_rng(3), documents=5000, classifiers=2, prevalence=0.02).rated()
    surfaces = count_surfaces(documents, resolution=20)
    path = graph_path(surfaces)
    figures = {
        "Counts": tp_fp_plane([path], [operating_point(path, 0.2)], chosen="graph", theme="light"),
        HOSTILE_NAMES[6]: count_surface(surfaces, [path], count="tp", theme="light"),
    }
    file = tmp_path_factory.mktemp("report") / "report.html"
    record = make_record(HOSTILE_NAMES, (0.5,) * len(HOSTILE_NAMES), reason=HOSTILE_NAMES[6])
    file.write_text(html_report(record, figures), encoding="utf-8")
    return file


def test_it_is_complete_offline_on_the_screen_and_on_paper(report, new_page):
    page = new_page(offline=True)
    complaints, requests = [], []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("request", lambda request: requests.append(request.url))
    page.on("dialog", lambda dialog: (complaints.append(dialog.message), dialog.dismiss()))
    page.goto(report.as_uri())
    page.wait_for_selector("#figure-1 .main-svg")
    page.wait_for_selector("#figure-2 canvas")
    picture = page.locator("img.on-paper")
    page.wait_for_function("document.querySelector('img.on-paper')?.naturalWidth > 0")
    expect(picture).to_have_count(1)
    expect(picture).to_be_hidden()
    page.emulate_media(media="print")
    expect(picture).to_be_visible()
    expect(page.locator("#figure-2")).to_be_hidden()
    expect(page.locator("#figure-1")).to_be_visible()
    assert complaints == []
    assert [url for url in requests if not url.startswith(("file:", "blob:", "data:"))] == []


def test_it_fits_a_phone(report, new_page):
    page = new_page(viewport={"width": 390, "height": 800})
    page.goto(report.as_uri())
    page.wait_for_selector("#figure-2 canvas")
    page.wait_for_function("document.documentElement.scrollWidth <= 390")
