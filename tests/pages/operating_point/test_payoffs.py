"""Test scenarios of costs in their table."""

import pytest
from streamlit.testing.v1 import AppTest

from multiloss_core import operating_point
from tests.pages.operating_point.test_operating_point import counts_by_hand, paths_of, percent_of, printed_point
from tests.pages.steps import (
    APP,
    change_scenarios,
    enter_scenario,
    explorer,
    opened,
    run,
    scenario_editor,
    typed_scenarios,
)

NAME = "Card alerts"


def costs(**query):
    """Scenarios of fixed values, whatever amounts there are."""
    return opened(goal="costs", **({"goal_recovered": "0"} | query))


def add(app, **cells):
    """A row as the editor adds it, with what it does not say at its default; it drives."""
    given = {"name": "", "review": 5.0, "recovered": 0.0, "catch": 25.0, "annoyance": 0.0, "currency": ""}
    given |= cells
    row = max(typed_scenarios(app).index, default=-1) + 1
    change_scenarios(app, added=[{f"goal_{name}": value for name, value in given.items()}])
    return drive(app, row)


def drive(app, row):
    scenario_editor(app)
    return run(app.selectbox(key="scenario").set_value(row))


def said(element):
    """A sentence of the screen without what keeps it from being Markdown."""
    return element.value.replace("\\", "")


def table(app):
    """The comparison, by the names of the scenarios."""
    (found,) = [element.value for element in app.dataframe if "Payoff there" in element.value]
    return found.set_index("Scenario")


def compared(app):
    return list(table(app).index)


def brought(thresholds, review, catch, annoyance):
    """Return the payoff of thresholds, counted by pandas."""
    tp, fp = counts_by_hand(NAME, thresholds, "any")
    return tp * (catch - review) - fp * (review + annoyance)


def test_scenarios_are_compared_at_own_and_current_point():
    app = enter_scenario(costs(), name="usual", review=5.0, catch=25.0, annoyance=0.0)
    app = add(app, name="holidays", review=10.0, catch=25.0, annoyance=5.0)
    assert percent_of(app) == pytest.approx(50.0)
    here, _, _ = printed_point(app)
    shown = table(app)
    assert list(shown.index) == ["usual", "holidays"]
    assert list(shown[""]) == ["", "active"]
    path = paths_of(NAME)["smooth"]
    for name, numbers, target in (("usual", (5, 25, 0), 0.2), ("holidays", (10, 25, 5), 0.5)):
        row = shown.loc[name]
        assert row["Marginal precision"] == pytest.approx(target)
        own = [row[f"{score} ≥"] for score in path.names]
        tp, fp = counts_by_hand(NAME, own, "any")
        point = operating_point(path, target)
        assert (tp, fp) == (point.tp, point.fp)
        assert (row["TP"], row["FP"], row["Alerts"]) == (tp, fp, tp + fp)
        assert row["Precision"] == pytest.approx(tp / (tp + fp))
        assert (row["Payoff there"], row["Currency"]) == (pytest.approx(brought(own, *numbers)), "")
        assert row["Payoff of this point"] == pytest.approx(brought(here, *numbers))


def test_removed_scenarios_come_back_and_others_are_renamed():
    app = enter_scenario(costs(), name="one", review=5.0)
    app = add(add(app, name="two", review=6.0), name="three", review=7.0)
    # The editor takes a deleted row that was added out of its added ones.
    key, given = scenario_editor(app), app.session_state[scenario_editor(app)]
    app.session_state[key] = {**given, "added_rows": given["added_rows"][1:]}
    run(app)
    assert compared(app) == ["one", "three"]
    run(app.button(key="scenario_undo").click())
    assert compared(app) == ["one", "two", "three"]
    assert not [button for button in app.button if button.key == "scenario_undo"]
    enter_scenario(app, 1, name=" second ")
    assert compared(app) == ["one", "second", "three"]
    enter_scenario(app, 1, name="one")
    assert "Row 2: There is another scenario 'one'" in said(app.error[0])
    assert compared(app) == ["one", "three"]


def test_active_scenario_survives_renaming_and_deletion():
    app = add(enter_scenario(costs(), name="usual"), name="dear", review=10.0)
    change_scenarios(app, edited={0: {"goal_name": "normal"}})
    assert explorer(app)["goal"] == "costs, scenario 'dear'"
    change_scenarios(app, deleted=[0])
    assert compared(app) == ["dear"]
    assert explorer(app)["goal"] == "costs, scenario 'dear'"
    assert percent_of(app) == pytest.approx(40.0)
    run(app.selectbox(key="goal").select("slider"))
    run(app.selectbox(key="goal").select("costs"))
    assert explorer(app)["goal"] == "costs, scenario 'dear'"


