"""How tests open a page of the app, run it again and read what its explorer was given."""

import json
from pathlib import Path

from streamlit.testing.v1 import AppTest

APP = Path(__file__).parents[2] / "app.py"


def opened(page="operating_point", **query):
    """A page, opened by a link."""
    app = AppTest.from_file(APP, default_timeout=180)
    for key, value in query.items():
        app.query_params[key] = value
    return run(app.switch_page(f"pages/{page}.py"))


def run(step):
    """Run an app, or the app of a widget that was just changed."""
    app = step.run()
    assert not app.exception
    return app


def explorer(app):
    """What the live explorer was given."""
    (found,) = app.get("bidi_component")
    data = json.loads(found.proto.json)
    return data | {"table": json.loads(data["table"])}
