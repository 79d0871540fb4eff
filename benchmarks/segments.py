"""Measure what own thresholds of segments gain over common ones, on new data.

Prints Markdown. Four segments with 40, 30, 20 and 10 % of the documents, or eight equal ones, have two scores each,
made as in `simulate_population`. They are alike, differ in the share of positives (1 : 3 : 9 : 3), have scores shifted
by standard deviations of the negatives, or fraud that shows in another score. Values are sums of TP - m / (1 - m) FP
over samples and targets m, counted on a new population; the best thresholds are found on one population and counted on
another. Then "Card alerts", drawn again, and times.
Run: python -m benchmarks.segments [--samples 30] [--positives 150 800] [--cases alike ...]
"""

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from benchmarks.reporting import print_setup, print_table
from multiloss_core import RatedDocuments, flagged, simulate_population
from multiloss_core.datasets.samples import RATED_SAMPLES
from multiloss_core.numerics import Bools, Floats, Indices
from multiloss_core.segments import SegmentPaths, segment_paths

TARGETS = (0.05, 0.1, 0.2, 0.4)
PREVALENCE, STRENGTH, RATED_SHARE = 0.001, 3.0, 0.005
NEGATIVES_OF_TRUTH, POSITIVES_OF_TRUTH = 8_000_000, 120_000
GRID = 400
TIMED_DOCUMENTS = 10_500_000


@dataclass(frozen=True)
class Case:
    """Relative shares of positives, shifts of the scores and shares of documents, by segment.

    The `second` score is shifted like the first, or not at all. The share `of_own` of positives shows in one score
    alone: in the first half of the segments the first one.
    """

    rates: tuple[float, ...] = (1, 1, 1, 1)
    shifts: tuple[float, ...] = (0, 0, 0, 0)
    shares: tuple[float, ...] = (0.4, 0.3, 0.2, 0.1)
    second: bool = True
    of_own: float = 0.0


EIGHTHS = (0.125,) * 8
CASES = {
    "alike": Case(),
    "eight alike": Case((1,) * 8, (0,) * 8, EIGHTHS),
    "base rates 1 : 3 : 9 : 3": Case(rates=(1, 3, 9, 3)),
    "shifts +0.2, -0.2, +0.2, -0.2": Case(shifts=(0.2, -0.2, 0.2, -0.2)),
    "shifts +0.4, -0.4, +0.4, -0.4": Case(shifts=(0.4, -0.4, 0.4, -0.4)),
    "shifts -0.3, -0.1, +0.1, +0.3": Case(shifts=(-0.3, -0.1, 0.1, 0.3)),
    "shifts -0.6, -0.2, +0.2, +0.6": Case(shifts=(-0.6, -0.2, 0.2, 0.6)),
    "eight, one score shifted by ±0.3": Case((1,) * 8, (0.3, -0.3) * 4, EIGHTHS, second=False),
    "fraud in another score": Case(of_own=0.8),
}


@dataclass(frozen=True, eq=False)
class Segmented:
    """Scores (n, 2), labels, segments and weights (n,) of documents at or above a floor (2,)."""

    scores: Floats
    labels: Bools
    segments: Indices
    weights: Floats
    floors: Floats

    def value(self, thresholds: Floats, target: float) -> float:
        """Sum TP - m / (1 - m) FP of the thresholds (s, 2) of the segments."""
        caught = (self.scores >= thresholds[self.segments]).any(axis=1)
        worth = np.where(self.labels, 1.0, -target / (1 - target))
        return float(np.sum((self.weights * worth)[caught]))


