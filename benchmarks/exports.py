"""Compare exported SQL and Python with own counts on random tables; print Markdown.

Run: python -m benchmarks.exports [tables]
Each table has 24 rows, 1 to 3 scores, 0 to 2 alert rules and mostly a segment column, of random types and with hostile
names. The decision has thresholds at or beside scores, and own thresholds of some segments. Refused tables, such as of
times as segments, have no comparison. Set MULTILOSS_TEST_POSTGRES to the URL of a PostgreSQL to compare every tenth
table there, too.
"""

import os
import sqlite3
from collections import Counter
from contextlib import ExitStack, closing
from sys import argv

import duckdb
from sqlalchemy import create_engine

from benchmarks.reporting import print_setup, print_table
from tests.decisions.typed_tables import differences, in_duckdb, in_postgresql, in_sqlite, table_of

TABLES, SHARE = 10_000, 10


def main() -> None:
    tables = int(argv[1]) if len(argv) > 1 else TABLES
    print_setup(
        "Exports on typed tables",
        ["duckdb", "psycopg", "pyarrow"],
        f", SQLite {sqlite3.sqlite_version}. {tables:,} tables.",
    )
    counts: Counter[tuple[str, str]] = Counter()
    wrong: list[str] = []
    with ExitStack() as stack:
        databases = {
            "DuckDB": in_duckdb(stack.enter_context(duckdb.connect())),
            "SQLite": in_sqlite(stack.enter_context(closing(sqlite3.connect(":memory:")))),
            "SQLite, text": in_sqlite(stack.enter_context(closing(sqlite3.connect(":memory:"))), text=True),
        }
        some = {}
        if address := os.environ.get("MULTILOSS_TEST_POSTGRES"):
            engine = create_engine(address, isolation_level="AUTOCOMMIT")
            connection = stack.enter_context(closing(engine.raw_connection()))
            some["PostgreSQL"] = in_postgresql(connection.driver_connection)
        for seed in range(tables):
            found, faults = differences(table_of(seed), databases if seed % SHARE else databases | some)
            counts += found
            wrong += faults
    rows = []
    for (export, name), count in sorted(counts.items()):
        rows.append(
            (export, name, f"{count:,}", sum(fault.split(": ")[1].startswith(f"{export}, {name}, ") for fault in wrong))
        )
    print_table("Flags of all rows of a table", ("export", "rows from", "tables compared", "tables that differ"), rows)
    for fault in wrong:
        print(fault)


if __name__ == "__main__":
    main()
