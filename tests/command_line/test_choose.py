"""Compare the command's thresholds with those of the library and of the screen."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from multiloss_core import DecisionRecord, RatedDocuments, operating_point
from multiloss_core.decisions import ExpectedCounts, recorded_thresholds
from multiloss_core.engines import count_documents, load_sample, loading, rated_columns_of
from multiloss_core.engines.backends.duckdb_engine import DuckDBEngine
from multiloss_core.generalisation import bootstrap_points
from multiloss_core.sources import simulate_alert_queue
from multiloss_core.tables import ColumnMeanings
from multiloss_core.thresholds import SMOOTH, PathSearch
from tests.command_line.conftest import KINDS, chosen, complaint, rated_month, run

ROOT = Path(__file__).resolve().parents[2]
MEANINGS = {"fraud": "positive", "genuine": "negative"}


def expected_of(data, target=0.2):
    """Choose by the library: thresholds, counts and intervals."""
    search = PathSearch(data, "any", 100, "positives")
    path = SMOOTH.find(search)
    point = operating_point(path, target)
    *_, found = bootstrap_points(data, search.fit, path, [target], generator=np.random.default_rng(0))
    positives = point.rated.tp, point.reachable.tp
    counts = ExpectedCounts.of(point.tp, point.fp, found.intervals(target), positives=positives)
    return recorded_thresholds(data.round_thresholds(point.thresholds)), counts


@pytest.mark.parametrize("kind", KINDS)
def test_the_numbers_are_those_of_the_library(put, tmp_path, kind):
    result = run("choose", *put(rated_month(), kind), "--marginal-precision", ".2", "--output", tmp_path / "out")
    assert result.exit_code == 0, result.output
    file, content = chosen(tmp_path / "out")
    record = DecisionRecord.from_json(file.read_text(encoding="utf-8"))
    documents = RatedDocuments.from_frame(rated_month(), ["model a", "model b"], "verdict", meanings=MEANINGS)
    thresholds, expected = expected_of(documents)
    assert record.thresholds == thresholds
    assert record.expected == expected
    assert record.data.funnel == documents.funnel
    assert record.data.days == 30
    assert record.columns.positive == "fraud"
    assert (record.settings.method, record.settings.spacing, record.settings.resolution) == ("smooth", "positives", 100)
    assert (content["data"]["source"] is not None) == (kind not in ("csv", "parquet"))
    assert (content["data"]["snapshot"] is not None) == (kind in ("folder", "duckdb"))
    for value in thresholds:
        assert f" {value} " in result.stdout
    assert "95 % interval" in result.stdout


def the_screen():
    """Return the record that the screen makes of the session's file."""
    from pathlib import Path

    import numpy as np
    import streamlit as st

    from multiloss_core import operating_point
    from multiloss_core.engines import read_rated_source
    from multiloss_core.generalisation import bootstrap_points
    from ui.data.rated import build_dataset
    from ui.operating_point.analysis import analyse
    from ui.operating_point.decision import record_of
    from ui.operating_point.path_tasks import Settings

    file = Path(st.session_state["file"])
    source = read_rated_source(file.read_bytes(), file.name)
    dataset = build_dataset(source, source.first_choice)
    analysis = analyse(dataset, Settings("any", "positives", 100))
    path, generator = analysis.path("smooth"), np.random.default_rng(0)
    *_, evidence = bootstrap_points(dataset.source, analysis.fit, path, [0.3], generator=generator)
    point = operating_point(path, 0.3)
    st.session_state["record"] = record_of(analysis, point, evidence=evidence, author="A. Nalyst").as_dict()


def test_a_file_gives_the_record_of_the_screen(put, tmp_path):
    (file,) = put(rated_month(), "csv")
    result = run("choose", file, "--marginal-precision", ".3", "--author", "A. Nalyst", "--output", tmp_path / "out")
    assert result.exit_code == 0, result.output
    screen = AppTest.from_function(the_screen, default_timeout=120)
    screen.session_state["file"] = file
    screen.run()
    assert not screen.exception
    own = {"record_id", "created"}
    made, shown = chosen(tmp_path / "out")[1], json.loads(json.dumps(screen.session_state["record"]))
    assert {name: made[name] for name in made.keys() - own} == {name: shown[name] for name in shown.keys() - own}


