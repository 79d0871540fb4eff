"""Compare the background estimates for new data with those of the core."""

from functools import cache

import numpy as np
import pytest

from multiloss_core import PATH_METHODS, RatedDocuments, operating_point, smooth_path
from multiloss_core.formatting import UNDEFINED
from multiloss_core.generalisation import bootstrap_points, bootstrap_thresholds, certify, cross_fit
from multiloss_core.thresholds.paths.smooth.smooth_fit import smooth_fit
from tests.pages.steps import decide, explorer, number, opened, run, state, tasks_of
from ui.data.rated import sample
from ui.operating_point.path_tasks import Settings
from ui.operating_point.resampling_tasks import PATH, POINT, SLIDER_TARGETS

NAME, PERCENT = "Login alerts", 20.0


@cache
def documents():
    source = sample(NAME)
    choice = source.first_choice
    return RatedDocuments.from_frame(source.frame, choice.scores, choice.rating, floors=choice.floors)


@cache
def finished(**query):
    return wait(opened(**{"data": NAME, "m": str(PERCENT), "new_data": "true"} | query))


def wait(app):
    for task in tasks_of(app, POINT, PATH):
        assert task.wait(180)
        assert task.failure is None
    app.run()
    assert not app.exception
    return app


def table(app, column):
    return next(element.value for element in app.dataframe if column in element.value)


