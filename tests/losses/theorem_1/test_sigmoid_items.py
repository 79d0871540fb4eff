import math

import numpy as np
import pytest

from multiloss_core.losses import sigmoid_items


def test_probabilities_are_the_sigmoid_of_w_x():
    items = sigmoid_items(np.random.default_rng(4), n=12, scale=3.0)
    assert items.x.shape == (12, 2)
    assert items.w.shape == (2,)
    for (first, second), probability in zip(items.x, items.probabilities, strict=True):
        direct = 1 / (1 + math.exp(-(items.w[0] * first + items.w[1] * second)))
        assert probability == pytest.approx(direct, rel=1e-12)


def test_x_and_w_are_standard_gaussian():
    generator = np.random.default_rng(0)
    x = sigmoid_items(generator, n=20_000).x
    w = np.array([sigmoid_items(generator, n=1, scale=2.0).w for _ in range(5_000)]) / 2
    for sample in (x, w):
        np.testing.assert_allclose(sample.mean(axis=0), 0, atol=0.06)
        np.testing.assert_allclose(np.cov(sample.T), np.eye(2), atol=0.08)
