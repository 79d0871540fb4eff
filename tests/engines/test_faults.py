"""Test faults of DuckDB and PostgreSQL during queries."""

import os
import time
from uuid import uuid4

import pyarrow as arrow
import pytest
from pyarrow import parquet
from sqlalchemy import create_engine, make_url, text

from multiloss_core import DataError
from multiloss_core.engines import Cancelled, EngineError, count_rows
from multiloss_core.engines.backends.database_engine import DatabaseEngine
from multiloss_core.engines.backends.duckdb_engine import DuckDBEngine
from tests.engines.asking import Asking, wait_until
from tests.engines.conftest import write_folder, write_table

TABLE = arrow.table({"score": [0.1, 0.2, 0.3], "rating": [1, 0, 1]})
LONG = {
    "duckdb": "SELECT sum(sqrt(i)) AS found FROM range(1000000000000) a(i)",
    "postgresql": "SELECT sum(sqrt(a + b)) AS found FROM generate_series(1, 1000000) a, generate_series(1, 1000000) b",
}


@pytest.fixture
def folder(tmp_path):
    write_folder(tmp_path / "source" / "alerts", TABLE)
    return tmp_path / "source"


@pytest.fixture
def duckdb_engine(folder):
    engine = DuckDBEngine(folder)
    yield engine
    engine.close()


@pytest.fixture
def database(postgres_database):
    """A second way into the database, as its owner."""
    engine = create_engine(postgres_database, isolation_level="AUTOCOMMIT")
    write_table(engine, "alerts", TABLE)
    yield engine
    engine.dispose()


@pytest.fixture
def postgresql_engine(database, postgres_database):
    engine = DatabaseEngine(create_engine(postgres_database), ["alerts", "nowhere"])
    yield engine
    engine.close()


@pytest.mark.parametrize("kind", ["duckdb", "postgresql"])
def test_a_question_is_withdrawn_from_another_thread(kind, request):
    engine = request.getfixturevalue(f"{kind}_engine")
    assert count_rows(engine, "alerts") == 3
    for begins in (lambda: True, has_begun(kind, engine, request)):
        asking = Asking(engine.query, LONG[kind])
        wait_until(begins, asking)
        start = time.monotonic()
        engine.cancel()
        assert time.monotonic() - start < 2
        with pytest.raises(Cancelled):
            asking.result(2)
        assert count_rows(engine, "alerts") == 3
        assert engine.progress() is None
    engine.cancel()
    assert count_rows(engine, "alerts") == 3


def has_begun(kind, engine, request):
    if kind == "duckdb":
        return lambda: engine.progress() is not None
    database = request.getfixturevalue("database")
    return lambda: active(database) > 0


def active(database):
    sql = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%generate_series%' AND pid <> "
    with database.connect() as connection:
        return connection.execute(text(f"{sql} pg_backend_pid()")).scalar_one()


def test_engine_answers_two_threads_in_turn(duckdb_engine):
    first = Asking(duckdb_engine.query, LONG["duckdb"])
    wait_until(lambda: duckdb_engine.progress() is not None, first)
    second = Asking(count_rows, duckdb_engine, "alerts")
    duckdb_engine.cancel()
    with pytest.raises(Cancelled):
        first.result(2)
    # Only the question that was being answered is withdrawn.
    assert second.result() == 3


def test_engine_renews_connections_cut_between_queries(database, postgresql_engine):
    assert count_rows(postgresql_engine, "alerts") == 3
    with database.connect() as connection:
        cut = connection.execute(
            text(
                "SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        ).scalar_one()
    assert cut > 0
    assert count_rows(postgresql_engine, "alerts") == 3


def test_connection_cut_during_query_is_one_error(database, postgresql_engine):
    asking = Asking(postgresql_engine.query, LONG["postgresql"])
    for _ in range(2):
        # The question is asked once more, as the server may have been restarted, and no third time.
        wait_until(lambda: active(database) > 0, asking)
        with database.connect() as connection:
            connection.execute(
                text(
                    "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity "
                    "WHERE query LIKE '%generate_series%' AND pid <> pg_backend_pid()"
                )
            )
    with pytest.raises(EngineError, match="The database cannot be reached; check that it runs, then try again"):
        asking.result()
    assert count_rows(postgresql_engine, "alerts") == 3


def test_missing_database_error_hides_password():
    engine = DatabaseEngine(create_engine("postgresql+psycopg://me:secret@127.0.0.1:1/nothing"), ["alerts"])
    with pytest.raises(EngineError) as caught:
        count_rows(engine, "alerts")
    assert str(caught.value) == "The database cannot be reached; check that it runs, then try again."
    with pytest.raises(DataError, match="Databases of the kind 'sqlite' cannot be counted in; use PostgreSQL"):
        DatabaseEngine(create_engine("sqlite://"), [])


def test_missing_tables_permissions_and_timeouts_are_errors(database, postgres_database, postgresql_engine):
    with pytest.raises(EngineError, match=r'^The database cannot answer: relation "nowhere" does not exist$'):
        count_rows(postgresql_engine, "nowhere")
    role = f"reader_{uuid4().hex[:8]}"
    with database.connect() as connection:
        connection.execute(text(f"CREATE ROLE {role} LOGIN PASSWORD 'p' IN ROLE pg_monitor"))
    address = make_url(postgres_database).set(username=role, password="p")
    engine = DatabaseEngine(create_engine(address), ["alerts"])
    try:
        with pytest.raises(EngineError, match=r"^The database cannot answer: permission denied for table alerts$"):
            count_rows(engine, "alerts")
        with database.connect() as connection:
            connection.execute(text(f"GRANT SELECT ON alerts TO {role}"))
        assert count_rows(engine, "alerts") == 3
        with database.connect() as connection:
            connection.execute(text(f"ALTER ROLE {role} SET statement_timeout = 50"))
        engine.close()
        with pytest.raises(EngineError, match=r"canceling statement due to statement timeout$"):
            engine.query(LONG["postgresql"])
    finally:
        engine.close()
        with database.connect() as connection:
            connection.execute(text(f"DROP OWNED BY {role}; DROP ROLE {role}"))


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM alerts",
        "COMMIT; DROP TABLE alerts",
        "SELECT 1; COMMIT; DROP TABLE alerts",
        "SELECT ';' AS \"'\"; COMMIT; DROP TABLE alerts",
        "SELECT * INTO other FROM alerts",
        "SELECT pg_read_file('/etc/passwd') FROM pg_catalog.pg_class FOR UPDATE",
    ],
)
def test_a_database_is_only_read(statement, postgresql_engine):
    with pytest.raises(DataError):
        postgresql_engine.query(statement)
    assert count_rows(postgresql_engine, "alerts") == 3
    assert postgresql_engine.query("""SELECT ';' AS "a;'" """).to_pylist() == [{"a;'": ";"}]