def test_the_intervals_are_those_of_the_core():
    shown = table(finished(), "One new period will show").set_index("")
    fit, path = smooth_fit(documents()), smooth_path(documents())
    *_, bootstrap = bootstrap_points(documents(), fit, path, [PERCENT / 100], generator=np.random.default_rng(0))
    found = bootstrap.intervals()
    for row, expected, new in (
        ("Caught (TP)", found.expected.tp, found.new_period.tp),
        ("False alerts (FP)", found.expected.fp, found.new_period.fp),
        ("Alerts decided", found.expected.alerts, found.new_period.alerts),
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
    assert precisions == [
        pytest.approx(100 * bound, abs=0.06) for bound in (found.expected.precision.low, found.expected.precision.high)
    ]


@pytest.mark.parametrize("percent", [PERCENT, 0.5])
def test_marginal_precision_has_interval_or_reason_for_none(percent):
    app = finished(m=str(percent))
    shown = table(app, "One new period will show").set_index("").loc["Marginal precision"]
    fit, path = smooth_fit(documents()), smooth_path(documents())
    *_, bootstrap = bootstrap_points(documents(), fit, path, [percent / 100], generator=np.random.default_rng(0))
    found, captions = bootstrap.intervals().marginal_precision, " ".join(caption.value for caption in app.caption)
    assert bool(found.reason) == (percent != PERCENT)
    if found.reason:
        assert f"No interval of the marginal precision: {found.reason}" in captions
        assert shown["Expected on new data"] == shown["between"] == UNDEFINED
    else:
        assert "No interval of the marginal precision" not in captions
        assert [number(text) for text in shown["between"].split(" – ")] == [
            pytest.approx(100 * bound, abs=0.06) for bound in (found.low, found.high)
        ]


def test_held_out_counts_are_those_of_core_for_every_method():
    shown = table(finished(), "TP held out").set_index("Method")
    settings = Settings("any", "positives", 300)
    finders = {method.name: lambda part, find=method.find: find(settings.search(part)) for method in PATH_METHODS}
    found = cross_fit(documents(), finders, SLIDER_TARGETS)
    i = int(np.flatnonzero(np.isclose(SLIDER_TARGETS, PERCENT / 100))[0])
    assert list(shown.index) == list(found)
    for name, counts in found.items():
        assert shown.loc[name, "TP held out"] == round(counts.tp[i])
        assert shown.loc[name, "FP held out"] == round(counts.fp[i])
        assert shown.loc[name, "TP here"] == counts.in_sample.tp[i]
        assert shown.loc[name, "Precision held out"] == pytest.approx(counts.precision[i], abs=0.0006)
        assert shown.loc[name, "Area held out"] == pytest.approx(counts.area, abs=1e-4)


def by_hand(**query):
    return finished(goal="manual", **query)


def test_thresholds_set_by_hand_have_intervals_of_their_own():
    app = by_hand(hand="0.8")
    shown = table(app, "One new period will show").set_index("")
    found = bootstrap_thresholds(documents(), [0.8], "any", generator=np.random.default_rng(0)).intervals()
    frame = sample(NAME).frame
    alerts = frame[frame["rating"].notna() & (frame["login model"] >= 0.8)]
    tp, fp = ((alerts["rating"] == kind).sum() for kind in ("fraud", "ok"))
    assert [number(text) for text in shown["On this data"][:3]] == [tp, fp, tp + fp]
    for row, expected, new in (
        ("Caught (TP)", found.expected.tp, found.new_period.tp),
        ("False alerts (FP)", found.expected.fp, found.new_period.fp),
        ("Alerts decided", found.expected.alerts, found.new_period.alerts),
    ):
        between = [number(text) for text in shown.loc[row, "between"].split(" – ")]
        assert between == [round(expected.low), round(expected.high)]
        period = [number(text) for text in shown.loc[row, "One new period will show"].split(" – ")]
        assert period == [round(new.low), round(new.high)]
        # A binomial count of n documents spreads like this, whatever was drawn.
        n, share = len(documents().labels), {"Caught (TP)": tp, "False alerts (FP)": fp, "Alerts decided": tp + fp}[row]
        spread = 2 * 1.96 * np.sqrt(share * (1 - share / n))
        assert between[1] - between[0] == pytest.approx(spread, rel=0.12)
        assert period[1] - period[0] == pytest.approx(np.sqrt(2) * spread, rel=0.15)
    assert "Marginal precision" not in shown.index
    assert "they were not chosen again" in " ".join(caption.value for caption in app.caption)


def test_intervals_of_money_stand_beside_money():
    app = by_hand(data="Card alerts", count="money", hand="0.9,never")
    shown = table(app, "One new period will show").set_index("")
    frame = sample("Card alerts").frame
    alerts = frame[frame["rating"].notna() & (frame["transaction model"] >= 0.9)]
    caught, false = (alerts.loc[alerts["rating"] == kind, "amount"].sum() for kind in ("fraud", "ok"))
    assert [number(text) for text in shown["On this data"][:2]] == [round(caught), round(false)]
    low, high = (number(text) for text in shown["between"].iloc[0].split(" – "))
    assert low < caught < high
    hand = explorer(app)["hand"]["words"]
    labels = {label for label, _ in [*hand["counts"], *hand["rates"]]}
    assert set(explorer(app)["intervals"]["words"]) <= labels


def test_a_decision_by_hand_keeps_its_intervals():
    app = by_hand(hand="0.82")
    app.run()
    decide(app, "Files only")
    assert not app.exception
    expected = state(app).point.decision.record.expected
    found = bootstrap_thresholds(documents(), [0.82], "any", generator=np.random.default_rng(0)).intervals()
    assert (expected.tp_interval.low, expected.tp_interval.high) == (found.expected.tp.low, found.expected.tp.high)
    assert (expected.precision_interval.low, expected.level) == (found.expected.precision.low, 0.95)


def test_table_of_counts_has_no_intervals_for_thresholds_by_hand():
    app = by_hand(data="Count table", hand="0.8,0.9")
    assert "need the documents" in " ".join(caption.value for caption in app.caption)
    assert explorer(app)["intervals"] is None
    assert not [element for element in app.dataframe if "One new period will show" in element.value]


def test_a_link_reopens_with_a_guaranteed_path():
    app = opened(data=NAME, guaranteed="80,95", method="guaranteed")
    assert app.selectbox(key="method").value == "guaranteed"
    assert explorer(app)["table"]["certified"]
    assert app.query_params["guaranteed"] == "80,95"
    app.selectbox(key="data").select("Card alerts").run()
    assert not app.exception
    assert "guaranteed" not in app.query_params


def test_a_guarantee_of_a_link_that_cannot_be_is_none():
    app = opened(data=NAME, guaranteed="nan,95", method="guaranteed")
    assert app.selectbox(key="method").value == "smooth"
    assert "guaranteed" not in app.query_params


def test_guaranteed_range_is_shown_on_slider_and_points():
    app = opened(data=NAME)
    found = certify(documents(), 0.8)
    app.session_state["guarantee"] = True
    app.session_state["certify_precision"] = 80.0
    app.run()
    assert not app.exception
    (button,) = [button for button in app.button if "slider" in button.label]
    button.click().run()
    assert not app.exception
    assert app.selectbox(key="method").value == "guaranteed"
    table = explorer(app)["table"]
    low, high = table["certified"]
    for percent, row in zip(table["percents"], table["rows"], strict=True):
        point = operating_point(found.path, percent / 100)
        certified = point.status != "unreachable" and found.covers(point.thresholds)
        assert ("confidence" in row["words"]["guarantee"]) == certified == (low <= percent <= high)
        assert row["tp"][-1] == point.tp
        if certified:
            assert point.precision > 0.8


@pytest.mark.parametrize("rule", ["any", "all"])
def test_next_ratings_are_recommended(rule):
    app = opened(data="Card alerts", rule=rule, view="time")
    app.session_state["next_ratings"], app.session_state["view"] = True, "time"
    run(app)
    assert any("What to rate next" in text.value for text in app.markdown)


def test_stopped_estimates_do_not_begin_again():
    app = opened(data=NAME, m="33", new_data="true")
    (stop,) = (button for button in app.button if button.key == "stop_evidence")
    run(stop.click())
    run(app)
    assert not app.toggle(key="new_data").value
    assert all(task.cancelled or task.finished for task in tasks_of(app, POINT))
    assert "stop_evidence" not in [button.key for button in app.button]
