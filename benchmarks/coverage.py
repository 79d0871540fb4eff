"""Measure the coverage of intervals: `python -m benchmarks.coverage` prints Markdown.

Samples of rated documents, plain, weighted or in groups, are drawn from populations with known truth, smooth ones and
some whose precision jumps; on each of them thresholds are chosen, intervals made, and compared with the truth at the
very thresholds that were chosen. Next to how many held the truth stands how wide they are: the median width over the
width of the oracle, the range of 95 % of the errors of the estimates over the samples. Seeds are fixed.
"""

import argparse
import os
import re
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import product
from multiprocessing import get_context
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from benchmarks.populations import FORMS, VALUES, RatedPopulation, population, true_rates
from benchmarks.reporting import print_table
from multiloss_core.generalisation import Interval, PointIntervals, bootstrap_points
from multiloss_core.generalisation.bootstrap import RESAMPLES
from multiloss_core.generalisation.new_data_intervals import CONFIDENCE_LEVEL
from multiloss_core.generalisation.repeated_selection import nodes_around
from multiloss_core.numerics import ratio
from multiloss_core.thresholds.paths.smooth.cells import thresholds_at
from multiloss_core.thresholds.paths.smooth.path import path_of_fit
from multiloss_core.thresholds.paths.smooth.smooth_fit import smooth_fit

NAMES = ("gauss2", "far_tails2", "discrete2", "cliff2", "clean_cliff2")
POSITIVES = (30, 150, 800)
TARGETS = (0.2, 0.5)
EXPECTED = ("expected.tp", "expected.fp", "expected.precision", "marginal_precision")
QUANTITIES = (*EXPECTED, "new_period.tp", "new_period.fp", "new_period.precision")
SAMPLE = ("population", "form", "rated positives", "m")
# With fewer samples the range of their errors is meaningless.
MIN_SAMPLES_OF_ORACLE = 20
COUNTED = ("TP in sample", "TP corrected", "TP true", "FP in sample", "FP corrected", "FP true")


class Trial(NamedTuple):
    """Coverage of one sample at one target, with TP and FP in sample, corrected and true.

    `widths` and `errors` are of the intervals of `EXPECTED` and of their estimates.
    """

    held: tuple[float, ...]
    counts: tuple[float, ...]
    widths: tuple[float, ...]
    errors: tuple[float, ...]


def main() -> None:
    options = arguments()
    # Threads of the linear algebra would only get into each other's way.
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    print(f"# Coverage of {CONFIDENCE_LEVEL:.0%} intervals, in %\n")
    print(f"{options.samples} samples, {options.resamples} resamples each; rule any.\n")
    coverage, widths, bias = [], [], []
    # Fresh processes read the setting above.
    with ProcessPoolExecutor(options.processes, mp_context=get_context("spawn")) as pool:
        for positives, form, name in product(options.positives, options.forms, options.populations):
            run = partial(trials, name, form, positives, resamples=options.resamples)
            found = list(pool.map(run, range(options.samples), chunksize=5))
            for i, target in enumerate(TARGETS):
                of_target = [pair[i] for pair in found]
                start = (name, form, str(positives), f"{target:g}")
                coverage.append((*start, *percentages([trial.held for trial in of_target])))
                widths.append((*start, *relative_widths(of_target)))
                means = np.mean([trial.counts for trial in of_target], axis=0)
                bias.append((*start, *(f"{mean:.2f}" for mean in means)))
                print(f"<!-- {' '.join(coverage[-1])} | {' '.join(bias[-1][4:])} -->", flush=True)
    titles = [re.sub("[._]", " ", name) for name in QUANTITIES]
    print_table(
        "Intervals that held the truth, in brackets the share of samples with one", (*SAMPLE, *titles), coverage
    )
    print_table("Median width over that of the oracle", (*SAMPLE, *titles[: len(EXPECTED)]), widths)
    print_table("Optimism: means over the samples", (*SAMPLE, *COUNTED), bias)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=500)
    parser.add_argument("--resamples", type=int, default=RESAMPLES)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--populations", nargs="+", default=NAMES)
    parser.add_argument("--forms", nargs="+", default=["plain"], choices=FORMS)
    parser.add_argument("--positives", nargs="+", type=int, default=POSITIVES)
    return parser.parse_args()


