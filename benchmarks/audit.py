"""Measure planned audits: coverage and width of recall's interval, and the allocation.

Prints Markdown. Populations are those of `simulate_population` with 1 million documents; in some, a share of the
positives has the scores of negatives, as fraud that no classifier sees: there the extrapolated precision is wrong. Each
population gets one plan of 2,000 ratings, and audits drawn from it are compared with simple random samples of as many.
Run: python -m benchmarks.audit [--audits 500] [--seed 1] [--cases ...]
"""

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy.stats import beta

from benchmarks.reporting import print_setup, print_table
from multiloss_core import RatedDocuments, count_surfaces, flagged, simulate_population, smooth_path
from multiloss_core.audit import (
    Audit,
    AuditPlan,
    AuditStrata,
    expected_shares,
    plan_audit,
    read_audit,
    score_strata,
)
from multiloss_core.audit.intervals import total_positives
from multiloss_core.audit.plan import MIN_RATINGS, expected_width
from multiloss_core.numerics import Bools, Floats, Indices
from multiloss_core.numerics.proportions import share_interval

BUDGET, DRAWS = 2_000, 4_000
# Prevalence, scores, share at or above each floor, strength, share of positives with the scores of negatives.
CASES: dict[str, tuple[float, int, float, float, float]] = {
    "informative, 1 %": (0.01, 2, 0.005, 3.0, 0.0),
    "informative, .3 %": (0.003, 2, 0.005, 3.0, 0.0),
    "informative, .1 %": (0.001, 2, 0.005, 3.0, 0.0),
    "informative, .02 %": (0.0002, 2, 0.005, 3.0, 0.0),
    "one strong score, .3 %": (0.003, 1, 0.02, 4.0, 0.0),
    "one weak score, .1 %": (0.001, 1, 0.005, 2.0, 0.0),
    "one weak score, 1 %": (0.01, 1, 0.005, 2.0, 0.0),
    "three scores, .3 %": (0.003, 3, 0.01, 2.0, 0.0),
    "three strong scores, .3 %": (0.003, 3, 0.01, 3.5, 0.0),
    "scores without information, 1 %": (0.01, 1, 0.1, 0.0, 0.0),
    "20 % unseen, .3 %": (0.003, 2, 0.005, 3.0, 0.2),
    "50 % unseen, .3 %": (0.003, 2, 0.005, 3.0, 0.5),
    "50 % unseen, 1 %": (0.01, 2, 0.005, 3.0, 0.5),
    "20 % unseen, .1 %": (0.001, 2, 0.005, 3.0, 0.2),
}
COMPARED = ("informative, 1 %", "informative, .1 %", "one weak score, .1 %", "50 % unseen, .3 %")
# Documents of a sample in which the strata are counted.
COUNTED = (300, 1_000, 5_000)
# Share of ratings that are wrong.
ERROR = 1e-3


@dataclass(frozen=True, eq=False)
class Case:
    """A population with its plan, and the positives of each stratum (h,)."""

    documents: RatedDocuments
    scores: Floats
    labels: Bools
    plan: AuditPlan
    truth: Indices

    @property
    def caught(self) -> float:
        """Rated positives."""
        return self.documents.totals.tp

    @property
    def missed(self) -> int:
        """Positives below the floors."""
        return int(self.truth.sum())

    @property
    def recall(self) -> float:
        """Recall of the floors."""
        return self.caught / (self.caught + self.missed)


def made(name: str, seed: int = 1) -> Case:
    """Simulate a population and plan its audit."""
    prevalence, classifiers, share, strength, unseen = CASES[name]
    generator = np.random.default_rng(seed)
    population = simulate_population(
        generator, prevalence=prevalence, classifiers=classifiers, strength=strength, rated_share=share
    )
    scores, labels, floors = population.scores.copy(), population.labels, population.floors
    hidden = np.flatnonzero(labels)[generator.random(int(labels.sum())) < unseen]
    scores[hidden] = scores[generator.choice(np.flatnonzero(~labels), len(hidden))]
    kept = flagged(scores, floors, "any")
    documents = RatedDocuments(scores[kept], labels[kept], names=population.names, floors=floors.tolist())
    strata = score_strata(scores, floors, names=population.names)
    sizes = strata.sizes(scores)
    expected = expected_shares(strata, sizes, smooth_path(count_surfaces(documents)))
    plan = plan_audit(strata, sizes, expected, caught=documents.totals.tp, budget=BUDGET)
    return Case(documents, scores, labels, plan, truth_of(strata, scores, labels))


