"""Test the settings, answer, links and records of the decision sheet."""

import re
from types import SimpleNamespace

import numpy as np
import pytest

from multiloss_core import RatedDocuments, operating_point, smooth_path
from multiloss_core.thresholds import RESOLUTIONS, PathSearch
from multiloss_core.thresholds.targets import point_for_alerts, threshold_choices
from tests.pages.rated_data.steps import confirm, say_no_other_alerts
from tests.pages.steps import number, opened, run, state
from ui.data.rated import sample
from ui.records import decision_log

SAMPLE = "Card alerts"


@pytest.fixture(scope="module")
def data():
    source = sample(SAMPLE)
    choice = source.first_choice
    meanings = {rating: meaning for rating, meaning in choice.meanings if meaning}
    documents = RatedDocuments.from_frame(
        source.frame, choice.scores, choice.rating, meanings=meanings, floors=choice.floors
    )
    amounts = source.frame["amount"].to_numpy()[documents.rows]
    # Days from the first to the last document, decided or not.
    times = source.frame["time"].dt.normalize()
    return SimpleNamespace(source=documents, amounts=amounts, days=(times.max() - times.min()).days + 1)


@pytest.fixture(scope="module")
def path(data):
    return smooth_path(data.source)


def sheet(**query):
    return opened("decision_sheet", **{"data": SAMPLE, **query})


def cards(app):
    """Of each setting, thresholds by name and the numbers of its counts."""
    numbers = ([number(one.value) for one in app.metric if one.label == label] for label in ("Frauds", "False alerts"))
    values = ([*map(number, re.findall(r"≥\s([\d.]+)", text))] for text in details(app))
    return list(zip(values, *numbers, strict=True))


def details(app):
    """The small print of each setting."""
    return [caption.value for caption in app.caption if re.search(r"precision [\d.]+.*\n", caption.value)]


def sentence(app):
    (found,) = [element.value for element in app.markdown if element.value.startswith("## ")]
    return found


def agree(app, data, points):
    for (values, caught, false), point in zip(cards(app), points, strict=True):
        np.testing.assert_array_equal(values, data.source.round_thresholds(point.thresholds))
        counts = data.source.counts_at(np.array(values), "any")
        assert (caught, false) == (counts.tp, counts.fp) == (point.tp, point.fp)


def test_settings_keep_half_alerts_day_all_and_twice_as_many(data, path):
    app = sheet()
    (cap,) = [box for box in app.number_input if box.label == "Alerts a day"]
    run(cap.set_value(10.0))
    search = PathSearch(data.source, "any", RESOLUTIONS[2][1], "positives")
    choices = threshold_choices(path, data.source, surfaces=search.surfaces, fit=search.fit)
    agree(app, data, [point_for_alerts(path, choices, most * data.days) for most in (5.0, 10.0, 20.0)])
    assert "up to 5 a day" in [caption.value for caption in app.caption]


def test_settings_by_last_alerts_halve_and_double_price_of_catch(data, path):
    app = run(sheet(afford="precision").number_input(key="afford_percent").set_value(25.0))
    agree(app, data, [operating_point(path, round(1 / (1 + price), 3)) for price in (1.5, 3.0, 6.0)])
    run(sheet(afford="precision").number_input(key="afford_percent").set_value(99.0))


def test_settings_by_costs_weigh_a_review_against_the_amounts(data, path):
    app = sheet(afford="costs")
    run(app.number_input(key="afford_share").set_value(50.0))
    run(app.number_input(key="afford_review").set_value(4.0))
    saved = 0.5 * data.amounts[data.source.labels].mean()
    agree(app, data, [operating_point(path, review / saved) for review in (8.0, 4.0, 2.0)])
    # Alerts rise from card to card, and each shows its payoff at the typed costs.
    alerts = [caught + false for _, caught, false in cards(app)]
    assert alerts == sorted(alerts)
    assert alerts[0] < alerts[-1]
    worth = [
        number(text)
        for text in re.findall(r"\*\*worth ([\d,.\N{MINUS SIGN}-]+)", " ".join(one.value for one in app.markdown))
    ]
    waits = [(data.source.undecided.scores >= values).any(axis=1).sum() for values, *_ in cards(app)]
    expected = [
        saved_of(data, values) * 0.5 - 4.0 * (caught + false + waiting)
        for (values, caught, false), waiting in zip(cards(app), waits, strict=True)
    ]
    assert worth == pytest.approx(expected, abs=0.51)


