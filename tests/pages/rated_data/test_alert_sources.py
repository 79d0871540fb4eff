"""Test alerts from sources other than the chosen scores."""

import numpy as np
import pandas as pd
import pytest

from multiloss_core import simulate_population
from tests.pages.rated_data.steps import (
    back_to_rated_data,
    charts,
    confirm,
    csv_of,
    funnel,
    menu,
    switch,
    upload,
    use,
    used_as,
)
from tests.pages.steps import run


def alerts_of_three_models(*, reported_share=0.0):
    """Alerts of three models and, of some documents, of a complaint form."""
    generator = np.random.default_rng(5)
    population = simulate_population(
        generator, documents=60_000, prevalence=0.01, rated_share=0.02, classifiers=3, names=("model A", "model B", "C")
    )
    alerts = (population.scores >= population.floors).any(axis=1)
    kept = alerts | (generator.random(60_000) < reported_share)
    frame = pd.DataFrame(population.scores[kept], columns=["model A", "model B", "velocity"])
    return frame.assign(rating=np.where(population.labels[kept], "fraud", "ok"), reported=~alerts[kept])


def asked(app):
    return [one for one in app.radio if one.key.startswith("alert_sources_")]


@pytest.fixture
def app_with_alerts_from_elsewhere(app):
    frame = alerts_of_three_models(reported_share=0.003).drop(columns=["velocity", "reported"])
    return confirm(upload(app, csv_of(frame), "elsewhere.csv"))


def test_uncertain_floors_are_asked_and_nothing_is_optimised(app_with_alerts_from_elsewhere):
    app = app_with_alerts_from_elsewhere
    assert len(asked(app)) == 1
    assert asked(app)[0].value is None
    assert not charts(app)
    operating_point = switch(app, "pages/operating_point.py")
    assert not operating_point.slider
    assert not operating_point.metric
    assert "raised by anything else" in operating_point.error[0].value


@pytest.mark.parametrize(("answer", "is_left_out"), [("jump", True), ("corner", False)])
def test_answer_leads_on_with_its_floors(app_with_alerts_from_elsewhere, answer, is_left_out):
    app = app_with_alerts_from_elsewhere
    app = run(asked(app)[0].set_value(answer))
    steps = funnel(app)
    assert (steps[2] > steps[3]) == is_left_out
    listed = [one for one in app.expander if "below all floors" in one.label]
    assert bool(listed) == is_left_out
    if is_left_out:
        assert f"{steps[2] - steps[3]:,} " in listed[0].label
        assert len(listed[0].dataframe[0].value) == min(100, steps[2] - steps[3])
    assert not switch(app, "pages/operating_point.py").error
    assert asked(back_to_rated_data(app))[0].value == answer


def test_unused_score_that_explains_the_alerts_is_preset(app):
    app = confirm(upload(app, csv_of(alerts_of_three_models().drop(columns="reported")), "left-out.csv"))
    assert used_as(app, "score") == ["model A", "model B"]
    assert asked(app)[0].value == "score velocity"
    assert not charts(app)
    app = run(next(button for button in app.button if button.key.startswith("use_alert_sources_")).click())
    assert used_as(app, "score") == ["model A", "model B", "velocity"]
    assert not asked(app)
    assert len(charts(app)) == 3
    # Without the score, the question is back.
    assert asked(use(app, "velocity", "unused"))


def test_rule_that_explains_the_alerts_is_one_click(app):
    frame = alerts_of_three_models(reported_share=0.003).drop(columns="velocity")
    app = confirm(upload(app, csv_of(frame), "rule.csv"))
    assert asked(app)[0].value is None
    app = run(asked(app)[0].set_value("alert_rule reported"))
    assert menu(app, "reported").value == "alert_rule"


def test_unknown_source_leaves_the_alerts_out(app_with_alerts_from_elsewhere):
    app = app_with_alerts_from_elsewhere
    steps = funnel(run(asked(app)[0].set_value("unknown")))
    assert steps[2] > steps[3]
    assert funnel(run(asked(app)[0].set_value("jump"))) == steps
