import numpy as np
import pandas as pd
import pytest

from multiloss_core import DataError
from multiloss_core.tables import guess_columns, guess_meanings, rating_values
from multiloss_core.tables.rating_column import parse_ratings

TWO_SIDES = {"1": "positive", "0": "negative"}
TURNED = {"1": "negative", "0": "positive"}
ASKED = {"1": None, "0": None}


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("is_fraud isFraud FRAUD_IND fraud_flag confirmed_fraud chargeback sar_filed label target y is_bad", TWO_SIDES),
        ("Betrug ist_betrug Betrugskennzeichen fraude es_fraude fraude_averee é_fraude disputed tp spam", TWO_SIDES),
        ("is_genuine is_legit legit false_positive cleared not_fraud no_fraud is_ok is_false_alarm fp good", TURNED),
        ("kein_betrug Fehlalarm est_legitime falso_positivo sem_fraude faux_positif es_legitimo", TURNED),
        ("genuine outcome disposition verdict status good_bad genuine_fraud fraud_score suspected_fraud x", ASKED),
    ],
)
def test_column_name_gives_the_meaning_of_1(names, expected):
    assert {name: guess_meanings(["1", "0"], name) for name in names.split()} == dict.fromkeys(names.split(), expected)


@pytest.mark.parametrize("pair", ["1 0", "true false", "yes no", "y n", "ja nein", "j n", "oui non", "sim não", "t f"])
def test_flags_of_every_kind_are_read(pair):
    yes, no = pair.split()
    assert guess_meanings([yes, no], "is_fraud") == {yes: "positive", no: "negative"}
    assert guess_meanings([no, yes], "is_genuine") == {yes: "negative", no: "positive"}
    assert guess_meanings([yes, no, "pending"], "fraud") == {yes: "positive", no: "negative", "pending": "undecided"}


@pytest.mark.parametrize("values", ["f g", "f l", "m f", "a b", "1 2", "0 1 2", "-1 1", "v f", "red green"])
def test_codes_are_asked_about(values):
    assert set(guess_meanings(values.split(), "is_fraud").values()) == {None}


class TestParsing:
    def test_meanings_of_several_values(self):
        column = pd.Series(["Fraud", "genuine", None, "Pending", " GENUINE "], name="disposition")
        given = {"Fraud": "positive", "genuine": "negative", "pending": "undecided"}
        np.testing.assert_array_equal(parse_ratings(column, meanings=given), [1, 0, np.nan, np.nan, 0])
        # The words say the same.
        np.testing.assert_array_equal(parse_ratings(column), [1, 0, np.nan, np.nan, 0])
        turned = given | {"Fraud": "negative", "genuine": "positive"}
        np.testing.assert_array_equal(parse_ratings(column, meanings=turned), [0, 1, np.nan, np.nan, 1])

    @pytest.mark.parametrize("kind", ["object", "str", "category"])
    def test_all_kinds_of_columns_are_read_alike(self, kind):
        column = pd.Series(["tp", "fp", None, "tp"], name="result", dtype=kind)
        np.testing.assert_array_equal(parse_ratings(column), [1, 0, np.nan, 1])

    @pytest.mark.parametrize(
        ("values", "name", "meanings", "words"),
        [
            (["a", "b"], "code", {"a": "positive"}, r"'code' holds 'b' \(from row 2 on\) without a meaning; say"),
            (["a", "b"], "code", {"a": "positive", "b": "positive"}, r"No value of column 'code'.*means negative"),
            (["a", "b"], "code", {"a": "negative", "b": "undecided"}, r"No value of column 'code'.*means positive"),
            (["1", "0"], "genuine", None, r"'genuine' holds '1', '0'; say which of the two means positive"),
            (["fraud", "unknown"], "x", None, r"'x' holds 'fraud', 'unknown'; say which"),
            (["fraud", "ok", "odd"], "x", None, r"3 different ratings.*row 3.*say what each rating means"),
            (["fraud"], "x", None, r"only one rating, 'fraud' \(from row 1 on\)"),
            ([None, None], "x", {"a": "positive"}, r"All 2 rows of 'x' are blank"),
        ],
    )
    def test_what_is_not_clear_is_refused_in_one_sentence(self, values, name, meanings, words):
        with pytest.raises(DataError, match=words) as caught:
            parse_ratings(pd.Series(values, name=name, dtype=object), meanings=meanings)
        assert str(caught.value).endswith(".")
        assert len(str(caught.value)) < 330


@pytest.mark.parametrize("kind", ["int64", "float64", "Int64"])
@pytest.mark.parametrize("first", [7, 1_000_001, 123_456_789_012])
def test_codes_keep_all_digits(kind, first):
    codes, words = rating_values(pd.Series([first, first + 1, first], dtype=kind))
    assert words == [str(first), str(first + 1)]
    assert codes[:3].tolist() == [0, 1, 0]
    column = pd.Series([first, first + 1] * 4, name="code")
    assert parse_ratings(column, first + 1).tolist() == [0, 1] * 4


def test_blank_cells_are_a_side_where_they_have_a_meaning():
    column = pd.Series(["Y", None, "Y", ""], name="chargeback")
    with pytest.raises(DataError, match="only one rating"):
        parse_ratings(column, "Y")
    marked = {"y": "positive", "(blank)": "negative"}
    assert parse_ratings(column, meanings=marked).tolist() == [1, 0, 1, 0]
    both = pd.Series(["Y", None, "N"], name="chargeback")
    assert parse_ratings(both, meanings=marked | {"n": "negative"}).tolist() == [1, 0, 0]
    assert np.isnan(parse_ratings(both, meanings={"y": "positive", "n": "negative"})[1])
    guess = guess_columns(pd.DataFrame({"score": [0.9, 0.1, 0.8, 0.2], "chargeback": column}))
    assert dict(guess.meanings) == {"y": "positive", "(blank)": "negative"}
    assert "meanings" in guess.unsure
