"""Compare ways to predict labels row by row: mean F1 of a row, and time; print Markdown.

Run: python -m benchmarks.batches [rows]
Labels are independent given 15 features: logistic with drawn coefficients and rates, some 3 labels a row. One
feature moves all labels of a row by its common effect, as of documents with many and with few tags. Logistic
regressions, fitted on 2,000 rows, give the probabilities of all methods. The F1 of a row without positives and flags
is 1. A threshold is tuned on the fitted rows by cross-validation; the best threshold in hindsight, on the rows of the
table, bounds every single threshold. Differences are from the exact optimum, over the same rows. The expected F1 takes
the probabilities for the truth. rankseg and xCOLUMNs flag at least one label: compare them with that line of Multiloss.
Packages that are not installed are named as such.
"""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from sys import argv
from time import perf_counter, process_time
from typing import Any, TypeVar

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import TunedThresholdClassifierCV, cross_val_predict

from benchmarks.reporting import print_setup, print_table
from multiloss_core import AM, G_TP_PR, JACCARD, F, TopKClassifier, batch_top_k
from multiloss_core.numerics.arrays import Bools, Floats

T = TypeVar("T")

ROWS, FITTED, FEATURES = 10_000, 2_000, 15
SIZES = (10, 20, 50)
# Rows for a method that takes longer.
SLOW = 1_000
THRESHOLDS = np.arange(1, 100) / 100
# Rows, items and tolerance of each timed call.
TIMED = ((10_000, 50, 1e-9), (1, 65_536, 1e-6), (1, 262_144, 1e-6), (1, 1_000_000, 1e-9))
OTHERS = ("rankseg", "xcolumns")


def main() -> None:
    rows = int(argv[1]) if len(argv) > 1 else ROWS
    installed = [name for name in OTHERS if find_spec(name)]
    missing = [name for name in OTHERS if name not in installed]
    print_setup(
        "Predictions by row",
        ["NumPy", "scikit-learn", *installed],
        f". {rows:,} rows." + (f" Not installed: {', '.join(missing)}." if missing else ""),
    )
    for common in (2.0, 1.0, 0.0):
        for n in SIZES:
            show_labels(n, common, rows, installed)
    show_times()


def show_labels(n: int, common: float, rows: int, installed: list[str]) -> None:
    """Compare all methods on n labels, of which one feature moves all by `common`."""
    generator = np.random.default_rng(n)
    weights, rates = generator.normal(size=(FEATURES, n)) * 0.4, generator.normal(np.log(2.5 / n), 0.8, n)
    weights[0] += common
    features = generator.normal(size=(FITTED + rows, FEATURES))
    labels = generator.random((len(features), n)) < 1.0 / (1.0 + np.exp(-features @ weights - rates))
    fitted, new = (features[:FITTED], labels[:FITTED]), (features[FITTED:], labels[FITTED:])
    classifier = TopKClassifier(LogisticRegression(), calibrate=None, per="row", empty_rows=False).fit(
        fitted[0], fitted[1].astype(int)
    )
    probabilities = classifier.predict_proba(new[0])
    held_out = np.column_stack(
        [
            cross_val_predict(LogisticRegression(), fitted[0], column, method="predict_proba")[:, 1]
            for column in fitted[1].T
        ]
    )
    tuned, best = best_threshold(held_out, fitted[1]), best_threshold(probabilities, new[1])
    per_label = [
        TunedThresholdClassifierCV(LogisticRegression(), scoring="f1").fit(fitted[0], column).best_threshold_
        for column in fitted[1].T
    ]
    methods: dict[str, Callable[[], Bools]] = {
        "Multiloss, exact": lambda: np.asarray(batch_top_k(probabilities, F()).selected),
        "Multiloss, at least one flag": lambda: np.asarray(batch_top_k(probabilities, F(), at_least=1).selected),
        "threshold 0.5": lambda: probabilities >= 0.5,
        f"one tuned threshold ({tuned:.2f})": lambda: probabilities >= tuned,
        f"best threshold in hindsight ({best:.2f})": lambda: probabilities >= best,
        "TunedThresholdClassifierCV for each label": lambda: probabilities >= np.array(per_label),
    }
    for name in installed:
        methods |= OF_PACKAGE[name](probabilities)
    table = []
    optimal = row_f1(methods["Multiloss, exact"](), new[1])
    for name, method in methods.items():
        chosen, wall, cpu = timed(method)
        # The first call of a package may compile.
        if wall < 1.0:
            chosen, wall, cpu = timed(method)
        few = len(chosen)
        values = row_f1(chosen, new[1][:few])
        error = (values - optimal[:few]).std() / np.sqrt(few)
        expected = row_expected_f1(probabilities[:few], chosen)
        difference = f"{values.mean() - optimal[:few].mean():+.4f}"
        table.append(
            (name, f"{values.mean():.4f}", difference, f"{error:.4f}", f"{expected:.4f}", f"{wall:.3f}", f"{cpu:.3f}")
        )
    header = ("method", "mean F1", "difference", "its standard error", "mean expected F1", "seconds", "CPU seconds")
    print_table(f"{n} labels, {common:g} of common effect", header, table)


