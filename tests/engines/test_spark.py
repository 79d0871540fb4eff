"""Test faults of a Spark cluster: dead workers, a hanging server, missing tables."""

import os
import shutil
import socket
import subprocess
import sys
import time
from uuid import uuid4

import numpy as np
import pytest

from multiloss_core import DataError
from multiloss_core.engines import Cancelled, EngineError, count_cells, count_rows
from multiloss_core.engines.backends.spark_engine import SparkEngine
from tests.app_server import ROOT
from tests.engines.asking import Asking, wait_until
from tests.engines.conftest import write_folder
from tests.engines.tables import Expected, awkward_table, meaning

TOKEN = "very-secret-token"
LONG = "SELECT sum(sqrt(id)) AS found FROM range(0, 1000000000000, 1, 8)"
COPIES = 25


@pytest.fixture
def engine(spark_cluster):
    with_tables = SparkEngine(spark_cluster.remote, ["nowhere", "parquet.`/nowhere`"])
    yield with_tables
    with_tables.close()


@pytest.fixture
def large(spark_cluster):
    """A table of many files, each the same, and its engine."""
    table = awkward_table(rows=60_000)
    folder = spark_cluster.folder / uuid4().hex
    write_folder(folder, table, parts=1)
    for number in range(1, COPIES):
        os.link(folder / "part-0.parquet", folder / f"part-{number}.parquet")
    engine = SparkEngine(spark_cluster.remote, [f"parquet.`{folder}`"])
    yield table, engine, engine.tables()[0]
    engine.close()
    shutil.rmtree(folder)


def test_a_worker_that_dies_while_it_counts_changes_no_number(spark_cluster, large):
    table, engine, name = large
    columns = meaning(2)
    expected = Expected(table, columns)
    scores = expected.scores[expected.usable]
    axes = [np.unique(np.quantile(column[column > -np.inf], np.linspace(0, 1, 100))) for column in scores.T]
    # Its parts start their executors before the test waits for the first tasks.
    assert count_rows(engine, name) == COPIES * table.num_rows
    asking = Asking(count_cells, engine, name, columns, axes)
    wait_until(lambda: (engine.progress() or 0) > 0, asking)
    with spark_cluster.without_a_worker():
        assert not asking.is_over
        cells, documents, weights, squares = asking.result()
    codes = [np.searchsorted(axis, column, side="right") for axis, column in zip(axes, scores.T, strict=True)]
    own = {
        tuple(map(int, key)): tuple(COPIES * value for value in sums) for key, sums in expected.grouped(*codes).items()
    }
    found = {
        (*map(int, cell), kind): (int(n[kind]), float(w[kind]), float(w2[kind]))
        for cell, n, w, w2 in zip(cells, documents, weights, squares, strict=True)
        for kind in (0, 1)
        if n[kind]
    }
    assert found == own


def test_a_question_is_withdrawn_from_another_thread(engine):
    assert engine.query("SELECT 1 AS one")["one"].to_pylist() == [1]
    # At different points: while it is planned, and while tasks run.
    for begun in (lambda: True, lambda: engine.progress() is not None):
        asking = Asking(engine.query, LONG)
        wait_until(begun, asking)
        start = time.monotonic()
        engine.cancel()
        assert time.monotonic() - start < 2
        with pytest.raises(Cancelled):
            asking.result(2)
        # No task of it runs on, which would keep both executors busy for hours.
        assert engine.query("SELECT count(*) AS n FROM range(1000)")["n"].to_pylist() == [1000]
        assert engine.progress() is None
    engine.cancel()


