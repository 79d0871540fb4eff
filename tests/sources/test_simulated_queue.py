import numpy as np

from multiloss_core.sources import simulate_alert_queue


def test_rated_documents_are_those_that_a_source_raised() -> None:
    queue = simulate_alert_queue(np.random.default_rng(3), documents=60_000, rules=3)
    documents = queue.rated()
    raised = [
        any(score >= floor for score, floor in zip(scores, queue.floors, strict=True)) or any(rules)
        for scores, rules in zip(queue.scores.tolist(), queue.rules.tolist(), strict=True)
    ]
    assert len(documents.labels) == sum(raised)
    assert documents.labels.sum() == queue.labels[np.array(raised)].sum()
    assert documents.names == ("model A", "model B", "rule 1", "rule 2", "rule 3")


def test_the_last_of_several_rules_is_shadowed() -> None:
    queue = simulate_alert_queue(np.random.default_rng(3), documents=60_000, rules=3)
    assert 0 < queue.rules[:, 2].sum() <= 0.0005 * 60_000 + 1
    assert (queue.scores[queue.rules[:, 2] > 0, 0] >= queue.floors[0]).all()
