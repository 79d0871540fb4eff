from itertools import product

import numpy as np
import pytest

from multiloss_core import RatedDocuments, operating_point
from multiloss_core.thresholds import SMOOTH, PathSearch, simulate_alert_queue
from multiloss_core.thresholds.paths.node_tables import CellsOfScores, beside_rules, best_in_table, table_of_nodes
from multiloss_core.thresholds.paths.rule_choices import MAX_EXACT, rule_choices
from multiloss_core.thresholds.paths.score_cells import ScoreCells


def random_queue(seed: int) -> RatedDocuments:
    generator = np.random.default_rng(seed)
    k, r, n = (int(generator.integers(low, high)) for low, high in ((1, 4), (1, 7), (8, 24)))
    scores = generator.integers(0, 6, (n, k)).astype(float)
    rules = (generator.random((n, r)) < 0.3).astype(float)
    scores[0], scores[1] = 5.0, 4.0
    both = np.hstack([scores, rules])
    both = both[(both >= [2.0] * k + [1.0] * r).any(axis=1)]
    labels = generator.random(len(both)) < 0.4
    labels[0], labels[1] = True, False
    weights = generator.choice([0.5, 1.0, 3.0], len(both)) if seed % 2 else None
    return RatedDocuments(both, labels, weights, floors=[2.0] * k, alert_rules=r)


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


def every_score(documents: RatedDocuments) -> CellsOfScores:
    """Put each document into a cell of its own scores, with its weight."""
    scored = documents.score_count
    axes = [np.unique(column[column >= 2.0]) for column in documents.scores[:, :scored].T]
    axes = [*axes, *[np.ones(1)] * documents.alert_rules]
    cells = [np.searchsorted(axis, column, side="right") for axis, column in zip(axes, documents.scores.T, strict=True)]
    slots = np.arange(len(documents.labels))
    return CellsOfScores(
        ScoreCells(tuple(axes), np.column_stack(cells), slots, documents.alert_rules),
        documents.weights * documents.labels,
        documents.weights,
    )


def best_gains(fit: CellsOfScores, sets: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Compute the largest gain (t,) beside one of the sets of active rules (u, r)."""
    gains = []
    for active in sets:
        alone = beside_rules(fit, active)
        table = table_of_nodes(alone, "any", 100_000)
        tp, alerts = fit.expected - alone.expected, fit.totals - alone.totals
        gains.append(tp.sum() - targets * alerts.sum() + table.gains(best_in_table(table, targets), targets))
    return np.max(gains, axis=0)


@pytest.mark.parametrize("seeds", [range(start, start + 30) for start in range(0, 300, 30)], ids=str)
def test_equals_brute_force(seeds: range) -> None:
    for seed in seeds:
        documents = random_queue(seed)
        fit, targets = every_score(documents), np.array([0.1, 0.3, 0.5, 0.7])
        best = [best_by_force(documents, target) for target in targets]
        for target, most in zip(targets, best, strict=True):
            found = rule_choices(fit, np.array([target]))
            assert len(found) == 1
            assert best_gains(fit, found, np.array([target])) == pytest.approx([most], abs=1e-9), seed
        found = rule_choices(fit, targets)
        assert best_gains(fit, found, targets) == pytest.approx(best, abs=1e-9), seed
        assert (np.diff(found.sum(axis=1)) >= 0).all()


def test_many_rules_come_as_near_as_few() -> None:
    """Two rules that raise nothing make the choice inexact, and must not make it worse."""
    queue = simulate_alert_queue(np.random.default_rng(2), documents=40_000, rules=MAX_EXACT + 2)
    queue.rules[:, [3, 8]] = 0.0
    fit, targets = PathSearch(queue.rated()).fit, np.array([0.05, 0.2, 0.5])
    kept = np.delete(np.arange(fit.cells.cells.shape[1]), [5, 10])
    cells = ScoreCells(tuple(fit.cells.axes[j] for j in kept), fit.cells.cells[:, kept], fit.cells.slots, MAX_EXACT)
    few = CellsOfScores(cells, fit.expected, fit.totals)
    found, exact = rule_choices(fit, targets), rule_choices(few, targets)
    np.testing.assert_allclose(best_gains(fit, found, targets), best_gains(few, exact, targets))


def test_path_switches_rules_as_the_counts_say() -> None:
    """A rule of frauds alone stays on at any target; one of genuine documents is off."""
    generator = np.random.default_rng(3)
    queue = simulate_alert_queue(generator, documents=60_000, prevalence=0.005, rules=2)
    queue.rules[:, 0] = queue.labels & (generator.random(len(queue.labels)) < 0.5)
    queue.rules[:, 1] = ~queue.labels & (generator.random(len(queue.labels)) < 0.01)
    path = SMOOTH.find(PathSearch(queue.rated()))
    for target in (0.02, 0.1, 0.3, 0.6, 0.8):
        assert operating_point(path, target).thresholds[2:].tolist() == [1.0, np.inf]
