"""Measure caps on alerts and floors on precision on new data.

Prints Markdown. Rated documents of `benchmarks.populations` fall on days by chance, busier in the middle of each
week; thresholds are chosen on one period and counted on the population, of which new periods are drawn.
`corner` is the point of the slider that meets the goal, `best` the one that `multiloss_core.thresholds.targets` finds.
A second table counts days above the cap in the four weeks after data in which alerts grow by a share.
Run: python -m benchmarks.caps [--samples 20]
"""

import argparse
import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from benchmarks.populations import RatedPopulation, population, sample, true_rates
from benchmarks.reporting import print_header, print_row
from multiloss_core import DataError, OperatingPoint, RatedDocuments, operating_points
from multiloss_core.inspection import alert_trend, calendar, daily_alerts, weekly_counts
from multiloss_core.numerics import Floats, Indices
from multiloss_core.thresholds import SMOOTH, PathSearch, Point, Rule
from multiloss_core.thresholds.targets import (
    DailyCap,
    point_for_alerts,
    point_for_busy_days,
    point_for_precision,
    threshold_choices,
)

POPULATIONS = ("gauss2", "correlated2", "discrete2", "gauss3")
SHARES, FLOORS = (0.03, 0.1, 0.3), (0.3, 0.6)
DAYS = 91
GROWTHS, DAYS_AFTER, SHARE_OF_ALERTS = (0.0, 0.65, -0.4), 28, 0.15
# Samples of growing alerts for each other one.
GROWING_SAMPLES = 5
TARGETS = np.arange(1, 1_000) / 1_000


class Outcome(NamedTuple):
    """Shares of the cap used; on new data recall, precision and share of days above the cap."""

    used: float
    used_new: float
    caught: float
    precision: float
    busy: float


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--samples", type=int, default=20)
    arguments.add_argument("--positives", type=int, nargs="*", default=[150, 800])
    chosen = arguments.parse_args()
    print(f"# Caps and floors, {time.strftime('%Y-%m-%d')}\n\nMeans of {chosen.samples} samples of {DAYS} days.\n")
    header = ("population, rule, positives", "goal", "used by corner", "used by best", "best, new data")
    print_header(*header, "caught more than corner, new data", "precision, new data", "new days above the cap")
    for name in POPULATIONS:
        for rule in ("any", "all"):
            for positives in chosen.positives:
                report(name, rule, positives, chosen.samples)
    print("\n## Growing alerts, rule any\n")
    print_header("population, positives", "growth in 91 days", "found in", "above if it goes on", "above if it ends")
    for name in POPULATIONS[:2]:
        for positives in chosen.positives:
            for growth in GROWTHS:
                seeds = range(GROWING_SAMPLES * chosen.samples)
                found = 100 * np.array([after_growth(name, positives, growth, seed) for seed in seeds])
                errors = np.nanstd(found, axis=0) / np.sqrt(np.isfinite(found).sum(axis=0))
                shares = (
                    f"{mean:.1f} % ± {error:.1f}" for mean, error in zip(np.nanmean(found, 0), errors, strict=True)
                )
                print_row(f"{name}, {positives}", f"{100 * growth:+.0f} %", *shares)


def report(name: str, rule: Rule, positives: int, samples: int) -> None:
    found: dict[str, list[tuple[Outcome, Outcome]]] = {}
    for seed in range(samples):
        for goal, corner, best in outcomes(population(name), rule, positives, seed):
            found.setdefault(goal, []).append((corner, best))
    for goal, pairs in found.items():
        # (samples, corner and best, parts of an outcome)
        each = np.array(pairs)
        corner, best = each.mean(axis=0)
        gains = each[:, 1, 2] - each[:, 0, 2]
        error = gains.std(ddof=1) / np.sqrt(len(gains))
        print_row(
            f"{name}, {rule}, {positives}",
            goal,
            *(f"{100 * part:.1f} %" for part in (corner[0], best[0], best[1])),
            f"{100 * gains.mean() / corner[2]:+.1f} % ± {100 * error / corner[2]:.1f}",
            f"{100 * best[3]:.1f} %",
            f"{100 * best[4]:.1f} %" if goal.endswith("ten") else "",
        )


