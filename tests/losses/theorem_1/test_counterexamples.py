import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiloss_core import FractionalLinear, exhaustive_search, expected_losses, optimal_top_k
from multiloss_core.losses import (
    EARLY_STOP,
    NOT_MONOTONE,
    against_top_k,
    early_stop_k,
    find_failure,
    is_tp_monotone,
    sigmoid_items,
)

EXAMPLES = pytest.mark.parametrize("example", EARLY_STOP.values(), ids=lambda example: example.loss.name)
OTHERS = pytest.mark.parametrize("example", NOT_MONOTONE.values(), ids=lambda example: example.loss.name)


def independent_search(loss, n=8):
    return lambda seed: exhaustive_search(sigmoid_items(np.random.default_rng(seed), n=n).probabilities, loss)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=20))
def test_the_early_stop_as_the_paper_writes_it(values):
    n = len(values) - 1
    k = 1
    while k < n and values[k] > values[k + 1]:
        k += 1
    assert early_stop_k(values) == k


@EXAMPLES
def test_stored_items_are_sorted_and_defeat_the_early_stop(example):
    assert list(example.probabilities) == sorted(example.probabilities, reverse=True)
    values = exhaustive_search(example.probabilities, example.loss).top_k_values
    stopped = early_stop_k(values)
    assert stopped == 1
    assert values[stopped] > values.min() + 0.01
    assert optimal_top_k(example.probabilities, example.loss).k == np.argmin(values)
    np.testing.assert_allclose(expected_losses(example.probabilities, example.loss).values, values, atol=1e-13)


@OTHERS
def test_stored_losses_are_not_monotone_and_defeat_top_k(example):
    assert not is_tp_monotone(example.loss, 8)
    found = against_top_k(independent_search(example.loss)(example.draw))
    assert found.lost > 0.1
    assert found.top_k_loss - found.best_loss == found.lost
    assert 0.0 <= found.best_loss <= found.top_k_loss <= 1.0


def test_releasing_unseen_is_best_for_the_least_probable():
    # Each released item costs 0.7 times its probability, each kept one 0.3: release below 3/7.
    loss = NOT_MONOTONE["release unseen"].loss
    assert isinstance(loss, FractionalLinear)
    for seed in range(20):
        probabilities = np.random.default_rng(seed).random(7)
        search = exhaustive_search(probabilities, loss)
        np.testing.assert_array_equal(search.best, probabilities < 3 / 7)
        assert search.expected_loss == pytest.approx(np.minimum(0.7 * probabilities, 0.3).mean())


def test_against_top_k_is_in_the_order_of_the_input():
    loss = NOT_MONOTONE["release unseen"].loss
    found = against_top_k(exhaustive_search([0.1, 0.9, 0.2], loss))
    np.testing.assert_array_equal(found.best, [True, False, True])
    # All but the worst choice of k: releasing nothing costs 0.3, the most probable one 0.5, all of them 0.28.
    np.testing.assert_array_equal(found.top_k, [True, True, True])
    assert found.top_k_loss == pytest.approx(0.28)
    assert found.lost == pytest.approx(0.28 - (0.3 + 0.07 + 0.14) / 3)


def test_a_search_ends_at_the_first_failure():
    search_of = independent_search(NOT_MONOTONE["release unseen"].loss, n=2)
    states = list(find_failure(search_of, first=0, draws=50))
    assert [state.done for state in states] == list(range(1, len(states) + 1))
    assert all(state.failed is None and state.lost == 0.0 and state.draws == 50 for state in states[:-1])
    last = states[-1]
    assert last.failed == len(states) - 1
    assert last.lost == against_top_k(search_of(last.failed)).lost > 0.0
