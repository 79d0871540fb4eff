"""Test decisions with thresholds per segment against a plain count of each row."""

import csv
import io
import json
import re
import sqlite3
from dataclasses import replace

import duckdb
import numpy as np
import pandas as pd
import pyarrow as arrow
import pytest
from jinja2 import Environment
from sqlalchemy import create_engine

from multiloss_core import DataError, DecisionRecord
from multiloss_core.decisions import (
    RecordedGain,
    RecordedSegments,
    SegmentThresholds,
    dbt_model,
    markdown_summary,
    python_function,
    segment_kind,
    spark_expression,
    sql_where,
    thresholds_csv,
    thresholds_json,
)
from multiloss_core.engines.backends.spark_engine import SparkEngine
from multiloss_core.thresholds import read_thresholds
from tests.decisions.records import HOSTILE_NAMES, make_record
from tests.engines.conftest import write_folder

NAMES = ("card", "minus trust")
COMMON = (0.5, -0.25)
HOSTILE = (*(name.strip() for name in HOSTILE_NAMES), "'", "''", "\\", "\\'", "a\\nb", "{{ 7 * 7 }}", "{% raw %}", "%")
COLUMN = 'chan"nel {{ `\\'


def record_of(own, *, rule="any", column=COLUMN, kind="text", names=NAMES, **changes):
    segments = RecordedSegments(
        column, [SegmentThresholds(values, at, 10.0, 20.0) for values, at in own], kind, **changes
    )
    return replace(make_record(names, COMMON[: len(names)], rule=rule), current=None, segments=segments)


def own_of(values, seed=1):
    """Give each pair of values thresholds of their own, some of them never."""
    draws = np.random.default_rng(seed).random((len(values), 2))
    pairs = [values[place : place + 2] for place in range(0, len(values), 2)]
    return [(pair, (None if a < 0.1 else a, -b)) for pair, (a, b) in zip(pairs, draws.tolist(), strict=False)]


def frame_of(cells, seed=2):
    generator = np.random.default_rng(seed)
    scores = generator.random((len(cells), 2)).round(1)
    scores[generator.random(scores.shape) < 0.05] = np.nan
    return pd.DataFrame({"card": scores[:, 0], "trust": scores[:, 1], COLUMN: cells})


def by_row(record, frame, words):
    """Flag each row without the library; `words` are its segments."""
    own = {value: one.thresholds for one in record.segments.own for value in one.values}
    found = []
    for card, trust, word in zip(frame["card"], frame["trust"], words, strict=True):
        first, second = own.get(word, record.thresholds)
        reached = [first is not None and card >= first, second is not None and trust <= -second]
        found.append(any(reached) if record.settings.rule == "any" else all(reached))
    return [bool(flag) for flag in found]


def text_case(rule):
    listed = [*HOSTILE, "ünïcode", "(blank)"]
    others = ["online", "Online", "'; --"]
    words = np.random.default_rng(3).choice([*listed, *others], 600).tolist()
    blanks = [None, "", "  ", "(blank)", "\t", "\N{NO-BREAK SPACE} \r\n"]
    around = ["", " ", "\t", "\N{NO-BREAK SPACE}", "\r\n"]
    cells = [
        blanks[place % len(blanks)] if word == "(blank)" else f"{around[place % 5]}{word}{around[place % 3]}"
        for place, word in enumerate(words)
    ]
    return record_of(own_of(listed), rule=rule), frame_of(cells), words


def number_case(rule):
    values = [1.0, 2.0, 2.5, -3.0, 0.0, 4e15, np.nan, 7.0]
    cells = np.random.default_rng(3).choice(values, 400)
    words = ["(blank)" if np.isnan(x) else f"{x:.0f}" if x % 1 == 0 else str(x) for x in cells]
    listed = ["1", "2.0", "2.50", "-3", "(blank)", "4000000000000000.0"]
    record = record_of(own_of(listed), rule=rule, kind="number")
    plain = {"2.0": "2", "2.50": "2.5", "4000000000000000.0": "4000000000000000"}
    own = [(tuple(plain.get(value, value) for value in values), at) for values, at in own_of(listed)]
    assert by_row(record_of(own, rule=rule), frame_of(cells), words) == record.flags(frame_of(cells)).tolist()
    return record_of(own, rule=rule, kind="number"), frame_of(cells), words


