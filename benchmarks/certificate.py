"""Measure failures and costs of certified precision; print Markdown.

Run: python -m benchmarks.certificate [samples]
Failures: samples with certified thresholds whose true precision is below the required one; at most 5 % of all samples.
Kept: the mean share of the TP of the oracle, the loosest vertex of the path fitted to a very large sample with the
required true precision; 0 where nothing is certified.
"""

from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from os import environ
from sys import argv

import numpy as np

from benchmarks.populations import RatedPopulation, population, sample_of_size, true_rates
from benchmarks.reporting import print_setup, print_table
from multiloss_core import RatedDocuments, ThresholdPath, smooth_path
from multiloss_core.generalisation import certify
from multiloss_core.generalisation.certificate import COST_OF_BETTING
from multiloss_core.numerics.proportion_tests import betting_p_value, documents_needed, exact_p_value
from multiloss_core.thresholds import Rule

SAMPLES = 1_000
LARGE_SAMPLE = 200_000
DRAWS_OF_BETTING = 300
MAX_GROUP = 8
MAX_CUSTOMER = 9


@dataclass(frozen=True)
class Case:
    """A population, its approximate number of positives and the required precisions."""

    name: str
    positives: int
    precisions: tuple[float, ...]
    form: str = "plain"


PLAIN = (
    Case("gauss2", 40, (0.2, 0.5, 0.8)),
    Case("gauss2", 200, (0.2, 0.5, 0.8)),
    Case("discrete2", 200, (0.2, 0.4, 0.6)),
    Case("tails2", 200, (0.13, 0.14, 0.15)),
    # A path that starts a few documents below the cliff certifies nothing.
    Case("cliff2", 150, (0.6, 0.9)),
)
OTHER = (
    Case("gauss2", 200, (0.2, 0.5, 0.8), "weights"),
    Case("gauss2", 600, (0.2, 0.5, 0.8), "groups"),
    Case("gauss2", 400, (0.2, 0.4), "groups"),
    Case("gauss2", 400, (0.2, 0.4), "customers"),
)
PLANS = (Case("gauss2", 40, (0.5,)), Case("gauss2", 150, (0.8,)), Case("gauss2", 600, (0.8,)))


