"""Strata as conditions, against plain Python and DuckDB."""

import re

import duckdb
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from multiloss_core import DataError
from multiloss_core.audit import AuditStrata, audit_scores, halved_strata, score_strata
from tests.audit.samples import population


def number_of(row, strata):
    """Find the stratum of one document by its definition."""
    if np.isinf(row).any() or np.isnan(row).all():
        return -1
    if any(x >= block for x, block in zip(row, strata.blocks, strict=True)):
        return len(strata.edges) + 1
    if any(x >= floor for x, floor in zip(row, strata.floors, strict=True)):
        return -1
    reached = (any(x >= edge for x, edge in zip(row, edges, strict=True)) for edges in strata.edges)
    return next((i for i, reaches in enumerate(reached) if reaches), len(strata.edges))


TENTHS = st.integers(0, 20).map(lambda whole: whole / 10)


@given(scores=st.integers(1, 4).flatmap(lambda k: arrays(float, (30, k), elements=TENTHS)), count=st.integers(1, 6))
def test_strata_divide_documents_below_floors(scores, count):
    floors = np.full(scores.shape[1], 1.9)
    scores[0] = 0.0
    strata = score_strata(scores, floors, count=count)
    numbers = strata.assign(scores)
    assert numbers.tolist() == [number_of(row, strata) for row in scores]
    assert ((numbers >= 0) == (scores < 1.9).all(axis=1)).all()
    assert strata.sizes(scores).sum() == (numbers >= 0).sum()
    assert strata.sizes(scores).min() > 0


@pytest.mark.parametrize("blocks", [None, [3.0, 3.2], [np.inf, 3.0]])
def test_sql_numbers_strata_like_python(blocks):
    chosen = population(blocks=blocks)
    frame = chosen.frame
    frame.loc[:3, "trust"] = [np.nan, np.inf, -np.inf, 0.0]
    frame.loc[4, "model A"] = None
    strata = chosen.plan.strata
    numbers = duckdb.sql(f"SELECT {strata.sql('duckdb')} AS n FROM frame ORDER BY id").df()["n"].fillna(-1)
    assert numbers.tolist() == strata.assign(audit_scores(frame, strata.names)).tolist()
    assert (numbers[[1, 2]] == -1).all()
    scores = np.column_stack([frame["model A"], -frame["trust"]])
    assert [number_of(row, strata) for row in scores] == numbers.tolist()
    counted = duckdb.sql(strata.count_sql("frame", "duckdb")).df()
    assert counted["documents"].tolist() == strata.sizes(scores).tolist()


def test_labels_write_scores_on_their_scale():
    strata = AuditStrata(("a", "minus trust"), np.array([5.0, -2.0]), np.array([[4.0, -3.0]]), np.array([9.0, np.inf]))
    assert strata.labels == ("a 4 to 5 or trust 2 to 3", "a < 4 and trust > 3", "a ≥ 9")
    assert re.search(r'"trust".* <= 2\.0e0', strata.sql())
    assert "`trust`" in strata.sql("spark")


def test_equal_scores_make_fewer_strata():
    assert score_strata(np.array([0.1] * 50 + [0.9]), [0.5]).count == 1


@pytest.mark.parametrize(
    ("floors", "edges", "blocks", "message"),
    [
        ([0.5], [[0.6]], [np.inf], "fall"),
        ([0.5], [[0.3], [0.3]], [np.inf], "fall"),
        ([0.5], [[0.3]], [0.5], "block threshold"),
        ([np.inf], [[0.3]], [np.inf], "numbers"),
        ([0.5, 0.5], [[0.3]], [np.inf], "one floor"),
        ([0.9], [[x / 10] for x in range(8, 0, -1)], [np.inf], "at most 8"),
    ],
)
def test_unusable_strata_are_rejected(floors, edges, blocks, message):
    with pytest.raises(DataError, match=message):
        AuditStrata(("a",), np.array(floors), np.array(edges), np.array(blocks))


def test_missing_columns_and_text_are_rejected():
    strata = population().plan.strata
    with pytest.raises(DataError, match="no column 'trust'"):
        audit_scores(pd.DataFrame({"model A": [1.0]}), strata.names)
    with pytest.raises(DataError, match="must hold numbers"):
        audit_scores(pd.DataFrame({"model A": ["x"], "trust": [1.0]}), strata.names)
    with pytest.raises(DataError, match="dialect"):
        strata.sql("oracle")
    with pytest.raises(DataError, match="lies below all floors"):
        score_strata([0.9, 0.8], [0.5])


def test_alert_rules_divide_nothing():
    scores = np.column_stack([np.linspace(0, 1, 101), np.tile([0.0, 0.0, 0.0, 1.0], 26)[:101]])
    strata = score_strata(scores, [0.9, 1.0], names=["a", "rule"], count=3)
    assert (strata.edges[:, 1] == 1).all()
    numbers = strata.assign(scores)
    below = (scores[:, 0] < 0.9) & (scores[:, 1] < 1)
    assert ((numbers >= 0) == below).all()
    assert "rule" not in strata.labels[0]
    assert halved_strata([0.8, 1.0], alert_rules=1, count=2).edges.tolist() == [[0.4, 1.0]]


def test_rules_of_words_have_no_sql():
    frame = pd.DataFrame({"a": [0.1, 0.2, 0.9], "reason": ["R1;R2", "R3", ""]})
    strata = AuditStrata(("a", "reason has R1"), np.array([0.5, 1.0]), np.array([[0.15, 1.0]]), np.full(2, np.inf))
    assert strata.assign(audit_scores(frame, strata.names, 1)).tolist() == [-1, 0, -1]
    with pytest.raises(DataError, match="column of 0 and 1"):
        strata.sql()


def test_blank_and_boolean_rules_are_off():
    frame = pd.DataFrame({"a": [0.1, 0.2, 0.3, 0.9], "rule": [None, 1.0, 0.0, None]})
    scores = audit_scores(frame, ["a", "rule"], 1)
    strata = score_strata(scores, [0.5, 1.0], names=["a", "rule"], count=1, alert_rules=1)
    assert strata.assign(scores).tolist() == [0, -1, 0, -1]
    for column in ("rule", "CAST(rule AS boolean) AS rule"):
        found = duckdb.sql(f"SELECT {strata.sql('duckdb')} AS n FROM (SELECT a, {column} FROM frame)").df()["n"]
        assert found.fillna(-1).tolist() == [0, -1, 0, -1]
