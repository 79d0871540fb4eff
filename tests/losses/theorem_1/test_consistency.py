import numpy as np
import pytest
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from multiloss_core import AM, G_MEAN, DataError, F, expected_losses
from multiloss_core.losses import sigmoid_items, training_regrets


def measured(loss, **options):
    settings = {"n": 8, "scale": 1.0, "draws": 40, "sizes": (10, 200, 4_000)} | options
    return list(training_regrets(np.random.default_rng(3), loss, **settings))


@pytest.mark.parametrize("loss", [F(), AM, G_MEAN], ids=lambda loss: loss.name)
def test_regret_falls_with_training_rows(loss):
    states = measured(loss)
    assert [state.done for state in states] == list(range(1, 41))
    found = states[-1]
    assert np.all(found.regrets >= 0)
    assert found.mean[0] > found.mean[1] > found.mean[2]
    assert found.mean[2] < 0.002
    assert found.optimal[0] < found.optimal[2]
    np.testing.assert_array_equal(states[4].regrets, found.regrets[:5])


def test_regret_equals_one_by_other_means():
    (found,) = measured(F(2.0), n=6, draws=1, sizes=(60, 500))
    generator = np.random.default_rng(3)
    items = sigmoid_items(generator, n=6, scale=1.0)
    x = generator.standard_normal((500, 2))
    labels = generator.random(500) < expit(x @ items.w)
    true = expected_losses(items.probabilities, F(2.0)).values
    for size, regret in zip((60, 500), found.regrets[0], strict=True):
        model = LogisticRegression(C=1.0, tol=1e-10).fit(x[:size], labels[:size])
        estimates = model.predict_proba(items.x)[:, 1]
        k = int(expected_losses(estimates, F(2.0)).values.argmin())
        first = np.argsort(-estimates)[:k]
        # The estimated order may differ, so the expected loss is a mean over all outcomes.
        outcomes = (np.arange(64)[:, np.newaxis] >> np.arange(6)) & 1
        chances = np.prod(np.where(outcomes, items.probabilities, 1 - items.probabilities), axis=1)
        below = 4 * outcomes.sum(axis=1) + k
        losses = 1 - np.divide(5 * outcomes[:, first].sum(axis=1), below, out=np.ones(64), where=below > 0)
        assert regret == pytest.approx(chances @ losses - true.min(), abs=1e-9)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n": 15}, "choose 1 to 14 items"),
        ({"draws": 0}, "draws from 1"),
        ({"sizes": ()}, "let them rise"),
        ({"sizes": (10, 10)}, "let them rise"),
        ({"sizes": (0, 10)}, "let them rise"),
    ],
)
def test_unusable_settings_are_one_sentence(options, words):
    with pytest.raises(DataError, match=words):
        measured(F(), **options)
