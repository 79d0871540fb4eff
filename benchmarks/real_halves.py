"""Every method chosen on half of the persons of the public biometric files and counted on the other half.

`python -m benchmarks.real_halves [splits]` prints Markdown. A row compares two persons (the columns `pair_id` and
`person` tell them): rows of two persons of one half belong to that half, rows across the halves are dropped, so
nobody is in both. Each random split is used in both directions.
"""

import sys
from collections import defaultdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.real_file import FOLDER, TARGETS, read_rated
from benchmarks.shared.populations import area_below
from benchmarks.shared.reporting import print_header, print_row
from multiloss_core import (
    CountSurfaces,
    RatedDocuments,
    ThresholdPath,
    analytic_path,
    benchmark_path,
    count_surfaces,
    graph_path,
    mean_graph_path,
    operating_points,
    smooth_path,
)
from multiloss_core.generalisation import cross_fit
from multiloss_core.numerics import Floats
from multiloss_core.thresholds import Spacing

FILES = ("bssr1_two_scores_rated", "bssr1_four_scores_rated")
SPLITS = 10


def main() -> None:
    splits = int(sys.argv[1]) if len(sys.argv) > 1 else SPLITS
    for name in FILES:
        file = FOLDER / f"{name}.csv"
        if file.exists():
            _print_file(file, splits)
        else:
            print(f"Skipped: {name}.csv is not beside the checkout (shared/data/rated).")


def _surfaces(documents: RatedDocuments, spacing: Spacing = "uniform") -> CountSurfaces:
    return count_surfaces(documents, resolution=100 if len(documents.names) < 3 else 20, spacing=spacing)


METHODS = {
    "smooth": smooth_path,
    "graph, uniform": lambda documents: graph_path(_surfaces(documents)),
    "graph, positives": lambda documents: graph_path(_surfaces(documents, "positives")),
    "mean graph": lambda documents: mean_graph_path(
        _surfaces(documents), np.random.default_rng(0), documents=documents
    ),
    "power": analytic_path,
    "beta": partial(analytic_path, family="beta"),
    "benchmark": lambda documents: benchmark_path(_surfaces(documents)),
}


def _print_file(file: Path, splits: int) -> None:
    frame, columns = read_rated(file)
    sizes, areas, counts = [], defaultdict(list), defaultdict(list)
    for seed in range(splits):
        first = np.random.default_rng(seed).permutation(frame["person"].unique())
        first = first[: len(first) // 2]
        halves = [_documents(frame, columns, first, inside) for inside in (True, False)]
        for train, other in (halves, halves[::-1]):
            sizes.append([train.labels.sum(), len(train.labels)])
            held_out = cross_fit(train, METHODS, TARGETS)
            for name, method in METHODS.items():
                path = method(train)
                claim = held_out[name]
                areas[name].append([claim.in_sample_area, claim.area, _area(other, path)])
                for j, point in enumerate(operating_points(path, TARGETS)):
                    three = (claim.in_sample.at(j), claim.at(j), other.counts_at(point.thresholds))
                    counts[name, j].append([found.tp for found in three] + [found.fp for found in three])
    _print_tables(file.name, np.mean(sizes, axis=0), splits, areas, counts)


def _print_tables(
    title: str,
    size: Floats,
    splits: int,
    areas: dict[str, list[list[float]]],
    counts: dict[tuple[str, int], list[list[float]]],
) -> None:
    print(f"\n# {title}\n")
    print(
        f"Means of {splits} splits in both directions; {size[1]:,.0f} documents in a half, {size[0]:,.0f} positive. "
        "Cross-fitted: within the half that chose, persons whole. Net benefit: TP - m / (1 - m) FP on the other half, "
        "± the standard error of its difference from smooth.\n"
    )
    print_header("method", "area, chosen on", "cross-fitted", "other half")
    for name in METHODS:
        print_row(name, *(f"{area:.5f}" for area in np.mean(areas[name], axis=0)))
    print()
    print_header(
        *("m", "method", "TP, chosen on", "cross-fitted", "other half", "FP, chosen on", "cross-fitted", "other half"),
        *("precision, other half", "net benefit"),
    )
    for j, target in enumerate(TARGETS):
        of_target = {name: np.array(counts[name, j]) for name in METHODS}
        benefit = {name: found[:, 2] - target / (1 - target) * found[:, 5] for name, found in of_target.items()}
        for name in METHODS:
            mean = of_target[name].mean(axis=0)
            # Both directions of a split share their halves: the split is what is independent.
            lost = (benefit[name] - benefit["smooth"]).reshape(-1, 2).mean(axis=1)
            error = lost.std(ddof=1) / np.sqrt(len(lost)) if len(lost) > 1 else float("nan")
            counts_found = (f"{value:.1f}" for value in mean)
            net = f"{benefit[name].mean():.1f} ± {error:.1f}"
            print_row(target, name, *counts_found, f"{mean[2] / (mean[2] + mean[5]):.3f}", net)


def _documents(frame: pd.DataFrame, columns: dict[str, Any], first: NDArray[np.int64], inside: bool) -> RatedDocuments:
    """Take the rows whose two persons are both in the first half, or both not."""
    pairs = frame["pair_id"].str.extract(r"^p(\d+)-g(\d+)$").astype(int)
    here = pairs.isin(first) == inside
    return RatedDocuments.from_frame(frame[here.all(axis=1)], **columns, group="person")


def _area(documents: RatedDocuments, path: ThresholdPath) -> float:
    """Find the normalised area of a path on other documents."""
    tp, fp = documents.counts_along(path.thresholds)
    return area_below(tp, fp) / (tp[0] * fp[0])


if __name__ == "__main__":
    main()
