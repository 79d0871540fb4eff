"""Plan, draw and read an audit by the command, in files and engines, against the library."""

import json
from functools import cache

import numpy as np
import pandas as pd
import pytest

from multiloss_core import DecisionRecord, simulate_population
from multiloss_core.audit import Audit, plan_from_json
from multiloss_core.engines import loading
from tests.command_line.conftest import chosen, complaint, run

SCORES = ["model a", "model b"]


@cache
def everything(seed=0):
    """All documents, their ratings, a key and a time."""
    found = simulate_population(np.random.default_rng(seed), documents=60_000, prevalence=0.01, rated_share=0.02)
    return found, pd.DataFrame(
        {
            "model a": found.scores[:, 0].round(4),
            "model b": found.scores[:, 1].round(4),
            "verdict": np.where(found.labels, "fraud", "genuine"),
            "id": np.arange(len(found.labels)),
            "created_at": np.datetime64("2026-01-01", "us")
            + np.arange(len(found.labels)).astype("timedelta64[m]") // 2,
        }
    )


@pytest.fixture(scope="module")
def decided(tmp_path_factory):
    """A decision on the rated documents: its record as a file, and where these are."""
    found, frame = everything()
    rated = frame[(frame[SCORES] >= np.round(found.floors, 4)).any(axis=1)]
    folder = tmp_path_factory.mktemp("decided")
    given = [str(folder / "rated.csv")]
    rated.to_csv(*given, index=False)
    assert run("choose", *given, "--marginal-precision", ".2", "--output", folder / "decided").exit_code == 0
    return chosen(folder / "decided")[0], given


@pytest.mark.parametrize("kind", ["csv", "folder", "postgresql"])
def test_a_plan_is_drawn_and_read_back(put, decided, tmp_path, kind, monkeypatch):
    record, given = decided
    frame = everything()[1]
    place = put(frame.drop(columns="verdict"), kind)
    source, table = place[0], place[2:] and ["--documents-table", place[2]]
    monkeypatch.setattr(loading, "MAX_HELD", 10**6)
    folder = tmp_path / "plan"
    options = ["--documents", source, *table, "--budget", "800", "--key", "id", "--output", folder]
    result = run("audit", "plan", record, *given, *options)
    assert result.exit_code == 0, result.output
    assert "800 ratings" in result.stdout
    plan = plan_from_json((folder / "audit-plan.json").read_text())
    assert plan.budget == 800
    as_json = run("audit", "plan", record, *given, *options, "--json", "-").stdout
    assert json.loads(as_json) == json.loads((folder / "audit-plan.json").read_text())
    below = plan.strata.assign(frame[SCORES].to_numpy())
    assert plan.sizes.tolist() == np.bincount(below[below >= 0], minlength=plan.strata.count).tolist()
    assert "row_number()" in (folder / "audit-draw.sql").read_text()
    drawn = pd.read_csv(folder / "audit.csv")
    assert np.bincount(drawn["audit_stratum"]).tolist() == plan.allocation.tolist()

    rows = drawn.merge(frame[["id", "verdict"]], on="id")
    rows.to_csv(tmp_path / "rated.csv", index=False)
    written = ["--plan", folder / "audit-plan.json", "--rated", tmp_path / "rated.csv", "--key", "id"]
    result = run("audit", "read", record, *given, *written, "--output", tmp_path / "audited.json")
    assert result.exit_code == 0, result.output
    audited = DecisionRecord.from_json((tmp_path / "audited.json").read_bytes())
    by_hand = Audit.from_frame(rows, plan, "verdict", positive="fraud")
    assert [one.positives for one in audited.audit.strata] == by_hand.positives.tolist()
    flags = audited.flags(frame)
    truth = (frame["verdict"][flags] == "fraud").sum() / (frame["verdict"] == "fraud").sum()
    assert audited.audit.recall.low <= truth <= audited.audit.recall.high
    assert f"Recall: {100 * audited.audit.recall.estimate:.1f}" in result.stdout
    as_json = json.loads(run("audit", "read", record, *given, *written, "--json", "-").stdout)
    assert as_json == json.loads(audited.to_json())["audit"]
    missed = (by_hand.sizes * by_hand.positives / by_hand.rated).sum()
    rated_missed = audited.data.funnel.positives - audited.expected.tp
    assert audited.audit.missed.estimate == pytest.approx(missed + rated_missed)

    # The same data again: as much is caught, so recall is the same.
    result = run("watch", tmp_path / "audited.json", *given, "--json", tmp_path / "watched.json")
    assert "Recall was" in result.stdout
    again = json.loads((tmp_path / "watched.json").read_text())["recall"]
    assert again["estimate"] == pytest.approx(audited.audit.recall.estimate)
    assert again["low"] == pytest.approx(audited.audit.recall.low)