def show_times() -> None:
    """Time many short rows, and long ones in one thread at two tolerances."""
    table = []
    for count, n, tolerance in TIMED:
        rows = np.random.default_rng(n).beta(0.2, 3.0, (count, n))
        for loss in (F(), JACCARD, AM, G_TP_PR):
            solve = partial(batch_top_k, rows, loss, tolerance=tolerance)
            found, wall, cpu = min((timed(solve) for _ in range(3)), key=lambda run: run[2])
            bound = f"{found.error_bound.max():.1e}"
            table.append((f"{count:,}", f"{n:,}", f"{tolerance:g}", loss.name, f"{wall:.3f}", f"{cpu:.3f}", bound))
    header = ("rows", "items", "tolerance", "loss", "seconds", "CPU seconds", "largest error bound")
    print_table("Times of batches", header, table)


def timed(function: Callable[[], T]) -> tuple[T, float, float]:
    """Call a function; return its result, seconds and CPU seconds."""
    cpu, wall = process_time(), perf_counter()
    result = function()
    return result, perf_counter() - wall, process_time() - cpu


def best_threshold(probabilities: Floats, labels: Bools) -> float:
    """Find the threshold with the best mean F1 of a row."""
    return float(max(THRESHOLDS, key=lambda threshold: row_f1(probabilities >= threshold, labels).mean()))


def row_f1(chosen: Bools, labels: Bools) -> Floats:
    below = chosen.sum(axis=1) + labels.sum(axis=1)
    return np.where(below == 0, 1.0, 2.0 * (chosen & labels).sum(axis=1) / np.maximum(below, 1))


def row_expected_f1(probabilities: Floats, chosen: Bools) -> float:
    """Simulate the mean F1 if the probabilities are the truth."""
    generator = np.random.default_rng(0)
    draws = [row_f1(chosen, generator.random(probabilities.shape) < probabilities).mean() for _ in range(5)]
    return float(np.mean(draws))


def of_rankseg(probabilities: Floats) -> dict[str, Callable[[], Bools]]:
    rows = import_module("torch").as_tensor(probabilities)[:, None]

    def by(solver: str, rows: Any) -> Callable[[], Bools]:
        solve = import_module("rankseg").RankSEG(
            metric="dice", output_mode="multilabel", solver=solver, pruning_prob=0.0
        )
        return lambda: solve.predict(rows).numpy()[:, 0].astype(bool)

    return {"rankseg, RMA": by("RMA", rows), f"rankseg, BA+TRNA, {SLOW:,} rows": by("BA+TRNA", rows[:SLOW])}


def of_xcolumns(probabilities: Floats) -> dict[str, Callable[[], Bools]]:
    ascend = import_module("xcolumns.block_coordinate").predict_using_bc_with_0approx
    f1 = import_module("xcolumns.metrics").binary_f1_score_on_conf_matrix
    # Its columns are labels and its metric a mean over columns; here the rows are.
    columns = np.ascontiguousarray(probabilities.T)
    start = np.zeros_like(columns)

    def predict() -> Bools:
        found = ascend(columns, f1, 0, init_y_pred=start.copy(), seed=0, skip_tn=True)
        return np.asarray(found.T, dtype=bool)

    return {"xCOLUMNs, block coordinate ascent": predict}


OF_PACKAGE = {"rankseg": of_rankseg, "xcolumns": of_xcolumns}

if __name__ == "__main__":
    main()
