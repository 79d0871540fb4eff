import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiloss_core import LOSSES, DataError, F
from multiloss_core.losses import observed_loss, random_half, shortest_threshold, tuned_threshold

# Few distinct values, so that ties are common.
LABELLED = st.lists(st.tuples(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.7, 1.0]), st.booleans()), min_size=1, max_size=12)


def loss_by_hand(loss, flagged, labels):
    tp = sum(1 for chosen, positive in zip(flagged, labels, strict=True) if chosen and positive)
    return float(loss(tp / len(labels), sum(flagged) / len(labels), sum(labels) / len(labels)))


@pytest.mark.slow
@pytest.mark.parametrize("loss", [*LOSSES.values(), F(2.5)], ids=lambda loss: loss.name)
@given(items=LABELLED)
def test_no_threshold_beats_the_tuned_one(loss, items):
    probabilities, labels = zip(*items, strict=True)
    thresholds = [np.inf, *sorted(set(probabilities), reverse=True)]
    losses = [loss_by_hand(loss, [p >= t for p in probabilities], labels) for t in thresholds]
    found = tuned_threshold(probabilities, labels, loss)
    assert found.threshold in thresholds
    assert found.observed_loss == pytest.approx(min(losses), abs=1e-12)
    assert found.observed_loss == pytest.approx(losses[thresholds.index(found.threshold)], abs=1e-12)
    # Of equally good ones, the highest.
    better = losses[: thresholds.index(found.threshold)]
    assert all(value > min(losses) + 1e-13 for value in better)
    assert found.items == len(items)


@pytest.mark.parametrize(
    ("probabilities", "labels", "words"),
    [
        ([0.5, 1.5], [True, False], "between 0 and 1"),
        ([0.5], [True, False], "1 truth values"),
        ([0.5, 0.4], [1, 0], "truth values"),
        ([], [], "no probabilities"),
    ],
)
def test_unusable_input_is_refused(probabilities, labels, words):
    with pytest.raises(DataError, match=words):
        tuned_threshold(probabilities, np.array(labels), F())


@given(items=LABELLED, data=st.data())
def test_the_observed_loss_is_that_of_the_confusion_matrix(items, data):
    labels = [label for _, label in items]
    flagged = data.draw(st.lists(st.booleans(), min_size=len(items), max_size=len(items)))
    for loss in LOSSES.values():
        assert observed_loss(flagged, labels, loss) == pytest.approx(loss_by_hand(loss, flagged, labels))


@pytest.mark.parametrize(("flagged", "labels"), [([True], [True, False]), ([], []), ([[True]], [[True]])])
def test_the_observed_loss_needs_one_label_for_each_item(flagged, labels):
    with pytest.raises(DataError, match="give one for each item"):
        observed_loss(flagged, labels, F())


@given(
    probabilities=st.lists(st.floats(0, 1), min_size=1, max_size=30),
    position=st.integers(0, 29),
)
def test_the_shortest_threshold_flags_the_same(probabilities, position):
    threshold = probabilities[position % len(probabilities)]
    found = shortest_threshold(probabilities, threshold)
    assert found <= threshold
    assert len(repr(found)) <= max(len(repr(threshold)), 3)
    np.testing.assert_array_equal(np.array(probabilities) >= found, np.array(probabilities) >= threshold)


@pytest.mark.parametrize(
    ("probabilities", "threshold", "expected"),
    [
        ([0.264517, 0.262], 0.264517, 0.264),
        ([0.264517, 0.2645], 0.264517, 0.26451),
        ([0.9, 0.1], 0.5, 0.5),
        ([0.99, 0.98], 0.99, 0.99),
        ([0.7312], 0.7312, 0.7),
        ([1.0, 0.999], 1.0, 1.0),
        ([0.3, 0.0], 0.0, 0.0),
    ],
)
def test_shortest_threshold_of_worked_examples(probabilities, threshold, expected):
    assert shortest_threshold(probabilities, threshold) == expected


@pytest.mark.parametrize("n", [0, 1, 7, 1000])
def test_a_random_half_is_half(n):
    half = random_half(n, np.random.default_rng(3))
    assert (half.size, half.sum(), half.dtype) == (n, n // 2, bool)
    np.testing.assert_array_equal(half, random_half(n, np.random.default_rng(3)))
