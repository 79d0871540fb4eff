"""Test that figures show column names literally, never as markup."""

import json
import re
from html import unescape
from xml.etree import ElementTree

import numpy as np
import pytest

from multiloss_core import (
    RatedDocuments,
    count_surfaces,
    graph_path,
    operating_point,
    simulate_population,
    smooth_path,
)
from multiloss_core.decisions import html_report
from multiloss_core.figures import (
    CurveMark,
    count_surface,
    curves_drawing,
    loss_curve,
    plane_drawing,
    profit_chart,
    score_histogram,
    space_drawing,
    surface_drawing,
    threshold_curves,
    threshold_graph,
    threshold_space,
)
from multiloss_core.thresholds import Payoffs, cases_along, profit_curve, to_networkx
from tests.decisions.records import make_record

MARK = "zq"
NAMES = (
    f"<b>{MARK}</b>",
    f"<a href='//e'>{MARK}</a>",
    f"{MARK}&lt;i",
    f"${MARK}_1$",
    f"%{{x}}{MARK}",
    f"{MARK}<img src=x onerror=alert(1)>",
    f":red[{MARK}]",
    f"\u202e{MARK}",
)
# What Plotly takes for markup: its tags, and unless it draws in space two dollar signs and names in templates.
TAG = re.compile(r"</?(br|b|strong|i|em|sub|sup|span|a|s|u)\b[^<>]*>", re.IGNORECASE)
MARKUP = re.compile(rf"{TAG.pattern}|\$+[^$]*\$+|%\{{", re.IGNORECASE)


def documents_of(name):
    simulated = simulate_population(np.random.default_rng(3), documents=5000, classifiers=2, prevalence=0.02).rated()
    return RatedDocuments(simulated.scores, simulated.labels, names=(name, "other"))


def figures_of(name):
    """Every figure that shows a name, by the kind of what is drawn."""
    documents = documents_of(name)
    only = RatedDocuments(documents.scores[:, :1], documents.labels, names=(name,))
    surfaces, path, look = count_surfaces(documents, resolution=6), smooth_path(documents), {"theme": "light"}
    found = graph_path(surfaces)
    profit = profit_curve(cases_along(path, documents, None), Payoffs(review=1.0, catch=5.0))
    return {
        "surface": count_surface(surfaces, [path], count="tp", **look),
        "loss": loss_curve(np.arange(4.0), [CurveMark(name, 1)], loss_name=name, **look),
        "profit": profit_chart(profit, "smooth", {"chosen point": (1.0, 2.0)}, currency=name, **look),
        "histogram": score_histogram(documents, 0, **look),
        "curves": threshold_curves(smooth_path(only), **look),
        "graph": threshold_graph(to_networkx(surfaces), [], **look),
        "space": threshold_space(surfaces, [found], [operating_point(found, 0.2)], chosen="graph", **look),
    }


def texts(content):
    """Every text of a figure, wherever it stands."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, dict | list):
        for inner in content.values() if isinstance(content, dict) else content:
            yield from texts(inner)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_no_figure_reads_a_name_as_markup(name):
    for kind, figure in figures_of(name).items():
        shown = [text for text in texts(json.loads(figure.to_json())) if MARK in text]
        assert shown, kind
        for text in shown:
            # A template's own words are no names.
            without = re.sub(r"%\{[^{}]*\}|<br>|</?extra>", "", text) if "<extra>" in text else text
            assert not (TAG if kind == "surface" else MARKUP).search(without), (kind, text)
            plain = text.replace("\u2060", "") if kind == "surface" else unescape(text)
            assert name in plain or name[:8] in plain, (kind, text)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_drawings_and_the_report_hold_a_name_as_text(name):
    documents = documents_of(name)
    surfaces, path = count_surfaces(documents, resolution=6), smooth_path(documents)
    point = operating_point(path, 0.2)
    only = smooth_path(RatedDocuments(documents.scores[:, :1], documents.labels, names=(name,)))
    named = {
        "space": space_drawing(surfaces, path, point),
        "curves": curves_drawing(only, operating_point(only, 0.2)),
        "surface": surface_drawing(surfaces, path, point, count="tp"),
    }
    for kind, drawing in named.items():
        root = ElementTree.fromstring(drawing)
        assert any(MARK in "".join(part.itertext()) for part in root.iter() if part.tag.endswith("text")), kind
        assert {part.tag.rpartition("}")[2] for part in root.iter()}.isdisjoint({"a", "b", "img", "script", "i"})
    report = html_report(make_record((name, "other")), named | {name: plane_drawing(path, point)})
    assert not re.search(r"<(img|a|b|sub)\b[^>]*>\s*zq", report, re.IGNORECASE)
