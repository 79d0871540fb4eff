import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiloss_core import DataError
from multiloss_core.losses import reliability


def drawn(n, seed=0, exaggeration=1.0, shift=-3.0):
    generator = np.random.default_rng(seed)
    log_odds = shift + 1.5 * generator.standard_normal(n)
    labels = generator.random(n) < 1 / (1 + np.exp(-log_odds))
    return 1 / (1 + np.exp(-exaggeration * log_odds)), labels


def wilson(k, n, z=1.959963984540054):
    # The roots of (p - k/n)^2 = z^2 p (1 - p) / n.
    low, high = np.sort(np.roots([1 + z**2 / n, -(2 * k / n + z**2 / n), (k / n) ** 2]).real)
    return low, high


def test_groups_are_those_of_plain_slicing_where_nothing_ties():
    probabilities, labels = drawn(1000)
    found = reliability(probabilities, labels, groups=8)
    order = np.argsort(probabilities)
    for group, rows in enumerate(np.array_split(order, 8)):
        assert found.items[group] == len(rows)
        assert found.promised[group] == pytest.approx(probabilities[rows].mean())
        assert found.positives[group] == labels[rows].sum()
        assert found.observed[group] == pytest.approx(labels[rows].mean())
        low, high = wilson(labels[rows].sum(), len(rows))
        assert found.low[group] == pytest.approx(max(low, 0), abs=1e-9)
        assert found.high[group] == pytest.approx(min(high, 1), abs=1e-9)


@given(
    items=st.lists(st.tuples(st.sampled_from([0.0, 0.01, 0.2, 0.5, 1.0]), st.booleans()), min_size=1, max_size=60),
    groups=st.integers(1, 9),
)
def test_nothing_is_lost_and_equal_probabilities_stay_together(items, groups):
    probabilities, labels = map(np.array, zip(*items, strict=True))
    found = reliability(probabilities, labels, groups=groups)
    assert found.items.sum() == len(items)
    assert (found.items > 0).all()
    assert found.items.size <= groups
    assert found.observed_positives == labels.sum()
    assert found.expected_positives == pytest.approx(probabilities.sum())
    assert (np.diff(found.promised) > 0).all()
    assert ((found.low <= found.observed + 1e-12) & (found.observed <= found.high + 1e-12)).all()


@pytest.mark.parametrize("shift", [-1.0, -4.0, -7.0])
def test_calibrated_probabilities_are_seldom_doubted(shift):
    doubted = sum(reliability(*drawn(3000, seed, shift=shift)).is_doubtful for seed in range(60))
    assert doubted <= 5


@pytest.mark.parametrize(("exaggeration", "shift"), [(2.0, -3.0), (0.5, -3.0), (1.5, -5.0)])
def test_wrong_probabilities_are_doubted(exaggeration, shift):
    assert all(
        reliability(*drawn(4000, seed, exaggeration=exaggeration, shift=shift)).is_doubtful for seed in range(10)
    )


@pytest.mark.parametrize(("probabilities", "labels"), [([], []), ([0.5], [True, False])])
def test_nothing_to_compare_is_refused(probabilities, labels):
    with pytest.raises(DataError, match="cannot be compared"):
        reliability(probabilities, labels)
