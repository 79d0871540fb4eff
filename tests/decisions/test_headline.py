import math

import pytest

from multiloss_core.decisions import alerts_a_day_words, headline_of
from multiloss_core.formatting import FRAUD, Unit
from multiloss_core.thresholds.data.counts import Counts

NAMES = ("model A", "rule score")


def test_what_a_boss_reads_first():
    sentence = headline_of(NAMES, (800, 55), (852, 59.1), Counts(-213.0, -1045.0), 7.9, vocabulary=FRAUD)
    assert sentence == (
        "Raise model A from 800 to 852 and rule score from 55 to 59.1: 1,258 fewer alerts, 213 frauds given up, "
        "7.9 alerts a day"
    )


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


def test_three_classifiers_are_listed():
    names, present, thresholds = ("a", "b", "c"), (1, 2, 3), (2, 3, 2)
    sentence = headline_of(names, present, thresholds, Counts(1.0, 0.0))
    assert (
        sentence
        == "Raise a from 1 to 2 and b from 2 to 3 and lower c from 3 to 2: 1 more alert, 1 more positive caught"
    )
    names, present, thresholds = ("a", "b", "c"), (1, 2, 3), (2, 1, 3)
    sentence = headline_of(names, present, thresholds, Counts(-1.0, 1.0))
    assert sentence == (
        "Raise a from 1 to 2, lower b from 2 to 1 and leave c at 3: as many alerts, 1 positive given up"
    )


def test_thresholds_that_stay_change_nothing():
    sentence = headline_of(NAMES, (800, None), (800, math.inf), Counts(0.0, 0.0), 12.4)
    assert sentence == "Leave model A at 800 and rule score at never: 12.4 alerts a day"


def test_without_present_thresholds_the_counts_are_told():
    sentence = headline_of(NAMES, None, (852, 59.1), Counts(505.0, 931.0), math.nan, vocabulary=FRAUD)
    assert sentence == "Flag model A from 852 or rule score from 59.1: 1,436 alerts, 505 frauds caught"
    assert headline_of(NAMES, None, (852, None), None, rule="any") == "Flag model A from 852"
    assert headline_of(NAMES, None, (852, None), None, rule="all") == "Flag nothing"
    assert headline_of(NAMES, None, (852, 3), None, rule="all") == "Flag model A from 852 and rule score from 3"


@pytest.mark.parametrize(
    ("difference", "effects"),
    [
        (Counts(-20_074.0, -88_646.4), "108,720 less money flagged, 20,074 of money given up"),
        (Counts(12.5, 0.0), "12.50 more money flagged, 12.50 of money more caught"),
    ],
)
def test_money_is_told_as_money(difference, effects):
    assert headline_of(("a",), (1,), (2,), difference, unit=Unit.MONEY) == f"Raise a from 1 to 2: {effects}"


def test_sums_of_cents_are_rounded_before_they_have_a_sign():
    assert headline_of(("a",), (1,), (2,), Counts(-1e-12, -4.0)).endswith(": 4 fewer alerts, as many positives caught")


@pytest.mark.parametrize(
    ("alerts", "words"),
    [(7.889, "7.9 alerts"), (12.0, "12 alerts"), (1.02, "1 alert"), (0.0, "0 alerts"), (1034.6, "1,035 alerts")],
)
def test_alerts_a_day_have_the_digits_of_a_mean(alerts, words):
    assert alerts_a_day_words(alerts) == words
