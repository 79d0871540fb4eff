import math

import numpy as np
import pytest

from multiloss_core import DataError
from multiloss_core.losses import sigmoid_items


def test_probabilities_are_the_sigmoid_of_w_x():
    items = sigmoid_items(np.random.default_rng(4), n=12, scale=3.0)
    assert items.x.shape == (12, 2)
    assert items.w.shape == (2,)
    for (first, second), probability in zip(items.x, items.probabilities, strict=True):
        direct = 1 / (1 + math.exp(-(items.w[0] * first + items.w[1] * second)))
        assert probability == pytest.approx(direct, rel=1e-12)


def test_ten_items_by_default_and_repeatable():
    first, second = (sigmoid_items(np.random.default_rng(8)) for _ in range(2))
    assert first.probabilities.shape == (10,)
    np.testing.assert_array_equal(first.probabilities, second.probabilities)


def test_scale_multiplies_w_only():
    one, three = (sigmoid_items(np.random.default_rng(8), scale=scale) for scale in (1.0, 3.0))
    np.testing.assert_array_equal(one.x, three.x)
    np.testing.assert_allclose(three.w, 3 * one.w)
    np.testing.assert_array_equal(sigmoid_items(np.random.default_rng(8), scale=0.0).probabilities, 0.5)


def test_x_and_w_are_standard_gaussian():
    generator = np.random.default_rng(0)
    x = sigmoid_items(generator, n=20_000).x
    w = np.array([sigmoid_items(generator, n=1, scale=2.0).w for _ in range(5_000)]) / 2
    for sample in (x, w):
        np.testing.assert_allclose(sample.mean(axis=0), 0, atol=0.06)
        np.testing.assert_allclose(np.cov(sample.T), np.eye(2), atol=0.08)


def test_certain_labels_do_not_overflow():
    assert np.all(np.isfinite(sigmoid_items(np.random.default_rng(0), scale=1e6).probabilities))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n": 0}, "number of items is 0; draw at least 1"),
        ({"scale": -1.0}, "scale of w is -1"),
        ({"scale": float("inf")}, "scale of w is inf"),
    ],
)
def test_refuses(arguments, message):
    with pytest.raises(DataError, match=message):
        sigmoid_items(np.random.default_rng(0), **arguments)
