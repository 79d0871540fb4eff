import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from multiloss_core import (
    CountSurfaces,
    DataError,
    RatedDocuments,
    ThresholdPath,
    count_surfaces,
    graph_path,
    operating_point,
    smooth_path,
)
from multiloss_core.thresholds import Payoffs
from multiloss_core.thresholds.targets import (
    manual_point,
    point_for_alerts,
    point_for_precision,
    point_for_share,
    target_for_price,
    threshold_choices,
)
from multiloss_core.thresholds.targets.goals import ManualPoint


@st.composite
def paths(draw):
    """Paths of whole documents, the strictest vertex above all of them."""
    steps = draw(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=12))
    tp, fp = (np.concatenate([np.cumsum([step[i] for step in steps])[::-1], [0.0]]) for i in range(2))
    assume(tp[0] > 0)
    return ThresholdPath(np.arange(float(len(tp)))[:, np.newaxis], tp, fp, method="by hand", rule="any", names=("a",))


def test_an_alert_just_pays_at_the_target_of_its_costs():
    assert Payoffs(review=5, catch=25).marginal_precision == pytest.approx(0.2)
    review, catch = 3.0, 40.0
    assert Payoffs(review=review, catch=catch).marginal_precision * catch == pytest.approx(review)


payoffs = st.builds(
    lambda review, gain, annoyance: Payoffs(review=review, catch=review + gain, annoyance=annoyance),
    st.integers(1, 60).map(float),
    st.integers(1, 60).map(float),
    st.integers(0, 60).map(float),
)


@given(paths(), payoffs)
def test_costs_lead_to_vertex_that_brings_most_of_all_vertices(path, payoffs):
    point = operating_point(path, payoffs.marginal_precision)
    every = [
        tp * (payoffs.catch - payoffs.review) - fp * (payoffs.review + payoffs.annoyance)
        for tp, fp in zip(path.tp, path.fp, strict=True)
    ]
    found = payoffs.total(point.tp, point.fp)
    assert found == pytest.approx(max(every), abs=1e-9)
    assert found in [pytest.approx(every[corner]) for corner in path.majorant.vertices]


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["any", "all"])
def test_costs_on_smooth_path_maximise_expected_profit(rule):
    generator = np.random.default_rng(9)
    scores = generator.random((4_000, 2))
    path = smooth_path(RatedDocuments(scores, generator.random(4_000) < scores.max(axis=1) ** 4), rule=rule)
    for review, catch, annoyance in [(1, 4, 0), (1, 20, 2), (5, 6, 1), (0, 3, 1), (2, 100, 40)]:
        point = operating_point(path, Payoffs(review=review, catch=catch, annoyance=annoyance).marginal_precision)
        expected = path.smooth_tp * (catch - review) - path.smooth_fp * (review + annoyance)
        there = np.flatnonzero((path.thresholds == point.thresholds).all(axis=1))
        assert expected[there].max() == pytest.approx(expected.max())


def vertices_of(path):
    """The vertices of a path of whole documents to choose from, whatever the data."""
    source = CountSurfaces((path.thresholds[:, 0],), path.tp, path.fp, path.rule, path.names)
    return threshold_choices(path, source)


@pytest.mark.parametrize(
    "goal",
    [
        lambda path: target_for_price(0),
        lambda path: target_for_price(float("nan")),
        lambda path: Payoffs(review=5, catch=5).marginal_precision,
        lambda path: Payoffs(review=-1, catch=5).marginal_precision,
        lambda path: Payoffs(review=5, catch=float("inf")).marginal_precision,
        lambda path: Payoffs(review=float("nan"), catch=5).marginal_precision,
        lambda path: Payoffs(review=0, catch=5).marginal_precision,
        lambda path: Payoffs(review=1, catch=5, annoyance=-1).marginal_precision,
        lambda path: Payoffs(review=1, catch=5, annoyance=float("inf")).marginal_precision,
        lambda path: point_for_precision(path, vertices_of(path), 0),
        lambda path: point_for_precision(path, vertices_of(path), 1),
        lambda path: point_for_share(path, vertices_of(path), 0),
        lambda path: point_for_share(path, vertices_of(path), 1.01),
        lambda path: point_for_alerts(path, vertices_of(path), 0.5),
        lambda path: point_for_alerts(path, vertices_of(path), float("nan")),
    ],
)
def test_impossible_goal_value_is_refused(goal):
    path = ThresholdPath(
        np.array([[0.0], [1.0]]), np.array([5.0, 0.0]), np.array([5.0, 0.0]), method="x", rule="any", names=("a",)
    )
    with pytest.raises(DataError):
        goal(path)


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["any", "all"])
def test_thresholds_set_by_hand_have_counts_of_count_by_hand(rule):
    generator = np.random.default_rng(6)
    scores = generator.random((3_000, 2)).round(2)
    documents = RatedDocuments(scores, generator.random(3_000) < scores.mean(axis=1) ** 3)
    path = smooth_path(documents, rule=rule)
    surfaces = count_surfaces(documents, rule=rule, resolution=100, spacing="uniform")
    for tried in [*generator.random((20, 2)).round(2).tolist(), [0.5, np.inf], [np.inf, np.inf]]:
        thresholds = np.maximum(tried, documents.floors)
        reached = scores >= thresholds
        flagged = reached.any(axis=1) if rule == "any" else reached.all(axis=1)
        point = manual_point(documents, path, thresholds)
        assert (point.tp, point.fp) == ((flagged & documents.labels).sum(), (flagged & ~documents.labels).sum())
        assert isinstance(point, ManualPoint)
        on_table = manual_point(surfaces, graph_path(surfaces), thresholds)
        assert on_table.alerts <= point.alerts
        # The path pays that much where it flags as many.
        if 0 < point.alerts < path.tp[0] + path.fp[0]:
            m = point.marginal_precision
            looser, stricter = (
                operating_point(path, max(m - 1e-6, 1e-9)),
                operating_point(path, min(m + 1e-6, 1 - 1e-9)),
            )
            assert stricter.alerts <= point.alerts <= looser.alerts


@pytest.mark.slow
@pytest.mark.parametrize("thresholds", [[0.1, 0.5], [float("nan"), 0.9], [1e300, 0.9], [float("-inf"), 0.9], [0.9]])
def test_thresholds_below_a_floor_or_no_numbers_are_refused(thresholds):
    generator = np.random.default_rng(1)
    documents = RatedDocuments(0.4 + 0.6 * generator.random((200, 2)), generator.random(200) < 0.3, floors=[0.4, 0.4])
    with pytest.raises(DataError, match="threshold"):
        manual_point(documents, smooth_path(documents), np.array(thresholds))
