"""Count scores and alert rules in engines as documents are counted."""

import numpy as np
import pandas as pd
import pytest

from multiloss_core import DataError, RatedDocuments, operating_point
from multiloss_core.engines import count_along
from multiloss_core.engines.backends.duckdb_engine import DuckDBEngine
from multiloss_core.engines.counting import count_documents
from multiloss_core.engines.loading import load_sample, rated_columns_of
from multiloss_core.sources import RuleSet, simulate_alert_queue
from multiloss_core.tables import ColumnMeanings
from multiloss_core.thresholds import GRAPH, SMOOTH, PathSearch

TABLE = "alerts.parquet"
RULES = ("velocity", "hit", "why has R12", "why has %_'x")
MEANT = ColumnMeanings(
    scores=("model A", "model B"),
    rating="rating",
    meanings=(("fraud", "positive"), ("ok", "negative")),
    alert_rules=RULES,
)


def frame_of():
    generator = np.random.default_rng(4)
    queue = simulate_alert_queue(generator, documents=120_000, rules=4, prevalence=0.003)
    kept = queue.is_rated
    rules = queue.rules[kept]
    frame = pd.DataFrame(queue.scores[kept], columns=["model A", "model B"])
    frame["velocity"] = pd.array(np.where(rules[:, 0] > 0, 1, 0), dtype="Int64")
    frame.loc[(rules[:, 0] == 0) & (generator.random(len(frame)) < 0.2), "velocity"] = pd.NA
    frame["hit"] = rules[:, 1] > 0
    frame["why"] = [
        "; ".join(word for word, on in (("R12", row[2]), ("%_'x", row[3]), ("R120", row[2] == 0)) if on) or None
        for row in rules
    ]
    frame["rating"] = np.where(queue.labels[kept], "fraud", "ok")
    return frame


@pytest.fixture(scope="module")
def counted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rules")
    frame_of().to_parquet(folder / TABLE, index=False)
    engine = DuckDBEngine(folder)
    columns = rated_columns_of(engine, load_sample(engine, TABLE), MEANT)
    yield engine, columns, count_documents(engine, TABLE, columns)
    engine.close()


@pytest.fixture(scope="module")
def documents():
    return RatedDocuments.from_frame(
        frame_of(), list(MEANT.scores), "rating", positive="fraud", alert_rules=MEANT.alert_rules
    )


def test_floors_ignore_what_rules_raised(counted, documents):
    np.testing.assert_array_equal(counted[2].floors, documents.floors)
    queue = simulate_alert_queue(np.random.default_rng(4), documents=120_000, rules=4, prevalence=0.003)
    np.testing.assert_array_equal(counted[2].floors[:2], queue.floors)


@pytest.mark.parametrize("method", [SMOOTH, GRAPH], ids=lambda method: method.name)
def test_paths_count_as_documents_do(counted, documents, method):
    _, _, counts = counted
    path = method.find(PathSearch(counts))
    expected = documents.counts_along(path.thresholds)
    np.testing.assert_array_equal(path.tp, expected.tp)
    np.testing.assert_array_equal(path.fp, expected.fp)


def test_passes_along_a_path_agree(counted):
    engine, columns, counts = counted
    path = SMOOTH.find(PathSearch(counts))
    along = count_along(engine, TABLE, columns, path.thresholds, "any")
    for vertex in (0, len(path.tp) // 2, len(path.tp) - 2):
        flagged = along.step > vertex
        assert along.documents[flagged & (along.positive == 1)].sum() == path.tp[vertex]
        assert along.documents[flagged & (along.positive == 0)].sum() == path.fp[vertex]


def test_sources_are_those_of_the_documents(counted, documents):
    _, _, counts = counted
    point = operating_point(SMOOTH.find(PathSearch(counts)), 0.1)
    order = [*RULES, "model B", "model A"]
    for one, other in zip(
        RuleSet.of(counts, point.thresholds, order).sources,
        RuleSet.of(documents, point.thresholds, order).sources,
        strict=True,
    ):
        assert (one.name, *one.incremental, *one.raised, *one.unique) == (
            other.name, *other.incremental, *other.raised, *other.unique
        )  # fmt: skip
        assert [one.switch_off.low, one.switch_off.high] == pytest.approx(
            [other.switch_off.low, other.switch_off.high], nan_ok=True
        )


def test_refuses_a_rule_of_other_numbers(tmp_path):
    frame = frame_of().assign(velocity=7)
    frame.to_parquet(tmp_path / TABLE, index=False)
    engine = DuckDBEngine(tmp_path)
    columns = rated_columns_of(engine, load_sample(engine, TABLE), MEANT)
    with pytest.raises(DataError, match="velocity"):
        count_documents(engine, TABLE, columns)
    engine.close()
