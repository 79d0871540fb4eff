from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import strategies as st

from multiloss_core import AM, AUC, G_MEAN, G_TP_PR, H_MEAN, JACCARD, LOSSES, DataError, F, expected_losses

EVERY_LOSS = pytest.mark.parametrize("loss", [*LOSSES.values(), F(2.0)], ids=lambda loss: loss.name)
vectors = st.lists(st.floats(0, 1), min_size=1, max_size=9)


def rate(part, whole):
    return Fraction(1) if whole == 0 else Fraction(part, whole)


def rational_loss(name, tp, k, positives, n):
    """Compute the rational losses of Table 1 by their definitions, exactly."""
    fp, fn, tn = k - tp, positives - tp, n - k - positives + tp
    recall, specificity, precision = rate(tp, positives), rate(tn, n - positives), rate(tp, k)
    if name == "AM":
        return 1 - (recall + specificity) / 2
    if name == "F1":
        total = precision + recall
        return 1 - (2 * precision * recall / total if total else 0)
    if name == "Jaccard":
        return 1 - rate(tp, tp + fp + fn)
    if name == "H-Mean":
        total = recall + specificity
        return 1 - (2 * recall * specificity / total if total else 0)
    assert name == "AUC"
    pairs = positives * (n - positives)
    return Fraction(fp * fn, pairs) if pairs else Fraction(0)


@pytest.mark.parametrize("loss", [AM, F(), JACCARD, H_MEAN, AUC], ids=lambda loss: loss.name)
@pytest.mark.parametrize("method", ["cubic", "exhaustive"])
def test_exact_fractions(loss, method):
    etas = [Fraction(a, 97) for a in (90, 61, 60, 33, 8, 0)]
    n = len(etas)
    exact = []
    for k in range(n + 1):
        total = Fraction(0)
        for labels in product([0, 1], repeat=n):
            chance = Fraction(1)
            for eta, y in zip(etas, labels, strict=True):
                chance *= eta if y else 1 - eta
            total += chance * rational_loss(loss.name, sum(labels[:k]), k, sum(labels), n)
        exact.append(float(total))
    found = expected_losses([float(eta) for eta in etas], loss, method=method)
    np.testing.assert_allclose(found.values, exact, atol=1e-14)
    assert found.method == method
    assert found.error_bound == 0.0


@EVERY_LOSS
def test_cubic_against_exhaustive(loss):
    generator = np.random.default_rng(3)
    for n in range(1, 13):
        for probabilities in (generator.random(n), generator.beta(0.1, 0.1, n), generator.random(n) ** 6):
            cubic = expected_losses(probabilities, loss, method="cubic").values
            exhaustive = expected_losses(probabilities, loss, method="exhaustive").values
            assert cubic.shape == (n + 1,)
            np.testing.assert_allclose(cubic, exhaustive, atol=1e-13)


@EVERY_LOSS
@pytest.mark.parametrize("n", [1, 2, 7])
def test_labels_that_are_certain(loss, n):
    ks = np.arange(n + 1)
    none, all_ = expected_losses(np.zeros(n), loss).values, expected_losses(np.ones(n), loss).values
    np.testing.assert_allclose(none, loss(0.0, ks / n, 0.0), atol=1e-15)
    np.testing.assert_allclose(all_, loss(ks / n, ks / n, 1.0), atol=1e-15)


def test_closed_forms_of_certain_labels():
    n = 5
    share = np.arange(n + 1) / n
    zeros, ones = np.zeros(n), np.ones(n)
    flagged = (share > 0).astype(float)
    for loss in (F(), JACCARD, G_TP_PR):
        np.testing.assert_allclose(expected_losses(zeros, loss).values, flagged, atol=1e-15)
    np.testing.assert_allclose(expected_losses(zeros, AM).values, share / 2, atol=1e-15)
    np.testing.assert_allclose(expected_losses(zeros, G_MEAN).values, 1 - np.sqrt(1 - share), atol=1e-15)
    np.testing.assert_allclose(expected_losses(ones, F()).values, 1 - 2 * share / (1 + share), atol=1e-15)
    np.testing.assert_allclose(expected_losses(ones, JACCARD).values, 1 - share, atol=1e-15)
    np.testing.assert_allclose(expected_losses(ones, G_TP_PR).values, 1 - np.sqrt(share), atol=1e-15)
    np.testing.assert_allclose(expected_losses(ones, H_MEAN).values, 1 - 2 * share / (1 + share), atol=1e-15)


