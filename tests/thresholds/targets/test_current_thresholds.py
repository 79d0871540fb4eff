"""Test thresholds that are typed or come from elsewhere."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiloss_core import RatedDocuments
from multiloss_core.numerics import typed_number
from multiloss_core.thresholds.targets import on_precision_of_scores, out_of_range


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0.5", 0.5), ("0,5", 0.5), ("0,125", 0.125), (" 0,9 ", 0.9), ("12,5", 12.5), ("1,0000", 1.0),
        ("1,234.5", 1234.5), ("1.234,5", 1234.5), ("1 000", 1000.0), ("1\u202f000,5", 1000.5), ("1'000.5", 1000.5),
        ("-0,5", -0.5), ("1e-3", 0.001),
    ],
)  # fmt: skip
def test_typed_numbers(text, number):
    assert typed_number(text) == number


@pytest.mark.parametrize("text", ["1,000", "-1,234", "12,345,678", "1,2,3", "1.2.3", "abc", "1_0", "0x1"])
def test_what_may_be_two_numbers_or_none_is_refused(text):
    with pytest.raises(ValueError, match=r"\w"):
        typed_number(text)


@given(st.floats(-1e6, 1e6, allow_nan=False).map(lambda value: round(value, 4)))
def test_decimal_commas_and_points_are_one_number(value):
    text = f"{value:.4f}"
    assert typed_number(text) == typed_number(text.replace(".", ",")) == float(text)


def test_thresholds_are_compared_in_the_precision_of_the_scores():
    scores = np.round(np.random.default_rng(0).random((200, 1)), 1)
    labels = np.arange(200) % 2 == 0
    single = RatedDocuments(scores.astype(np.float32).astype(np.float64), labels, floors=[0.0])
    at = on_precision_of_scores(single, [0.7])
    assert single.counts_at(at, "any").alerts == (scores >= 0.7).sum()
    double = RatedDocuments(scores, labels, floors=[0.0])
    assert on_precision_of_scores(double, [0.7]).tolist() == [0.7]
    assert on_precision_of_scores(single, [np.inf]).tolist() == [np.inf]


@pytest.mark.parametrize(
    ("thresholds", "named"), [([0.5, -20.0], []), ([9.0, -20.0], ["a"]), ([0.5, -0.2], ["b"]), ([np.inf, np.inf], [])]
)
def test_thresholds_outside_of_all_scores_are_named(thresholds, named):
    generator = np.random.default_rng(0)
    scores = np.column_stack([generator.random(50), -100 * generator.random(50) - 1])
    documents = RatedDocuments(scores, np.arange(50) % 2 == 0, names=["a", "minus b"], floors=[0.0, -200.0])
    found = [*out_of_range(documents, thresholds)]
    assert [words.partition("'")[2].partition("'")[0] for words in found] == named
    assert all(f"it is {9 if name == 'a' else 0.2:g}," in words for name, words in zip(named, found, strict=True))
