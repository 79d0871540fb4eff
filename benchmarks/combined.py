"""Compare the combined score with the union of thresholds, the best score, and other orders.

Prints Markdown. Of a sample of each population: positives of the population that the combined score catches at as many
alerts as the union of the smooth path at a target, more than the better of the union and the best single score, in
percent; and the positives in the first tenth of all alerts in the order of the combined score, beside those of other
orders. Mean over samples and its standard error.
Run: python -m benchmarks.combined [--samples 4] [--positives 30 150 800] [--populations gauss2 ...]
"""

import argparse
from collections.abc import Iterator

import numpy as np
from scipy.stats import rankdata
from sklearn.linear_model import LogisticRegression

from benchmarks.populations import RatedPopulation, population, sample
from benchmarks.regret import KINDS
from benchmarks.reporting import print_setup, print_table
from multiloss_core import RatedDocuments, combined_score, flagged, operating_point, smooth_path
from multiloss_core.numerics import Floats
from multiloss_core.thresholds.data.counts import turning_points

TARGETS = (0.05, 0.2, 0.5)
POSITIVES, NEGATIVES = 20_000, 100_000
POPULATIONS = [name for kind in ("smooth", "stress", "real") for name in KINDS[kind][1]]
# Fewer positives at the union's point say nothing.
LEAST_CAUGHT = 0.02


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=4)
    parser.add_argument("--positives", type=int, nargs="+", default=[30, 150, 800])
    parser.add_argument("--populations", nargs="+", default=POPULATIONS)
    given = parser.parse_args()
    print_setup("The combined score", ("numpy", "scipy", "scikit-learn"), f", {given.samples} samples")
    rows, orders = [], []
    for name in given.populations:
        if population(name).positives.shape[1] < 2:
            continue
        for positives in given.positives:
            found = [_one(population(name), positives, seed) for seed in range(given.samples)]
            gains = np.array([gain for gain, _ in found])
            rows.append([name, positives, *(_mean(column) for column in gains.T)])
            orders.append([name, positives, *(_mean(column) for column in np.array([shares for _, shares in found]).T)])
    targets = [f"{100 * target:g} %" for target in TARGETS]
    title = "Catches more than the better of union and best single score, percent"
    print_table(title, ["population", "positives", *targets], rows)
    names = ["combined score", "best score", "sum of ranks", "path", "logistic", "with squares"]
    print_table("Positives in the first tenth of alerts, percent", ["population", "positives", *names], orders)


def _mean(values: Floats) -> str:
    known = values[np.isfinite(values)]
    if not known.size:
        return "-"
    error = known.std(ddof=1) / np.sqrt(known.size) if known.size > 1 else np.nan
    return f"{known.mean():.1f} ± {error:.1f}"


def _one(source: RatedPopulation, positives: int, seed: int) -> tuple[list[float], list[float]]:
    """Return the gains (m,) at the targets, and the first tenths of each order."""
    documents = sample(source, positives, seed)
    caught, false = source.positives[:POSITIVES], source.negatives[:NEGATIVES]
    scores = np.vstack([caught, false])
    labels = np.arange(len(scores)) < len(caught)
    weights = np.where(labels, 1.0, source.ratio * len(caught) / len(false))
    combined = combined_score(documents).apply(scores)
    path = smooth_path(documents)
    gains = []
    for target in TARGETS:
        flags = flagged(scores, operating_point(path, target).thresholds, "any")
        union, alerts = float(flags[labels].sum()), float(weights[flags].sum())
        best = max(union, *(_caught(column, labels, weights, alerts) for column in scores.T))
        enough = union >= LEAST_CAUGHT * len(caught)
        gains.append(100 * (_caught(combined, labels, weights, alerts) / best - 1) if enough else np.nan)
    tenth = 0.1 * float(weights.sum())
    orders = [combined, *_orders(documents, path.thresholds, scores)]
    return gains, [100 * _caught(order, labels, weights, tenth) / len(caught) for order in orders]


def _caught(order: Floats, labels: Floats, weights: Floats, alerts: float) -> float:
    """Count the positives among the highest documents of an order, up to a weight."""
    ranked = np.lexsort((np.random.default_rng(0).random(len(order)), -order))
    return float(labels[ranked][np.cumsum(weights[ranked]) <= alerts].sum())


def _orders(documents: RatedDocuments, thresholds: Floats, scores: Floats) -> Iterator[Floats]:
    """Order documents by the best score of the sample, ranks, path and logistic regressions."""
    alerts = 0.1 * len(documents.labels)
    ones = np.ones(len(documents.labels))
    yield scores[:, np.argmax([_caught(column, documents.labels, ones, alerts) for column in documents.scores.T])]
    yield np.sum([rankdata(column) for column in scores.T], axis=0)
    yield turning_points(scores, thresholds, "any").astype(float)
    middle, spread = documents.scores.mean(axis=0), documents.scores.std(axis=0)
    for squares in (False, True):
        tables = [(table - middle) / spread for table in (documents.scores, scores)]
        given, new = (np.hstack([table, np.sign(table) * table**2]) if squares else table for table in tables)
        yield LogisticRegression(max_iter=500).fit(given, documents.labels).decision_function(new)


if __name__ == "__main__":
    main()