def test_unusable_numbers_are_refused_and_stay_typed():
    app = enter_scenario(costs(), name="x", review=50.0)
    assert ["no alert is worth its review" in error.value for error in app.error] == [True]
    assert "The point stays where it was." in app.error[0].value
    assert percent_of(app) == pytest.approx(20.0)
    assert typed_scenarios(app)["goal_review"][0] == 50.0
    assert explorer(app)["goal"] == ""
    app = enter_scenario(app, review=None)
    assert "cost of a review must be a number" in app.error[0].value
    app = add(app, name="y")
    assert compared(app) == ["y"]
    assert "Row 1: The cost of a review must be a number" in said(app.error[0])
    change_scenarios(app, deleted=[0], edited={})
    assert not app.error


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([{"goal_name": "x" * 61}], "has at most 60 characters"),
        ([{}], "another scenario without a name"),
        ([{"goal_name": f"{i}"} for i in range(40)], "At most 20 scenarios"),
        ([{"goal_name": "x", "goal_review": "five"}], "must be a number"),
    ],
)
def test_rows_that_hold_no_scenario_are_refused_in_one_sentence(rows, words):
    amounts = {"goal_review": 5.0, "goal_catch": 25.0, "goal_annoyance": 0.0, "goal_currency": ""}
    app = change_scenarios(costs(), added=[amounts | row for row in rows])
    (error,) = app.error
    assert words in error.value
    assert len(compared(app)) == (20 if len(rows) > 1 else 1)
    assert percent_of(app) == pytest.approx(20.0)


def test_a_link_adds_its_scenario_to_those_typed_and_it_drives():
    app = opened(goal="costs", goal_name="usual", goal_review="4", goal_catch="5", goal_currency="CHF")
    assert percent_of(app) == pytest.approx(80.0)
    assert [row.to_list() for _, row in typed_scenarios(app).iterrows()] == [["usual", 4.0, 0.0, 5.0, 0.0, "CHF"]]
    enter_scenario(app, review=3.0)
    assert app.query_params["goal_review"] == "3.0"
    app.query_params["goal_review"] = "4"
    assert percent_of(run(app)) == pytest.approx(80.0)
    assert typed_scenarios(app)["goal_review"].to_list() == [4.0]
    app.query_params["goal_name"] = "other"
    run(app)
    assert compared(app) == ["other", "usual"]
    assert explorer(app)["goal"] == "costs, scenario 'other'"


@pytest.mark.parametrize("name", ["![](//evil.example/x) <b>x</b> $x$ :red[y] 'quoted'", "a\0b"])
def test_a_hostile_name_is_shown_as_text_and_breaks_nothing(name):
    app = costs(goal_name=name, goal_currency="![](//a.b)")
    scenario_editor(app)
    assert not app.error
    assert compared(app) == ["".join(filter(str.isprintable, name))]
    texts = [element.value for kind in (app.markdown, app.caption) for element in kind]
    assert not [text for text in texts if "![](" in text or "<b>" in text or ":red[" in text]


def test_active_scenario_keeps_point_on_exact_tie():
    steps = ((0.9, 40, 0), (0.8, 60, 30), (0.7, 30, 60), (0.6, 5, 95))
    lines = [line for score, tp, fp in steps for line in [f"{score},fraud"] * tp + [f"{score},ok"] * fp]
    app = run(AppTest.from_file(APP, default_timeout=180).switch_page("pages/rated_data.py"))
    app.file_uploader(key="upload").upload("steps.csv", "\n".join(["score,rating", *lines]).encode(), "text/csv")
    run(app)
    run(app.switch_page("pages/operating_point.py"))
    run(app.selectbox(key="method").select("graph"))
    run(app.selectbox(key="goal").select("costs"))
    # Two of three in the second step are fraud, and the slider holds 66.666667 %.
    row = table(enter_scenario(app, name="tie", review=2.0, catch=3.0)).loc["tie"]
    thresholds, tp, fp = printed_point(app)
    assert list(thresholds) == [row["score ≥"]]
    assert (tp, fp) == (row["TP"], row["FP"])
    assert row["Payoff there"] == row["Payoff of this point"]
