"""Test the decision curve, both rules and the graph against the core and pandas."""

import json
import re

import pytest

from multiloss_core import operating_point
from tests.pages.operating_point.test_operating_point import paths_of
from tests.pages.steps import opened, run

NAME = "Card alerts"


@pytest.fixture(scope="module")
def app():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ui.operating_point.path_tasks.MOMENT", 180.0)
        page = opened(data=NAME)
        page.session_state["view"] = "methods"
        for section in ("decision_curve", "as_graph"):
            page.session_state[section] = True
        yield run(page)


def chart(app, key):
    return next(one.proto for one in app.get("plotly_chart") if one.key == key or key in one.proto.id)


def test_decision_curve_has_the_net_benefit_of_path_and_floors(app):
    words = chart(app, "decision_curve_chart").alt
    path, m = paths_of(NAME)["smooth"], 0.2
    point = operating_point(path, m)
    for label, tp, fp in (("smooth path", point.tp, point.fp), ("flag all rated", path.tp.max(), path.fp.max())):
        assert f"{label} {tp - m / (1 - m) * fp:,.1f}" in words


def test_graph_has_the_same_area_by_networkx_and_by_the_sweep(app):
    (said,) = [one.value for one in app.caption if "Bellman" in one.value]
    assert said.startswith("36 nodes, 60 edges.")
    areas = re.findall(r"([\d,]+\.\d)", said)
    assert len(areas) == 2
    assert areas[0] == areas[1]
    drawn = json.loads(chart(app, "graph_nodes_chart").spec)["layout"]["title"]["text"]
    assert drawn == "Threshold graph and its shortest path"
