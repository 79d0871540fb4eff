"""What new data will show: found in the background, equal to what the core finds in one go."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from multiloss_core import RatedDocuments, certified_point, held_out_counts, operating_point, smooth_path
from multiloss_core.thresholds.intervals import bootstrap_points
from multiloss_core.thresholds.paths.smooth import smooth_fit
from ui.analysis import Settings, methods
from ui.background import Job
from ui.evidence import SLIDER_TARGETS
from ui.sources import sample

APP = Path(__file__).parents[2] / "app.py"
NAME, PERCENT = "Login alerts", 20.0


@cache
def documents():
    source = sample(NAME)
    choice = source.first_choice
    return RatedDocuments.from_frame(source.frame, choice.scores, choice.rating, floors=choice.floors)


@cache
def finished():
    app = AppTest.from_file(APP, default_timeout=180)
    for name, value in {"data": NAME, "m": str(PERCENT), "new_data": "true"}.items():
        app.query_params[name] = value
    app.switch_page("pages/operating_point.py").run()
    assert not app.exception
    for job in app.session_state["evidence"].values():
        job.wait(180)
        assert job.finished
        assert job.failure is None
    app.run()
    assert not app.exception
    return app


def table(app, column):
    return next(element.value for element in app.dataframe if column in element.value)


def number(text):
    return float(text.replace(",", "").replace("\N{NO-BREAK SPACE}%", ""))


def test_the_intervals_are_those_of_the_core():
    shown = table(finished(), "One new period will show").set_index("")
    fit, path = smooth_fit(documents()), smooth_path(documents())
    *_, bootstrap = bootstrap_points(documents(), fit, path, [PERCENT / 100], generator=np.random.default_rng(0))
    found = bootstrap.intervals()
    for row, expected, new in (
        ("Caught (TP)", found.tp, found.new_tp),
        ("False alerts (FP)", found.fp, found.new_fp),
        ("Alerts", found.alerts, found.new_alerts),
    ):
        assert number(shown.loc[row, "Expected on new data"]) == round(expected.estimate)
        assert [number(text) for text in shown.loc[row, "between"].split(" – ")] == [
            round(expected.low),
            round(expected.high),
        ]
        assert [number(text) for text in shown.loc[row, "One new period will show"].split(" – ")] == [
            round(new.low),
            round(new.high),
        ]
    point = operating_point(path, PERCENT / 100)
    assert number(shown.loc["Caught (TP)", "On this data"]) == point.tp
    precisions = [number(text) for text in shown.loc["Precision", "between"].split(" – ")]
    assert precisions == [pytest.approx(100 * bound, abs=0.06) for bound in (found.precision.low, found.precision.high)]


def test_the_held_out_counts_are_those_of_the_core_for_every_method():
    shown = table(finished(), "TP held out").set_index("Method")
    settings = Settings("any", "positives", 300)
    found = held_out_counts(documents(), methods(settings), SLIDER_TARGETS)
    i = int(np.flatnonzero(np.isclose(SLIDER_TARGETS, PERCENT / 100))[0])
    assert list(shown.index) == list(found)
    for name, counts in found.items():
        assert number(shown.loc[name, "TP held out"]) == round(counts.tp[i])
        assert number(shown.loc[name, "FP held out"]) == round(counts.fp[i])
        assert number(shown.loc[name, "TP here"]) == counts.in_sample_tp[i]
        assert number(shown.loc[name, "Precision held out"]) == pytest.approx(100 * counts.precision[i], abs=0.06)
        assert float(shown.loc[name, "Area held out"]) == pytest.approx(counts.area, abs=1e-4)


def test_the_charts_carry_band_and_cloud():
    app = finished()
    (explorer,) = app.get("bidi_component")
    charts = json.loads(explorer.proto.json)["charts"]
    assert any("expected on new data" in trace for trace in charts["plane"]["traces"])
    (chart,) = app.get("plotly_chart")
    assert "Marginal precision on new data" in chart.proto.spec


def test_nothing_is_begun_unless_asked_for():
    app = AppTest.from_file(APP, default_timeout=180)
    app.query_params["data"] = NAME
    app.switch_page("pages/operating_point.py").run()
    assert "evidence" not in app.session_state


def test_a_job_shows_its_latest_step_and_what_went_wrong():
    def steps():
        yield 1
        yield 2
        raise ValueError("no more")

    job = Job(steps)
    job.wait(10)
    assert (job.latest, job.finished, str(job.failure)) == (2, True, "no more")


def test_a_cancelled_job_keeps_what_it_knows():
    gate = []

    def steps():
        yield 1
        while not gate:
            yield 2

    job = Job(steps)
    job.cancel()
    job.wait(10)
    gate.append(True)
    assert job.finished
    assert job.latest in (1, 2)
    assert job.failure is None


def test_a_guaranteed_range_is_shown_on_the_slider_and_the_points_inside_it_say_so():
    app = AppTest.from_file(APP, default_timeout=180)
    app.query_params["data"] = NAME
    app.switch_page("pages/operating_point.py").run()
    found = certified_point(documents(), 0.8)
    app.session_state["guarantee"] = True
    app.session_state["certify_precision"] = 80.0
    app.run()
    assert not app.exception
    (button,) = [button for button in app.button if "slider" in button.label]
    button.click().run()
    assert not app.exception
    assert app.selectbox(key="method").value == "guaranteed"
    (live,) = app.get("bidi_component")
    table = json.loads(json.loads(live.proto.json)["table"])
    low, high = table["certified"]
    for percent, row in zip(table["percents"], table["rows"], strict=True):
        point = operating_point(found.path, percent / 100)
        certified = point.status != "unreachable" and found.covers(point.thresholds)
        assert ("sure" in row["words"]["guarantee"]) == certified == (low <= percent <= high)
        assert row["tp"][-1] == point.tp
        if certified:
            assert point.precision > 0.8
