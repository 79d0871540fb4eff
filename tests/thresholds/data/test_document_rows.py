"""Rated documents know which rows of the table they are."""

import numpy as np
import pandas as pd
import pytest

from multiloss_core import DataError, RatedDocuments


def test_rows_lead_back_to_the_table_whatever_was_left_out():
    generator = np.random.default_rng(4)
    frame = pd.DataFrame({"a": generator.random(300), "b": generator.random(300)})
    frame["rating"] = np.where(generator.random(300) < 0.4, "fraud", "ok")
    frame.loc[frame.sample(40, random_state=1).index, "rating"] = None
    frame.loc[frame.sample(20, random_state=2).index, "a"] = np.nan
    frame.index = frame.index[::-1]
    documents = RatedDocuments.from_frame(frame, ["a", "b"], "rating", "fraud", floors={"a": 0.5, "b": 0.6})
    kept = frame[frame["rating"].notna() & ((frame["a"] >= 0.5) | (frame["b"] >= 0.6))]
    assert len(kept) < len(frame) / 1.3
    pd.testing.assert_frame_equal(frame.iloc[documents.rows], kept)
    np.testing.assert_array_equal(documents.scores, kept[["a", "b"]].fillna(-np.inf))

    part = documents.part(np.arange(0, len(documents.labels), 3))
    np.testing.assert_array_equal(frame.iloc[part.rows][["a", "b"]].fillna(-np.inf), part.scores)


def test_documents_without_table_are_their_own_fixed_rows():
    documents = RatedDocuments([0.1, 0.9, 0.5], [0, 1, 1])
    assert documents.rows.tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="read-only"):
        documents.rows[0] = 1
    rows = np.array([7, 5, 9])
    assert RatedDocuments([0.1, 0.9, 0.5], [0, 1, 1], rows=rows).rows.tolist() == [7, 5, 9]
    rows[0] = 1


@pytest.mark.parametrize("rows", [[1, 2], [0, 1, -1], [0.0, 1.0, 2.0], [[0], [1], [2]]])
def test_rows_that_do_not_fit_are_refused(rows):
    with pytest.raises(DataError, match="one row of a table, counted from 0, for each of the 3 documents"):
        RatedDocuments([0.1, 0.9, 0.5], [0, 1, 1], rows=rows)