@EVERY_LOSS
def test_a_few_hundred_certain_items_beside_the_exact_value(loss):
    # Certain items only move the counts: the expectation is over the one uncertain label.
    n, sure, eta = 300, 40, 0.25
    values = expected_losses([1.0] * sure + [eta] + [0.0] * (n - sure - 1), loss, method="cubic").values
    with_it, without = loss(41 / n, 41 / n, 41 / n), loss(40 / n, 41 / n, 40 / n)
    assert values[41] == pytest.approx(eta * with_it + (1 - eta) * without, abs=1e-13)
    assert values[40] == pytest.approx(eta * loss(40 / n, 40 / n, 41 / n) + (1 - eta) * loss(40 / n, 40 / n, 40 / n))


@pytest.mark.parametrize(
    ("probabilities", "message"),
    [
        ([0.1, 1.2, 0.3], r"^Probability 2 is 1\.2; probabilities lie between 0 and 1\.$"),
        ([0.1, -0.2, float("nan")], r"^Probability 2 is -0\.2 \(and 1 more like it\); probabilities lie"),
        ([float("nan")], r"^Probability 1 is nan;"),
        ([0.5, float("inf")], r"^Probability 2 is inf;"),
        ([], "There are no probabilities; give at least one"),
        ([[0.5]], "a list of numbers, not an array of 2 dimensions"),
        (0.5, "a list of numbers, not an array of 0 dimensions"),
        (["high"], "Probabilities must be numbers between 0 and 1"),
        ([[0.1], [0.2, 0.3]], "Probabilities must be numbers between 0 and 1"),
    ],
)
def test_unusable_probabilities(probabilities, message):
    with pytest.raises(DataError, match=message):
        expected_losses(probabilities, AM)


def test_too_many_items_for_a_method():
    with pytest.raises(DataError, match="1,001 probabilities; the cubic method takes at most 1,000"):
        expected_losses(np.full(1001, 0.5), AM, method="cubic")
    with pytest.raises(DataError, match="15 probabilities; the exhaustive method takes at most 14"):
        expected_losses(np.full(15, 0.5), AM, method="exhaustive")


def test_unknown_method_and_tolerance():
    with pytest.raises(
        DataError, match="There is no method 'fast'; choose auto, exhaustive, cubic, quadratic, windowed, near_linear"
    ):
        expected_losses([0.5], AM, method="fast")
    for tolerance in (0.0, -1.0, float("nan")):
        with pytest.raises(DataError, match="tolerance is"):
            expected_losses([0.5], AM, tolerance=tolerance)


@pytest.mark.parametrize(
    ("loss", "n", "tolerance", "method"),
    [
        (F(), 30, 1e-9, "cubic"),
        (F(), 31, 1e-9, "near_linear"),
        (H_MEAN, 100, 1e-9, "cubic"),
        (F(0.3), 101, 1e-9, "near_linear"),
        (AUC, 500, 1e-6, "near_linear"),
        (JACCARD, 300, 1e-14, "quadratic"),
        (AM, 300, 1e-14, "cubic"),
        (G_MEAN, 300, 1e-9, "windowed"),
        (H_MEAN, 150, 1e-14, "cubic"),
    ],
)
def test_auto_picks_by_loss_number_and_tolerance(loss, n, tolerance, method):
    found = expected_losses(np.random.default_rng(1).random(n), loss, tolerance=tolerance)
    assert found.method == method
    assert 0.0 <= found.error_bound <= tolerance


def test_a_bare_function_is_a_loss():
    probabilities = np.random.default_rng(8).random(9)
    as_f1 = expected_losses(probabilities, lambda u, v, p: 1 - 2 * u / np.maximum(v + p, 1e-300))
    # With nothing flagged and nothing positive this loss is 1, that of F1 is 0.
    expected = expected_losses(probabilities, F()).values
    expected[0] += np.prod(1 - probabilities)
    np.testing.assert_allclose(as_f1.values, expected, atol=1e-13)


class Infinite:
    name = "infinite"

    def __call__(self, u, v, p):
        return np.inf


def test_a_loss_that_is_not_finite_is_refused():
    with pytest.raises(DataError, match="The infinite loss gives values that are not finite"):
        expected_losses([0.5, 0.2], Infinite())
