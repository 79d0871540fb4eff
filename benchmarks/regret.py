"""Compare the loss of net benefit of the default with the papers' two methods.

Prints Markdown. Regret: the best TP - m / (1 - m) FP over all thresholds minus that of the chosen ones, on the
population, as a share of its rated positives; mean over samples. The papers' methods are the graph path and the power
path on a uniform grid of 100 nodes, each with the raw tangent point. Populations where all classifiers must agree are
under the rule `all`, all others under `any`. Of 3,500 positives a quarter of the samples, of 20,000 an eighth.
Run: python -m benchmarks.regret [--samples 30] [--kinds stress real] [--positives 30 150]
"""

import argparse
import os
import time
from collections.abc import Iterator
from multiprocessing import get_context
from typing import NamedTuple

import numpy as np
import scipy

from benchmarks.populations import (
    FORMS,
    RECIPES,
    VALUES,
    best_thresholds,
    population,
    regret,
    sample,
    target_of_documents,
)
from benchmarks.reporting import print_header, print_row
from benchmarks.stress import AGREEING, REAL, STRESS, SYNTHETIC
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
POSITIVES = (30, 150, 800)
PAPER = ("graph, uniform", "power, uniform")
DEFAULT = "smooth"
# Cells where both lose less than this are left out; ratios below the floor count as the floor.
NOTHING, LOWEST_RATIO = 0.001, 0.02
# Share of zero differences more than two standard errors above zero.
CHANCE_BEYOND_2 = 0.023


_SOME = ("gauss2", "skewed2", "cliff2", "useless2", "mammography_detectors")
KINDS: dict[str, tuple[Rule, list[str]]] = {
    "smooth": ("any", list(RECIPES)),
    "stress": ("any", list(SYNTHETIC)),
    "real": ("any", [name for name in REAL if name in STRESS]),
    "agree": ("all", list(AGREEING)),
    "groups": ("any", list(_SOME)),
    "weights by score": ("any", list(_SOME)),
    "random weights": ("any", list(_SOME)),
    **{form: ("any", list(_SOME)) for form in VALUES},
}


class Cell(NamedTuple):
    """One row of the table."""

    kind: str
    population: str
    rule: Rule
    positives: int


def paths(documents: RatedDocuments, rule: Rule) -> Iterator[tuple[str, ThresholdPath]]:
    """Find the path of every method compared."""
    nodes = 100 if len(documents.names) < 4 else 40
    yield PAPER[0], graph_path(count_surfaces(documents, rule=rule, resolution=nodes, spacing="uniform"))
    yield PAPER[1], analytic_path(documents, family="power", rule=rule, resolution=100, spacing="uniform")
    yield DEFAULT, smooth_path(documents, rule=rule)