def trials(name: str, form: str, positives: int, seed: int, *, resamples: int) -> list[Trial]:
    """Test one sample of about `positives` positives at each target."""
    source, value = population(name), VALUES.get(form, 1.0)
    documents = FORMS[form](source, positives, 1000 * positives + seed)
    size = len(documents.labels) if form in VALUES else documents.totals.alerts
    fit = smooth_fit(documents)
    path = path_of_fit(documents, fit, "any")
    generator = np.random.default_rng(seed)
    *_, result = bootstrap_points(documents, fit, path, TARGETS, generator=generator, resamples=resamples)
    _, lower, higher = (thresholds_at(fit.cells, nodes) for nodes in nodes_around(fit, "any", np.array(TARGETS)))
    return [
        trial(source, result.intervals(target), size, true_margin(source, below, above, value), seed, value)
        for target, below, above in zip(TARGETS, lower, higher, strict=True)
    ]


def trial(source: RatedPopulation, found: PointIntervals, size: float, margin: float, seed: int, value: float) -> Trial:
    tp, fp = (size * rate for rate in true_rates(source, found.thresholds, "any"))
    shares = [tp / size, fp / size, 1 - (tp + fp) / size]
    period = np.random.default_rng([seed, 1]).multinomial(round(size), shares)
    # Where frauds have amounts, these are of the mean amount.
    tp, new_tp, new_fp = value * tp, value * float(period[0]), float(period[1])
    truths = (tp, fp, ratio(tp, tp + fp), margin, new_tp, new_fp, ratio(new_tp, new_tp + new_fp))
    intervals = [attrgetter(name)(found) for name in QUANTITIES]
    held = tuple(holds(interval, truth) for interval, truth in zip(intervals, truths, strict=True))
    widths = tuple(interval.high - interval.low for interval in intervals[: len(EXPECTED)])
    errors = tuple(
        interval.estimate - truth for interval, truth in zip(intervals[: len(EXPECTED)], truths, strict=False)
    )
    counts = (found.in_sample.tp, found.expected.tp.estimate, tp, found.in_sample.fp, found.expected.fp.estimate, fp)
    return Trial(held, counts, widths, errors)


def true_margin(source: RatedPopulation, below: np.ndarray, above: np.ndarray, value: float) -> float:
    """Find the share of positives, each of a value, among the documents next to a point."""
    tp, fp = np.subtract(true_rates(source, below, "any"), true_rates(source, above, "any"))
    return ratio(float(value * tp), float(value * tp + fp))


def holds(interval: Interval, truth: float) -> float:
    """Return 1 or 0; NaN without a truth or an interval."""
    if np.isnan([truth, interval.low]).any():
        return float("nan")
    return float(interval.low - 1e-9 <= truth <= interval.high + 1e-9)


def percentages(held: list[tuple[float, ...]]) -> list[str]:
    known = [column[~np.isnan(column)] for column in np.transpose(held)]
    shares = [f"{100 * column.mean():.1f}" if column.size else "-" for column in known]
    # The share of samples with an interval matters as much.
    return [
        share if len(column) == len(held) else f"{share} ({100 * len(column) / len(held):.0f})"
        for share, column in zip(shares, known, strict=True)
    ]


def relative_widths(found: list[Trial]) -> list[str]:
    """Divide median widths by the range that 95 % of the errors have."""
    words = []
    for widths, errors in zip(
        zip(*[t.widths for t in found], strict=True), zip(*[t.errors for t in found], strict=True), strict=True
    ):
        known = ~np.isnan(np.add(widths, errors))
        if known.sum() < MIN_SAMPLES_OF_ORACLE:
            words.append("-")
            continue
        low, high = np.quantile(np.array(errors)[known], [0.025, 0.975])
        words.append(f"{ratio(float(np.median(np.array(widths)[known])), float(high - low)):.2f}")
    return words


if __name__ == "__main__":
    main()
