"""Do the intervals hold what they promise? `python -m benchmarks.coverage` prints a Markdown table.

Samples of rated documents are drawn from populations with known truth; on each of them thresholds are chosen, intervals
made, and compared with the truth at the very thresholds that were chosen. Seeds are fixed.
"""

import argparse
import os
import re
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from benchmarks.shared.populations import RatedPopulation, population, sample_of_size, true_rates
from benchmarks.shared.reporting import print_table
from multiloss_core.generalisation import Interval, PointIntervals, bootstrap_points
from multiloss_core.numerics import ratio
from multiloss_core.thresholds.generalisation.bootstrap import RESAMPLES, nodes_around
from multiloss_core.thresholds.generalisation.bootstrap_intervals import CONFIDENCE_LEVEL
from multiloss_core.thresholds.paths.smooth import path_of_fit, smooth_fit, thresholds_at

NAMES = ("gauss2", "far_tails2", "discrete2")
POSITIVES = (30, 150, 800)
TARGETS = (0.2, 0.5)
EXPECTED = ("expected.tp", "expected.fp", "expected.precision", "marginal_precision")
QUANTITIES = (*EXPECTED, "new_period.tp", "new_period.fp", "new_period.precision")
SAMPLE = ("population", "rated positives", "m")
COUNTED = ("TP in sample", "TP corrected", "TP true", "FP in sample", "FP corrected", "FP true")


class Trial(NamedTuple):
    """One sample at one target: which intervals held the truth, and TP and FP in the sample, corrected and true."""

    held: tuple[float, ...]
    counts: tuple[float, ...]


def main() -> None:
    options = arguments()
    # Threads of the linear algebra would only get into each other's way.
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    print(f"# Coverage of {CONFIDENCE_LEVEL:.0%} intervals, in %\n")
    print(f"{options.samples} samples, {options.resamples} resamples each; rule any.\n")
    coverage, bias = [], []
    # Fresh processes read the setting above.
    with ProcessPoolExecutor(options.processes, mp_context=get_context("spawn")) as pool:
        for positives in options.positives:
            for name in options.populations:
                run = partial(trials, name, positives, resamples=options.resamples)
                found = list(pool.map(run, range(options.samples), chunksize=5))
                for i, target in enumerate(TARGETS):
                    of_target = [pair[i] for pair in found]
                    start = (name, str(positives), f"{target:g}")
                    coverage.append((*start, *percentages([trial.held for trial in of_target])))
                    means = np.mean([trial.counts for trial in of_target], axis=0)
                    bias.append((*start, *(f"{mean:.2f}" for mean in means)))
                    print(f"<!-- {' '.join(coverage[-1])} | {' '.join(bias[-1][3:])} -->", flush=True)
    titles = (re.sub("[._]", " ", name) for name in QUANTITIES)
    print_table("Intervals that held the truth", (*SAMPLE, *titles), coverage)
    print_table("Optimism: means over the samples", (*SAMPLE, *COUNTED), bias)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=500)
    parser.add_argument("--resamples", type=int, default=RESAMPLES)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--populations", nargs="+", default=NAMES)
    parser.add_argument("--positives", nargs="+", type=int, default=POSITIVES)
    return parser.parse_args()


def trials(name: str, positives: int, seed: int, *, resamples: int) -> list[Trial]:
    """Try one sample of about so many positives at each target."""
    source = population(name)
    size = round(positives / source.share_positive)
    documents = sample_of_size(source, size, 1000 * positives + seed)
    fit = smooth_fit(documents)
    path = path_of_fit(documents, fit, "any")
    generator = np.random.default_rng(seed)
    *_, result = bootstrap_points(documents, fit, path, TARGETS, generator=generator, resamples=resamples)
    _, lower, higher = (thresholds_at(fit.cells, nodes) for nodes in nodes_around(fit, "any", np.array(TARGETS)))
    return [
        trial(source, result.intervals(target), size, true_margin(source, below, above), seed)
        for target, below, above in zip(TARGETS, lower, higher, strict=True)
    ]


def trial(source: RatedPopulation, found: PointIntervals, size: int, margin: float, seed: int) -> Trial:
    tp, fp = (size * rate for rate in true_rates(source, found.thresholds, "any"))
    period = np.random.default_rng([seed, 1]).multinomial(size, [tp / size, fp / size, 1 - (tp + fp) / size])
    new_tp, new_fp = (float(count) for count in period[:2])
    truths = (tp, fp, ratio(tp, tp + fp), margin, new_tp, new_fp, ratio(new_tp, new_tp + new_fp))
    held = tuple(holds(attrgetter(name)(found), truth) for name, truth in zip(QUANTITIES, truths, strict=True))
    counts = (found.in_sample.tp, found.expected.tp.estimate, tp, found.in_sample.fp, found.expected.fp.estimate, fp)
    return Trial(held, counts)


def true_margin(source: RatedPopulation, below: np.ndarray, above: np.ndarray) -> float:
    """Find the share of positives among the documents next to a point."""
    tp, fp = np.subtract(true_rates(source, below, "any"), true_rates(source, above, "any"))
    return ratio(float(tp), float(tp + fp))


def holds(interval: Interval, truth: float) -> float:
    """Say 1 or 0; NaN where there is nothing to hold or no interval."""
    if np.isnan([truth, interval.low]).any():
        return float("nan")
    return float(interval.low - 1e-9 <= truth <= interval.high + 1e-9)


def percentages(held: list[tuple[float, ...]]) -> list[str]:
    return ["-" if np.isnan(column).all() else f"{100 * np.nanmean(column):.1f}" for column in np.transpose(held)]


if __name__ == "__main__":
    main()
