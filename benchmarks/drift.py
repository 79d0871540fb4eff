"""Measure what the default path loses after a file in which fraud changes; print Markdown.

Run: python -m benchmarks.drift [samples]
Two scores; each fraud is high on one of them. `gradual`: the share of frauds of the first score falls from .95 to .05
over the file; `break`: it does so at once at 70 % of the file; `rise`: all scores rise by 1.5 standard deviations;
`none`: nothing changes. Regret: the best TP - m / (1 - m) FP of all thresholds, minus that of the chosen ones, on
alerts of the fifth of a file that follows, as a share of their frauds; mean over samples and m = .2, .5 and .8. Seeds
are fixed.
"""

import sys
from functools import cache
from typing import NamedTuple

import numpy as np

from benchmarks.reporting import print_setup, print_table
from multiloss_core import RatedDocuments, analytic_path, count_surfaces, graph_path, operating_points
from multiloss_core.numerics import Bools, Floats
from multiloss_core.thresholds.paths.smooth.path import path_of_fit
from multiloss_core.thresholds.paths.smooth.smooth_fit import smooth_fit

KINDS, POSITIVES, SAMPLES = ("none", "gradual", "break", "rise"), (30, 150, 800), 40
TARGETS = (0.2, 0.5, 0.8)
STRENGTH, FLOOR, NEGATIVES_PER_POSITIVE, DAYS = 3.0, 2.2, 15, 91
POSITIVES_OF_TRUTH, LATER = 20_000, 1.2


class Alerts(NamedTuple):
    """Scores (n, 2), labels (n,) and times (n,), from 0 to 1 in a file."""

    scores: Floats
    labels: Bools
    times: Floats


def alerts(kind: str, positives: int, generator: np.random.Generator, start: float = 0.0, end: float = 1.0) -> Alerts:
    """Draw alerts above a floor by the order of their times."""
    parts = []
    for positive, count in ((True, positives), (False, positives * NEGATIVES_PER_POSITIVE)):
        found = 0
        while found < count:
            times = generator.uniform(start, end, 40 * count)
            scores = _scores(kind, times, positive, generator)
            raised = np.flatnonzero((scores >= FLOOR).any(axis=1))[: count - found]
            parts.append(Alerts(scores[raised], np.full(raised.size, positive), times[raised]))
            found += raised.size
    scores, labels, times = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    order = np.argsort(times)
    return Alerts(scores[order], labels[order], times[order])


def documents_of(found: Alerts, *, aged: bool) -> RatedDocuments:
    """Make rated documents of alerts, with their ages or without."""
    ages = (found.times.max() - found.times) * DAYS if aged else None
    return RatedDocuments(found.scores, found.labels, floors=[FLOOR, FLOOR], ages=ages)


def main() -> None:
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else SAMPLES
    print_setup("Loss on the period after a file in which fraud changes", ["numpy", "scipy"], f". {samples} samples.")
    rows = []
    for kind in KINDS:
        for positives in POSITIVES:
            found = [_regrets(kind, positives, seed) for seed in range(samples)]
            regrets = np.array([regret for regret, _ in found])
            means, errors = regrets.mean(axis=0), regrets.std(axis=0) / np.sqrt(samples)
            used = np.array([half_life is not None for _, half_life in found])
            cells = [f"{mean:.4f} ± {error:.4f}" for mean, error in zip(means, errors, strict=True)]
            rows.append((kind, str(positives), *cells, f"{used.mean():.0%}"))
    print_table(
        "Regret and its standard error",
        ("change", "rated positives", "graph", "power", "equal weights", "default", "age weights used"),
        rows,
    )


def _regrets(kind: str, positives: int, seed: int) -> tuple[list[float], float | None]:
    sample = alerts(kind, positives, np.random.default_rng(seed))
    equal, aged = (documents_of(sample, aged=aged) for aged in (False, True))
    fit = smooth_fit(aged)
    paths = (
        graph_path(count_surfaces(equal, rule="any", resolution=100, spacing="uniform")),
        analytic_path(equal, family="power", rule="any", resolution=100, spacing="uniform"),
        path_of_fit(equal, smooth_fit(equal), "any"),
        path_of_fit(aged, fit, "any"),
    )
    later = _later(kind)
    found = [
        np.mean(
            [
                (_best(kind, target) - value_of(later, point.thresholds, target)) / POSITIVES_OF_TRUTH
                for point, target in zip(operating_points(path, TARGETS), TARGETS, strict=True)
            ]
        )
        for path in paths
    ]
    return [float(value) for value in found], None if fit.age_weights is None else fit.age_weights.half_life


def _scores(kind: str, times: Floats, positive: bool, generator: np.random.Generator) -> Floats:
    scores = generator.standard_normal((len(times), 2))
    if positive:
        of_first = {"gradual": 0.95 - 0.9 * times, "break": np.where(times < 0.7, 0.95, 0.05)}
        first = generator.random(len(times)) < of_first.get(kind, np.full(len(times), 0.5)).clip(0.05, 0.95)
        scores[:, 0] += np.where(first, STRENGTH, 0.5)
        scores[:, 1] += np.where(first, 0.5, STRENGTH)
    return scores + (1.5 * times if kind == "rise" else np.zeros(len(times)))[:, np.newaxis]


@cache
def _later(kind: str) -> Alerts:
    return alerts(kind, POSITIVES_OF_TRUTH, np.random.default_rng(99), 1.0, LATER)


@cache
def _best(kind: str, target: float) -> float:
    return best_value(_later(kind), target, np.linspace(FLOOR, 8.0, 150))


def value_of(found: Alerts | RatedDocuments, thresholds: Floats, target: float) -> float:
    """Compute TP - m / (1 - m) FP at thresholds."""
    flagged = (found.scores >= thresholds).any(axis=1)
    return float((flagged & found.labels).sum() - target / (1 - target) * (flagged & ~found.labels).sum())


def best_value(found: Alerts | RatedDocuments, target: float, grid: Floats) -> float:
    """Find the largest value of thresholds on a grid, or of none."""
    ends = np.append(grid, np.inf)
    places = tuple(np.searchsorted(ends, column, side="right") for column in found.scores.T)
    table = np.zeros((len(ends) + 1,) * 2)
    np.add.at(table, places, np.where(found.labels, 1.0, -target / (1 - target)))
    below = table.cumsum(axis=0).cumsum(axis=1)
    return float((table.sum() - below[: len(ends), : len(ends)]).max())


if __name__ == "__main__":
    main()
