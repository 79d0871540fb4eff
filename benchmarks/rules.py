"""Measure the choice of alert rules beside scores, and the stated precision of each rule.

Prints Markdown. Samples of a simulated queue choose thresholds and rules, which are counted on the whole queue. The
value TP - m / (1 - m) FP is compared with that of the choice from the whole queue, and with thresholds of the scores
alone. For rules that a sample chose, the share of positives among the alerts of each one alone is compared with the
true one: as counted on the sample, and as cross-fitted.
Run: python -m benchmarks.rules [--samples 30] [--positives 40 150] [--cases five overlapping]
"""

import argparse
from collections.abc import Callable, Iterator

import numpy as np
from scipy.special import logit

from benchmarks.reporting import print_setup, print_table
from multiloss_core import RatedDocuments, operating_point, smooth_path
from multiloss_core.generalisation import cross_fit
from multiloss_core.numerics import Floats
from multiloss_core.sources import RuleSet, held_out_switches, simulate_alert_queue

TARGETS = (0.1, 0.3, 0.6)
DOCUMENTS = 1_500_000
OVERLAPPING = 12


def five() -> RatedDocuments:
    """Make the queue of five independent rules, of which the last repeats the first score."""
    return simulate_alert_queue(np.random.default_rng(0), documents=DOCUMENTS).rated()


def overlapping() -> RatedDocuments:
    """Replace the rules by twelve that raise what noisy copies of the scores put highest."""
    generator = np.random.default_rng(1)
    queue = simulate_alert_queue(generator, documents=DOCUMENTS, rules=1)
    raised = []
    for rule in range(OVERLAPPING):
        noisy = logit(queue.scores[:, rule % 2]) + generator.normal(0.0, 1.5, DOCUMENTS)
        raised.append(noisy > np.quantile(noisy, 1 - 10 ** generator.uniform(-4.0, -3.0)))
    rules = np.column_stack(raised)
    kept = (queue.scores >= queue.floors).any(axis=1) | rules.any(axis=1)
    names = (*queue.names[:2], *(f"rule {rule + 1}" for rule in range(OVERLAPPING)))
    scores = np.hstack([queue.scores, rules])[kept]
    floors = queue.floors.tolist()
    return RatedDocuments(scores, queue.labels[kept], names=names, floors=floors, alert_rules=OVERLAPPING)


CASES: dict[str, Callable[[], RatedDocuments]] = {"five": five, "overlapping": overlapping}


def scores_alone(documents: RatedDocuments) -> RatedDocuments:
    """Keep the documents that a score raised, without their rules."""
    count = documents.score_count
    kept = (documents.scores[:, :count] >= documents.floors[:count]).any(axis=1)
    floors = documents.floors[:count].tolist()
    return RatedDocuments(
        documents.scores[kept, :count], documents.labels[kept], names=documents.names[:count], floors=floors
    )


def value(queue: RatedDocuments, thresholds: Floats, target: float) -> float:
    """Compute TP - m / (1 - m) FP of thresholds (k,)."""
    found = queue.counts_at(thresholds)
    return found.tp - target / (1 - target) * found.fp


def measured(queue: RatedDocuments, positives: int, seed: int) -> tuple[Floats, Floats]:
    """Return values (t, 2) of both choices of a sample, and shares (t, 2, 4) of rules.

    The shares, of rules that are off and on, are sums over rules: as counted, cross-fitted, true, and the number of
    rules for which all are known.
    """
    generator = np.random.default_rng([4, seed])
    drawn = generator.random(len(queue.labels)) < positives / queue.labels.sum()
    sample = queue.part(drawn)
    path, alone = smooth_path(sample), smooth_path(scores_alone(sample))
    fitted = cross_fit(sample, {"smooth": smooth_path}, TARGETS)["smooth"]
    values, shares = np.zeros((len(TARGETS), 2)), np.zeros((len(TARGETS), 2, 4))
    for t, target in enumerate(TARGETS):
        chosen = operating_point(path, target).thresholds
        scored = operating_point(alone, target).thresholds
        without = np.append(scored, np.full(queue.alert_rules, np.inf))
        values[t] = [value(queue, thresholds, target) for thresholds in (chosen, without)]
        held_out = held_out_switches(sample, chosen, fitted.thresholds[:, t])
        counted, true = (RuleSet.of(documents, chosen).sources for documents in (sample, queue))
        for place in range(queue.score_count, len(queue.names)):
            found = [each[place] for each in (counted, true)]
            row = [found[0].switch_off.estimate, held_out[place].estimate, found[1].switch_off.estimate, 1.0]
            if np.isfinite(row).all():
                shares[t, int(found[0].is_active)] += row
    return values, shares


def rows(cases: list[str], positives: list[int], samples: int) -> Iterator[tuple[object, ...]]:
    """Make one row for each queue, number of positives and target."""
    for case in cases:
        queue = CASES[case]()
        best = smooth_path(queue)
        for number in positives:
            found = [measured(queue, number, seed) for seed in range(samples)]
            values, shares = (np.array(part) for part in zip(*found, strict=True))
            for t, target in enumerate(TARGETS):
                most = value(queue, operating_point(best, target).thresholds, target)
                attained = values[:, t] / most
                differences = attained[:, 0] - attained[:, 1]
                yield (
                    *(case, number, target),
                    *(f"{mean:.3f}" for mean in attained.mean(axis=0)),
                    f"{differences.mean():+.3f} ± {differences.std(ddof=1) / np.sqrt(samples):.3f}",
                    *(biases(shares[:, t, state]) for state in (1, 0)),
                )


def biases(shares: Floats) -> str:
    """Describe the true share, and the excess of the two stated ones, of samples (n, 4)."""
    counted, held_out, true, known = shares.T
    if known.sum() < 1:
        return "none"
    texts = [f"{true.sum() / known.sum():.2f}"]
    for stated in (counted, held_out):
        excess = (stated - true).sum() / known.sum()
        error = np.sqrt(np.square(stated - true - excess * known).sum()) / known.sum()
        texts.append(f"{excess:+.2f} ± {error:.2f}")
    return " / ".join(texts)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--samples", type=int, default=30)
    arguments.add_argument("--positives", nargs="*", type=int, default=[40, 150])
    arguments.add_argument("--cases", nargs="*", choices=list(CASES), default=list(CASES))
    chosen = arguments.parse_args()
    print_setup("Alert rules beside scores", ("numpy", "scipy"), f"; {chosen.samples} samples")
    print_table(
        "Value attained, and shares of positives stated for rules",
        (
            *("rules", "rated positives", "m", "rules and scores: share of the best value", "scores alone"),
            "difference ± standard error",
            *(f"rules {state}: true share / counted less true / cross-fitted less true" for state in ("on", "off")),
        ),
        rows(chosen.cases, chosen.positives, chosen.samples),
    )


if __name__ == "__main__":
    main()
