import numpy as np
import pytest

from experiments.natarajan.predictions import OneClass, cuts_of_ranking, flag_top_k, svm_losses_held_out
from experiments.natarajan.table_rows import METHODS, TABLE_LOSSES
from multiloss_core import optimal_top_k
from multiloss_core.losses import observed_loss


@pytest.mark.parametrize("loss", TABLE_LOSSES, ids=lambda loss: loss.name)
def test_the_first_k_at_least_one_are_flagged(loss):
    generator = np.random.default_rng(0)
    for scale in (0.01, 1.0):
        probabilities = scale * generator.random(50)
        found = flag_top_k(probabilities, probabilities, loss)
        assert np.array_equal(found, optimal_top_k(probabilities, loss, at_least=1).selected)


def test_items_that_calibration_made_equal_are_taken_in_the_order_of_the_ranking():
    ranking = np.random.default_rng(1).random(30)
    found = flag_top_k(np.full(30, 0.3), ranking, TABLE_LOSSES[0])
    assert ranking[found].min() > ranking[~found].max(initial=-1)


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


def test_c_is_judged_on_training_rows_that_the_fit_did_not_see(one):
    found = svm_losses_held_out(one, (1e-3, 10.0), np.random.default_rng(4))
    assert found.shape == (len(TABLE_LOSSES), 2)
    # Too small a C flags nothing, or everything.
    assert np.all(found[:, 1] < found[:, 0])