def digits_case(rule):
    """Text of digits, which is read from a file as numbers."""
    words = np.random.default_rng(3).choice(["5411", "5812", "7", "-3", "2.5", "(blank)"], 400).tolist()
    forms = [lambda word: word, lambda word: f" {word}\t", lambda word: f"{word}0" if "." in word else f"{word}.0"]
    blanks = [None, "", "\t", "nan", "-Infinity"]
    cells = [blanks[place % 5] if word == "(blank)" else forms[place % 3](word) for place, word in enumerate(words)]
    frame = frame_of(cells)
    frame.attrs["kind"] = "text"
    return (
        record_of(own_of(["5411", "7.0", "2.5", "(blank)", "-3"]), rule=rule, kind="number"),
        frame,
        ["7.0" if word == "7" else word for word in words],
    )


def truth_case(rule):
    cells = pd.Series(np.random.default_rng(3).choice(3, 300)).map({0: False, 1: True, 2: None})
    words = ["(blank)" if cell is None else str(cell) for cell in cells]
    own = [(("True",), (0.2, -0.9)), (("(blank)",), (None, -0.1))]
    return record_of(own, rule=rule, kind="boolean"), frame_of(cells), words


CASES = [text_case, number_case, digits_case, truth_case]


@pytest.fixture(params=["any", "all"])
def rule(request):
    return request.param


@pytest.fixture(params=CASES)
def case(request, rule):
    record, frame, words = request.param(rule)
    expected = by_row(record, frame, words)
    assert 0.1 < np.mean(expected) < 0.99 or rule == "all"
    return record, frame, expected


def typed(record, frame):
    """The table as an engine holds it."""
    kind = kind_of(record, frame)
    kinds = {"text": arrow.string(), "number": arrow.float64(), "boolean": arrow.bool_()}
    # A column of numbers may hold NULL and NaN.
    cells = [
        None if pd.isna(cell) and (place % 2 or kind != "number") else cell for place, cell in enumerate(frame[COLUMN])
    ]
    columns = {name: arrow.array(frame[name].tolist(), arrow.float64()) for name in ("card", "trust")}
    columns[COLUMN] = arrow.array(cells, kinds[kind])
    return arrow.table({"place": np.arange(len(frame))} | columns)


def kind_of(record, frame):
    """Return the kind of the column in the engine."""
    return frame.attrs.get("kind", record.segments.kind)


def places(flags):
    return np.flatnonzero(flags).tolist()


def test_flags_are_those_of_each_row(case):
    record, frame, expected = case
    assert record.flags(frame).tolist() == expected
    assert record.actions(frame).tolist() == ["review" if flag else "pass" for flag in expected]
    assert segment_kind(frame[COLUMN]) == kind_of(record, frame)


def test_duckdb_flags_the_rows_of_the_record(case):
    record, frame, expected = case
    with duckdb.connect() as connection:
        connection.register("documents", typed(record, frame))
        where = sql_where(record)
        found = connection.sql(f"SELECT place FROM documents {where} ORDER BY place").fetchall()
        assert [place for (place,) in found] == places(expected)
        negated = where.replace("WHERE", "WHERE NOT", 1)
        found = connection.sql(f"SELECT place FROM documents {negated} AND place >= 0 ORDER BY place").fetchall()
        assert [place for (place,) in found] == places(np.logical_not(expected))
        model = Environment().from_string(dbt_model(record)).render(ref='"{}"'.format)
        assert connection.sql(model).to_arrow_table()["flagged"].to_pylist() == expected


def test_sqlite_flags_the_rows_of_the_record(case):
    record, frame, expected = case
    with sqlite3.connect(":memory:") as lite:
        frame.assign(place=np.arange(len(frame))).to_sql("documents", lite, index=False)
        for condition, flags in (("WHERE", expected), ("WHERE NOT", np.logical_not(expected))):
            where = sql_where(record).replace("WHERE", condition, 1)
            found = lite.execute(f"SELECT place FROM documents {where} AND place >= 0 ORDER BY place").fetchall()
            assert [place for (place,) in found] == places(flags)


