import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from multiloss_core import AM, AUC, LOSSES, DataError, F, exhaustive_search, expected_losses, optimal_top_k

EVERY_LOSS = pytest.mark.parametrize("loss", LOSSES.values(), ids=lambda loss: loss.name)


@pytest.mark.slow
@EVERY_LOSS
@settings(deadline=None, max_examples=40)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=9))
def test_no_prediction_at_all_is_better(loss, probabilities):
    found = optimal_top_k(probabilities, loss)
    assert found.expected_loss <= exhaustive_search(probabilities, loss).values.min() + 2e-12
    assert found.selected.sum() == found.k
    assert found.error_bound == 0.0


def test_selected_is_in_order_of_input_and_cut_is_last_one_in():
    found = optimal_top_k([0.1, 0.95, 0.2, 0.9], F())
    assert (found.k, found.cut) == (2, 0.9)
    np.testing.assert_array_equal(found.selected, [False, True, False, True])


def test_nothing_selected_has_no_cut():
    found = optimal_top_k([0.4, 0.3], AUC)
    assert found.k == 0
    assert math.isnan(found.cut)
    assert not found.selected.any()
    assert found.expected_loss == 0.0


def test_equal_losses_take_the_smallest_k():
    # One item with probability 1/2: flagging it or not is the same.
    assert optimal_top_k([0.5], AM).k == 0
    assert optimal_top_k([0.0, 0.0], F()).k == 0
    values = expected_losses([0.5], AM).values
    assert values[0] == values[1]


def test_equal_probabilities_take_the_earlier_item():
    found = optimal_top_k([0.2, 0.6, 0.6, 0.6, 0.05, 0.1], _FlagTwoOfSix())
    assert (found.k, found.cut) == (2, 0.6)
    assert list(np.flatnonzero(found.selected)) == [1, 2]


class _FlagTwoOfSix:
    name = "flag two of six"

    def __call__(self, u, v, p):
        return np.abs(3 * np.asarray(v, float) - 1) + 0 * np.asarray(u, float) + 0 * np.asarray(p, float)


@pytest.mark.slow
@EVERY_LOSS
@settings(deadline=None, max_examples=25)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=7), st.data())
def test_of_the_predictions_that_flag_enough_none_is_better(loss, probabilities, data):
    least = data.draw(st.integers(0, len(probabilities)))
    search = exhaustive_search(probabilities, loss)
    found = optimal_top_k(probabilities, loss, at_least=least)
    assert found.k == found.selected.sum() >= least
    assert found.expected_loss == pytest.approx(search.values[search.sizes >= least].min(), abs=2e-12)


@pytest.mark.parametrize("method", ["cubic", "quadratic", "near_linear", "windowed"])
@pytest.mark.parametrize("least", [1, 3, 60])
def test_every_method_flags_enough(method, least):
    # Of 60 items 0.12 are expected to be positive: without a least number nothing would be flagged.
    probabilities = np.random.default_rng(5).random(60) * 0.004
    values = expected_losses(probabilities, F(), method="cubic").values
    assert optimal_top_k(probabilities, F(), method=method).k == 0
    found = optimal_top_k(probabilities, F(), method=method, at_least=least)
    assert found.k == least + int(values[least:].argmin())
    assert found.expected_loss == pytest.approx(values[found.k], abs=found.error_bound + 1e-13)


@pytest.mark.parametrize("least", [-1, 4, 1.5, True])
def test_least_number_that_cannot_be_is_refused_in_one_sentence(least):
    with pytest.raises(DataError, match="of 3 items cannot be flagged; give a whole number from 0 to 3"):
        optimal_top_k([0.1, 0.2, 0.3], F(), at_least=least)


@pytest.mark.slow
@EVERY_LOSS
@pytest.mark.parametrize("n", [150, 400])
def test_no_other_k_is_better_than_the_bound_allows(loss, n):
    probabilities = np.random.default_rng(n).beta(0.2, 0.8, n)
    found = optimal_top_k(probabilities, loss, tolerance=1e-7)
    exact = expected_losses(probabilities, loss, method="cubic").values
    assert 0.0 < found.error_bound <= 1e-7
    assert abs(found.expected_loss - exact[found.k]) <= found.error_bound
    assert exact[found.k] <= exact.min() + 2 * found.error_bound + 1e-12
    np.testing.assert_array_equal(np.sort(probabilities[found.selected]), np.sort(probabilities)[n - found.k :])


@pytest.mark.parametrize("beta", [0.2, 1.0, 3.0])
def test_lewis_1995(beta):
    # Among all predictions, the best for F_beta takes the most probable items.
    generator = np.random.default_rng(10)
    for n in (1, 4, 9):
        probabilities = generator.random(n) ** 2
        search = exhaustive_search(probabilities, F(beta))
        for method in ("cubic", "quadratic", "near_linear", "windowed"):
            found = optimal_top_k(probabilities, F(beta), method=method)
            np.testing.assert_array_equal(found.selected, search.best)
            assert found.expected_loss == pytest.approx(search.values.min(), abs=found.error_bound + 1e-13)