def regrets(cell: Cell, seed: int) -> dict[str, list[float]]:
    """Find the regret of every method at every target for one sample."""
    source = population(cell.population)
    documents = FORMS.get(cell.kind, sample)(source, cell.positives, seed)
    return {
        name: [
            regret(source, point.thresholds, target, cell.rule, VALUES.get(cell.kind, 1.0))
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
    arguments.add_argument("--kinds", nargs="*", default=list(KINDS))
    arguments.add_argument("--populations", nargs="*", help="only some of them")
    arguments.add_argument("--positives", nargs="*", type=int, default=list(POSITIVES))
    arguments.add_argument("--rule", help="instead of that of the kind")
    chosen = arguments.parse_args()
    tasks = [
        (Cell(kind, name, chosen.rule or KINDS[kind][0], positives), _samples(chosen.samples, positives))
        for kind in chosen.kinds
        for name in KINDS[kind][1]
        if chosen.populations is None or name in chosen.populations
        for positives in chosen.positives
    ]
    started = time.monotonic()
    with get_context("spawn").Pool(chosen.processes) as pool:
        results = list(pool.imap(measured, tasks))
    report(results, chosen.samples)
    print(f"\n{(time.monotonic() - started) / 60:.0f} minutes on {chosen.processes} processes.")


def _samples(wanted: int, positives: int) -> int:
    return wanted if positives <= 800 else max(wanted // 4 if positives <= 3_500 else wanted // 8, 2)


class Compared(NamedTuple):
    """The default and the better of the papers' methods at one target of a cell."""

    cell: Cell
    target: float
    own: float
    better: float
    standard_errors: float
    flag_nothing: bool

    @property
    def ratio(self) -> float:
        """The default's regret over the better one; NaN where both are negligible."""
        if max(self.own, self.better) < NOTHING:
            return float("nan")
        return self.own / self.better if self.better > 0 else float("inf")


def report(results: list[tuple[Cell, dict[str, np.ndarray]]], samples: int) -> None:
    methods = list(results[0][1])
    print(f"# Regret, {time.strftime('%Y-%m-%d')}, NumPy {np.__version__}, SciPy {scipy.__version__}\n")
    print(
        f"Mean of {samples} samples at m = {' / '.join(map(str, TARGETS))}. "
        "The last column: the default's regret over\n"
        "that of the better of the papers' two methods; in brackets where it is above 1.1, with its distance from the\n"
        "better one in standard errors of the difference, sample by sample; 0 where nothing should be flagged.\n"
    )
    print_header("population, rule, positives", *methods, "ratio")
    compared: list[Compared] = []
    for cell, found in results:
        means = {name: values.mean(axis=0) for name, values in found.items()}
        words = []
        for i in range(len(TARGETS)):
            one = _compared(cell, i, found)
            compared.append(one)
            words.append(_ratio_words(one))
        columns = (" ".join(_short(value) for value in means[name]) for name in methods)
        print_row(f"{_named(cell)}, {cell.rule}, {cell.positives}", *columns, " ".join(words))
    _summary(compared)


def _named(cell: Cell) -> str:
    return f"{cell.population} ({cell.kind})" if cell.kind in FORMS else cell.population


def _compared(cell: Cell, i: int, found: dict[str, np.ndarray]) -> Compared:
    better = min(PAPER, key=lambda name: found[name][:, i].mean())
    difference = found[DEFAULT][:, i] - found[better][:, i]
    error = max(difference.std(ddof=1) / np.sqrt(len(difference)), 1e-12)
    target = target_of_documents(TARGETS[i], VALUES.get(cell.kind, 1.0))
    best = best_thresholds(population(cell.population), target, cell.rule)
    nothing = bool(np.isinf(best).all() if cell.rule == "any" else np.isinf(best).any())
    means = float(found[DEFAULT][:, i].mean()), float(found[better][:, i].mean())
    return Compared(cell, TARGETS[i], *means, float(difference.mean() / error), nothing)


def _ratio_words(one: Compared) -> str:
    if np.isnan(one.ratio):
        return "-"
    words = f"{one.ratio:.2f}" if one.ratio <= 1.1 else f"[{one.ratio:.2f}, {one.standard_errors:.1f}]"
    return f"{words} (0)" if one.flag_nothing else words


def _summary(compared: list[Compared]) -> None:
    """Print a summary by kind and number of positives, with cells with nothing to flag apart."""
    print()
    print_header(
        *("kind", "positives", "cells", "ratio of summed regrets", "geometric mean of ratios", "above 1.1"),
        *("beyond 2 standard errors", "by chance, were they equal", "nothing to flag: cells", "ratio of sums"),
    )
    kinds = dict.fromkeys(one.cell.kind for one in compared)
    for kind in [*kinds, "all of these"] if len(kinds) > 1 else kinds:
        for positives in dict.fromkeys(one.cell.positives for one in compared):
            here = [
                one for one in compared if one.cell.positives == positives and kind in (one.cell.kind, "all of these")
            ]
            apart = [one for one in here if one.flag_nothing]
            counted = [one for one in here if not one.flag_nothing and not np.isnan(one.ratio)]
            ratios = np.array([one.ratio for one in counted])
            mean = np.exp(np.mean(np.log(ratios.clip(LOWEST_RATIO, 1 / LOWEST_RATIO)))) if len(ratios) else np.nan
            worse = [one for one in counted if one.ratio > 1.1]
            beyond = sum(one.standard_errors > 2 for one in worse)
            print_row(
                *(kind, positives, len(counted), f"{_ratio_of_sums(counted):.2f}", f"{mean:.2f}", len(worse), beyond),
                *(f"{CHANCE_BEYOND_2 * len(counted):.1f}", len(apart), f"{_ratio_of_sums(apart):.2f}"),
            )
    print(f"\nRatios outside {LOWEST_RATIO} to {1 / LOWEST_RATIO:.0f} count as these in geometric means.")


def _ratio_of_sums(compared: list[Compared]) -> float:
    better = sum(one.better for one in compared)
    return sum(one.own for one in compared) / better if better else float("nan")


def _short(value: float) -> str:
    return f"{value:.4f}".removeprefix("0") if value >= 0.00005 else "0"


if __name__ == "__main__":
    main()
