"""Compare batches with all predictions, with single rows and with closed forms."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from multiloss_core import (
    AM,
    AUC,
    G_MEAN,
    G_TP_PR,
    JACCARD,
    DataError,
    F,
    batch_expected_losses,
    batch_top_k,
    exhaustive_search,
    expected_losses,
    optimal_top_k,
)

LOSSES_OF_BATCHES = (F(), F(2.0), F(0.5), JACCARD, AM, G_TP_PR)
EVERY_LOSS = pytest.mark.parametrize("loss", LOSSES_OF_BATCHES, ids=lambda loss: loss.name)
# Rounding that bounds leave out.
ROUNDING = 2e-13


def drawn_rows(generator, count, largest):
    """Draw rows of 1 to `largest` probabilities: uniform, sparse, dense, certain, tied."""
    for row in range(count):
        n = int(generator.integers(1, largest + 1))
        kind = row % 5
        uniform = generator.random(n)
        if kind == 0:
            yield uniform
        elif kind == 1:
            yield uniform**6
        elif kind == 2:
            yield 1.0 - uniform**6
        elif kind == 3:
            yield generator.beta(0.1, 0.1, n).round(generator.integers(1, 4))
        else:
            yield np.rint(4.0 * uniform) / 4.0


def check_no_regret(loss, rows, **settings):
    """Check against all 2^n predictions that none is better than the bound allows."""
    found = batch_top_k(rows, loss, **settings)
    for place, row in enumerate(rows):
        every = exhaustive_search(row, loss)
        chosen = every.values[int(found.selected[place] @ (1 << np.arange(row.size)))]
        bound = found.error_bound[place]
        assert chosen <= every.values.min() + 2.0 * bound + ROUNDING + 1e-12
        assert abs(found.expected_loss[place] - chosen) <= bound + ROUNDING
        assert found.k[place] == found.selected[place].sum()
        assert bound <= settings.get("tolerance", 1e-9)
    return found


@EVERY_LOSS
def test_no_prediction_is_better_in_a_few_rows(loss):
    rows = list(drawn_rows(np.random.default_rng(1), 60, 9))
    assert check_no_regret(loss, rows).error_bound.max() == 0.0


@pytest.mark.slow
@EVERY_LOSS
@pytest.mark.parametrize("method", ["auto", "near_linear"])
def test_no_prediction_is_better_in_2_000_rows(loss, method):
    rows = list(drawn_rows(np.random.default_rng(2), 2_000, 10))
    check_no_regret(loss, rows, method=method)


@EVERY_LOSS
@pytest.mark.parametrize("tolerance", [1e-4, 1e-9])
def test_error_is_within_bound_of_each_row(loss, tolerance):
    generator = np.random.default_rng(3)
    rows = [row for n in (40, 150, 260) for row in (generator.random(n), generator.beta(0.2, 3.0, n))]
    exact = batch_expected_losses(rows, loss, method="cubic")
    assert [found.error_bound for found in exact] == [0.0] * len(rows)
    found = batch_expected_losses(rows, loss, tolerance=tolerance)
    assert [one.method for one in found] == ["near_linear"] * len(rows)
    for one, true in zip(found, exact, strict=True):
        assert 0.0 < one.error_bound <= tolerance
        assert np.abs(one.values - true.values).max() <= one.error_bound + ROUNDING


@given(st.lists(st.lists(st.floats(0, 1), min_size=1, max_size=6), min_size=1, max_size=12), st.integers(1, 3))
def test_any_rows_equal_single_rows(rows, threads):
    found = batch_top_k(rows, F(), threads=threads)
    losses = batch_expected_losses(rows, F(), threads=threads)
    for place, row in enumerate(rows):
        single = optimal_top_k(row, F())
        assert found.k[place] == single.k
        np.testing.assert_array_equal(found.selected[place], single.selected)
        np.testing.assert_array_equal(found.cut[place], single.cut)
        assert found.expected_loss[place] == pytest.approx(single.expected_loss, abs=1e-14)
        np.testing.assert_allclose(losses[place].values, expected_losses(row, F()).values, atol=1e-14)


@EVERY_LOSS
def test_equal_probabilities_have_a_closed_form(loss):
    # The loss for k of n items of one probability is a sum over the two binomial counts.
    n, etas = 25, (0.02, 0.3, 0.9)
    found = batch_expected_losses(np.repeat(etas, n).reshape(3, n), loss)
    for one, eta in zip(found, etas, strict=True):
        for k in (0, 7, n):
            first, others = np.arange(k + 1)[:, np.newaxis], np.arange(n - k + 1)
            chances = binom.pmf(first, k, eta) * binom.pmf(others, n - k, eta)
            direct = (chances * loss(first / n, k / n, (first + others) / n)).sum()
            assert one.values[k] == pytest.approx(direct, abs=one.error_bound + 1e-12)


def test_masked_array_keeps_its_mask():
    rows = np.ma.masked_greater([[0.9, 7.0, 0.2], [0.1, 0.8, 9.0]], 1.0)
    found = batch_top_k(rows, F())
    assert [row.tolist() for row in found.selected] == [[True, False, False], [False, True, False]]
    assert found.expected_loss.tolist() == batch_top_k([[0.9, 0.2], [0.1, 0.8]], F()).expected_loss.tolist()


def test_mask_removes_items():
    generator = np.random.default_rng(4)
    table, mask = generator.random((40, 12)), generator.random((40, 12)) < 0.7
    mask[:, 3] = True
    rows = [row[kept] for row, kept in zip(table, mask, strict=True)]
    table[~mask] = np.nan
    for loss in (AM, JACCARD):
        masked, listed = batch_top_k(table, loss, mask=mask), batch_top_k(rows, loss)
        assert masked.selected.shape == table.shape
        assert not masked.selected[~mask].any()
        for row in range(40):
            np.testing.assert_array_equal(masked.selected[row, mask[row]], listed.selected[row])
        for name in ("k", "cut", "expected_loss", "error_bound"):
            np.testing.assert_array_equal(getattr(masked, name), getattr(listed, name))


def test_many_short_rows_and_one_long_row():
    generator = np.random.default_rng(5)
    rows = [*generator.random((30, 4)), generator.beta(0.1, 5.0, 20_000), *generator.random((2_000, 3))]
    found = batch_top_k(rows, JACCARD, tolerance=1e-7)
    for place in (0, 29, 30, 31, 2_030):
        single = optimal_top_k(rows[place], JACCARD, tolerance=1e-7)
        assert (found.k[place], found.cut[place]) == (single.k, single.cut)
    assert found.error_bound[30] > 0.0


def test_auto_is_exact_for_many_rows_of_100():
    table = np.random.default_rng(6).random((12, 100))
    assert {found.method for found in batch_expected_losses(table, F())} == {"cubic"}
    assert {found.method for found in batch_expected_losses(table[:9], F())} == {"near_linear"}
    assert {found.method for found in batch_expected_losses(table[:9], G_MEAN)} == {"cubic"}


def test_auto_falls_back_for_rows_whose_bound_is_too_large():
    table = np.random.default_rng(7).random((3, 200))
    methods = [found.method for found in batch_expected_losses(table, F(), tolerance=1e-14)]
    assert methods == ["quadratic"] * 3


def test_at_least_flags_enough_in_each_row():
    rows = [[0.01, 0.02], [0.9, 0.8, 0.01], [0.001, 0.0]]
    assert batch_top_k(rows, F()).k.tolist() == [0, 2, 0]
    found = batch_top_k(rows, F(), at_least=1)
    assert found.k.tolist() == [1, 2, 1]
    assert math.isnan(batch_top_k(rows, AUC).cut[0])
    with pytest.raises(DataError, match="At least 3 of 2 items cannot be flagged"):
        batch_top_k(rows, F(), at_least=3)


@pytest.mark.parametrize(
    ("rows", "settings", "message"),
    [
        ([[0.5], [0.2, 1.5]], {}, r"^Row 2: Probability 2 is 1\.5; probabilities lie between 0 and 1\.$"),
        ([[0.5], []], {}, "^Row 2: There are no probabilities"),
        ([[0.5], ["high"]], {}, "^Row 2: Probabilities must be numbers"),
        ([0.5, 0.2], {}, "^Row 1: Probabilities must be a list of numbers"),
        ([], {}, "There are no rows of probabilities"),
        (0.5, {}, "There are no rows of probabilities"),
        (np.full((2, 3), 2.0), {}, "^Row 1: Probability 1 is 2"),
        (np.array([[0.1, 0.2], [0.3, np.nan]]), {"mask": np.eye(2) == 1}, "^Row 2: Probability 2 is nan"),
        (np.zeros((2, 2)), {"mask": np.array([[True, True], [False, False]])}, "^Row 2: There are no probabilities"),
        (np.zeros((2, 2)), {"mask": np.ones((2, 3), dtype=bool)}, r"shape \(2, 2\) and the mask has \(2, 3\)"),
        (np.zeros((2, 2)), {"mask": np.ones((2, 2))}, "type float64"),
        (np.zeros((2, 2, 2)), {}, r"shape \(2, 2, 2\)"),
        ([[0.1], [0.2, 0.3]], {"mask": np.ones((2, 2), dtype=bool)}, "must be a matrix of numbers"),
        ([[0.5]], {"threads": 0}, "threads is 0; give a whole number from 1"),
        ([[0.5]], {"tolerance": 0.0}, "tolerance is 0.0"),
        ([[0.5]], {"method": "fast"}, "There is no method 'fast'"),
    ],
)
def test_unusable_batch_is_rejected(rows, settings, message):
    for function in (batch_top_k, batch_expected_losses):
        with pytest.raises(DataError, match=message):
            function(rows, F(), **settings)


def outcomes_of(probabilities, empty):
    """List all outcomes (2^n, n) and their probabilities."""
    n = len(probabilities)
    outcomes = (np.arange(2**n)[:, np.newaxis] >> np.arange(n)) & 1
    independent = np.where(outcomes == 1, probabilities, 1 - probabilities).prod(axis=1)
    some = independent * outcomes.any(axis=1)
    return outcomes, np.where(outcomes.any(axis=1), (1 - empty) * some / some.sum(), empty)


@EVERY_LOSS
def test_rows_with_a_probability_of_being_empty_have_no_regret(loss):
    """Against all 2^n predictions under all 2^n outcomes."""
    generator = np.random.default_rng(5)
    for n in (1, 2, 4, 6):
        rows = generator.beta(0.6, 1.5, (6, n)).clip(0.01, 0.99)
        empty = generator.random(6).round(2)
        found = batch_top_k(rows, loss, empty=empty)
        for row, share, chosen, expected in zip(rows, empty, found.selected, found.expected_loss, strict=True):
            outcomes, chances = outcomes_of(row, share)
            values = np.array(
                [
                    float(
                        chances
                        @ loss((outcomes * flags).mean(axis=1), np.full(2**n, flags.mean()), outcomes.mean(axis=1))
                    )
                    for flags in outcomes
                ]
            )
            own = values[(outcomes == chosen).all(axis=1)][0]
            assert own == pytest.approx(values.min(), abs=1e-9)
            assert expected == pytest.approx(own, abs=1e-9)


def test_the_product_of_independent_items_changes_nothing():
    rows = np.random.default_rng(6).random((20, 7))
    plain, same = batch_top_k(rows, F()), batch_top_k(rows, F(), empty=(1 - rows).prod(axis=1))
    np.testing.assert_array_equal(plain.selected, same.selected)
    np.testing.assert_allclose(plain.expected_loss, same.expected_loss, atol=1e-9)


def test_a_row_of_zeros_is_empty():
    found = batch_top_k([[0.0, 0.0], [0.0, 0.4]], F(), empty=[0.1, 0.0])
    assert found.k.tolist() == [0, 1]
    assert found.expected_loss.tolist() == pytest.approx([0.0, 0.0])


@pytest.mark.parametrize("empty", [[0.5], [0.5, 1.5], [0.5, np.nan], [-0.1, 0.5]])
def test_unusable_probabilities_of_empty_rows_are_refused(empty):
    with pytest.raises(DataError):
        batch_top_k([[0.2], [0.3]], F(), empty=empty)
