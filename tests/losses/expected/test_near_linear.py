"""Compare near-linear losses with enumeration, the cubic method and closed forms."""

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from multiloss_core import AM, AUC, G_TP_PR, JACCARD, DataError, F, FractionalLinear, expected_losses

FAST = (F(), F(0.25), F(3.0), JACCARD, AM, G_TP_PR, AUC)
EVERY_FAST = pytest.mark.parametrize("loss", FAST, ids=lambda loss: loss.name)
FRACTIONAL = (
    FractionalLinear((0, -2, 1, 1), (0, 0, 1, 1), name="as F1"),
    FractionalLinear((0, -2, 1, 1), (0, -1, 1, 1), name="as Jaccard"),
    FractionalLinear((1, -2, 0.3, 0.1), (1, 0.5, 0.2, -0.3), name="general"),
    FractionalLinear((1, -2, 0.3, 0.1), (-2, 0.5, 0.2, -0.3), name="negative"),
    FractionalLinear((0, 1, 1, -1), (5, -1, -2, -1), name="falling"),
    FractionalLinear((0, -1, 0, 1), (0, 0, 0, 1), name="misses"),
    FractionalLinear((0, 0, 0, 0), (1, 0, 0, 0), name="nothing"),
    FractionalLinear((0, -1, 1, 0), (0, 0, 1, 0), name="precision"),
    FractionalLinear((1, 0, -1, -1), (1.5, 0, -1, 0), name="unflagged"),
    FractionalLinear((0.3, -1, 0.5, 0.5), (1, 0, 0, 0), name="linear"),
    FractionalLinear((0, -1e-3, 1e-3, 0), (0, 0, 1e-3, 1e5), name="large"),
)
EVERY_FRACTIONAL = pytest.mark.parametrize("loss", FRACTIONAL, ids=lambda loss: loss.name)
# The cubic method leaves out this much rounding.
CUBIC_ROUNDING = 2e-13


def vectors(n, generator):
    """Draw sparse, dense and skewed probabilities, certain ones among them."""
    yield generator.random(n)
    yield generator.random(n) ** 6
    yield 1 - generator.random(n) ** 6
    yield generator.beta(0.1, 0.1, n)
    yield generator.beta(0.05, 2.0, n)
    yield np.clip(generator.normal(0.5, 0.5, n), 0.0, 1.0)
    yield generator.random(n) * 10.0 ** -generator.uniform(0, 13)


def check(probabilities, loss, exact, tolerance=1e-9, rounding=CUBIC_ROUNDING):
    found = expected_losses(probabilities, loss, method="near_linear", tolerance=tolerance)
    assert found.method == "near_linear"
    assert np.max(np.abs(found.values - exact)) <= found.error_bound + rounding
    assert found.error_bound <= tolerance
    return found


@pytest.mark.slow
@EVERY_FRACTIONAL
def test_fractional_linear_losses(loss):
    generator = np.random.default_rng(2)
    for n in (1, 2, 3, 8, 20, 60):
        for probabilities in vectors(n, generator):
            check(probabilities, loss, expected_losses(probabilities, loss, method="cubic").values)


@pytest.mark.slow
@EVERY_FAST
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_any_list(loss, probabilities):
    check(probabilities, loss, expected_losses(probabilities, loss, method="cubic").values)


def exact_loss(loss, tp, k, positives, n):
    """Compute the definitions in Fraction, or in Decimal for roots; a rate over nothing is 1."""

    def rate(part, whole):
        return Fraction(part, whole) if whole else Fraction(1)

    fp, fn, tn = k - tp, positives - tp, n - k - positives + tp
    recall, specificity, precision = rate(tp, positives), rate(tn, n - positives), rate(tp, k)
    if isinstance(loss, F):
        square = Fraction(loss.beta) ** 2
        below = square * precision + recall
        return 1 - ((1 + square) * precision * recall / below if below else 0)
    if loss is JACCARD:
        return 1 - rate(tp, tp + fp + fn)
    if loss is AM:
        return 1 - (recall + specificity) / 2
    if loss is AUC:
        return (1 - recall) * (1 - specificity)
    assert loss is G_TP_PR
    square = recall * precision
    return 1 - (Decimal(square.numerator) / Decimal(square.denominator)).sqrt()


