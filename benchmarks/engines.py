"""Measure time and memory of counting in engines; print Markdown.

Every way runs in a process of its own, from its start to its end: seconds, CPU seconds of all its threads, the peak of
its memory; the ways take turns, and medians are shown. All count the same cells of the same Parquet files, of three
million rows in each week; that the counts are equal is checked. With `--spark` a cluster on this machine
answers the question that DuckDB is asked as well, warm; compared is the CPU time of all its processes.
Run: python -m benchmarks.engines [--rows 1e7] [--large 5e7] [--repetitions 3] [--spark]
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as arrow
from pyarrow import parquet

from benchmarks.reporting import print_setup, print_table
from multiloss_core import operating_point, smooth_path
from multiloss_core.engines import Engine, RatedColumns, count_cells, count_rows
from multiloss_core.engines.backends.duckdb_engine import DuckDBEngine
from multiloss_core.engines.backends.spark_engine import SparkEngine
from multiloss_core.engines.counting import count_documents
from multiloss_core.thresholds.data.grid_counts import count_cells as count_in_memory
from tests.engines.spark_cluster import SparkCluster, spark_home

FLOOR = 0.02
COLUMNS = RatedColumns(
    scores=("model_a", "model_b"), rating="rating", positive=(1,), negative=(0,), floors=(FLOOR, FLOOR)
)
GRID, TARGET = 100, 0.2
WARMING = 3
ROWS_OF_A_FILE = 500_000


class Run(NamedTuple):
    """Resources of one process, and its output."""

    seconds: float
    cpu: float
    mebibytes: float
    output: dict[str, Any]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--rows", type=float, default=1e7)
    arguments.add_argument("--large", type=float, default=5e7, help="to see whether memory grows; 0 for no such run")
    arguments.add_argument("--repetitions", type=int, default=3)
    arguments.add_argument("--spark", action="store_true", help="compare a Spark cluster on this machine")
    arguments.add_argument("--folder", type=Path, help="where the rows are kept; a temporary folder when left out")
    arguments.add_argument("--one", choices=[*WAYS], help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if given.one:
        print(json.dumps(WAYS[given.one](given.folder) | {"peak": peak_mebibytes()}))
        return
    with tempfile.TemporaryDirectory(prefix="multiloss-engines-") as temporary:
        compare(given.folder or Path(temporary), given)


def compare(folder: Path, given: argparse.Namespace) -> None:
    print_setup("Counting in engines", ["duckdb", "pandas", "pyarrow"], f", {os.cpu_count()} cores. Whole processes.")
    table = rows_in(folder, int(given.rows))
    runs: dict[str, list[Run]] = {way: [] for way in WAYS}
    for _ in range(given.repetitions):
        for way in WAYS:
            runs[way].append(run(way, table))
    totals = {json.dumps(found[0].output["total"]) for found in runs.values()}
    if len(totals) > 1:
        raise AssertionError(f"the ways do not count the same: {totals}")
    shown = {
        way: Run(*(median(one[place] for one in found) for place in range(3)), found[0].output)
        for way, found in runs.items()
    }
    print_table(
        f"{given.rows:,.0f} rows, {GRID} x {GRID} nodes",
        ("way", "seconds", "CPU seconds", "peak MiB", "seconds to pandas'", "CPU to DuckDB's"),
        [
            (
                way,
                f"{found.seconds:.1f}",
                f"{found.cpu:.1f}",
                f"{found.mebibytes:.0f}",
                f"{found.seconds / shown['pandas'].seconds:.2f}",
                f"{found.cpu / shown['DuckDB'].cpu:.2f}",
            )
            for way, found in shown.items()
        ],
    )
    answer = shown["first answer"].output
    print(
        f"The first answer (which rows can be used, nodes, cells, smooth path, point at {TARGET:.0%}) takes "
        f"{answer['seconds'] / shown['DuckDB'].output['seconds']:.1f} times the bare count of its cells in the same "
        f"kind of process: {answer['seconds']:.1f} and {shown['DuckDB'].output['seconds']:.1f} s after the imports. "
        f"After it, {answer['questions_afterwards']} questions for {answer['points']} further points of the slider.\n"
    )
    if given.spark:
        print_spark(folder / "spark", table, given.repetitions, shown["DuckDB"].output)
    if given.large:
        print_memory(folder, given, shown["DuckDB"])


def print_spark(scratch: Path, table: Path, repetitions: int, duckdb: dict[str, Any]) -> None:
    home = spark_home()
    if home is None:
        raise SystemExit("PySpark is missing: python3 -m venv .spark && .spark/bin/pip install pyspark==4.3.0")
    scratch.mkdir()
    # Java's optimising compiler needs some queries to warm up.
    cluster = SparkCluster(home, scratch, java="")
    name = f"parquet.`{table}`"
    found = []
    try:
        cluster.start()
        engine = SparkEngine(cluster.remote, [name])
        for _ in range(WARMING):
            count_cells(engine, name, COLUMNS, axes())
        for _ in range(repetitions):
            before = cluster.cpu_seconds()
            output = with_engine(engine, name)
            found.append((output["seconds"], cluster.cpu_seconds() - before + output["cpu"]))
            if output["total"] != duckdb["total"]:
                raise AssertionError("Spark does not count the same")
        engine.close()
    finally:
        cluster.stop()
    seconds, cpu = (median(values) for values in zip(*found, strict=True))
    print_table(
        "One count, without any start: a Spark cluster of two workers, warm",
        ("engine", "seconds", "CPU seconds", "CPU to DuckDB's"),
        [
            ("DuckDB", f"{duckdb['seconds']:.1f}", f"{duckdb['cpu']:.1f}", "1"),
            ("Spark", f"{seconds:.1f}", f"{cpu:.1f}", f"{cpu / duckdb['cpu']:.2f}"),
        ],
    )


def print_memory(folder: Path, given: argparse.Namespace, small: Run) -> None:
    table = rows_in(folder, int(given.large))
    large = run("DuckDB", table)
    print_table(
        "Memory",
        ("rows", "seconds", "peak MiB", "to the fewer rows"),
        [
            (f"{given.rows:,.0f}", f"{small.seconds:.1f}", f"{small.mebibytes:.0f}", "1"),
            (f"{given.large:,.0f}", f"{large.seconds:.1f}", f"{large.mebibytes:.0f}",
             f"{large.mebibytes / small.mebibytes:.2f}"),
        ],
    )  # fmt: skip


def run(way: str, table: Path) -> Run:
    """Run one way in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.engines", "--one", way, "--folder", str(table)]
    began = perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    if process.stdout is None:
        raise AssertionError
    output = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    seconds = perf_counter() - began
    if status:
        raise SystemExit(f"'{way}' failed")
    found = json.loads(output)
    return Run(seconds, used.ru_utime + used.ru_stime, found.pop("peak"), found)


