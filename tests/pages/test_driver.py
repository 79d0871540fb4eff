"""Driving the operating point by something else than the slider."""

import numpy as np
import pytest

from multiloss_core import operating_point
from tests.pages.test_operating_point import (
    at_target,
    counts_by_hand,
    explorer,
    opened,
    paths_of,
    percent_of,
    printed_point,
    run,
)

NAME = "Card alerts"


def driven(by, **query):
    return opened(driver=by, **query)


def wish(app, **values):
    for key, value in values.items():
        app.number_input(key=f"wish_{key}").set_value(value)
    return run(app)


def best(app):
    """The point of the default path at the target that the page came to."""
    point = operating_point(paths_of(NAME)["smooth"], percent_of(app) / 100)
    thresholds, tp, fp = printed_point(app)
    assert (tp, fp) == (point.tp, point.fp) == counts_by_hand(NAME, thresholds, "any")
    return point


def test_a_price_in_false_alerts():
    app = wish(driven("false alerts per extra catch"), price=9.0)
    assert percent_of(app) == pytest.approx(10.0)
    assert explorer(app)["driver"] == "false alerts per extra catch"
    best(app)


def test_costs_of_reviews_and_value_of_catches():
    app = wish(driven("costs"), review=3.0, catch=4.0)
    assert percent_of(app) == pytest.approx(75.0)
    best(app)
    before = printed_point(app)
    wish(app, review=5.0)
    (error,) = [element.value for element in app.error]
    assert "no alert is worth its review" in error
    assert printed_point(app) == before


def test_a_cap_on_alerts_a_day():
    app = wish(driven("a cap on alerts"), alerts=50.0, days=10.0)
    point = best(app)
    assert point.alerts <= 500
    assert point.alerts + point.next_alerts > 400
    corners = paths_of(NAME)["smooth"].majorant.vertices
    path = paths_of(NAME)["smooth"]
    alerts = (path.tp + path.fp)[corners]
    assert point.alerts == alerts[alerts <= 500].max()


def test_a_floor_on_precision_and_a_share_to_keep():
    app = wish(driven("a floor on precision"), precision=70.0)
    assert best(app).precision >= 0.7
    wish(app, precision=99.5)
    app = wish(driven("a share of positives to keep"), share=60.0)
    point = best(app)
    assert point.share_of_rated_positives >= 0.6


def test_the_wish_follows_the_path_and_the_slider_takes_over():
    app = wish(driven("a cap on alerts"), alerts=50.0, days=10.0)
    run(app.selectbox(key="method").select("graph"))
    _, tp, fp = printed_point(app)
    assert 0 < tp + fp <= 500
    app.session_state["driver"] = "marginal precision"
    at_target(app, 35.0)
    assert percent_of(app) == 35.0
    assert explorer(app)["driver"] == ""


def test_thresholds_typed_by_hand_are_counted_and_said_to_be_no_optimum():
    app = driven("thresholds by hand")
    app.text_input(key="hand_0").set_value("0.9")
    app.text_input(key="hand_1").set_value("never")
    run(app)
    hand = explorer(app)["hand"]
    tp, fp = counts_by_hand(NAME, [0.9, np.inf], "any")
    assert (hand["tp"][-1], hand["fp"][-1]) == (tp, fp)
    assert dict(hand["words"]["counts"]) == {"Caught (TP)": f"{tp:,}", "False alerts (FP)": f"{fp:,}"}
    assert [value for _, value in hand["words"]["thresholds"]] == ["≥ 0.9", "never"]
    assert not [label for label, _ in hand["words"]["rates"] if "next" in label]


@pytest.mark.parametrize(("text", "words"), [("0.1", "floor"), ("abc", "not a number"), ("", "not a number")])
def test_a_threshold_that_cannot_be_is_refused_in_one_sentence(text, words):
    app = driven("thresholds by hand")
    app.text_input(key="hand_0").set_value(text)
    run(app)
    (error,) = [element.value for element in app.error]
    assert words in error
    assert "transaction model" in error


@pytest.mark.parametrize("name", ["Login alerts", "Count table", "Insurance claims"])
@pytest.mark.parametrize(
    "by", ["costs", "a cap on alerts", "a floor on precision", "a share of positives to keep", "thresholds by hand"]
)
def test_every_driver_works_on_every_kind_of_data(name, by):
    app = driven(by, data=name)
    thresholds, tp, fp = printed_point(app)
    assert counts_by_hand(name, thresholds, "any") == (tp, fp)


def test_plain_widgets_show_the_thresholds_set_by_hand():
    app = driven("thresholds by hand", plain="true")
    app.text_input(key="hand_0").set_value("0.9")
    app.text_input(key="hand_1").set_value("never")
    run(app)
    tp, fp = counts_by_hand(NAME, [0.9, np.inf], "any")
    shown = {metric.label: metric.value for metric in app.metric}
    assert (shown["Caught (TP)"], shown["False alerts (FP)"]) == (f"{tp:,}", f"{fp:,}")
    run(app.slider(key="m_plain").set_value(60.0))
    point = operating_point(paths_of(NAME)["smooth"], 0.6)
    shown = {metric.label: metric.value for metric in app.metric}
    assert (shown["Caught (TP)"], shown["False alerts (FP)"]) == (f"{point.tp:,.0f}", f"{point.fp:,.0f}")