def exact_expectations(probabilities, loss):
    n = len(probabilities)
    etas = sorted((Fraction(float(eta)) for eta in probabilities), reverse=True)
    totals = [0] * (n + 1)
    for labels in product([0, 1], repeat=n):
        chance = Fraction(1)
        for eta, label in zip(etas, labels, strict=True):
            chance *= eta if label else 1 - eta
        if chance:
            for k in range(n + 1):
                cost = exact_loss(loss, sum(labels[:k]), k, sum(labels), n)
                if isinstance(cost, Decimal):
                    totals[k] += Decimal(chance.numerator) / Decimal(chance.denominator) * cost
                else:
                    totals[k] += chance * cost
    return np.array([float(total) for total in totals])


@pytest.mark.slow
@EVERY_FAST
def test_rational_arithmetic(loss):
    generator = np.random.default_rng(5)
    with localcontext(prec=40):
        for n in (1, 2, 4, 5):
            for probabilities in vectors(n, generator):
                check(probabilities, loss, exact_expectations(probabilities, loss), tolerance=1e-10, rounding=1e-16)
        probabilities = np.rint(generator.random(9) * 64) / 64
        check(probabilities, loss, exact_expectations(probabilities, loss), tolerance=1e-10, rounding=1e-16)


def binomial_losses(loss, n, eta, ks):
    """Compute the loss for equal probabilities as a sum over one binomial count."""
    for k in ks:
        if k == 0:
            yield 0.0 if loss in (AUC,) else (1 - (1 - eta) ** n) / (2 if loss is AM else 1)
            continue
        s = np.arange(n + 1)
        chances = binom.pmf(s, n, eta)
        if isinstance(loss, F):
            square = loss.beta**2
            yield 1 - k / n * (1 + square) * np.sum(chances * s / (k + square * s))
        elif loss is JACCARD:
            others = np.arange(n - k + 1)
            yield 1 - k * eta * np.sum(binom.pmf(others, n - k, eta) / (k + others))
        elif loss is AM:
            recall = (1 - eta) ** n + k / n * (1 - (1 - eta) ** n)
            specificity = eta**n + (n - k) / n * (1 - eta**n)
            yield 1 - (recall + specificity) / 2
        elif loss is G_TP_PR:
            yield 1 - np.sqrt(k) / n * np.sum(chances * np.sqrt(s))
        else:
            yield k * (n - k) / (n * max(n - 1, 1)) * (1 - eta**n - (1 - eta) ** n)


