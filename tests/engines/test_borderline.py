"""The rows nearest to thresholds, fetched from an engine, against all rows in memory."""

import numpy as np
import pandas as pd
import pytest

from multiloss_core import RatedDocuments
from multiloss_core.engines import DuckDBEngine, RatedColumns, borderline, borderline_rows, count_documents
from multiloss_core.inspection import borderline_documents
from multiloss_core.thresholds.data.counts import flagged


def frame_of(rows=6000, seed=3):
    generator = np.random.default_rng(seed)
    fraud = generator.random(rows) < 0.3
    return pd.DataFrame(
        {
            "a": generator.normal(size=rows) + fraud,
            "b": generator.normal(size=rows) + fraud,
            "rating": np.where(fraud, "fraud", "ok"),
            "number": np.arange(rows),
        }
    )


@pytest.fixture
def ask(tmp_path):
    frame = frame_of()
    frame.to_parquet(tmp_path / "alerts.parquet", index=False)
    engine = DuckDBEngine(tmp_path)

    def fetch(scores, at, rule, most=50):
        columns = RatedColumns(
            scores=scores, rating="rating", positive=("fraud",), negative=("ok",), floors=(-1.0,) * len(scores)
        )
        counts = count_documents(engine, "alerts.parquet", columns, rule=rule)
        nodes = [
            value if np.isinf(value) else float(axis[np.searchsorted(axis, value)])
            for axis, value in zip(counts.axes, at, strict=True)
        ]
        usable = frame[(frame[list(scores)] >= -1.0).any(axis=1)]
        return usable, np.array(nodes), borderline_rows(engine, "alerts.parquet", columns, counts, nodes, most=most)

    yield fetch
    engine.close()


@pytest.mark.parametrize("most_fetched", [1_000, 150])
def test_of_one_score_they_are_the_next_ones_in_its_order(ask, monkeypatch, most_fetched):
    monkeypatch.setattr(borderline, "MAX_FETCHED", most_fetched)
    monkeypatch.setattr(borderline, "AIMED_AT", 100)
    usable, (at,), found = ask(("a",), (0.8,), "any")
    above, below = usable[usable["a"] >= at], usable[usable["a"] < at]
    assert found.flagged["number"].tolist() == above.sort_values("a")["number"].tolist()[:50]
    assert found.not_flagged["number"].tolist() == below.sort_values("a", ascending=False)["number"].tolist()[:50]
    assert set(found.deciding[0] + found.deciding[1]) == {"a"}


@pytest.mark.parametrize("rule", ["any", "all"])
def test_of_two_scores_they_are_about_the_nearest_by_rank(ask, rule):
    usable, nodes, found = ask(("a", "b"), (0.8, 1.1), rule)
    for rows, deciding, is_flagged in zip(
        (found.flagged, found.not_flagged), found.deciding, (True, False), strict=True
    ):
        scores = rows[["a", "b"]].to_numpy()
        assert len(rows) == len(deciding) == 50
        assert (flagged(scores, nodes, rule) == is_flagged).all()
        away = scores - nodes if is_flagged else nodes - scores
        # Of a row with one score on this side only, that score decides.
        alone = (away >= 0).sum(axis=1) == 1
        assert [deciding[i] for i in np.flatnonzero(alone)] == [
            ("a", "b")[j] for j in (away[alone] >= 0).argmax(axis=1)
        ]
        # Ranks are of all documents, which the engine keeps; distances in scores are nearly the same.
        documents = RatedDocuments.from_frame(usable, ["a", "b"], "rating", positive="fraud", floors=[-1.0, -1.0])
        sides = borderline_documents(documents, nodes, rule, most=150)
        nearest = (sides.flagged if is_flagged else sides.not_flagged).positions
        numbers = usable["number"].to_numpy()[documents.rows[nearest]]
        assert set(rows["number"]) <= set(numbers)
        assert len(set(rows["number"]) & set(numbers[:50])) >= 35
