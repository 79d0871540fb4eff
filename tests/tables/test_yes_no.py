"""Test cells of yes and no, and lists of words, in Python and in the SQL of databases."""

import sqlite3

import duckdb
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiloss_core.sql_dialects import STANDARD
from multiloss_core.tables.column_values import column_of, words_of
from multiloss_core.tables.rating_column import guess_meanings
from multiloss_core.tables.yes_no import is_yes_no, only_word, raised_words, rule_cells

SPELLINGS = [
    ("True", "False"), ("true", "false"), ("TRUE", "FALSE"), ("t", "f"), ("yes", "no"), ("Y", "N"), ("1", "0"),
    ("1.0", "0.0"), ("HIT", ""), ("x", ""), ("1", ""), ("TRIGGERED", "NOT TRIGGERED"), ("ja", "nein"), ("SÍ", "NO"),
    ("oui", "non"), ("Wahr", "Falsch"), ("fired", "not fired"), ("on", "off"), ("\u2713", ""), (True, False),
    (1, 0), (1.0, np.nan), (True, None), ("Match", "No match"), ("Sim", "Não"),
]  # fmt: skip


@pytest.mark.parametrize(("yes", "no"), SPELLINGS)
def test_cells_of_yes_and_no_are_one_and_zero(yes, no):
    raised = np.random.default_rng(0).random(50) < 0.3
    column = pd.Series([yes if one else no for one in raised])
    values, unusable = rule_cells(column)
    assert is_yes_no(column)
    assert not unusable.any()
    np.testing.assert_array_equal(values == 1, raised)


@pytest.mark.parametrize("cells", [["velocity", "geo"], ["1", "2"], ["fraud", "ok"], [0.5, 1.0], ["no", "nein"], []])
def test_other_columns_are_not_of_yes_and_no(cells):
    assert not is_yes_no(pd.Series(cells))


def test_words_of_yes_and_no_do_not_overlap():
    yes, no = raised_words()
    assert not yes & no


def test_a_column_of_one_word_beside_blanks_has_that_word():
    assert only_word(pd.Series(["breach", None, " breach", ""])) == "breach"
    assert only_word(pd.Series(["breach", "breach"])) is None
    assert only_word(pd.Series(["breach", "geo", None])) is None


@given(st.lists(st.sampled_from([cell for pair in SPELLINGS for cell in pair if isinstance(cell, str)]), min_size=1))
def test_databases_read_words_of_yes_alike(cells):
    expected = (rule_cells(pd.Series(cells, dtype="object"))[0] == 1).tolist()
    condition = STANDARD.is_listed("CAST(cell AS VARCHAR)", raised_words()[0])
    statement = f"SELECT {condition} FROM cells ORDER BY place"
    with duckdb.connect() as duck, sqlite3.connect(":memory:") as lite:
        for database in (duck, lite):
            database.execute("CREATE TABLE cells (place INTEGER, cell VARCHAR)")
            database.executemany("INSERT INTO cells VALUES (?, ?)", list(enumerate(cells)))
            assert [bool(found) for (found,) in database.execute(statement).fetchall()] == expected


def test_booleans_and_numbers_of_a_database_say_yes():
    condition = STANDARD.is_listed("CAST(cell AS VARCHAR)", raised_words()[0])
    with duckdb.connect() as database:
        for kind in ("BOOLEAN", "INTEGER", "BIGINT", "ENUM('1', '0')"):
            values = f"SELECT CAST(CAST(v AS VARCHAR) AS {kind}) AS cell FROM (VALUES (1), (0)) t(v)"
            found = database.execute(f"SELECT {condition} FROM ({values})").fetchall()
            assert found == [(True,), (False,)], kind


LISTS = {
    "line ends": "\n".join, "semicolons": "; ".join, "commas": ", ".join, "bars": "|".join, "slashes": " / ".join,
    "JSON": lambda words: "[" + ",".join(f'"{word}"' for word in words) + "]",
    "Python": lambda words: str(list(words)),
    "PostgreSQL": lambda words: "{" + ",".join(words) + "}",
    "DuckDB": lambda words: "[" + ", ".join(words) + "]",
    "breaks": "<br>".join, "and signs": " & ".join, "plus signs": " + ".join,
}  # fmt: skip
WORDS = ("velocity", "geo", "new device", "R12", "R120")


@pytest.mark.parametrize("form", list(LISTS))
def test_words_of_lists_are_found_in_each_form(form):
    generator = np.random.default_rng(1)
    rows = [generator.choice(WORDS, generator.integers(1, 4), replace=False).tolist() for _ in range(60)]
    frame = pd.DataFrame({"rule": [LISTS[form](row) for row in rows]})
    assert {word for words in words_of(frame["rule"])[1] for word in words} == set(WORDS)
    with duckdb.connect() as duck, sqlite3.connect(":memory:") as lite:
        for database in (duck, lite):
            database.execute("CREATE TABLE cells (place INTEGER, cell VARCHAR)")
            database.executemany("INSERT INTO cells VALUES (?, ?)", list(enumerate(frame["rule"])))
        for word in WORDS:
            expected = [word in row for row in rows]
            assert (column_of(frame, f"rule has {word}") == 1).tolist() == expected
            statement = f"SELECT {STANDARD.has_word('cell', word)} FROM cells ORDER BY place"
            for database in (duck, lite):
                assert [bool(found) for (found,) in database.execute(statement).fetchall()] == expected


def test_names_of_rules_with_signs_stay_whole():
    cells = pd.Series(["Amount > 5,000", "New device, new payee", "Velocity", "Amount > 5,000"])
    assert {word for words in words_of(cells)[1] for word in words} == set(cells)
    frame = cells.to_frame("rule")
    assert column_of(frame, "rule has Amount > 5,000").tolist() == [1.0, 0.0, 0.0, 1.0]
    assert column_of(frame, "rule has New device, new payee").tolist() == [0.0, 1.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("word", "meaning"),
    [
        ("chargeback", "positive"), ("fraud, card blocked", "positive"),
        ("true positive - suspicious activity", "positive"),
        ("false positive: inaccurate data", "negative"), ("benign positive - suspicious but expected", "negative"),
        ("insufficient evidence", "undecided"), ("no response from customer", "undecided"),
        ("chargeback denied", None), ("fraud claim rejected", None), ("dispute declined", None),
        ("rückbelastung zurückgewiesen", None), ("contestação recusada", None), ("litige rejeté", None),
        ("betrugsmeldung abgelehnt", None), ("chargeback withdrawn", None),
    ],
)  # fmt: skip
def test_refused_claims_are_asked_and_codes_decide(word, meaning):
    assert guess_meanings([word], "outcome")[word] == meaning
