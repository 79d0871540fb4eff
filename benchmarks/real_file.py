"""Every method on the public two-score file: `python -m benchmarks.real_file` prints a Markdown table."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.shared.reporting import print_header, print_row
from multiloss_core import (
    RatedDocuments,
    ThresholdPath,
    analytic_path,
    benchmark_path,
    count_surfaces,
    graph_path,
    mean_graph_path,
    operating_points,
    read_table,
    smooth_path,
)

FOLDER = Path(__file__).resolve().parents[2] / "shared/data/rated"
FILE = FOLDER / "bssr1_two_scores_rated.csv"
TARGETS = (0.2, 0.5)


def main() -> None:
    frame, columns = read_rated(FILE)
    documents = RatedDocuments.from_frame(frame, **columns)
    print(f"# {FILE.name}\n")
    print(
        f"{len(documents.labels):,} rated documents, {documents.totals.tp:,.0f} positive; floors "
        f"{', '.join(f'{name} {floor:g}' for name, floor in zip(documents.names, documents.floors, strict=True))}.\n"
    )
    print_header("method", "area", "marginal precision", "thresholds", "TP", "FP", "precision", "status")
    for path in all_paths(documents):
        for point in operating_points(path, TARGETS):
            thresholds = documents.round_thresholds(point.thresholds)
            tp, fp = documents.counts_at(thresholds, point.rule)
            assert (tp, fp) == (point.tp, point.fp)
            at = ", ".join(repr(float(value)) for value in thresholds)
            where = path.method, f"{path.normalised_area:.5f}", point.marginal_precision, at
            print_row(*where, f"{tp:.0f}", f"{fp:.0f}", f"{point.precision:.4f}", point.status)


def read_rated(file: Path) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Read a file, and what `RatedDocuments.from_frame` has to know of its columns."""
    facts = json.loads(file.with_suffix(".json").read_text(encoding="utf-8"))
    columns = {"scores": facts["scores"], "label": facts["label"], "positive": 1, "floors": facts["rating_floors"]}
    return read_table(file.read_bytes(), file.name), columns


def all_paths(documents: RatedDocuments) -> list[ThresholdPath]:
    surfaces = count_surfaces(documents)
    return [
        smooth_path(documents),
        analytic_path(documents, family="power"),
        analytic_path(documents, family="beta"),
        graph_path(surfaces),
        mean_graph_path(surfaces, np.random.default_rng(0), documents=documents),
        benchmark_path(surfaces),
    ]


if __name__ == "__main__":
    main()
