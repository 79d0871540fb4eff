import math
from itertools import product

import numpy as np
import pytest

from multiloss_core import G_MEAN, G_TP_PR, H_MEAN, JACCARD, LOSSES, DataError, F, FractionalLinear, UserLoss
from multiloss_core.losses.multivariate import as_loss


def rate(part, whole):
    return 1.0 if whole == 0 else part / whole


def loss_by_definition(name, prediction, labels):
    """Compute the definitions of Table 1 from two label vectors; a rate over nothing is 1."""
    pairs = list(zip(prediction, labels, strict=True))
    tp, fp = pairs.count((1, 1)), pairs.count((1, 0))
    fn, tn = pairs.count((0, 1)), pairs.count((0, 0))
    recall, specificity, precision = rate(tp, tp + fn), rate(tn, tn + fp), rate(tp, tp + fp)
    wrong_pairs = sum(y_i > y_j and s_i < s_j for (s_i, y_i), (s_j, y_j) in product(pairs, pairs))
    all_pairs = sum(y_i > y_j for y_i, y_j in product(labels, labels))
    utilities = {
        "AM": (recall + specificity) / 2,
        "Jaccard": rate(tp, tp + fp + fn),
        "G-TP/PR": math.sqrt(recall * precision),
        "G-Mean": math.sqrt(recall * specificity),
        "H-Mean": harmonic_mean(specificity, recall, weight=1),
        "AUC": 1 - (wrong_pairs / all_pairs if all_pairs else 0),
    }
    return 1 - (harmonic_mean(precision, recall, float(name[1:]) ** 2) if name[0] == "F" else utilities[name])


def harmonic_mean(first, second, weight):
    return 0.0 if first == 0 or second == 0 else (1 + weight) / (1 / first + weight / second)


def shares(prediction, labels):
    n = len(labels)
    both = sum(s * y for s, y in zip(prediction, labels, strict=True))
    return both / n, sum(prediction) / n, sum(labels) / n


ALL = [*LOSSES.values(), F(2.0), F(0.5)]


@pytest.mark.slow
@pytest.mark.parametrize("loss", ALL, ids=lambda loss: loss.name)
@pytest.mark.parametrize("n", [1, 2, 3, 5, 6])
def test_every_prediction_and_labels_against_the_definition(loss, n):
    vectors = list(product([0, 1], repeat=n))
    for prediction, labels in product(vectors, vectors):
        expected = loss_by_definition(loss.name, prediction, labels)
        assert float(loss(*shares(prediction, labels))) == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize("loss", ALL, ids=lambda loss: loss.name)
@pytest.mark.parametrize("n", [3, 7, 49, 1000])
def test_stays_within_0_and_1_and_broadcasts(loss, n):
    grid = np.indices((n + 1, n + 1, n + 1)) if n < 50 else np.random.default_rng(0).integers(0, n + 1, (3, 20_000))
    tp, flagged, positives = grid.reshape(3, -1)
    possible = (tp <= np.minimum(flagged, positives)) & (tp >= flagged + positives - n)
    values = loss(tp[possible] / n, flagged[possible] / n, positives[possible] / n)
    assert values.shape == (possible.sum(),)
    assert values.min() >= -1e-15
    assert values.max() <= 1.0 + 1e-14
    assert loss(np.zeros((4, 1)), 0.25, np.full((1, 3), 0.5)).shape == (4, 3)


@pytest.mark.parametrize(
    ("loss", "nothing_right"),
    [(F(), 1.0), (JACCARD, 1.0), (G_TP_PR, 1.0), (G_MEAN, 1.0), (H_MEAN, 1.0)],
    ids=lambda value: getattr(value, "name", ""),
)
def test_no_rounding_noise_where_a_rate_is_nothing(loss, nothing_right):
    for n in range(2, 60):
        for positives in range(1, n):
            # Exactly the negatives are flagged: no true positive and no true negative.
            assert loss(0.0, (n - positives) / n, positives / n) == nothing_right
            # Exactly the positives are flagged.
            assert loss(positives / n, positives / n, positives / n) == pytest.approx(0.0, abs=1e-15)


def test_fractional_linear_can_be_f_and_jaccard():
    tp, flagged, positives = np.indices((7, 7, 7)).reshape(3, -1)
    possible = (tp <= np.minimum(flagged, positives)) & (tp >= flagged + positives - 6)
    u, v, p = tp[possible] / 6, flagged[possible] / 6, positives[possible] / 6
    as_f1 = FractionalLinear((0, -2, 1, 1), (0, 0, 1, 1))
    as_jaccard = FractionalLinear([0, -2, 1, 1], [0, -1, 1, 1], name="mine")
    np.testing.assert_allclose(as_f1(u, v, p), F()(u, v, p), atol=1e-14)
    np.testing.assert_allclose(as_jaccard(u, v, p), JACCARD(u, v, p), atol=1e-14)
    assert as_jaccard.name == "mine"
    assert hash(as_f1) != hash(as_jaccard)


@pytest.mark.parametrize("beta", [0.0, -1.0, float("nan"), float("inf"), 1e200, 1e-200])
def test_beta_must_be_positive_and_finite(beta):
    with pytest.raises(DataError, match=r"^beta of F is .*; choose a finite number above 0\.$"):
        F(beta)


@pytest.mark.parametrize("wrong", [(1, 2, 3), (1, 2, 3, 4, 5), (1, 2, 3, float("nan")), 7, ("a", 1, 2, 3)])
def test_coefficients_must_be_four_finite_numbers(wrong):
    with pytest.raises(DataError, match="c of a fractional-linear loss must be four finite numbers"):
        FractionalLinear(wrong, (1, 0, 0, 0))
    with pytest.raises(DataError, match="d of a fractional-linear loss must be four finite numbers"):
        FractionalLinear((1, 0, 0, 0), wrong)


def test_a_denominator_of_0_is_refused():
    loss = FractionalLinear((1, 0, 0, 0), (0, 0, 1, 0))
    with pytest.raises(DataError, match="divides by 0 at 1 confusion matrices"):
        loss(0.0, np.array([0.0, 0.5]), 0.5)


def test_user_loss_is_accepted():
    linear = UserLoss(lambda u, v, p: v + p - 2 * u, name="Hamming", bounds=(0.0, 1.0))
    assert linear(np.zeros((3, 1)), 0.25, np.zeros(4)).shape == (3, 4)
    assert as_loss(linear) is linear
    assert as_loss(lambda u, v, p: u).name == "user's"
    constant = UserLoss(lambda u, v, p: 0.5)
    assert constant(np.zeros(3), 0.0, 0.0).tolist() == [0.5] * 3


@pytest.mark.parametrize(
    ("loss", "message"),
    [
        (UserLoss(lambda u, v, p: np.full(np.shape(u), np.nan)), "values that are not finite numbers"),
        (UserLoss(lambda u, v, p: 3 * u, name="mine", bounds=(0, 1)), "mine loss gives values .* between 0 and 1"),
        (UserLoss(lambda u, v, p: np.zeros(7)), "must give one number for each"),
        (UserLoss(lambda u, v, p: "high"), "must give one number for each"),
    ],
)
def test_invalid_user_loss_is_rejected(loss, message):
    with pytest.raises(DataError, match=message):
        loss(np.full(3, 0.9), 0.9, 0.9)
