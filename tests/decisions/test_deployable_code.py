import csv
import io
import json
import math
import re
import sqlite3
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sqlalchemy import create_engine

from multiloss_core import flagged, operating_point, simulate_population, smooth_path
from multiloss_core.decisions import (
    ExpectedCounts,
    markdown_summary,
    python_function,
    recorded_thresholds,
    sql_where,
    thresholds_csv,
    thresholds_json,
)
from multiloss_core.decisions.reporting.summary import sections
from tests.decisions.records import HOSTILE_NAMES, make_record, names, records

# SQLite before 3.47 does not read numbers near the ends of the range exactly, whatever their form.
magnitudes = st.floats(1e-250, 1e99)
numbers = (
    st.just(0.0)
    | magnitudes
    | magnitudes.map(lambda x: -x)
    | st.integers(-3, 3).map(float)
    | st.floats(-1, 1).filter(lambda x: abs(x) > 1e-250)
)


@st.composite
def decisions_and_documents(draw):
    """Draw a record and (n, k) scores, some missing and many next to a threshold."""
    scores = draw(st.lists(names, min_size=1, max_size=4, unique_by=str.casefold))
    thresholds = tuple(draw(st.none() | numbers) for _ in scores)
    near = [value for value in thresholds if value is not None]
    near += [
        neighbour for value in near for neighbour in (math.nextafter(value, -math.inf), math.nextafter(value, math.inf))
    ]
    score = st.none() | numbers | (st.sampled_from(near) if near else numbers)
    rows = draw(st.lists(st.tuples(*[score] * len(scores)), min_size=1, max_size=12))
    return make_record(scores, thresholds, rule=draw(st.sampled_from(["any", "all"]))), rows


def expected_flags(record, rows):
    table = np.array([[np.nan if score is None else score for score in row] for row in rows])
    return flagged(table, record.threshold_array, record.settings.rule).tolist()


def function_of(source):
    space = {}
    exec(compile(source, "flag.py", "exec"), space)
    return space["flag"]


def selected_by_sqlite(record, rows, condition=None):
    columns = ", ".join('"' + name.replace('"', '""') + '" REAL' for name in record.columns.scores)
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute(f"CREATE TABLE documents (number INTEGER PRIMARY KEY, {columns})")
        places = ", ".join("?" * (len(record.columns.scores) + 1))
        connection.executemany(f"INSERT INTO documents VALUES ({places})", [(i, *row) for i, row in enumerate(rows)])
        found = connection.execute(f"SELECT number FROM documents {condition or sql_where(record)}").fetchall()
    finally:
        connection.close()
    chosen = {number for (number,) in found}
    return [i in chosen for i in range(len(rows))]


class TestSql:
    @given(decisions_and_documents())
    def test_sqlite_selects_what_the_thresholds_flag(self, case):
        record, rows = case
        assert selected_by_sqlite(record, rows) == expected_flags(record, rows)

    @given(decisions_and_documents())
    def test_its_condition_may_stand_under_not_and_beside_others(self, case):
        record, rows = case
        condition = sql_where(record).removeprefix("WHERE ")
        rest = [not flag for flag in expected_flags(record, rows)]
        assert selected_by_sqlite(record, rows, f"WHERE NOT {condition} AND number >= 0") == rest
        assert selected_by_sqlite(record, rows, f"WHERE number < 0 AND {condition}") == [False] * len(rows)

    @pytest.mark.parametrize("rule", ["any", "all"])
    def test_hostile_names_are_names(self, rule):
        record = make_record(HOSTILE_NAMES, (0.5,) * len(HOSTILE_NAMES), rule=rule)
        rows = [(value,) * len(HOSTILE_NAMES) for value in (0.4, 0.5, None)]
        rows.append((*[0.1] * (len(HOSTILE_NAMES) - 1), 0.6))
        assert selected_by_sqlite(record, rows) == expected_flags(record, rows)

    @pytest.mark.parametrize(("rule", "thresholds"), list(product(["any", "all"], product([0.5, None], repeat=2))))
    def test_never(self, rule, thresholds):
        record = make_record(("a", "b"), thresholds, rule=rule)
        rows = list(product([0.4, 0.6, 1e99, None], repeat=2))
        assert selected_by_sqlite(record, rows) == expected_flags(record, rows)

    # Before 3.47 SQLite reads the shortest decimal forms of these as their neighbours.
    @pytest.mark.parametrize("value", [0.0605759831217078, 9.75924292361783e-09, 32757.1760263786, 1.1009157200292e-10])
    def test_numbers_that_are_read_badly_in_their_shortest_form(self, value):
        record = make_record(("a",), (value,))
        rows = [(value,), (math.nextafter(value, -math.inf),), (math.nextafter(value, math.inf),)]
        assert selected_by_sqlite(record, rows) == [True, False, True]

    @pytest.mark.parametrize("rule", ["any", "all"])
    def test_postgresql_selects_what_the_thresholds_flag(self, postgres_database, rule):
        generator = np.random.default_rng(5)
        thresholds = (*generator.normal(size=len(HOSTILE_NAMES) - 2).tolist(), 1e-300, -123456.7890123456)
        record = make_record([name[:60] for name in HOSTILE_NAMES], thresholds, rule=rule)
        table = np.array(thresholds) + generator.choice(
            [-0.1, 0.0, 0.1], p=[0.1, 0.2, 0.7] if rule == "all" else [0.9, 0.05, 0.05], size=(300, len(thresholds))
        )
        at = generator.random(table.shape) < 0.2
        table = np.where(at, np.nextafter(table, generator.choice([-np.inf, np.inf], size=table.shape)), table)
        unusual = generator.random(table.shape)
        table[unusual < 0.03] = np.nan
        table[(unusual > 0.03) & (unusual < 0.06)] = np.inf
        rows = [[None if np.isnan(score) and i % 2 else score for score in row] for i, row in enumerate(table.tolist())]
        columns = ", ".join('"' + name.replace('"', '""') + '" double precision' for name in record.columns.scores)
        engine = create_engine(postgres_database)
        try:
            connection = engine.raw_connection()
            cursor = connection.cursor()
            cursor.execute(f"CREATE TABLE documents (number integer, {columns})".encode())
            places = ", ".join(["%s"] * (len(thresholds) + 1))
            cursor.executemany(f"INSERT INTO documents VALUES ({places})", [(i, *row) for i, row in enumerate(rows)])
            cursor.execute(f"SELECT number FROM documents {sql_where(record)}".encode())
            chosen = {number for (number,) in cursor.fetchall()}
            connection.close()
        finally:
            engine.dispose()
        expected = expected_flags(record, rows)
        assert [i in chosen for i in range(len(rows))] == expected
        assert 10 < sum(expected) < 290


