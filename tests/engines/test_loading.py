"""Compare few rows, which are fetched, with many, which are counted."""

from dataclasses import replace

import numpy as np
import pyarrow as arrow
import pytest

from multiloss_core import DataError, RatedDocuments
from multiloss_core.engines import (
    RowWindow,
    count_documents,
    documents_between,
    load_rated_source,
    load_sample,
    loading,
    rated_columns_of,
    ratings_in,
)
from multiloss_core.sql_dialects import SPARK
from multiloss_core.tables import ColumnMeanings
from tests.engines.conftest import ENGINES, WITHOUT_SPARK
from tests.engines.tables import FINE, FRAUD, GROUP, NAMES, OPEN, RATING, TIME, WEIGHT, awkward_table, day

TABLE = awkward_table()
MEANINGS = {FRAUD: "positive", FINE: "negative", OPEN: "undecided"}
# Without -1e99 and other exceptions, so that floors can be seen.
SIMPLE = arrow.table(
    {
        "a": (values := np.random.default_rng(1).random((6_000, 2)).round(4))[:, 0],
        "b": values[:, 1],
        "rating": np.where(np.random.default_rng(2).random(6_000) < values.max(axis=1) / 2, " Fraud", "ok").astype(
            object
        ),
        "part": np.arange(6_000) % 7,
    }
).filter(arrow.array((values >= [0.5, 0.6]).any(axis=1)))


def columns_in(engine, sample, *, scores, meanings, **given):
    """Find the values of the columns of a sample by the meanings of its ratings."""
    meant = ColumnMeanings(scores=tuple(scores), meanings=tuple(meanings.items()), **given)
    return rated_columns_of(engine, sample, meant)


def test_few_rows_are_those_of_an_upload(load):
    engine, table = load(TABLE)
    sample = load_sample(engine, table)
    assert sample.is_complete
    assert sample.rows == len(sample.file.frame) == TABLE.num_rows
    assert sample.fingerprint == load_sample(engine, table).fingerprint
    meaning = {"meanings": MEANINGS, "weight": WEIGHT, "group": GROUP, "floor_method": "corner"}
    found = RatedDocuments.from_frame(sample.file.frame, NAMES[:2], RATING, **meaning)
    expected = RatedDocuments.from_frame(TABLE.to_pandas(), NAMES[:2], RATING, **meaning)
    assert found.funnel == expected.funnel
    assert sorted(found.scores.ravel()) == sorted(expected.scores.ravel())
    assert found.totals == expected.totals or (found.totals.tp, found.totals.fp) == pytest.approx([*expected.totals])
    again = load_sample(engine, table).file.frame
    assert again.equals(sample.file.frame)


def test_many_rows_are_counted(load, monkeypatch):
    engine, table = load(TABLE)
    monkeypatch.setattr(loading, "MAX_HELD", TABLE.num_rows - 1)
    sample = load_sample(engine, table, sampled=500)
    assert not sample.is_complete
    assert (sample.rows, len(sample.file.frame)) == (TABLE.num_rows, 500)
    given = {"scores": NAMES[:2], "rating": RATING, "weight": WEIGHT, "floors": (-0.5, -0.5)}
    columns = columns_in(engine, sample, meanings=MEANINGS, **given)
    assert (columns.positive, columns.negative) == ((FRAUD,), (FINE,))
    counted = count_documents(engine, table, columns)
    expected = RatedDocuments.from_frame(
        TABLE.to_pandas(), NAMES[:2], RATING, meanings=MEANINGS, weight=WEIGHT, floors=[-0.5, -0.5]
    )
    assert counted.funnel == expected.funnel
    assert (counted.totals.tp, counted.totals.fp) == (expected.totals.tp, expected.totals.fp)
    with pytest.raises(DataError, match=r"'pending'.* without a meaning"):
        columns_in(engine, sample, meanings={FRAUD: "positive", FINE: "negative"}, **given)


@WITHOUT_SPARK
def test_a_window_of_days(load):
    engine, table = load(TABLE)
    window = RowWindow(time=TIME, since=day("2026-04-01"), until=day("2026-04-08"))
    sample = load_sample(engine, table, window)
    days = TABLE[TIME].to_numpy().astype("datetime64[D]")
    assert sample.rows == ((days >= np.datetime64("2026-04-01")) & (days < np.datetime64("2026-04-08"))).sum()
    assert sample.fingerprint != load_sample(engine, table).fingerprint
    with pytest.raises(DataError, match=r"has no rows in this range"):
        load_sample(engine, table, RowWindow(time=TIME, until=day("2020-01-01")))


KINDS = {
    "words": (["Fraud", " fraud ", "FRAUD", "ok", None, ""], {"fraud": 3, "ok": 1}),
    "numbers": ([1.0, 0.0, None, float("nan"), 1.0, 0.0], {"1": 2, "0": 2}),
    "whole numbers": ([1, 0, None, 0, 2, 1], {"1": 2, "0": 2, "2": 1}),
    "truth": ([True, False, None, True, True, False], {"true": 3, "false": 2}),
}


