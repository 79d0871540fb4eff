import re

import numpy as np
import pandas as pd
import pytest

from multiloss_core import ScoredItems
from multiloss_core.tables import MAX_ITEMS
from tests.tables.refusals import refused


def frame(**columns):
    return pd.DataFrame(columns)


def test_a_table_becomes_probabilities_and_labels():
    table = frame(id=["a", "b", "c", "d"], p=[0.1, 1, 0, 0.25], verdict=["fraud", "ok", None, " FRAUD "])
    items = ScoredItems.from_frame(table, probability="p", label="verdict")
    np.testing.assert_array_equal(items.probabilities, [0.1, 1.0, 0.0, 0.25])
    np.testing.assert_array_equal(items.labels, [True, False, False, True])
    np.testing.assert_array_equal(items.labelled, [True, True, False, True])
    np.testing.assert_array_equal(items.known_probabilities, [0.1, 1.0, 0.25])
    np.testing.assert_array_equal(items.known_labels, [True, False, True])


@pytest.mark.parametrize(
    ("labels", "positive", "expected"),
    [
        ([1, 0, 1], None, [True, False, True]),
        ([1.0, 0.0, None], None, [True, False, None]),
        ([True, False, True], None, [True, False, True]),
        (["true", "False", ""], None, [True, False, None]),
        (["yes", "no", "no"], None, [True, False, False]),
        (["red", "blue", "red"], "blue", [False, True, False]),
        (["fraud", "ok", "ok"], "ok", [False, True, True]),
        ([2, 3, 3], 3, [False, True, True]),
        ([0, 0, 0], None, [False, False, False]),
        ([1, 1, 1], None, [True, True, True]),
        (["ok", None, "ok"], None, [False, None, False]),
        (["weird", "weird", "weird"], "weird", [True, True, True]),
        (["fraud", "fraud", "fraud"], "ok", [False, False, False]),
    ],
)
def test_labels_of_every_kind(labels, positive, expected):
    items = ScoredItems.from_frame(frame(p=[0.1, 0.2, 0.3], y=labels), probability="p", label="y", positive=positive)
    found = [bool(label) if known else None for label, known in zip(items.labels, items.labelled, strict=True)]
    assert found == expected


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (
            [0.2, 1.2, -1],
            "'p' holds 1.2 in row 2 (and 1 more row like it) where a probability from 0 to 1 is expected; correct",
        ),
        ([0.2, 40, 60, 99.5], "holds 40 in row 2 (and 2 more rows like it) .*look like percentages: divide by 100."),
        ([0.2, 0.3, 0.4, 0.5, 0.6, 7], "holds 7 in row 6 .*correct these rows"),
        ([0.2, 500, 600], "holds 500 in row 2 .*correct these rows"),
        ([0.2, None, 0.1, None], "'p' is blank in row 2 (and 1 more row like it); correct or remove these rows"),
        ([0.2, np.inf], "'p' holds an infinite number in row 2;"),
        (["0.2", "high", "0.3"], "'p' holds 'high', which is no number, in row 2;"),
        (["0.2", "50%"], "'p' holds '50%', which is no number, in row 2; write percentages as numbers from 0 to 1."),
        (["0.2", "0,5"], "'p' holds '0,5', which is no number, in row 2; write it with a decimal point."),
        (["0.2", " "], "'p' is blank in row 2;"),
        (["0.2", "inf"], "'p' holds an infinite number in row 2;"),
        ([True, False], "'p' holds true and false, not probabilities;"),
        (pd.to_datetime(["2020-01-01", "2020-01-02"]), "'p' holds dates, not probabilities;"),
    ],
)
def test_unusable_probabilities_are_named_with_their_row(values, sentence):
    table = pd.DataFrame({"p": values})
    found = refused(lambda: ScoredItems.from_frame(table, probability="p"))
    pattern = ".*".join(re.escape(part) for part in sentence.split(".*"))
    assert re.search(pattern, found), found


@pytest.mark.parametrize(
    ("labels", "positive", "words"),
    [
        (["a", "b", "c"], None, "3 different ratings where two are expected"),
        (["red", "blue", "red"], None, "say which of the two means positive"),
        (["red", "blue", "red"], "green", "'green' is not a rating in column 'y'"),
        (["red", "red", "red"], None, "All labels in column 'y' are 'red'"),
        ([None, None, None], None, "All 3 rows of 'y' are blank"),
    ],
)
def test_unusable_labels_are_refused(labels, positive, words):
    table = frame(p=[0.1, 0.2, 0.3], y=labels)
    sentence = refused(lambda: ScoredItems.from_frame(table, probability="p", label="y", positive=positive))
    assert words in sentence


def test_a_million_items_are_taken():
    assert ScoredItems(np.full(MAX_ITEMS, 0.5)).probabilities.size == MAX_ITEMS
