import numpy as np
import pandas as pd
import pytest

from multiloss_core import DataError, RatedDocuments
from multiloss_core.datasets import RatedDataset
from multiloss_core.tables import ColumnMeanings, guess_columns

FRAME = pd.DataFrame(
    {
        "model": [0.9, 0.8, 0.7, 0.6, 0.65, 0.55],
        "rating": ["fraud", "ok", "fraud", "ok", "ok", None],
        "amount": [10.0, 0.0, 5.0, 2.0, 8.0, 3.0],
        "day": pd.to_datetime(["2026-01-05", "2026-01-06", "2026-01-07", "2026-01-08", "2026-01-20", "2026-01-21"]),
        "country": ["DE", "FR", "DE", "FR", "DE", "DE"],
    }
)
COLUMNS = ColumnMeanings(
    scores=("model",),
    rating="rating",
    meanings=(("fraud", "positive"), ("ok", "negative")),
    floors=(0.5,),
    amount="amount",
    time="day",
    segment="country",
)


def test_dataset_holds_the_documents_of_its_table():
    dataset = RatedDataset.from_frame(FRAME, COLUMNS)
    expected = RatedDocuments.from_frame(FRAME, ["model"], "rating", meanings=dict(COLUMNS.meanings), floors=[0.5])
    assert np.array_equal(dataset.documents.scores, expected.scores)
    assert (dataset.positives, dataset.undecided_weight, dataset.days) == (2, 1.0, 17.0)
    assert dataset.amounts.tolist() == [10.0, 0.0, 5.0, 2.0, 8.0]
    assert dataset.segments.tolist() == ["DE", "FR", "DE", "FR", "DE"]
    assert dataset.undecided_segments.tolist() == ["DE"]
    assert dataset.mean_amounts() == (7.5, pytest.approx(10 / 3))
    assert dataset.undecided_at(np.array([[0.5], [0.6]]), "any").tolist() == [1.0, 0.0]
    assert all(map(dataset.supports, ("documents", "money", "time", "segment")))
    assert not dataset.supports("group")


def test_chosen_days_filter_the_rows():
    limited = ColumnMeanings(**vars(COLUMNS) | {"since": "2026-01-06", "complete_until": "2026-01-20"})
    assert RatedDataset.from_frame(FRAME, limited).documents.rows.tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"rating": None}, "No column with the ratings"),
        ({"meanings": (("fraud", "positive"), ("ok", None))}, "'ok' in 'rating'"),
        ({"decimal_signs": (("model", None),)}, "read in two ways"),
        ({"amount": "rating"}, "chosen twice"),
    ],
)
def test_open_questions_are_refused(change, words):
    with pytest.raises(DataError, match=words):
        RatedDataset.from_frame(FRAME, ColumnMeanings(**vars(COLUMNS) | change))


def test_guess_gives_complete_meanings():
    frame = FRAME.assign(rate=0.5)
    guess = guess_columns(frame)
    assert type(guess.columns) is ColumnMeanings
    assert guess.columns.only_positive == "fraud"
    assert len(guess.columns.floors) == len(guess.columns.scores)
