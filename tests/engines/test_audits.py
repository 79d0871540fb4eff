"""Audits are planned, counted and drawn alike in every engine and in NumPy."""

import numpy as np
import pyarrow as arrow
import pytest

from multiloss_core import DataError
from multiloss_core.audit import audit_scores, drawn_frame
from multiloss_core.engines import count_strata, draw_in, strata_in
from tests.audit.samples import NAMES, population
from tests.engines.conftest import ENGINES


@pytest.mark.parametrize(
    ("load", "blocks"),
    [("duckdb", None), ("postgresql", None), *((engine, [3.0, 3.2]) for engine in ENGINES)],
    indirect=["load"],
)
def test_engines_agree_with_numpy(load, blocks):
    chosen = population(blocks=blocks)
    frame = chosen.frame
    frame.loc[:1, "model A"] = [np.nan, np.inf]
    frame.loc[2, "trust"] = None
    engine, table = load(arrow.Table.from_pandas(frame, preserve_index=False))
    strata = chosen.plan.strata
    expected = strata.sizes(audit_scores(frame, strata.names))
    assert count_strata(engine, table, strata).tolist() == expected.tolist()

    drawn = draw_in(engine, table, chosen.plan, "id", seed=5).sort_values("id")
    ours = drawn_frame(chosen.plan, frame, "id", seed=5).sort_values("id")
    assert drawn.columns.tolist() == ours.columns.tolist()
    for name in ("id", "audit_stratum", "audit_size", "audit_probability"):
        assert drawn[name].to_numpy() == pytest.approx(ours[name].to_numpy())
    assert drawn["audit_draw"].tolist() == ours["audit_draw"].tolist()

    found = strata_in(engine, table, NAMES, strata.floors, blocks=strata.blocks, count=4)
    assert found.edges == pytest.approx(strata.edges, abs=0.02)
    assert count_strata(engine, table, found) == pytest.approx(expected, rel=0.05, abs=5)

    with pytest.raises(DataError, match="no column 'score'"):
        strata_in(engine, table, ["score"], [0.5])
    with pytest.raises(DataError, match="no column 'number'"):
        draw_in(engine, table, chosen.plan, "number")
    with pytest.raises(DataError, match="lies below all floors"):
        strata_in(engine, table, NAMES, [-9e9, -9e9], count=2)


@pytest.mark.parametrize(
    ("load", "rule"),
    [
        *((engine, rule) for engine in ENGINES[:2] for rule in ([0, 1, None, 0, 0], [0.0, 1.0, 0.0, None, 0.0])),
        # Spark converts truth values only in its own way.
        *((engine, [False, True, None, False, False]) for engine in ENGINES),
    ],
    indirect=["load"],
)
def test_alert_rules_are_conditions(load, rule):
    columns = {"a": [0.1, 0.2, 0.3, 0.4, 0.9], "rule": rule}
    engine, table = load(arrow.table(columns))
    strata = strata_in(engine, table, ["a", "rule"], [0.8, 1.0], count=2, alert_rules=1)
    assert strata.edges[:, 1].tolist() == [1.0]
    assert count_strata(engine, table, strata).sum() == 3
