from contextlib import suppress
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from multiloss_core import AM, LOSSES, DataError, F, FractionalLinear, UserLoss, batch_top_k, optimal_top_k
from multiloss_core.losses import (
    is_gain,
    is_tp_monotone,
    is_tpr_tnr_monotone,
    meets_corrected_proposition_2,
    meets_proposition_2,
)

ALL = pytest.mark.parametrize("loss", [*LOSSES.values(), F(2.0), F(0.5)], ids=lambda loss: loss.name)
AS_F1 = FractionalLinear((0, -2, 1, 1), (0, 0, 1, 1))
AS_JACCARD = FractionalLinear((0, -2, 1, 1), (0, -1, 1, 1))


@ALL
@pytest.mark.parametrize("n", [1, 2, 5, 12, 40])
def test_table_1_is_monotone_in_true_positives_and_in_both_rates(loss, n):
    assert is_tpr_tnr_monotone(loss, n)
    assert is_tp_monotone(loss, n)


def test_proposition_3_on_random_losses():
    # Decreasing in one rate is not enough; wherever both rates together decrease the loss, so do true positives.
    generator = np.random.default_rng(0)
    seen = set()
    for _ in range(300):
        noise = generator.normal(size=(6, 6, 6)) * generator.choice([0.01, 0.3])

        def loss(u, v, p, noise=noise):
            index = [np.rint(5 * np.asarray(share)).astype(int) for share in (u, v, p)]
            return -np.asarray(u) + noise[tuple(np.broadcast_arrays(*index))]

        by_rates, by_counts = is_tpr_tnr_monotone(loss, 5), is_tp_monotone(loss, 5)
        assert by_counts or not by_rates
        seen.add((by_rates, by_counts))
    assert (True, True) in seen
    assert (False, False) in seen


def test_a_loss_that_falls_with_flags_is_not_rate_monotone():
    assert not is_tpr_tnr_monotone(lambda u, v, p: -np.asarray(v) + 0 * np.asarray(u), 6)
    assert is_tp_monotone(lambda u, v, p: -np.asarray(u), 6)


def test_proposition_2_needs_more_than_c1_below_d1():
    loss = FractionalLinear(c=(0, 0.5, 0, 0), d=(1, 1, 0, 0))
    assert meets_proposition_2(loss)
    assert loss(0.5, 0.5, 0.5) > loss(0.25, 0.5, 0.5)
    assert not is_tp_monotone(loss, 4)
    assert not meets_corrected_proposition_2(loss, 4)
    documented = FractionalLinear((0, 1, 0, 0), (2, 2, 0, 0))
    assert meets_proposition_2(documented)
    assert not is_tp_monotone(documented, 4)


@pytest.mark.parametrize("loss", [AS_F1, AS_JACCARD], ids=["F1", "Jaccard"])
def test_f_and_jaccard_meet_both(loss):
    assert meets_proposition_2(loss)
    assert meets_corrected_proposition_2(loss, 12)
    assert is_tp_monotone(loss, 12)


@pytest.mark.slow
def test_the_corrected_condition_is_exact():
    generator = np.random.default_rng(2)
    agreed = {True: 0, False: 0}
    wrong_by_the_paper = 0
    for _ in range(400):
        c, d = generator.integers(-3, 4, (2, 4))
        d[0] += 7  # a positive denominator or, rarely, one that changes its sign
        loss = FractionalLinear(c, d)
        if any(denominator(loss, *counts) <= 0 for counts in outcomes(5)):
            continue
        exact = all(
            value(loss, tp + 1, flagged, positives) < value(loss, tp, flagged, positives)
            for tp, flagged, positives in outcomes(5)
            if tp < min(flagged, positives)
        )
        assert meets_corrected_proposition_2(loss, 5) == exact
        agreed[exact] += 1
        wrong_by_the_paper += meets_proposition_2(loss) != exact
    assert min(agreed.values()) > 50
    assert wrong_by_the_paper > 20


def test_a_denominator_that_changes_its_sign_is_refused():
    assert not meets_corrected_proposition_2(FractionalLinear((0, -1, 0, 0), (-0.25, 1, 0, 0)), 4)


def outcomes(n):
    for tp, flagged, positives in product(range(n + 1), repeat=3):
        if max(0, flagged + positives - n) <= tp <= min(flagged, positives):
            yield tp, flagged, positives


def denominator(loss, tp, flagged, positives, n=5):
    return sum(Fraction(d) * part for d, part in zip(loss.d, (n, tp, flagged, positives), strict=True))


def value(loss, tp, flagged, positives, n=5):
    numerator = sum(Fraction(c) * part for c, part in zip(loss.c, (n, tp, flagged, positives), strict=True))
    return numerator / denominator(loss, tp, flagged, positives, n)


@pytest.mark.parametrize("n", [0, 201])
def test_the_checks_are_bounded(n):
    for check in (is_tp_monotone, is_tpr_tnr_monotone):
        with pytest.raises(DataError, match="1 to 200 items"):
            check(AM, n)
    with pytest.raises(DataError, match="1 to 200 items"):
        meets_corrected_proposition_2(AS_F1, n)


@pytest.mark.parametrize(
    "gain",
    [
        lambda u, v, p: 2 * u / (v + p),
        UserLoss(lambda u, v, p: u / np.maximum(v, 1e-9), "precision"),
        FractionalLinear((0, 2, 0, 0), (0, 0, 1, 1)),
    ],
)
def test_gain_in_place_of_a_loss_is_warned_of(gain):
    with pytest.warns(UserWarning, match="rises with every true positive, as a gain does; give 1 minus it"):
        batch_top_k([[0.9, 0.4]], UserLoss(lambda u, v, p: 1.0 * u + 0 * v * p))
    with np.errstate(invalid="ignore"), pytest.warns(UserWarning, match="as a gain does"), suppress(DataError):
        optimal_top_k([0.9, 0.4, 0.2], gain)
    assert is_gain(gain, 6)
    assert not any(is_gain(loss, 6) for loss in LOSSES.values())


def test_denominators_of_nearly_zero_are_refused():
    for loss in (FractionalLinear((0, -1, 1, 1), (1e-320, 0, 0, 0)), UserLoss(lambda u, v, p: (v - u) / 1e-320)):
        for n in (3, 60):
            with np.errstate(over="ignore"), pytest.raises(DataError):
                optimal_top_k(np.linspace(0.1, 0.9, n), loss)
