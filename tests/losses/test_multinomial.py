import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiloss_core import AM, LOSSES, DataError, F, multinomial_top_k

EVERY_LOSS = pytest.mark.parametrize("loss", [*LOSSES.values(), F(2.0)], ids=lambda loss: loss.name)


def expected_loss_of(prediction, probabilities, loss):
    n = len(probabilities)
    return sum(
        chance * float(loss(prediction[true] / n, sum(prediction) / n, 1 / n))
        for true, chance in enumerate(probabilities)
    )


@pytest.mark.slow
@EVERY_LOSS
@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_theorem_2_by_all_sets_of_classes(loss, n):
    generator = np.random.default_rng(n)
    for concentration in (0.1, 1.0, 20.0):
        probabilities = generator.dirichlet(np.full(n, concentration))
        every = [expected_loss_of(prediction, probabilities, loss) for prediction in product([0, 1], repeat=n)]
        found = multinomial_top_k(probabilities, loss)
        assert found.expected_loss == pytest.approx(min(every), abs=1e-13)
        direct = expected_loss_of(list(found.selected.astype(int)), probabilities, loss)
        assert found.expected_loss == pytest.approx(direct, abs=1e-13)
        assert found.k == found.selected.sum()


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=20).filter(lambda values: sum(values) > 1e-3))
def test_coz_velasco_et_al_2009(values):
    # F of a set of k classes that holds the true one is (1 + beta^2) / (beta^2 + k), otherwise 0.
    probabilities = np.array(values) / sum(values)
    beta = 1.5
    gains = np.cumsum(np.sort(probabilities)[::-1]) * (1 + beta**2) / (beta**2 + np.arange(1, len(values) + 1))
    found = multinomial_top_k(probabilities, F(beta))
    assert 1 - found.expected_loss == pytest.approx(gains.max(), abs=1e-12)
    assert gains[found.k - 1] == pytest.approx(gains.max(), abs=1e-11)


def test_ties_and_the_order_of_the_input():
    found = multinomial_top_k([0.1, 0.3, 0.3, 0.3], F())
    gains = {k: p * 2 / (1 + k) for k, p in enumerate([0.3, 0.6, 0.9], start=1)}
    assert found.k == max(gains, key=gains.get) == 3
    assert list(found.selected) == [False, True, True, True]
    assert multinomial_top_k([0.5, 0.5], lambda u, v, p: abs(2 * v - 1) + 0 * u).selected.tolist() == [True, False]
    nothing = multinomial_top_k([0.5, 0.5], lambda u, v, p: v - u)
    assert (nothing.k, nothing.error_bound) == (0, 0.0)
    assert math.isnan(nothing.cut)


@pytest.mark.parametrize("wrong", [[0.5, 0.4], [0.6, 0.6], [0.0, 0.0]])
def test_chances_that_do_not_add_up(wrong):
    with pytest.raises(DataError, match=r"add up to .*; exactly one class is true"):
        multinomial_top_k(wrong, AM)


def test_single_precision_softmax_is_accepted():
    probabilities = np.exp(np.random.default_rng(0).normal(size=1000)).astype(np.float32)
    probabilities /= probabilities.sum()
    assert multinomial_top_k(probabilities, F()).k > 0
    with pytest.raises(DataError, match="Probability 1 is nan"):
        multinomial_top_k([float("nan"), 1.0], AM)
