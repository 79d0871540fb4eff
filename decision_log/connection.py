"""Connect to the database of the log; report its errors as sentences without passwords."""

import logging
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import psycopg
from platformdirs import user_data_path
from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from multiloss_core import DataError

ADDRESS = "MULTILOSS_DECISION_LOG"
PROGRAM = "multiloss"
FILE = "decisions.db"
SECONDS_TO_WAIT = 30
SECONDS_TO_CONNECT = 10
SECONDS_BETWEEN_TRIES = 0.05
MAX_CAUSE = 300
# For libpq, unless the address sets them. Dead connections are closed within a minute.
CONNECTION = {
    "connect_timeout": SECONDS_TO_CONNECT,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}
# PostgreSQL ended a statement, or its wait for a lock.
TIMED_OUT = {"57014", "55P03"}

_LOGGER = logging.getLogger(__name__)


def log_address() -> str:
    """Return the address in the environment, else that of a file in the user's data folder.

    Raises DataError: the folder cannot be made.
    """
    address = os.environ.get(ADDRESS, "").strip()
    if address:
        return address
    try:
        folder = user_data_path(PROGRAM, appauthor=False)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(
            f"No folder for the decision log can be made ({error.strerror}); set {ADDRESS} to "
            "sqlite:///decisions.db or postgresql+psycopg://user:password@host/database."
        ) from None
    return URL.create("sqlite", database=str(folder / FILE)).render_as_string()


def make_engine(address: str) -> Engine:
    """Make an engine for `sqlite:///decisions.db` or `postgresql+psycopg://…`.

    Raises DataError: another kind of address, or SQLite without a file.
    """
    url = checked_url(address)
    if url.get_backend_name() == "sqlite":
        engine = create_engine(url, hide_parameters=True, connect_args={"timeout": SECONDS_TO_WAIT})
        file = _File()
        engine.update_execution_options(multiloss_file=file)
        event.listen(engine, "do_connect", _connect_to_file)
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "connect", file.remember)
        event.listen(engine, "begin", _begin_sqlite)
        return engine
    options = {name: value for name, value in CONNECTION.items() if name not in url.query}
    engine = create_engine(url, hide_parameters=True, pool_pre_ping=True, connect_args=options)
    event.listen(engine, "do_connect", lambda _dialect, _record, words, options: _Connection.connect(*words, **options))
    event.listen(engine, "connect", _prepare_postgresql)
    return engine


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """Open a transaction that only reads, all of it from one moment."""
    options = {"isolation_level": "REPEATABLE READ"} if engine.dialect.name == "postgresql" else {}
    _check_file(engine)
    with _error_sentences(engine), engine.connect().execution_options(**options) as connection, connection.begin():
        yield connection


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """Open a transaction that writes; it waits for other writers and rolls back on exceptions."""
    options = {"multiloss_writes": True}
    _check_file(engine)
    with _error_sentences(engine), engine.connect().execution_options(**options) as connection, connection.begin():
        if connection.dialect.name == "postgresql":
            connection.execute(text(f"SET LOCAL lock_timeout = '{SECONDS_TO_WAIT}s'"))
            connection.execute(text("SELECT pg_advisory_xact_lock(hashtext('decision log'))"))
        yield connection
    # The file may have been moved or overwritten during the write; open connections read what they remember.
    _check_file(engine, afresh=True)


def place(url: URL) -> str:
    """Describe where a database is, without user and password."""
    if url.get_backend_name() == "sqlite":
        return str(url.database)
    host = url.host or url.query.get("host") or "localhost"
    return f"{host}{f':{url.port}' if url.port else ''}/{url.database or ''}"


def checked_url(address: str) -> URL:
    """Parse the address of a log. Raises DataError for an invalid one."""
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


class _Connection(psycopg.Connection[Any]):
    """A connection to PostgreSQL with a timeout for servers that hang."""

    def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:
        """Wait for a response longer than the server's own timeout; then close the connection."""
        try:
            return super().wait(gen, interval, SECONDS_TO_WAIT + SECONDS_TO_CONNECT if timeout is None else timeout)
        except psycopg.errors._WaitTimeout:
            self.pgconn.finish()
            raise


