"""Measure what earlier files add to the default path; print Markdown.

Run: python -m benchmarks.earlier_files [samples]
Two scores and six files with 30 positives each. `stable`: all files come from one population; `random walk`: the
strength of both scores and all scores move by a normal step from file to file; `trend`: frauds move from the first
score to the second within the six files; `rise`: all scores rise by .5 standard deviations a file. Regret: the best
TP - m / (1 - m) FP of all thresholds, minus that of the chosen ones, in the population of the newest file, as a share
of its frauds; mean over m = .2, .5 and .8. Seeds are fixed.
"""

import sys

import numpy as np

from benchmarks.drift import best_value, value_of
from benchmarks.reporting import print_setup, print_table
from multiloss_core import RatedDocuments, operating_points
from multiloss_core.thresholds.paths.smooth.path import path_of_fit
from multiloss_core.thresholds.paths.smooth.smooth_fit import smooth_fit

KINDS, FILES, POSITIVES, SAMPLES = ("stable", "random walk", "trend", "rise"), 6, 30, 60
TARGETS = (0.2, 0.5, 0.8)
FLOOR, NEGATIVES_PER_POSITIVE, POSITIVES_OF_TRUTH = 2.0, 15, 20_000
GRID = np.linspace(FLOOR, 9.0, 150)


def main() -> None:
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else SAMPLES
    print_setup("What earlier files add", ["numpy", "scipy"], f". {samples} samples, {FILES} files.")
    rows = []
    for kind in KINDS:
        found = [regrets(kind, seed) for seed in range(samples)]
        losses, used = np.array([regret for regret, _ in found]), [half_life for _, half_life in found]
        means, errors = losses.mean(axis=0), losses.std(axis=0) / np.sqrt(samples)
        cells = [f"{mean:.4f} ± {error:.4f}" for mean, error in zip(means, errors, strict=True)]
        ratio = means[1] / means[0]
        error = (losses[:, 1] - ratio * losses[:, 0]).std() / np.sqrt(samples) / means[0]
        half_lives = ", ".join(f"{share:g}: {used.count(share)}" for share in sorted(set(used)))
        rows.append((kind, *cells, f"{ratio:.2f} ± {error:.2f}", half_lives))
    header = ("files", "newest file", "with earlier ones", "ratio", "half-lives in files: samples")
    print_table("Regret and its standard error", header, rows)


def regrets(kind: str, seed: int) -> tuple[list[float], float]:
    generator = np.random.default_rng(seed)
    populations = populations_of(kind, generator)
    files = [drawn_alerts(one, POSITIVES, generator) for one in populations]
    newest = files[-1]
    joined = newest.with_earlier(files[-2::-1])
    later = drawn_alerts(populations[-1], POSITIVES_OF_TRUTH, generator)
    found, used = [], 0.0
    for documents in (newest, joined):
        fit = smooth_fit(documents)
        points = operating_points(path_of_fit(documents, fit, "any"), TARGETS)
        values = [value_of(later, point.thresholds, target) for point, target in zip(points, TARGETS, strict=True)]
        best = [best_value(later, target, GRID) for target in TARGETS]
        found.append(float(np.mean(np.subtract(best, values)) / POSITIVES_OF_TRUTH))
        used = 0.0 if fit.earlier_weights is None else fit.earlier_weights.half_life
    return found, used


def populations_of(kind: str, generator: np.random.Generator) -> list[tuple[float, float, float, float]]:
    """Describe the population of each file.

    Strengths of two scores, share of frauds of the first, and shift of all scores.
    """
    found = []
    strengths, shift = np.array([2.5, 2.5]), 0.0
    for number in range(FILES):
        first = 0.95 - 0.9 * number / (FILES - 1) if kind == "trend" else 0.5
        found.append((*strengths.tolist(), first, shift))
        if kind == "random walk":
            strengths = strengths + 0.25 * generator.standard_normal(2)
            shift += 0.15 * float(generator.standard_normal())
        if kind == "rise":
            shift += 0.5
    return found


def drawn_alerts(
    population: tuple[float, float, float, float], positives: int, generator: np.random.Generator
) -> RatedDocuments:
    one, two, share, shift = population
    parts, labels = [], []
    for positive, count in ((True, positives), (False, positives * NEGATIVES_PER_POSITIVE)):
        found = 0
        while found < count:
            scores = generator.standard_normal((40 * count, 2)) + shift
            if positive:
                first = generator.random(len(scores)) < share
                scores += np.where(first[:, np.newaxis], [one, 0.3], [0.3, two])
            raised = scores[(scores >= FLOOR).any(axis=1)][: count - found]
            parts.append(raised)
            labels.append(np.full(len(raised), positive))
            found += len(raised)
    return RatedDocuments(np.vstack(parts), np.concatenate(labels), floors=[FLOOR, FLOOR])


if __name__ == "__main__":
    main()
