"""Measure the largest tasks against their limits.

Prints Markdown: a graph of 1000 x 1000 nodes, 20 alert rules, 100 segments and a CSV file. Documents are simulated;
reading is compared with DuckDB in the same run.
Run: python -m benchmarks.limits [--rows 1e6]
"""

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import duckdb
import numpy as np
import pandas as pd

from benchmarks.reporting import print_setup, print_table
from multiloss_core import RatedDocuments, count_surfaces, graph_path, read_table, smooth_path
from multiloss_core.segments import segment_paths

REPETITIONS = 3
NODES, RULES, SEGMENTS, ROWS_WITH_RULES = 1_000, 20, 100, 16_000


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--rows", type=float, default=1e6)
    rows = int(arguments.parse_args().rows)
    print_setup("Largest tasks", ("numpy", "scipy", "pandas", "duckdb"), f". Least of {REPETITIONS} times.")
    generator = np.random.default_rng(0)
    documents = documents_of(rows, generator)
    surfaces = count_surfaces(documents, resolution=NODES)
    segments = generator.integers(0, SEGMENTS, rows).astype(str)
    with_rules = documents_of(min(rows, ROWS_WITH_RULES), generator, RULES)
    with tempfile.TemporaryDirectory(prefix="multiloss-limits-") as folder:
        file = Path(folder, "alerts.csv")
        table_of(documents, generator).to_csv(file, index=False)
        ours = seconds(lambda: read_table(file.read_bytes(), file.name))
        theirs = seconds(lambda: duckdb.connect().execute(f"CREATE TABLE alerts AS FROM read_csv('{file}')"))
    print_table(
        "Seconds",
        ("task", "found", "limit"),
        (
            (f"graph path of {NODES} x {NODES} nodes", f"{seconds(lambda: graph_path(surfaces)):.3f}", "0.05"),
            (f"smooth path of {RULES} rules", f"{seconds(lambda: smooth_path(with_rules)):.2f}", "5"),
            (
                f"paths of {SEGMENTS} segments, {rows:,} documents",
                f"{seconds(lambda: segment_paths(documents, segments, hold_out=False)):.2f}",
                "6",
            ),
            (f"CSV file of {rows:,} rows", f"{ours:.2f}, {ours / theirs:.1f} times DuckDB", "3 times"),
        ),
    )


def documents_of(rows: int, generator: np.random.Generator, rules: int = 0) -> RatedDocuments:
    """Simulate documents with two scores, and rules that raise more positives than negatives."""
    labels = generator.random(rows) < 0.06
    scores = np.abs(generator.normal(0, 1, (rows, 2)) + 1.5 * labels[:, np.newaxis]) + 0.5
    shares = 0.04 + 0.1 * labels[:, np.newaxis] * generator.random(rules)
    return RatedDocuments(
        np.hstack([scores, generator.random((rows, rules)) < shares]),
        labels,
        floors=[0.5, 0.5, *[1.0] * rules],
        alert_rules=rules,
    )


def table_of(documents: RatedDocuments, generator: np.random.Generator) -> pd.DataFrame:
    """Make a table of six columns."""
    rows = len(documents.labels)
    times = pd.Timestamp("2026-01-01") + pd.to_timedelta(generator.integers(0, 90 * 86_400, rows), unit="s")
    return pd.DataFrame(documents.scores.round(5), columns=["model", "device"]).assign(
        id=np.arange(rows),
        amount=generator.lognormal(4, 1, rows).round(2),
        time=times,
        rating=np.where(documents.labels, "fraud", "ok"),
    )


def seconds(task: Callable[[], object]) -> float:
    """Return the least of several times."""
    found = []
    for _ in range(REPETITIONS):
        began = perf_counter()
        task()
        found.append(perf_counter() - began)
    return min(found)


if __name__ == "__main__":
    main()
