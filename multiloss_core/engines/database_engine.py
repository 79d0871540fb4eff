"""A PostgreSQL database, reached by SQLAlchemy."""

import threading
from collections.abc import Sequence
from typing import Any

import pyarrow as arrow
import sqlalchemy as sql

from multiloss_core.engines.dialects import POSTGRESQL, Dialect
from multiloss_core.engines.engine import Cancelled, EngineError, first_sentence, require_table
from multiloss_core.errors import DataError


class DatabaseEngine:
    """Tables of a PostgreSQL database; every question is a read-only transaction of its own.

    Parameters
    ----------
    engine : a SQLAlchemy engine for psycopg.
    tables : names of the tables that may be asked for, such as `risk.rated_alerts`; they come from whoever runs the
        program, never from a visitor.

    Raises
    ------
    DataError : a database of another kind, which would need a dialect of its own.
    """

    def __init__(self, engine: sql.Engine, tables: Sequence[str]) -> None:
        if engine.dialect.name != "postgresql":
            raise DataError(f"Databases of the kind '{engine.dialect.name}' cannot be counted in; use PostgreSQL.")
        self._engine, self._tables = engine, tuple(tables)
        self._lock = threading.Lock()
        self._running: Any = None
        self._cancelled = threading.Event()

    @property
    def dialect(self) -> Dialect:
        """How its SQL is written."""
        return POSTGRESQL

    def tables(self) -> tuple[str, ...]:
        """Name the tables that may be asked for."""
        return self._tables

    def source(self, table: str) -> str:
        """Write the table as it stands after FROM."""
        return POSTGRESQL.table(require_table(table, self._tables).split("."))

    def version(self, table: str) -> str | None:
        """Nothing: a table of PostgreSQL tells no version of its rows."""
        return None

    def query(self, statement: str) -> arrow.Table:
        """Answer one SELECT."""
        with self._lock:
            self._cancelled.clear()
            try:
                return self._answer(statement)
            except sql.exc.DBAPIError as error:
                # The server went away and came back: connections of before are dead.
                if error.connection_invalidated and not self._cancelled.is_set():
                    try:
                        return self._answer(statement)
                    except sql.exc.DBAPIError as again:
                        error = again
                if self._cancelled.is_set():
                    raise Cancelled from None
                raise self._told(error) from None

    def progress(self) -> float | None:
        """Nothing: PostgreSQL does not tell."""
        return None

    def cancel(self) -> None:
        """Withdraw the question that is being answered."""
        self._cancelled.set()
        running = self._running
        if running is not None:
            running.cancel_safe()

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    def _answer(self, statement: str) -> arrow.Table:
        with self._engine.connect() as connection:
            # Without parameters, a % in a name or a literal is a %.
            connection = connection.execution_options(no_parameters=True, postgresql_readonly=True)
            connection.exec_driver_sql("SET LOCAL TIME ZONE 'UTC'")
            self._running = connection.connection.driver_connection
            try:
                # Not as text(): there, a colon in a name would begin a parameter.
                result = connection.exec_driver_sql(statement)
                names, rows = list(result.keys()), result.fetchall()
            finally:
                self._running = None
        columns = zip(*rows, strict=True) if rows else ([] for _ in names)
        return arrow.table({name: arrow.array(list(column)) for name, column in zip(names, columns, strict=True)})

    def _told(self, error: sql.exc.DBAPIError) -> EngineError:
        if isinstance(error, sql.exc.OperationalError):
            return EngineError("The database cannot be reached; check that it runs, then try again.")
        return EngineError(f"The database cannot answer: {first_sentence(error.orig or error)}")
