import numpy as np
import pytest
from scipy.stats import binom

from multiloss_core import G_MEAN, H_MEAN, LOSSES, F, FractionalLinear, UserLoss, expected_losses
from multiloss_core.losses.expected.poisson_binomial import count_windows

EVERY_LOSS = pytest.mark.parametrize(
    "loss",
    [
        *LOSSES.values(),
        F(3.0),
        FractionalLinear((1, -2, 0.3, 0.1), (1, 0.5, 0.2, -0.3), name="fractional"),
        UserLoss(lambda u, v, p: 3.0 + (v - u) ** 2 + np.abs(p - u), name="mine", bounds=(2.5, 5.0)),
    ],
    ids=lambda loss: loss.name,
)


@pytest.mark.slow
@EVERY_LOSS
@pytest.mark.parametrize("n", [1, 2, 6, 40, 200])
def test_against_the_cubic_method(loss, n):
    generator = np.random.default_rng(n)
    for probabilities in (
        generator.random(n),
        generator.beta(0.05, 2.0, n),
        generator.beta(0.1, 0.1, n),
        np.rint(generator.random(n)),
        np.full(n, 0.5),
        np.full(n, 1e-12),
        np.full(n, 1 - 1e-12),
    ):
        exact = expected_losses(probabilities, loss, method="cubic").values
        for tolerance in (1e-2, 1e-6, 1e-9):
            found = expected_losses(probabilities, loss, method="windowed", tolerance=tolerance)
            assert np.max(np.abs(found.values - exact)) <= found.error_bound + 2e-13
            assert found.error_bound <= tolerance


@pytest.mark.slow
@pytest.mark.parametrize(("loss", "power"), [(G_MEAN, 0.0), (H_MEAN, -1.0)], ids=["G-Mean", "H-Mean"])
def test_equal_probabilities(loss, power):
    # Two binomial counts, their whole tables.
    n, k, eta = 1_000, 350, 0.2
    found = expected_losses(np.full(n, eta), loss, method="windowed")
    first, others = np.arange(k + 1)[:, np.newaxis], np.arange(n - k + 1)
    recall = first / np.maximum(first + others, 1)
    specificity = (n - k - others) / np.maximum(n - first - others, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        utility = np.sqrt(recall * specificity) if power == 0.0 else 2 / (1 / recall + 1 / specificity)
    expected = 1 - binom.pmf(first[:, 0], k, eta) @ np.nan_to_num(utility) @ binom.pmf(others, n - k, eta)
    assert found.values[k] == pytest.approx(expected, abs=found.error_bound + 1e-11)


@pytest.mark.parametrize("allowed", [1e-3, 1e-9, 1e-30])
def test_windows_miss_at_most_the_allowed_mass(allowed):
    n, eta = 400, 0.3
    for done, window in enumerate(count_windows(np.full(n, eta), allowed)):
        assert 0.0 <= window.missing <= allowed
        exact = binom.pmf(window.counts, done, eta)
        assert np.all(window.chances <= exact * (1 + 1e-10) + 1e-300)
        assert window.chances.sum() + window.missing == pytest.approx(1.0, abs=1e-12)
        assert window.chance(-1) == window.chance(done + 1) == 0.0
    assert window.chances.size < 25 * np.sqrt(n * eta * (1 - eta))
    assert window.chance(120) == pytest.approx(binom.pmf(120, n, eta), abs=allowed + 1e-13)
