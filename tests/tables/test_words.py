import pytest

from multiloss_core.tables.vocabulary import name_words


@pytest.mark.parametrize("spelled", ["isFraud", "is_fraud", "IS-FRAUD", "Is Fraud", " is.fraud ", "isfraud"])
def test_spellings_of_a_name_are_alike(spelled):
    assert name_words(spelled) == ("is", "fraud")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Betrugswahrscheinlichkeit", ("betrug", "wahrscheinlichkeit")),
        ("Kundennummer", ("kunden", "nummer")),
        ("Schadenmeldedatum", ("schadenmelde", "datum")),
        ("omniscore", ("omni", "score")),
        ("riskScore2", ("risk", "score", "2")),
        ("txn_count_24h", ("txn", "count", "24h")),
        ("Prüfergebnis", ("prufergebnis",)),
        ("Pruefergebnis", ("pruefergebnis",)),
        ("storage", ("storage",)),
        ("???", ("?", "?", "?")),
        ("", ()),
    ],
)
def test_names_are_taken_apart(name, words):
    assert name_words(name) == words
