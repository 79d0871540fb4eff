"""Choose thresholds for each value of a column, and watch them on newer data."""

import json
from functools import cache

import duckdb
import numpy as np
import pandas as pd
import pytest

from multiloss_core import DecisionRecord
from multiloss_core.decisions import sql_where
from multiloss_core.engines import loading
from tests.command_line.conftest import chosen, complaint, rated_month, run
from tests.command_line.test_choose import queue_of

PREVALENCES = {"online": 0.01, " branch": 0.001, "": 0.004}
DOCUMENTS = {"online": 150_000, " branch": 75_000, "": 25_000}


@cache
def by_channel(seed=1, online=1.0):
    """Rated documents whose precision at a score differs by channel; `online`: share of these."""
    parts = [
        rated_month(seed=10 * seed + place, prevalence=PREVALENCES[name], documents=number).assign(channel=name)
        for place, (name, number) in enumerate(DOCUMENTS.items())
    ]
    parts[0] = parts[0].sample(frac=online, random_state=seed)
    return pd.concat(parts).sample(frac=1, random_state=seed).reset_index(drop=True)


def at_random(names=("app", "desk", "phone")):
    frame = by_channel()
    return frame.assign(channel=np.random.default_rng(0).choice(names, len(frame)))


def choose(given, out, *more, column="channel"):
    result = run("choose", *given, "--marginal-precision", ".2", "--segment", column, "--output", out, *more)
    assert result.exit_code == 0, result.output
    file = chosen(out)[0]
    return DecisionRecord.from_json(file.read_bytes()), file, result


def count_in_place(monkeypatch):
    monkeypatch.setattr(loading, "MAX_HELD", 200)


@pytest.mark.parametrize(
    ("kind", "is_counted"),
    [
        ("csv", False),
        ("folder", True),
        ("postgresql", True),
    ],
)
def test_own_thresholds_are_recorded_where_they_gain(put, tmp_path, kind, is_counted, monkeypatch):
    if is_counted:
        count_in_place(monkeypatch)
    frame = by_channel()
    given = put(frame, kind)
    record, file, result = choose(given, tmp_path / "out")
    assert ("Counting" in result.stderr) == is_counted
    assert {one.values for one in record.segments.own} == {("online",), ("branch",), ("(blank)",)}
    assert len({one.thresholds for one in record.segments.own}) == 3
    flags, fraud = record.flags(frame), frame["verdict"] == "fraud"
    assert (record.expected.tp, record.expected.fp) == ((flags & fraud).sum(), (flags & ~fraud).sum())
    for one in record.segments.own:
        here = flags & frame["channel"].str.strip().replace("", "(blank)").isin(one.values)
        assert (one.tp, one.fp) == ((here & fraud).sum(), (here & ~fraud).sum())
    interval, gain = record.expected.alerts_interval, record.segments.gain
    assert interval.low < record.expected.alerts < interval.high
    note = next(line for line in result.stdout.splitlines() if line.startswith("Own thresholds"))
    assert note == (
        f"Own thresholds for 3 values of 'channel' gain {gain.estimate:.1f} frauds net of false alerts at this target "
        f"on held-out alerts (95 %: {gain.low:.1f} to {gain.high:.1f})."
    )
    watched = run("watch", file, *given)
    assert watched.exit_code == 0, watched.output
    # Fewer documents of a channel are flagged by the thresholds of that channel.
    newer = by_channel(2, 0.4)
    run("watch", file, *put(newer, kind), "--json", tmp_path / "found.json")
    observed = json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))["observed"]
    flags, fraud = record.flags(newer), newer["verdict"] == "fraud"
    inside = (newer[["model a", "model b"]] >= [*record.columns.floors]).any(axis=1)
    assert (observed["tp"], observed["fp"]) == ((inside & flags & fraud).sum(), (inside & flags & ~fraud).sum())


@pytest.mark.parametrize("is_counted", [False, True])
def test_equal_segments_keep_common_thresholds(put, tmp_path, is_counted, monkeypatch):
    if is_counted:
        count_in_place(monkeypatch)
    given = put(at_random(), "folder")
    record, file, result = choose(given, tmp_path / "out")
    plain, *_ = choose(given, tmp_path / "plain", column="none")
    assert record.segments is None
    assert (record.thresholds, record.expected) == (plain.thresholds, plain.expected)
    note = next(line for line in result.stdout.splitlines() if line.startswith("Own thresholds"))
    assert note.startswith("Own thresholds for 3 values of 'channel' would gain ")
    assert note.endswith("): no clear gain over all targets, so one set of thresholds stays.")
    assert run("watch", file, *given).exit_code == 0


@pytest.mark.parametrize(
    ("kind", "is_counted", "values", "names", "what"),
    [
        ("folder", True, pd.array([7, 8, None], "Float64"), "7 8 (blank)", "number"),
        ("csv", False, pd.array([7.5, 8, None], "Float64"), "7.5 8 (blank)", "number"),
        ("folder", False, np.array([True, False, False]), "True False", "boolean"),
        ("csv", True, np.array([True, False, False]), "True False", "boolean"),
    ],
    ids=["whole", "decimal", "truth", "truth counted"],
)
def test_numbers_and_truths_are_segments(put, tmp_path, kind, is_counted, values, names, what, monkeypatch):
    if is_counted:
        count_in_place(monkeypatch)
    frame = by_channel()
    frame = frame.assign(code=values[pd.Index(DOCUMENTS).get_indexer(frame["channel"])]).drop(columns="channel")
    record, file, _ = choose(put(frame, kind), tmp_path / "out", "--scores", "model a,model b", column="code")
    assert record.segments.kind == what
    assert {one.values for one in record.segments.own} == {(name,) for name in names.split()}
    flags, fraud = record.flags(frame), frame["verdict"] == "fraud"
    assert (record.expected.tp, record.expected.fp) == ((flags & fraud).sum(), (flags & ~fraud).sum())
    assert run("watch", file, *put(frame, kind)).exit_code == 0


