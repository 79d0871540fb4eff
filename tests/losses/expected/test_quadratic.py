import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiloss_core import JACCARD, F, FractionalLinear, expected_losses

LOSSES = (
    F(),
    F(0.3),
    F(7.0),
    F(1e60),
    F(1e-60),
    JACCARD,
    FractionalLinear((0, -2, 1, 1), (0, 0, 1, 1), name="as F1"),
    FractionalLinear((0, -2, 1, 1), (0, -1, 1, 1), name="as Jaccard"),
    FractionalLinear((1, -2, 0.3, 0.1), (1, 0.3, 0.2, -0.3), name="K2 only"),
    FractionalLinear((1, -2, 0.3, 0.1), (1, 0.3, 0.2, 0), name="K1 only"),
    FractionalLinear((1, -2, 0.3, 0.1), (3, 0, 0.2, -2), name="falling"),
    FractionalLinear((0, -1, 0, 1), (0, 0, 0, 1), name="misses"),
    # Its denominator changes its sign, and is 0 at no count of 4, 9 or 30 items.
    FractionalLinear((0, -1, 0, 1), (-0.333, 0, 0, 1), name="two signs"),
)
EVERY_LOSS = pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)


@pytest.mark.slow
@EVERY_LOSS
def test_against_the_cubic_method(loss):
    generator = np.random.default_rng(0)
    for n in (1, 2, 4, 9, 30, 150):
        for probabilities in (
            generator.random(n),
            generator.random(n) ** 8,
            generator.beta(0.1, 0.1, n),
            np.full(n, 0.5),
            np.full(n, 1e-12),
            np.full(n, 1 - 1e-12),
            np.rint(generator.random(n)),
        ):
            found = expected_losses(probabilities, loss, method="quadratic")
            assert (found.method, found.error_bound) == ("quadratic", 0.0)
            exact = expected_losses(probabilities, loss, method="cubic").values
            np.testing.assert_allclose(found.values, exact, rtol=1e-12, atol=1e-13)


@pytest.mark.slow
@pytest.mark.parametrize("loss", [F(), JACCARD], ids=lambda loss: loss.name)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=15))
def test_any_list(loss, probabilities):
    np.testing.assert_allclose(
        expected_losses(probabilities, loss, method="quadratic").values,
        expected_losses(probabilities, loss, method="cubic").values,
        atol=1e-13,
    )


@pytest.mark.slow
@pytest.mark.parametrize("loss", [F(), F(0.5), JACCARD], ids=lambda loss: loss.name)
@pytest.mark.parametrize("shape", [(0.5, 0.5), (0.05, 2.0), (20.0, 20.0)])
def test_three_unrelated_methods_agree_on_thousands_of_items(loss, shape):
    probabilities = np.random.default_rng(1).beta(*shape, 2_000)
    exact = expected_losses(probabilities, loss, method="quadratic").values
    for method in ("near_linear", "windowed"):
        found = expected_losses(probabilities, loss, method=method)
        assert np.max(np.abs(found.values - exact)) <= found.error_bound <= 1e-9