def truth_of(strata: AuditStrata, scores: Floats, labels: Bools) -> Indices:
    """Count the positives of each stratum (h,)."""
    numbers = strata.assign(scores[labels])
    return np.bincount(numbers[numbers >= 0], minlength=strata.count)


def measured(
    case: Case, strata: AuditStrata, rated: Indices, audits: int, within: tuple[float, float] = (0.0, 1.0)
) -> tuple[float, float, float, float, float]:
    """Return coverage of recall and of missed positives, mean width, and positives found.

    Then the share of widths inside `within`.
    """
    sizes, truth = strata.sizes(case.scores), truth_of(strata, case.scores, case.labels)
    generator = np.random.default_rng([4, len(rated)])
    known: dict[tuple[int, ...], tuple[bool, bool, float, bool]] = {}
    results, found = [], 0
    for _ in range(audits):
        positives = generator.hypergeometric(truth, sizes - truth, rated)
        found += int(positives.sum())
        key = tuple(positives)
        if key not in known:
            estimates = read_audit(case.documents, Audit(strata, sizes, rated, positives), draws=DRAWS).at()
            recall, missed = estimates.recall, estimates.missed
            known[key] = (
                recall.low <= case.recall <= recall.high,
                missed.low <= case.missed <= missed.high,
                recall.high - recall.low,
                within[0] <= recall.high - recall.low <= within[1],
            )
        results.append(known[key])
    covered, missed_covered, width, inside = np.array(results, dtype=np.float64).mean(axis=0)
    return float(covered), float(missed_covered), float(width), found / audits, float(inside)


def best_width(plan: AuditPlan, shares: Floats, tries: int = 400, limit: float = np.inf) -> float:
    """Search for the allocation of smallest expected width, by moves between two strata.

    `limit`: largest weight of a document, as a multiple of N / n.
    """
    least = np.maximum(np.minimum(MIN_RATINGS, plan.sizes), plan.sizes * BUDGET / (limit * plan.sizes.sum()) - 1)
    generator = np.random.default_rng(5)
    best, width = plan.allocation, expected_width(plan, shares)
    step = 0.5
    for number in range(tries):
        source, target = generator.choice(len(best), 2, replace=False)
        moved = int(step * generator.random() * best[source])
        other = best.copy()
        other[source] -= moved
        other[target] += moved
        if other[source] < least[source] or other[target] > plan.sizes[target]:
            continue
        found = expected_width(replace(plan, allocation=other), shares)
        if found < width:
            best, width = other, found
        if number % 100 == 99:
            step /= 2
    return width


def coverage(cases: dict[str, Case], audits: int) -> Iterator[tuple[object, ...]]:
    """Make one row for each population."""
    for name, case in cases.items():
        plan = case.plan
        single = score_strata(case.scores, case.plan.strata.floors, names=plan.strata.names, count=1)
        ours = measured(case, plan.strata, plan.allocation, audits, plan.width_range)
        simple = measured(case, single, np.array([BUDGET]), audits)
        yield (
            *(name, f"{case.recall:.2f}", f"{case.missed:,}", f"{simple[3]:.1f} / {ours[3]:.1f}"),
            *(f"{100 * simple[0]:.1f}", f"{100 * ours[0]:.1f}", f"{100 * ours[1]:.1f}"),
            *(f"{simple[2]:.3f}", f"{ours[2]:.3f}", f"{ours[2] / simple[2]:.2f}"),
            f"{plan.width_range[0]:.3f} - {plan.width_range[1]:.3f}",
            f"{100 * ours[4]:.0f}",
        )


