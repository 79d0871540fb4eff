from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from multiloss_core import AM, LOSSES, DataError, F, FractionalLinear, exhaustive_search

EVERY_LOSS = pytest.mark.parametrize("loss", [*LOSSES.values(), F(3.0)], ids=lambda loss: loss.name)


def expected_loss_of(prediction, probabilities, loss):
    """Literally: the sum over all label vectors of their chance times the loss they cost."""
    n = len(probabilities)
    total = 0.0
    for labels in product([0, 1], repeat=n):
        chance = 1.0
        for probability, label in zip(probabilities, labels, strict=True):
            chance *= probability if label else 1 - probability
        both = sum(s * y for s, y in zip(prediction, labels, strict=True))
        total += chance * float(loss(both / n, sum(prediction) / n, sum(labels) / n))
    return total


@EVERY_LOSS
@pytest.mark.parametrize("probabilities", [[0.7], [0.2, 0.8], [0.31, 0.9, 0.05, 0.5], [0.6, 0.6, 0.0, 1.0, 0.33]])
def test_double_loop_over_predictions_and_labels(loss, probabilities):
    n = len(probabilities)
    search = exhaustive_search(probabilities, loss)
    assert search.values.shape == search.sizes.shape == (2**n,)
    for index in range(2**n):
        prediction = [index >> i & 1 for i in range(n)]
        assert search.sizes[index] == sum(prediction)
        direct = expected_loss_of(prediction, probabilities, loss)
        assert search.values[index] == pytest.approx(direct, abs=1e-14)
    assert search.expected_loss == pytest.approx(search.values.min(), abs=1e-12)
    assert search.values[sum(1 << i for i in range(n) if search.best[i])] == search.expected_loss


@pytest.mark.slow
@EVERY_LOSS
@settings(deadline=None, max_examples=40)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_theorem_1(loss, probabilities):
    search = exhaustive_search(probabilities, loss)
    assert search.is_top_k
    chosen = np.array(probabilities)[search.best]
    others = np.array(probabilities)[~search.best]
    if chosen.size and others.size:
        assert chosen.min() >= others.max() - 1e-12


@pytest.mark.slow
@EVERY_LOSS
@settings(deadline=None, max_examples=20)
@given(st.lists(st.floats(0, 1), min_size=2, max_size=7), st.randoms(use_true_random=False))
def test_permuting_items_permutes_values(loss, probabilities, random):
    n = len(probabilities)
    order = list(range(n))
    random.shuffle(order)
    search = exhaustive_search(probabilities, loss)
    shuffled = exhaustive_search([probabilities[i] for i in order], loss)
    same = [sum((index >> new & 1) << old for new, old in enumerate(order)) for index in range(2**n)]
    np.testing.assert_allclose(shuffled.values, search.values[same], atol=1e-13)


def test_sees_when_no_top_k_set_is_best():
    # Rewarding false positives: of the sets of one size, the least probable items are best.
    backwards = FractionalLinear((1, 1, -1, 0), (1, 0, 0, 0))
    search = exhaustive_search([0.1, 0.8, 0.3], backwards)
    assert search.is_top_k  # flagging everything is best, and is a top-k set
    undecided = FractionalLinear((1, 2, -1, 0), (1, 0, 0, 0))
    search = exhaustive_search([0.1, 0.8, 0.3], undecided)
    np.testing.assert_array_equal(search.best, [True, False, True])
    assert not search.is_top_k


def test_ties_prefer_fewer_then_likelier_then_earlier_items():
    nothing_matters = FractionalLinear((1, 0, 0, 0), (1, 0, 0, 0))
    assert not exhaustive_search([0.9, 0.8], nothing_matters).best.any()
    # Everything but flagging exactly two items costs more.
    only_size = FractionalLinear((0, 0, 1, 0), (1, 0, 0, 0))
    assert not exhaustive_search([0.9, 0.8], only_size).best.any()
    np.testing.assert_array_equal(exhaustive_search([0.9, 0.9, 0.9], AM).best.sum(), 3)
    tied = exhaustive_search([0.2, 0.5, 0.5, 0.5], F())
    assert list(tied.top_k_indices) == [0, 0b0010, 0b0110, 0b1110, 0b1111]


def test_errors():
    with pytest.raises(DataError, match="15 probabilities; an exhaustive search takes at most 14"):
        exhaustive_search(np.full(15, 0.5), AM)
    with pytest.raises(DataError, match="Probability 1 is 2;"):
        exhaustive_search([2.0], AM)
