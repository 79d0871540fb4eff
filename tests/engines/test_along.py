"""What is looked up in counts along a path against the same of the documents themselves."""

import numpy as np
import pandas as pd
import pytest

from multiloss_core import RatedDocuments, smooth_path
from multiloss_core.engines import RatedColumns, count_along
from multiloss_core.engines.along import daily_alerts_along, segment_counts_along, weekly_counts_along
from multiloss_core.engines.backends.duckdb_engine import DuckDBEngine
from multiloss_core.engines.counting import count_documents, score_nodes
from multiloss_core.inspection import calendar, daily_alerts, segment_counts, segmentation, weekly_counts


def frame_of(rows=3000, seed=0):
    generator = np.random.default_rng(seed)
    fraud = generator.random(rows) < 0.3
    return pd.DataFrame(
        {
            "a": generator.normal(size=rows) + fraud,
            "b": generator.normal(size=rows) + fraud,
            "rating": np.where(fraud, "fraud", "ok"),
            "weight": generator.integers(1, 9, rows) / 4,
            "seen": pd.Timestamp("2026-01-07") + pd.to_timedelta(generator.integers(0, 60 * 86400, rows), unit="s"),
            "country": generator.choice(["AT", "DE", None], rows),
        }
    )


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    folder = tmp_path_factory.mktemp("along")
    frame_of().to_parquet(folder / "alerts.parquet", index=False)
    found = DuckDBEngine(folder)
    yield found
    found.close()


COLUMNS = RatedColumns(
    scores=("a", "b"),
    rating="rating",
    positive=("fraud",),
    negative=("ok",),
    floors=(-1.0, -1.0),
    weight="weight",
    time="seen",
    segment="country",
)


@pytest.fixture(scope="module")
def documents():
    return RatedDocuments.from_frame(
        frame_of(), ["a", "b"], "rating", positive="fraud", weight="weight", floors=[-1.0, -1.0]
    )


@pytest.mark.parametrize("rule", ["any", "all"])
def test_days_weeks_and_segments_are_those_of_the_documents(engine, documents, rule):
    counts = count_documents(engine, "alerts.parquet", COLUMNS, rule=rule)
    path = smooth_path(counts, rule=rule)
    by_day = count_along(engine, "alerts.parquet", COLUMNS, path.thresholds, rule, "day")
    by_segment = count_along(engine, "alerts.parquet", COLUMNS, path.thresholds, rule, "segment")
    frame = frame_of()
    days = calendar(frame["seen"].to_numpy()[documents.rows])
    known = segmentation(frame["country"].fillna("(blank)").to_numpy(dtype=object)[documents.rows])
    for vertex in np.linspace(0, len(path.thresholds) - 1, 7).astype(int):
        thresholds = path.thresholds[vertex]
        assert tuple(path.counts.at(vertex) if hasattr(path, "counts") else (path.tp[vertex], path.fp[vertex])) == (
            tuple(documents.counts_at(thresholds, rule))
        )
        np.testing.assert_array_equal(
            daily_alerts_along(by_day, vertex).alerts, daily_alerts(documents, days, thresholds, rule).alerts
        )
        found, expected = weekly_counts_along(by_day, vertex), weekly_counts(documents, days, thresholds, rule)
        for name in ("tp", "fp", "mondays", "complete", "intervals", "squares", "undecided", "all_squares"):
            np.testing.assert_allclose(
                np.asarray(getattr(found, name), dtype=float),
                np.asarray(getattr(expected, name), dtype=float),
                rtol=1e-12,
                err_msg=name,
            )
        assert segment_counts_along(by_segment, vertex) == segment_counts(documents, known, thresholds, rule)


def test_nodes_are_short_and_keep_the_order_of_positives():
    generator = np.random.default_rng(1)
    positives = np.unique(generator.random(5000))
    nodes = score_nodes(positives, 0.0, 1.0, 300)
    assert nodes[0] == 0.0
    assert nodes[-1] == np.nextafter(1.0, 2.0)
    assert len(nodes) <= 300
    assert (np.diff(nodes) > 0).all()
    assert np.median([len(repr(float(node))) for node in nodes[1:-1]]) <= 7
    # Half of the nodes lie ever closer towards the largest scores.
    assert (nodes > 0.99).sum() > 20


def test_few_positives_all_have_a_node():
    positives = np.array([0.25, 0.5, 0.75])
    nodes = score_nodes(positives, 0.1, 0.9, 300)
    reached = np.searchsorted(nodes, positives, side="right")
    assert len(set(reached)) == 3
    assert (nodes[reached - 1] <= positives).all()
