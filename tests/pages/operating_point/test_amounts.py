"""Review costs together with the amount of each case, against pandas."""

import json

import numpy as np
import pytest

from multiloss_core import operating_point, smooth_path
from multiloss_core.thresholds import money_weighted
from tests.pages.operating_point.test_money import SCORES, rated, row_of, sums_by_pandas, thresholds_of
from tests.pages.steps import enter_scenario, opened, reopen, run, saved_record, scenario_editor, state, typed_scenarios

NAME = "Card alerts"
AMOUNTS = {"goal_review": "6", "goal_recovered": "80", "goal_catch": "0", "goal_annoyance": "2"}


def costs(**query):
    return opened(goal="costs", **(AMOUNTS | query))


def brought(thresholds, rule="any", review=6.0, recovered=0.8, annoyance=2.0):
    """Return the payoff of thresholds, counted by pandas."""
    (caught, _), (tp, fp) = sums_by_pandas(thresholds, rule)
    return recovered * caught - review * (tp + fp) - annoyance * fp


def means():
    frame = rated()[0]
    return [frame.loc[frame["rating"] == rating, "amount"].mean() for rating in ("fraud", "ok")]


def said(app):
    """All sentences without what keeps them from being Markdown."""
    return " ".join(element.value.replace("\\", "") for kind in (app.markdown, app.caption) for element in kind)


def as_words(value):
    return f"{value:,.2f}".removesuffix(".00").replace("-", "\N{MINUS SIGN}")


@pytest.mark.parametrize(("count", "rule"), [("documents", "all"), ("money", "any")])
def test_payoff_is_the_same_in_every_unit(count, rule):
    app = costs(count=count, rule=rule)
    scenario_editor(app)
    assert not app.error
    assert f"This point brings {as_words(brought(thresholds_of(row_of(app)['words']), rule))}" in said(app)
    fraud, genuine = means()
    assert f"rated fraud is **{as_words(round(fraud, 2))}**" in said(app)
    assert f"rated false alert {as_words(round(genuine, 2))}" in said(app)


def test_the_point_is_where_a_fraud_of_the_mean_amount_just_pays():
    fraud, genuine = means()
    app = costs()
    target = (6 + 2) / (0.8 * fraud + 2)
    assert state(app).point.goals.percent == pytest.approx(100 * target, abs=1e-6)
    assert list(operating_point(smooth_path(rated()[1]), target).thresholds) == pytest.approx(
        thresholds_of(row_of(app)["words"]), rel=1e-3
    )

    app = costs(count="money")
    path = smooth_path(money_weighted(rated()[1], rated()[2]))
    worth = [
        0.8 * tp - 6 * (tp / fraud + fp / genuine) - 2 * fp / genuine
        for tp, fp in zip(path.smooth_tp, path.smooth_fp, strict=True)
    ]
    point = operating_point(path, state(app).point.goals.percent / 100)
    assert np.max(worth) == pytest.approx(worth[int(np.flatnonzero(path.tp == point.tp)[-1])])


@pytest.mark.parametrize(("count", "m"), [("documents", "12"), ("money", "45")])
def test_costs_start_where_the_point_is(count, m):
    before = opened(count=count, m=m)
    thresholds = row_of(before)["words"]["thresholds"]
    app = run(before.selectbox(key="goal").select("costs"))
    row = typed_scenarios(app).loc[0]
    assert (row["goal_recovered"], row["goal_catch"], row["goal_annoyance"]) == (100.0, 0.0, 0.0)
    assert row_of(app)["words"]["thresholds"] == thresholds
    assert state(app).point.goals.percent == pytest.approx(float(m), abs=0.05)


def test_profit_curve_has_every_vertex_and_marks_three_points():
    app = costs(now="0.8,0.8")
    app.session_state["profit"], app.session_state["view"] = True, "methods"
    run(app)
    (spec,) = [json.loads(one.proto.spec) for one in app.get("plotly_chart") if "Payoff against" in one.proto.spec]
    marks = {trace["name"]: (trace["x"][0], trace["y"][0]) for trace in spec["data"] if trace["mode"] == "markers"}
    shown = thresholds_of(row_of(app)["words"])
    for name, thresholds in (("chosen point", shown), ("current thresholds", [0.8, 0.8])):
        alerts = sum(sums_by_pandas(thresholds, "any")[1])
        assert marks[name] == (pytest.approx(alerts), pytest.approx(brought(thresholds)))
    path = smooth_path(rated()[1])
    totals = [brought(row) for row in path.thresholds]
    assert marks["best on this data"][1] == pytest.approx(max(totals))
    assert f"The best point of the path brings {as_words(max(totals))}" in said(app)

    run(next(button for button in app.button if button.label == "Go to the best point on this data").click())
    assert app.selectbox(key="goal").value == "manual"
    by_hand = [float(app.text_input(key=f"hand_{j}").value) for j in range(2)]
    assert brought(by_hand) == pytest.approx(max(totals))


def test_a_decision_keeps_the_share_and_reopens_with_it():
    app = costs(goal_name="usual")
    thresholds = row_of(app)["words"]["thresholds"]
    made = saved_record(app)
    assert {goal.name: goal.value for goal in made.target.goal_values} == {
        "cost of a review": 6.0,
        "value of a catch": 0.0,
        "annoyance of a false alert": 2.0,
        "recovered of the amount in percent": 80.0,
    }
    run(app.selectbox(key="goal").select("slider"))
    reopen(app)
    assert typed_scenarios(app)["goal_recovered"].to_list() == [80.0]
    assert row_of(app)["words"]["thresholds"] == thresholds


def test_scenarios_with_and_without_amounts_are_compared():
    app = costs(goal_name="amounts")
    enter_scenario(app, recovered=1.0)
    assert "no alert is worth its review" in app.error[0].value
    enter_scenario(app, recovered=120.0)
    assert "at most 100 %" in app.error[0].value
    enter_scenario(app, recovered=0.0, catch=25.0)
    (table,) = [element.value for element in app.dataframe if "Payoff there" in element.value]
    (_, _), (tp, fp) = sums_by_pandas([table.loc[0, f"{score} ≥"] for score in SCORES], "any")
    assert table.loc[0, "Payoff there"] == pytest.approx(tp * 19 - fp * 8)


def test_a_link_keeps_the_point_at_present_thresholds():
    app = opened(m="20", now="0.766,0.766", stay="true")
    assert app.checkbox(key="stay").value
    expected = operating_point(smooth_path(rated()[1], current=[0.766, 0.766]), 0.2)
    assert thresholds_of(row_of(app)["words"]) == pytest.approx(expected.thresholds.tolist(), rel=1e-3)
    run(app.checkbox(key="stay").uncheck())
    free = operating_point(smooth_path(rated()[1]), 0.2)
    assert thresholds_of(row_of(app)["words"]) == pytest.approx(free.thresholds.tolist(), rel=1e-3)
    assert free.thresholds.tolist() != expected.thresholds.tolist()
