import pandas as pd
import pytest

from multiloss_core.tables import guess_columns

WORDS = (["Confirmed fraud"], ["False positive"], ["Pending"])


def guessed(alerts, **columns):
    return guess_columns(pd.DataFrame({"score": alerts.probability(), **columns}))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("decoy", "cells"),
    [
        ("is_mobile", lambda a: a.flags()),
        ("gender", lambda a: a.words("F", "M")),
        ("MACK", lambda a: a.flags("Y", "N")),
        ("new_customer", lambda a: a.flags("true", "false")),
        ("decision", lambda a: a.words("DECLINE", "REVIEW")),
        ("decision", lambda a: a.words("fraud", "genuine")),
        ("first_review", lambda a: a.rated(*WORDS, wrong=0.2)),
        ("erste_bewertung", lambda a: a.rated(*WORDS, wrong=0.2)),
        ("predicted_label", lambda a: a.flags()),
        ("isFlaggedFraud", lambda a: a.flags()),
        ("prior_fraud", lambda a: a.flags()),
        ("device_health", lambda a: a.words("good", "bad")),
        ("queue_status", lambda a: a.words("open", "closed")),
        ("label_source", lambda a: a.words("chargeback", "manual")),
    ],
)
@pytest.mark.parametrize("first", [True, False])
def test_other_flags_and_words_are_not_the_rating(alerts, decoy, cells, first):
    for name, rating in (
        ("final_review", alerts.rated(*WORDS)),
        ("is_bad", alerts.marks()),
        ("CHARGEBACK", alerts.marks()),
    ):
        columns = {decoy: cells(alerts), name: rating} if first else {name: rating, decoy: cells(alerts)}
        guess = guessed(alerts, **columns)
        assert (guess.rating, guess.unsure) == (name, frozenset()), name


def test_three_values_are_a_rating_with_meanings(alerts):
    guess = guessed(alerts, disposition=alerts.rated(*WORDS))
    assert dict(guess.meanings) == {"confirmed fraud": "positive", "false positive": "negative", "pending": "undecided"}
    assert guess.positive == "confirmed fraud"
    assert guess.unsure == frozenset()


@pytest.mark.parametrize(
    ("fraud", "other", "missing"),
    [("Pending", "Good", "positive"), ("Undetermined", "False Positive", "positive"), ("Fraud", "Unknown", "negative")],
)
def test_missing_side_has_a_reason(alerts, fraud, other, missing):
    guess = guessed(alerts, disposition=alerts.rated([fraud], [other]))
    assert "meanings" in guess.unsure
    assert guess.reasons["meanings"] == f"no value is known to mean {missing}"
    assert missing not in dict(guess.meanings).values()


@pytest.mark.parametrize(
    ("yes", "no"), [("F", "G"), ("F", "L"), ("M", "F"), (2, 1), ("A", "B"), ("approved", "rejected")]
)
def test_codes_have_no_meaning_without_answer(alerts, yes, no):
    guess = guessed(alerts, disposition=alerts.marks(yes, no))
    assert guess.rating == "disposition"
    assert guess.unsure == {"meanings"}
    assert {meaning for _, meaning in guess.meanings} == {None}


def test_two_columns_that_differ_are_asked_about(alerts):
    ratings = {name: alerts.rated(*WORDS, wrong=0.1) for name in ("analyst_1", "analyst_2")}
    assert "rating" in guessed(alerts, **ratings).unsure
    assert "rating" in guessed(alerts, verdict=alerts.rated(*WORDS, wrong=0.1), chargeback=alerts.marks()).unsure


def test_of_two_agreeing_columns_the_fuller_one_is_taken(alerts):
    words = alerts.rated(*WORDS)
    flag = (words == "Confirmed fraud").astype(int)
    for columns in ({"is_fraud": flag, "verdict": words}, {"verdict": words, "is_fraud": flag}):
        guess = guessed(alerts, **columns)
        assert (guess.rating, guess.unsure) == ("verdict", frozenset())
    # The flag has a value for the open cases.
    assert "rating" in guessed(alerts, verdict=words, is_fraud=alerts.marks()).unsure


def test_genuine_is_certain_only_in_tables_of_fraud(alerts):
    plain = guessed(alerts, genuine=alerts.marks(0, 1))
    assert (dict(plain.meanings)["1"], plain.unsure) == ("negative", {"meanings"})
    biometric = guessed(alerts, finger_left=alerts.hundred(), genuine=alerts.marks())
    assert (dict(biometric.meanings)["1"], biometric.unsure) == ("positive", {"meanings"})
    payments = guessed(alerts, txn_amount=alerts.amounts(), genuine=alerts.marks(0, 1))
    assert (dict(payments.meanings)["1"], payments.unsure) == ("negative", frozenset())


@pytest.mark.parametrize("name", ["actual", "y_true", "GroundTruth", "y_test", "is_malicious", "IsAttack"])
def test_label_of_other_fields_is_certain(alerts, name):
    guess = guessed(alerts, **{name: alerts.marks()})
    assert (guess.rating, guess.positive, guess.unsure) == (name, "1", frozenset())


@pytest.mark.parametrize(
    ("name", "positives", "negatives"),
    [
        ("moderator_action", ["Removed - scam", "Removed"], ["Approved", "No violation"]),
        ("outcome", ["Dispute lost"], ["Fulfilled", "Refunded", "Dispute won"]),
        ("siu_outcome", ["Denied - fraud"], ["Paid"]),
    ],
)
def test_acts_beside_findings_are_preset_and_asked(alerts, name, positives, negatives):
    guess = guessed(alerts, **{name: alerts.rated(positives, negatives)})
    assert guess.rating == name
    meanings = dict(guess.meanings)
    assert {meanings[word.lower()] for word in positives} == {"positive"}
    assert {meanings[word.lower()] for word in negatives} == {"negative"}
    assert "meanings" in guess.unsure
