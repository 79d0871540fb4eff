"""Columns derived from others: turned scores and rates as weights."""

import numpy as np
import pandas as pd

from multiloss_core import RatedDocuments
from multiloss_core.tables.column_values import base_of, column_of

FRAME = pd.DataFrame({"trust": [3.0, 1.0, np.nan], "rate": [0.1, 0.5, 1.0], "words": ["1", "x", ""], "minus rate": 7.0})


def test_a_turned_score_falls_where_the_score_rises():
    np.testing.assert_array_equal(column_of(FRAME, "minus trust"), [-3.0, -1.0, np.nan])


def test_a_rate_becomes_a_weight():
    np.testing.assert_allclose(column_of(FRAME, "1 / rate"), [10.0, 2.0, 1.0])


def test_a_real_column_of_the_name_is_taken_first():
    assert column_of(FRAME, "minus rate").tolist() == [7.0] * 3
    assert base_of(FRAME, "minus rate") == "minus rate"


def test_inverted_score_gives_documents_of_negated_column():
    generator = np.random.default_rng(0)
    frame = pd.DataFrame({"trust": generator.random(200), "label": generator.random(200) < 0.3})
    turned = RatedDocuments.from_frame(frame, ["minus trust"], "label")
    negated = RatedDocuments.from_frame(frame.assign(minus=-frame["trust"]), ["minus"], "label")
    np.testing.assert_array_equal(turned.scores, negated.scores)
    assert turned.names == ("minus trust",)
    assert turned.floors == negated.floors