def sampled(cases: dict[str, Case], audits: int) -> Iterator[tuple[object, ...]]:
    """Scale sizes up from samples of all documents; take them as known, or draw them."""
    for name, case in ((name, cases[name]) for name in COMPARED if name in cases):
        sizes, cells = case.plan.sizes, []
        for counted in COUNTED:
            generator, found = np.random.default_rng([8, counted]), []
            for _ in range(audits):
                everything = np.append(sizes, len(case.scores) - sizes.sum())
                counts = generator.multivariate_hypergeometric(everything, counted)[:-1]
                scaled = np.rint(counts * (len(case.scores) / counted)).astype(np.intp)
                rated = np.minimum(case.plan.allocation, scaled)
                positives = generator.hypergeometric(case.truth, sizes - case.truth, rated)
                audit = Audit(case.plan.strata, scaled, rated, positives)
                for one in (audit, replace(audit, counted_from=int(counts.sum()))):
                    recall = read_audit(case.documents, one, draws=DRAWS).at().recall
                    found.append((recall.low <= case.recall <= recall.high, recall.high - recall.low))
            (known, width), (drawn, wider) = np.reshape(found, (audits, 2, 2)).mean(axis=0)
            cells += [f"{100 * known:.1f} / {100 * drawn:.1f}", f"{width:.3f} / {wider:.3f}"]
        yield (name, *cells)


def errors(cases: dict[str, Case], audits: int) -> Iterator[tuple[object, ...]]:
    """Let one rating in 1,000 err, and then rate each positive a second time, as often wrongly."""
    for name, case in cases.items():
        sizes, rated, generator, found = case.plan.sizes, case.plan.allocation, np.random.default_rng(9), []
        for _ in range(audits):
            positives = generator.hypergeometric(case.truth, sizes - case.truth, rated)
            right = generator.binomial(positives, 1 - ERROR)
            wrong = generator.binomial(rated - positives, ERROR)
            second = generator.binomial(right, 1 - ERROR) + generator.binomial(wrong, ERROR)
            for one in (right + wrong, second):
                audit = Audit(case.plan.strata, sizes, rated, one)
                recall = read_audit(case.documents, audit, draws=DRAWS).at().recall
                found.append((recall.low <= case.recall <= recall.high, recall.estimate))
        (first, estimate), (again, corrected) = np.reshape(found, (audits, 2, 2)).mean(axis=0)
        yield (
            name,
            f"{case.recall:.2f}",
            f"{100 * first:.1f}",
            f"{estimate:.2f}",
            f"{100 * again:.1f}",
            f"{corrected:.2f}",
        )


def allocations(cases: dict[str, Case]) -> Iterator[tuple[object, ...]]:
    """Compare the plan with the best allocation for its expected shares, and for the truth."""
    for name, case in cases.items():
        plan = case.plan
        truth = ((case.truth + 1e-3) / (plan.sizes + 2e-3)).clip(1e-9, 1 - 1e-9)
        ours, ours_truly = expected_width(plan, plan.expected.shares), expected_width(plan, truth)
        yield (
            *(name, " ".join(map(str, plan.allocation)), " ".join(f"{100 * p:.3g}" for p in truth)),
            " ".join(f"{100 * p:.3g}" for p in plan.expected.shares),
            *(f"{ours / best_width(plan, plan.expected.shares, limit=limit):.2f}" for limit in (2.0, np.inf)),
            *(f"{ours_truly / best_width(plan, truth, limit=limit):.2f}" for limit in (2.0, np.inf)),
        )


def spread(added: Callable[[Indices, Indices], Floats]) -> Callable[[Indices, Indices, Indices], tuple[float, float]]:
    """Make an interval of missed positives from positives added to each stratum."""

    def interval(sizes: Indices, rated: Indices, positives: Indices) -> tuple[float, float]:
        generator = np.random.default_rng(6)
        totals = total_positives(sizes, rated, positives, added(sizes, rated), generator, DRAWS).sum(axis=1)
        low, high = np.quantile(totals, [0.025, 0.975])
        return float(low), float(high)

    return interval


