"""Select thresholds on one half of real data and count them on the other.

`python -m benchmarks.real_halves [--splits 20] [--tables …]` prints Markdown. The public biometric files are split by
persons: a row compares two of them (columns `pair_id` and `person`); rows of two persons of one half
belong to that half, rows across are dropped, so no person is in both. Of the other tables, each scored by two detectors
that were trained without the row, rows are split at random; what lies at or above the median of a score is rated. Each
split is used in both directions. What such halves can show at most: halves are drawn from populations like these
tables (`benchmarks.stress`), and the best thresholds of the population are compared with hindsight, too.
"""

import argparse
import json
import os
import time
from collections.abc import Iterator
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from benchmarks.populations import RatedPopulation, best_thresholds, population, sample
from benchmarks.reporting import print_header, print_row, print_setup
from benchmarks.stress import STRESS, available_detectors, real_scores
from multiloss_core import (
    RatedDocuments,
    ThresholdPath,
    analytic_path,
    count_surfaces,
    graph_path,
    operating_points,
    read_table,
    smooth_path,
)
from multiloss_core.generalisation import cross_fit
from multiloss_core.numerics import Floats
from multiloss_core.thresholds import Rule

FOLDER = Path(__file__).resolve().parents[2] / "shared/data/rated"
TARGETS = (0.05, 0.2, 0.5, 0.8)
FILES = ("bssr1_two_scores_rated", "bssr1_four_scores_rated")
RULES: tuple[Rule, ...] = ("any", "all")
DEFAULT, PAPER = "smooth", ("graph, uniform", "power, uniform")
# Rated: documents at or above this quantile of some score.
FLOOR = 0.5


class Case(NamedTuple):
    """A table and a rule."""

    table: str
    rule: Rule


class Halved(NamedTuple):
    """Selections of one half counted on the other, by method and target.

    `gains` (methods, targets): TP - m / (1 - m) FP on the other half. `best` (targets,): the largest there is.
    `claimed` and `found` (2, targets): TP and FP of the default, cross-fitted within its half and on the other one.
    """

    positives: int
    gains: Floats
    best: Floats
    claimed: Floats
    found: Floats


def paths(documents: RatedDocuments, rule: Rule) -> dict[str, ThresholdPath]:
    nodes = 100 if len(documents.names) < 4 else 40
    surfaces = partial(count_surfaces, documents, rule=rule)
    return {
        DEFAULT: smooth_path(documents, rule=rule),
        PAPER[0]: graph_path(surfaces(resolution=nodes, spacing="uniform")),
        PAPER[1]: analytic_path(documents, family="power", rule=rule, resolution=100, spacing="uniform"),
    }


def halved(train: RatedDocuments, other: RatedDocuments, rule: Rule) -> Halved:
    """Choose on one half, count on the other."""
    thresholds = {name: chosen_by(path) for name, path in paths(train, rule).items()}
    values = np.array([gains(other, chosen, rule) for chosen in thresholds.values()])
    counts = [other.counts_at(at, rule) for at in thresholds[DEFAULT]]
    found = np.array([[one.tp for one in counts], [one.fp for one in counts]])
    claim = cross_fit(train, {DEFAULT: partial(smooth_path, rule=rule)}, TARGETS)[DEFAULT]
    claimed = np.array([claim.tp, claim.fp])
    return Halved(int(train.labels.sum()), values, hindsight(other, rule), claimed, found)


class Truth(NamedTuple):
    """Mean loss (targets,) on halves of a population: of the graph and of its best thresholds."""

    graph: Floats
    best: Floats


def of_truth(case: Case, positives: int, splits: int) -> Truth:
    """Measure what the truth itself loses against hindsight on the other half."""
    source, losses = population(case.table), []
    thresholds = [best_thresholds(source, target, case.rule) for target in TARGETS]
    for seed in range(splits):
        train, other = sample(source, positives, 2 * seed), sample(source, positives, 2 * seed + 1)
        graph = graph_path(count_surfaces(train, rule=case.rule, spacing="uniform"))
        best = hindsight(other, case.rule)
        losses.append([best - gains(other, ways, case.rule) for ways in (chosen_by(graph), thresholds)])
    return Truth(*np.mean(losses, axis=0))


def chosen_by(path: ThresholdPath) -> list[Floats]:
    """Find the thresholds of each target."""
    return [point.thresholds for point in operating_points(path, TARGETS)]


def gains(documents: RatedDocuments, thresholds: list[Floats], rule: Rule) -> Floats:
    """Count TP - m / (1 - m) FP at the thresholds of each target."""
    counts = [documents.counts_at(at, rule) for at in thresholds]
    return np.array([one.tp - m / (1 - m) * one.fp for one, m in zip(counts, TARGETS, strict=True)])


def hindsight(documents: RatedDocuments, rule: Rule) -> Floats:
    """Find the largest TP - m / (1 - m) FP on these documents at each target."""
    rows = documents.scores[documents.labels], documents.scores[~documents.labels]
    known = RatedPopulation(*rows, len(rows[1]) / len(rows[0]), documents.floors)
    return gains(documents, [best_thresholds(known, target, rule) for target in TARGETS], rule)


