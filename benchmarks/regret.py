"""How much net benefit the chosen thresholds lose on the population, for every method, against the papers' two.

Prints Markdown. Regret: the best TP - m / (1 - m) FP over all thresholds minus that of the chosen ones, on the
population, as a share of its rated positives; mean over samples. The papers' methods are the graph path and the power
path on a uniform grid of 100 nodes, each with the raw tangent point. Run: python -m benchmarks.regret [--samples 30]
"""

import argparse
import os
import time
from collections.abc import Iterator
from functools import partial
from multiprocessing import get_context
from typing import NamedTuple

import numpy as np
import scipy

from benchmarks.shared.populations import RECIPES, population, regret, sample
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
from multiloss_core.thresholds import Rule

TARGETS = (0.05, 0.2, 0.5, 0.8)
POSITIVES = (30, 150, 800, 3500)
PAPER = ("graph, uniform", "power, uniform")
DEFAULT = "smooth"
# Cells where both lose less than this are left out; ratios below the floor count as the floor.
NOTHING, LOWEST_RATIO = 0.001, 0.02


class Cell(NamedTuple):
    """One row of the table."""

    population: str
    rule: Rule
    positives: int


def paths(documents: RatedDocuments, rule: Rule) -> Iterator[tuple[str, ThresholdPath]]:
    """Find the path of every method compared."""
    surfaces = partial(count_surfaces, documents, rule=rule)
    nodes = 100 if len(documents.names) < 4 else 40
    yield "graph, uniform", graph_path(surfaces(resolution=nodes, spacing="uniform"))
    yield "power, uniform", analytic_path(documents, family="power", rule=rule, resolution=100, spacing="uniform")
    nodes = {1: 300, 2: 100, 3: 60, 4: 24}[len(documents.names)]
    yield "graph, positives", graph_path(surfaces(resolution=nodes, spacing="positives"))
    yield "beta, quantile", analytic_path(documents, family="beta", rule=rule)
    yield DEFAULT, smooth_path(documents, rule=rule)


def regrets(cell: Cell, seed: int) -> dict[str, list[float]]:
    """Find the regret of every method at every target for one sample."""
    source = population(cell.population)
    documents = sample(source, cell.positives, seed)
    return {
        name: [
            regret(source, point.thresholds, target, cell.rule)
            for point, target in zip(operating_points(path, TARGETS), TARGETS, strict=True)
        ]
        for name, path in paths(documents, cell.rule)
    }


def measured(task: tuple[Cell, int]) -> tuple[Cell, dict[str, np.ndarray]]:
    cell, samples = task
    found = [regrets(cell, seed) for seed in range(samples)]
    return cell, {name: np.array([one[name] for one in found]) for name in found[0]}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--samples", type=int, default=30)
    arguments.add_argument("--processes", type=int, default=os.cpu_count())
    arguments.add_argument("--populations", nargs="*", default=list(RECIPES))
    arguments.add_argument("--positives", nargs="*", type=int, default=list(POSITIVES))
    arguments.add_argument("--rules", nargs="*", default=["any", "all"])
    chosen = arguments.parse_args()
    tasks = [
        (Cell(name, rule, positives), chosen.samples)
        for rule in chosen.rules
        for name in chosen.populations
        for positives in chosen.positives
    ]
    started = time.monotonic()
    with get_context("spawn").Pool(chosen.processes) as pool:
        results = list(pool.imap(measured, tasks))
    report(results, chosen.samples)
    print(f"\n{(time.monotonic() - started) / 60:.0f} minutes on {chosen.processes} processes.")


def report(results: list[tuple[Cell, dict[str, np.ndarray]]], samples: int) -> None:
    methods = list(results[0][1])
    print(f"# Regret, {time.strftime('%Y-%m-%d')}, NumPy {np.__version__}, SciPy {scipy.__version__}\n")
    print(
        f"Mean of {samples} samples at m = {' / '.join(map(str, TARGETS))}. "
        "The last column: the default's regret over\n"
        "that of the better of the papers' two methods; in brackets where it is above 1.1, with its distance from the\n"
        "better one in standard errors of the difference, sample by sample.\n"
    )
    print_header("population, rule, positives", *methods, "ratio")
    ratios: dict[tuple[str, int], list[float]] = {}
    worse = []
    for cell, found in results:
        means = {name: values.mean(axis=0) for name, values in found.items()}
        words = []
        for i, target in enumerate(TARGETS):
            better = min(PAPER, key=lambda name: means[name][i])
            base, own = means[better][i], means[DEFAULT][i]
            if base < NOTHING and own < NOTHING:
                words.append("-")
                continue
            ratio = own / base if base > 0 else float("inf")
            difference = found[DEFAULT][:, i] - found[better][:, i]
            errors = difference.mean() / max(difference.std(ddof=1) / np.sqrt(samples), 1e-12)
            for key in (cell.rule, "both"):
                ratios.setdefault((key, cell.positives), []).append(ratio)
            words.append(f"{ratio:.2f}" if ratio <= 1.1 else f"[{ratio:.2f}, {errors:.1f}]")
            if ratio > 1.1:
                worse.append((cell, target, own - base, errors))
        columns = (" ".join(_short(value) for value in means[name]) for name in methods)
        print_row(f"{cell.population}, {cell.rule}, {cell.positives}", *columns, " ".join(words))
    print()
    print_header(
        "rule", "positives", "cells", "geometric mean of ratios", "above 1.1", "of them beyond 2 standard errors"
    )
    for (rule, positives), values in ratios.items():
        mean = float(np.exp(np.mean(np.log(np.clip(values, LOWEST_RATIO, 1 / LOWEST_RATIO)))))
        here = [errors for cell, _, _, errors in worse if cell.positives == positives and rule in (cell.rule, "both")]
        print_row(rule, positives, len(values), f"{mean:.2f}", len(here), sum(e > 2 for e in here))
    print(f"\nRatios outside {LOWEST_RATIO} to {1 / LOWEST_RATIO:.0f} count as these.")


def _short(value: float) -> str:
    return f"{value:.4f}".removeprefix("0") if value >= 0.00005 else "0"


if __name__ == "__main__":
    main()
