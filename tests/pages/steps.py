"""Open pages of the app, run them and read their contents."""

import json
import math
from pathlib import Path

from streamlit.testing.v1 import AppTest

from ui.operating_point.active_goal import GOALS
from ui.shared.session import KEY, Session

APP = Path(__file__).parents[2] / "app.py"


def complete(patch, *, surfaces=True):
    """Wait for all paths and draw the surfaces: an AppTest neither reruns nor opens tabs."""
    patch.setattr("ui.operating_point.path_tasks.MOMENT", 180.0)
    if surfaces:
        patch.setattr("ui.operating_point.explorer.component._are_surfaces_in_sight", lambda: True)


def opened(page="operating_point", **query):
    """A page, opened by a link."""
    app = AppTest.from_file(APP, default_timeout=180)
    for key, value in query.items():
        app.query_params[key] = value
    return run(app.switch_page(f"pages/{page}.py"))


def goal_called(label):
    """The key, as an address holds it, of what the screen calls so."""
    return next(key for key, goal in GOALS.items() if goal.label == label)


VIEW_OF = {
    **dict.fromkeys(("compare", "forms", "guarantee"), "compare"),
    **dict.fromkeys(("sources", "segments"), "rules"),
    **dict.fromkeys(("periods", "near", "next_ratings"), "time"),
    **dict.fromkeys(("margins", "as_graph", "decision_curve", "profit", "methodologists"), "methods"),
}


def unfold(app, section):
    """Open a section that is drawn on request, in its view."""
    if section in VIEW_OF and ("view" not in app.session_state or app.session_state["view"] != VIEW_OF[section]):
        app.session_state["view"] = VIEW_OF[section]
        run(app)
    if section not in app.session_state or not app.session_state[section]:
        app.session_state[section] = True
        run(app)
    return app


def run(step):
    """Run an app, or the app of a widget that was just changed."""
    app = step.run()
    assert not app.exception
    return app


def state(app):
    """Return the session state besides the values of widgets."""
    if KEY not in app.session_state:
        app.session_state[KEY] = Session()
    return app.session_state[KEY]


def tasks_of(app, *kinds):
    """The background tasks of some kinds, the oldest first."""
    return [task for kind in kinds for task in state(app).tasks.kinds.get(kind, {}).values()]


def number(text):
    """A number as it is shown, as a float."""
    return float(text.replace(",", "").replace("\N{MINUS SIGN}", "-").replace("\N{NO-BREAK SPACE}%", ""))


def explorer(app):
    """Return the message to the live explorer."""
    (found,) = [one for one in app.get("bidi_component") if one.proto.component_name == "multiloss_explorer"]
    data = json.loads(found.proto.json)
    texts = data["texts"] | {"": ""}
    charts = {
        name: chart | {"traces": [texts[trace] for trace in chart["traces"]], "layout": texts[chart["layout"]]}
        for name, chart in data["charts"].items()
    }
    return data | {"table": json.loads(texts[data["table"]]), "charts": charts}


def context_of(analysis, point, **view):
    """Return the context of a section on a page of its own."""
    from ui.operating_point.state import PointContext, ViewState

    names = {"points": {path.method: point for path in analysis.paths}, "method": point.method, "pair": (0, 1)}
    state = names | {"surfaces": analysis.surfaces, "chosen_point": point, "assessed_point": point}
    state |= {"percent": 100 * point.marginal_precision} | view
    return PointContext(analysis=analysis, view=ViewState(**state))


def scenario_editor(app):
    """Open the table of scenarios and return its key."""
    if "scenarios_box" not in app.session_state or not app.session_state["scenarios_box"]:
        app.session_state["scenarios_box"] = True
        run(app)
    return f"scenarios_{state(app).point.goals.scenarios.version}"


def change_scenarios(app, *, edited=None, added=(), deleted=()):
    """Add edited cells by row, added rows and deleted rows to the editor's state."""
    key = scenario_editor(app)
    known = app.session_state[key]
    app.session_state[key] = {
        "edited_rows": {**known["edited_rows"], **(edited or {})},
        "added_rows": [*known["added_rows"], *added],
        "deleted_rows": [*known["deleted_rows"], *deleted],
    }
    return run(app)


def enter_scenario(app, row=0, **cells):
    """Type into cells of a scenario, by their names without `goal_`."""
    before = app.session_state[scenario_editor(app)]["edited_rows"].get(row, {})
    return change_scenarios(app, edited={row: before | {f"goal_{name}": value for name, value in cells.items()}})


def typed_scenarios(app):
    """The table of scenarios as it was typed."""
    return state(app).point.goals.scenarios.typed


def decide(app, label="Save to the log", author="A. Nalyst", reason="Fewer false alerts."):
    """Fill in author and reason where they are empty, and press a button of the form."""
    for box, words in ((app.text_input(key="decision_author"), author), (app.text_area(key="decision_reason"), reason)):
        if not box.value:
            box.set_value(words)
    return run(next(button for button in app.button if button.label == label).click())


def press(app, label):
    """Press the first button of this label."""
    return run(next(button for button in app.button if button.label == label).click())


def saved_record(app):
    """Save the shown point as a decision; return its record."""
    decide(run(app))
    return state(app).point.decision.record


def reopen(app):
    """Open the newest decision on the operating point."""
    return press(run(app.switch_page("pages/decisions.py")), "Open on the operating point")


def section_page():
    """Show sections for a point of the smooth path, or for manual thresholds."""
    from dataclasses import replace
    from importlib import import_module

    import numpy as np
    import streamlit as st

    from multiloss_core import CountSurfaces, Unit, operating_point
    from multiloss_core.thresholds import RESOLUTIONS
    from tests.pages.steps import context_of
    from ui.data.rated import build_dataset, sample
    from ui.operating_point.analysis import analyse
    from ui.operating_point.current_thresholds import compared_thresholds, current_thresholds_of
    from ui.operating_point.path_tasks import Settings

    state = st.session_state
    source = state["source"] if "source" in state else sample(state["name"])
    dataset = build_dataset(source, source.first_choice)
    counts = isinstance(dataset.source, CountSurfaces)
    rule = dataset.source.rule if counts else state["rule"]
    nodes = 0 if counts else RESOLUTIONS[len(dataset.source.names)][0]
    analysis = analyse(dataset, Settings(rule, "positives", nodes, Unit(state["unit"])))
    point = operating_point(analysis.path("smooth"), state["percent"] / 100)
    if "by_hand" in state:
        point = replace(point, thresholds=np.array(state["by_hand"]))
    for place in state["shown"]:
        module, _, name = place.rpartition(".")
        getattr(import_module(f"ui.operating_point.sections.{module}"), name)(context_of(analysis, point))
    state["told"] = {
        "thresholds": analysis.deployable(point),
        "tp": point.tp,
        "fp": point.fp,
        "current": compared_thresholds(analysis),
        "present": current_thresholds_of(analysis),
    }


def opened_sections(shown, *unfolded, **state):
    """Open the section page with some sections unfolded."""
    app = AppTest.from_function(section_page, default_timeout=180)
    values = {"name": "Card alerts", "percent": 20.0, "rule": "any", "unit": "documents", "shown": shown, **state}
    for key, value in (values | dict.fromkeys(unfolded, True)).items():
        app.session_state[key] = value
    return run(app)


def wilson(positives, total):
    """Return the 95 % interval of a share by Wilson's formula."""
    z = 1.959963984540054
    middle, reach = positives + z**2 / 2, z * math.sqrt(positives * (total - positives) / total + z**2 / 4)
    return (middle - reach) / (total + z**2), (middle + reach) / (total + z**2)
