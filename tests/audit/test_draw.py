"""The same random draw in SQL and Python."""

import json

import duckdb
import numpy as np
import pandas as pd
import pytest

from multiloss_core import DataError, read_table
from multiloss_core.audit import audit_scores, draw_sql, drawn_frame, plan_from_json, plan_json, plan_of, with_plan
from multiloss_core.tables import frame_as_csv
from tests.audit.samples import population


@pytest.mark.parametrize("blocks", [None, [3.0, 3.2]])
def test_sql_draws_what_python_draws(blocks):
    chosen = population(blocks=blocks)
    frame, plan = chosen.frame, chosen.plan
    drawn = duckdb.sql(draw_sql(plan, "frame", "id", seed=3, dialect="duckdb")).df()
    ours = drawn_frame(plan, frame, "id", seed=3)
    assert drawn["id"].tolist() == ours["id"].tolist()
    assert drawn["audit_stratum"].tolist() == ours["audit_stratum"].tolist()
    assert np.bincount(drawn["audit_stratum"]).tolist() == plan.allocation.tolist()
    assert drawn["audit_size"].tolist() == ours["audit_size"].tolist()
    # An unfinished file is short of all strata alike.
    half = np.bincount(drawn["audit_stratum"][: len(drawn) // 2], minlength=plan.strata.count)
    assert half / plan.allocation == pytest.approx(0.5, abs=0.25)
    assert drawn["audit_probability"].to_numpy() == pytest.approx(plan.probabilities[drawn["audit_stratum"]])
    assert ours["audit_probability"].to_numpy() == pytest.approx(plan.probabilities[ours["audit_stratum"]])


def test_draw_depends_on_seed_and_key_alone():
    chosen = population()
    frame, plan = chosen.frame, chosen.plan
    drawn = set(drawn_frame(plan, frame, "id")["id"])
    shuffled = frame.sample(frac=1, random_state=1)
    assert set(drawn_frame(plan, shuffled, "id")["id"]) == drawn
    other = set(drawn_frame(plan, frame, "id", seed=1)["id"])
    assert len(other & drawn) < len(drawn) / 2


def test_draw_is_uniform_in_each_stratum():
    chosen = population(count=400, budget=90)
    frame, plan = chosen.frame, chosen.plan
    seeds = 400
    times = np.zeros(len(frame))
    for seed in range(seeds):
        times[drawn_frame(plan, frame, "id", seed=seed).index] += 1
    numbers = plan.strata.assign(audit_scores(frame, plan.strata.names))
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


@pytest.mark.parametrize("blocks", [None, [3.0, np.inf]])
def test_plan_is_restored_from_its_file(blocks):
    plan = population(blocks=blocks).plan
    again = plan_from_json(plan_json(plan))
    assert again.strata.names == plan.strata.names
    for name in ("floors", "edges", "blocks"):
        assert getattr(again.strata, name).tolist() == getattr(plan.strata, name).tolist()
    assert again.sizes.tolist() == plan.sizes.tolist()
    assert again.allocation.tolist() == plan.allocation.tolist()
    assert (again.caught, again.width) == (plan.caught, plan.width)
    assert plan_json(again) == plan_json(plan)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda content: content.pop("edges"), "no plan of an audit"),
        (lambda content: content.update(floors="many"), "no plan of an audit"),
        (lambda content: content.update(strata=[]), "one size"),
        (lambda content: content["strata"][0].update(ratings=10**9), "more ratings than documents"),
        (lambda content: content["strata"][0].update(documents=1.5), "whole numbers"),
        (lambda content: content["strata"][0].update(documents=9e18), "whole numbers"),
        (lambda content: content.update(caught=10**400), "no plan of an audit"),
        (lambda content: content["strata"][0].update(expected_share=2), "between 0 and 1"),
        (lambda content: content["edges"].reverse(), "Edges"),
    ],
)
def test_broken_plans_are_rejected(change, message):
    content = json.loads(plan_json(population().plan))
    change(content)
    with pytest.raises(DataError, match=message):
        plan_from_json(json.dumps(content))


@pytest.mark.parametrize(
    "text",
    ["", "[]", "7", '{"scores": 1}', " " * 2**20 + "{}", b"\xff", "[" * 200_000, '{"scores": 1' + "0" * 400 + "}"],
)
def test_other_files_are_no_plans(text):
    with pytest.raises(DataError):
        plan_from_json(text)


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
        drawn_frame(population().plan, frame, key)


def test_drawn_rows_carry_their_plan_through_a_file():
    chosen = population()
    rows = with_plan(drawn_frame(chosen.plan, chosen.frame, "id"), chosen.plan)
    assert plan_of(rows.drop(columns="audit_plan")) is None
    back = read_table(frame_as_csv(rows.sample(frac=1, random_state=0)).encode(), "audit.csv")
    assert plan_json(plan_of(back)) == plan_json(chosen.plan)
    with pytest.raises(DataError, match="holds 2 plans"):
        plan_of(rows.assign(audit_plan=np.where(np.arange(len(rows)) % 2, "{}", "[]")))