class _File:
    """Detect a moved, deleted or overwritten SQLite file, which open connections do not notice."""

    def __init__(self) -> None:
        self._path = ""
        self._identity: tuple[int, int] | None = None
        self._size = 0

    def remember(self, connection: sqlite3.Connection, _: object) -> None:
        """Store the identity of the file at the first connection."""
        if self._identity is None:
            self._path = connection.execute("PRAGMA database_list").fetchone()[2]
            self._identity, self._size = self._found()

    def check(self, *, afresh: bool) -> None:
        """Raise DataError if the file is gone, another one, shorter, or cannot be opened `afresh`."""
        if self._identity is None:
            return
        identity, size = self._found()
        # With a write-ahead log, the file never becomes smaller.
        is_there = identity == self._identity and size >= self._size
        if is_there and afresh:
            try:
                # Not by opening the file: closing it would release the locks of SQLite.
                with closing(sqlite3.connect(self._path, timeout=SECONDS_TO_WAIT)) as found:
                    found.execute("SELECT count(*) FROM sqlite_master").fetchone()
            except sqlite3.Error:
                is_there = False
        if not is_there:
            raise DataError(
                "The file of the decision log was moved, replaced or deleted while the program ran, so what is saved "
                "could be lost; put it back, or start the program again."
            )
        self._size = size

    def _found(self) -> tuple[tuple[int, int] | None, int]:
        try:
            found = os.stat(self._path)
        except OSError:
            return None, 0
        return (found.st_dev, found.st_ino), found.st_size


def _check_file(engine: Engine, *, afresh: bool = False) -> None:
    file: _File | None = engine.get_execution_options().get("multiloss_file")
    if file is not None:
        file.check(afresh=afresh)


def _connect_to_file(_dialect: object, _record: object, words: list[str], options: dict[str, Any]) -> Any:
    """Open a log in a folder where SQLite cannot write its journals; None for other files."""
    file = Path(words[0])
    if os.access(file.parent, os.W_OK) or not file.is_file():
        return None
    journal = file.with_name(f"{file.name}-wal")
    # What another program left in the journal belongs to the log.
    mode = "mode=ro" if journal.exists() and journal.stat().st_size else "mode=ro&immutable=1"
    return sqlite3.connect(f"{file.resolve().as_uri()}?{mode}", **options | {"uri": True})


def _prepare_postgresql(connection: Any, _: object) -> None:
    connection.autocommit = True
    # Times near the first or last year cannot be converted to other zones.
    connection.execute("SET TIME ZONE 'UTC'")
    connection.execute(f"SET statement_timeout = '{SECONDS_TO_WAIT}s'")
    connection.execute(f"SET idle_in_transaction_session_timeout = '{SECONDS_TO_WAIT}s'")
    connection.autocommit = False


def _prepare_sqlite(connection: sqlite3.Connection, _: object) -> None:
    connection.execute("PRAGMA foreign_keys = ON")
    # A write-ahead log, so that several processes read while one writes; the mode is kept in the file.
    deadline = time.monotonic() + SECONDS_TO_WAIT
    while connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            # SQLite does not wait for locks here.
            if code_of(error) != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                break
            time.sleep(SECONDS_BETWEEN_TRIES)
        else:
            break


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get("multiloss_writes", False)
    # A transaction that starts by reading cannot wait for another writer later.
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


@contextmanager
def _error_sentences(engine: Engine) -> Iterator[None]:
    try:
        yield
    except SQLAlchemyError as error:
        raise DataError(_sentence(engine.url, error)) from None
    except DataError:
        raise
    # As of a date whose bits were changed.
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise DataError(
            f"The decision log holds a row that cannot be read ({str(error)[:MAX_CAUSE]}); restore a backup."
        ) from error


def _sentence(url: URL, error: SQLAlchemyError) -> str:
    original: Any = getattr(error, "orig", None) or error
    cause = next(iter(str(original).strip().splitlines()), type(original).__name__)
    if url.password:
        cause = cause.replace(str(url.password), "***")
    # Only the operator may see where the log is.
    _LOGGER.error("The decision log at %s cannot be used: %s", place(url), cause)
    if _timed_out(original):
        return (
            f"The decision log did not answer in time ({cause[:MAX_CAUSE].rstrip('.')}); try again in a minute, and "
            "see in the log whether what you last saved is there."
        )
    if code_of(original) in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR) or getattr(original, "sqlstate", "") == "53100":
        return (
            f"The disk of the decision log is full or broken ({cause[:MAX_CAUSE].rstrip('.')}), so nothing was saved; "
            "free space on it, then try again."
        )
    return (
        f"The decision log cannot be used ({cause[:MAX_CAUSE].rstrip('.')}); check its address, the user's rights and "
        "that the database can be reached."
    )


def code_of(error: object) -> int:
    """Return SQLite's code of an error; 0 for what Python's module raises itself."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _timed_out(error: object) -> bool:
    if isinstance(error, sqlite3.Error):
        return code_of(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
    is_silent = isinstance(error, psycopg.errors.ConnectionTimeout | psycopg.errors._WaitTimeout)
    return is_silent or getattr(error, "sqlstate", None) in TIMED_OUT
