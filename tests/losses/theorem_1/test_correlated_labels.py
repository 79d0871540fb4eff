import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal, norm

from multiloss_core import G_MEAN, JACCARD, LOSSES, DataError, F, exhaustive_search
from multiloss_core.losses import correlated_search, factor_loadings, joint_distribution, sigmoid_items

EVERY_LOSS = pytest.mark.parametrize("loss", LOSSES.values(), ids=lambda loss: loss.name)


def labels(n):
    return (np.arange(2**n)[:, np.newaxis] >> np.arange(n)) & 1


@EVERY_LOSS
def test_without_common_cause_it_is_search_on_independent_labels(loss):
    for n in (1, 2, 5, 8):
        probabilities = np.random.default_rng(n).random(n)
        found, independent = correlated_search(probabilities, np.zeros(n), loss), exhaustive_search(probabilities, loss)
        np.testing.assert_allclose(found.values, independent.values, atol=1e-13)
        np.testing.assert_array_equal(found.best, independent.best)
        assert found.is_top_k


@settings(deadline=None, max_examples=60)
@given(
    st.lists(
        st.tuples(
            st.floats(0, 1),
            st.one_of(st.floats(-1, 1), st.sampled_from([-1.0, 0.0, 1.0, 0.999, -0.9999999])),
        ),
        min_size=1,
        max_size=7,
    )
)
def test_every_item_keeps_its_probability(items):
    probabilities, loadings = map(np.array, zip(*items, strict=True))
    joint = joint_distribution(probabilities, loadings)
    assert joint.min() >= 0.0
    assert joint.sum() == pytest.approx(1.0, abs=1e-12)
    np.testing.assert_allclose(joint @ labels(probabilities.size), probabilities, atol=1e-12)


@pytest.mark.parametrize("loadings", [(0.5, 0.5), (0.9, -0.7), (0.999, 0.2), (0.99, 0.99), (-0.6, -0.8)])
def test_pairs_follow_the_bivariate_normal_distribution(loadings):
    correlation = [[1.0, loadings[0] * loadings[1]], [loadings[0] * loadings[1], 1.0]]
    for probabilities in [(0.5, 0.5), (0.9, 0.2), (0.03, 0.4)]:
        both = multivariate_normal.cdf(norm.ppf(probabilities), cov=correlation)
        assert joint_distribution(probabilities, loadings)[3] == pytest.approx(both, abs=1e-9)


@pytest.mark.parametrize("loadings", [(0.3, 0.9, 0.99), (0.7, -0.7, 0.5), (1.0, -0.4, 0.2)])
def test_three_even_chances_follow_the_arcsine_law(loadings):
    # P(all three positive) = 1/8 + (sum of the arcsines of the correlations) / (4 pi).
    a, b, c = loadings
    orthant = 1 / 8 + np.arcsin([a * b, a * c, b * c]).sum() / (4 * np.pi)
    assert joint_distribution([0.5] * 3, loadings)[7] == pytest.approx(orthant, abs=1e-13)


def test_identical_labels_are_nested():
    # One chance decides all: exactly the items more probable than it are positive.
    probabilities = np.array([0.7, 0.9, 0.2, 0.4])
    expected = np.zeros(16)
    for outcome, chance in [(0b0000, 0.1), (0b0010, 0.2), (0b0011, 0.3), (0b1011, 0.2), (0b1111, 0.2)]:
        expected[outcome] = chance
    np.testing.assert_allclose(joint_distribution(probabilities, np.ones(4)), expected, atol=1e-14)


@pytest.mark.parametrize(("first", "second"), [(0.7, 0.6), (0.3, 0.4), (0.0, 1.0)])
def test_opposite_labels_meet_as_rarely_as_they_can(first, second):
    both = joint_distribution([first, second], [1.0, -1.0])[3]
    assert both == pytest.approx(max(0.0, first + second - 1.0), abs=1e-14)


@EVERY_LOSS
def test_values_are_the_sum_over_all_outcomes(loss):
    generator = np.random.default_rng(3)
    probabilities, loadings = generator.random(6), generator.uniform(-1, 1, 6)
    outcomes = labels(6)
    true_positives, sizes = outcomes @ outcomes.T, outcomes.sum(axis=1)
    losses = loss(true_positives / 6, sizes[:, np.newaxis] / 6, sizes / 6)
    expected = losses @ joint_distribution(probabilities, loadings)
    found = correlated_search(probabilities, loadings, loss)
    np.testing.assert_allclose(found.values, expected, atol=1e-13)
    assert found.expected_loss == pytest.approx(expected.min(), abs=1e-13)
    np.testing.assert_array_equal(found.sizes, sizes)


@settings(deadline=None, max_examples=25)
@given(st.lists(st.floats(0, 1), min_size=2, max_size=7), st.floats(0, 1), st.sampled_from(list(LOSSES.values())))
def test_equally_tied_labels_never_break_the_theorem(probabilities, strength, loss):
    search = correlated_search(probabilities, factor_loadings("all", len(probabilities), strength), loss)
    assert search.top_k_values.min() <= search.values.min() + 1e-11


@pytest.mark.parametrize(
    ("common_cause", "strength", "loss", "draw", "lost"),
    [("ring", 0.9, G_MEAN, 143, 0.0237), ("ring", 0.9, F(), 213, 0.0043), ("rivals", 1.0, JACCARD, 223, 0.0471)],
)
def test_unequally_tied_labels_can_break_it(common_cause, strength, loss, draw, lost):
    probabilities = sigmoid_items(np.random.default_rng(draw), n=8).probabilities
    search = correlated_search(probabilities, factor_loadings(common_cause, 8, strength), loss)
    assert not search.is_top_k
    assert search.top_k_values.min() - search.expected_loss == pytest.approx(lost, abs=5e-5)
    assert correlated_search(probabilities, factor_loadings(common_cause, 8, 0.0), loss).is_top_k


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: joint_distribution([0.1] * 13, [0.0] * 13), "There are 13 probabilities; .* at most 12"),
        (lambda: joint_distribution([0.1, 2.0], [0.0, 0.0]), "Probability 2 is 2"),
        (lambda: joint_distribution([0.1, 0.2], [0.5]), "must be 2 numbers between -1 and 1"),
        (lambda: joint_distribution([0.1, 0.2], [0.5, 1.1]), "must be 2 numbers between -1 and 1"),
        (lambda: joint_distribution([0.1, 0.2], [0.5, float("nan")]), "must be 2 numbers between -1 and 1"),
        (lambda: joint_distribution([0.1], ["much"]), "Loadings must be numbers"),
        (lambda: factor_loadings("loose", 3, 0.5), "no common cause 'loose'; choose all, ring, rivals"),
        (lambda: factor_loadings("all", 3, 1.5), r"is 1\.5; choose 0 to 1"),
        (lambda: factor_loadings("all", 3, float("nan")), "is nan; choose 0 to 1"),
    ],
)
def test_unusable_input(call, message):
    with pytest.raises(DataError, match=message):
        call()
