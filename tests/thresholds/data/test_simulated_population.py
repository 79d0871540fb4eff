import numpy as np
import pytest

from multiloss_core import simulate_population


def population(seed=0, **options):
    options.setdefault("documents", 50_000)
    return simulate_population(np.random.default_rng(seed), **options)


@pytest.mark.parametrize("prevalence", [0.002, 0.02, 0.3])
def test_the_prevalence_is_near_the_request(prevalence):
    labels = population(prevalence=prevalence).labels
    spread = (prevalence * (1 - prevalence) / len(labels)) ** 0.5
    assert abs(labels.mean() - prevalence) < 5 * spread


def test_classifier_sees_own_kind_best_then_shared_kind():
    made = population(classifiers=3, prevalence=0.2)
    for j in range(3):
        means = [made.scores[made.kinds == kind, j].mean() for kind in range(-1, 4)]
        legitimate, own, shared = means[0], means[j + 1], means[4]
        others = [mean for kind, mean in enumerate(means[1:4]) if kind != j]
        assert own > shared > max(others)
        assert min(others) > legitimate


@pytest.mark.parametrize("share", [0.005, 0.1])
def test_the_floors_leave_the_requested_share_to_each_classifier(share):
    made = population(rated_share=share)
    for j, floor in enumerate(made.floors):
        assert floor in made.scores[:, j]
        above = (made.scores[:, j] >= floor).mean()
        assert share * 0.95 <= above <= share * 1.1


@pytest.mark.parametrize("classifiers", [1, 2, 3])
def test_rated_are_exactly_the_documents_above_some_floor(classifiers):
    made = population(classifiers=classifiers, prevalence=0.01, documents=5000)
    floors = made.floors.tolist()
    expected = [
        (*scores, label)
        for scores, label in zip(made.scores.tolist(), made.labels.tolist(), strict=True)
        if any(score >= floor for score, floor in zip(scores, floors, strict=True))
    ]
    rated = made.rated()
    found = [(*scores, label) for scores, label in zip(rated.scores.tolist(), rated.labels.tolist(), strict=True)]
    assert found == expected
    assert rated.floors.tolist() == floors
    assert rated.names == made.names
    assert rated.funnel.read == 5000
    assert rated.funnel.at_or_above_floor == len(expected)
    assert rated.funnel.positives == sum(row[-1] for row in expected)


@pytest.mark.parametrize("rule", ["any", "all"])
def test_true_counts_at_thresholds(rule):
    made = population(documents=2000, prevalence=0.05)
    thresholds = np.quantile(made.scores, 0.9, axis=0)
    tally = {(flagged, positive): 0 for flagged in (True, False) for positive in (True, False)}
    for scores, positive in zip(made.scores.tolist(), made.labels.tolist(), strict=True):
        reached = [score >= threshold for score, threshold in zip(scores, thresholds, strict=True)]
        tally[any(reached) if rule == "any" else all(reached), positive] += 1
    assert made.counts_at(thresholds, rule) == (
        tally[True, True],
        tally[True, False],
        tally[False, True],
        tally[False, False],
    )
