"""A Spark cluster, reached by Spark Connect: this program needs no Java."""

import threading
import uuid
from collections.abc import Sequence
from typing import Any

import pyarrow as arrow

from multiloss_core.engines.dialects import SPARK, Dialect
from multiloss_core.engines.engine import Cancelled, EngineError, first_sentence, require_table


class SparkEngine:
    """Tables of a Spark session.

    Parameters
    ----------
    remote : address of a Spark Connect server, `sc://host:port/;token=…`; it is never shown.
    tables : names of the tables that may be asked for, such as `main.risk.rated_alerts`, or folders of Parquet that the
        cluster reads, as `parquet.`path``. They come from whoever runs the program, never from a visitor.
    """

    def __init__(self, remote: str, tables: Sequence[str]) -> None:
        self._remote, self._tables = remote, tuple(tables)
        self._session: Any = None
        self._lock = threading.Lock()
        self._tag: str | None = None
        self._cancelled = threading.Event()
        self._done: dict[str, float] = {}

    @property
    def dialect(self) -> Dialect:
        """How its SQL is written."""
        return SPARK

    def tables(self) -> tuple[str, ...]:
        """Name the tables that may be asked for."""
        return self._tables

    def source(self, table: str) -> str:
        """Write the table as it stands after FROM."""
        require_table(table, self._tables)
        kind, dot, path = table.partition(".")
        if dot and kind == "parquet" and path.startswith("`") and path.endswith("`"):
            return f"parquet.{SPARK.name(path[1:-1])}"
        return SPARK.table(table.split("."))

    def version(self, table: str) -> str | None:
        """Name the newest version of a table that keeps a history (Delta Lake, Iceberg); None of any other."""
        try:
            newest = self.query(f"SELECT max(version) AS version FROM (DESCRIBE HISTORY {self.source(table)})")
        except EngineError:
            return None
        found = newest["version"][0].as_py()
        return None if found is None else str(found)

    def query(self, sql: str) -> arrow.Table:
        """Answer one SELECT; the first of a session takes 10 s or more. A session that the server forgot is renewed."""
        with self._lock:
            self._cancelled.clear()
            try:
                return self._answer(sql)
            except _lost_session():
                # Servers end sessions that nobody used for an hour, and know none after a restart.
                self._session = None
                return self._answer(sql)

    def progress(self) -> float | None:
        """Say which share of the tasks that are known so far is done."""
        tag = self._tag
        return None if tag is None else self._done.get(tag)

    def cancel(self) -> None:
        """Withdraw the question that is being answered."""
        self._cancelled.set()
        session, tag = self._session, self._tag
        if session is not None and tag is not None:
            session.interruptTag(tag)

    def close(self) -> None:
        """End the session."""
        if self._session is not None:
            self._session.stop()
            self._session = None

    def _answer(self, sql: str) -> arrow.Table:
        from pyspark.errors import PySparkException

        tag = f"multiloss-{uuid.uuid4().hex}"
        try:
            session = self._opened()
            session.addTag(tag)
            self._tag = tag
            return session.sql(sql).toArrow()
        except _lost_session():
            raise
        except PySparkException as error:
            if self._cancelled.is_set():
                raise Cancelled from None
            raise EngineError(f"The cluster cannot answer: {_without(error, self._remote)}") from None
        except Exception as error:
            if self._cancelled.is_set():
                raise Cancelled from None
            if not type(error).__module__.startswith("grpc"):
                raise
            raise EngineError(
                "The cluster cannot be reached; check that its Spark Connect server runs, then try again."
            ) from None
        finally:
            self._tag = None
            self._done.pop(tag, None)
            if self._session is not None:
                self._session.removeTag(tag)

    def _opened(self) -> Any:
        if self._session is None:
            from pyspark.sql import SparkSession

            # One of its own: tags and settings of a shared session would be everybody's.
            session = SparkSession.builder.remote(self._remote).create()
            session.conf.set("spark.sql.session.timeZone", "UTC")
            session.registerProgressHandler(self._heard)
            self._session = session
        return self._session

    def _heard(self, stages: Any = (), **_: Any) -> None:
        tag, tasks = self._tag, sum(stage.num_tasks for stage in stages or ())
        if tag is not None and tasks:
            self._done[tag] = sum(stage.num_completed_tasks for stage in stages) / tasks


def _lost_session() -> type[Exception]:
    from pyspark.errors import PySparkException

    class Lost(PySparkException):
        pass

    return Lost


def _without(error: BaseException, remote: str) -> str:
    return first_sentence(error).replace(remote, "the server")
