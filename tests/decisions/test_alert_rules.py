"""Test decisions with alert rules against a plain look at each row."""

import sqlite3
from dataclasses import replace

import duckdb
import numpy as np
import pandas as pd
import pyarrow as arrow
import pytest
from sqlalchemy import create_engine

from multiloss_core import DecisionRecord
from multiloss_core.decisions import CurrentThresholds, first_page, python_function, spark_expression, sql_where
from multiloss_core.decisions.record_fields import RecordedAlertRule
from multiloss_core.decisions.reporting.summary import sections
from multiloss_core.decisions.segments import RecordedSegments, SegmentThresholds
from multiloss_core.engines.backends.spark_engine import SparkEngine
from multiloss_core.formatting import NEUTRAL
from tests.decisions.records import make_record
from tests.engines.conftest import write_folder

WHY = 'why "now"'
WORDS = ("R1", "R12", "a 'quoted' \\ word", "100 %_")
NAMES = ("card", "velocity", "hit", "share", "spare", *(f"{WHY} has {word}" for word in WORDS))
RULES = (
    RecordedAlertRule("velocity", "velocity"),
    RecordedAlertRule("hit", "hit", kind="boolean"),
    RecordedAlertRule("share", "share"),
    RecordedAlertRule("spare", "spare"),
    *(RecordedAlertRule(f"{WHY} has {word}", WHY, word, "text") for word in WORDS),
)


def frame_of():
    generator = np.random.default_rng(7)
    separators = ("; ", ";", ",  ", " | ", "\t;\n")
    cells = []
    for _ in range(500):
        chosen = generator.choice([*WORDS, "R120", "other"], generator.integers(0, 4), replace=False)
        cells.append(generator.choice(separators).join(chosen) or None)
    return pd.DataFrame(
        {
            "card": generator.random(500).round(2),
            "velocity": generator.integers(0, 2, 500),
            "hit": generator.random(500) < 0.1,
            "share": generator.choice([0.0, 1.0, np.nan], 500, p=[0.9, 0.05, 0.05]),
            "spare": pd.array(generator.choice([0, 1, None], 500), dtype="Int64"),
            WHY: cells,
        }
    )


def record_of():
    """The first word and the spare rule are off."""
    record = make_record(NAMES, (0.9, 1.0, 1.0, 1.0, None, None, 1.0, 1.0, 1.0))
    columns = replace(
        record.columns, floors=(0.25, *[1.0] * 8), whole_numbers=("velocity",), alert_rules=RULES, scores=NAMES
    )
    return replace(record, columns=columns, current=None, evidence=None)


def by_row(frame):
    found = []
    columns = (frame[name] for name in ("card", "velocity", "hit", "share", WHY))
    for card, velocity, hit, share, cell in zip(*columns, strict=True):
        words = [] if pd.isna(cell) else [part.strip() for part in cell.replace(",", ";").replace("|", ";").split(";")]
        found.append(bool(card >= 0.9 or velocity == 1 or hit or share == 1 or set(words) & set(WORDS[1:])))
    return found


def table_of(frame):
    return arrow.Table.from_pandas(frame.assign(place=np.arange(len(frame))), preserve_index=False)


@pytest.fixture(scope="module")
def frame():
    found = frame_of()
    assert 0.5 < np.mean(by_row(found)) < 0.9
    return found


def test_flags_are_those_of_each_row(frame):
    assert record_of().flags(frame).tolist() == by_row(frame)


def test_record_is_restored_from_json():
    record = record_of()
    assert DecisionRecord.from_json(record.to_json()) == record
    assert record.columns.score_count == 1


def test_report_writes_rules_as_on_or_off():
    record = record_of()
    table = next(section for section in sections(record) if section.key == "thresholds")
    assert [row[1] for row in table.rows] == ["0.9", "on", "on", "on", "off", "off", "on", "on", "on"]
    headline = first_page(record, NEUTRAL).headline
    assert headline.startswith("Flag card from 0.9 or velocity rule or hit rule or")
    assert "spare" not in headline
    current = CurrentThresholds((0.9, None, 1.0, 1.0, 1.0, *record.thresholds[5:]), 1.0, 2.0)
    moved = first_page(replace(record, current=current), NEUTRAL).headline
    for words in ("switch on velocity rule", "5 rules on", "switch off spare rule"):
        assert words in moved


