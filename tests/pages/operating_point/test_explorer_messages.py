import json
import re
from dataclasses import fields

import pytest

from tests import message_types
from tests.pages.steps import explorer, opened, run, state
from ui.operating_point.explorer import messages
from ui.operating_point.explorer.component import BROWSER
from ui.operating_point.point_text import PointWords

NAMES = ["Message", "Row", "Table", "ChartMessage", "MethodStyle", "Intervals", "Events"]


def declared(name):
    """The keys of an interface in the browser's half of the contract."""
    body = re.search(rf"^export interface {name} {{$(.*?)^}}$", message_types.text(messages), re.MULTILINE | re.DOTALL)[
        1
    ]
    return re.findall(r"^  (\w+): ", body, re.MULTILINE)


def keys(name):
    return set(getattr(messages, name).__annotations__)


@pytest.mark.parametrize("name", NAMES)
def test_both_sides_of_the_contract_name_the_same_keys(name):
    assert sorted(declared(name)) == sorted(keys(name))


def test_both_sides_name_all_that_is_sent():
    interfaces = set(re.findall(r"^export interface (\w+)", message_types.text(messages), re.MULTILINE))
    assert interfaces == {*NAMES, "PointWords"}
    assert {name for name, value in vars(messages).items() if hasattr(value, "__total__")} == {*NAMES}
    assert set(declared("PointWords")) == {field.name for field in fields(PointWords)}
    assert f"export const CONTRACT = {messages.CONTRACT}\n" in (BROWSER / "protocol.js").read_text()


def test_python_sends_exactly_what_the_contract_names():
    data = explorer(opened(data="Card alerts", goal="manual", hand="0.9,never", now="0.8,never"))
    assert set(data) == keys("Message")
    assert set(data["table"]) == keys("Table")
    assert data["contract"] == messages.CONTRACT
    assert set(data["charts"]) == {"space", "plane", "tp", "fp", "first", "second"}
    for chart in data["charts"].values():
        assert set(chart) == keys("ChartMessage")
        assert all("follows" in json.loads(mark)["meta"] for mark in chart["marks"])
    assert {frozenset(method) for method in data["key"]} == {frozenset(keys("MethodStyle"))}
    rows = [*data["table"]["rows"], data["hand"], data["present"]]
    assert {frozenset(row) for row in rows} == {frozenset(keys("Row"))}
    assert {frozenset(row["words"]) for row in rows} == {frozenset(field.name for field in fields(PointWords))}


@pytest.mark.closed_surfaces
def test_surfaces_are_sent_once_the_browser_has_them_in_sight():
    app = opened(data="Card alerts")
    charts = explorer(app)["charts"]
    assert [name for name, chart in charts.items() if not chart["layout"]] == ["tp", "fp"]
    assert charts["tp"]["title"] == "True positives over the two thresholds (scores)"
    assert not charts["tp"]["traces"]
    state(app).point.surfaces_in_sight = True
    shown = explorer(app.run())["charts"]
    assert all(chart["layout"] and chart["traces"] for chart in shown.values())
    assert [chart["title"] for chart in shown.values()] == [chart["title"] for chart in charts.values()]


def sent(app):
    """The texts of the last message, by name, and all names in it."""
    (found,) = [one for one in app.get("bidi_component") if one.proto.component_name == "multiloss_explorer"]
    data = json.loads(found.proto.json)
    charts = data["charts"].values()
    named = {data["table"], *(name for chart in charts for name in (*chart["traces"], chart["layout"]))}
    return data["texts"], named - {""}


def test_what_the_browser_holds_is_not_sent_again():
    app = opened(data="Card alerts")
    whole, named = sent(app)
    assert set(whole) == named
    assert len(set(whole.values())) == len(whole)
    state(app).point.held_texts = frozenset(named)
    again, named_again = sent(app.run())
    assert (again, named_again) == ({}, named)
    left_out = next(name for name, text in whole.items() if "percents" in text)
    state(app).point.held_texts = frozenset(named - {left_out})
    assert sent(app.run())[0] == {left_out: whole[left_out]}
    state(app).point.held_texts, state(app).point.goals.percent = frozenset(named), 60.0
    assert sent(run(app)) == ({}, named)
