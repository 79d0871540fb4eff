"""Open pages of the app, run them and read their contents."""

import json
from pathlib import Path

from streamlit.testing.v1 import AppTest

from ui.operating_point.active_goal import GOALS
from ui.shared.session import KEY, Session

APP = Path(__file__).parents[2] / "app.py"


def opened(page="operating_point", **query):
    """A page, opened by a link."""
    app = AppTest.from_file(APP, default_timeout=180)
    for key, value in query.items():
        app.query_params[key] = value
    return run(app.switch_page(f"pages/{page}.py"))


def goal_called(label):
    """The key, as an address holds it, of what the screen calls so."""
    return next(key for key, goal in GOALS.items() if goal.label == label)


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
    """The key of the table that scenarios of costs are typed into."""
    return f"scenarios_{state(app).point.scenarios.version}"


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
    return state(app).point.scenarios.typed


def decide(app, label="Save to the log", author="A. Nalyst", reason="Fewer false alerts."):
    """Fill in author and reason where they are empty, and press a button of the form."""
    for box, words in ((app.text_input(key="decision_author"), author), (app.text_area(key="decision_reason"), reason)):
        if not box.value:
            box.set_value(words)
    return run(next(button for button in app.button if button.label == label).click())
