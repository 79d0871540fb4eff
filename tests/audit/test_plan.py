"""Allocations against brute force, and plans for a budget or a width."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import ndtri
from scipy.stats import gamma

from multiloss_core import DataError, RatedDocuments, count_surfaces, smooth_path
from multiloss_core.audit import ExpectedShares, expected_shares, plan_audit, score_strata
from multiloss_core.audit.expected_shares import _minus_log, _normal_quantile
from multiloss_core.audit.plan import allocate
from tests.audit.samples import population

STRATUM = st.tuples(st.integers(1, 40), st.floats(1e-4, 0.5))


def variance(sizes, shares, allocation):
    return (np.square(sizes) * shares / allocation).sum()


@given(strata=st.lists(STRATUM, min_size=1, max_size=3), data=st.data())
def test_neyman_allocation_is_near_the_best(strata, data):
    sizes, shares = (np.array(part) for part in zip(*strata, strict=True))
    budget = data.draw(st.integers(len(sizes), int(sizes.sum())))
    chosen = allocate(sizes, shares, budget)
    assert chosen.sum() == budget
    assert (chosen >= 1).all()
    assert (chosen <= sizes).all()
    options = [row for row in product(*(range(1, size + 1) for size in sizes)) if sum(row) == budget]
    best = min(variance(sizes, shares, np.array(row)) for row in options)
    # Rounding to whole ratings costs something with few of them.
    assert variance(sizes, shares, chosen) <= best * (1 + 1.5 / chosen.min())


def test_large_neyman_allocation_is_exact():
    sizes, shares = np.array([1_000, 50_000, 900_000]), np.array([0.04, 0.0025, 0.0001])
    chosen = allocate(sizes, shares, 1_000)
    wanted = sizes * np.sqrt(shares)
    assert np.abs(chosen - 1_000 * wanted / wanted.sum()).max() < 1


def test_plan_keeps_budget_and_minimum():
    plan = population(budget=300).plan
    assert plan.budget == 300
    assert (plan.allocation >= 20).all()
    assert (plan.allocation <= plan.sizes).all()
    assert plan.probabilities @ plan.sizes == pytest.approx(300)
    assert plan.width < plan.pessimistic_width + 0.2


def test_blocked_documents_get_their_share():
    plan = population(blocks=[3.0, 3.2], budget=400).plan
    assert plan.allocation[-1] == min(40, plan.sizes[-1])


def test_eight_of_ten_audits_lie_within_the_range_of_widths():
    plan = population(count=20_000, budget=400).plan
    low, high = plan.width_range
    assert 0 < low < high < 1
    generator, widths = np.random.default_rng(1), []
    for _ in range(600):
        odds = [share / (1 - share) for share in (plan.expected.shares, plan.expected.pessimistic)]
        odds = odds[1] * (odds[1] / odds[0]) ** (1.5 * generator.normal())
        shares = odds / (1 + odds)
        positives = generator.binomial(plan.allocation, shares)
        missed = gamma.rvs(
            positives + 0.5 * plan.sizes / plan.sizes.sum(), size=(400, len(shares)), random_state=generator
        )
        recall = plan.caught / (plan.caught + plan.known_missed + missed @ (plan.sizes / plan.allocation))
        widths.append(np.diff(np.quantile(recall, [0.025, 0.975]))[0])
    assert 0.7 <= np.mean((low <= np.array(widths)) & (np.array(widths) <= high)) <= 0.9


def test_plan_of_all_documents_rates_all():
    whole = population()
    plan = plan_audit(
        whole.plan.strata, whole.plan.sizes, whole.plan.expected, caught=10, budget=int(whole.plan.sizes.sum())
    )
    assert (plan.allocation == plan.sizes).all()


def test_budget_of_a_width_is_the_smallest():
    base = population(count=20_000).plan
    arguments = {"strata": base.strata, "sizes": base.sizes, "expected": base.expected, "caught": 200}
    plan = plan_audit(**arguments, width=0.2)
    assert plan.width <= 0.2
    assert plan_audit(**arguments, budget=int(0.95 * plan.budget)).width > 0.2


@pytest.mark.parametrize("exponent", [0.5, 1.2])
def test_expected_shares_follow_a_power_law(exponent):
    generator = np.random.default_rng(0)
    scores = generator.normal(size=100_000)
    ranks = np.argsort(np.argsort(-scores)) + 1.0
    odds = 0.3 * (ranks / 2_000) ** -exponent
    labels = generator.random(scores.size) < odds / (1 + odds)
    floor = np.sort(scores)[-2_000]
    strata = score_strata(scores, [floor], names=["a"], count=4)
    kept = scores >= floor
    documents = RatedDocuments(scores[kept], labels[kept], names=["a"], floors=[floor])
    expected = expected_shares(strata, strata.sizes(scores), smooth_path(count_surfaces(documents)))
    numbers = strata.assign(scores)
    truth = np.array([(odds / (1 + odds))[numbers == i].mean() for i in range(4)])
    assert np.log(expected.shares / truth) == pytest.approx(0, abs=0.8)
    assert (expected.pessimistic > expected.shares * 0.99).all()
    assert (np.diff(expected.shares) < 0).all()


def test_rank_means_equal_numerical_ones():
    low, high = np.array([0.0, 0.1, 0.6]), np.array([0.1, 0.6, 1.0])
    for ours, function in ((_minus_log, lambda r: -np.log(r)), (_normal_quantile, lambda r: -ndtri(r))):
        exact = [quad(function, a, b)[0] / (b - a) for a, b in zip(low, high, strict=True)]
        assert ours(low, high) == pytest.approx(exact, rel=1e-6)
        assert ours(np.array([0.3]), np.array([0.3])) == pytest.approx(function(0.3))


def test_expected_shares_need_the_scores_of_the_strata():
    path = smooth_path(count_surfaces(population().documents))
    with pytest.raises(DataError, match="scores of the strata"):
        expected_shares(score_strata([0.1, 0.2], [0.3], names=["b"], count=1), [2], path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"budget": 10}, "between 80 and"),
        ({"budget": 10**7}, "between"),
        ({"budget": None}, "either"),
        ({"width": 0.1}, "either"),
        ({"budget": None, "width": 1.5}, "between 0 and 1"),
        ({"caught": 0}, "caught positive"),
        ({"sizes": [1, 2]}, "one size"),
        ({"sizes": [0.5, 1, 1, 1]}, "whole numbers"),
        ({"expected": ExpectedShares(np.array([0.1]), np.array([0.1]))}, "expected share"),
    ],
)
def test_unusable_plans_are_rejected(changes, message):
    base = population().plan
    arguments = {"sizes": base.sizes, "expected": base.expected, "caught": 10, "budget": 100} | changes
    with pytest.raises(DataError, match=message):
        plan_audit(base.strata, **arguments)


def test_impossible_shares_are_rejected():
    with pytest.raises(DataError, match="between 0 and 1"):
        ExpectedShares(np.array([0.0]), np.array([0.1]))
