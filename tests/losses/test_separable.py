import numpy as np
import pytest

from multiloss_core import AM, DataError, FractionalLinear, exhaustive_search, expected_losses
from multiloss_core.losses import (
    HAMMING,
    SEPARABLE,
    SUBSET_0_1,
    ConfusionMatrix,
    has_empty_rate,
    loss_formula,
    separable_losses,
    separable_top_k,
)
from tests.losses.test_formulas import MATRICES, computed


@pytest.mark.parametrize("loss", SEPARABLE, ids=lambda loss: loss.name)
@pytest.mark.parametrize("seed", range(8))
def test_closed_form_against_all_outcomes_and_predictions(loss, seed):
    generator = np.random.default_rng(seed)
    probabilities = generator.random(9).round(1 if seed % 2 else 9)
    found = separable_losses(probabilities, loss)
    np.testing.assert_allclose(
        found.values, expected_losses(probabilities, loss, method="exhaustive").values, atol=1e-12
    )
    best = separable_top_k(probabilities, loss)
    assert best.expected_loss == pytest.approx(exhaustive_search(probabilities, loss).expected_loss, abs=1e-12)
    assert best.selected.tolist() == (probabilities > 0.5).tolist()
    for least in range(10):
        bound = separable_top_k(probabilities, loss, at_least=least)
        assert bound.k >= least
        assert bound.expected_loss == pytest.approx(found.values[least:].min(), abs=1e-12)


def test_k_is_found_where_every_subset_loss_rounds_to_one():
    probabilities = np.full(5_000, 0.6)
    assert np.all(separable_losses(probabilities, SUBSET_0_1).values == 1.0)
    assert separable_top_k(probabilities, SUBSET_0_1).k == 5_000


def test_hamming_counts_wrong_items_and_subset_any():
    for matrix in (*MATRICES, ConfusionMatrix(3.0, 0.0, 0.0, 2.0)):
        assert matrix.loss(HAMMING) == pytest.approx((matrix.fp + matrix.fn) / matrix.items)
        assert matrix.loss(SUBSET_0_1) == float(matrix.fp + matrix.fn > 0)


@pytest.mark.parametrize(
    "loss",
    [HAMMING, FractionalLinear((0, -2, 1, 1), (0, -1, 1, 1)), FractionalLinear((1, -0.5, 0, 2), (3, 0.25, -1, 0))],
)
def test_formula_of_a_ratio_equals_the_loss(loss):
    formula = loss_formula(loss)
    for matrix in MATRICES:
        u, v, p = (count / matrix.items for count in (matrix.tp, matrix.tp + matrix.fp, matrix.tp + matrix.fn))
        counts = dict(zip(("TP", "FP", "FN", "TN"), matrix.cells, strict=True))
        assert computed(formula.in_counts, **counts) == pytest.approx(float(loss(u, v, p)), rel=1e-5)
        assert computed(formula.in_rates, u=u, v=v, p=p) == pytest.approx(float(loss(u, v, p)), rel=1e-5)


def test_ratio_names_an_empty_denominator():
    jaccard = FractionalLinear((0, -2, 1, 1), (0, -1, 1, 1))
    assert has_empty_rate(jaccard, ConfusionMatrix(0.0, 0.0, 0.0, 5.0))
    assert not has_empty_rate(jaccard, ConfusionMatrix(0.0, 1.0, 0.0, 5.0))
    assert not has_empty_rate(HAMMING, ConfusionMatrix(0.0, 0.0, 0.0, 5.0))


def test_other_losses_are_refused():
    with pytest.raises(DataError, match="choose Hamming or Subset 0-1"):
        separable_losses([0.5], AM)
