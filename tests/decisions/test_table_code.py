"""A decision as a model of dbt and as an expression of Spark, each carried out by an engine."""

import duckdb
import numpy as np
import pyarrow as arrow
import pytest
from hypothesis import assume, given, settings
from jinja2 import Environment

from multiloss_core import DataError, combined_score
from multiloss_core.decisions import dbt_model, spark_expression
from multiloss_core.engines.backends.spark_engine import SparkEngine
from tests.combined.samples import rated
from tests.combined.test_formula_code import NAMES, awkward
from tests.decisions.records import HOSTILE_NAMES, make_record
from tests.decisions.test_deployable_code import decisions_and_documents, expected_flags
from tests.engines.conftest import write_folder


def rendered(model):
    """Render a model as dbt does, with default settings of Jinja."""
    return Environment().from_string(model).render(ref='"{}"'.format)


def table_of(record, rows):
    columns = zip(*rows, strict=True)
    return arrow.table(
        {
            name: arrow.array(list(column), type=arrow.float64())
            for name, column in zip(record.columns.scores, columns, strict=True)
        }
    )


def flagged_by_dbt(record, rows):
    connection = duckdb.connect()
    try:
        connection.register("documents", table_of(record, rows))
        found = connection.sql(rendered(dbt_model(record))).to_arrow_table()
    finally:
        connection.close()
    assert found.column_names == [*record.columns.scores, "flagged"]
    return found["flagged"].to_pylist()


def near(thresholds, rule, rows=200, seed=3):
    """Scores (rows, k) at thresholds (k,), next to them, missing and infinite."""
    generator = np.random.default_rng(seed)
    table = np.array(thresholds) + generator.choice(
        [-0.1, 0.0, 0.1], p=[0.1, 0.2, 0.7] if rule == "all" else [0.9, 0.05, 0.05], size=(rows, len(thresholds))
    )
    at = generator.random(table.shape) < 0.2
    table = np.where(at, np.nextafter(table, generator.choice([-np.inf, np.inf], size=table.shape)), table)
    unusual = generator.random(table.shape)
    table[unusual < 0.03] = np.nan
    table[(unusual > 0.03) & (unusual < 0.06)] = np.inf
    return [[None if np.isnan(score) and i % 2 else score for score in row] for i, row in enumerate(table.tolist())]


class TestDbt:
    @settings(max_examples=40)
    @given(decisions_and_documents())
    def test_duckdb_flags_what_the_thresholds_flag(self, case):
        record, rows = case
        # Of DuckDB, names differ in more than their case, and none is the empty name of a table.
        assume(len({name.casefold() for name in (*record.columns.scores, "flagged")}) == len(record.columns.scores) + 1)
        assert flagged_by_dbt(record, rows) == expected_flags(record, rows)

    @pytest.mark.parametrize("rule", ["any", "all"])
    def test_nothing_in_a_name_is_a_template(self, rule):
        names = (*HOSTILE_NAMES, "{{ 7 * 7 }}", "{% raw %}", "{# no comment #}", "{{{'{", "{", "'}}")
        thresholds = np.random.default_rng(5).normal(size=len(names)).tolist()
        record = make_record(names, thresholds, rule=rule)
        rows = near(thresholds, rule)
        assert flagged_by_dbt(record, rows) == expected_flags(record, rows)

    @pytest.mark.parametrize("name", ["", "two words", "a'b", "1a", "a;b", "ä"])
    def test_a_name_that_is_none_of_a_model(self, name):
        with pytest.raises(DataError, match=r"letters, digits and underscores"):
            dbt_model(make_record(), name)


class TestSpark:
    @pytest.mark.spark
    @pytest.mark.parametrize("rule", ["any", "all"])
    def test_spark_flags_what_the_thresholds_flag(self, spark_cluster, rule):
        thresholds = (*np.random.default_rng(5).normal(size=len(HOSTILE_NAMES) - 2).tolist(), 1e-300, -123456.789012345)
        record = make_record(HOSTILE_NAMES, thresholds, rule=rule)
        rows = near(thresholds, rule)
        folder = spark_cluster.folder / f"flagged by {rule}"
        # Rows come in any order.
        write_folder(folder, table_of(record, rows).append_column("place of the row", [np.arange(len(rows))]))
        engine = SparkEngine(spark_cluster.remote, [])
        try:
            found = engine.query(
                f"SELECT `place of the row` AS place, {spark_expression(record)} AS flagged FROM parquet.`{folder}`"
            )
        finally:
            engine.close()
        found = found.sort_by("place")
        assert found["flagged"].to_pylist() == expected_flags(record, rows)

    @pytest.mark.spark
    def test_spark_computes_the_same_combined_score(self, spark_cluster):
        combined = combined_score(rated(5, scores=3, names=NAMES))
        scores, frame = awkward(combined.fitted, np.random.default_rng(0), rows=500)
        folder = spark_cluster.folder / "combined score"
        write_folder(folder, arrow.Table.from_pandas(frame, preserve_index=False))
        engine = SparkEngine(spark_cluster.remote, [])
        try:
            found = engine.query(f"SELECT row, {combined.to_sql('spark')} AS g FROM parquet.`{folder}`")
        finally:
            engine.close()
        assert found.sort_by("row")["g"].to_pylist() == combined.apply(scores).tolist()