@pytest.mark.parametrize("kind", KINDS)
def test_ratings_of_every_kind(load, kind):
    cells, expected = KINDS[kind]
    engine, table = load(arrow.table({"score": np.arange(6.0), "rating": arrow.array(cells)}))
    ratings = ratings_in(engine, table, "rating")
    assert ratings.counted == expected
    first, second, *others = expected
    positive, negative = ratings.meaning({first: "positive", second: "negative"} | dict.fromkeys(others, "undecided"))
    assert set(positive) == {cell for cell in cells if str(cell).strip().lower().removesuffix(".0") == first}
    assert len(negative) == 1


def test_floors_are_suggested_by_all_rows(load):
    engine, table = load(SIMPLE)
    # The fetched rows do not show the floors: they have high scores.
    sample = load_sample(engine, table, RowWindow(), most=10, sampled=2_000)
    high = sample.file.frame[(sample.file.frame[["a", "b"]] > 0.8).any(axis=1)]
    sample = replace(sample, file=replace(sample.file, frame=high))
    given = {"scores": ("a", "b"), "rating": "rating", "meanings": {"fraud": "positive", "ok": "negative"}}
    columns = columns_in(engine, sample, **given)
    assert columns.positive == (" Fraud",)
    expected = RatedDocuments.from_frame(SIMPLE.to_pandas(), ["a", "b"], "rating", meanings=given["meanings"])
    assert columns.floors == tuple(expected.floors)
    assert columns.floors == pytest.approx([0.5, 0.6], abs=0.001)
    if engine.dialect is SPARK:
        # It was asked all kinds of questions.
        return
    scores = SIMPLE.select(["a", "b"]).to_pandas().to_numpy()
    unexplained = scores[scores[:, 0] < 0.55]
    assert columns_in(engine, sample, **given, floors=(0.55, None), floor_method="corner").floors == (
        0.55,
        unexplained[:, 1].min(),
    )
    # Every document reaches the floor of b, which explains all of them.
    assert columns_in(engine, sample, **given, floors=(None, 0.0), floor_method="corner").floors == (
        scores[:, 0].min(),
        0.0,
    )
    assert columns_in(engine, sample, **given, floors=(0.55, 0.7)).floors == (0.55, 0.7)
    alone = columns_in(engine, sample, **given | {"scores": ("b",), "floor_method": "corner"})
    assert alone.floors == (scores[:, 1].min(),)


def test_derived_columns_are_counted_as_they_are_in_memory(load):
    table = SIMPLE.append_column("rate", arrow.array(np.resize([0.25, 0.1, 1.0, 0.3], SIMPLE.num_rows)))
    engine, name = load(table)
    sample = load_sample(engine, name, most=10, sampled=2_000)
    given = {"meanings": {"fraud": "positive", "ok": "negative"}, "weight": "1 / rate", "floors": (-0.9, 0.3)}
    columns = columns_in(engine, sample, scores=("minus a", "b"), rating="rating", **given)
    counted = count_documents(engine, name, columns, resolution=20)
    expected = RatedDocuments.from_frame(table.to_pandas(), ["minus a", "b"], "rating", **given)
    assert counted.funnel == expected.funnel
    for node in np.linspace(0, 1, 5):
        at = [axis[int(node * (len(axis) - 1))] for axis in counted.axes]
        assert [*counted.counts_at(at)] == pytest.approx([*expected.counts_at(at)], rel=1e-12)
    between = documents_between(engine, name, columns, np.array([-0.5, 2.0]), np.array([-0.4, 2.0]), "any")
    assert len(between)
    assert between["a"].between(0.4, 0.5, inclusive="right").all()


@pytest.mark.parametrize(
    ("load", "as_number"),
    [("duckdb", True), ("postgresql", True), *((engine, False) for engine in ENGINES)],
    indirect=["load"],
)
def test_alerts_in_several_rows_of_a_counted_table_are_named(load, monkeypatch, as_number):
    generator = np.random.default_rng(0)
    alerts = np.repeat(np.arange(1_200), generator.integers(1, 3, 1_200))
    columns = {"score": generator.random(alerts.size), "rating": generator.choice(["fraud", "genuine"], alerts.size)}
    given = arrow.table({"alert_id": alerts if as_number else alerts.astype(str), **columns})
    monkeypatch.setattr(loading, "MAX_HELD", 500)
    engine, table = load(given)
    source = load_rated_source(engine, "place", table)
    assert any("'alert_id' stand in" in note for note in source.notes)
    engine, table = load(arrow.table({"event_id": np.arange(alerts.size), **dict(given.to_pydict())}))
    # A row for each event: an alert may well have several.
    assert not any("stand in" in note for note in load_rated_source(engine, "place", table).notes)