def drawn(
    case: str, generator: np.random.Generator, positives: int, negatives: int, floors: Floats | None = None
) -> Segmented:
    """Draw documents of each class, and keep those at or above a floor.

    Each stands for its share of 1 million.
    """
    made = CASES[case]
    rates, shifts, of_all = (np.array(part, dtype=np.float64) for part in (made.rates, made.shifts, made.shares))
    of_positives = of_all * rates / (of_all * rates).sum()
    kinds = []
    for count, shares in ((positives, of_positives), (negatives, of_all)):
        segments = generator.choice(len(shares), count, p=shares)
        scores = generator.standard_normal((count, 2)) + shifts[segments, np.newaxis] * [1, made.second]
        if count == positives:
            kind = generator.integers(0, 3, count)
            if made.of_own:
                own = generator.random(count) < made.of_own
                kind = np.where(own, 2 * segments // len(shares), kind)
            for j in range(2):
                scores[:, j] += np.select([kind == j, kind == 2], [STRENGTH, 0.75 * STRENGTH], 0.5)
        kinds.append((scores, segments))
    if floors is None:
        floors = np.quantile(kinds[1][0], 1 - RATED_SHARE, axis=0)
    scores, segments = (np.concatenate(part) for part in zip(*kinds, strict=True))
    labels = np.arange(len(scores)) < positives
    weights = np.where(labels, 1e6 * PREVALENCE / positives, 1e6 * (1 - PREVALENCE) / negatives)
    kept = flagged(scores, floors, "any")
    return Segmented(scores[kept], labels[kept], segments[kept], weights[kept], floors)


def best_thresholds(truth: Segmented, chosen: Bools, target: float) -> Floats:
    """Find the thresholds (2,) of largest value for some documents, on a grid."""
    scores, labels, weights = truth.scores[chosen], truth.labels[chosen], truth.weights[chosen]
    axes = [np.append(np.quantile(x, np.linspace(0, 1, GRID)), np.inf) for x in scores[labels].T]
    places = [np.searchsorted(axis, x, side="right") for axis, x in zip(axes, scores.T, strict=True)]
    worth = weights * np.where(labels, 1.0, -target / (1 - target))
    cells = np.bincount(places[0] * (GRID + 2) + places[1], worth, (GRID + 2) ** 2).reshape(GRID + 2, GRID + 2)
    gains = worth.sum() - cells.cumsum(axis=0).cumsum(axis=1)[:-1, :-1]
    row, column = np.unravel_index(gains.argmax(), gains.shape)
    return np.array([axes[0][row], axes[1][column]])


def of_segments(paths: SegmentPaths, target: float, which: str) -> Floats:
    """Collect the thresholds (s, 2) of the segments, by their number."""
    at = paths.points_at(target)
    points = getattr(at, at.proposed if which == "proposal" else which)
    found = np.empty((sum(map(len, paths.members)), 2))
    for members, point in zip(paths.members, points, strict=True):
        found[[int(name) for name in members]] = point.thresholds
    return found


def best_gain(case: str) -> tuple[Segmented, float]:
    """Return the population to count on, and the gain of the best own thresholds there."""
    generator = np.random.default_rng(1)
    found = drawn(case, generator, POSITIVES_OF_TRUTH, NEGATIVES_OF_TRUTH)
    counted = drawn(case, generator, POSITIVES_OF_TRUTH, NEGATIVES_OF_TRUTH, found.floors)
    own, common, segments = 0.0, 0.0, len(CASES[case].shares)
    for target in TARGETS:
        shared = best_thresholds(found, np.ones(len(found.labels), dtype=bool), target)
        single = [best_thresholds(found, found.segments == s, target) for s in range(segments)]
        common += counted.value(np.tile(shared, (segments, 1)), target)
        own += counted.value(np.array(single), target)
    return counted, own / common - 1


def measured(case: str, counted: Segmented, positives: int, samples: int) -> tuple[list[Floats], list[float]]:
    """Compute values (3, t) of proposal, own and common thresholds, and the gate's statistic."""
    # The share of positives at or above a floor turns rated positives into positives.
    kept = float(counted.weights[counted.labels].sum()) / (1e6 * PREVALENCE)
    values, statistics = [], []
    for seed in range(samples):
        generator = np.random.default_rng([2, seed])
        size = int(generator.poisson(positives / kept))
        documents = drawn(case, generator, size, int(positives / kept * (1 - PREVALENCE) / PREVALENCE), counted.floors)
        rated = RatedDocuments(documents.scores, documents.labels, floors=documents.floors.tolist())
        paths = segment_paths(rated, documents.segments.astype(str))
        ways = ("proposal", "own", "common")
        values.append(np.array([[counted.value(of_segments(paths, m, way), m) for m in TARGETS] for way in ways]))
        statistics.append(paths.gate.statistic)
    return values, statistics


def gains(cases: list[str], positives: list[int], samples: int) -> Iterator[tuple[object, ...]]:
    """Make one row for each case and number of positives."""
    for case in cases:
        counted, best = best_gain(case)
        for number in positives:
            values, statistics = measured(case, counted, number, samples)
            proposal, own, common = np.array(values).transpose(1, 0, 2)
            total = common.sum()
            ways = [100 * (way - common).sum(axis=1) * samples / total for way in (proposal, own)]
            by_target = " ".join(f"{100 * gain:+.1f}" for gain in proposal.sum(axis=0) / common.sum(axis=0) - 1)
            is_open = int(np.count_nonzero((proposal != common).any(axis=1)))
            yield (
                *(case, number, _with_error(ways[0]), by_target, _with_error(ways[1])),
                *(f"{100 * best:+.1f}", f"{is_open} of {samples}"),
                " / ".join(f"{value:.1f}" for value in np.quantile(statistics, [0, 0.5, 1])),
            )


def _with_error(values: Floats) -> str:
    return f"{values.mean():+.1f} ± {values.std(ddof=1) / np.sqrt(len(values)):.1f}"


def card_alerts(populations: int) -> None:
    """Compare precisions at equal catches on new populations of the sample."""
    source = RATED_SAMPLES["Card alerts"]("Card alerts")
    frame = source.frame[source.frame["rating"].notna()]
    names, floors = list(source.first_choice.scores), [float(floor) for floor in source.first_choice.floors]
    rated = RatedDocuments.from_frame(frame, names, "rating", "fraud", floors=floors)
    paths = segment_paths(rated, frame["channel"].to_numpy(dtype=object)[rated.rows])
    channels = {name: s for s, part in enumerate(paths.members) for name in part}
    order = np.array([channels[name] for name in ("online", "card present", "phone")])
    parts = []
    for seed in range(populations):
        generator = np.random.default_rng([3, seed])
        new = simulate_population(generator, classifiers=2, strength=3.5)
        kept = flagged(new.scores, floors, "any")
        labels = new.labels[kept]
        usual, fraud = (generator.choice(3, len(labels), p=p) for p in ([0.5, 0.42, 0.08], [0.7, 0.1, 0.2]))
        parts.append((new.scores[kept], labels, order[np.where(labels, fraud, usual)]))
    scores, labels, segment = (np.concatenate(part) for part in zip(*parts, strict=True))

    def counts(target: float, which: str) -> tuple[float, float]:
        thresholds = np.array([point.thresholds for point in getattr(paths.points_at(target), which)])
        caught = (scores >= thresholds[segment]).any(axis=1)
        return float((caught & labels).sum()), float((caught & ~labels).sum())

    along = np.array([counts(target, "own") for target in np.geomspace(0.003, 0.95, 300)[::-1]])
    rows = []
    for target in (0.05, 0.1, 0.2, 0.3, 0.4, 0.5):
        tp, fp = counts(target, "common")
        own_fp = float(np.interp(tp, along[:, 0], along[:, 1]))
        before, after = tp / (tp + fp), tp / (tp + own_fp)
        rows.append((target, f"{tp:,.0f}", f"{before:.3f}", f"{after:.3f}", f"{100 * (after / before - 1):+.1f} %"))
    print_table(
        f"Card alerts, on {populations} new populations; own thresholds proposed: {paths.gate.is_open}, "
        f"{paths.gate.statistic:.1f} standard errors",
        ("m of common thresholds", "TP", "their precision", "that of own ones at as many TP", "gain"),
        rows,
    )


def times() -> None:
    """Measure 20 segments of 100,000 rated documents with two scores."""
    generator = np.random.default_rng(0)
    documents = simulate_population(generator, documents=TIMED_DOCUMENTS).rated()
    shares = 1 / np.arange(1, 21)
    names = generator.choice(20, len(documents.labels), p=shares / shares.sum()).astype(str)
    rows = []
    started = time.perf_counter()
    paths = segment_paths(documents, names, hold_out=False)
    rows.append((f"paths of {len(documents.labels):,} documents", f"{time.perf_counter() - started:.2f} s"))
    started = time.perf_counter()
    paths = paths.held_out()
    assert not paths.gate.is_open
    rows.append(("gate", f"{time.perf_counter() - started:.2f} s"))
    for name, call in (("points_at", lambda: paths.points_at(0.2)), ("point_under", lambda: paths.point_under(5_000))):
        call()
        started = time.perf_counter()
        for _ in range(20):
            call()
        rows.append((name, f"{(time.perf_counter() - started) / 20 * 1000:.1f} ms"))
    print_table("Times of 20 segments", ("step", "time"), rows)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--samples", type=int, default=30)
    arguments.add_argument("--positives", nargs="*", type=int, default=[150, 800])
    arguments.add_argument("--cases", nargs="*", default=list(CASES))
    arguments.add_argument("--populations", type=int, default=20)
    chosen = arguments.parse_args()
    print_setup("Thresholds by segment", ("numpy", "scipy"), f"; {chosen.samples} samples, m = {TARGETS}")
    times()
    card_alerts(chosen.populations)
    print_table(
        "Gain in value over common thresholds, %",
        (
            *("segments", "rated positives", "proposal, ± standard error", "at each m", "own, without the gate"),
            *("best own over best common", "own proposed", "gain in standard errors: least / median / largest"),
        ),
        gains(chosen.cases, chosen.positives, chosen.samples),
    )


if __name__ == "__main__":
    main()
