"""Names of columns are drawn letter by letter: Plotly reads tags, entities and fields, SVG reads tags and entities."""

import xml.etree.ElementTree as ET
from html import unescape

import numpy as np
import pytest

from multiloss_core import RatedDocuments, count_surfaces, graph_path, operating_point
from multiloss_core.figures import (
    contributions_chart,
    count_surface,
    curves_drawing,
    profit_chart,
    score_histogram,
    space_backdrop,
    space_drawing,
    surface_drawing,
    threshold_curves,
)
from multiloss_core.inspection import contributions
from multiloss_core.thresholds import ProfitCurve

HOSTILE = (
    "<b>bold</b>",
    "<a href='http://evil.example'>x</a>",
    "<img src=x onerror=alert(1)>",
    "a &lt; b &amp; c",
    "AT&T",
    "%{x} %{customdata[0]}",
    "$e^2$",
    "one<br>two",
)


def documents_of(*names):
    generator = np.random.default_rng(1)
    labels = generator.random(300) < 0.3
    scores = np.clip(generator.normal(0.4 + 0.2 * labels[:, np.newaxis], 0.2, (300, len(names))), 0, 1)
    return RatedDocuments(scores, labels, names=names, floors=[0.0] * len(names))


def texts(part):
    """All texts of a figure, wherever they stand."""
    if isinstance(part, str):
        yield part
    elif isinstance(part, dict):
        for one in part.values():
            yield from texts(one)
    elif isinstance(part, list | tuple | np.ndarray) and getattr(part, "dtype", None) in (None, object):
        for one in part:
            yield from texts(one)


def figures_of(name):
    pair, single = documents_of(name, f"{name} 2"), documents_of(name)
    surfaces, alone = count_surfaces(pair, resolution=8), count_surfaces(single, resolution=8)
    path = graph_path(surfaces)
    curve = ProfitCurve(np.arange(3.0), np.arange(3.0))
    yield score_histogram(pair, 0, theme="light")
    yield space_backdrop(surfaces, [path], theme="light")
    yield count_surface(surfaces, [path], count="tp", theme="light")
    yield threshold_curves(graph_path(alone), theme="light")
    yield contributions_chart(contributions(pair, [0.5, 0.5], "any"), pair.names, theme="light")
    yield profit_chart(curve, "graph", {}, theme="light", currency=name)


@pytest.mark.parametrize("name", HOSTILE)
def test_plotly_shows_names_as_they_are(name):
    for figure in figures_of(name):
        said = list(texts(figure.to_plotly_json()))
        # Read as Plotly reads it: entities last.
        assert any(name in unescape(text) for text in said), figure.layout.title.text
        if any(sign in name for sign in ("<", "&", "%{")):
            assert not [text for text in said if name in text]


@pytest.mark.parametrize("name", HOSTILE)
def test_drawings_show_names_as_they_are(name):
    pair, single = documents_of(name, f"{name} 2"), documents_of(name)
    surfaces, alone = count_surfaces(pair, resolution=8), count_surfaces(single, resolution=8)
    path, own = graph_path(surfaces), graph_path(alone)
    point = operating_point(path, 0.3)
    for drawing in (
        space_drawing(surfaces, path, point),
        surface_drawing(surfaces, path, point, count="tp"),
        curves_drawing(own, operating_point(own, 0.3)),
    ):
        read = ET.fromstring(drawing)
        assert name[:12] in "".join(read.itertext())
        assert {element.tag for element in read.iter()} <= {
            "svg",
            "text",
            "path",
            "rect",
            "polygon",
            "line",
            "g",
            "polyline",
            "circle",
        }