def test_all_files_of_a_decision_are_written(put, tmp_path):
    given = put(rated_month(), "folder")
    result = run(
        "choose", *given, "--marginal-precision", ".2", "--output", tmp_path / "a" / "b", "--reason", "Because.",
        "--current", "model a=0.7", "--current", "model b=never",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    path, content = chosen(tmp_path / "a" / "b")
    names = {file.name for file in (tmp_path / "a" / "b").iterdir()}
    stem, name = path.stem, path.stem.replace("-", "_")
    assert names == {
        f"{stem}.json", f"{stem}-thresholds.json", f"{stem}-thresholds.csv", f"{stem}.sql", f"{name}_flagged.sql",
        f"{stem}-spark.sql", f"{name}.py", f"{stem}.md", f"{stem}.html",
    }  # fmt: skip
    assert all(file in result.stdout for file in names)
    assert content["current"]["thresholds"] == [0.7, None]
    report = (path.with_suffix(".html")).read_text(encoding="utf-8")
    assert "State of the source" in report
    assert "rated fraud" in report
    assert "Because." in report


def test_a_range_of_days(put, tmp_path):
    frame = rated_month()
    expected = ((frame["created_at"] >= "2026-01-08") & (frame["created_at"] < "2026-01-22")).sum()
    records = []
    for kind in ("csv", "folder"):
        out = tmp_path / kind
        result = run(
            "choose", *put(frame, kind), "--marginal-precision", ".2", "--since", "2026-01-08", "--until", "2026-01-22",
            "--output", out,
        )  # fmt: skip
        assert result.exit_code == 0, result.output
        records.append(chosen(out)[1])
    for record in records:
        assert record["data"]["funnel"]["read"] == expected
        assert record["data"]["days"] == 14
        told = {name: record["data"][name] for name in ("time", "since", "until")}
        assert told == {"time": "created_at", "since": "2026-01-08", "until": "2026-01-22"}
    assert records[0]["thresholds"] == records[1]["thresholds"]
    assert records[0]["expected"] == records[1]["expected"]


def test_a_large_table_is_counted(put, tmp_path, monkeypatch):
    monkeypatch.setattr(loading, "MAX_HELD", 500)
    (folder,) = put(rated_month(), "folder")
    result = run("choose", folder, "--marginal-precision", ".2", "--output", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert "Counting" in result.stderr
    record = DecisionRecord.from_json(chosen(tmp_path / "out")[0].read_bytes())
    engine = DuckDBEngine(folder)
    (table,) = engine.tables()
    sample = load_sample(engine, table)
    assert not sample.is_complete
    meant = ColumnMeanings(scores=("model a", "model b"), rating="verdict", meanings=tuple(MEANINGS.items()))
    columns = rated_columns_of(engine, sample, meant)
    thresholds, expected = expected_of(count_documents(engine, table, columns))
    snapshot = engine.version(table)
    engine.close()
    assert record.thresholds == thresholds
    assert record.expected == expected
    assert (record.data.snapshot, record.data.days) == (snapshot, 30)
    assert (record.columns.rating, record.columns.positive) == ("verdict", "fraud")
    # Suggested from the first rows, a floor is a little higher than from all.
    documents = RatedDocuments.from_frame(
        rated_month(), ["model a", "model b"], "verdict", meanings=MEANINGS, floors=list(record.columns.floors)
    )
    assert record.data.funnel == documents.funnel
    counts = documents.counts_at(record.threshold_array, "any")
    assert (record.expected.tp, record.expected.fp) == (counts.tp, counts.fp)


def test_it_runs_as_a_program_of_its_own(put, tmp_path):
    given = put(rated_month(), "folder")
    command = [sys.executable, "-m", "multiloss_core.command_line", "choose", *given, "--marginal-precision"]

    def outcome(*more):
        return subprocess.run([*command, *more], cwd=ROOT, capture_output=True, text=True, check=False)

    done = outcome(".2", "--output", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    assert "Precision" in done.stdout
    assert all(line.endswith("…") for line in done.stderr.splitlines())
    chosen(tmp_path / "out")
    failed = outcome("2", "--output", str(tmp_path / "other"))
    assert (failed.returncode, failed.stdout) == (2, "")
    assert failed.stderr.strip() == "The marginal precision must lie between 0 and 1, not at 2."
    assert not (tmp_path / "other").exists()


class TestWhatCannotBeDone:
    @pytest.fixture
    def fails(self, put, tmp_path):
        def run_and_complain(frame, *more, kind="folder", target=".2"):
            given = [*put(frame, kind), "--marginal-precision", target, "--output", tmp_path / "out", *more]
            return complaint(run("choose", *given), tmp_path / "out")

        return run_and_complain

    @pytest.mark.parametrize("kind", ["csv", "folder", "postgresql"])
    def test_columns_that_are_not_there(self, fails, kind):
        assert "There is no column 'model x'" in fails(rated_month(), "--scores", "model a,model x", kind=kind)
        assert "There is no column 'who'" in fails(rated_month(), "--group", "who", kind=kind)
        assert "There is no column 'outcome'" in fails(rated_month(), "--rating", "outcome", kind=kind)

    @pytest.mark.parametrize("kind", ["csv", "folder"])
    def test_one_class_only(self, fails, kind):
        frame = rated_month()
        only = frame[frame["verdict"] == "genuine"]
        assert "it holds one value only); give --rating" in fails(only, kind=kind)
        said = ("--rating", "verdict", "--negative", "genuine", "--scores", "model a,model b")
        assert "true and false positives are both needed" in fails(only, *said, kind=kind)

    def test_what_the_screen_would_ask(self, fails):
        frame = rated_month().assign(verdict=np.where(rated_month()["verdict"] == "fraud", "A", "B"))
        assert "--rating" in fails(frame) or "--positive" in fails(frame)
        assert "give --positive 'b'" in fails(frame, "--rating", "verdict", "--scores", "model a,model b")
        done = ("--rating", "verdict", "--scores", "model a,model b", "--positive", "A")
        assert "'b' in 'verdict' means is not certain" in fails(frame, *done)
        assert "--weight COLUMN or --weight none" in fails(rated_month().assign(sampling_rate=0.5))

    def test_falling_score_is_inverted_with_a_notice(self, put, tmp_path):
        frame = rated_month()
        trust = frame.assign(trust=1000 - 1000 * frame["model a"].round(4)).drop(columns="model a")
        chosen_on = {}
        for name, table in (("rising", frame), ("falling", trust)):
            scores = "model a,model b" if name == "rising" else "trust,model b"
            current = ("--current", "trust=300" if name == "falling" else "model a=0.7", "--current", "model b=0.7")
            options = ("--scores", scores, *current, "--marginal-precision", ".2", "--output", tmp_path / name)
            result = run("choose", *put(table, "csv"), *options)
            assert result.exit_code == 0, result.output
            assert ("Low values of 'trust'" in result.output) == (name == "falling")
            chosen_on[name] = chosen(tmp_path / name)
        rising, falling = (chosen_on[name][1] for name in ("rising", "falling"))
        assert falling["columns"]["inverted"] == ["trust"]
        assert "inverted" not in rising["columns"]
        for mine, other in (
            (falling["thresholds"][0], rising["thresholds"][0]),
            (falling["columns"]["floors"][0], rising["columns"]["floors"][0]),
            (falling["current"]["thresholds"][0], rising["current"]["thresholds"][0]),
        ):
            assert mine == pytest.approx(1000 - 1000 * other, abs=1)
        assert falling["expected"]["tp"] == rising["expected"]["tp"]
        watched = run("watch", chosen_on["falling"][0], *put(trust, "csv"))
        assert watched.exit_code == 0, watched.output

    def test_options_that_cannot_be_used(self, fails):
        assert "write --floor" in fails(rated_month(), "--floor", "model a")
        assert "A floor is given for 'model x'" in fails(rated_month(), "--floor", "model x=0.5")
        assert "lies above its largest score" in fails(rated_month(), "--floor", "model a=0.99999999")
        assert "'model b' does not fit" in fails(rated_month(), "--current", "model a=0.5")
        assert "must be any or all" in fails(rated_month(), "--rule", "some")
        assert "There is no method 'best'" in fails(rated_month(), "--method", "best")
        assert "between 0 and 1" in fails(rated_month(), target="1")
        assert "'sure' is not a rating" in fails(rated_month(), "--positive", "sure")
        assert "holds no day" in fails(rated_month(), "--since", "2026-02-01", "--until", "2026-01-01")
        assert "has no rows in this range" in fails(rated_month(), "--since", "2027-01-01", kind="csv")
        assert "has no rows in this range" in fails(rated_month(), "--since", "2027-01-01")
        assert "--time" in fails(rated_month(), "--since", "2026-01-02", "--time", "none")

    @pytest.mark.parametrize(("kind", "is_counted"), [("csv", False), ("folder", True)])
    def test_alerts_from_elsewhere_ask_for_floors(self, put, tmp_path, monkeypatch, kind, is_counted):
        if is_counted:
            monkeypatch.setattr(loading, "MAX_HELD", 500)
        generator = np.random.default_rng(4)
        reported = pd.DataFrame(
            {
                "model a": generator.uniform(0.01, 0.2, 90).round(4),
                "model b": generator.uniform(0.01, 0.2, 90).round(4),
                "verdict": generator.choice(["fraud", "genuine"], 90),
                "created_at": np.datetime64("2026-01-05", "us"),
            }
        )
        given = ("choose", *put(pd.concat([rated_month(), reported]), kind), "--marginal-precision", ".2")
        asked = complaint(run(*given, "--output", tmp_path / "out"), tmp_path / "out")
        assert "raised by anything else than these scores" in asked
        assert "--floor-method jump" in asked
        true_floors = rated_month()[["model a", "model b"]].min()
        for name, options in {
            "jump": ("--floor-method", "jump"),
            "own": ("--floor", "model a=0.4", "--floor", "model b=0.4"),
        }.items():
            result = run(*given, *options, "--output", tmp_path / name)
            assert result.exit_code == 0, result.output
            record = chosen(tmp_path / name)[1]
            assert (np.array(record["columns"]["floors"]) > true_floors + 0.1).all()
            assert record["data"]["funnel"]["at_or_above_floor"] <= len(rated_month())
        assert "must be corner or jump" in complaint(
            run(*given, "--floor-method", "x", "--output", tmp_path / "x"), tmp_path / "x"
        )

    def test_numbers_that_may_be_read_in_two_ways(self, put, tmp_path):
        frame = rated_month()
        text = frame.assign(**{"model a": (1000 + frame["model a"] * 1000).round().map("{:,.0f}".format)})
        (file,) = put(text, "csv")
        given = (
            "choose",
            file,
            "--marginal-precision",
            ".2",
            "--output",
            tmp_path / "out",
            "--scores",
            "model a,model b",
        )
        assert "--decimal" in complaint(run(*given), tmp_path / "out")
        result = run(*given, "--decimal", ".")
        assert result.exit_code == 0, result.output
        assert chosen(tmp_path / "out")[1]["columns"]["floors"][0] > 1000

    def test_sources_that_are_not_there(self, put, tmp_path, postgres_database):
        def fails(*arguments):
            given = ("--marginal-precision", ".2", "--output", tmp_path / "out")
            return complaint(run("choose", *arguments, *given), tmp_path / "out")

        assert "There is no file or folder" in fails(tmp_path / "nothing")
        assert "cannot be opened as a DuckDB file" in fails(self._file(tmp_path / "x.db", b"no database at all" * 99))
        assert "is no source that can be read" in fails("mysql://host/database")
        assert "--table" in fails(postgres_database)
        unknown = fails(postgres_database, "--table", "nothing")
        assert "nothing" in unknown
        password = "p%40ss"
        unreachable = f"postgresql://user:{password}@127.0.0.1:1/x"
        lost = run("choose", unreachable, "--table", "a", "--marginal-precision", ".2", "--output", tmp_path / "out")
        assert (lost.exit_code, password in lost.output) == (3, False)
        (tmp_path / "two").mkdir()
        for name in ("one", "other"):
            folder = tmp_path / "two" / name
            folder.mkdir()
            rated_month().to_parquet(folder / "a.parquet")
        assert "--table; there are 'one', 'other'" in fails(tmp_path / "two")
        assert "There is no table 'third'" in fails(tmp_path / "two", "--table", "third")

    def test_files_that_are_no_tables(self, tmp_path):
        for name, data in (("a.csv", b""), ("b.parquet", b"PAR1 or not"), ("c.xlsx", b"PK no"), ("d.csv", b"a\n1\n")):
            result = run("choose", self._file(tmp_path / name, data), "--marginal-precision", ".2")
            assert name in complaint(result) or "column" in complaint(result)
        counts = pd.DataFrame({"T1": [0.1, 0.2], "TP": [2, 1], "FP": [3, 1]})
        counts.to_csv(tmp_path / "counts.csv", index=False)
        assert "table of counts" in complaint(run("choose", tmp_path / "counts.csv", "--marginal-precision", ".2"))

    @staticmethod
    def _file(path, data):
        path.write_bytes(data)
        return path


def queue_of(seed):
    """Alerts of two scores and three rules, one of them a word in a column of reasons."""
    queue = simulate_alert_queue(np.random.default_rng(seed), documents=150_000, prevalence=0.004, rules=3)
    kept = queue.is_rated
    frame = pd.DataFrame(queue.scores[kept].round(4), columns=["model a", "model b"])
    frame["velocity"], frame["country"] = (queue.rules[kept, j].astype(int) for j in (0, 1))
    frame["why"] = np.where(queue.rules[kept, 2] > 0, "R1, R12", "R120")
    frame["verdict"] = np.where(queue.labels[kept], "fraud", "genuine")
    frame["created_at"] = np.datetime64("2026-01-01", "us") + np.sort(
        np.random.default_rng(seed).integers(0, 30 * 86_400, len(frame))
    ).astype("timedelta64[s]")
    return frame


@pytest.mark.parametrize("kind", ["csv", "postgresql"])
def test_alert_rules_are_chosen_with_the_thresholds(put, tmp_path, kind, monkeypatch):
    rules, frame = ("velocity", "country", "why has R12"), queue_of(1)
    monkeypatch.setattr(loading, "MAX_HELD", 1_000)
    given = ("--alert-rules", ",".join(rules), "--marginal-precision", ".2")
    result = run("choose", *put(frame, kind), *given, "--output", tmp_path / "out")
    assert result.exit_code == 0, result.output
    file, _ = chosen(tmp_path / "out")
    record = DecisionRecord.from_json(file.read_text(encoding="utf-8"))
    assert record.columns.scores == ("model a", "model b", *rules)
    assert set(record.thresholds[2:]) <= {1.0, None}
    flags, fraud = record.flags(frame), frame["verdict"] == "fraud"
    assert (record.expected.tp, record.expected.fp) == ((flags & fraud).sum(), (flags & ~fraud).sum())
    watched = run("watch", file, *put(queue_of(1), kind))
    assert watched.exit_code == 0, watched.output


def test_alert_rules_are_asked_about(put, tmp_path):
    frame = queue_of(1).rename(columns={"velocity": "velocity rule"})
    result = run("choose", *put(frame, "csv"), "--marginal-precision", ".2", "--output", tmp_path / "out")
    assert result.exit_code == 2
    assert "--alert-rules" in complaint(result)
    given = ("--alert-rules", "none", "--marginal-precision", ".2")
    result = run("choose", *put(frame, "csv"), *given, "--output", tmp_path / "out")
    # Without the rules their alerts leave the floors uncertain.
    assert "Were alerts raised by anything else" in complaint(result)