def outcomes(source: RatedPopulation, rule: Rule, positives: int, seed: int) -> Iterator[tuple[str, Outcome, Outcome]]:
    """Choose by every goal on one sample."""
    documents = sample(source, positives, seed)
    generator = np.random.default_rng([seed, positives])
    search = PathSearch(documents, rule)
    path = SMOOTH.find(search)
    choices = threshold_choices(path, documents, fit=search.fit)
    corners = [point for point in operating_points(path, TARGETS) if point.tp > 0]
    day, total = drawn_days(generator, len(documents.labels)), path.reachable.alerts

    def outcome(point: Point, most: float) -> Outcome:
        return on_new_data(source, documents, point, most, generator)

    for share in SHARES:
        most = share * total
        held = [point for point in corners if point.alerts <= most]
        if held:
            best = point_for_alerts(path, choices, most)
            yield f"{share:g} of all alerts", outcome(_loosest(held), most), outcome(best, most)
        cap = DailyCap(day=day, days=DAYS, most=1.5 * most / DAYS)
        held = [point for point in corners if _busy_days(documents, point, cap) <= cap.busy_allowed]
        if held and cap.most >= 1:
            best, most = point_for_busy_days(path, choices, cap), cap.most * DAYS
            yield f"{1.5 * share:g} on nine days of ten", outcome(_loosest(held), most), outcome(best, most)
    for least in FLOORS:
        held = [point for point in corners if point.precision >= least]
        if held:
            best = point_for_precision(path, choices, least)
            yield f"precision {least:g}", outcome(_loosest(held), total), outcome(best, total)


def _loosest(points: list[OperatingPoint]) -> OperatingPoint:
    return max(points, key=lambda point: point.alerts)


def _busy_days(documents: RatedDocuments, point: Point, cap: DailyCap) -> int:
    return int((np.bincount(cap.day, point.flags(documents.scores), cap.days) > cap.most).sum())


def drawn_days(generator: np.random.Generator, count: int, growth: float = 0.0) -> Indices:
    level = levels(growth)[:DAYS]
    return generator.choice(DAYS, size=count, p=level / level.sum())


def levels(growth: float) -> Floats:
    """Return relative numbers of alerts on the days of the data and after them."""
    days = np.arange(DAYS + DAYS_AFTER)
    return np.resize([1.2, 1.3, 1.2, 1.1, 1.0, 0.6, 0.6], len(days)) * (1 + growth) ** (days / (DAYS - 1))


def after_growth(name: str, positives: int, growth: float, seed: int) -> tuple[float, float, float]:
    """Return whether a trend is found, and shares of new days above the cap."""
    generator = np.random.default_rng([seed, positives])
    source, documents = population(name), sample(population(name), positives, seed)
    day = drawn_days(generator, len(documents.labels), growth)
    days = calendar(np.datetime64("2026-01-05", "D") + day)
    weeks = weekly_counts(documents, days, documents.floors, "any")
    trend = alert_trend(weeks, daily_alerts(documents, days, documents.floors, "any"))
    search = PathSearch(documents, "any")
    path = SMOOTH.find(search)
    most = SHARE_OF_ALERTS * path.reachable.alerts / DAYS
    cap = DailyCap(day=days.day, days=days.days, most=most, levels=None if trend is None else trend.levels)
    try:
        point = point_for_busy_days(path, threshold_choices(path, documents, fit=search.fit), cap)
    except DataError:
        return float(trend is not None), np.nan, np.nan
    rate = len(day) * sum(true_rates(source, point.thresholds, "any")) / levels(growth)[:DAYS].sum()
    goes_on = levels(growth)[DAYS:]
    ends = goes_on * (1 + growth) ** (-np.arange(1, DAYS_AFTER + 1) / (DAYS - 1))
    above = [float((generator.poisson(rate * after, (50, DAYS_AFTER)) > most).mean()) for after in (goes_on, ends)]
    return float(trend is not None), above[0], above[1]


def on_new_data(
    source: RatedPopulation, documents: RatedDocuments, point: Point, most: float, generator: np.random.Generator
) -> Outcome:
    """Count thresholds on the population and on the days of a new period of as many documents."""
    count = len(documents.labels)
    tp, fp = true_rates(source, point.thresholds, point.rule)
    daily = np.bincount(drawn_days(generator, generator.poisson(count * (tp + fp))), minlength=DAYS)
    return Outcome(
        used=point.alerts / most,
        used_new=count * (tp + fp) / most,
        caught=tp / source.share_positive,
        precision=tp / (tp + fp) if tp + fp > 0 else np.nan,
        busy=float((daily > most / DAYS + 1e-9).mean()),
    )


if __name__ == "__main__":
    main()
