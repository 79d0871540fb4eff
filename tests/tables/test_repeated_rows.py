"""Test exports with several rows of one alert."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiloss_core.datasets import RatedDataset
from multiloss_core.tables import ColumnMeanings, RepeatedRows, guess_columns

ALERTS = 240


def history(seed=0, order="by alert", name="alert_id"):
    """Alerts that are first open or harmless, and later what they are, and the last row of each."""
    generator = np.random.default_rng(seed)
    score = generator.random(ALERTS).round(3)
    fraud = generator.random(ALERTS) < score
    came = pd.Timestamp("2026-01-05") + pd.to_timedelta(np.sort(generator.integers(0, 2000, ALERTS)), "h")
    first = pd.DataFrame({name: [f"A{i:04d}" for i in range(ALERTS)], "score": score, "created_at": came})
    first["updated_at"], first["disposition"] = came + pd.Timedelta(hours=1), "Genuine"
    last = first.assign(updated_at=came + pd.Timedelta(days=3), disposition=np.where(fraud, "Fraud", "Genuine"))
    both = pd.concat([first, last], ignore_index=True)
    if order == "newest first":
        both = both.iloc[::-1]
    elif order == "shuffled":
        both = both.sample(frac=1, random_state=seed)
    return both.reset_index(drop=True), last


@pytest.mark.parametrize("name", ["alert_id", "Transaction ID", "txn_ref", "Vorgangsnummer", "id"])
@pytest.mark.parametrize("order", ["by alert", "newest first", "shuffled"])
def test_last_status_of_each_alert_is_proposed_and_asked(order, name):
    frame, last = history(order=order, name=name)
    guess = guess_columns(frame)
    assert guess.repeats == RepeatedRows(identifier=name, keep="last", by="updated_at")
    assert guess.unsure == {"repeats"}
    assert f"{ALERTS} values" in guess.reasons["repeats"]
    documents = RatedDataset.from_frame(frame, guess.columns).documents
    alone = RatedDataset.from_frame(last, guess_columns(last).columns).documents
    assert len(documents.labels) == ALERTS
    assert sorted(zip(documents.scores[:, 0], documents.labels, strict=True)) == sorted(
        zip(alone.scores[:, 0], alone.labels, strict=True)
    )


def test_annotators_rate_an_alert_twice():
    _, last = history()
    frame = pd.concat([last.assign(annotator="a"), last.assign(annotator="b", disposition="Genuine")])
    assert guess_columns(frame.reset_index(drop=True)).repeats.identifier == "alert_id"


def test_rows_of_customers_and_merchants_are_no_repeats():
    _, last = history()
    frame = last.assign(
        customer_id=np.arange(ALERTS) // 3, merchant_id=np.arange(ALERTS) // 4, case_type=np.arange(ALERTS) % 4,
        account=np.arange(ALERTS) // 2, case_id=np.arange(ALERTS) // 2,
    )  # fmt: skip
    assert guess_columns(frame).repeats is None


def test_identical_rows_are_no_statuses():
    _, last = history()
    assert guess_columns(pd.concat([last, last.head(50)], ignore_index=True)).repeats is None


@given(
    st.lists(st.tuples(st.sampled_from(["a", "b", "c", None]), st.integers(0, 5)), min_size=1, max_size=30),
    st.sampled_from(["last", "first"]),
    st.booleans(),
)
def test_rows_kept_are_those_of_a_plain_look(rows, keep, by_time):
    days = [pd.Timestamp("2026-01-01") + pd.Timedelta(days=day) for _, day in rows]
    frame = pd.DataFrame({"id": [name for name, _ in rows], "day": days})
    kept = RepeatedRows(identifier="id", keep=keep, by="day" if by_time else None).kept(frame)
    expected = [place for place, (name, _) in enumerate(rows) if name is None]
    for name in {name for name, _ in rows} - {None}:
        places = [(rows[place][1] if by_time else 0, place) for place, (other, _) in enumerate(rows) if other == name]
        expected.append((max(places) if keep == "last" else min(places))[1])
    assert np.flatnonzero(kept).tolist() == sorted(expected)


def test_comments_after_a_decision_do_not_hide_it():
    frame, last = history()
    comments = last.assign(updated_at=last["updated_at"] + pd.Timedelta(days=1), disposition=None)
    more = pd.concat([frame, comments], ignore_index=True)
    documents = RatedDataset.from_frame(more, guess_columns(more).columns).documents
    assert documents.labels.sum() == (last["disposition"] == "Fraud").sum()
    assert documents.labels.size == ALERTS


def test_all_rows_can_be_chosen():
    frame, _ = history()
    columns = ColumnMeanings(
        scores=("score",),
        rating="disposition",
        meanings=(("fraud", "positive"), ("genuine", "negative")),
        floors=(0.0,),
        repeats=RepeatedRows(identifier="alert_id", keep="all"),
    )
    assert len(RatedDataset.from_frame(frame, columns).documents.labels) == 2 * ALERTS
    last = replace(columns, repeats=RepeatedRows(identifier="alert_id", keep="last"))
    assert f"{2 * ALERTS} rows" in RatedDataset.from_frame(frame, last).notes[0]
