"""Measure the coverage of the interval of k*; print Markdown.

Run: python -m benchmarks.cut_interval [samples]
A sample draws true probabilities, outcomes and a random labelled part. Distortions of the given probabilities are left
out: increasing ones leave the interval as it is. Covered: the interval holds the k* of the true probabilities.
Width: the mean length over the mean true k*. Far: the share of
samples whose true k* lies more than a tenth of the width outside.
"""

from collections.abc import Iterator
from sys import argv
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from benchmarks.reporting import print_setup, print_table
from multiloss_core import LOSSES, ScoredItems, optimal_top_k
from multiloss_core.losses import cut_interval

SAMPLES = 300
CHOICES = ("F1", "AM", "G-TP/PR", "G-Mean")


class Population(NamedTuple):
    """Gaussian log odds of this mean and spread; `labelled`: the share of known outcomes.

    `alike`: items of a group, with one probability and one outcome.
    """

    name: str
    items: int
    mean: float
    spread: float
    labelled: float = 1.0
    alike: int = 1


POPULATIONS = (
    Population("sure", 2_000, -3.0, 1.9),
    Population("vague", 2_000, -1.0, 0.7),
    Population("rare", 6_000, -5.5, 1.5),
    Population("very rare", 20_000, -7.5, 2.0),
    Population("small", 300, -1.5, 1.5),
    Population("alike in fives", 2_000, -3.0, 1.9, 1.0, 5),
    Population("partly labelled", 6_000, -3.0, 1.9, 0.2),
    Population("large", 20_000, -3.0, 1.9),
)


def main() -> None:
    samples = int(argv[1]) if len(argv) > 1 else SAMPLES
    print_setup("The interval of k*", ["NumPy", "SciPy"], f". {samples:,} samples of each row, confidence 95 %.")
    header = ("population", "items", "labelled", "positives", "loss", "covered", "far", "true k*", "width")
    print_table("Coverage", header, (row for population in POPULATIONS for row in rows(population, samples)))


def rows(population: Population, samples: int) -> Iterator[tuple[object, ...]]:
    """Measure one population under every loss that its size allows."""
    for choice in CHOICES[: 3 if population.items > 2_000 else 4]:
        generator = np.random.default_rng(0)
        covered, far, best, widths, positives = [], [], [], [], []
        for _ in range(samples):
            groups = np.arange(population.items) // population.alike
            spread = population.spread * generator.standard_normal(groups[-1] + 1)
            true = expit(population.mean + spread)[groups]
            labels = generator.random(groups[-1] + 1)[groups] < true
            labelled = generator.random(true.size) < population.labelled
            items = ScoredItems(true, labels, labelled, groups if population.alike > 1 else None)
            found = cut_interval(items, LOSSES[choice], generator)
            k, width = optimal_top_k(true, LOSSES[choice], tolerance=1e-6).k, found.high - found.low
            covered.append(found.covers(k))
            far.append(max(found.low - k, k - found.high) > width / 10)
            best.append(k)
            widths.append(width)
            positives.append(np.count_nonzero(labels & labelled))
        size = f"{population.items:,}", f"{population.labelled:.0%}", f"{np.mean(positives):,.0f}"
        shares = f"{np.mean(covered):.1%}", f"{np.mean(far):.1%}", f"{np.mean(best):,.0f}"
        yield population.name, *size, choice, *shares, f"{np.mean(widths) / np.mean(best):.0%}"


if __name__ == "__main__":
    main()