def mover(sizes: Indices, rated: Indices, positives: Indices) -> tuple[float, float]:
    """Recover variances from Wilson's bounds in each stratum (Zou and Donner 2008)."""
    share, (low, high) = positives / rated, share_interval(positives, rated)
    total = float(sizes @ share)
    return (
        total - float(np.sqrt(np.square(sizes * (share - low)).sum())),
        total + float(np.sqrt(np.square(sizes * (high - share)).sum())),
    )


def split_levels(sizes: Indices, rated: Indices, positives: Indices) -> tuple[float, float]:
    """Add bounds of Clopper and Pearson, each at an equal part of the level."""
    level = 0.025 / len(sizes)
    low = np.where(positives > 0, beta.ppf(level, positives.clip(1), rated - positives + 1), 0.0)
    high = np.where(positives < rated, beta.isf(level, positives + 1, (rated - positives).clip(1)), 1.0)
    return float(sizes @ low), float(sizes @ high)


def by_allocation(sizes: Indices, rated: Indices) -> Floats:
    expected = rated.astype(np.float64) ** 2 / sizes
    return 0.5 * expected / expected.sum()


METHODS = {
    "half a positive by n^2 / N": spread(by_allocation),
    "half a positive by n": spread(lambda _, rated: 0.5 * rated / rated.sum()),
    "half a positive by N (default)": spread(lambda sizes, _: 0.5 * sizes / sizes.sum()),
    "half a positive in each (Jeffreys)": spread(lambda sizes, _: np.full(len(sizes), 0.5)),
    "MOVER of Wilson": mover,
    "Clopper-Pearson, level split": split_levels,
}


def methods(cases: dict[str, Case], audits: int) -> Iterator[tuple[object, ...]]:
    """Make one row for each interval: coverage and width of recall in some populations."""
    for name, method in METHODS.items():
        cells = []
        for case in (cases[one] for one in COMPARED if one in cases):
            generator = np.random.default_rng(7)
            covered, widths = 0, []
            for _ in range(audits):
                sizes, rated = case.plan.sizes, case.plan.allocation
                low, high = method(sizes, rated, generator.hypergeometric(case.truth, sizes - case.truth, rated))
                covered += low <= case.missed <= high
                widths.append(case.caught / (case.caught + max(low, 0.0)) - case.caught / (case.caught + high))
            cells.append(f"{100 * covered / audits:.1f} / {np.mean(widths):.3f}")
        yield (name, *cells)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--audits", type=int, default=500)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--cases", nargs="*", default=list(CASES))
    chosen = arguments.parse_args()
    print_setup("Audits", ("numpy", "scipy"), f"; {chosen.audits} audits of {BUDGET:,} ratings, 1 million documents")
    started = time.perf_counter()
    cases = {name: made(name, chosen.seed) for name in chosen.cases}
    print(f"Populations and plans: {(time.perf_counter() - started) / len(cases):.2f} s each.")
    print_table(
        "Recall's 95 % interval",
        (
            *("population", "recall", "missed", "found: simple / planned", "simple covers, %", "planned covers, %"),
            *(
                "missed covered, %",
                "simple width",
                "planned width",
                "ratio",
                "10 to 90 % of simulated widths",
                "within, %",
            ),
        ),
        coverage(cases, chosen.audits),
    )
    print_table(
        "Strata counted in a sample: sizes taken as known / drawn",
        ("population", *(head for counted in COUNTED for head in (f"{counted:,} rows: covers, %", "width"))),
        sampled(cases, chosen.audits),
    )
    print_table(
        "One wrong rating in 1,000, and second ratings of all positives that err alike",
        ("population", "recall", "covers, %", "mean estimate", "with second ratings, %", "mean estimate then"),
        errors(cases, chosen.audits),
    )
    print_table(
        "Allocation, and its width over the best found by search",
        (
            *("population", "ratings", "true shares, %", "expected shares, %", "for the expected shares, limited"),
            *("not limited", "for the truth, limited", "not limited"),
        ),
        allocations(cases),
    )
    print_table(
        "Intervals: coverage of recall, % / mean width",
        ("interval", *(name for name in COMPARED if name in cases)),
        methods(cases, chosen.audits),
    )


if __name__ == "__main__":
    main()
