import pytest

from multiloss_core.tables.vocabulary import read_rating

POSITIVE = """Confirmed fraud|FRAUD|fraud_confirmed|ConfirmedFraud|1 - Fraud|F: Fraud|Fraud (confirmed)|TP|
True Positive|
true-positive|Account takeover|chargeback|SAR filed|bad|scam|Not genuine|False negative|card not present fraud|
Confirmed Fraud (CF)|Closed - Fraud|Betrug|Betrug bestätigt|Bestätigter Betrug|BESTAETIGTER BETRUG|Betrugsfall|
nicht legitim|Fraude avérée|FRAUDE CONFIRMEE|frauduleux|vrai positif|Fraude confirmado|fraudulenta|estafa|
verdadero positivo|Fraude confirmada|golpe|verdadeiro positivo"""
NEGATIVE = """not fraud|
NOT_FRAUD|NonFraud|non-fraud|No fraud found|Fraud not found|No evidence of fraud|Genuine|legit|
Good|OK|Cleared|False positive|FP|False Positive (FP)|false alarm|Dismissed|No SAR|SAR not filed|not suspicious|
Not bad|
no further action|customer confirmed genuine|Closed: no fraud|kein Betrug|Kein Betrugsverdacht|nicht betrügerisch|
Fehlalarm|falsch positiv|unauffällig|legitim|in Ordnung|Pas de fraude|faux positif|Fausse alerte|légitime|sans suite|
No es fraude|Sin fraude|falso positivo|legítimo|descartado|Não é fraude|nao fraude|sem fraude|falso alarme"""
UNDECIDED = """Pending|open|Unknown|undetermined|Suspected|Suspected fraud|Fraud?|Fraud suspected|possible fraud|
likely genuine|unconfirmed fraud|Escalated|escalated to L2|n/a|N/A|TBD|In review|under investigation|
not yet reviewed|?|
offen|Ausstehend|in Bearbeitung|in Prüfung|Verdacht|Betrugsverdacht|nicht geprüft|unklar|En attente|en cours|
À vérifier|suspecté|inconnu|Pendiente|en revisión|sospechoso|no revisado|Pendente|Em análise|suspeita|em andamento"""
# Ambiguous words, or words with another meaning.
OPEN = """Not clear|Genuine alert|Bad alert|Fraud pending review|fraud not confirmed|friendly fraud|Bad debt|
Suspicion confirmed|Verdacht bestätigt|genuine fraud|clear fraud|good catch|approved|declined|DECLINE|A|F|G|red|2|
Confirmed|confirmed by customer|Reviewed|Closed|None|High|fraud reversed|not a false positive|no longer pending|
no confirmed fraud|unauthorised|won|lost|test|duplicate|verified|Фрод|詐欺|..."""


def listed(text):
    return [value.strip() for value in text.replace("\n", "").split("|")]


@pytest.mark.parametrize(
    ("values", "meaning"), [(POSITIVE, "positive"), (NEGATIVE, "negative"), (UNDECIDED, "undecided"), (OPEN, None)]
)
def test_what_a_rating_means_for_certain(values, meaning):
    read = {value: read_rating(value).certain for value in listed(values)}
    assert {value: found for value, found in read.items() if found != meaning} == {}


@pytest.mark.parametrize(
    "change", [str.upper, str.title, lambda text: f"  {text} ", lambda text: text.replace(" ", "_")]
)
def test_case_blanks_and_underscores_make_no_difference(change):
    for values, meaning in ((POSITIVE, "positive"), (NEGATIVE, "negative"), (UNDECIDED, "undecided")):
        plain = [value for value in listed(values) if value.islower() and "/" not in value]
        assert plain
        assert {change(value): read_rating(change(value)).certain for value in plain} == {
            change(value): meaning for value in plain
        }


def test_uncertain_values_have_likely_meanings():
    assert read_rating("Fraud pending review").likely == "undecided"
    assert read_rating("Fraud - customer refused").likely == "positive"
    assert read_rating("genuine, inform the merchant").likely == "negative"
    assert read_rating("red").likely is None


def test_everyday_words_alone_are_no_rating():
    assert not any(read_rating(value).is_specific for value in ("good", "bad", "OK", "positive", "open", "red"))
    assert all(read_rating(value).is_specific for value in ("fraud", "False Positive", "legit", "kein Betrug"))


@pytest.mark.parametrize("word", ["impossible_travel", "Impossible journey", "immaterial"])
def test_parts_of_other_words_mean_nothing(word):
    reading = read_rating(word)
    assert (reading.certain, reading.likely) == (None, None)
