import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit

from multiloss_core.numerics.penalised_logistic import penalised_logistic

STEPS = {"max_steps": 200, "small_gain": 1e-9}


def problem(seed, cells=40, columns=5):
    """Make counts in cells, and a basis with a rare, weakly penalised last column."""
    generator = np.random.default_rng(seed)
    basis = generator.random((cells, columns)) * generator.choice([0.5, 4.0], columns)
    basis[:, -1] = np.arange(cells) < 3
    totals = generator.integers(1, 200, cells).astype(float)
    positives = generator.binomial(totals.astype(int), expit(basis @ generator.normal(size=columns) - 2)).astype(float)
    positives[:3] = np.round(0.7 * totals[:3])
    penalty = np.diag(np.append(10.0 ** generator.integers(-2, 3, columns - 1), 1e-3))
    return basis, np.arange(columns) < 2, positives, totals, penalty


def loss_of(basis, positives, totals, penalty):
    design = np.column_stack([np.ones(len(totals)), basis])

    def loss(at):
        logits, pull = design @ at, np.append(0.0, penalty @ at[1:])
        value = totals @ np.logaddexp(0.0, logits) - positives @ logits + at @ pull / 2
        return value, design.T @ (totals * expit(logits) - positives) + pull

    return loss


@pytest.mark.slow
@pytest.mark.parametrize("start", [-60.0, -20.0, 0.0, 20.0, 60.0])
@pytest.mark.parametrize("seed", range(5))
def test_it_comes_back_from_where_precisions_are_nearly_0_or_1(seed, start):
    basis, rising, positives, totals, penalty = problem(seed)
    loss = loss_of(basis, positives, totals, penalty)
    bounds = [(None, None), *[(0.0 if bound else None, None) for bound in rising]]
    best = minimize(
        loss, np.zeros(6), jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 20_000, "ftol": 1e-14}
    )
    found = penalised_logistic(basis, rising, positives, totals, penalty, np.r_[np.zeros(5), start], **STEPS)
    assert loss(found)[0] == pytest.approx(best.fun, abs=1e-4)
    np.testing.assert_allclose(
        expit(basis @ found[1:] + found[0])[:3], expit(basis @ best.x[1:] + best.x[0])[:3], atol=1e-3
    )


def test_without_bounds_it_is_the_penalised_logistic_regression():
    basis, _, positives, totals, penalty = problem(0)
    best = minimize(loss_of(basis, positives, totals, penalty), np.zeros(6), jac=True, method="BFGS")
    free = np.zeros(5, dtype=bool)
    found = penalised_logistic(basis, free, positives, totals, penalty, np.zeros(6), **STEPS)
    np.testing.assert_allclose(found, best.x, atol=1e-2)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.floats(-30, 30), st.floats(0, 30))
def test_no_move_that_is_allowed_lowers_the_loss(seed, intercept, spread):
    basis, rising, positives, totals, penalty = problem(seed)
    start = np.append(intercept, spread * np.random.default_rng(seed).normal(size=5))
    found = penalised_logistic(basis, rising, positives, totals, penalty, start, **STEPS)
    slope = loss_of(basis, positives, totals, penalty)(found)[1]
    at_bound = np.append(False, rising) & (found <= 1e-9)
    assert (found[1:][rising] >= 0.0).all()
    assert (slope[at_bound] > -1e-2).all()
    np.testing.assert_allclose(slope[~at_bound], 0.0, atol=1e-2)