def test_second_ratings_replace_the_first(put, decided, tmp_path):
    record, given = decided
    frame = everything()[1]
    documents = put(frame.drop(columns="verdict"), "csv")[0]
    options = ["--documents", documents, "--budget", "800", "--key", "id", "--output", tmp_path]
    assert run("audit", "plan", record, *given, *options).exit_code == 0
    rows = pd.read_csv(tmp_path / "audit.csv").merge(frame[["id", "verdict"]], on="id")
    rows.to_csv(tmp_path / "rated.csv", index=False)
    written = ["--plan", tmp_path / "audit-plan.json", "--rated", tmp_path / "rated.csv"]
    first = run("audit", "read", record, *given, *written, "--output", tmp_path / "audited.json")
    assert "A single rating stands for" in first.stdout
    positives = rows[rows["verdict"] == "fraud"].sort_values("audit_probability")
    heaviest = positives.iloc[0]
    assert f"rate {heaviest['id']} again: stratum {heaviest['audit_stratum']}, stands for" in first.stdout
    second = run(
        *("audit", "read", record, *given, *written),
        *("--refuted", heaviest["id"], "--output", tmp_path / "again.json"),
    )
    assert f"rate {heaviest['id']} again" not in second.stdout
    before, after = (
        DecisionRecord.from_json((tmp_path / f"{name}.json").read_bytes()).audit for name in ("audited", "again")
    )
    assert before.missed.estimate - after.missed.estimate == pytest.approx(1 / heaviest["audit_probability"])
    assert "no positive with the key" in complaint(run("audit", "read", record, *given, *written, "--refuted", "none"))


def test_sizes_may_be_given(decided, tmp_path):
    record, given = decided
    sentence = complaint(run("audit", "plan", record, *given, "--budget", "500"))
    assert "SELECT audit_stratum" in sentence
    sizes = [part for size in (3_000, 9_000, 40_000) for part in ("--size", size)]
    folder = tmp_path / "plan"
    result = run("audit", "plan", record, *given, *sizes, "--width", ".5", "--key", "id", "--output", folder)
    assert result.exit_code == 0, result.output
    assert plan_from_json((folder / "audit-plan.json").read_text()).width <= 0.5
    assert not (folder / "audit.csv").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--size", "10", "--budget", "800"], "The budget must lie between"),
        (["--size", "5000", "--budget", "800", "--width", ".1"], "either a budget"),
        (["--size", "5000", "--budget", "800", "--dialect", "oracle"], "--dialect must be"),
        (["--size", "5000", "--budget", "800", "--block", "speed=3"], "--block"),
    ],
)
def test_unusable_plans_end_with_a_sentence(decided, options, message, tmp_path):
    record, given = decided
    folder = tmp_path / "plan"
    assert message in complaint(run("audit", "plan", record, *given, *options, "--output", folder), folder)


def test_unusable_ratings_end_with_a_sentence(decided, tmp_path):
    record, given = decided
    frame = everything()[1]
    frame.head(3).to_csv(tmp_path / "rated.csv", index=False)
    (tmp_path / "plan.json").write_text("{}")
    written = ["--plan", tmp_path / "plan.json", "--rated", tmp_path / "rated.csv"]
    assert "no plan of an audit" in complaint(run("audit", "read", record, *given, *written))


def test_blocked_documents_count_once(put, decided, tmp_path):
    record, given = decided
    frame = everything()[1]
    block = float(frame[SCORES[0]].quantile(0.998))
    documents = put(frame.drop(columns="verdict"), "csv")[0]
    options = ["--documents", documents, "--block", f"{SCORES[0]}={block}", "--budget", "800", "--key", "id"]
    assert run("audit", "plan", record, *given, *options, "--output", tmp_path).exit_code == 0
    rows = pd.read_csv(tmp_path / "audit.csv").merge(frame[["id", "verdict"]], on="id")
    rows.to_csv(tmp_path / "rated.csv", index=False)
    written = ["--plan", tmp_path / "audit-plan.json", "--rated", tmp_path / "rated.csv"]
    assert run("audit", "read", record, *given, *written, "--output", tmp_path / "audited.json").exit_code == 0
    audited = DecisionRecord.from_json((tmp_path / "audited.json").read_bytes())
    fraud, blocked = frame["verdict"] == "fraud", frame[SCORES[0]] >= block
    assert audited.audit.caught == (audited.flags(frame) & fraud & ~blocked).sum()
    truth = ((audited.flags(frame) | blocked) & fraud).sum() / fraud.sum()
    assert audited.audit.recall.low <= truth <= audited.audit.recall.high
    run("watch", tmp_path / "audited.json", *given, "--json", tmp_path / "watched.json")
    again = json.loads((tmp_path / "watched.json").read_text())["recall"]
    assert again["estimate"] == pytest.approx(audited.audit.recall.estimate)
