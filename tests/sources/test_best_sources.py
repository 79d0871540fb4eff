from itertools import product

import numpy as np
import pytest

from multiloss_core import DataError, RatedDocuments, flagged
from multiloss_core.sources import best_sources
from multiloss_core.thresholds.data.undecided_documents import UndecidedDocuments


def random_queue(seed: int) -> RatedDocuments:
    generator = np.random.default_rng(seed)
    k, r, n = (int(generator.integers(low, high)) for low, high in ((1, 4), (0, 7), (8, 24)))
    scores = generator.integers(0, 6, (n, k)).astype(float)
    rules = (generator.random((n, r)) < 0.3).astype(float)
    scores[0], scores[1] = 5.0, 4.0
    both = np.hstack([scores, rules])
    both = both[(both >= [2.0] * k + [1.0] * r).any(axis=1)]
    labels = generator.random(len(both)) < 0.4
    labels[0], labels[1] = True, False
    weights = generator.choice([0.5, 1.0, 3.0], len(both)) if seed % 2 else None
    waiting = UndecidedDocuments(scores=both[:2], weights=np.ones(2), rows=np.arange(2)) if seed % 3 == 0 else None
    return RatedDocuments(both, labels, weights, floors=[2.0] * k, alert_rules=r, undecided=waiting)


def value(documents: RatedDocuments, thresholds: np.ndarray, target: float) -> float:
    tp, fp = documents.counts_at(thresholds)
    return (1 - target) * tp - target * fp


def best_by_force(documents: RatedDocuments, target: float) -> float:
    """Count every set of rules with every combination of thresholds, document by document."""
    scored = documents.score_count
    worth = documents.weights * (documents.labels - target)
    columns = [
        [*(column >= value for value in np.unique(column[column >= 2.0])), np.zeros(len(column), dtype=bool)]
        for column in documents.scores[:, :scored].T
    ]
    by_scores = np.array([np.logical_or.reduce(chosen) for chosen in product(*columns)])
    best = 0.0
    for active in product([False, True], repeat=documents.alert_rules):
        raised = (documents.scores[:, scored:][:, list(active)] > 0).any(axis=1)
        best = max(best, float(((by_scores | raised) @ worth).max()))
    return best


@pytest.mark.parametrize("seeds", [range(start, start + 30) for start in range(0, 300, 30)], ids=str)
def test_equals_brute_force(seeds: range) -> None:
    for seed in seeds:
        documents = random_queue(seed)
        target = (0.1, 0.3, 0.5, 0.7)[seed % 4]
        found = best_sources(documents, target)
        assert value(documents, found, target) == pytest.approx(best_by_force(documents, target), abs=1e-9), seed


def test_refuses_a_target_outside() -> None:
    with pytest.raises(DataError, match="between 0 and 1"):
        best_sources(random_queue(0), 1.0)


def test_flags_with_off_rules() -> None:
    documents = random_queue(4)
    thresholds = best_sources(documents, 0.3)
    counted = documents.counts_at(thresholds)
    chosen = flagged(documents.scores, thresholds, "any")
    assert counted.tp == documents.weights[chosen & documents.labels].sum()
