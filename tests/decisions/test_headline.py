import math

import pytest

from multiloss_core.decisions import alerts_a_day_words, headline_of
from multiloss_core.formatting import Unit
from multiloss_core.thresholds.data.counts import Counts

NAMES = ("model A", "rule score")


@pytest.mark.parametrize(
    ("present", "thresholds", "moves"),
    [
        ((800, 55), (852, 50), "Raise model A from 800 to 852 and lower rule score from 55 to 50"),
        ((800, 55), (852, 55), "Raise model A from 800 to 852 and leave rule score at 55"),
        ((800, None), (852, 55), "Raise model A from 800 to 852 and switch on rule score at 55"),
        ((800, 55), (math.inf, 50), "Switch off model A (800 today) and lower rule score from 55 to 50"),
        ((800, 55), (790, 50), "Lower model A from 800 to 790 and rule score from 55 to 50"),
    ],
)
def test_each_threshold_has_the_verb_of_its_move(present, thresholds, moves):
    assert headline_of(NAMES, present, thresholds, None) == f"{moves}: the changes are unknown"


@pytest.mark.parametrize(
    ("difference", "effects"),
    [
        (Counts(-20_074.0, -88_646.4), "108,720 less money flagged, 20,074 of money given up"),
        (Counts(12.5, 0.0), "12.50 more money flagged, 12.50 of money more caught"),
    ],
)
def test_headline_shows_money(difference, effects):
    assert headline_of(("a",), (1,), (2,), difference, unit=Unit.MONEY) == f"Raise a from 1 to 2: {effects}"


@pytest.mark.parametrize(
    ("alerts", "words"),
    [(7.889, "7.9 alerts"), (12.0, "12 alerts"), (1.02, "1 alert"), (0.0, "0 alerts"), (1034.6, "1,035 alerts")],
)
def test_alerts_a_day_have_the_digits_of_a_mean(alerts, words):
    assert alerts_a_day_words(alerts) == words