def main() -> None:
    samples = int(argv[1]) if len(argv) > 1 else SAMPLES
    print_setup("The guarantee of a precision", ["NumPy"], f". {samples:,} samples of each kind, confidence 95 %.")
    with ProcessPoolExecutor(int(environ.get("WORKERS", "2"))) as workers:
        show("Independent documents of equal weight: exact binomial test", PLAIN, samples, workers)
        show("Weights and groups: test by betting", OTHER, samples, workers)
        show_plans(samples // 10, workers)
    show_cost_of_betting()


def show(title: str, cases: tuple[Case, ...], samples: int, workers: ProcessPoolExecutor) -> None:
    rows = []
    for case in cases:
        by_sample = list(workers.map(partial(outcomes, case), range(samples), chunksize=20))
        for precision, found in zip(case.precisions, zip(*by_sample, strict=True), strict=True):
            shares = (f"{share:.3f}" for share in np.mean(found, axis=0))
            rows.append((case.name, case.form, case.positives, f"{precision:g}", *shares))
    header = ("population", "form", "positives", "precision", "certified", "failures", "kept")
    print_table(title, header, rows)


def show_plans(samples: int, workers: ProcessPoolExecutor) -> None:
    """Test whether a fresh sample of the suggested size certifies."""
    rows = []
    for case in PLANS:
        found = list(workers.map(partial(after_more_ratings, case), range(samples), chunksize=10))
        tried = [(more, certified) for more, certified in found if more is not None]
        if tried:
            suggested, certified = np.median(tried, axis=0)[0], np.mean(tried, axis=0)[1]
            where = case.positives, f"{case.precisions[0]:g}", len(tried)
            rows.append((*where, f"{suggested:,.0f}", f"{certified:.2f}"))
    header = ("positives", "precision", "samples with a suggestion", "median suggestion", "certified after it")
    print_table("Population gauss2: more ratings as suggested (at most 100,000)", header, rows)


def show_cost_of_betting() -> None:
    """Compare the sample sizes of the betting test and the exact test at the same power."""
    generator = np.random.default_rng(0)
    rows = []
    for precision, true in ((0.1, 0.15), (0.1, 0.2), (0.3, 0.4), (0.5, 0.6), (0.8, 0.9), (0.9, 0.99)):
        needed = documents_needed(true, precision, 0.05, 0.8)
        powers = []
        for times in (1.0, COST_OF_BETTING, 1.5):
            documents = int(times * needed)
            draws = (generator.random((DRAWS_OF_BETTING, documents + documents // 2)) < true).astype(float)
            ones = np.ones(draws.shape[1])
            p_values = [
                betting_p_value(
                    draw[:documents],
                    ones[:documents],
                    precision,
                    1.0,
                    0.05,
                    (draw[documents:], ones[documents:]),
                )
                for draw in draws
            ]
            powers.append(np.mean(np.array(p_values) <= 0.05))
        found = generator.binomial(needed, true, 2_000)
        exact = np.mean([exact_p_value(positives, needed, precision) <= 0.05 for positives in found])
        rows.append((f"{precision:g}", f"{true:g}", needed, *(f"{power:.2f}" for power in (exact, *powers))))
    header = ("precision", "true", "documents", "exact", "betting", f"on {COST_OF_BETTING:g} times", "on 1.5 times")
    print_table("Power of the test by betting", header, rows)


def outcomes(case: Case, seed: int) -> list[tuple[bool, bool, float]]:
    """Certify one sample at each precision: certified, wrong, share of the oracle's TP."""
    source, documents = population(case.name), drawn(case, seed)
    paths: list[ThresholdPath] = []

    def once(part: RatedDocuments, *, rule: Rule) -> ThresholdPath:
        # The split follows the seed alone: the path is the same for every precision. Plans of ratings, for which it
        # would be another, are not used here.
        if not paths:
            paths.append(smooth_path(part, rule=rule))
        return paths[0]

    found = []
    for precision in case.precisions:
        thresholds = certify(documents, precision, seed=seed, method=once).thresholds
        if thresholds is None:
            found.append((False, False, 0.0))
            continue
        tp, fp = true_rates(source, thresholds, "any")
        best = oracle_tp(case.name, precision)
        found.append((True, tp < precision * (tp + fp), tp / best if best else 0.0))
    return found


def after_more_ratings(case: Case, seed: int) -> tuple[int | None, bool]:
    source = population(case.name)
    documents = drawn(case, seed)
    more = certify(documents, case.precisions[0], seed=seed).more_ratings
    if more is None or more > 100_000:
        return None, False
    larger = sample_of_size(source, len(documents.labels) + more, 10_000_000 + seed)
    return more, certify(larger, case.precisions[0], seed=seed).thresholds is not None


def drawn(case: Case, seed: int) -> RatedDocuments:
    """Draw a sample of fixed size, so that labels are independent of one another."""
    source = population(case.name)
    documents = sample_of_size(source, round(case.positives / source.share_positive), seed)
    generator = np.random.default_rng(1_000_000 + seed)
    if case.form == "weights":
        return thinned(documents, generator)
    if case.form == "groups":
        return in_groups(source, case.positives, generator, MAX_GROUP)
    if case.form == "customers":
        return in_groups(source, case.positives, generator, MAX_CUSTOMER, repeated=0.5)
    return documents


def thinned(documents: RatedDocuments, generator: np.random.Generator) -> RatedDocuments:
    """Keep one in four documents at most half a unit above their floors."""
    low = (documents.scores < documents.floors + 0.5).all(axis=1)
    kept = ~low | (generator.random(len(low)) < 1 / 4)
    weights = np.where(low, 4.0, 1.0)[kept]
    return RatedDocuments(
        documents.scores[kept], documents.labels[kept], weights, documents.names, documents.floors.tolist()
    )


def in_groups(
    source: RatedPopulation, positives: int, generator: np.random.Generator, largest: int, repeated: float = 1.0
) -> RatedDocuments:
    """Draw customers with 1 to `largest` alerts of one rating, `repeated` with equal scores."""
    customers = round(positives / source.share_positive / ((1 + largest) / 2))
    seed = int(generator.integers(2**31))
    first = sample_of_size(source, customers, seed)
    rows = np.repeat(np.arange(customers), generator.integers(1, largest + 1, customers))
    scores, labels = first.scores[rows], first.labels[rows]
    # Fresh scores come from the documents of the same rating, so that the truth by documents is the population's.
    fresh = generator.random(len(rows)) >= repeated
    for those, kind in ((fresh & labels, source.positives), (fresh & ~labels, source.negatives)):
        scores[those] = kind[generator.integers(0, len(kind), int(those.sum()))]
    return RatedDocuments(scores, labels, None, first.names, first.floors.tolist(), groups=rows)


@cache
def oracle_tp(name: str, precision: float) -> float:
    """Find TP per rated document at the loosest vertex of the oracle's path with the precision."""
    source = population(name)
    path = smooth_path(sample_of_size(source, LARGE_SAMPLE, 7))
    for thresholds in path.thresholds:
        tp, fp = true_rates(source, thresholds, "any")
        if tp and tp >= precision * (tp + fp):
            return tp
    return 0.0


if __name__ == "__main__":
    main()