@pytest.mark.slow
@EVERY_FAST
@pytest.mark.parametrize("n", [1, 50, 4_000])
@pytest.mark.parametrize("eta", [1e-12, 1e-3, 0.3, 0.999, 1 - 1e-12])
def test_equal_probabilities(loss, n, eta):
    ks = np.unique([0, 1, n // 3, n // 2, n - 1, n])
    found = expected_losses(np.full(n, eta), loss, method="near_linear")
    direct = list(binomial_losses(loss, n, eta, ks))
    np.testing.assert_allclose(found.values[ks], direct, rtol=0, atol=found.error_bound + 1e-11)


@pytest.mark.slow
@pytest.mark.parametrize("loss", [F(), JACCARD, AM, G_TP_PR, AUC], ids=lambda loss: loss.name)
def test_a_million_items(loss):
    n, eta = 1_000_000, 0.05
    ks = np.array([0, 1, 1_000, 50_000, 300_000, n])
    found = expected_losses(np.full(n, eta), loss)
    assert (found.method, found.values.shape) == ("near_linear", (n + 1,))
    assert found.error_bound <= 1e-9
    assert np.all((found.values >= 0) & (found.values <= 1))
    # The binomial probabilities of SciPy are good to some 1e-10 at this n.
    direct = list(binomial_losses(loss, n, eta, ks))
    np.testing.assert_allclose(found.values[ks], direct, rtol=0, atol=found.error_bound + 1e-9)


@pytest.mark.slow
@EVERY_FAST
@pytest.mark.parametrize(
    "probabilities",
    [np.zeros(5000), np.ones(5000), np.repeat([1.0, 0.0], 2500), np.full(5000, 1e-300), np.full(5000, 1 - 1e-16)],
    ids=["zeros", "ones", "both", "tiny", "near 1"],
)
def test_certain_labels_beside_the_loss_itself(loss, probabilities):
    n = probabilities.size
    sure = np.rint(probabilities)
    k = np.arange(n + 1)
    direct = loss(np.append(0.0, np.cumsum(sure)) / n, k / n, sure.sum() / n)
    np.testing.assert_allclose(
        expected_losses(probabilities, loss, method="near_linear").values, direct, rtol=0, atol=1e-9
    )


@pytest.mark.parametrize("beta", [1e-100, 1e-8, 1e-3, 1e3, 1e8, 1e100])
def test_extreme_beta(beta):
    generator = np.random.default_rng(6)
    for n in (3, 40):
        for probabilities in vectors(n, generator):
            check(probabilities, F(beta), expected_losses(probabilities, F(beta), method="cubic").values)


def exact_ratio(probabilities, loss):
    """Compute every expectation of a ratio in rational arithmetic on its coefficients."""
    n, c, d = len(probabilities), [Fraction(one) for one in loss.c], [Fraction(one) for one in loss.d]
    etas = [Fraction(float(eta)) for eta in np.sort(probabilities)[::-1]]

    def chances(some):
        found = [Fraction(1)]
        for eta in some:
            found = [(1 - eta) * one + eta * less for one, less in zip([*found, 0], [0, *found], strict=True)]
        return found

    def part(numbers, u, k, p):
        return numbers[0] * n + numbers[1] * u + numbers[2] * k + numbers[3] * p

    for k in range(n + 1):
        pairs = product(enumerate(chances(etas[:k])), enumerate(chances(etas[k:])))
        yield sum(
            (
                one * other * part(c, u, k, u + more) / part(d, u, k, u + more)
                for (u, one), (more, other) in pairs
                if part(d, u, k, u + more)
            ),
            Fraction(0),
        )


@pytest.mark.parametrize(
    ("n", "c", "d", "tolerance"),
    [
        (20, (1e-8, 0, 0, 0), (1, 0, -(1 - 1e-8), 0), 1e-9),
        (3, (2**20, 3, 2**-20, 0), (2**40, -(2**40), 2**-40, 1), 1e-6),
        (9, (1, -1, -1, 1), (3, -1, -2 + 1e-9, 0.5), 1e-9),
        (9, (0, -2e299, 1e299, 1e299), (5e298, 0, 1e299, 1e299), 1e-9),
        (9, (0, -2e-170, 1e-170, 1e-170), (5e-171, 0, 1e-170, 1e-170), 1e-9),
        (20, (0, -2e-308, 1e-308, 1e-308), (5e-309, 0, 1e-308, 1e-308), 1e-9),
    ],
    ids=["falling", "steep", "near 0", "huge", "tiny", "subnormal"],
)
def test_bound_holds_in_rational_arithmetic(n, c, d, tolerance):
    loss = FractionalLinear(c, d)
    probabilities = np.random.default_rng(3).integers(1, 64, n) / 64
    exact = np.array([float(one) for one in exact_ratio(probabilities, loss)])
    check(probabilities, loss, exact, tolerance, rounding=0.0)


def test_extreme_denominators_are_left_to_other_methods():
    probabilities = np.random.default_rng(3).random(40)
    loss = FractionalLinear((0, -2, 1, 1), (1e-308, -1, 1, 1))
    found, jaccard = expected_losses(probabilities, loss), expected_losses(probabilities, JACCARD)
    assert found.method == "cubic"
    np.testing.assert_allclose(found.values, jaccard.values, atol=1e-8)
    with pytest.raises(DataError, match="needs the bounds"):
        expected_losses(probabilities, FractionalLinear((1e300, -1e300, 0, 0), (1e-9, 0, 1, 1)), method="windowed")
    with pytest.raises(DataError, match="four finite numbers, at most 1e300"):
        FractionalLinear((1e308, -1e308, 0, 0), (1, 0, 1, 1))