def test_postgresql_flags_the_rows_of_the_record(case, postgres_database):
    record, frame, expected = case
    kind = {"text": "text", "number": "double precision", "boolean": "boolean"}[kind_of(record, frame)]
    name = '"' + COLUMN.replace('"', '""') + '"'
    engine = create_engine(postgres_database)
    try:
        connection = engine.raw_connection()
        cursor = connection.cursor()
        cursor.execute(
            f"CREATE TABLE documents (place integer, card double precision, trust double precision, {name} {kind})"
        )
        rows = [tuple(row.values()) for row in typed(record, frame).to_pylist()]
        cursor.executemany("INSERT INTO documents VALUES (%s, %s, %s, %s)", rows)
        cursor.execute(f"SELECT place FROM documents {sql_where(record)} ORDER BY place".encode())
        found = [place for (place,) in cursor.fetchall()]
        connection.close()
    finally:
        engine.dispose()
    assert found == places(expected)


@pytest.mark.spark
def test_spark_flags_the_rows_of_the_record(spark_cluster):
    engine = SparkEngine(spark_cluster.remote, [])
    try:
        for make in CASES:
            record, frame, words = make("any")
            folder = spark_cluster.folder / f"segments {make.__name__}"
            write_folder(folder, typed(record, frame))
            found = engine.query(f"SELECT place, {spark_expression(record)} AS flagged FROM parquet.`{folder}`")
            assert found.sort_by("place")["flagged"].to_pylist() == by_row(record, frame, words)
    finally:
        engine.close()


def test_function_flags_the_rows_of_the_record(case):
    record, frame, expected = case
    source = python_function(record)
    assert source.isascii()
    space = {}
    exec(compile(source, "flag.py", "exec"), space)
    assert [space["flag"](row) for row in frame.to_dict("records")] == expected
    assert [space["flag"](row) for row in typed(record, frame).to_pylist()] == expected


def test_files_hold_the_thresholds_of_each_segment():
    record = record_of([(("=1+1", "b"), (0.75, None)), (("c",), (0.25, -0.125))])
    content = json.loads(thresholds_json(record))
    assert content["thresholds"] == {"card": 0.5, "trust": 0.25}
    assert content["segments"] == {
        "column": COLUMN,
        "own": [
            {"values": ["=1+1", "b"], "thresholds": {"card": 0.75, "trust": None}},
            {"values": ["c"], "thresholds": {"card": 0.25, "trust": 0.125}},
        ],
    }
    rows = list(csv.DictReader(io.StringIO(thresholds_csv(record), newline="")))
    assert [(row["segment"], row["classifier"], float(row["threshold"])) for row in rows] == [
        ("", "card", 0.5),
        ("", "trust", 0.25),
        ("'=1+1", "card", 0.75),
        ("'=1+1", "trust", -np.inf),
        ("b", "card", 0.75),
        ("b", "trust", -np.inf),
        ("c", "card", 0.25),
        ("c", "trust", 0.125),
    ]
    for text in (thresholds_json(record), thresholds_csv(record), record.to_json()):
        with pytest.raises(DataError, match="holds thresholds per segment"):
            read_thresholds(text.encode(), "thresholds", NAMES, "any")
    assert "segment" not in thresholds_csv(replace(record, segments=None))
    assert "segment" not in thresholds_json(replace(record, segments=None))


def test_markdown_table_keeps_its_columns():
    record, _, _ = text_case("any")
    for block in markdown_summary(record).split("\n\n"):
        rows = [re.sub(r"\\.", "", line) for line in block.splitlines() if line.startswith("|")]
        assert len({row.count("|") for row in rows}) <= 1


def test_record_reads_back_with_and_without_segments():
    record = record_of([(("a",), (0.75, -0.5)), (("b",), (None, None))], gain=RecordedGain(-1.0, -4.5, 2.0))
    content = json.loads(record.to_json())
    assert content["segments"]["own"][0]["thresholds"] == [0.75, 0.5]
    assert DecisionRecord.from_json(record.to_json()) == record
    assert "segments" not in json.loads(make_record().to_json())
    del content["segments"]["own"][0]["tp"]
    with pytest.raises(DataError, match=r"segments.own\[1\].tp"):
        DecisionRecord.from_json(json.dumps(content))


