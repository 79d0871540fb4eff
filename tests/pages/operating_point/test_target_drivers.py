"""Test the goals of the operating point beside the slider."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from multiloss_core import operating_point
from tests.pages.operating_point.test_operating_point import (
    at_target,
    counts_by_hand,
    documents_of,
    paths_of,
    percent_of,
    printed_point,
)
from tests.pages.steps import explorer, goal_called, opened, run, typed_scenarios, unfold
from ui.data.rated import sample

NAME = "Card alerts"


def driven(by, **query):
    """The page with a goal in its address, which is named as on the screen."""
    return opened(goal=goal_called(by), **query)


def goal(app, **values):
    for key, value in values.items():
        app.number_input(key=f"goal_{key}").set_value(value)
    return run(app)


def best(app):
    """The point of the default path at the target that the page came to."""
    point = operating_point(paths_of(NAME)["smooth"], percent_of(app) / 100)
    thresholds, tp, fp = printed_point(app)
    assert (tp, fp) == (point.tp, point.fp) == counts_by_hand(NAME, thresholds, "any")
    return point


def days_of(name):
    """Calendar days from the first to the last rated document, by pandas alone."""
    frame = sample(name).frame
    times = frame.loc[frame["rating"].notna(), "time"].dt.normalize()
    return (times.max() - times.min()).days + 1


def alerts_by_hand(thresholds):
    """Which rows of the sample are alerts, rated or not known yet."""
    return (sample(NAME).frame[list(sample(NAME).first_choice.scores)] >= thresholds).any(axis=1)


def test_cap_on_alerts_day_takes_days_from_times_of_data():
    days = days_of(NAME)
    app = goal(driven("a cap on alerts"), alerts=7.0)
    assert f"of the {days} days" in explorer(app)["goal_note"]
    assert not [box for box in app.number_input if box.key == "goal_days"]
    path = paths_of(NAME)["smooth"]
    thresholds, tp, _ = printed_point(app)
    vertices = path.majorant.vertices
    alerts = np.array([alerts_by_hand(corner).sum() for corner in path.thresholds[vertices]])
    allowed = alerts <= 7 * days
    # What the cap allows is used, also where no target of the slider leads.
    assert 0.98 * 7 * days < alerts_by_hand(thresholds).sum() <= 7 * days
    assert alerts_by_hand(thresholds).sum() >= alerts[allowed].max()
    assert tp >= path.tp[vertices][allowed].max()


def test_cap_for_most_days_is_exceeded_on_a_tenth_at_most():
    days = days_of(NAME)
    app = goal(driven("a cap on alerts", goal_held="most"), alerts=7.0)
    thresholds, tp, _ = printed_point(app)
    flagged = sample(NAME).frame[alerts_by_hand(thresholds)]
    daily = flagged.groupby(flagged["time"].dt.normalize()).size()
    assert 0.05 * days < (daily > 7).sum() <= 0.1 * days
    assert f"on {(daily > 7).sum()} of them more than 7" in explorer(app)["goal_note"]
    run(app.selectbox(key="goal_held").select("mean"))
    assert printed_point(app)[1] > tp
    assert "goal_held" not in app.query_params
    run(app.selectbox(key="goal").select("slider"))
    assert not [key for key in app.query_params if key.startswith("goal_")]


def test_without_times_the_days_are_asked_for():
    name = "Login alerts"
    app = goal(driven("a cap on alerts", data=name), alerts=20.0, days=7.0)
    thresholds, tp, fp = printed_point(app)
    assert (tp, fp) == counts_by_hand(name, thresholds, "any")
    assert not [box for box in app.selectbox if box.key == "goal_held"]
    path, undecided = paths_of(name)["smooth"], documents_of(name).undecided
    # Undecided alerts are alerts.
    alerts = (path.tp + path.fp + undecided.count_along(path.thresholds, "any"))[path.majorant.vertices]
    waiting = undecided.count_along(np.array([thresholds]), "any")[0]
    assert alerts[alerts <= 140].max() <= tp + fp + waiting <= 140


def test_a_floor_on_precision_and_a_share_to_keep():
    app = goal(driven("a floor on precision"), precision=70.0)
    _, tp, fp = printed_point(app)
    assert tp / (tp + fp) >= 0.7
    before = printed_point(app)
    goal(app, precision=99.5)
    if app.error:
        # What was refused leaves the point where it was.
        assert printed_point(app) == before
    app = goal(driven("a share of positives to keep"), share=60.0)
    _, tp, _ = printed_point(app)
    assert tp >= 0.6 * paths_of(NAME)["smooth"].totals.tp


def test_goal_follows_the_path_and_slider_takes_over():
    app = goal(driven("a cap on alerts", m="12"), alerts=7.0)
    run(app.selectbox(key="method").select("graph"))
    _, tp, fp = printed_point(app)
    assert 0 < tp + fp <= 7 * days_of(NAME)
    shown = explorer(app)
    assert shown["goal"] == "a cap on alerts"
    assert shown["home"] == 12.0
    # Back to where the slider was.
    run(app.selectbox(key="goal").select("slider"))
    assert explorer(app)["percent"] == percent_of(app) == 12.0
    assert explorer(app)["goal"] == ""
    at_target(app, 35.0)
    assert percent_of(app) == 35.0


def test_point_beside_slider_names_the_targets_around_it():
    app = goal(driven("a cap on alerts"), alerts=7.0)
    shown = explorer(app)
    lower, higher = (
        float(text.strip())
        for text in shown["place"].removeprefix("between the slider's ").replace("%", "").split("and")
    )
    assert lower <= shown["percent"] <= higher
    path = paths_of(NAME)["smooth"]
    _, tp, fp = printed_point(app)
    assert operating_point(path, higher / 100).alerts < tp + fp < operating_point(path, lower / 100).alerts
    # The plain widgets show the same.
    plain = driven("a cap on alerts", goal_alerts="7", plain="true")
    assert f"Optimised for a cap on alerts, {shown['place']}" in " ".join(caption.value for caption in plain.caption)
    assert plain.slider(key="m_plain").value == pytest.approx(shown["percent"])


@pytest.mark.parametrize("by", ["price", "alerts", "share", "manual"])
def test_every_goal_starts_at_the_current_point(by):
    app = opened(m="12")
    before = printed_point(app)
    run(app.selectbox(key="goal").select(by))
    _, tp, fp = printed_point(app)
    assert (tp, fp) == (pytest.approx(before[1], rel=0.02), pytest.approx(before[2], rel=0.02))
    if by == "manual":
        assert (tp, fp) == before[1:]
    if by not in ("price", "costs"):
        run(app.selectbox(key="goal").select("slider"))
        assert printed_point(app) == before
        assert percent_of(app) == 12.0


def test_typed_thresholds_are_counted_as_no_optimum():
    app = driven("thresholds by hand")
    app.text_input(key="hand_0").set_value("0.9")
    app.text_input(key="hand_1").set_value("never")
    run(app)
    hand = explorer(app)["hand"]
    tp, fp = counts_by_hand(NAME, [0.9, np.inf], "any")
    assert (hand["tp"][-1], hand["fp"][-1]) == (tp, fp)
    assert dict(hand["words"]["counts"][:2]) == {"Caught (TP)": f"{tp:,}", "False alerts (FP)": f"{fp:,}"}
    assert [value for _, value in hand["words"]["thresholds"]] == ["≥ 0.9", "never"]
    assert not [label for label, _ in hand["words"]["rates"] if "next" in label]
    unfold(app, "methodologists")
    methods = next(table.value for table in app.dataframe if "Method" in table.value).set_index("Method")
    assert tuple(methods.loc["chosen point", ["TP", "FP"]]) == (tp, fp)


@pytest.mark.parametrize("name", ["Login alerts", "Count table", "Insurance claims"])
def test_every_goal_works_on_every_kind_of_data(name):
    app = opened(data=name)
    for by in ("costs", "alerts", "precision", "share", "manual"):
        run(app.selectbox(key="goal").select(by))
        thresholds, tp, fp = printed_point(app)
        assert counts_by_hand(name, thresholds, "any") == (tp, fp)


def test_in_money_a_cap_is_of_money():
    app = driven("a cap on alerts", count="money", goal_alerts="200")
    assert app.number_input(key="goal_alerts").label == "Money flagged per day, at most"
    thresholds = printed_point(app)[0]
    frame = sample(NAME).frame
    rated = frame[frame["rating"].notna()]
    flagged = (rated[list(sample(NAME).first_choice.scores)] >= thresholds).any(axis=1)
    assert 0 < rated.loc[flagged, "amount"].sum() <= 200 * days_of(NAME)


# Links


@pytest.mark.parametrize(
    ("by", "inputs", "percent"),
    [
        ("false alerts per extra catch", {"goal_price": "9"}, 10.0),
        ("costs", {"goal_review": "3", "goal_catch": "4"}, 75.0),
        ("costs", {"goal_review": "1", "goal_catch": "8", "goal_annoyance": "2", "goal_currency": "PLN"}, 30.0),
    ],
)
def test_link_reopens_the_inputs_of_its_goal(by, inputs, percent):
    app = driven(by, **inputs)
    assert percent_of(app) == pytest.approx(percent)
    for key, value in inputs.items():
        shown = typed_scenarios(app)[key][0] if by == "costs" else app.get_by_key(key).value
        assert str(shown) == value or float(shown) == float(value)
    best(app)


def test_a_link_reopens_thresholds_set_by_hand():
    app = driven("thresholds by hand", hand="0.9,never")
    assert [app.text_input(key=f"hand_{j}").value for j in range(2)] == ["0.9", "never"]
    hand = explorer(app)["hand"]
    assert (hand["tp"][-1], hand["fp"][-1]) == counts_by_hand(NAME, [0.9, np.inf], "any")
    # What is typed has the last word, and is the link from then on.
    app.text_input(key="hand_0").set_value("0.95")
    run(app)
    hand = explorer(app)["hand"]
    assert (hand["tp"][-1], hand["fp"][-1]) == counts_by_hand(NAME, [0.95, np.inf], "any")
    assert app.query_params["hand"] == "0.95,never"


def test_invalid_threshold_of_link_is_one_plain_sentence():
    app = driven("thresholds by hand", hand="-1,0.9")
    (error,) = [element.value for element in app.error]
    assert "floor" in error
    app = driven("thresholds by hand", hand="1e300,0.9")
    (error,) = [element.value for element in app.error]
    assert "must be a number" in error
    app.text_input(key="hand_0").set_value("![](//evil.ex/a)")
    run(app)
    (error,) = [element.value for element in app.error]
    assert "![](" not in error
    assert "transaction model" in error


def test_a_link_reopens_what_the_point_is_compared_with():
    app = opened(now="0.8,never", pin="0.9,0.7")
    present = explorer(app)["present"]
    assert (present["tp"][-1], present["fp"][-1]) == counts_by_hand(NAME, [0.9, 0.7], "any")
    app = opened(now="0.8,never", pin="0.9,0.7", against="now")
    present = explorer(app)["present"]
    assert (present["tp"][-1], present["fp"][-1]) == counts_by_hand(NAME, [0.8, np.inf], "any")
    app.session_state["compare"] = True
    run(app)
    assert [app.text_input(key=f"current_{j}").value for j in range(2)] == ["0.8", ""]
    app.text_input(key="current_0").set_value("0.75")
    run(app)
    assert app.query_params["now"] == "0.75,never"
    assert app.query_params["pin"] == "0.9,0.7"
    # Of other data nothing was typed.
    run(app.selectbox(key="data").select("Insurance claims"))
    assert explorer(app)["present"] is None
    assert not {"now", "pin", "against"} & set(app.query_params)


def typed_into_the_address():
    import streamlit as st

    from ui.shared.choices import UrlParameter

    parameter = UrlParameter("goal_name", str, str)
    st.session_state["typed"] = parameter.asked() or st.session_state["typed"]
    parameter.show(st.session_state["typed"])


def expect_typed(*steps):
    """Check steps of a typed value, an address, and the value of both after the run."""
    app = AppTest.from_function(typed_into_the_address)
    for typed, address, expected in steps:
        app.session_state["typed"] = typed
        if address is not None:
            app.query_params["goal_name"] = address
        run(app)
        assert app.session_state["typed"] == expected
        assert app.query_params["goal_name"] == expected


def test_late_address_is_ignored_and_step_back_is_not():
    expect_typed(
        ("a", None, "a"),
        ("b", "a", "b"),
        # The browser does not know b yet, then c.
        ("c", "a", "c"),
        ("d", "b", "d"),
        ("d", "d", "d"),
        ("d", "b", "b"),
        ("e", "b", "e"),
        ("e", "link", "link"),
    )
