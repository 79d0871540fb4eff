"""A PostgreSQL database, reached by SQLAlchemy."""

import re
from collections.abc import Sequence
from functools import partial
from typing import Any

import pyarrow as arrow
import sqlalchemy as sql

from multiloss_core.engines.engine import (
    SECONDS_TO_STOP,
    EngineError,
    Question,
    QuestionedEngine,
    UnavailableError,
    first_sentence,
    nothing,
    require_table,
)
from multiloss_core.errors import DataError
from multiloss_core.sql_dialects import POSTGRESQL, Dialect

# The object identifier of the type.
REAL = 700


class DatabaseEngine(QuestionedEngine):
    """Tables of a PostgreSQL database; every question is a read-only transaction of its own.

    Parameters
    ----------
    engine : a SQLAlchemy engine for psycopg.
    tables : names of the tables that may be asked for, such as `risk.rated_alerts`; they come from the operator of the
        program, never from a user.

    Raises DataError: a database of another kind, which would need a dialect of its own.
    """

    dialect: Dialect = POSTGRESQL

    def __init__(self, engine: sql.Engine, tables: Sequence[str]) -> None:
        if engine.dialect.name != "postgresql":
            raise DataError(f"Databases of the kind '{engine.dialect.name}' cannot be counted in; use PostgreSQL.")
        super().__init__()
        self._engine, self._tables = engine, tuple(tables)

    def tables(self) -> tuple[str, ...]:
        """Name the tables that may be asked for."""
        return self._tables

    def source(self, table: str) -> str:
        """Write the table as it stands after FROM."""
        return POSTGRESQL.table(require_table(table, self._tables).split("."))

    def query(self, statement: str) -> arrow.Table:
        """Answer one SELECT."""
        _require_one_select(statement)
        with self.asked() as question:
            try:
                try:
                    return self._answer(statement, question)
                except sql.exc.DBAPIError as error:
                    if question.is_withdrawn or not error.connection_invalidated:
                        raise
                    # The server went away and came back: connections of before are dead.
                    return self._answer(statement, question)
            except sql.exc.DBAPIError as error:
                raise _in_words(error) from None

    def close(self) -> None:
        """Close all connections."""
        self.cancel()
        self._engine.dispose()

    def _answer(self, statement: str, question: Question) -> arrow.Table:
        with self._engine.connect() as plain:
            # Without parameters, a % in a name or a literal is a %.
            connection = plain.execution_options(no_parameters=True, postgresql_readonly=True)
            # Else a backslash in a literal could end it.
            connection.exec_driver_sql("SET LOCAL TIME ZONE 'UTC'; SET LOCAL standard_conforming_strings = on")
            driver: Any = connection.connection.driver_connection
            question.stop = partial(driver.cancel_safe, timeout=SECONDS_TO_STOP)
            try:
                # In text(), a colon in a name would begin a parameter.
                result = connection.exec_driver_sql(statement)
                names, kinds = list(result.keys()), [column[1] for column in result.cursor.description]
                rows = result.fetchall()
            finally:
                # The connection goes back to others.
                question.stop = nothing
        columns = zip(*rows, strict=True) if rows else ([] for _ in names)
        # The shortest text of a single precision number, as it is sent, stands for another double.
        types = (arrow.float32() if kind == REAL else None for kind in kinds)
        each = zip(names, columns, types, strict=True)
        return arrow.table({name: arrow.array(list(column), type=kind) for name, column, kind in each})


def _require_one_select(statement: str) -> None:
    # The end of a transaction would end its being read-only.
    outside_quotes = re.sub(r"""'[^']*'|"[^"]*\"""", "", statement)
    if not statement.startswith("SELECT ") or ";" in outside_quotes:
        raise DataError("Sources are only read: a question is one SELECT.")


def _in_words(error: sql.exc.DBAPIError) -> EngineError:
    state = getattr(error.orig, "sqlstate", None) or ""
    # Without a state there was no answer but perhaps a refusal; 57 is a server that stops, starts or cancels.
    if state.startswith("57014"):
        return UnavailableError(f"The database cannot answer: {first_sentence(error.orig or error)}")
    if isinstance(error, sql.exc.OperationalError) and (not state or state.startswith(("08", "57P"))):
        # What is before names the host.
        refusal = re.search(r"FATAL:\s+(.+)", str(error.orig))
        reason = "" if refusal is None else f" ({first_sentence(refusal[1])})"
        return UnavailableError(f"The database cannot be reached{reason}; check that it runs, then try again.")
    return EngineError(f"The database cannot answer: {first_sentence(error.orig or error)}")
