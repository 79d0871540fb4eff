import csv
import dataclasses
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
    SET_MANUALLY,
    ExpectedCounts,
    RecordedColumns,
    RecordedData,
    RecordedTarget,
    markdown_summary,
    python_function,
    recorded_thresholds,
    sql_comment,
    sql_where,
    thresholds_csv,
    thresholds_json,
)
from multiloss_core.decisions.reporting.summary import sections
from multiloss_core.tables.spreadsheet_csv import without_formula
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
    """A record with any names, and (n, k) scores of which some are missing and many lie next to a threshold."""
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

    def test_infinite_scores_reach_any_threshold(self):
        record = make_record(("a",), (0.5,))
        rows = [(math.inf,), (-math.inf,)]
        assert selected_by_sqlite(record, rows) == [True, False]

    # Before 3.47 SQLite reads the shortest decimal forms of these as their neighbours.
    @pytest.mark.parametrize("value", [0.0605759831217078, 9.75924292361783e-09, 32757.1760263786, 1.1009157200292e-10])
    def test_numbers_that_are_read_badly_in_their_shortest_form(self, value):
        record = make_record(("a",), (value,))
        rows = [(value,), (math.nextafter(value, -math.inf),), (math.nextafter(value, math.inf),)]
        assert selected_by_sqlite(record, rows) == [True, False, True]

    @given(st.floats(allow_nan=False, allow_infinity=False))
    def test_literals_are_the_same_numbers_and_never_decimals(self, value):
        clause = sql_where(make_record(("a",), (value,)))
        literals = re.findall(r"[<>]= (\S+?)(?=[ )])", clause)
        assert [float(literal) for literal in literals] == [value, -value]
        # A whole number is the same in every type; a decimal is not.
        assert all("e" in literal or "." not in literal for literal in literals)

    def test_whole_numbers_need_no_guard_against_nan(self):
        record = make_record(("a", "b"), (815.0, 0.5))
        columns = dataclasses.replace(record.columns, whole_numbers=("a",))
        clause = sql_where(dataclasses.replace(record, columns=columns))
        assert '("a" IS NOT NULL AND "a" >= 815)' in clause
        assert '-"b" <=' in clause
        assert sql_comment(record).startswith(f"-- Decision {record.record_id}, {record.created:%Y-%m-%d}")
        assert "any score" in sql_comment(record)

    def test_the_clause_reads_well(self):
        assert sql_where(make_record(("a", 'b "2"'), (0.5, 3))) == (
            "WHERE (\n"
            '    ("a" IS NOT NULL AND "a" >= 0.5e0 AND -"a" <= -0.5e0)\n'
            '    OR ("b ""2""" IS NOT NULL AND "b ""2""" >= 3 AND -"b ""2""" <= -3)\n'
            ")"
        )

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
        assert set(space) == {"__builtins__", "__doc__", "__annotations__", "Mapping", "THRESHOLDS", "flag", "_reached"}
        assert dict(zip(record.columns.scores, record.thresholds, strict=True)) == space["THRESHOLDS"]

    @pytest.mark.parametrize(("rule", "flags"), [("any", [True, True, False]), ("all", [True, False, False])])
    def test_missing_scores_reach_no_threshold(self, rule, flags):
        flag = function_of(python_function(make_record(("a", "b"), (0.5, 0.5), rule=rule)))
        documents = [{"a": 0.5, "b": np.float64(0.7)}, {"a": 0.5, "b": math.nan}, {}]
        assert [flag(document) for document in documents] == flags
        assert [flag({**document, "other": 1.0}) for document in documents] == flags

    def test_it_answers_with_plain_truth_values(self):
        flag = function_of(python_function(make_record(("a",), (0.5,))))
        assert flag({"a": np.float64(0.7)}) is True
        assert flag({"a": 0}) is False


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
        assert [row["classifier"].removeprefix("'") for row in rows] == [
            name.removeprefix("'") for name in record.columns.scores
        ]
        assert {row["rule"] for row in rows} == {record.settings.rule}
        starts = [row["classifier"].lstrip()[:1] for row in rows if not is_number(row["classifier"])]
        assert not any(start in tuple("=+-@\t\r\n") for start in starts if start)

    @pytest.mark.parametrize(
        "cell", ["=1+1", "+a1", "-a1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "  =1", "＝1", " ＠x"]
    )
    def test_formulas_are_shown_as_text(self, cell):
        assert without_formula(cell) == f"'{cell}"

    @pytest.mark.parametrize("cell", ["", "a", "1 = 1", "'=1", "model-2", "+1", "-1"])
    def test_other_cells_stay_as_they_are(self, cell):
        assert without_formula(cell) == cell


class TestMarkdown:
    def test_it_tells_what_was_decided(self):
        text = markdown_summary(make_record())
        for part in (
            "# Thresholds for alerts.csv",
            "| transaction model | 0.75 | 0.5 | +0.25 | 0.25 |",
            "| account model | 0.5 | 0.5 | 0 | 0.25 |",
            "| Caught (TP) | 300 | 295 | 270 to 320 | 320 | −20 |",
            "| False alerts (FP) | 1,100 | 1,105 | 1,040 to 1,170 | 1,500 | −400 |",
            "| Precision | 21.4 % | 21.0 % | 19.0 % to 23.0 % | 17.6 % | +3.8 points |",
            "4 false alerts for each extra positive caught",
            "Decided by A. Nalyst, 2026-01-31 09:30 UTC.",
            "> Fewer false alerts.\n> The team is small.",
            "recall, the false positive rate and F1 cannot be computed",
            "| Rows read | 5,000 |",
            "ab" * 32,
        ):
            assert part in text

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

    def test_without_intervals_current_thresholds_author_and_reason(self):
        record = make_record(
            ("only",),
            (None,),
            author=" ",
            reason="",
            current=None,
            expected=ExpectedCounts.of(0.0, 0.0),
            target=RecordedTarget(SET_MANUALLY),
            data=RecordedData("T", "0" * 64),
            columns=RecordedColumns(("only",), (0.0,)),
        )
        text = markdown_summary(record)
        for part in (
            "| only | never | 0 |",
            "No rated document would be flagged.",
            "set manually, not optimised",
            "| Precision | undefined |",
            "The author is not given",
            "No reason is given.",
            "table of counts",
        ):
            assert part in text


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