def peak_mebibytes() -> float:
    """Read the peak memory of this process."""
    # wait4 returns at least the peak of the parent.
    (line,) = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
    return float(line.split()[1]) / 1024


def rows_in(folder: Path, rows: int) -> Path:
    """Write rated documents with two scores and 3 % fraud unless stored; return their folder."""
    table = folder / f"{rows}" / "alerts"
    table.mkdir(parents=True, exist_ok=True)
    for number in range(-(-rows // ROWS_OF_A_FILE)):
        file = table / f"part-{number}.parquet"
        if file.exists():
            continue
        count = min(ROWS_OF_A_FILE, rows - number * ROWS_OF_A_FILE)
        generator = np.random.default_rng([1, number])
        fraud = generator.random(count) < 0.03
        latent = generator.standard_normal((count, 2)) + 1.4 * fraud[:, np.newaxis]
        latent[:, 1] += 0.5 * latent[:, 0]
        scores = 1 / (1 + np.exp(1 - latent))
        parquet.write_table(
            arrow.table(
                {
                    "doc_id": np.arange(count) + number * ROWS_OF_A_FILE,
                    "customer": generator.integers(0, max(rows // 20, 1), count),
                    "amount": np.round(np.exp(generator.normal(4, 1, count)), 2),
                    "model_a": scores[:, 0],
                    "model_b": scores[:, 1],
                    "rating": fraud.astype(np.int8),
                }
            ),
            file,
            compression="zstd",
        )
    return table


def axes() -> tuple[np.ndarray, np.ndarray]:
    """Return unequal nodes, denser at the top."""
    nodes = np.unique(np.concatenate([[FLOOR], 1 - np.exp(np.linspace(np.log(0.95), np.log(1e-4), GRID - 2)), [1.1]]))
    return nodes, nodes


def with_pandas(table: Path) -> dict[str, Any]:
    began = perf_counter()
    frame = pd.concat(
        [pd.read_parquet(file, columns=["model_a", "model_b", "rating"]) for file in sorted(table.glob("*.parquet"))],
        ignore_index=True,
    )
    scores = frame[["model_a", "model_b"]].to_numpy()
    usable = (np.abs(scores) < 1e100).all(axis=1) & (scores >= FLOOR).any(axis=1) & frame["rating"].notna().to_numpy()
    counts = count_in_memory(scores[usable], frame["rating"].to_numpy()[usable] == 1, None, axes())
    return {
        "total": [*map(int, summed(counts.cells, counts.positives, counts.negatives))],
        "seconds": perf_counter() - began,
    }


def with_duckdb(table: Path) -> dict[str, Any]:
    engine = DuckDBEngine(table.parent)
    return with_engine(engine, engine.tables()[0])


def with_engine(engine: Engine, table: str) -> dict[str, Any]:
    began, cpu = perf_counter(), process_time()
    cells, documents, _, _ = count_cells(engine, table, COLUMNS, axes())
    return {
        "total": [*map(int, summed(cells, documents[:, 1], documents[:, 0]))],
        "seconds": perf_counter() - began,
        "cpu": process_time() - cpu,
    }


def first_answer(table: Path) -> dict[str, Any]:
    """Find a point from a table, then move the slider."""
    engine = Counted(DuckDBEngine(table.parent))
    name = engine.tables()[0]
    began, cpu = perf_counter(), process_time()
    rows = count_rows(engine, name)
    counts = count_documents(engine, name, COLUMNS, resolution=GRID)
    path = smooth_path(counts)
    point = operating_point(path, TARGET)
    seconds = perf_counter() - began
    asked = engine.questions
    points = [operating_point(path, percent / 200) for percent in range(2, 198)]
    if not (rows >= point.alerts > 0 and points):
        raise AssertionError
    again = with_engine(engine, name)
    return {
        "total": again["total"],
        "seconds": seconds,
        "cpu": process_time() - cpu,
        "questions_afterwards": engine.questions - asked - 1,
        "points": len(points),
    }


class Counted:
    """Count the queries to an engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine, self.questions = engine, 0

    def query(self, sql: str) -> arrow.Table:
        """Forward a query."""
        self.questions += 1
        return self._engine.query(sql)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)


def summed(cells: np.ndarray, positives: np.ndarray, negatives: np.ndarray) -> Sequence[float]:
    """Compute checksums of the cells, to compare two ways."""
    key = cells[:, 0] * 1_009 + cells[:, 1] * 7
    return positives.sum(), negatives.sum(), (key * positives).sum(), (key * negatives).sum()


WAYS: dict[str, Callable[[Path], dict[str, Any]]] = {
    "pandas": with_pandas,
    "DuckDB": with_duckdb,
    "first answer": first_answer,
}

if __name__ == "__main__":
    main()
