import numpy as np
import pandas as pd
import pytest

from multiloss_core.tables import MAX_ITEMS, MAX_PASTED, ItemColumns, frame_as_csv, read_items, read_pasted
from multiloss_core.tables.read_items import guess_item_columns
from tests.tables.refusals import refused


def frame(**columns):
    return pd.DataFrame(columns)


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        (frame(p=[0.1, 0.7]), ItemColumns("p")),
        (frame(p=[0.1, 0.7], y=[0, 0]), ItemColumns("p")),
        (frame(p=[0.1, 0.7], y=[1, 1]), ItemColumns("p")),
        (frame(id=[7, 9], amount=[0.5, 0.2], prob=[0.1, 0.7]), ItemColumns("prob")),
        (frame(y=[0, 1], score=[0.1, 0.7]), ItemColumns("score", "y", "1")),
        (frame(label=["fraud", "ok"], eta=[0.1, 0.7]), ItemColumns("eta", "label", "fraud")),
        (frame(colour=["red", "blue"], x=[0.1, 0.7]), ItemColumns("x")),
        (frame(score=[120.0, 370.5], calibrated=[0.1, 0.7]), ItemColumns("calibrated")),
        (frame(p=[0.5, 0.5, 0.5], y=[0, 1, 1]), ItemColumns("p", "y", "1")),
        (frame(number=[1, 2, 3], value=["0.5", "0.25", "1"]), ItemColumns("value")),
        (frame(is_fraud=[True, False], score=[0.1, 0.7]), ItemColumns("score", "is_fraud", "true")),
    ],
)
def test_columns_are_guessed(table, expected):
    assert guess_item_columns(table) == expected


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is empty"),
        (b"  \n ", "is empty"),
        (b"p,y\n", "no rows"),
        (b"a,b\nx,y\n", "None of the 2 columns"),
        (b"0.1\n0.2\n0.3\n", "only numbers ('0.1', …)"),
        (b"name,p\nJos\x81,0.4\n", "UTF-8"),
        (b"id,prob\na,50\nb,70\nc,93\n", "divide by 100"),
        (b"prob,label\n0.5,1\nabc,0\n0.2,0\n", "'abc', which is no number, in row 2"),
        (b'{"p": 1}', "is not a table"),
        (b"PAR1 no parquet", "cannot be read"),
        (b"p\n" + b"0.5\n" * (MAX_ITEMS + 1), "1,000,001 rows, more than the limit of 1,000,000"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bad_files_are_refused(data, words):
    assert words in refused(lambda: read_items(data, "bad.csv"))


@pytest.mark.parametrize(
    ("text", "column", "values"),
    [
        ("0.1\n0.9\n", "probability", [0.1, 0.9]),
        ("\n 0.1 \n\n1e-3\n0\n1", "probability", [0.1, 0.001, 0, 1]),
        (".5", "probability", [0.5]),
        ("p\n0.1\n0.9", "p", [0.1, 0.9]),
        ("p,y\n0.1,1\n0.9,0", "p", [0.1, 0.9]),
        ("name\tp\na\t0.1\nb\t0.9", "p", [0.1, 0.9]),
    ],
)
def test_pasted_text_is_read(text, column, values):
    table, choice = read_pasted(text)
    assert choice.probability == column
    np.testing.assert_allclose(table[column], values)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "Nothing was pasted"),
        (" \n\n", "Nothing was pasted"),
        ("0.1\nabc\n0.2\nx", "Line 2 of the pasted text is 'abc' (and 1 more row like it), which is not one number"),
        ("0.1 0.2 0.3", "Line 1 of the pasted text is '0.1 0.2 0.3'"),
        ("0,5\n0,6", "with a decimal point"),
        ("0.1,1\n0.2,0", "whose first line names the columns"),
        ("0.5\n1.5", "holds 1.5 in row 2"),
        ("10\n20\n30", "divide by 100"),
        ("hello", "no rows"),
        ("hello\nworld", "is numeric"),
        ("0.5\nnan", "is blank in row 2"),
        ("0" * (MAX_PASTED + 1), "more than the limit of 200,000; upload a file instead"),
    ],
)
def test_bad_pasted_text_is_refused(text, words):
    assert words in refused(lambda: read_pasted(text))


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_identifiers_keep_their_leading_zeros(separator):
    lines = ["account,p,place,y", "00123,0.5,01,1", "123,0.25,,0", "0,0.75,10,1"]
    data = "\n".join(lines).replace(",", separator).encode() + b"\n"
    table, choice = read_items(data, "accounts.csv")
    assert choice == ItemColumns("p", "y", "1")
    assert frame_as_csv(table) == "\r\n".join([*lines, ""])


@pytest.mark.parametrize(("wrong", "right"), [("proba_0", "proba_1"), ("p_ham", "p_spam"), ("prob_ok", "phishing")])
@pytest.mark.parametrize("is_first", [True, False])
def test_probability_of_the_positive_class_is_proposed(wrong, right, is_first):
    generator = np.random.default_rng(2)
    spam = generator.random(300) < 0.3
    of_spam = np.clip(0.3 * spam + 0.6 * generator.random(300), 0, 1).round(4)
    columns = {wrong: (1 - of_spam).round(4), right: of_spam}
    names = [wrong, right] if is_first else [right, wrong]
    frame = pd.DataFrame({name: columns[name] for name in names} | {"y_true": spam.astype(int)})
    assert guess_item_columns(frame) == ItemColumns(right, "y_true", "1")
    # Without outcomes the positive class is unknown.
    assert guess_item_columns(frame[names]).probability is None


def predicted(words=("0", "1"), n=400, **more):
    """Draw outcomes from probabilities, in words and under a name without a meaning."""
    generator = np.random.default_rng(3)
    p = generator.beta(0.6, 3, n)
    return pd.DataFrame({"p": p, "col3": np.array(words)[(generator.random(n) < p).astype(int)]} | more)


@pytest.mark.parametrize("words", [("0", "1"), ("nein", "ja"), ("False", "True"), ("alive", "dead"), ("a", "b")])
def test_outcomes_are_recognised_by_their_values(words):
    coins = np.random.default_rng(4).integers(0, 2, 400)
    expected = ItemColumns("p", "col3", words[1].lower())
    assert guess_item_columns(predicted(words)) == guess_item_columns(predicted(words, weekend=coins)) == expected


def test_decisions_and_doubtful_outcomes_are_asked():
    table = predicted()
    assert guess_item_columns(table[["p"]].assign(flagged=(table["p"] > 0.5).astype(int))) == ItemColumns("p")
    assert guess_item_columns(predicted(again=table["col3"])) == ItemColumns("p")
    assert guess_item_columns(predicted(n=12)) == ItemColumns("p")
