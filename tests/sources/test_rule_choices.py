import numpy as np

from multiloss_core import RatedDocuments, operating_point
from multiloss_core.sources import simulate_alert_queue
from multiloss_core.thresholds import SMOOTH, PathSearch
from multiloss_core.thresholds.paths.smooth.cells import ExpectedCells, ScoreCells
from multiloss_core.thresholds.paths.smooth.rules import rule_choices


def test_many_rules_come_as_near_as_few() -> None:
    """Two rules that raise nothing make the choice inexact, and must not make it worse."""
    queue = simulate_alert_queue(np.random.default_rng(2), documents=40_000, rules=14)
    queue.rules[:, [3, 8]] = 0.0
    documents = queue.rated()
    fit, targets = PathSearch(documents).fit, np.array([0.05, 0.2, 0.5])
    _, found = rule_choices(fit.expected_cells, targets)
    kept = np.delete(np.arange(fit.cells.cells.shape[1]), [5, 10])
    cells = ScoreCells(tuple(fit.cells.axes[j] for j in kept), fit.cells.cells[:, kept], fit.cells.slots, 12)
    _, exact = rule_choices(ExpectedCells(cells, fit.expected, fit.totals), targets)
    np.testing.assert_allclose(found, exact)


def test_path_switches_rules_as_the_counts_say() -> None:
    """A rule of frauds alone stays on at any target; one of genuine documents is off."""
    generator = np.random.default_rng(3)
    queue = simulate_alert_queue(generator, documents=60_000, prevalence=0.005, rules=2)
    queue.rules[:, 0] = queue.labels & (generator.random(len(queue.labels)) < 0.5)
    queue.rules[:, 1] = ~queue.labels & (generator.random(len(queue.labels)) < 0.01)
    path = SMOOTH.find(PathSearch(queue.rated()))
    for target in (0.02, 0.1, 0.3, 0.6, 0.8):
        assert operating_point(path, target).thresholds[2:].tolist() == [1.0, np.inf]


def test_a_single_fraud_does_not_switch_a_rule_on() -> None:
    generator = np.random.default_rng(5)
    is_fraud = generator.random(400) < 0.3
    scores = generator.normal(is_fraud, 1.0).clip(0.0)
    lucky, good = np.zeros(400), np.zeros(400)
    lucky[np.flatnonzero(is_fraud)[:1]] = 1.0
    good[np.append(np.flatnonzero(is_fraud)[1:13], np.flatnonzero(~is_fraud)[:3])] = 1.0
    scores[(lucky > 0) | (good > 0)] = 0.0
    documents = RatedDocuments(
        np.column_stack([scores, lucky, good]), is_fraud, names=["a", "lucky", "good"], floors=[0.0], alert_rules=2
    )
    path = SMOOTH.find(PathSearch(documents))
    for target in (0.4, 0.6):
        assert operating_point(path, target).thresholds[1:].tolist() == [np.inf, 1.0]
