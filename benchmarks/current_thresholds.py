"""Measure what current thresholds bring as a prior, by their quality.

Prints Markdown. At each target the current thresholds are the best ones of the population, moved to more alerts on
every other classifier and to fewer on the rest: by a factor of 1.16 (good), 1.5 (mediocre) or 7.4 (bad). Regret at that
target, summed over populations and targets, relative to the default without them.
Run: python -m benchmarks.current_thresholds [--samples 5] [--positives 30 150]
"""

import argparse
import os
import time
from multiprocessing import get_context

import numpy as np

from benchmarks.populations import RatedPopulation, best_thresholds, population, regret, sample
from benchmarks.regret import KINDS, TARGETS
from benchmarks.reporting import print_header, print_row, print_setup
from multiloss_core import operating_point, smooth_path
from multiloss_core.numerics import Floats
from multiloss_core.thresholds import Rule

NAMES = ("gauss2", "skewed2", "cliff2", "useless2", "agree2", "strong_agree2", "card_detectors", "letter_detectors")
FACTORS = {"good": 0.15, "mediocre": 0.4, "bad": 2.0, "bad, other way": -2.0}


def moved(source: RatedPopulation, best: Floats, change: float) -> Floats:
    """Move thresholds (k,) by a change in the logarithm of their alerts, of changing sign."""
    thresholds = []
    share = source.share_positive
    for j, value in enumerate(best):
        positives, negatives = source.positives[:, j], source.negatives[:, j]
        scores = np.concatenate([positives, negatives])
        weights = np.repeat([share / len(positives), (1 - share) / len(negatives)], [len(positives), len(negatives)])
        order = np.argsort(-scores)
        above = np.cumsum(weights[order])
        alerts = max(float(weights[scores >= value].sum()), 1e-5) * np.exp(change * (-1) ** j)
        place = min(int(np.searchsorted(above, alerts)), len(order) - 1)
        thresholds.append(max(float(scores[order[place]]), float(source.floors[j])))
    return np.array(thresholds)


def measured(task: tuple[str, int, int]) -> dict[str, float]:
    """Sum the regret of one population over targets, mean over samples."""
    name, positives, samples = task
    rule: Rule = "all" if name in KINDS["agree"][1] else "any"
    source = population(name)
    found = dict.fromkeys(("none", *FACTORS), 0.0)
    for target in TARGETS:
        best = best_thresholds(source, target, rule)
        known = {"none": None} | {kind: moved(source, best, change) for kind, change in FACTORS.items()}
        for seed in range(samples):
            documents = sample(source, positives, seed)
            for kind, current in known.items():
                point = operating_point(smooth_path(documents, rule=rule, current=current), target)
                found[kind] += regret(source, point.thresholds, target, rule) / samples
    return found


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--samples", type=int, default=5)
    arguments.add_argument("--positives", nargs="*", type=int, default=[30, 150])
    chosen = arguments.parse_args()
    started = time.monotonic()
    print_setup("Current thresholds as a prior", ("numpy", "scipy"), f", {chosen.samples} samples.")
    print_header("positives", "population", "regret without", *(f"{kind}, relative" for kind in FACTORS))
    with get_context("spawn").Pool(os.cpu_count()) as pool:
        for positives in chosen.positives:
            tasks = [(name, positives, chosen.samples) for name in NAMES]
            rows = dict(zip(NAMES, pool.map(measured, tasks, chunksize=1), strict=True))
            rows["all"] = {kind: sum(row[kind] for row in rows.values()) for kind in rows[NAMES[0]]}
            for name, row in rows.items():
                shares = (f"{row[kind] / row['none']:.2f}" for kind in FACTORS)
                print_row(positives, name, f"{row['none']:.3f}", *shares)
    print(f"\n{(time.monotonic() - started) / 60:.0f} minutes.")


if __name__ == "__main__":
    main()