@pytest.mark.parametrize("is_counted", [False, True])
def test_alert_rules_are_chosen_for_each_segment(put, tmp_path, is_counted, monkeypatch):
    if is_counted:
        count_in_place(monkeypatch)
    frame = queue_of(1)
    fraud = frame["verdict"] == "fraud"
    # Alerts of a channel with hardly any fraud differ at the same scores.
    generator = np.random.default_rng(0)
    frame["channel"] = np.where(generator.random(len(frame)) < np.where(fraud, 0.9, 0.4), "online", "branch")
    rules = ("--alert-rules", "velocity,country,why has R12")
    record, file, _ = choose(put(frame, "folder"), tmp_path / "out", *rules)
    assert {one.values for one in record.segments.own} == {("online",), ("branch",)}
    assert {value for one in record.segments.own for value in one.thresholds[2:]} <= {1.0, None}
    flags = record.flags(frame)
    assert (record.expected.tp, record.expected.fp) == ((flags & fraud).sum(), (flags & ~fraud).sum())
    assert run("watch", file, *put(frame, "folder")).exit_code == 0


@pytest.mark.parametrize(("kind", "is_counted"), [("csv", False), ("folder", True)])
def test_text_of_numbers_is_watched_in_a_column_of_numbers(put, tmp_path, kind, is_counted, monkeypatch):
    if is_counted:
        count_in_place(monkeypatch)
    codes = {"online": "1.0", " branch": "2.0", "": "x"}
    frame = by_channel().replace({"channel": codes})
    record, file, _ = choose(put(frame, kind), tmp_path / "out")
    assert {one.values for one in record.segments.own} == {("1.0",), ("2.0",), ("x",)}
    newer = by_channel(2, 0.4).query("channel != ''").replace({"channel": codes})
    numbers = newer.assign(channel=newer["channel"].astype(float))
    watched = run("watch", file, *put(numbers, kind), "--json", tmp_path / "found.json")
    assert "common thresholds" not in watched.output
    observed = json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))["observed"]
    flags, fraud = record.flags(newer), newer["verdict"] == "fraud"
    inside = (newer[["model a", "model b"]] >= [*record.columns.floors]).any(axis=1)
    assert (observed["tp"], observed["fp"]) == ((inside & flags & fraud).sum(), (inside & flags & ~fraud).sum())


@pytest.mark.parametrize("is_counted", [False, True])
def test_text_of_digits_is_chosen_as_in_queries(put, tmp_path, is_counted, monkeypatch):
    if is_counted:
        count_in_place(monkeypatch)
    frame = by_channel().replace({"channel": {"online": "5411", " branch": "5812\t", "": "\N{NO-BREAK SPACE}"}})
    given = put(frame, "folder")
    record, file, _ = choose(given, tmp_path / "out")
    assert {one.values for one in record.segments.own} == {("5411",), ("5812",), ("(blank)",)}
    assert run("watch", file, *given).exit_code == 0
    with duckdb.connect() as connection:
        connection.register("documents", frame)
        words = f"SELECT verdict, count(*) FROM documents {sql_where(record)} GROUP BY 1"
        found = dict(connection.sql(words).fetchall())
    assert (found["fraud"], found["genuine"]) == (record.expected.tp, record.expected.fp)


class TestWhatCannotBeDone:
    @pytest.fixture
    def fails(self, put, tmp_path):
        def run_and_complain(frame, *more, column="channel", kind="folder"):
            given = [*put(frame, kind), "--marginal-precision", ".2", "--segment", column, *more]
            return complaint(run("choose", *given, "--output", tmp_path / "out"), tmp_path / "out")

        return run_and_complain

    @pytest.mark.parametrize("is_counted", [False, True])
    def test_columns_that_are_no_segments(self, fails, is_counted, monkeypatch):
        if is_counted:
            count_in_place(monkeypatch)
        frame = by_channel()
        day = np.datetime64("2026-01-31", "us") + np.timedelta64(1, "D") * (np.arange(len(frame)) % 2)
        assert "There is no column 'shop'" in fails(frame, column="shop")
        assert "'month' holds times" in fails(frame.assign(month=day), column="month")
        one = frame.assign(channel="online")
        assert "All rated documents are in segment 'online'" in fails(one, "--scores", "model a,model b")
        many = frame.assign(channel=[f"shop {number % 300}" for number in range(len(frame))])
        assert "different values, more than the limit of 200 segments" in fails(many)

    def test_other_methods_find_no_thresholds_per_value(self, fails):
        assert "'graph' finds no thresholds per value of 'channel'; give --method smooth" in fails(
            by_channel(), "--method", "graph"
        )

    def test_groups_are_not_counted_in_place(self, fails, monkeypatch):
        count_in_place(monkeypatch)
        frame = by_channel().assign(customer=np.arange(len(by_channel())) // 3)
        assert "need rows that are fetched where they come in groups" in fails(frame, "--group", "customer")
