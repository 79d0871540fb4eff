import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiloss_core import DataError
from multiloss_core.thresholds import read_thresholds
from multiloss_core.thresholds.targets.thresholds_file import thresholds_as_csv

NAMES = ("model A", "=cmd()", 'naïve, "quoted"')
CSV = b"classifier,comparison,threshold,rule\n"


def as_json(thresholds, rule="any"):
    return json.dumps({"rule": rule, "thresholds": thresholds}).encode()


@given(st.lists(st.one_of(st.just(np.inf), st.floats(-1e50, 1e50)), min_size=3, max_size=3))
def test_every_number_and_name_survives_a_csv(values):
    found = read_thresholds(thresholds_as_csv(NAMES, values, "all").encode(), "thresholds.csv", NAMES, "all")
    np.testing.assert_array_equal(found, values)


def test_a_csv_quotes_words_and_starts_no_formula():
    header = '"classifier","comparison","threshold","rule"'
    text = thresholds_as_csv(["=a", "b"], [0.5, np.inf], "any")
    assert text == f"""{header}\n"'=a",">=",0.5,"any"\n"b",">=",inf,"any"\n"""
    text = thresholds_as_csv(["b"], [3], "all", [4])
    assert text == f"""{header},"block_threshold"\n"b",">=",3.0,"all",4.0\n"""


def test_file_order_is_ignored_and_null_is_never():
    found = read_thresholds(as_json({"b": None, "a": 1}), "x.json", ("a", "b"), "any")
    assert found.tolist() == [1.0, np.inf]


def test_decision_record_is_accepted():
    record = {
        "schema_version": 1,
        "settings": {"rule": "any"},
        "columns": {"scores": ["a", "b"]},
        "thresholds": [0.5, None],
    }
    found = read_thresholds(json.dumps(record).encode(), "record.json", ("a", "b"), "any")
    assert found.tolist() == [0.5, np.inf]


def test_a_csv_that_a_spreadsheet_saved_again_is_read():
    data = "\ufeffclassifier;comparison;threshold;rule\r\na;>=;0,25;any\r\nb;>=;inf;any\r\n".encode()
    assert read_thresholds(data, "x.csv", ("a", "b"), "any").tolist() == [0.25, np.inf]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "'x.json' holds no thresholds; choose"),
        (b"\xff\xfe\x00", "no UTF-8"),
        (b"{", "holds no thresholds"),
        (b"[]", "holds no thresholds"),
        (b"[" * 100_000, "holds no thresholds"),
        (b"{}", "holds no thresholds"),
        (b"null", "holds no thresholds"),
        (b'{"rule": "any", "thresholds": [1, 2]}', "holds no thresholds"),
        (b'{"rule": "any", "thresholds": {"a": NaN, "b": 1}}', "holds no thresholds"),
        (as_json({"a": "1", "b": 1}), "holds no thresholds"),
        (as_json({"a": True, "b": 1}), "holds no thresholds"),
        (b'{"rule": "any", "thresholds": {"a": 1' + b"0" * 400 + b', "b": 1}}', "holds no thresholds"),
        (b'{"rule": "any", "thresholds": {"a": 1e400, "b": -1e400}}', "The threshold of 'b' in 'x.json' is no number"),
        (as_json({"a": 1, "b": 1}, "all"), r"for rule 'all', those on the screen for 'any'; change the rule"),
        (as_json({"a": 1}), "holds no threshold of 'b'"),
        (as_json({"a": 1, "b": 1, "c": 1}), r"threshold of 'c', which is none of the classifiers \('a', 'b'\)"),
        (b" " * 1_000_001, "1,000,001 bytes, more than 1,000,000"),
        (b"score,rating\n1,fraud\n", "holds no thresholds"),
        (CSV, "holds no thresholds"),
        (CSV + b"a,>=,x,any\nb,>=,1,any\n", "holds no thresholds"),
        (CSV + b"a,>=\nb,>=,1,any\n", "holds no thresholds"),
        (CSV + b"a,<,1,any\nb,<,1,any\n", "holds no thresholds"),
        (CSV + b"a,>=,1,any\na,>=,2,any\n", "holds no thresholds"),
        (CSV + b"a,>=,1,any\nb,>=,2,all\n", "holds no thresholds"),
        (CSV + b"a,>=,nan,any\nb,>=,2,any\n", "threshold of 'a' in 'x.json' is no number"),
        (CSV + b"a,>=,-inf,any\nb,>=,2,any\n", "threshold of 'a' in 'x.json' is no number"),
        (b"PK\x03\x04" + b"\x00" * 50, "holds no thresholds"),
    ],
    ids=lambda value: str(value[:30]),
)
def test_a_wrong_file_gets_one_sentence(data, message):
    with pytest.raises(DataError, match=message) as caught:
        read_thresholds(data, "x.json", ("a", "b"), "any")
    assert len(str(caught.value)) < 250
