import numpy as np
import pytest

from multiloss_core import DataError, simulate_population


def population(seed=0, **options):
    options.setdefault("documents", 50_000)
    return simulate_population(np.random.default_rng(seed), **options)


@pytest.mark.parametrize("prevalence", [0.002, 0.02, 0.3])
def test_the_prevalence_is_near_the_request(prevalence):
    labels = population(prevalence=prevalence).labels
    spread = (prevalence * (1 - prevalence) / len(labels)) ** 0.5
    assert abs(labels.mean() - prevalence) < 5 * spread


@pytest.mark.parametrize("classifiers", [1, 2, 3, 4])
def test_shapes_names_and_kinds(classifiers):
    made = population(classifiers=classifiers, prevalence=0.05)
    assert made.scores.shape == (50_000, classifiers)
    assert (made.scores > 0).all()
    assert (made.scores < 1).all()
    assert len(set(made.names)) == classifiers
    assert (made.kinds[~made.labels] == -1).all()
    kinds, counts = np.unique(made.kinds[made.labels], return_counts=True)
    assert kinds.tolist() == list(range(classifiers + 1))
    expected = made.labels.sum() / (classifiers + 1)
    assert (abs(counts - expected) < 5 * expected**0.5).all()


def test_classifier_sees_own_kind_best_then_shared_kind():
    made = population(classifiers=3, prevalence=0.2)
    for j in range(3):
        means = [made.scores[made.kinds == kind, j].mean() for kind in range(-1, 4)]
        legitimate, own, shared = means[0], means[j + 1], means[4]
        others = [mean for kind, mean in enumerate(means[1:4]) if kind != j]
        assert own > shared > max(others)
        assert min(others) > legitimate


def test_more_strength_sets_frauds_further_apart():
    weak, strong = (population(strength=strength, prevalence=0.1) for strength in (1.0, 4.0))
    assert strong.scores[strong.labels].mean() > weak.scores[weak.labels].mean() + 0.1


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


def test_counts_at_the_floors_are_those_of_the_rated_documents():
    made = population(prevalence=0.01)
    rated = made.rated()
    assert made.counts_at(made.floors)[:2] == (rated.totals.tp, rated.totals.fp)


def test_population_depends_on_seed_alone():
    one, same, other = population(3), population(3), population(4)
    np.testing.assert_array_equal(one.scores, same.scores)
    np.testing.assert_array_equal(one.labels, same.labels)
    np.testing.assert_array_equal(one.kinds, same.kinds)
    assert not np.array_equal(one.scores, other.scores)


def test_chosen_names_are_kept():
    assert population(names=("left", "right")).names == ("left", "right")


def test_a_population_without_expected_frauds_still_has_one():
    assert population(documents=100, prevalence=1e-9).labels.sum() == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"documents": 99}, "at least 100 documents"),
        ({"classifiers": 0}, "1 to 4 classifiers"),
        ({"classifiers": 5}, "1 to 4 classifiers"),
        ({"prevalence": 0.0}, "between 0 and 1"),
        ({"prevalence": 1.0}, "between 0 and 1"),
        ({"prevalence": float("nan")}, "between 0 and 1"),
        ({"rated_share": 0.0}, "between 0 and 1"),
        ({"rated_share": 1.0}, "between 0 and 1"),
        ({"strength": float("inf")}, "strength be finite"),
        ({"names": ("only one",)}, "name"),
    ],
)
def test_bad_arguments_are_refused(options, message):
    with pytest.raises(DataError, match=message):
        population(**options)