def test_unusual_threshold_of_a_rule_stays_a_number():
    record = replace(record_of(), thresholds=(0.9, 0.0, 0.5, *[None] * 6))
    assert record.columns.threshold_words(record.thresholds)[:4] == ("0.9", "0", "0.5", "off")
    assert "velocity from 0" in first_page(record, NEUTRAL).headline


def test_databases_flag_the_rows_of_the_record(frame):
    where = sql_where(record_of())
    with duckdb.connect() as connection:
        connection.register("documents", table_of(frame))
        found = connection.sql(f"SELECT place FROM documents {where} ORDER BY place").fetchall()
    assert [place for (place,) in found] == np.flatnonzero(by_row(frame)).tolist()
    with sqlite3.connect(":memory:") as lite:
        frame.assign(place=np.arange(len(frame))).to_sql("documents", lite, index=False)
        assert lite.execute(f"SELECT place FROM documents {where} ORDER BY place").fetchall() == found


def test_rules_may_be_text_of_digits(frame):
    """Such text is read from a file as numbers, and blanks of any kind may surround a word."""
    expected = by_row(frame)
    words = {"velocity": ["0", "1"], "share": ["0.0", "1.0 ", "\t"]}
    text = frame.assign(
        velocity=[words["velocity"][value] for value in frame["velocity"]],
        share=[words["share"][2 if np.isnan(value) else int(value)] for value in frame["share"]],
    )
    text[WHY] = [cell and f"\N{NO-BREAK SPACE}{cell}\N{NO-BREAK SPACE}" for cell in frame[WHY].replace({np.nan: None})]
    assert record_of().flags(frame.assign(**{WHY: text[WHY]})).tolist() == expected
    where = sql_where(record_of())
    with duckdb.connect() as connection:
        connection.register("documents", table_of(text))
        found = connection.sql(f"SELECT place FROM documents {where} ORDER BY place").fetchall()
    assert [place for (place,) in found] == np.flatnonzero(expected).tolist()
    space = {}
    exec(compile(python_function(record_of()), "flag.py", "exec"), space)
    rows = text.astype(object).where(text.notna(), None).to_dict("records")
    assert [space["flag"](row) for row in rows] == expected


def test_postgresql_flags_the_rows_of_the_record(frame, postgres_database):
    engine = create_engine(postgres_database)
    try:
        frame.assign(place=np.arange(len(frame))).to_sql("documents", engine, index=False)
        connection = engine.raw_connection()
        cursor = connection.cursor()
        cursor.execute(f"SELECT place FROM documents {sql_where(record_of())} ORDER BY place".encode())
        found = [place for (place,) in cursor.fetchall()]
        connection.close()
    finally:
        engine.dispose()
    assert found == np.flatnonzero(by_row(frame)).tolist()


@pytest.mark.spark
def test_spark_flags_the_rows_of_the_record(frame, spark_cluster):
    engine = SparkEngine(spark_cluster.remote, [])
    try:
        folder = spark_cluster.folder / "alert rules"
        write_folder(folder, table_of(frame))
        found = engine.query(f"SELECT place, {spark_expression(record_of())} AS flagged FROM parquet.`{folder}`")
        assert found.sort_by("place")["flagged"].to_pylist() == by_row(frame)
    finally:
        engine.close()


def test_function_flags_the_rows_of_the_record(frame):
    space = {}
    exec(compile(python_function(record_of()), "flag.py", "exec"), space)
    assert [space["flag"](row) for row in frame.astype(object).where(frame.notna(), None).to_dict("records")] == by_row(
        frame
    )


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA, pd.NaT])
def test_function_reads_missing_cells_and_text_digits(missing):
    own = SegmentThresholds(("7",), (0.1, *record_of().thresholds[1:]), 0.0, 0.0)
    space = {}
    exec(python_function(replace(record_of(), segments=RecordedSegments("code", [own], "number"))), space)
    flag = space["flag"]
    document = dict.fromkeys([*NAMES, WHY, "code"], missing)
    assert not flag(document)
    assert flag(document | {"card": "0.95"})
    assert not flag(document | {"card": "0.5"})
    assert flag(document | {"card": 0.5, "code": "7"})
    assert flag(document | {"velocity": "1"})
    assert not flag(document | {"velocity": "0"})
    assert not flag(document | {"velocity": ""})
