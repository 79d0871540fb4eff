"""Measure the network traffic of counting on a cluster; print Markdown.

A Spark cluster of one, two and four workers on this machine, processes of one core each, counts the same rows into the
same cells. Spark's event log lists the rows and bytes exchanged by tasks. Then the same for tables that no
machine here holds, by simulation: each task finds the cells that its share of the rows is in, drawn from the counts
above, and hands over one row for each of them.
Run: python -m benchmarks.scale [--rows 1e7] [--workers 1 2 4], with Java and an environment with PySpark.
"""

import argparse
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import numpy as np

from benchmarks.engines import COLUMNS, GRID, axes, rows_in
from benchmarks.reporting import print_header, print_row, print_setup
from multiloss_core.engines import count_cells
from multiloss_core.engines.backends.spark_engine import SparkEngine
from multiloss_core.numerics import Floats
from tests.engines.spark_cluster import SparkCluster, spark_home

# Default of Spark.
BYTES_OF_A_TASK = 128 * 2**20
# Of one row: two scores and the rating, as Parquet keeps them.
BYTES_OF_A_ROW = 17
# (rows, workers)
LARGER = ((10**8, 10), (10**9, 30), (10**10, 100))


class Shuffled(NamedTuple):
    """Number of tasks of a query, rows and bytes exchanged, and total seconds."""

    tasks: int
    rows: int
    bytes: int
    seconds: float


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--rows", type=float, default=1e7)
    arguments.add_argument("--workers", type=int, nargs="*", default=[1, 2, 4])
    arguments.add_argument("--folder", type=Path, help="where the rows are kept; a temporary folder when left out")
    given = arguments.parse_args()
    home = spark_home()
    if home is None:
        raise SystemExit("PySpark is missing: python3 -m venv .spark && .spark/bin/pip install pyspark==4.3.0")
    with tempfile.TemporaryDirectory(prefix="multiloss-scale-") as temporary:
        folder = given.folder or Path(temporary)
        print_setup("Counting on a cluster", ["pyspark-client"], f". {given.rows:,.0f} rows, {GRID} x {GRID} nodes.")
        table = rows_in(folder, int(given.rows))
        print_header(
            "workers", "seconds, warm", "tasks that read", "rows exchanged", "bytes exchanged", "bytes for each"
        )
        for workers in given.workers:
            seconds, found, shares = measured(home, Path(temporary) / str(workers), table, workers)
            each = found.bytes / max(found.rows, 1)
            print_row(workers, f"{seconds:.1f}", found.tasks, f"{found.rows:,}", f"{found.bytes:,}", f"{each:.0f}")
    print_larger(shares, each)


def measured(home: Path, scratch: Path, table: Path, workers: int) -> tuple[float, Shuffled, Floats]:
    """Count twice on a cluster; return seconds, exchange and shares of the second run."""
    scratch.mkdir()
    events = scratch / "events"
    events.mkdir()
    options = {"spark.eventLog.enabled": "true", "spark.eventLog.dir": f"file://{events}"}
    options |= {"spark.eventLog.rolling.enabled": "false", "spark.eventLog.compress": "false"}
    cluster = SparkCluster(home, scratch, workers, options | {"spark.sql.files.minPartitionNum": "8"})
    try:
        cluster.start()
        name = f"parquet.`{table}`"
        engine = SparkEngine(cluster.remote, [name])
        count_cells(engine, name, COLUMNS, axes())
        began = perf_counter()
        _, documents, _, _ = count_cells(engine, name, COLUMNS, axes())
        seconds = perf_counter() - began
        engine.close()
    finally:
        cluster.stop()
    counts = documents.ravel()[documents.ravel() > 0]
    return seconds, exchanged(events), counts / counts.sum()


def exchanged(events: Path) -> Shuffled:
    """Sum the exchange of the tasks of the last shuffle stage in the event log."""
    stages: dict[int, list[tuple[int, int, float]]] = {}
    for event in _events(events):
        if event.get("Event") == "SparkListenerTaskEnd" and event.get("Task Metrics"):
            written = event["Task Metrics"]["Shuffle Write Metrics"]
            if written["Shuffle Records Written"]:
                took = (event["Task Info"]["Finish Time"] - event["Task Info"]["Launch Time"]) / 1000
                stages.setdefault(event["Stage ID"], []).append(
                    (written["Shuffle Records Written"], written["Shuffle Bytes Written"], took)
                )
    tasks = stages[max(stages)]
    rows, size, seconds = (sum(values) for values in zip(*tasks, strict=True))
    return Shuffled(len(tasks), int(rows), int(size), seconds)


def _events(folder: Path) -> Iterator[dict[str, object]]:
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            for line in file.read_text(encoding="utf-8").splitlines():
                yield json.loads(line)


def print_larger(shares: Floats, bytes_of_each: float) -> None:
    """Simulate what tasks over larger tables would exchange."""
    print("\n## Larger tables, by simulation\n")
    print_header(
        "rows", "workers", "tasks that read", "rows exchanged", "MB exchanged", "MB from each worker", "of the rows"
    )
    generator = np.random.default_rng(0)
    for rows, workers in LARGER:
        tasks = max(-(-rows * BYTES_OF_A_ROW // BYTES_OF_A_TASK), workers)
        # Tasks differ by chance only: a few represent all.
        met = np.mean([(generator.poisson(shares * rows / tasks) > 0).sum() for _ in range(20)])
        size = met * tasks * bytes_of_each / 1e6
        print_row(
            f"{rows:,}", workers, f"{tasks:,}", f"{met * tasks:,.0f}", f"{size:,.0f}", f"{size / workers:,.1f}",
            f"{met * tasks / rows:.2%}",
        )  # fmt: skip


if __name__ == "__main__":
    main()