def saved_of(data, thresholds):
    """The money in the fraud that thresholds catch."""
    flagged = (data.source.scores >= thresholds).any(axis=1) & data.source.labels
    return data.amounts[flagged].sum()


def test_parts_of_card_and_of_answer_add_up_to_its_alerts(data):
    app = sheet()
    undecided = data.source.undecided
    waiting = []
    for (values, *_), counts in zip(cards(app), details(app), strict=True):
        (shown,) = re.findall(r"([\d,]+) undecided", counts)
        waiting.append(number(shown))
        assert waiting[-1] == undecided.flagged(values, "any").sum()
    _, caught, false = cards(app)[1]
    assert f" {caught + false + waiting[1]:g} alerts" in sentence(app)


def test_answer_compares_with_current_thresholds(data, path):
    app = sheet()
    floors = data.source.floors
    assert sentence(app).startswith("## Flag ")
    present = np.round(floors + 0.35 * (1 - floors), 2)
    for j, value in enumerate(present):
        run(app.text_input(key=f"in_force_{j}").set_value(f"{value:.10g}"))
    (values, caught, _) = cards(app)[1]
    before = data.source.counts_at(present, "any")
    change = int(abs(caught - before.tp))
    assert all(f"from {now:g} to {then:g}" in sentence(app) for now, then in zip(present, values, strict=True))
    assert f"{change:,} " in sentence(app)


def test_taking_a_setting_changes_the_answer_and_the_address():
    app = sheet()
    before = cards(app)
    run(app.button(key="take_wide").click())
    assert app.query_params["setting"] in ("wide", ["wide"])
    assert cards(app) == before
    assert all(f"from {value:g}" in sentence(app) for value in cards(app)[2][0])
    assert sentence(sheet(setting="wide")) == sentence(app)
    run(app.button(key="take_balanced").click())
    assert "setting" not in app.query_params


@pytest.mark.parametrize("afford", ["alerts", "precision", "costs"])
def test_why_leads_to_the_same_thresholds(afford, data):
    app = sheet(afford=afford)
    values = cards(app)[1][0]
    run(app.button(key="why").click())
    assert app.title[0].value == "Operating point"
    point = state(app).point.goals.shown.point
    np.testing.assert_array_equal(data.source.round_thresholds(point.thresholds), values)


def test_deployed_thresholds_fill_the_current_ones(log_address):
    app = sheet()
    run(app.button(key="take_cautious").click())
    values = cards(app)[0][0]
    app.session_state["save_sheet"] = True
    run(app)
    app.text_input(key="decision_author").set_value("Ada")
    app.text_area(key="decision_reason").set_value("Fewer reviewers in August")
    run(next(button for button in app.button if button.label == "Save to the log").click())
    decision_log().mark_deployed(1, "Grace")
    app = sheet()
    assert [app.text_input(key=f"in_force_{j}").value for j in range(2)] == [f"{value:.10g}" for value in values]
    assert "From decision 1 of the log." in [caption.value for caption in app.caption]
    # Once emptied, they stay empty.
    for j in range(2):
        run(app.text_input(key=f"in_force_{j}").set_value(""))
    assert [app.text_input(key=f"in_force_{j}").value for j in range(2)] == ["", ""]


def in_force(app, thresholds):
    for j, value in enumerate(thresholds):
        run(app.text_input(key=f"in_force_{j}").set_value(f"{value:.10g}"))
    return app


@pytest.mark.parametrize("kind", ["alerts", "costs"])
def test_current_thresholds_that_flag_nothing_leave_page_whole(kind):
    # One above every score, the other never.
    app = in_force(sheet(afford=kind), [1001.0])
    assert cards(app)
    again = sheet(afford=kind, now="1001,never")
    assert sentence(again) == sentence(app)
    run(again.switch_page("pages/operating_point.py"))
    assert not again.error