def test_a_server_hangs_then_is_gone_then_comes_back(spark_cluster, engine):
    unaware = SparkEngine(spark_cluster.remote, [])
    for each in (engine, unaware):
        assert each.query("SELECT 1 AS one")["one"].to_pylist() == [1]
    asking = Asking(engine.query, LONG)
    wait_until(lambda: engine.progress() is not None, asking)
    spark_cluster.suspend_server()
    start = time.monotonic()
    engine.cancel()
    assert time.monotonic() - start < 2
    with pytest.raises(Cancelled):
        asking.result(2)
    spark_cluster.stop_server()
    start = time.monotonic()
    with pytest.raises(EngineError, match="The cluster cannot be reached; check that its Spark Connect server runs"):
        engine.query("SELECT 2 AS two")
    assert time.monotonic() - start < 20
    spark_cluster.start_server()
    assert engine.query("SELECT 2 AS two")["two"].to_pylist() == [2]
    # It did not ask meanwhile, and believes in a session that the server does not know.
    assert unaware.query("SELECT 3 AS three")["three"].to_pylist() == [3]
    unaware.close()


def test_a_session_that_the_server_ended_is_renewed(engine):
    assert engine.query("SELECT 1 AS one")["one"].to_pylist() == [1]
    engine._session._session.client.release_session()
    assert engine.query("SELECT 2 AS two")["two"].to_pylist() == [2]


def test_tables_that_are_not_there_and_what_is_no_question(engine):
    for table in engine.tables():
        with pytest.raises(EngineError, match=r"^The cluster has no table \S+, or may not show it; check where"):
            count_rows(engine, table)
        assert engine.version(table) is None
    with pytest.raises(DataError, match="There is no table 'other' here"):
        engine.source("other")
    with pytest.raises(EngineError, match=r"^The cluster cannot answer: Division by zero[^\n]*$"):
        engine.query("SELECT 1 / 0")
    for statement in ("DROP TABLE nowhere", "SET a = 1", "WITH a AS (SELECT 1) INSERT INTO nowhere SELECT * FROM a"):
        with pytest.raises(DataError, match="Sources are only read"):
            engine.query(statement)


def test_a_program_that_leaves_its_engine_open_ends(spark_cluster):
    lines = (
        "from multiloss_core.engines.backends.spark_engine import SparkEngine",
        f"engine = SparkEngine({spark_cluster.remote!r}, [])",
        "assert engine.query('SELECT count(*) AS n FROM range(9)')['n'].to_pylist() == [9]",
    )
    subprocess.run([sys.executable, "-c", "\n".join(lines)], cwd=ROOT, timeout=100, check=True)


@pytest.fixture
def silent_port():
    """Open a port that accepts connections and never answers."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        yield listening.getsockname()[1]


def told(remote):
    start = time.monotonic()
    with pytest.raises(EngineError) as caught:
        SparkEngine(remote, []).query("SELECT 1")
    assert time.monotonic() - start < 20
    return str(caught.value)


def test_silent_server_error_hides_address(silent_port, monkeypatch):
    from multiloss_core.engines.backends.spark_engine import _spark_session

    # All attempts are made to a server that is gone.
    monkeypatch.setattr(_spark_session(), "RETRIES", 2)
    sentence = "The cluster cannot be reached; check that its Spark Connect server runs, then try again."
    assert told(f"sc://127.0.0.1:1/;token={TOKEN}") == sentence
    assert told(f"sc://127.0.0.1:{silent_port}") == sentence
    for address in (f"127.0.0.1:15002;token={TOKEN}", f"sc://host:port/;token={TOKEN}", f"sc:///;token={TOKEN}"):
        assert told(address) == (
            "The address of the cluster is not one of Spark Connect (sc://host:15002); check where the source is set "
            "up."
        )


def test_server_messages_hide_address_and_token():
    from multiloss_core.engines.backends.spark_engine import _spark_session

    hidden = _spark_session()._secrets(f"sc://spark.bank.example:15002/;use_ssl=true;token=a%2Fb;user_id={TOKEN}")
    said = f"spark.bank.example:15002, spark.bank.example, a/b, a%2Fb and {TOKEN}, true"
    assert hidden.sub("…", said) == "…, …, …, … and …, true"
    assert _spark_session()._secrets("sc://").sub("…", said) == said
