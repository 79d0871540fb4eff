"""Measure false alarms of weekly looks and how soon a change is found; print Markdown.

Run: python -m benchmarks.watch [samples]
A decision rests on 13 weeks of 26 alerts each on average, half of them fraud. `busy`: the rates of weeks vary, with the
stated coefficient of variation (gamma). Looked at each week for a year, at the last week alone. `doubled`: the
false alerts double after the decision; looked at each week, at all weeks since. Seeds are fixed.
"""

import sys

import numpy as np

from benchmarks.reporting import print_setup, print_table
from multiloss_core.decisions.record_fields import RecordedInterval
from multiloss_core.decisions.then_and_now import LEVEL, Sizes, change_of, dispersion_of
from multiloss_core.numerics import precision_interval
from multiloss_core.numerics.proportions import share_interval

SAMPLES, WEEKS, YEAR = 300, 13, 52
ALERTS, ROWS, PRECISION = 26.0, 2_000.0, 0.5
VARIATIONS = (0.0, 0.1, 0.2, 0.3)


def main() -> None:
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else SAMPLES
    print_setup("Looks at a decision", ["numpy", "scipy"], f". {samples} samples.")
    rows = []
    for variation in VARIATIONS:
        alarms, found = np.zeros(samples), np.zeros(samples)
        for seed in range(samples):
            generator = np.random.default_rng(seed)
            before = drawn_weeks(generator, WEEKS, variation, 1.0)
            quiet, doubled = drawn_weeks(generator, YEAR, variation, 1.0), drawn_weeks(generator, 4, variation, 2.0)
            alarms[seed] = sum(is_alarm(before, quiet[week : week + 1]) for week in range(YEAR))
            found[seed] = any(is_alarm(before, doubled[: week + 1]) for week in range(4))
        errors = (values.std() / np.sqrt(samples) for values in (alarms, found))
        cells = [f"{mean:.2f} ± {error:.2f}" for mean, error in zip((alarms.mean(), found.mean()), errors, strict=True)]
        rows.append((f"{variation:g}", *cells))
    print_table(
        "Alarms",
        ("variation of weeks", "false alarms in a year", "doubled false alerts found within four weeks"),
        rows,
    )


def drawn_weeks(generator: np.random.Generator, weeks: int, variation: float, factor: float) -> np.ndarray:
    """Draw rows, true and false positives (weeks, 3)."""
    rates = generator.gamma(1 / variation**2, variation**2, weeks) if variation else np.ones(weeks)
    tp = generator.poisson(rates * ALERTS * PRECISION)
    fp = generator.poisson(rates * ALERTS * (1 - PRECISION) * factor)
    return np.column_stack([generator.poisson(rates * ROWS), tp, fp])


def is_alarm(before: np.ndarray, now: np.ndarray) -> bool:
    rows_then, tp_then, fp_then = (float(value) for value in before.sum(axis=0))
    rows_now, tp_now, fp_now = (float(value) for value in now.sum(axis=0))
    then, after = tp_then + fp_then, tp_now + fp_now
    precision = tp_then / then
    of_precision = RecordedInterval(precision, *precision_interval(precision, then), LEVEL)
    bounds = precision_interval(tp_now / after, after) if after else (0.0, 1.0)
    changes = [change_of(precision, of_precision, tp_now / after if after else precision, bounds)]
    sizes = Sizes(
        unit="a day",
        then=7.0 * len(before),
        now=7.0 * len(now),
        arrived=(rows_then, rows_now),
        dispersion=dispersion_of(before[:, 1:].sum(axis=1)),
    )
    low, high = (rows_then * float(bound) for bound in share_interval(then, rows_then))
    now_bounds = (rows_now * float(bound) for bound in share_interval(after, rows_now))
    changes.append(change_of(then, RecordedInterval(then, low, high, LEVEL), after, tuple(now_bounds), sizes))
    return any(change.is_beyond_chance for change in changes)


if __name__ == "__main__":
    main()
