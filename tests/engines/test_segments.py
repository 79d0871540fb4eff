"""Compare counts by segment in an engine with those of the rows."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from multiloss_core import DataError
from multiloss_core.engines import RatedColumns, count_documents, count_segments, counting
from multiloss_core.engines.backends.duckdb_engine import DuckDBEngine
from multiloss_core.segments import segment_paths

TABLE = "alerts.parquet"
COLUMNS = RatedColumns(
    scores=("a", "b"),
    alert_rules=("hit",),
    rating="rating",
    positive=("fraud",),
    negative=("ok",),
    floors=(0.0, 0.0, 1.0),
    weight="weight",
    segment="channel",
)


def frame_of(rows=6000):
    generator = np.random.default_rng(2)
    fraud = generator.random(rows) < 0.3
    channel = generator.choice(["app", " app", "branch", "", None], rows, p=[0.4, 0.2, 0.2, 0.1, 0.1]).astype(object)
    # Segments of one class each.
    channel[np.flatnonzero(fraud)[:30]] = "fax"
    channel[np.flatnonzero(~fraud)[:30]] = "telex"
    return pd.DataFrame(
        {
            "a": generator.normal(size=rows) + fraud,
            "b": generator.normal(size=rows) + fraud,
            "hit": (generator.random(rows) < np.where(fraud, 0.3, 0.05)).astype("int64"),
            "rating": np.where(fraud, "fraud", "ok"),
            "weight": generator.integers(1, 9, rows) / 4,
            "channel": channel,
        }
    )


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    folder = tmp_path_factory.mktemp("segments")
    frame_of().to_parquet(folder / TABLE, index=False)
    found = DuckDBEngine(folder)
    yield found
    found.close()


@pytest.fixture(scope="module")
def counted(engine):
    counts = count_documents(engine, TABLE, COLUMNS, resolution=40)
    return counts, count_segments(engine, TABLE, COLUMNS, counts)


def test_segments_count_their_rows(counted):
    counts, found = counted
    frame = frame_of()
    names = frame["channel"].fillna("").str.strip().replace("", "(blank)")
    inside = (frame["a"] >= 0) | (frame["b"] >= 0) | (frame["hit"] == 1)
    assert set(found) == {"app", "branch", "(blank)", "fax", "telex"} == set(names)
    nodes = [axis[len(axis) // 2] for axis in counts.axes]
    flags = (frame[["a", "b", "hit"]] >= nodes).any(axis=1)
    for name, segment in found.items():
        here = frame[inside & (names == name)]
        for place, word in enumerate(("ok", "fraud")):
            own = here[here["rating"] == word]
            assert segment.counted.documents[:, place].sum() == len(own)
            assert segment.counted.weights[:, place].sum() == own["weight"].sum()
            assert segment.counted.squares[:, place].sum() == (own["weight"] ** 2).sum()
        at = segment.counts_at(np.array(nodes))
        chosen = here[flags[here.index]]
        weights = chosen["weight"].groupby(chosen["rating"]).sum()
        assert (at.tp, at.fp) == (weights.get("fraud", 0.0), weights.get("ok", 0.0))


def test_segments_add_up_to_all_documents(counted):
    counts, (first, *others) = counted[0], counted[1].values()
    summed = first.counted
    for other in others:
        summed = summed + other.counted
    for part in ("cells", "documents", "weights", "squares"):
        np.testing.assert_array_equal(getattr(summed, part), getattr(counts.counted, part))


def test_segments_of_one_class_are_pooled(counted):
    paths = segment_paths(*counted)
    assert set(paths.members) == {("app",), ("branch",), ("(blank)",), ("fax", "telex")}


def test_names_may_be_chosen(engine, counted):
    counts, found = counted
    renamed = count_segments(engine, TABLE, COLUMNS, counts, name_of=lambda text: "app" if "app" in text else "other")
    assert set(renamed) == {"app", "other"}
    np.testing.assert_array_equal(renamed["app"].tp, found["app"].tp)


def test_too_many_segments_are_refused(engine, counted, monkeypatch):
    with pytest.raises(DataError, match=r"'a' holds .* more than the limit of 200 segments"):
        count_segments(engine, TABLE, replace(COLUMNS, segment="a"), counted[0])
    monkeypatch.setattr(counting, "MAX_NODES_OF_SEGMENTS", 4 * counted[0].tp.size)
    with pytest.raises(DataError, match="'channel' holds 6 different values, more than the limit of 4 segments"):
        count_segments(engine, TABLE, COLUMNS, counted[0])
