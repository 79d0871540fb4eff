"""Test the probabilities and the predictions of every method."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_array

from experiments.natarajan.data import METHODS, TABLE_LOSSES
from experiments.natarajan.predictions import (
    OneClass,
    cross_fit,
    cuts_of_ranking,
    fit_logistic,
    flag_top_k,
    log_loss,
    prepared_features,
    svm_losses_held_out,
)
from multiloss_core import optimal_top_k
from multiloss_core.losses import observed_loss


@pytest.mark.parametrize("loss", TABLE_LOSSES, ids=lambda loss: loss.name)
def test_the_first_k_at_least_one_are_flagged(loss):
    generator = np.random.default_rng(0)
    for scale in (0.01, 1.0):
        probabilities = scale * generator.random(50)
        found = flag_top_k(probabilities, probabilities, loss)
        assert np.array_equal(found, optimal_top_k(probabilities, loss, at_least=1).selected)


@pytest.fixture(scope="module")
def one():
    generator = np.random.default_rng(2)
    features = generator.normal(size=(400, 3))
    labels = generator.random(400) < 1 / (1 + np.exp(-3 * features[:, 0] + 1))
    return OneClass(features[:200], labels[:200], features[200:], labels[200:])


def test_no_cut_of_the_ranking_goes_below_the_floor(one):
    cuts = cuts_of_ranking(one, (0.1, 1.0), np.random.default_rng(3))
    for at, loss in enumerate(TABLE_LOSSES):
        losses = {m: observed_loss(cuts.flagged[at, j], one.test_labels, loss) for j, m in enumerate(METHODS)}
        assert observed_loss(cuts.best[at], one.test_labels, loss) == pytest.approx(cuts.floors[at])
        assert cuts.floors_of_strengths[at] <= cuts.floors[at]
        for method in set(METHODS) - {"S-SVM", "Tuning"}:
            assert losses[method] >= cuts.floors[at] - 1e-12
        assert losses["Proposed"] < 0.6
    assert np.array_equal(cuts.flagged[0, METHODS.index("Baseline")], cuts.probabilities >= 0.5)


def test_c_is_chosen_on_held_out_training_rows(one):
    found = svm_losses_held_out(one, (1e-3, 10.0), np.random.default_rng(4))
    assert found.shape == (len(TABLE_LOSSES), 2)
    # Too small a C flags nothing, or everything.
    assert np.all(found[:, 1] < found[:, 0])


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


def test_strength_of_the_least_log_loss_is_chosen():
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
