"""How true are TP and FP of chosen thresholds? `python -m benchmarks.optimism [seeds] [folds …]` prints Markdown.

Thresholds are chosen on samples of simulated populations. What they do on their own sample (in-sample) and what
cross-fitting says of them (plain, and adjusted for the smaller number of documents) is compared with what they do on
the population. The luck of each sample is taken out of all of them by fixed thresholds, the best of the population,
whose expectation is known, and for the area by a fixed path: it has mean zero and only makes the differences clearer.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from benchmarks.shared.populations import RatedPopulation, area_below, best_thresholds, population, sample, true_rates
from benchmarks.shared.reporting import print_header, print_row
from multiloss_core import (
    RatedDocuments,
    ThresholdPath,
    analytic_path,
    count_surfaces,
    graph_path,
    operating_points,
    smooth_path,
)
from multiloss_core.generalisation import CrossFittedCounts, cross_fit
from multiloss_core.numerics import Floats
from multiloss_core.thresholds.data.counts import flagged_weights

POPULATIONS = ("gauss2", "skewed2", "discrete2")
POSITIVES = (150, 800)
TARGETS = (0.2, 0.5)
SEEDS = 16
FOLDS = (5, 10)
KINDS = ("TP", "FP", "area")
REFERENCE_POSITIVES = 5_000


def graph(documents: RatedDocuments) -> ThresholdPath:
    return graph_path(count_surfaces(documents, resolution=100 if len(documents.names) < 3 else 60))


METHODS = {"smooth": smooth_path, "graph": graph, "power": analytic_path}


@dataclass(frozen=True, eq=False)
class Cell:
    """TP, FP and area of one method at one target over all samples: truth (s, 3) and each claim (s, 3), less luck."""

    source: str
    positives: int
    method: str
    target: float
    truth: Floats
    claims: dict[str, Floats]


def main() -> None:
    numbers = [int(argument) for argument in sys.argv[1:]]
    seeds, folds = (numbers[0] if numbers else SEEDS), tuple(numbers[1:]) or FOLDS
    cells = [
        cell
        for name in POPULATIONS
        for positives in POSITIVES
        for cell in _cells(name, population(name), positives, seeds, folds)
    ]
    titles = list(cells[0].claims)
    print(f"# Optimism of chosen thresholds, {seeds} samples each\n")
    print("Mean count; in brackets the mean difference from the truth in per cent ± its standard error.\n")
    for kind, name in enumerate(KINDS):
        print(f"\n## {name}\n")
        print_header("population", "positives", "method", "m", "truth", *titles)
        # The area belongs to the path, whatever the target.
        for cell in cells if name != "area" else cells[:: len(TARGETS)]:
            words = [f"{cell.truth[:, kind].mean():.4g}"]
            for title in titles:
                mean, error = _difference(cell, title, kind)
                words.append(f"{cell.claims[title][:, kind].mean():.4g} ({mean:+.1f} ± {error:.1f})")
            print_row(cell.source, cell.positives, cell.method, cell.target, *words)
    for kind, name in enumerate(KINDS):
        print(f"\n## {name}: mean of the populations' differences, per cent of the truth\n")
        print_header("positives", "method", "m", *titles)
        for positives, method, target in product(POSITIVES, METHODS, TARGETS):
            if name != "area" or target == TARGETS[0]:
                same = [c for c in cells if (c.positives, c.method, c.target) == (positives, method, target)]
                words = [_pooled(same, title, kind) for title in titles]
                print_row(positives, method, target, *words)


def _cells(name: str, source: RatedPopulation, positives: int, seeds: int, folds: tuple[int, ...]) -> Iterator[Cell]:
    shape = (len(METHODS), len(TARGETS), seeds, len(KINDS))
    truth, claims = np.empty(shape), {}
    scale = positives / source.share_positive
    fixed_path = graph(sample(source, REFERENCE_POSITIVES, 1_000_000))
    for seed in range(seeds):
        documents = sample(source, positives, seed)
        luck = _luck(source, documents, fixed_path, scale)
        paths = {method: find(documents) for method, find in METHODS.items()}
        for i, path in enumerate(paths.values()):
            truth[i, :, seed, 2] = _true_area(source, path)
            for j, point in enumerate(operating_points(path, TARGETS)):
                truth[i, j, seed, :2] = np.multiply(true_rates(source, point.thresholds, "any"), scale)
        for number in folds:
            held_out = cross_fit(documents, _known(documents, paths), TARGETS, folds=number)
            for i, counts in enumerate(held_out.values()):
                for title, values in _claims(counts, number).items():
                    claims.setdefault(title, np.empty(shape))[i, :, seed] = np.column_stack(values) - luck
    for i, method in enumerate(METHODS):
        for j, target in enumerate(TARGETS):
            yield Cell(name, positives, method, target, truth[i, j], {title: x[i, j] for title, x in claims.items()})


def _claims(counts: CrossFittedCounts, folds: int) -> dict[str, tuple[Floats, Floats, Floats]]:
    areas = np.ones(len(TARGETS))
    return {
        "in-sample": (counts.in_sample.tp, counts.in_sample.fp, counts.in_sample_area * areas),
        f"{folds} folds, plain": (counts.plain.tp, counts.plain.fp, counts.plain_area * areas),
        f"{folds} folds, adjusted": (counts.tp, counts.fp, counts.area * areas),
    }


def _known(documents: RatedDocuments, paths: dict[str, ThresholdPath]) -> dict[str, Callable[..., ThresholdPath]]:
    """Give the methods, without fitting again to the documents whose path is known."""
    return {name: lambda part, name=name: paths[name] if part is documents else METHODS[name](part) for name in METHODS}


def _luck(source: RatedPopulation, documents: RatedDocuments, fixed_path: ThresholdPath, scale: float) -> Floats:
    """Find TP, FP and area of fixed thresholds and of a fixed path, less their expectation, (targets, 3)."""
    tp, fp = documents.counts_along(fixed_path.thresholds, "any")
    area = replace(fixed_path, tp=tp, fp=fp).normalised_area - _true_area(source, fixed_path)
    rows = []
    for target in TARGETS:
        fixed = best_thresholds(source, target, "any")
        luck = np.array([*documents.counts_at(fixed)]) - np.multiply(true_rates(source, fixed, "any"), scale)
        rows.append([*luck, area])
    return np.array(rows)


def _true_area(source: RatedPopulation, path: ThresholdPath) -> float:
    kinds = source.positives, source.negatives
    return area_below(
        *(flagged_weights(scores, np.ones(len(scores)), path.thresholds, "any") / len(scores) for scores in kinds)
    )


def _difference(cell: Cell, title: str, kind: int) -> tuple[float, float]:
    """Find the mean difference from the truth and its standard error, in per cent of the mean truth."""
    difference = (cell.claims[title] - cell.truth)[:, kind]
    unit = 100 / cell.truth[:, kind].mean()
    return float(difference.mean() * unit), float(difference.std(ddof=1) / np.sqrt(len(difference)) * unit)


def _pooled(cells: list[Cell], title: str, kind: int) -> str:
    differences = np.array([_difference(cell, title, kind) for cell in cells])
    error = np.sqrt(np.square(differences[:, 1]).sum()) / len(cells)
    return f"{differences[:, 0].mean():+.2f} ± {error:.2f}"


if __name__ == "__main__":
    main()
