"""Test which alert rules are proposed, over generated tables."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiloss_core.tables import column_of, guess_columns, possible_alert_rules, rule_cells

ROWS = 200


def table(seed, kind, share, names_a_score):
    generator = np.random.default_rng(seed)
    score = generator.random(ROWS).round(3)
    fraud = generator.random(ROWS) < score
    rule = generator.random(ROWS) < share
    frame = pd.DataFrame({"model_score": score, "rating": np.where(fraud, "fraud", "ok")})
    if kind == "words":
        by_score = np.where(score >= 0.5, "Threshold A", "") if names_a_score else np.full(ROWS, "")
        other = np.where(rule, "velocity", np.where(by_score == "", "geo", ""))
        frame["alert_reason_rule"] = [";".join(filter(None, pair)) for pair in zip(by_score, other, strict=True)]
    else:
        yes, no = kind
        frame["velocity_rule"] = np.where(rule, yes, no)
        frame["geo_rule"] = np.where(rule, no, yes)
    return frame


@given(
    st.integers(0, 1000),
    st.sampled_from(["words", ("True", "False"), ("Y", "N"), ("1", "0"), ("HIT", ""), ("breach", "")]),
    st.sampled_from([0.05, 0.5, 0.95]),
    st.booleans(),
)
def test_proposed_rules_never_raise_every_row(seed, kind, share, names_a_score):
    frame = table(seed, kind, share, names_a_score)
    rules = guess_columns(frame).alert_rules
    if rules:
        assert not np.any([rule_cells(column_of(frame, rule))[0] == 1 for rule in rules], axis=0).all()


def test_reason_that_names_a_score_is_not_proposed():
    frame = table(3, "words", 0.3, names_a_score=True)
    guess = guess_columns(frame)
    assert "alert_rules" in guess.unsure
    assert guess.alert_rules
    assert not any("Threshold A" in name for name in guess.alert_rules)
    assert "alert_reason_rule has Threshold A" in possible_alert_rules(frame)


@pytest.mark.parametrize(("yes", "no"), [("True", "False"), ("t", "f"), ("HIT", "")])
def test_column_of_yes_and_no_is_one_rule(yes, no):
    frame = table(5, (yes, no), 0.3, names_a_score=False).drop(columns="geo_rule")
    assert guess_columns(frame).alert_rules == ("velocity_rule",)


def test_column_of_one_word_is_the_rule_of_that_word():
    frame = table(5, ("breach", ""), 0.3, names_a_score=False).drop(columns="geo_rule")
    assert guess_columns(frame).alert_rules == ("velocity_rule has breach",)
