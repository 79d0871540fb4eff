"""Compare the best thresholds under a constraint with exhaustive search."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import poisson

from multiloss_core import (
    CountSurfaces,
    DataError,
    RatedDocuments,
    count_surfaces,
    graph_path,
    operating_point,
    operating_points,
)
from multiloss_core.thresholds import SMOOTH, GoalPoint, PathSearch
from multiloss_core.thresholds.data.undecided_documents import UndecidedDocuments
from multiloss_core.thresholds.targets import (
    DailyCap,
    point_for_alerts,
    point_for_busy_days,
    point_for_precision,
    point_for_share,
    threshold_choices,
)
from multiloss_core.thresholds.targets.goals import LEFT_TO_THE_PATH
from tests.brute_force import RULES, is_flagged

TARGETS = np.arange(1, 1_000) / 1_000


@st.composite
def rated(draw, most_classifiers=3):
    """Few documents with few different scores, so that all thresholds can be tried."""
    count, width = draw(st.integers(6, 24)), draw(st.integers(1, most_classifiers))
    scores = draw(st.lists(st.lists(st.integers(0, 5), min_size=width, max_size=width), min_size=count, max_size=count))
    labels = draw(st.lists(st.booleans(), min_size=count, max_size=count))
    table = np.array(scores, dtype=float)
    assume(any(labels) and not all(labels) and (np.ptp(table, axis=0) > 0).all())
    weights = draw(st.lists(st.sampled_from([0.5, 1.0, 2.0, 3.25]), min_size=count, max_size=count))
    return RatedDocuments(table, labels, weights if draw(st.booleans()) else None, floors=table.min(axis=0).tolist())


def rows_flagged(documents, rule):
    """Which documents any thresholds flag, each way once, as tuples of truth values."""
    columns = [[*np.unique(column).tolist(), np.inf] for column in documents.scores.T]
    table = documents.scores.tolist()
    return {tuple(is_flagged(row, cut, rule) for row in table) for cut in product(*columns)}


def counted(documents, rule):
    """TP and alerts of every way to flag documents, counted one by one."""
    ways = []
    for way in rows_flagged(documents, rule):
        chosen = [i for i, flagged in enumerate(way) if flagged]
        tp = sum(documents.weights[i] for i in chosen if documents.labels[i])
        ways.append((tp, sum(documents.weights[i] for i in chosen), way))
    return ways


def every_grid(documents, rule):
    """A graph path and its choices over a grid that holds every score."""
    surfaces = count_surfaces(documents, rule=rule, resolution=60, spacing="quantile")
    path = graph_path(surfaces)
    return path, threshold_choices(path, documents, surfaces=surfaces)


def smooth(documents, rule):
    search = PathSearch(documents, rule)
    path = SMOOTH.find(search)
    return path, threshold_choices(path, documents, fit=search.fit)


def require_counts(documents, point):
    flagged = [is_flagged(row, point.thresholds, point.rule) for row in documents.scores.tolist()]
    assert point.tp == pytest.approx(documents.weights[flagged & documents.labels].sum())
    assert point.alerts == pytest.approx(documents.weights[flagged].sum())


@pytest.mark.slow
@given(rated(), st.sampled_from(RULES), st.integers(0, 30))
def test_of_all_nodes_the_one_that_catches_most_under_the_cap(documents, rule, most):
    path, choices = every_grid(documents, rule)
    allowed = [tp for tp, alerts, _ in counted(documents, rule) if tp > 0 and alerts <= most + 1e-9]
    if not allowed:
        with pytest.raises(DataError, match="allow more"):
            point_for_alerts(path, choices, most)
        return
    point = point_for_alerts(path, choices, most)
    require_counts(documents, point)
    assert point.alerts <= most + 1e-9
    assert point.tp == pytest.approx(max(allowed))


@pytest.mark.slow
@given(rated(), st.sampled_from(RULES), st.floats(0.05, 0.95))
def test_precision_floor_finds_node_that_catches_most(documents, rule, least):
    path, choices = every_grid(documents, rule)
    allowed = [tp for tp, alerts, _ in counted(documents, rule) if tp > 0 and tp >= least * alerts]
    if not allowed:
        with pytest.raises(DataError, match="lower it"):
            point_for_precision(path, choices, least)
        return
    point = point_for_precision(path, choices, least)
    require_counts(documents, point)
    assert point.precision >= least - 1e-9
    assert point.tp == pytest.approx(max(allowed))


@pytest.mark.slow
@given(rated(), st.sampled_from(RULES), st.floats(0.05, 1.0))
def test_share_goal_finds_node_with_fewest_alerts(documents, rule, least):
    path, choices = every_grid(documents, rule)
    positives = documents.weights[documents.labels].sum()
    allowed = [alerts for tp, alerts, _ in counted(documents, rule) if tp >= least * positives * (1 - 1e-12)]
    if not allowed:
        with pytest.raises(DataError, match="can be kept when every score must agree; keep fewer"):
            point_for_share(path, choices, least)
        return
    point = point_for_share(path, choices, least)
    require_counts(documents, point)
    assert point.share_of_rated_positives >= least - 1e-9
    assert point.alerts == pytest.approx(min(allowed))


@pytest.mark.slow
@given(st.data(), rated(), st.sampled_from(RULES), st.integers(1, 6), st.sampled_from([0.5, 0.8, 0.9]))
def test_cap_on_busy_days_finds_node_that_catches_most(data, documents, rule, most, share):
    days = 5
    day = np.array(
        data.draw(st.lists(st.integers(0, days - 1), min_size=len(documents.labels), max_size=len(documents.labels)))
    )

    levels = data.draw(st.sampled_from([None, np.linspace(0.5, 1.0, days), np.linspace(1.6, 1.0, days)]))
    of_day = np.ones(days) if levels is None else levels

    def holds(way):
        alerts = [documents.weights[(day == here) & np.array(way)].sum() / of_day[here] for here in range(days)]
        return sum(value > most + 1e-9 for value in alerts) <= max((1 - share) * (days + 1) - 1, 0) + 1e-9

    # As many as would hold if alerts fell on days by chance, as all documents do.
    unit = (documents.weights**2).sum() / documents.weights.sum()
    volume = np.bincount(day, documents.weights / of_day[day], days) / documents.weights.sum()

    def holds_by_more_than_luck(alerts):
        return poisson.sf(np.floor(most / unit + 1e-9), alerts / unit * volume).mean() <= 1 - share + 1e-9

    path, choices = every_grid(documents, rule)
    corners = [
        point.tp
        for point in operating_points(path, TARGETS)
        if point.tp > 0 and holds([is_flagged(row, point.thresholds, rule) for row in documents.scores.tolist()])
    ]
    allowed = corners + [
        tp for tp, alerts, way in counted(documents, rule) if tp > 0 and holds(way) and holds_by_more_than_luck(alerts)
    ]
    cap = DailyCap(day=day, days=days, most=most, share=share, levels=levels)
    if not allowed:
        with pytest.raises(DataError, match="allow more"):
            point_for_busy_days(path, choices, cap)
        return
    point = point_for_busy_days(path, choices, cap)
    assert holds([is_flagged(row, point.thresholds, rule) for row in documents.scores.tolist()])
    assert point.tp == pytest.approx(max(allowed))


@pytest.mark.slow
@settings(max_examples=25)
@given(rated(most_classifiers=2), st.sampled_from(RULES), st.integers(1, 30))
def test_fitted_goal_maximises_expected_catches(documents, rule, most):
    path, choices = smooth(documents, rule)
    expected = choices.expected_weights
    corners = [point for point in operating_points(path, TARGETS) if point.tp > 0 and point.alerts <= most + 1e-9]
    corner = max((point.tp for point in corners), default=0.0)
    allowed = [
        sum(value for value, flagged in zip(expected, way, strict=True) if flagged)
        for tp, alerts, way in counted(documents, rule)
        if tp > 0 and alerts <= most + 1e-9 and tp >= corner - 1e-9
    ]
    if not allowed:
        with pytest.raises(DataError, match="allow more"):
            point_for_alerts(path, choices, most)
        return
    point = point_for_alerts(path, choices, most)
    require_counts(documents, point)
    assert point.alerts <= most + 1e-9
    assert point.tp >= corner - 1e-9
    flagged = [is_flagged(row, point.thresholds, rule) for row in documents.scores.tolist()]
    assert (1 - LEFT_TO_THE_PATH) * max(allowed) * (1 - 1e-6) <= expected[flagged].sum() <= max(allowed) * (1 + 1e-6)


def population(seed=4, count=6_000, classifiers=2):
    generator = np.random.default_rng(seed)
    scores = generator.random((count, classifiers)) ** 0.5
    labels = generator.random(count) < scores.max(axis=1) ** 12
    return RatedDocuments(scores, labels)


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("classifiers", [1, 2, 4])
def test_a_cap_is_used_up_and_a_larger_one_catches_no_fewer(rule, classifiers):
    documents = population(classifiers=classifiers)
    for path, choices in (smooth(documents, rule), every_grid_of(documents, rule)):
        reachable, caught = path.reachable.alerts, 0.0
        for share in (0.02, 0.05, 0.11, 0.3, 0.7):
            most = round(share * reachable)
            point = point_for_alerts(path, choices, most)
            corner = max(other.tp for other in operating_points(path, TARGETS) if other.alerts <= most)
            assert point.alerts <= most
            assert point.tp >= max(corner, caught)
            if path.method == "smooth":
                # The last alerts need not be worth their place where the counts have a say.
                assert point.alerts >= 0.95 * most - 1
            caught = point.tp


def every_grid_of(documents, rule):
    surfaces = count_surfaces(documents, rule=rule, resolution={1: 300, 2: 100, 3: 30, 4: 16}[len(documents.names)])
    path = graph_path(surfaces)
    return path, threshold_choices(path, documents, surfaces=surfaces)


@pytest.mark.slow
@pytest.mark.parametrize("classifiers", [1, 2])
def test_a_larger_cap_flags_all_that_a_smaller_one_flags(classifiers):
    documents = population(classifiers=classifiers)
    path, choices = smooth(documents, "any")
    points = [point_for_alerts(path, choices, share * path.reachable.alerts) for share in (0.05, 0.1, 0.2, 0.4)]
    for smaller, larger in pairwise(points):
        assert (smaller.thresholds >= larger.thresholds).all()


@pytest.mark.slow
def test_thresholds_between_corners_name_both_targets():
    path, choices = smooth(population(), "any")
    corners = sorted({point.alerts for point in operating_points(path, TARGETS)})
    gap = int(np.argmax(np.diff(corners)))
    most = 0.5 * (corners[gap] + corners[gap + 1])
    point = point_for_alerts(path, choices, most)
    assert isinstance(point, GoalPoint)
    lower, higher = point.between
    assert lower < point.marginal_precision <= higher
    assert operating_point(path, higher).alerts < point.alerts < operating_point(path, lower).alerts


@pytest.mark.slow
def test_a_floor_on_precision_holds_for_what_the_fit_expects_too():
    documents = population()
    path, choices = smooth(documents, "any")
    for least in (0.3, 0.5, 0.7):
        point = point_for_precision(path, choices, least)
        assert point.precision >= least
        if isinstance(point, GoalPoint):
            flagged = point.flags(documents.scores)
            assert choices.expected_weights[flagged].sum() >= least * point.alerts * (1 - 1e-9)


def test_choices_of_counts_are_nodes_without_days():
    documents = population(count=2_000)
    counted_at = count_surfaces(documents, resolution=12)
    surfaces = CountSurfaces(counted_at.axes, counted_at.tp, counted_at.fp, "any", documents.names)
    search = PathSearch(surfaces)
    path = SMOOTH.find(search)
    choices = threshold_choices(path, surfaces, fit=search.fit)
    most = 0.2 * path.reachable.alerts
    point = point_for_alerts(path, choices, most)
    assert point.alerts <= most
    assert all(value in axis for value, axis in zip(point.thresholds, surfaces.axes, strict=True))
    with pytest.raises(DataError, match="no days"):
        point_for_busy_days(path, choices, DailyCap(day=np.zeros(0, dtype=int), days=1, most=1.0))


@pytest.mark.parametrize("wrong", [{"share": 0.0}, {"share": 1.2}, {"days": 2}])
def test_a_cap_of_days_that_cannot_be_is_refused(wrong):
    with pytest.raises(DataError):
        DailyCap(**({"day": np.array([0, 2]), "days": 3, "most": 1.0} | wrong))


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
def test_undecided_alerts_count_against_the_cap(rule):
    generator = np.random.default_rng(8)
    decided = population(count=2_000)
    waiting = UndecidedDocuments(
        scores=generator.random((500, 2)) ** 0.5, weights=np.full(500, 2.0), rows=2_000 + np.arange(500)
    )
    documents = RatedDocuments(decided.scores, decided.labels, undecided=waiting)
    path, choices = smooth(documents, rule)
    most = round(0.3 * path.reachable.alerts)

    def flagged(point):
        rows = [*documents.scores.tolist(), *waiting.scores.tolist()]
        return np.array([is_flagged(row, point.thresholds, rule) for row in rows])

    weights = np.concatenate([documents.weights, waiting.weights])
    point = point_for_alerts(path, choices, most)
    assert point.alerts < 0.97 * most
    assert 0.99 * most < weights[flagged(point)].sum() <= most
    # A day for each fiftieth of both.
    day = np.concatenate([np.arange(2_000) % 50, np.arange(500) % 50])
    point = point_for_busy_days(path, choices, DailyCap(day=day, days=50, most=most / 50))
    assert (np.bincount(day, weights * flagged(point), 50) > most / 50).sum() <= 5
    with pytest.raises(DataError, match="there are 2,500"):
        point_for_busy_days(path, choices, DailyCap(day=day[:2_000], days=50, most=most / 50))
