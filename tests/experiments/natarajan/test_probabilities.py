import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_array

from experiments.natarajan.probabilities import cross_fit, fit_logistic, log_loss, prepared_features


def drawn(n=300):
    generator = np.random.default_rng(0)
    features = generator.normal(size=(n, 3))
    return features, generator.random(n) < 1 / (1 + np.exp(-2 * features[:, 0] + 1)), generator


@pytest.mark.parametrize("as_given", [np.asarray, csr_array], ids=["dense", "sparse"])
def test_a_fit_minimises_the_log_loss_plus_l2(as_given):
    features, labels, _ = drawn()
    (rule,) = fit_logistic(as_given(features), labels, [0.1])

    def objective(at):
        odds = features @ at[:3] + at[3]
        return 0.1 * np.logaddexp(0, np.where(labels, -odds, odds)).sum() + at[:3] @ at[:3] / 2

    found = minimize(objective, np.zeros(4), tol=1e-10).x
    assert [*rule.weights, rule.intercept] == pytest.approx(found, abs=2e-3)


def test_rows_of_one_kind_give_their_constant():
    for kind in (True, False):
        (rule,) = fit_logistic(np.ones((4, 2)), np.full(4, kind), [1.0])
        assert rule(np.ones((3, 2))).tolist() == [float(kind)] * 3


def test_the_strength_of_the_least_log_loss_out_of_fold_is_chosen():
    features, labels, generator = drawn()
    found = cross_fit(features, labels, (1e-6, 1.0), generator)
    assert found.strength == 1.0
    assert log_loss(found.out_of_fold, labels) < 0.6
    # No row had a part in its own probability.
    assert np.abs(found.out_of_fold - found.rule(features)).min() > 0


def test_test_rows_have_no_part_in_the_scaling():
    features, _, _ = drawn()
    training = np.arange(200)
    scaled = prepared_features(features, training, "standardised")
    assert scaled[training].mean(axis=0) == pytest.approx(np.zeros(3), abs=1e-12)
    assert scaled[training].std(axis=0) == pytest.approx(np.ones(3))
    moved = features.copy()
    moved[200:] += 5.0
    assert np.array_equal(prepared_features(moved, training, "standardised")[training], scaled[training])


def test_words_are_weighted_by_how_rare_they_are_in_training_documents():
    counts = csr_array(np.array([[3, 1, 1, 0], [1, 0, 1, 0], [2, 1, 0, 1], [1, 1, 0, 1], [0, 5, 0, 9]], dtype=float))
    found = prepared_features(counts, np.arange(4), "text").toarray()
    # The last two words are in two training documents only.
    assert found.shape == (5, 2)
    assert np.linalg.norm(found, axis=1) == pytest.approx(np.ones(5))
    weights = (1 + np.log(3)) * 1.0, 1.0 * (1 + np.log(4 / 3))
    assert found[0, 0] / found[0, 1] == pytest.approx(weights[0] / weights[1])