def test_current_thresholds_without_clear_gain_are_kept(data, path):
    # As good by chance as the best at the same number of alerts: a few alerts away.
    point = operating_point(path, 0.2)
    near = np.sort(data.source.scores[:, 0])
    current = data.source.round_thresholds(point.thresholds)
    current[0] = near[np.searchsorted(near, current[0]) + 3]
    app = in_force(sheet(afford="precision"), current.tolist())
    assert sentence(app).startswith("## Keep the current thresholds")
    # A cap demands its change all the same.
    app = in_force(sheet(), current.tolist())
    (cap,) = [box for box in app.number_input if box.label == "Alerts a day"]
    run(cap.set_value(5.0))
    assert sentence(app).startswith("## Raise")


def test_gain_that_is_clear_is_proposed(data):
    # The floors flag everything that was rated.
    app = in_force(sheet(afford="precision"), data.source.floors.tolist())
    assert sentence(app).startswith("## Raise")


def test_sheet_and_operating_point_show_one_point():
    app = sheet(afford="precision")
    values = cards(app)[1][0]
    run(app.switch_page("pages/operating_point.py"))
    run(app)
    np.testing.assert_allclose(state(app).point.goals.shown.point.thresholds, values, rtol=1e-3)
    app.session_state["plain"] = True
    run(app)
    run(app.slider(key="m_plain").set_value(60.0))
    chosen = state(app).point.goals.shown.point
    run(app.switch_page("pages/decision_sheet.py"))
    run(app)
    shown = sentence(app)
    assert [*map(float, re.findall(r"from ([\d.]*\d)", shown))] == pytest.approx(chosen.thresholds, rel=1e-3)
    assert cards(app)[1][0] == pytest.approx(chosen.thresholds, rel=1e-3)
    # It outlasts a reload of the address.
    asked = {name: value[0] if isinstance(value, list) else value for name, value in app.query_params.items()}
    assert sentence(sheet(**asked)) == shown
    run(app.button(key="take_cautious").click())
    assert cards(app)[1][0] == values
    assert all(f"{value:g}" in sentence(app) for value in cards(app)[0][0])
    run(app.switch_page("pages/operating_point.py"))
    run(app)
    np.testing.assert_allclose(state(app).point.goals.shown.point.thresholds, cards_thresholds(app), rtol=1e-3)


def cards_thresholds(app):
    return list(state(app).point.goals.sheet_led_to.thresholds)


def test_goals_belong_to_their_file():
    app = sheet()
    (cap,) = [box for box in app.number_input if box.label == "Alerts a day"]
    run(cap.set_value(3.0))
    run(app.switch_page("pages/operating_point.py"))
    run(app)
    assert app.selectbox(key="goal").value == "alerts"
    run(app.selectbox(key="data").set_value("Login alerts"))
    assert app.selectbox(key="goal").value == "slider"
    assert not {"goal_alerts", "goal_days", "goal"} & {*app.query_params}
    run(app.selectbox(key="data").set_value(SAMPLE))
    assert app.selectbox(key="goal").value == "alerts"
    assert app.number_input(key="goal_alerts").value == 3.0


def test_few_positives_have_a_wide_interval(data):
    positions = np.flatnonzero(data.source.labels)[:9].tolist() + np.flatnonzero(~data.source.labels)[:400].tolist()
    frame = sample(SAMPLE).frame.iloc[data.source.rows[np.sort(positions)]]
    app = opened("rated_data")
    app.file_uploader(key="upload").upload("few.csv", frame.to_csv(index=False).encode(), "text/csv")
    say_no_other_alerts(confirm(run(app)))
    run(app.switch_page("pages/decision_sheet.py"))
    (words,) = [one.value for one in app.warning if "9 rated frauds" in one.value]
    low, high = map(float, re.findall(r"([\d.]+)\s%", words)[:2])
    assert 0 <= low < high <= 100
    assert high - low > 3
