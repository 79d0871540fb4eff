"""A Spark cluster, reached by Spark Connect: this program needs no Java."""

import sys
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING

import pyarrow as arrow

from multiloss_core.engines.engine import EngineError, Question, QuestionedEngine, UnavailableError, require_table
from multiloss_core.errors import DataError
from multiloss_core.sql_dialects import SPARK, Dialect

if TYPE_CHECKING:
    from multiloss_core.engines.backends.spark_session import Session

# Imports happen in the first caller's thread; their settings belong to all threads.
_IMPORTING = threading.Lock()


class SparkEngine(QuestionedEngine):
    """Query tables of a Spark cluster by the thin client `multiloss-core[spark]`.

    Parameters
    ----------
    remote : address of a Spark Connect server, `sc://host:port/;token=…`; it is never shown.
    tables : names of the tables that may be asked for, such as `main.risk.rated_alerts`, or folders of Parquet that the
        cluster reads, as `parquet.`path``. They come from the operator, never from a user.
    """

    dialect: Dialect = SPARK

    def __init__(self, remote: str, tables: Sequence[str]) -> None:
        super().__init__()
        self._remote, self._tables = remote, tuple(tables)
        self._session: Session | None = None

    def tables(self) -> tuple[str, ...]:
        """Name the tables that may be asked for."""
        return self._tables

    def source(self, table: str) -> str:
        """Write the table as it stands after FROM."""
        require_table(table, self._tables)
        folder = _folder(table)
        return SPARK.table(table.split(".")) if folder is None else f"parquet.{SPARK.name(folder)}"

    def version(self, table: str) -> str | None:
        """Return the newest version of a table with a history (Delta Lake); else None."""
        source = self.source(table)
        if _folder(table) is not None:
            return None
        try:
            # Its newest line comes first.
            history = self._ask(f"DESCRIBE HISTORY {source} LIMIT 1")
        except EngineError:
            return None
        known = "version" in history.column_names and history.num_rows
        return str(history["version"][0].as_py()) if known else None

    def query(self, sql: str) -> arrow.Table:
        """Answer one SELECT; the first may take 10 s. A lost session is renewed."""
        # All writing statements of Spark begin with another word.
        if not sql.startswith("SELECT "):
            raise DataError("Sources are only read: a question is one SELECT.")
        return self._ask(sql)

    def progress(self) -> float | None:
        """Return the finished share of the known tasks."""
        session = self._session
        return None if session is None else session.progress

    def close(self) -> None:
        """End the session."""
        self.cancel()
        session, self._session = self._session, None
        if session is not None:
            session.close()

    def _ask(self, sql: str) -> arrow.Table:
        with self.asked() as question:
            library = _spark_session()
            try:
                return self._opened(library, question).answer(sql, question)
            except library.SessionLost:
                # Servers end sessions after an idle hour or a restart.
                return self._opened(library, question).answer(sql, question)

    def _opened(self, library: ModuleType, question: Question) -> "Session":
        session = self._session
        if session is None or not session.is_usable:
            session = self._session = library.Session(self._remote, question)
        return session


def _folder(table: str) -> str | None:
    """Find the path of a table that is a folder of Parquet files."""
    kind, _, path = table.partition(".")
    return path[1:-1] if kind == "parquet" and len(path) > 2 and path[0] == path[-1] == "`" else None


def _spark_session() -> ModuleType:
    with _IMPORTING, _as_a_program(), warnings.catch_warnings():
        # PySpark's pandas code is unused: answers are Arrow tables.
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
        try:
            from multiloss_core.engines.backends import spark_session  # noqa: PLC0415 - PySpark is optional, and slow to import
        except ImportError:
            raise UnavailableError(
                "Tables in a Spark cluster need PySpark's client, which is not installed; install it with: "
                'pip install "multiloss-core[spark]".'
            ) from None
    return spark_session


@contextmanager
def _as_a_program() -> Iterator[None]:
    """Give the main module a file, without which PySpark 4.2.0 ends the process."""
    main = sys.modules["__main__"]
    if hasattr(main, "__file__"):
        yield
        return
    main.__file__ = ""
    try:
        yield
    finally:
        del main.__file__