def test_backslash_ends_no_literal(database, postgres_database):
    with database.connect() as connection:
        connection.execute(text("ALTER ROLE CURRENT_USER SET standard_conforming_strings = off"))
    engine = DatabaseEngine(create_engine(postgres_database), ["alerts"])
    try:
        word = engine.dialect.word("\\' UNION SELECT 2 --")
        assert engine.query(f"SELECT {word} AS found").to_pylist() == [{"found": "\\' UNION SELECT 2 --"}]
    finally:
        engine.close()
        with database.connect() as connection:
            connection.execute(text("ALTER ROLE CURRENT_USER RESET standard_conforming_strings"))


def test_version_changes_with_replaced_or_deleted_file(folder, duckdb_engine):
    first, second = sorted((folder / "alerts").iterdir())
    before = duckdb_engine.version("alerts")
    assert before == duckdb_engine.version("alerts")
    parquet.write_table(TABLE, first)
    assert count_rows(duckdb_engine, "alerts") == 4
    replaced = duckdb_engine.version("alerts")
    assert replaced != before
    # Of the same size, at another time.
    os.utime(first, ns=(0, 0))
    assert duckdb_engine.version("alerts") != replaced
    source = duckdb_engine.source("alerts")
    second.unlink()
    assert duckdb_engine.version("alerts") not in (before, replaced)
    # Between the choice of the files and the question.
    with pytest.raises(EngineError, match=r"^The source cannot be read: .*part-1\.parquet"):
        duckdb_engine.query(f"SELECT count(*) AS n FROM {source}")
    assert count_rows(duckdb_engine, "alerts") == 3
    first.unlink()
    for ask in (duckdb_engine.source, duckdb_engine.version):
        with pytest.raises(DataError, match="There is no table 'alerts' here"):
            ask("alerts")


def test_damaged_files_are_one_sentence_without_the_path(folder, duckdb_engine):
    damaged = folder / "alerts" / "part-1.parquet"
    for content in (b"", b"PAR1 nothing of the kind PAR1", damaged.read_bytes()[:-20]):
        damaged.write_bytes(content)
        with pytest.raises(EngineError) as caught:
            count_rows(duckdb_engine, "alerts")
        sentence = str(caught.value)
        assert sentence.startswith("The source cannot be read: ")
        assert "part-1.parquet" in sentence
        assert str(folder) not in sentence
        assert "\n" not in sentence
    damaged.unlink()
    assert count_rows(duckdb_engine, "alerts") == 2


def test_a_source_that_is_no_source_is_one_sentence(tmp_path):
    with pytest.raises(EngineError, match="There is no file or folder 'nowhere'"):
        DuckDBEngine(tmp_path / "nowhere")
    (tmp_path / "notes.db").write_text("nothing of the kind")
    with pytest.raises(EngineError, match=r"'notes\.db' cannot be opened as a DuckDB file"):
        DuckDBEngine(tmp_path / "notes.db")


@pytest.mark.parametrize(
    "statement",
    [
        "COPY (SELECT 1) TO '{folder}/stolen.csv'",
        "COPY (SELECT 1) TO '/tmp/stolen.csv'",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM read_blob('{folder}/../outside.parquet')",
        "SELECT * FROM read_parquet('{folder}/../outside.parquet')",
        "SELECT * FROM glob('/etc/*')",
        "SELECT * FROM '/etc/passwd'",
        "SET enable_external_access = true",
        "SET memory_limit = '100GB'",
        "RESET lock_configuration",
        "PRAGMA threads = 1",
        "ATTACH '{folder}/other.db'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "CREATE TABLE other AS SELECT 1",
        "SELECT 1; SELECT 2",
        "SELECT getenv('HOME')",
        "",
    ],
)
def test_only_the_folder_is_read_and_nothing_written(statement, folder, duckdb_engine):
    parquet.write_table(TABLE, folder.parent / "outside.parquet")
    before = sorted(folder.rglob("*"))
    with pytest.raises(DataError):
        duckdb_engine.query(statement.format(folder=folder))
    assert sorted(folder.rglob("*")) == before
    assert count_rows(duckdb_engine, "alerts") == 3
