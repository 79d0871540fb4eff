import dataclasses
import re
import tomllib
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from multiloss_core import count_surfaces, graph_path, operating_point, simulate_population
from multiloss_core.decisions import RecordedData, html_report
from multiloss_core.decisions.evidence import RecordedWeek
from multiloss_core.decisions.reporting.summary import sections
from multiloss_core.decisions.templating import environment
from multiloss_core.figures import plane_drawing, space_drawing, surface_drawing, weeks_drawing
from multiloss_core.formatting import Vocabulary, visible
from tests.decisions.records import HOSTILE_NAMES, make_record, records

ADDRESSES = ("src", "href", "srcset", "data", "action", "poster", "background", "xlink:href", "formaction")


class Page(HTMLParser):
    """Parse a page into its elements, its visible text and the text of each cell."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.words, self.cells, self.scripts = [], [], [], []
        self.open = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in ("meta", "br"):
            self.open.append(tag)
        if tag in ("td", "th"):
            self.cells.append("")
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts[-1] += data
        elif self.open and self.open[-1] != "style":
            self.words.append(data)
            if self.open[-1] in ("td", "th"):
                self.cells[-1] += data

    @property
    def text(self):
        return "".join(self.words)


@pytest.fixture(scope="module")
def drawings():
    documents = simulate_population(np.random.default_rng(3), documents=5000, classifiers=2, prevalence=0.02).rated()
    surfaces = count_surfaces(documents, resolution=20)
    path = graph_path(surfaces)
    point = operating_point(path, 0.2)
    return {
        "True against false positives": plane_drawing(path, point),
        "Threshold space": space_drawing(surfaces, path, point),
        "True positives": surface_drawing(surfaces, path, point, count="tp"),
    }


def test_the_numbers_are_there(drawings):
    record = make_record()
    page = Page(html_report(record, drawings))
    for number in ("300", "1,100", "1,400", "270 to 320", "0.75", "0.5", "+0.25", "−400", "5,000", "ab" * 32):
        assert number in page.cells
    for words in (
        "Thresholds for alerts.csv",
        "Decided by A. Nalyst, 2026-01-31 09:30 UTC.",
        "Fewer false alerts.\nThe team is small.",
        "4 false alerts for each extra positive caught",
        "recall, the false positive rate and F1 cannot be computed",
        "Threshold space",
    ):
        assert words in page.text


def test_nothing_is_loaded_from_anywhere(drawings):
    text = html_report(make_record(HOSTILE_NAMES, (0.5,) * len(HOSTILE_NAMES)), drawings)
    page = Page(text)
    for tag, attributes in page.elements:
        assert tag not in ("link", "iframe", "object", "embed", "base", "img", "form"), tag
        # Charts refer to their own marks.
        assert all(attributes[name].startswith("#m") for name in set(attributes) & set(ADDRESSES)), (tag, attributes)
    assert not re.search(r"@import|url\(", text.split("<body>")[0])
    policy = next(attributes["content"] for tag, attributes in page.elements if "http-equiv" in attributes)
    assert policy.startswith("default-src 'none'")
    assert "http" not in policy


def test_it_is_small_and_runs_nothing(drawings):
    text = html_report(make_record(), drawings)
    page = Page(text)
    assert not page.scripts
    assert [tag for tag, _ in page.elements].count("figure") == 3
    assert len(text) < 1_000_000


@pytest.mark.slow
@pytest.mark.parametrize("hostile", HOSTILE_NAMES)
def test_hostile_texts_are_shown_as_text(hostile):
    record = make_record((hostile, "b"), author=hostile, reason=hostile)
    record = dataclasses.replace(record, data=RecordedData(hostile, "0" * 64))
    week = RecordedWeek(1.0, 2.0, monday="2026-01-05")
    vocabulary = Vocabulary(true_positives=hostile)
    text = html_report(record, {hostile: weeks_drawing([week], vocabulary)})
    page, hostile = Page(text), visible(hostile)
    allowed = {"html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "p", "section", "blockquote"}
    allowed |= {"table", "thead", "tbody", "tr", "th", "td", "figure", "figcaption", "div", "ul", "li"}
    allowed |= {"svg", "g", "text", "path", "use", "defs", "clippath", "rect"}
    assert {tag for tag, _ in page.elements} <= allowed
    assert not any(name.startswith("on") for _, attributes in page.elements for name in attributes)
    assert hostile in page.cells
    assert ("figure", {"aria-label": hostile}) in page.elements
    assert page.text.count(hostile.strip()) >= 5
    assert not page.open


@given(records())
def test_every_cell_of_any_record_is_shown_as_it_is(record):
    page = Page(html_report(record))
    rows = [row for section in sections(record) for row in (section.header, *section.rows) if section.rows]
    shown = [" ".join(visible(cell).split()) for row in rows for cell in row]
    assert [" ".join(cell.split()) for cell in page.cells] == shown


def test_every_template_is_installed_with_the_library():
    root = Path(__file__).resolve().parents[2]
    patterns = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"][
        "multiloss_core"
    ]
    installed = {path for pattern in patterns for path in (root / "multiloss_core").glob(pattern)}
    used = {root / "multiloss_core/decisions/templates" / name for name in environment(str).list_templates()}
    assert len(used) == 5
    assert used <= installed