def halves(table: str, seed: int) -> Iterator[RatedDocuments]:
    """Split a table into two."""
    generator = np.random.default_rng(seed)
    if table in FILES:
        frame, columns = _read(table)
        first = generator.permutation(frame["person"].unique())
        pairs = frame["pair_id"].str.extract(r"^p(\d+)-g(\d+)$").astype(int)
        here = pairs.isin(first[: len(first) // 2])
        for inside in (here, ~here):
            yield RatedDocuments.from_frame(frame[inside.all(axis=1)], **columns, group="person")
        return
    scores, labels = real_scores(table)
    floors = np.quantile(scores, FLOOR, axis=0)
    rated = (scores >= floors).any(axis=1)
    scores, labels = scores[rated], labels[rated]
    order = generator.permutation(len(labels))
    for rows in np.array_split(order, 2):
        yield RatedDocuments(scores[rows], labels[rows], floors=floors.tolist())


def read_rated(file: Path) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Read a file and the arguments of `RatedDocuments.from_frame` for its columns."""
    facts = json.loads(file.with_suffix(".json").read_text(encoding="utf-8"))
    columns = {"scores": facts["scores"], "label": facts["label"], "positive": 1, "floors": facts["rating_floors"]}
    return read_table(file.read_bytes(), file.name), columns


@cache
def _read(name: str) -> tuple[pd.DataFrame, dict[str, Any]]:
    return read_rated(FOLDER / f"{name}.csv")


def measured(task: tuple[Case, int]) -> tuple[Case, list[Halved], Truth | None]:
    (table, rule), splits = task
    found = []
    for seed in range(splits):
        two = list(halves(table, seed))
        found += [halved(train, other, rule) for train, other in (two, two[::-1])]
    truth = of_truth(task[0], found[0].positives, 2 * splits) if table in STRESS else None
    return task[0], found, truth


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--splits", type=int, default=20)
    arguments.add_argument("--processes", type=int, default=os.cpu_count())
    tables = [name for name in FILES if (FOLDER / f"{name}.csv").exists()] + available_detectors()
    arguments.add_argument("--tables", nargs="*", default=tables)
    chosen = arguments.parse_args()
    started = time.monotonic()
    tasks = [(Case(table, rule), chosen.splits) for table in chosen.tables for rule in RULES]
    with get_context("spawn").Pool(chosen.processes) as pool:
        results = list(pool.imap(measured, tasks, chunksize=1))
    print_setup("Real halves", ("numpy", "scipy"), f", {chosen.splits} splits in both directions.")
    report(results)
    print(f"\n{(time.monotonic() - started) / 60:.0f} minutes on {chosen.processes} processes.")


def report(results: list[tuple[Case, list[Halved], Truth | None]]) -> None:
    print(
        "TP - m / (1 - m) FP on the other half, in per cent of the best in hindsight there. The difference of the\n"
        "default from the better of the papers' two methods (chosen by its mean) in documents, ± its standard error\n"
        "corrected for halves that overlap between splits (Nadeau, Bengio 2003).\n"
    )
    print_header("table, rule, positives choosing", "m", DEFAULT, *PAPER, "difference", "± corrected", "halves worse")
    sums, worse, cells = np.zeros(3), [], 0
    for case, found, _ in results:
        name = f"{case.table}, {case.rule}, {np.mean([one.positives for one in found]):.0f}"
        for j, target in enumerate(TARGETS):
            gained, best = np.array([one.gains[:, j] for one in found]), np.mean([one.best[j] for one in found])
            own, *others = gained.mean(axis=0)
            better = int(np.argmax(others)) + 1
            lost = gained[:, 0] - gained[:, better]
            # Each half chooses as many as it leaves.
            error = float(lost.std(ddof=1) * np.sqrt(1 / len(lost) + 1))
            shares = [f"{100 * value / best:.1f}" if best > 0 else "-" for value in (own, *others)]
            difference = own - max(others)
            sums += best - own, best - max(others), best - others[0]
            cells += 1
            if difference < -2 * error:
                worse.append(f"{case.table} under {case.rule} at {target}")
            print_row(name, target, *shares, f"{difference:+.2f}", f"{error:.2f}", f"{100 * np.mean(lost < 0):.0f} %")
    print(
        f"\nSum over these {cells} rows of what is lost against hindsight: the default {sums[0]:.1f} documents, the "
        f"better of the papers' methods {sums[1]:.1f}, ratio {sums[0] / sums[1]:.2f}; the graph {sums[2]:.1f}, ratio "
        f"{sums[0] / sums[2]:.2f}.\n"
        f"Worse by more than two corrected standard errors: {', '.join(worse) or 'nowhere'}."
    )
    _report_truth([(case, truth) for case, _, truth in results if truth is not None])
    print("\n## The default: cross-fitted estimates of one half, and counts on the other\n")
    print_header("table, rule", "m", "TP claimed", "found", "FP claimed", "found")
    for case, found, _ in results:
        claimed, counted = (np.mean([getattr(one, part) for one in found], axis=0) for part in ("claimed", "found"))
        for j, target in enumerate(TARGETS):
            words = [f"{value:.1f}" for kind in (0, 1) for value in (claimed[kind, j], counted[kind, j])]
            print_row(f"{case.table}, {case.rule}", target, *words)


def _report_truth(known: list[tuple[Case, Truth]]) -> None:
    """Print how far the truth's own thresholds would be from the graph on such halves."""
    print("\n## What the truth would show on halves of populations like these tables\n")
    print_header("table, rule", "the graph loses", "the truth loses", "ratio")
    sums = np.zeros(2)
    for case, truth in known:
        graph, best = float(truth.graph.sum()), float(truth.best.sum())
        sums += graph, best
        print_row(f"{case.table}, {case.rule}", f"{graph:.1f}", f"{best:.1f}", f"{best / graph:.2f}")
    print(
        f"\nHindsight flatters itself: even the best thresholds of the population lose {sums[1]:.1f} documents against "
        f"it on the other half, the graph {sums[0]:.1f}. No method can be expected to show less than "
        f"{sums[1] / sums[0]:.2f} times the loss of the graph on such halves."
    )


if __name__ == "__main__":
    main()
