"""Opens what the command was pointed at: a folder or file, a database or a Spark cluster."""

import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from pyarrow import ArrowException, parquet

from multiloss_core.engines import loading
from multiloss_core.engines.backends.duckdb_engine import DuckDBEngine
from multiloss_core.engines.engine import Engine
from multiloss_core.errors import DataError
from multiloss_core.tables import LARGEST_FILE

FILE_KINDS = (".csv", ".txt", ".tsv", ".xlsx", ".parquet", ".pq")

_ADDRESS = re.compile(r"([a-z][a-z0-9+]*)://", re.IGNORECASE)
_SPARK_HOST = re.compile(r"sc://([^/;]*)", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, eq=False)
class OpenedTable:
    """A table of an engine; `source` says where it lies, without a password."""

    engine: Engine
    table: str
    source: str


def file_to_read(source: str) -> Path | None:
    """Return the file to read as an upload to the screen is; None for what an engine reads.

    DuckDB reads larger text files, and Parquet files of many rows where they are: their columns have types already.
    """
    path = Path(source)
    if _ADDRESS.match(source) or not path.is_file() or path.suffix.lower() not in FILE_KINDS:
        return None
    if path.suffix.lower() == ".xlsx":
        return path
    return path if path.stat().st_size <= LARGEST_FILE and _has_few_rows(path) else None


@contextmanager
def opened_table(source: str, table: str | None) -> Iterator[OpenedTable]:
    """Open a source for as long as a table of it is needed.

    `source`: a path, `postgresql+psycopg://…` or `sc://…`. `table` may be left out where there is but one.

    Raises
    ------
    DataError : no such source, a program that is not installed, no or more than one table that could be meant.
    """
    address = _ADDRESS.match(source)
    if address is None:
        opened, words = _of_path(source)
    elif address[1].lower() == "sc":
        opened, words = _of_spark(source, _given(table))
    elif address[1].lower().startswith("postgresql"):
        opened, words = _of_postgresql(source, _given(table))
    else:
        raise DataError(
            f"'{address[0]}' is no source that can be read; give a file, a folder, postgresql+psycopg://… or sc://…."
        )
    with closing(opened) as engine:
        yield OpenedTable(engine=engine, table=_only_table(engine, table), source=words)


def _of_path(source: str) -> tuple[Engine, str]:
    return DuckDBEngine(Path(source)), f"DuckDB: {Path(source).resolve().name}"


def _of_postgresql(source: str, table: str) -> tuple[Engine, str]:
    try:
        import sqlalchemy as sql  # noqa: PLC0415

        from multiloss_core.engines.backends.database_engine import DatabaseEngine  # noqa: PLC0415

        url = sql.make_url(source)
        engine = sql.create_engine(url.set(drivername="postgresql+psycopg"))
    except ModuleNotFoundError as error:
        raise DataError(f"PostgreSQL needs {error.name}; install it: pip install sqlalchemy psycopg[binary].") from None
    except sql.exc.ArgumentError:
        raise DataError(
            "The address of the database cannot be read; write postgresql+psycopg://user@host/database, and give the "
            "password in PGPASSWORD or ~/.pgpass."
        ) from None
    return DatabaseEngine(engine, [table]), f"PostgreSQL: {url.host or 'local'}/{url.database or ''}"


def _of_spark(source: str, table: str) -> tuple[Engine, str]:
    try:
        import pyspark  # noqa: F401, PLC0415

        from multiloss_core.engines.backends.spark_engine import SparkEngine  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise DataError(f"Spark needs {error.name}; install it: pip install pyspark-client.") from None
    host = _SPARK_HOST.match(source)
    # What follows the host may be a token.
    return SparkEngine(source, [table]), f"Spark: {host[1] if host else ''}"


def _given(table: str | None) -> str:
    if not table:
        raise DataError("Say which table to read with --table, such as --table risk.rated_alerts.")
    return table


def _only_table(engine: Engine, table: str | None) -> str:
    if table:
        return table
    known = engine.tables()
    if len(known) != 1:
        listed = ", ".join(f"'{name}'" for name in known[:8]) or "none that can be read"
        raise DataError(f"Say which table to read with --table; there are {listed}.")
    return known[0]


def _has_few_rows(path: Path) -> bool:
    if path.suffix.lower() not in (".parquet", ".pq"):
        return True
    try:
        return bool(parquet.read_metadata(path).num_rows <= loading.MOST_HELD)
    except (ArrowException, OSError):
        # What is wrong with it is said where it is read.
        return True
