import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.steps import APP, opened, run, state

ROOT = Path(__file__).parents[2]
LISTED = re.findall(r'"(pages/\w+\.py)"', (ROOT / "ui" / "navigation.py").read_text())


def test_app_lists_every_page_and_nothing_else():
    assert sorted(LISTED) == sorted(f"pages/{file.name}" for file in (ROOT / "pages").glob("*.py"))
    assert LISTED[0] == "pages/rated_data.py"


def test_first_screen_follows_the_link():
    app = AppTest.from_file(APP, default_timeout=180)
    app.query_params["data"] = "Login alerts"
    run(app)
    assert app.title[0].value == "Rated data"
    assert app.selectbox(key="data").value == "Login alerts"


@pytest.mark.parametrize("page", LISTED)
def test_every_page_runs_when_it_is_opened_first(page):
    app = AppTest.from_file(APP, default_timeout=180).switch_page(page)
    run(app)
    assert len(app.title) == 1
    assert not app.error


def test_a_page_that_fails_keeps_its_data_and_starts_anew(monkeypatch, caplog):
    app = run(opened(data="Login alerts"))
    state(app).point.goals.manual_thresholds = [0.9]
    with monkeypatch.context() as patch:
        patch.setattr("ui.operating_point.sections.show_recall", lambda context: 1 / 0)
        run(app)
        caplog.clear()
        assert "This page failed" in app.error[0].value
        assert app.selectbox(key="data").value == "Login alerts"
    run(app.button(key="start_anew").click())
    assert not app.error
    assert app.title[0].value == "Operating point"
    assert app.selectbox(key="data").value == "Login alerts"
    assert state(app).point.goals.manual_thresholds is None
