"""Compare a decision watched on newer data with the library's tests, and check exit codes."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from multiloss_core import DecisionRecord, RatedDocuments
from multiloss_core.decisions import Observed, RecordedEvidence, bounds_of, changes_of, compared_sizes
from multiloss_core.engines import loading
from multiloss_core.generalisation import bootstrap_thresholds
from tests.command_line.conftest import KINDS, chosen, complaint, rated_month, run
from tests.decisions.records import make_record

JANUARY = {"seed": 0}
FEBRUARY = {"seed": 1, "days": 22, "documents": 110_000}
BAD = {"seed": 2, "days": 22, "prevalence": 0.001, "documents": 110_000}


@pytest.fixture(scope="module")
def of_january(tmp_path_factory):
    """The record of a decision on January, as a file."""
    folder = tmp_path_factory.mktemp("january")
    rated_month(**JANUARY).to_csv(folder / "alerts.csv", index=False)
    given = ("choose", folder / "alerts.csv", "--marginal-precision", ".2", "--output", folder / "decided")
    assert run(*given).exit_code == 0
    return chosen(folder / "decided")[0]


@pytest.fixture
def decided(of_january, tmp_path):
    """A copy of the record, which a test may change."""
    return Path(shutil.copy(of_january, tmp_path))


def expected_changes(record, frame, days):
    documents = RatedDocuments.from_frame(
        frame,
        record.columns.scores,
        "verdict",
        meanings={"fraud": "positive", "genuine": "negative"},
        floors=list(record.columns.floors),
    )
    counts = documents.counts_at(record.threshold_array, "any")
    found = bootstrap_thresholds(documents, record.threshold_array, "any", generator=np.random.default_rng(0))
    now = Observed(
        tp=counts.tp,
        fp=counts.fp,
        bounds=bounds_of(found.intervals()),
        rows=float(len(documents.labels)),
        documents=documents.totals.alerts,
        days=days,
    )
    sizes = compared_sizes(record, rows=now.rows, documents=now.documents, days=days)
    return changes_of(record, now, sizes)


@pytest.mark.parametrize("kind", KINDS)
def test_the_numbers_are_those_of_the_library(put, decided, tmp_path, kind):
    check(put, decided, tmp_path, kind)


@pytest.mark.parametrize("kind", ["folder", "postgresql"])
def test_a_large_table_is_counted_at_the_very_thresholds(put, decided, tmp_path, kind, monkeypatch):
    monkeypatch.setattr(loading, "MAX_HELD", 100)
    check(put, decided, tmp_path, kind)


def check(put, decided, tmp_path, kind):
    record = DecisionRecord.from_json(decided.read_bytes())
    for month, code in ((FEBRUARY, 0), (BAD, 1)):
        frame = rated_month(**month)
        result = run("watch", decided, *put(frame, kind), "--json", tmp_path / "found.json")
        assert result.exit_code == code, result.output
        found = json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))
        assert found["as_expected"] == (code == 0)
        assert found["record_id"] == record.record_id
        for name, change in expected_changes(record, frame, 22).items():
            told = found["changes"][name]
            for part, value, bounds in (
                ("then", change.then, change.then_bounds),
                ("now", change.now, change.now_bounds),
                ("difference", change.difference, change.bounds),
            ):
                expected = [value, *bounds]
                assert [told[part][key] for key in ("value", "low", "high")] == pytest.approx(expected, rel=1e-9)
            assert told["beyond_chance"] == change.is_beyond_chance
        said = "has fallen by more than chance" if code else "The precision is within what was expected"
        assert said in result.stdout
        assert said in found["verdict"]
        assert "a day" in result.stdout


def test_a_range_of_days(put, decided):
    # Good days, then bad ones.
    first, later = rated_month(**FEBRUARY), rated_month(**BAD)
    later = later.assign(created_at=later["created_at"] + np.timedelta64(60, "D"))
    given = put(pd.concat([first, later], ignore_index=True), "folder")
    assert run("watch", decided, *given, "--until", "2026-02-01").exit_code == 0
    assert run("watch", decided, *given, "--since", "2026-02-01").exit_code == 1


@pytest.mark.parametrize("kind", ["csv", "folder"])
def test_rows_are_chosen_as_those_of_the_decision(put, decided, tmp_path, kind):
    """Bad rows of another country do not count."""
    own, other = rated_month(**FEBRUARY).assign(country="AT"), rated_month(**BAD).assign(country="DE")
    given = put(pd.concat([own, other], ignore_index=True), kind)
    assert run("watch", decided, *given).exit_code == 1
    content = json.loads(decided.read_text(encoding="utf-8"))
    content["data"]["filters"] = [{"column": "country", "values": ["AT"]}]
    # Days of the decision are not those of newer data.
    content["data"] |= {"time": "created_at", "since": "2025-01-01", "until": "2025-02-01"}
    decided.write_text(json.dumps(content), encoding="utf-8")
    result = run("watch", decided, *given, "--json", tmp_path / "found.json")
    assert result.exit_code == 0, result.output
    found = json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))
    reached = own[["model a", "model b"]].to_numpy() >= content["columns"]["floors"]
    assert found["observed"]["rows"] == reached.any(axis=1).sum()
    assert found["data"]["filters"] == content["data"]["filters"]
    result = run("watch", decided, *put(own.drop(columns="country"), kind))
    assert result.exit_code == 2
    assert "no column 'country', by which the decision chose its rows" in result.stderr


@pytest.mark.parametrize(("kind", "word", "precision"), [("csv", "genuine", 0.0), ("folder", "fraud", 1.0)])
def test_newer_data_of_one_class_are_counted(put, decided, tmp_path, kind, word, precision, monkeypatch):
    if kind == "folder":
        monkeypatch.setattr(loading, "MAX_HELD", 100)
    frame = rated_month(**FEBRUARY).assign(verdict=word.upper())
    result = run("watch", decided, *put(frame, kind), "--json", tmp_path / "found.json")
    assert result.exit_code == 1, result.output
    observed = json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))["observed"]
    thresholds = DecisionRecord.from_json(decided.read_bytes()).threshold_array
    flagged = (frame[["model a", "model b"]].to_numpy() >= thresholds).any(axis=1).sum()
    assert (observed["tp"], observed["alerts"]) == (precision * flagged, flagged)
    assert observed["precision"] == precision


def test_other_words_for_fraud_are_read_as_on_the_screen(put, decided, tmp_path):
    frame = rated_month(**FEBRUARY)
    fraud = (frame["verdict"] == "fraud").to_numpy()
    words = np.where(fraud & (np.arange(len(frame)) % 3 > 0), "Confirmed scam", frame["verdict"])
    found = []
    for name, verdict in (("as it was", frame["verdict"]), ("renamed", words)):
        file = tmp_path / f"{name}.json"
        assert run("watch", decided, *put(frame.assign(verdict=verdict), "csv"), "--json", file).exit_code == 0
        found.append(json.loads(file.read_text(encoding="utf-8"))["observed"])
    assert found[0] == found[1]


def waiting(frame, share):
    """Leave a share of the rows, at random, without a decision."""
    open_ones = np.random.default_rng(9).random(len(frame)) < share
    return frame.assign(verdict=frame["verdict"].mask(open_ones, "Under review"))


def test_undecided_alerts_count_as_alerts_a_day(put, tmp_path):
    given = put(waiting(rated_month(**JANUARY), 0.1), "csv")
    assert run("choose", *given, "--marginal-precision", ".2", "--output", tmp_path / "decided").exit_code == 0
    record, content = chosen(tmp_path / "decided")
    thresholds = DecisionRecord.from_json(record.read_bytes()).threshold_array
    assert content["columns"]["meanings"] == {"fraud": "positive", "genuine": "negative", "under review": "undecided"}
    frame = waiting(rated_month(**FEBRUARY), 0.5)
    result = run("watch", record, *put(frame, "csv"), "--json", tmp_path / "found.json")
    assert result.exit_code == 0, result.output
    found = json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))
    flagged = (frame[["model a", "model b"]].to_numpy() >= thresholds).any(axis=1)
    assert found["scale"] == "a day"
    assert found["observed"]["alerts"] == flagged.sum()
    assert found["observed"]["undecided"] == (flagged & (frame["verdict"] == "Under review")).sum()
    assert found["changes"]["alerts"]["now"]["value"] == pytest.approx(flagged.sum() / 22)
    # Half as many documents a day are fewer alerts, decided or not.
    fewer = frame.iloc[::2]
    result = run("watch", record, *put(fewer, "csv"))
    assert result.exit_code == 1
    assert "fewer alerts" in result.stdout


def test_undecided_alerts_counted_in_place_raise_no_alarm(put, decided, monkeypatch):
    """Compare alerts per rated document, as their number is unknown in a database."""
    monkeypatch.setattr(loading, "MAX_HELD", 100)
    result = run("watch", decided, *put(waiting(rated_month(**FEBRUARY), 0.5), "folder"))
    assert result.exit_code == 0, result.output
    assert "per 1,000 documents rated" in result.stdout


def test_a_decision_by_money(put, tmp_path):
    frame = rated_month(**FEBRUARY).assign(
        amount=np.random.default_rng(4).integers(1, 900, len(rated_month(**FEBRUARY)))
    )
    given = put(rated_month(**JANUARY), "csv")
    run("choose", *given, "--marginal-precision", ".2", "--output", tmp_path / "decided")
    file, content = chosen(tmp_path / "decided")
    content["settings"]["amount"] = "amount"
    file.write_text(json.dumps(content), encoding="utf-8")
    result = run("watch", file, *put(frame, "csv"), "--json", tmp_path / "found.json")
    assert result.exit_code in (0, 1), result.output
    found = json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))
    record = DecisionRecord.from_json(file.read_bytes())
    flags = (frame[["model a", "model b"]].to_numpy() >= record.threshold_array).any(axis=1)
    assert found["observed"]["alerts"] == frame["amount"][flags].sum()


def by_channel(frame):
    """Add a column of channels, some of which newer data hold alone."""
    cells = np.array(["online", " branch", "", "app", "fax"])
    return frame.assign(channel=np.random.default_rng(6).choice(cells, len(frame), p=[0.4, 0.3, 0.1, 0.15, 0.05]))


@pytest.fixture
def decided_by_channel(decided):
    content = json.loads(decided.read_text(encoding="utf-8"))
    own = [(["online"], [0.97, None]), (["branch", "(blank)"], [0.8, 0.9])]
    content["segments"] = {
        "column": "channel",
        "kind": "text",
        "own": [{"values": values, "thresholds": at, "tp": 0.0, "fp": 0.0} for values, at in own],
        "gain": None,
    }
    decided.write_text(json.dumps(content), encoding="utf-8")
    return decided


def flags_by_channel(record, frame):
    """Flag each row by a loop."""
    online, branch = (0.97, np.inf), (0.8, 0.9)
    own = {"online": online, " branch": branch, "": branch}
    common = record.threshold_array.tolist()
    rows = frame[["channel", "model a", "model b"]].itertuples(index=False)
    return np.array([a >= own.get(c, common)[0] or b >= own.get(c, common)[1] for c, a, b in rows])


@pytest.mark.parametrize(("kind", "fetched"), [("csv", None), ("folder", None), ("folder", 100), ("postgresql", 100)])
def test_thresholds_per_segment(put, decided_by_channel, tmp_path, kind, fetched, monkeypatch):
    if fetched is not None:
        monkeypatch.setattr(loading, "MAX_HELD", fetched)
    frame = by_channel(rated_month(**FEBRUARY))
    result = run("watch", decided_by_channel, *put(frame, kind), "--json", tmp_path / "found.json")
    assert result.exit_code in (0, 1), result.output
    found = json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))
    record = DecisionRecord.from_json(decided_by_channel.read_bytes())
    flags = flags_by_channel(record, frame)
    fraud = (frame["verdict"] == "fraud").to_numpy()
    assert (found["observed"]["tp"], found["observed"]["alerts"]) == ((flags & fraud).sum(), flags.sum())
    bounds = found["changes"]["alerts"]["now"]
    assert bounds["low"] < flags.sum() / 22 < bounds["high"]
    note, _ = found["notes"]
    assert note.endswith("'channel' without thresholds of their own use the common thresholds: app, fax.")
    assert note in result.stdout


def test_undecided_alerts_by_segment(put, decided_by_channel, tmp_path):
    frame = waiting(by_channel(rated_month(**FEBRUARY)), 0.3)
    content = json.loads(decided_by_channel.read_text(encoding="utf-8"))
    content["columns"]["meanings"]["under review"] = "undecided"
    decided_by_channel.write_text(json.dumps(content), encoding="utf-8")
    assert run("watch", decided_by_channel, *put(frame, "csv"), "--json", tmp_path / "found.json").exit_code in (0, 1)
    observed = json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))["observed"]
    flags = flags_by_channel(DecisionRecord.from_json(decided_by_channel.read_bytes()), frame)
    assert observed["alerts"] == flags.sum()
    assert observed["undecided"] == (flags & (frame["verdict"] == "Under review")).sum()


class TestWhatCannotBeDone:
    @pytest.fixture
    def fails(self, put, decided, tmp_path):
        def run_and_complain(frame, *more, record=decided, kind="csv"):
            file = tmp_path / "found.json"
            return complaint(run("watch", record, *put(frame, kind), "--json", file, *more), file)

        return run_and_complain

    @pytest.mark.parametrize("kind", ["csv", "folder"])
    def test_data_that_do_not_fit(self, fails, kind):
        frame = rated_month(**FEBRUARY)
        assert "There is no column 'model a'" in fails(frame.drop(columns="model a").assign(c=0.5), kind=kind)
        assert "There is no column 'verdict'" in fails(frame.rename(columns={"verdict": "x"}), kind=kind)
        unknown = frame.assign(verdict=frame["verdict"].replace("genuine", "Case 7"))
        sentence = fails(unknown, kind=kind)
        assert "'case 7'" in sentence
        assert "'verdict'" in sentence
        assert "has no rows in this range" in fails(frame, "--since", "2027-01-01", kind=kind)

    @pytest.mark.parametrize("fetched", [None, 100])
    def test_data_without_the_segment_column(self, fails, decided_by_channel, fetched, monkeypatch):
        if fetched is not None:
            monkeypatch.setattr(loading, "MAX_HELD", fetched)
        sentence = fails(rated_month(**FEBRUARY), record=decided_by_channel, kind="folder")
        assert "no column 'channel', and the decision has thresholds for its values" in sentence

    def test_groups_counted_in_place_by_segment(self, fails, decided_by_channel, monkeypatch):
        monkeypatch.setattr(loading, "MAX_HELD", 100)
        content = json.loads(decided_by_channel.read_text(encoding="utf-8"))
        content["columns"]["group"] = "customer"
        decided_by_channel.write_text(json.dumps(content), encoding="utf-8")
        frame = by_channel(rated_month(**FEBRUARY))
        frame = frame.assign(customer=np.arange(len(frame)) // 3)
        assert "watched on rows that are fetched" in fails(frame, record=decided_by_channel, kind="folder")

    def test_records_that_cannot_be_used(self, fails, tmp_path, decided):
        frame = rated_month(**FEBRUARY)
        other = tmp_path / "record.json"
        assert "record.json' cannot be read or written: No such file" in fails(frame, record=other)
        for content, words in (
            (b"", "is not JSON text"),
            (b"[]", "is not a JSON object"),
            (b"{}", "no decision record"),
        ):
            other.write_bytes(content)
            assert words in fails(frame, record=other)
        other.write_bytes(b" " * 2_000_000)
        assert "is too large" in fails(frame, record=other)
        content = json.loads(decided.read_text(encoding="utf-8"))
        for name in ("tp", "fp", "alerts", "precision"):
            content["expected"][f"{name}_interval"] = None
        other.write_text(json.dumps(content), encoding="utf-8")
        frame.to_csv(tmp_path / "newer.csv", index=False)
        without = run("watch", other, tmp_path / "newer.csv")
        assert without.exit_code == 0
        assert "no intervals for new data" in without.output

    def test_recorded_bounds_stand_for_missing_intervals(self, put, decided, tmp_path):
        content = json.loads(decided.read_text(encoding="utf-8"))
        for name in ("tp", "fp", "alerts", "precision"):
            content["expected"][f"{name}_interval"] = None
        chance = {"tp": [100.0, 900.0], "fp": [50.0, 950.0], "precision": [0.1, 0.9]}
        content["evidence"] = json.loads(
            replace(DecisionRecord.from_json(json.dumps(content)), evidence=RecordedEvidence()).to_json()
        )["evidence"] | {"chance": chance}
        (tmp_path / "record.json").write_text(json.dumps(content), encoding="utf-8")
        found = tmp_path / "found.json"
        watched = run("watch", tmp_path / "record.json", *put(rated_month(**FEBRUARY), "csv"), "--json", found)
        assert watched.exit_code == 0, watched.output
        then = json.loads(found.read_text(encoding="utf-8"))["changes"]["precision"]["then"]
        assert [then["low"], then["high"]] == pytest.approx(chance["precision"])

    def test_a_decision_on_a_table_of_counts(self, fails, tmp_path):
        from multiloss_core.decisions import RecordedColumns

        record = make_record(("model a", "model b"))
        record = replace(record, columns=RecordedColumns(("model a", "model b"), (0.25, 0.25)))
        (tmp_path / "record.json").write_text(record.to_json(), encoding="utf-8")
        assert "rests on a table of counts" in fails(rated_month(**FEBRUARY), record=tmp_path / "record.json")
