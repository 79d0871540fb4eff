"""Test the report of a decision in a browser without network."""

import re

import numpy as np
import pytest

from multiloss_core import count_surfaces, graph_path, operating_point, simulate_population
from multiloss_core.decisions import html_report
from multiloss_core.figures import plane_drawing, surface_drawing
from tests.decisions.records import HOSTILE_NAMES, make_record


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    documents = simulate_population(np.random.default_rng(3), documents=5000, classifiers=2, prevalence=0.02).rated()
    surfaces = count_surfaces(documents, resolution=20)
    path = graph_path(surfaces)
    figures = {
        "Counts": plane_drawing(path, operating_point(path, 0.2)),
        HOSTILE_NAMES[6]: surface_drawing(surfaces, path, operating_point(path, 0.2), count="tp"),
    }
    file = tmp_path_factory.mktemp("report") / "report.html"
    record = make_record(HOSTILE_NAMES, (0.5,) * len(HOSTILE_NAMES), reason=HOSTILE_NAMES[6])
    file.write_text(html_report(record, figures), encoding="utf-8")
    return file


def test_report_is_complete_offline_at_every_width_and_on_paper(report, new_page):
    page = new_page(offline=True)
    complaints, requests = [], []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("request", lambda request: requests.append(request.url))
    page.on("dialog", lambda dialog: (complaints.append(dialog.message), dialog.dismiss()))
    page.goto(report.as_uri())
    for width in (1280, 640):
        page.set_viewport_size({"width": width, "height": 800})
        for drawing in page.locator("svg").all():
            assert drawing.bounding_box()["height"] > 200
    page.set_viewport_size({"width": 390, "height": 800})
    page.wait_for_function("document.documentElement.scrollWidth <= 390")
    sheets = re.findall(rb"/Type\s*/Page\b", page.pdf(prefer_css_page_size=True, print_background=True))
    assert 2 <= len(sheets) <= 5
    assert complaints == []
    assert [url for url in requests if not url.startswith(("file:", "blob:", "data:"))] == []
