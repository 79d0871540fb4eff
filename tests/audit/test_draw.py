"""The same random draw in SQL and Python."""

import json
from io import StringIO

import duckdb
import numpy as np
import pandas as pd
import pytest

from multiloss_core import DataError
from multiloss_core.audit import draw_rows, draw_sql, drawn_frame, plan_csv, plan_json
from tests.audit.samples import population


@pytest.mark.parametrize("blocks", [None, [3.0, 3.2]])
def test_sql_draws_what_python_draws(blocks):
    chosen = population(blocks=blocks)
    frame, plan = chosen.frame, chosen.plan
    drawn = duckdb.sql(draw_sql(plan, "frame", "id", seed=3, dialect="duckdb")).df().sort_values("id")
    ours = drawn_frame(plan, frame, "id", seed=3).sort_values("id")
    assert drawn["id"].tolist() == ours["id"].tolist()
    assert drawn["audit_stratum"].tolist() == ours["audit_stratum"].tolist()
    assert np.bincount(drawn["audit_stratum"]).tolist() == plan.allocation.tolist()
    assert drawn["audit_probability"].to_numpy() == pytest.approx(plan.probabilities[drawn["audit_stratum"]])
    assert ours["audit_probability"].to_numpy() == pytest.approx(plan.probabilities[ours["audit_stratum"]])


def test_draw_depends_on_seed_and_key_alone():
    chosen = population()
    frame, plan = chosen.frame, chosen.plan
    drawn = set(frame["id"].iloc[draw_rows(plan, frame, "id")])
    shuffled = frame.sample(frac=1, random_state=1)
    assert set(shuffled["id"].iloc[draw_rows(plan, shuffled, "id")]) == drawn
    other = set(frame["id"].iloc[draw_rows(plan, frame, "id", seed=1)])
    assert len(other & drawn) < len(drawn) / 2


def test_draw_is_uniform_in_each_stratum():
    chosen = population(count=400, budget=90)
    frame, plan = chosen.frame, chosen.plan
    seeds = 400
    times = np.zeros(len(frame))
    for seed in range(seeds):
        times[draw_rows(plan, frame, "id", seed=seed)] += 1
    numbers = plan.strata.assign_frame(frame)
    inside = numbers >= 0
    p = plan.probabilities[numbers[inside]]
    errors = (times[inside] - seeds * p) / np.sqrt(np.maximum(seeds * p * (1 - p), 1e-9))
    assert (times[~inside] == 0).all()
    assert np.abs(errors[p < 1]).max() < 4.5
    assert errors[p < 1].std() == pytest.approx(1, abs=0.15)


def test_too_few_documents_are_all_drawn():
    chosen = population()
    frame = chosen.frame.iloc[:60]
    drawn = drawn_frame(chosen.plan, frame, "id")
    assert drawn["audit_probability"].max() == 1
    sizes = np.bincount(drawn["audit_stratum"], minlength=4)
    assert (sizes <= chosen.plan.allocation).all()
    sql = duckdb.sql(draw_sql(chosen.plan, "frame", "id", dialect="duckdb")).df()
    assert sorted(sql["id"]) == sorted(drawn["id"])


def test_plan_is_written_as_csv_and_json():
    plan = population(blocks=[3.0, np.inf]).plan
    table = pd.read_csv(StringIO(plan_csv(plan)))
    assert table["ratings"].tolist() == plan.allocation.tolist()
    assert table["audit_probability"].to_numpy() == pytest.approx(plan.probabilities)
    content = json.loads(plan_json(plan))
    assert content["blocks"] == [3.0, None]
    assert [row["documents"] for row in content["strata"]] == plan.sizes.tolist()


@pytest.mark.parametrize(
    ("key", "values", "message"),
    [
        ("id", [1, 1, 2], "repeated in row 2"),
        ("id", [1, None, 2], "blank in row 2"),
        ("id", [0.5, 1.0, 2.0], "whole numbers or text"),
        ("name", [1, 2, 3], "no column 'name'"),
    ],
)
def test_unusable_keys_are_rejected(key, values, message):
    frame = pd.DataFrame({"id": values, "model A": [0.0] * 3, "trust": [0.0] * 3})
    with pytest.raises(DataError, match=message):
        draw_rows(population().plan, frame, key)
