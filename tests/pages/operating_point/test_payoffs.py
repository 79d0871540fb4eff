"""Scenarios of costs: kept, compared, driven by, renamed, removed and taken back."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from multiloss_core import operating_point
from tests.pages.operating_point.test_operating_point import counts_by_hand, paths_of, percent_of, printed_point
from tests.pages.steps import APP, explorer, opened, run

NAME = "Card alerts"
INPUTS = {"name": "text_input", "review": "number_input", "catch": "number_input", "annoyance": "number_input"}


def costs(**query):
    return opened(driver="costs", **query)


def enter(app, **values):
    for key, value in values.items():
        getattr(app, INPUTS[key])(key=f"wish_{key}").set_value(value)
    return run(app)


def press(app, key):
    return run(app.button(key=f"scenario_{key}").click())


def keep(app, **values):
    return press(enter(app, **values), "keep")


def table(app):
    """The comparison, by the names of the scenarios."""
    (found,) = [element.value for element in app.dataframe if "Payoff there" in element.value]
    return found.set_index("Scenario")


def compared(app):
    return [list(element.value["Scenario"]) for element in app.dataframe if "Payoff there" in element.value]


def amount(text):
    """A number and its currency."""
    number, currency = text.split("\N{NO-BREAK SPACE}")
    return float(number.replace(",", "").replace("\N{MINUS SIGN}", "-")), currency


def brought(thresholds, review, catch, annoyance):
    """What thresholds bring, from a count by pandas."""
    tp, fp = counts_by_hand(NAME, thresholds, "any")
    return tp * (catch - review) - fp * (review + annoyance)


def test_every_scenario_is_compared_at_its_own_point_and_at_this_one():
    app = keep(costs(), name="usual", review=5.0, catch=25.0, annoyance=0.0)
    app = keep(app, name="holidays", review=10.0, catch=25.0, annoyance=5.0)
    assert percent_of(app) == pytest.approx(50.0)
    here, _, _ = printed_point(app)
    shown = table(app)
    assert list(shown.index) == ["usual", "holidays"]
    assert list(shown[""]) == ["", "drives"]
    path = paths_of(NAME)["smooth"]
    for name, numbers, target in (("usual", (5, 25, 0), 0.2), ("holidays", (10, 25, 5), 0.5)):
        row = shown.loc[name]
        assert row["Marginal precision"] == f"{100 * target:g}\N{NO-BREAK SPACE}%"
        own = [float(str(row[f"{score} ≥"]).replace("never", "inf")) for score in path.names]
        tp, fp = counts_by_hand(NAME, own, "any")
        point = operating_point(path, target)
        assert (tp, fp) == (point.tp, point.fp)
        assert (row["TP"], row["FP"], row["Alerts"]) == (f"{tp:,}", f"{fp:,}", f"{tp + fp:,}")
        assert row["Precision"].startswith(f"{100 * tp / (tp + fp):.0f}"[:1])
        assert amount(row["Payoff there"]) == (pytest.approx(brought(own, *numbers)), "EUR")
        assert amount(row["Payoff of this point"]) == (pytest.approx(brought(here, *numbers)), "EUR")


def test_on_a_path_of_counts_no_kept_scenario_is_served_better_than_at_its_own_point():
    app = keep(costs(method="graph"), name="cheap", review=1.0, catch=30.0)
    app = keep(app, name="dear", review=12.0, catch=30.0, annoyance=4.0)
    path = paths_of(NAME)["graph"]
    shown = table(app)
    for name, (review, catch, annoyance) in {"cheap": (1, 30, 0), "dear": (12, 30, 4)}.items():
        best = np.max(path.tp * (catch - review) - path.fp * (review + annoyance))
        assert amount(shown.loc[name, "Payoff there"])[0] == pytest.approx(best)
        assert amount(shown.loc[name, "Payoff of this point"])[0] <= best


def test_the_matrix_says_what_a_document_brings_and_that_misses_are_not_known():
    app = enter(costs(wish_currency="CHF"), review=4.0, catch=24.0, annoyance=2.5)
    (matrix,) = [element.value for element in app.dataframe if "Not flagged" in element.value]
    assert list(matrix["Flagged"]) == ["20\N{NO-BREAK SPACE}CHF", "\N{MINUS SIGN}6.50\N{NO-BREAK SPACE}CHF"]
    thresholds, _, _ = printed_point(app)
    (line,) = [element.value for element in app.markdown if "This point brings" in element.value]
    assert f"{brought(thresholds, 4.0, 24.0, 2.5):,.2f}".removesuffix(".00") in line
    assert "against flagging nothing" in " ".join(element.value for element in app.caption)
    assert not compared(app)


def test_a_kept_scenario_drives_again():
    app = keep(costs(), name="usual", review=5.0, catch=25.0)
    app = enter(app, name="", review=15.0)
    assert percent_of(app) == pytest.approx(60.0)
    assert compared(app) == [["usual", "(not kept)"]]
    assert explorer(app)["driver"] == "costs"
    app = enter(app, name="usual")
    assert compared(app) == [["usual", "usual (changed)"]]
    app = enter(app, name="other")
    assert compared(app) == [["usual", "other (not kept)"]]
    press(app, "use")
    assert percent_of(app) == pytest.approx(20.0)
    assert app.text_input(key="wish_name").value == "usual"
    assert explorer(app)["driver"] == "costs, scenario 'usual'"
    assert compared(app) == [["usual"]]


def test_removed_scenarios_come_back_and_others_are_renamed():
    app = keep(costs(), name="one", review=5.0)
    app = keep(app, name="two", review=6.0)
    app = keep(app, name="three", review=7.0)
    run(app.selectbox(key="scenario_picked").select("two"))
    press(app, "remove")
    assert compared(app) == [["one", "three"]]
    press(app, "undo")
    assert compared(app) == [["one", "two", "three"]]
    assert not [button for button in app.button if button.key == "scenario_undo"]
    run(app.selectbox(key="scenario_picked").select("two"))
    run(app.text_input(key="scenario_renamed").set_value(" second "))
    assert compared(app) == [["one", "second", "three"]]
    assert app.selectbox(key="scenario_picked").value == "second"
    run(app.text_input(key="scenario_renamed").set_value("one"))
    assert "another scenario" in app.error[0].value
    assert compared(app) == [["one", "second", "three"]]


def test_the_driving_scenario_is_renamed_in_the_inputs_too():
    app = keep(costs(), name="usual")
    run(app.text_input(key="scenario_renamed").set_value("normal"))
    assert app.text_input(key="wish_name").value == "normal"
    assert list(table(app)[""]) == ["drives"]


def test_a_scenario_of_the_same_name_is_replaced_and_that_is_undone():
    app = keep(costs(), name="usual", review=5.0)
    app = keep(app, review=6.0)
    assert amount(table(app).loc["usual", "Review"])[0] == 6.0
    press(app, "undo")
    assert amount(table(app).loc["usual", "Review"])[0] == 5.0


def test_without_a_name_or_with_unusable_numbers_nothing_is_kept():
    app = press(costs(), "keep")
    assert "has no name" in app.error[0].value
    assert not compared(app)
    app = keep(app, name="x", review=50.0)
    assert all("no alert is worth its review" in error.value for error in app.error)
    assert not compared(app)


def test_scenarios_outlast_other_pages_and_other_drivers():
    app = keep(costs(), name="usual", review=4.0, catch=5.0)
    run(app.switch_page("pages/rated_data.py"))
    run(app.switch_page("pages/operating_point.py"))
    assert compared(app) == [["usual"]]
    assert percent_of(app) == pytest.approx(80.0)
    run(app.selectbox(key="driver").select("slider"))
    assert not compared(app)
    run(app.selectbox(key="driver").select("costs"))
    assert compared(app) == [["usual"]]
    assert app.number_input(key="wish_review").value == 4.0


@pytest.mark.parametrize("name", ["<b>x</b>", "![](//evil.example/x)", "a\0b", "$x$ :red[y]", "'quoted'"])
def test_a_hostile_name_is_shown_as_text_and_breaks_nothing(name):
    app = costs(wish_name=name, wish_currency="![](//a.b)")
    press(app, "keep")
    assert not app.error
    (row,) = compared(app)
    assert row == ["".join(filter(str.isprintable, name))]
    texts = [element.value for kind in (app.markdown, app.caption) for element in kind]
    assert not [text for text in texts if "![](" in text or "<b>" in text or ":red[" in text]


@pytest.mark.parametrize("name", ["Login alerts", "Count table", "Insurance claims"])
def test_scenarios_are_compared_on_every_kind_of_data(name):
    app = keep(costs(data=name), name="usual", review=2.0, catch=5.0)
    row = table(app).loc["usual"]
    _, tp, fp = printed_point(app)
    assert amount(row["Payoff of this point"])[0] == pytest.approx(3 * tp - 2 * fp)


def test_the_scenario_that_drives_is_shown_at_the_point_of_the_screen_though_a_step_is_just_worth_it():
    steps = ((0.9, 40, 0), (0.8, 60, 30), (0.7, 30, 60), (0.6, 5, 95))
    lines = [line for score, tp, fp in steps for line in [f"{score},fraud"] * tp + [f"{score},ok"] * fp]
    app = run(AppTest.from_file(APP, default_timeout=180).switch_page("pages/rated_data.py"))
    app.file_uploader(key="upload").upload("steps.csv", "\n".join(["score,rating", *lines]).encode(), "text/csv")
    run(app)
    run(app.switch_page("pages/operating_point.py"))
    run(app.selectbox(key="method").select("graph"))
    run(app.selectbox(key="driver").select("costs"))
    # Two of three in the second step are fraud, and the slider holds 66.666667 %.
    row = table(keep(app, name="tie", review=2.0, catch=3.0)).loc["tie"]
    thresholds, tp, fp = printed_point(app)
    assert [f"{value:g}" for value in thresholds] == [row["score ≥"]]
    assert (f"{tp:,.0f}", f"{fp:,.0f}") == (row["TP"], row["FP"])
    assert row["Payoff there"] == row["Payoff of this point"]
