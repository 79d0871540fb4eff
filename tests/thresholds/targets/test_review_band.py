"""Test two cuts against all pairs of vertices, counted case by case."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiloss_core import DataError, RatedDocuments, benchmark_path, count_surfaces, operating_point, smooth_path
from multiloss_core.thresholds import Payoffs, cases_along
from multiloss_core.thresholds.targets import (
    BandCosts,
    DailyCap,
    ReviewBand,
    band_at,
    band_for_payoffs,
    band_for_precision,
    manual_point,
    point_of_vertex,
    review_for_busy_days,
)
from tests.thresholds.targets.test_points import paths
from tests.thresholds.targets.test_profit_curve import some_documents


def brought(path, cases, lower, upper, costs):
    """Sum the values of both parts of a pair."""
    amount = np.zeros(len(path.tp)) if cases.amount is None else cases.amount
    payoffs = costs.payoffs
    tp, fp, money = (values[upper] for values in (cases.counts.tp, cases.counts.fp, amount))
    blocked = tp * payoffs.catch + payoffs.recovered * money - costs.false_block * fp
    tp, fp, money = (values[lower] - values[upper] for values in (cases.counts.tp, cases.counts.fp, amount))
    reviewed = tp * payoffs.catch + payoffs.recovered * money - payoffs.review * (tp + fp) - payoffs.annoyance * fp
    return blocked + reviewed


def of_band(band, path, cases, costs):
    lower, upper = (
        int(np.flatnonzero((path.tp == point.tp) & (path.fp == point.fp))[0]) for point in (band.review, band.block)
    )
    return brought(path, cases, lower, upper, costs)


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["any", "all"])
@pytest.mark.parametrize("seed", range(4))
def test_the_best_upper_cut_with_amounts(seed, rule):
    documents, amounts, _ = some_documents(seed)
    path = smooth_path(documents, rule=rule)
    cases = cases_along(path, documents, amounts)
    costs = BandCosts(payoffs=Payoffs(review=4.0, recovered=0.8, annoyance=1.0), false_block=25.0)
    lower = len(path.tp) // 3
    point = point_of_vertex(path, lower)
    band = band_for_payoffs(path, cases, costs, point)
    assert band.review is point
    best = max(brought(path, cases, lower, upper, costs) for upper in range(lower, len(path.tp)))
    assert of_band(band, path, cases, costs) == pytest.approx(best)


@given(paths(), st.sampled_from([0.2, 0.5, 0.75, 0.9]), st.data())
def test_as_much_is_blocked_as_a_precision_allows(path, least, data):
    lower = data.draw(st.integers(0, len(path.tp) - 1))
    above = list(zip(path.tp, path.fp, strict=True))[lower:]
    allowed = [(tp, fp) for tp, fp in above if 0 < tp >= least * (tp + fp)]
    point = point_of_vertex(path, lower)
    if not allowed:
        with pytest.raises(DataError, match=f"precision of {100 * least:g} %; lower it"):
            band_for_precision(path, point, least)
        return
    band = band_for_precision(path, point, least)
    assert (band.block.tp, band.block.fp) == max(allowed)
    assert band.reviewed.tp == point.tp - band.block.tp


def test_band_of_two_targets_splits_documents():
    documents, _, frame = some_documents(2)
    path = smooth_path(documents)
    band = band_at(path, operating_point(path, 0.3), 0.7)
    lower, upper = (
        (frame[list(documents.names)] >= point.thresholds).any(axis=1) for point in (band.review, band.block)
    )
    expected = np.select([upper, lower], ["block", "review"], "pass")
    reviewed = frame[expected == "review"]
    assert band.reviewed.tp == pytest.approx(reviewed.weight[reviewed.fraud].sum())
    assert band.reviewed.fp == pytest.approx(reviewed.weight[~reviewed.fraud].sum())
    with pytest.raises(DataError, match="upper cut lies below the lower one"):
        band_at(path, operating_point(path, 0.7), 0.3)


@pytest.mark.parametrize("most", [3.0, 6.0, 12.0])
def test_review_capacity_holds_on_the_required_days(most):
    documents, _, _ = some_documents(4, n=300)
    documents = RatedDocuments(documents.scores, documents.labels, None, list(documents.names), [0.0, 0.0])
    path = smooth_path(documents)
    day = np.arange(300) % 30
    cap = DailyCap(day=day, days=30, most=most)
    block = operating_point(path, 0.6)
    band = review_for_busy_days(path, block, documents, cap)

    def busy(lower):
        between = (documents.scores >= lower).any(axis=1) & ~(documents.scores >= block.thresholds).any(axis=1)
        return int((np.bincount(day[between], minlength=30) > most).sum())

    assert busy(band.review.thresholds) <= cap.busy_allowed
    looser = path.thresholds[path.tp + path.fp > band.review.alerts]
    assert all(busy(row) > cap.busy_allowed for row in looser)


def test_cuts_that_do_not_fit_are_refused():
    documents, _, _ = some_documents(6)
    path, never = smooth_path(documents), [np.inf, 0.1]
    falling = benchmark_path(count_surfaces(documents, resolution=20))
    lower = operating_point(falling, 0.3)
    with pytest.raises(DataError, match="holds no two cuts; choose another"):
        band_at(falling, lower, 0.7)
    by_hand = manual_point(documents, path, never)
    with pytest.raises(DataError, match="upper cut lies below"):
        band_at(path, by_hand, 0.6)
    other = operating_point(smooth_path(documents, rule="all"), 0.5)
    with pytest.raises(DataError, match="same scores under the same rule"):
        ReviewBand(review=operating_point(path, 0.5), block=other)
    with pytest.raises(DataError, match="must be above 0"):
        BandCosts(payoffs=Payoffs(review=1.0, catch=2.0), false_block=0.0)
    with pytest.raises(DataError, match="between 0 % and 100 %"):
        band_for_precision(path, by_hand, 1.0)


def test_actions_are_those_of_both_cuts():
    generator = np.random.default_rng(3)
    scores = generator.random((400, 1))
    path = smooth_path(RatedDocuments(scores, generator.random(400) < scores[:, 0] ** 2))
    band = band_at(path, operating_point(path, 0.3), 0.7)
    review, block = band.review.thresholds[0], band.block.thresholds[0]
    assert review < block
    expected = ["block" if score >= block else "review" if score >= review else "pass" for score in scores[:, 0]]
    assert band.actions(scores).tolist() == expected
