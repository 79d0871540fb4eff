"""Payoffs with amounts, along whole paths, against enumeration and pandas."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from multiloss_core import (
    DataError,
    OperatingPoint,
    RatedDocuments,
    count_surfaces,
    graph_path,
    operating_point,
    smooth_path,
)
from multiloss_core.thresholds import Payoffs, cases_along, money_weighted, profit_curve
from multiloss_core.thresholds.targets import point_of_vertex
from tests.thresholds.targets.test_points import paths


def some_documents(seed, n=150, k=2):
    generator = np.random.default_rng(seed)
    scores = generator.integers(1, 30, (n, k)) / 10
    labels = generator.random(n) < scores.max(axis=1) / 4
    weights = generator.choice([1.0, 2.0, 0.5], n)
    amounts = (generator.lognormal(3, 1, n) * (generator.random(n) < 0.9)).round(2)
    documents = RatedDocuments(scores, labels, weights, [f"s{j}" for j in range(k)], [0.0] * k)
    frame = pd.DataFrame(scores, columns=documents.names).assign(fraud=labels, weight=weights, amount=amounts)
    return documents, amounts, frame


def by_pandas(frame, thresholds, rule, payoffs):
    """The payoff of one row of thresholds, case by case."""
    above = frame.iloc[:, : len(thresholds)] >= thresholds
    flagged = frame[above.any(axis=1) if rule == "any" else above.all(axis=1)]
    worth = np.where(flagged.fraud, payoffs.catch + payoffs.recovered * flagged.amount, -payoffs.annoyance)
    return float(((worth - payoffs.review) * flagged.weight).sum())


COSTS = [
    Payoffs(review=6.0, recovered=1.0),
    Payoffs(review=2.0, recovered=0.4, annoyance=3.0),
    Payoffs(review=1.0, catch=12.0, recovered=0.25, annoyance=1.0),
    Payoffs(review=3.0, catch=9.0),
]


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["any", "all"])
@pytest.mark.parametrize("payoffs", COSTS)
@pytest.mark.parametrize("seed", range(3))
def test_profit_of_vertices_equals_sum_over_cases(seed, payoffs, rule):
    documents, amounts, frame = some_documents(seed)
    for path in (smooth_path(documents, rule=rule), graph_path(count_surfaces(documents, resolution=12, rule=rule))):
        curve = profit_curve(cases_along(path, documents, amounts), payoffs)
        brought = [by_pandas(frame, row, rule, payoffs) for row in path.thresholds]
        np.testing.assert_allclose(curve.totals, brought, atol=1e-9)
        assert brought[curve.best] == pytest.approx(max(brought))
        np.testing.assert_allclose(curve.alerts, path.tp + path.fp)
        low, high = curve.nearly_best
        assert low <= curve.alerts[curve.best] <= high
        inside = (curve.alerts >= low) & (curve.alerts <= high)
        assert (curve.totals[inside] >= 0.99 * max(brought) - 1e-9).all()


@pytest.mark.slow
@pytest.mark.parametrize("payoffs", COSTS)
def test_a_path_of_money_brings_the_same_at_the_same_thresholds(payoffs):
    documents, amounts, frame = some_documents(7)
    path = smooth_path(money_weighted(documents, amounts))
    curve = profit_curve(cases_along(path, documents, amounts), payoffs)
    np.testing.assert_allclose(
        curve.totals, [by_pandas(frame, row, "any", payoffs) for row in path.thresholds], atol=1e-9
    )


@given(paths(), st.integers(1, 20), st.integers(1, 20), st.integers(0, 5))
def test_best_vertex_with_fixed_values_is_point_of_target(path, review, gain, annoyance):
    payoffs = Payoffs(review=review, catch=review + gain, annoyance=annoyance)
    curve = profit_curve(cases_along(path, None, None), payoffs)
    point = operating_point(path, payoffs.marginal_precision)
    assert curve.totals[curve.best] == pytest.approx(payoffs.total(point.tp, point.fp))


@settings(max_examples=10)
@given(paths())
def test_point_of_vertex_has_its_counts_and_slider_target(path):
    for vertex in range(len(path.tp)):
        point = point_of_vertex(path, vertex)
        assert (point.tp, point.fp) == (path.tp[vertex], path.fp[vertex])
        if isinstance(point, OperatingPoint):
            again = operating_point(path, point.marginal_precision)
            assert (again.tp, again.fp) == (point.tp, point.fp)
    with pytest.raises(DataError, match="vertices"):
        point_of_vertex(path, len(path.tp))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Payoffs(review=5, recovered=1.2), "at most 100 %"),
        (lambda: Payoffs(review=5, recovered=float("nan")), "share of the amount recovered must be a number"),
        (lambda: Payoffs(review=5, recovered=0.5).at_amount(10.0), "no alert is worth its review"),
        (lambda: Payoffs(review=5, recovered=0.5).marginal_precision, "mean amount"),
        (lambda: Payoffs(review=5), "no alert is worth its review"),
    ],
)
def test_costs_that_make_no_sense_are_refused(make, words):
    with pytest.raises(DataError, match=words):
        make()
