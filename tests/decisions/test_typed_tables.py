"""Compare every export with the product's own counts, on tables of random column types."""

import sqlite3
from collections import Counter
from contextlib import closing

import duckdb
import pytest
from sqlalchemy import create_engine

from tests.decisions.typed_tables import (
    RULES,
    SCORES,
    SEGMENTS,
    differences,
    in_duckdb,
    in_postgresql,
    in_sqlite,
    table_of,
)

pytestmark = pytest.mark.slow
TABLES = 100


def compared(databases, seeds=range(TABLES)):
    counts, wrong = Counter(), []
    for seed in seeds:
        found, faults = differences(table_of(seed), databases)
        counts += found
        wrong += faults
    assert not wrong
    # Few tables are refused: for times as segments, or a constant score.
    assert min(counts.values()) > 0.8 * len(seeds)


def test_duckdb_and_python_flag_what_the_product_counts():
    with duckdb.connect() as connection:
        compared({"DuckDB": in_duckdb(connection)})


@pytest.mark.parametrize("text", [False, True])
def test_sqlite_flags_what_the_product_counts(text):
    with closing(sqlite3.connect(":memory:")) as connection:
        compared({"SQLite": in_sqlite(connection, text=text)})


def test_postgresql_flags_what_the_product_counts(postgres_database):
    engine = create_engine(postgres_database, isolation_level="AUTOCOMMIT")
    with closing(engine.raw_connection()) as connection:
        compared({"PostgreSQL": in_postgresql(connection.driver_connection)})
    engine.dispose()


def test_tables_have_all_types():
    tables = [table_of(seed) for seed in range(TABLES)]
    kinds = {column.kind for table in tables for column in table.columns}
    assert kinds >= {
        kind for kind in (*SCORES, *RULES, *SEGMENTS) if kind not in ("large bigint", "listed", "codes", "truths")
    }
