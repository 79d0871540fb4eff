"""Links made before the URL held short values, and what the URL holds now."""

import pytest

from tests.pages.steps import opened, run
from ui.operating_point.controls.settings import RULES, SPACINGS
from ui.operating_point.controls.target_drivers import DRIVERS
from ui.shared.url_params import OLD_VALUES, read_numbers, write_numbers

LABELS = {"rule": RULES, "nodes": SPACINGS, "driver": {key: driver.label for key, driver in DRIVERS.items()}}


def test_every_value_of_an_old_link_is_the_label_of_the_new_one():
    changed = {
        name: {label: value for value, label in labels.items() if label != value} for name, labels in LABELS.items()
    }
    assert changed == OLD_VALUES


@pytest.mark.parametrize(
    ("name", "old", "new"), [(name, old, new) for name, values in OLD_VALUES.items() for old, new in values.items()]
)
def test_a_link_made_before_opens_and_is_written_as_now(name, old, new):
    app = opened(data="Card alerts", m="30", **{name: old})
    assert not app.error
    assert app.get_by_key(name).value == new
    # The first choice needs no parameter.
    assert app.query_params.get(name) == (None if new == next(iter(LABELS[name])) else new)
    # What is chosen then has the last word.
    other = next(value for value in LABELS[name] if value != new)
    run(app.get_by_key(name).set_value(other))
    assert app.get_by_key(name).value == other
    assert app.query_params.get(name) == (None if other == next(iter(LABELS[name])) else other)


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ({"m": "42.5"}, {"m": "42.5"}),
        ({"count": "money", "method": "graph"}, {"count": "money", "method": "graph"}),
        ({"now": "0.8,never", "pin": "0.9,0.7", "against": "now"}, {"now": "0.8,never", "pin": "0.9,0.7"}),
        ({"driver": "thresholds by hand", "hand": "0.9,never"}, {"driver": "manual", "hand": "0.9,never"}),
        ({"data": "Login alerts", "guaranteed": "80,95"}, {"guaranteed": "80,95"}),
        ({"driver": "a floor on precision", "wish_precision": "75"}, {"driver": "precision", "wish_precision": "75"}),
    ],
)
def test_parameters_whose_values_did_not_change_open_as_before(query, shown):
    app = opened(**{"data": "Card alerts"} | query)
    assert not app.error
    assert {name: app.query_params.get(name) for name in shown} == shown


def test_a_choice_outlasts_a_visit_to_another_page():
    app = opened(data="Card alerts")
    run(app.get_by_key("rule").set_value("all"))
    assert app.query_params["rule"] == "all"
    run(app.switch_page("pages/rated_data.py"))
    run(app.switch_page("pages/operating_point.py"))
    assert app.get_by_key("rule").value == "all"


def test_numbers_are_read_as_they_were_written():
    numbers = [0.1, float("inf"), 1e-9]
    assert read_numbers(write_numbers(numbers)) == numbers
