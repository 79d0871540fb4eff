"""Connections to the database of the log, and its complaints as sentences without passwords."""

import logging
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from multiloss_core import DataError

SECONDS_TO_WAIT = 30
SECONDS_TO_CONNECT = 10
SECONDS_BETWEEN_TRIES = 0.05
MAX_CAUSE = 300

_LOGGER = logging.getLogger(__name__)


def make_engine(address: str) -> Engine:
    """Make an engine for an SQLite file (`sqlite:///decisions.db`) or PostgreSQL (`postgresql+psycopg://…`).

    Raises
    ------
    DataError : another kind of address, or SQLite without a file.
    """
    url = checked_url(address)
    if url.get_backend_name() == "sqlite":
        engine = create_engine(url, hide_parameters=True, connect_args={"timeout": SECONDS_TO_WAIT})
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
        return engine
    engine = create_engine(
        url, hide_parameters=True, pool_pre_ping=True, connect_args={"connect_timeout": SECONDS_TO_CONNECT}
    )
    event.listen(engine, "connect", _speak_utc)
    return engine


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """Open a transaction that only reads, all of it from one moment."""
    options = {"isolation_level": "REPEATABLE READ"} if engine.dialect.name == "postgresql" else {}
    with _complaints(engine), engine.connect().execution_options(**options) as connection, connection.begin():
        yield connection


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """Open a transaction that writes, committed unless an exception leaves it; writers wait for each other."""
    options = {"multiloss_writes": True}
    with _complaints(engine), engine.connect().execution_options(**options) as connection, connection.begin():
        if connection.dialect.name == "postgresql":
            connection.execute(text(f"SET LOCAL lock_timeout = '{SECONDS_TO_WAIT}s'"))
            connection.execute(text("SELECT pg_advisory_xact_lock(hashtext('decision log'))"))
        yield connection


def place(url: URL) -> str:
    """Tell where a database is, without user and password."""
    if url.get_backend_name() == "sqlite":
        return str(url.database)
    host = url.host or url.query.get("host") or "localhost"
    return f"{host}{f':{url.port}' if url.port else ''}/{url.database or ''}"


def checked_url(address: str) -> URL:
    """Read the address of a log. Raises DataError for what is none."""
    try:
        url = make_url(address)
    except (ArgumentError, ValueError):
        raise DataError(
            "The address of the decision log is not understood; write sqlite:///decisions.db or "
            "postgresql+psycopg://user:password@host/database."
        ) from None
    if url.drivername in ("postgres", "postgresql"):
        url = url.set(drivername="postgresql+psycopg")
    if url.drivername not in ("sqlite", "sqlite+pysqlite", "postgresql+psycopg"):
        raise DataError(
            f"The decision log cannot be kept in '{url.drivername[:40]}'; write sqlite:///decisions.db or "
            "postgresql+psycopg://user:password@host/database."
        )
    if url.get_backend_name() == "sqlite" and (url.database or ":memory:") == ":memory:":
        raise DataError("The decision log needs a file to be kept in; write its path: sqlite:///decisions.db.")
    return url


def _speak_utc(connection: Any, _: object) -> None:
    # A moment near the first or the last year has none in another zone.
    connection.autocommit = True
    connection.execute("SET TIME ZONE 'UTC'")
    connection.autocommit = False


def _prepare_sqlite(connection: sqlite3.Connection, _: object) -> None:
    connection.execute("PRAGMA foreign_keys = ON")
    _use_write_ahead_log(connection)


def _use_write_ahead_log(connection: sqlite3.Connection) -> None:
    """Let several read while one writes: a property of the file, changed while nobody else uses it."""
    deadline = time.monotonic() + SECONDS_TO_WAIT
    while connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            # SQLite refuses at once here instead of waiting.
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                break
            time.sleep(SECONDS_BETWEEN_TRIES)
        else:
            break


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get("multiloss_writes", False)
    # A transaction that reads first and writes later could not wait for another writer.
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


@contextmanager
def _complaints(engine: Engine) -> Iterator[None]:
    try:
        yield
    except SQLAlchemyError as error:
        raise DataError(_sentence(engine.url, error)) from None


def _sentence(url: URL, error: SQLAlchemyError) -> str:
    original: Any = getattr(error, "orig", None) or error
    cause = next(iter(str(original).strip().splitlines()), type(original).__name__)
    if url.password:
        cause = cause.replace(str(url.password), "***")
    # Where it lies is for whoever runs the program, not for everybody who opens a page.
    _LOGGER.error("The decision log at %s cannot be used: %s", place(url), cause)
    return (
        f"The decision log cannot be used ({cause[:MAX_CAUSE].rstrip('.')}); check its address, the user's rights and "
        "that the database can be reached."
    )
