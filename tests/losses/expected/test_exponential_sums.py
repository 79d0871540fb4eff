from math import pi, sqrt

import numpy as np
import pytest
from scipy.special import gamma

from multiloss_core.losses.expected.near_linear import aliasing, exponential_sum

POWERS = pytest.mark.parametrize("power", [1.0, 0.5])
TOLERANCES = pytest.mark.parametrize("tolerance", [1e-3, 1e-6, 1e-9, 1e-12])


def nowhere_small(y):
    return np.ones_like(y)


@pytest.mark.slow
@POWERS
@TOLERANCES
@pytest.mark.parametrize("range_", [(1.0, 1.0), (1.0, 50.0), (1.0, 1e6), (1e-8, 1e4), (3e5, 1e9)])
def test_the_relative_error_is_proven_over_the_whole_range(power, tolerance, range_):
    smallest, largest = range_
    found = exponential_sum(power, tolerance, smallest=smallest, largest=largest, laplace=nowhere_small)
    z = np.geomspace(smallest, largest, 20_001)
    sums = np.exp(-found.nodes * z[:, np.newaxis]) @ found.weights
    # A constant D = z, with N = D^power: the error relative to z^-power, z <= largest.
    errors = np.abs(sums * z**power - 1.0)
    assert errors.max() <= found.error + 1e-14
    assert found.error <= tolerance
    assert np.all(found.nodes > 0)
    assert np.all(found.weights > 0)


def test_a_known_transform_leaves_nodes_out():
    every = exponential_sum(1.0, 1e-9, smallest=1.0, largest=1e4, laplace=nowhere_small)
    # D is never below 1,000.
    fewer = exponential_sum(1.0, 1e-9, smallest=1.0, largest=1e4, laplace=lambda y: np.exp(-1000 * y))
    assert fewer.nodes.size < every.nodes.size - 10
    z = np.geomspace(1e3, 1e4, 1001)
    assert np.max(np.abs(np.exp(-fewer.nodes * z[:, np.newaxis]) @ fewer.weights * z - 1)) <= fewer.error <= 1e-9


@pytest.mark.parametrize("step", [0.2, 0.38, 0.7, 1.5])
def test_gamma_on_a_vertical_line(step):
    y = 2 * pi * np.arange(1, 40) / step
    direct = [2 * np.abs(gamma(power + 1j * y)).sum() / gamma(power) for power in (0.5, 1.0)]
    assert aliasing(0.5, step) == pytest.approx(direct[0], rel=1e-6)
    assert aliasing(1.0, step) == pytest.approx(direct[1], rel=1e-6)
    # |Gamma(1/2 + iy)|^2 = pi / cosh(pi y) and |Gamma(1 + iy)|^2 = pi y / sinh(pi y), the first term is nearly all.
    first = y[0]
    assert aliasing(0.5, step) == pytest.approx(2 * sqrt(1 / np.cosh(pi * first)), rel=0.01)
    assert aliasing(1.0, step) == pytest.approx(2 * sqrt(pi * first / np.sinh(pi * first)), rel=0.01)
