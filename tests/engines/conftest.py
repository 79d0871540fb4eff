"""The engines that the same questions are asked of, each with a table of its own."""

import shutil
from uuid import uuid4

import pyarrow as arrow
import pytest
from pyarrow import parquet
from sqlalchemy import create_engine

from multiloss_core.engines.backends.database_engine import DatabaseEngine
from multiloss_core.engines.backends.duckdb_engine import DuckDBEngine

ENGINES = ("duckdb", "postgresql", "spark")
# Of Spark, which takes a second for each, every kind of question is asked once.
WITHOUT_SPARK = pytest.mark.parametrize("load", ENGINES[:2], indirect=True)


@pytest.fixture(params=ENGINES)
def load(request, tmp_path):
    """Return a function that loads an Arrow table; it returns the engine and the table's name."""
    maker = {"duckdb": _duckdb, "postgresql": _postgresql, "spark": _spark}[request.param]
    opened = []

    def put(table: arrow.Table):
        engine, name = maker(request, tmp_path, table)
        opened.append(engine)
        return engine, name

    yield put
    for engine in opened:
        engine.close()


def write_folder(folder, table, parts=2):
    """Write a table as a folder of Parquet files."""
    folder.mkdir(parents=True)
    rows = -(-table.num_rows // parts) or 1
    for number in range(parts):
        parquet.write_table(table.slice(number * rows, rows), folder / f"part-{number}.parquet")


def _duckdb(_request, tmp_path, table):
    write_folder(tmp_path / uuid4().hex / "alerts", table)
    root = max(tmp_path.iterdir(), key=lambda path: path.stat().st_mtime_ns)
    engine = DuckDBEngine(root)
    return engine, engine.tables()[0]


def _postgresql(request, _tmp_path, table):
    engine = create_engine(request.getfixturevalue("postgres_database"))
    name = f"alerts {uuid4().hex[:8]}"
    write_table(engine, name, table)
    return DatabaseEngine(engine, [name]), name


def write_table(engine, name, table):
    """Create a table of PostgreSQL with the rows of an Arrow table."""
    kinds = {
        "double": "float8",
        "float": "float4",
        "int64": "bigint",
        "int32": "int",
        "string": "text",
        "bool": "boolean",
    }
    kinds |= {"timestamp[us]": "timestamp", "date32[day]": "date", "large_string": "text", "int8": "smallint"}
    kinds |= {str(kind): "text[]" for kind in table.schema.types if arrow.types.is_list(kind)}
    kinds |= {
        str(kind): f"numeric({kind.precision}, {kind.scale})"
        for kind in table.schema.types
        if arrow.types.is_decimal(kind)
    }
    quoted = ['"' + column.replace('"', '""') + '"' for column in table.column_names]
    columns = ", ".join(f"{column} {kinds[str(kind)]}" for column, kind in zip(quoted, table.schema.types, strict=True))
    with engine.begin() as connection:
        cursor = connection.connection.cursor()
        cursor.execute(f'CREATE TABLE "{name}" ({columns})')
        with cursor.copy(f'COPY "{name}" FROM STDIN') as copy:
            for row in zip(*(column.to_pylist() for column in table.columns), strict=True):
                copy.write_row(row)


def _spark(request, _tmp_path, table):
    from multiloss_core.engines.backends.spark_engine import SparkEngine

    cluster = request.getfixturevalue("spark_cluster")
    folder = cluster.folder / uuid4().hex
    write_folder(folder, table)
    name = f"parquet.`{folder}`"
    request.addfinalizer(lambda: shutil.rmtree(folder))
    return SparkEngine(cluster.remote, [name]), name
