"""Test how DuckDB reads a folder's files: as tables, or as parts of one."""

import pyarrow as arrow
import pytest
from pyarrow import parquet

from multiloss_core.engines import count_rows
from multiloss_core.engines.backends.duckdb_engine import DuckDBEngine

ALERTS, OTHERS = arrow.table({"a": [0.1, 0.2], "rating": ["ok", "fraud"]}), arrow.table({"b": [1.0], "label": [0]})


def write(path, table):
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".parquet":
        parquet.write_table(table, path)
    else:
        table.to_pandas().to_csv(path, index=False)


def tables_of(folder):
    engine = DuckDBEngine(folder)
    try:
        return {name: count_rows(engine, name) for name in engine.tables()}
    finally:
        engine.close()


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_files_with_the_same_columns_are_one_table(tmp_path, kind):
    for number in range(3):
        write(tmp_path / "alerts" / f"{number}.{kind}", ALERTS.select(["a", "rating"]))
    assert tables_of(tmp_path / "alerts") == {"alerts": 6}


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_files_with_other_columns_are_tables_of_their_own(tmp_path, kind):
    write(tmp_path / f"alerts.{kind}", ALERTS)
    write(tmp_path / f"others.{kind}", OTHERS)
    assert tables_of(tmp_path) == {f"alerts.{kind}": 2, f"others.{kind}": 1}


def test_folders_are_tables_and_their_files_parts(tmp_path):
    for number in range(2):
        write(tmp_path / "alerts" / "2026" / f"{number}.parquet", ALERTS)
        write(tmp_path / "others" / f"{number}.csv", OTHERS)
    write(tmp_path / "more.csv", ALERTS)
    assert tables_of(tmp_path) == {"more.csv": 2, "alerts": 4, "others": 2}


def test_folders_of_values_are_one_table_with_a_column_of_them(tmp_path):
    for month in (1, 2):
        write(tmp_path / "alerts" / f"month={month}" / "part.parquet", ALERTS)
    engine = DuckDBEngine(tmp_path / "alerts")
    found = engine.query(f"SELECT month, a FROM {engine.source('alerts')} ORDER BY month, a")
    engine.close()
    assert found.to_pydict() == {"month": [1, 1, 2, 2], "a": [0.1, 0.2, 0.1, 0.2]}


def test_what_is_being_written_is_no_part(tmp_path):
    # The source's own folder may be called anything.
    source = tmp_path / ".exports" / "_alerts"
    for name in ("0.parquet", "_temporary/1.parquet", ".2.parquet"):
        write(source / "alerts" / name, ALERTS)
    write(source / "_logs" / "3.parquet", OTHERS)
    assert tables_of(source) == {"alerts": 2}


def test_a_link_out_of_the_folder_is_not_read(tmp_path):
    write(tmp_path / "elsewhere" / "secret.parquet", ALERTS)
    write(tmp_path / "source" / "alerts.parquet", OTHERS)
    (tmp_path / "source" / "link.parquet").symlink_to(tmp_path / "elsewhere" / "secret.parquet")
    (tmp_path / "source" / "linked").symlink_to(tmp_path / "elsewhere")
    assert tables_of(tmp_path / "source") == {"alerts.parquet": 1}