@pytest.mark.parametrize(
    ("own", "changes", "words"),
    [
        ([(("a", "b"), COMMON), (("b",), COMMON)], {}, "distinct, and 'b'"),
        ([([f"{i}" for i in range(j, j + 101)], COMMON) for j in (0, 200)], {}, "at most 200 values"),
        ([(("1", "1.0"), COMMON)], {"kind": "number"}, "distinct, and '1'"),
        ([(("one",), COMMON)], {"kind": "number"}, "number column .* 'one'"),
        ([(("yes",), COMMON)], {"kind": "boolean"}, "boolean column .* 'yes'"),
        ([(("a",), (0.5,))], {}, "segments.own.thresholds should be a list of 2"),
        ([((), COMMON)], {}, "values"),
        ([], {}, "own"),
        ([((f"{i}",), COMMON) for i in range(51)], {}, "own"),
        ([((f"{i}",), COMMON) for i in range(40)], {}, "sum of segments.own.tp .* at most expected.tp"),
    ],
)
def test_segments_that_contradict_each_other(own, changes, words):
    with pytest.raises(DataError, match=words):
        record_of(own, **changes)


def test_gain_outside_its_bounds_is_refused():
    with pytest.raises(DataError, match="estimate should be from low to high"):
        RecordedGain(3.0, 1.0, 2.0)


def test_two_cuts_and_segments_are_refused():
    from tests.decisions.test_two_cuts import with_block

    record = record_of([(("a",), COMMON)])
    with pytest.raises(DataError, match="block and segments should not both be given"):
        with_block(record, (0.9, 0.0))


def test_table_without_the_segment_column_is_refused():
    record, frame, _ = text_case("any")
    with pytest.raises(DataError, match=r"no column 'chan.*choose a table with this column once"):
        record.flags(frame.drop(columns=COLUMN))
    twice = pd.concat([frame, frame[[COLUMN]]], axis=1)
    with pytest.raises(DataError, match="2 columns 'chan"):
        record.flags(twice)


def test_many_values_use_the_common_thresholds():
    record = record_of([(("7",), (0.9, -0.1))], column="merchant", kind="number")
    frame = frame_of(np.arange(1_000)).rename(columns={COLUMN: "merchant"})
    expected = by_row(record, frame, map(str, range(1_000)))
    assert record.flags(frame).tolist() == expected
    assert record.flags(frame.assign(merchant=frame["merchant"].map("{}.0".format))).tolist() == expected
    assert record.flags(frame.assign(merchant=frame["merchant"].astype("category"))).tolist() == expected


@pytest.mark.parametrize("kind", ["SMALLINT", "BIGINT", "DECIMAL(10, 2)", "REAL", "DOUBLE", "VARCHAR"])
def test_numbers_of_any_type_are_compared(kind):
    record = record_of([(("5411", "2.5", "(blank)"), (0.1, None))], kind="number", column="code")
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE documents (card DOUBLE, trust DOUBLE, code {kind})")
        connection.execute("INSERT INTO documents SELECT 0.3, 1, * FROM (VALUES (5411), (5412), (3), (NULL))")
        found = connection.sql(f"SELECT code FROM documents {sql_where(record)} ORDER BY code").fetchall()
    assert [cell and float(cell) for (cell,) in found] == [5411.0, None]


def test_long_numbers_keep_their_digits():
    numbers = [12345678901234567, 12345678901234568]
    record = record_of([((f"{numbers[0]}",), (0.1, None))], kind="number", column="code")
    frame = pd.DataFrame({"card": 0.3, "trust": 1.0, "code": numbers})
    assert record.flags(frame).tolist() == [True, False]
    with duckdb.connect() as connection:
        connection.register("documents", frame)
        assert connection.sql(f"SELECT code FROM documents {sql_where(record)}").fetchall() == [(numbers[0],)]


def test_text_of_numbers_matches_a_column_of_numbers():
    record = record_of([(("1.0", "x"), (0.1, None)), (("2.0",), (0.2, None))])
    frame = frame_of(np.random.default_rng(5).integers(1, 4, 200))
    expected = by_row(record, frame, [f"{cell}.0" for cell in frame[COLUMN]])
    assert record.flags(frame).tolist() == expected
    assert record.segments.unlisted(record.segments.names(frame)) == ("3",)
    ambiguous = record_of([(("1.0", "1"), (0.1, None))])
    assert set(ambiguous.segments.names(frame)) == {"1", "2", "3"}