class TestPython:
    @given(decisions_and_documents())
    def test_the_function_flags_what_the_thresholds_flag(self, case):
        record, rows = case
        flag = function_of(python_function(record))
        documents = [dict(zip(record.columns.scores, row, strict=True)) for row in rows]
        assert [flag(document) for document in documents] == expected_flags(record, rows)

    @given(records())
    def test_source_of_any_record_is_ascii_and_harmless(self, record):
        source = python_function(record)
        assert source.isascii()
        space = {}
        exec(compile(source, "flag.py", "exec"), space)
        own = {name for name in space if not name.startswith("__")}
        assert own == {"Any", "Mapping", "THRESHOLDS", "BLANKS", "flag", "_reached", "_number", "_is_missing"}
        assert dict(zip(record.columns.scores, record.thresholds, strict=True)) == space["THRESHOLDS"]


def is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


class TestFiles:
    @given(records())
    def test_json_holds_the_thresholds_by_name(self, record):
        content = json.loads(thresholds_json(record))
        assert content["thresholds"] == dict(zip(record.columns.scores, record.thresholds, strict=True))
        assert content["rule"] == record.settings.rule
        assert content["source"]["data_and_columns_sha256"] == record.data.fingerprint
        assert content["record_id"] == record.record_id

    @given(records())
    def test_csv_holds_the_thresholds_and_no_formula(self, record):
        assume(not any("\r" in name for name in record.columns.scores))
        rows = list(csv.DictReader(io.StringIO(thresholds_csv(record), newline="")))
        assert [float(row["threshold"]) for row in rows] == record.threshold_array.tolist()
        written, names = (
            [one.replace("'", "") for one in each]
            for each in ((row["classifier"] for row in rows), record.columns.scores)
        )
        assert written == names
        assert {row["rule"] for row in rows} == {record.settings.rule}
        starts = [row["classifier"].lstrip()[:1] for row in rows if not is_number(row["classifier"])]
        assert not any(start in tuple("=+-@\t\r\n") for start in starts if start)


class TestMarkdown:
    @given(records())
    def test_every_table_keeps_its_columns(self, record):
        for block in markdown_summary(record).split("\n\n"):
            rows = [re.sub(r"\\.", "", line) for line in block.splitlines() if line.startswith("|")]
            assert len({row.count("|") for row in rows}) <= 1

    @given(records())
    def test_no_text_becomes_html_or_a_heading(self, record):
        text = markdown_summary(record)
        assert not re.search(r"(?<!\\)(?:\\\\)*<", text)
        headings = [line for line in text.splitlines() if line.startswith("#")]
        assert headings[1:] == [f"## {section.title}" for section in sections(record)]
        assert headings[0].startswith("# Thresholds for ")

    def test_lines_of_the_reason_start_no_block(self):
        text = markdown_summary(make_record(reason="one\n---\n===\n1. two\n# three\n> four\n\n- five"))
        quoted = [line for line in text.splitlines() if line.startswith(">")]
        assert quoted == [
            ">" if not line else f"> {line}"
            for line in ("one", "\\---", "\\===", "1\\. two", "\\# three", "\\> four", "", "\\- five")
        ]


def test_exports_give_recorded_counts_on_same_documents():
    population = simulate_population(np.random.default_rng(8), documents=20_000, classifiers=2, prevalence=0.02)
    documents = population.rated()
    point = operating_point(smooth_path(documents), 0.2)
    record = make_record(
        documents.names,
        recorded_thresholds(documents.round_thresholds(point.thresholds)),
        expected=ExpectedCounts.of(point.tp, point.fp),
    )
    flag = function_of(python_function(record))
    rows = documents.scores.tolist()
    by_python = np.array([flag(dict(zip(documents.names, row, strict=True))) for row in rows])
    by_sql = np.array(selected_by_sqlite(record, rows))
    assert record.expected.alerts > 0
    for flags in (by_python, by_sql, flagged(documents.scores, record.threshold_array, record.settings.rule)):
        assert documents.weights[flags & documents.labels].sum() == record.expected.tp
        assert documents.weights[flags & ~documents.labels].sum() == record.expected.fp
