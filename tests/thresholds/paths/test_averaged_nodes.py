import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import ConvexHull
from scipy.special import expit

from multiloss_core import DataError, RatedDocuments, count_surfaces, operating_point, simulate_population, smooth_path
from multiloss_core.numerics import concave_majorant
from multiloss_core.thresholds.paths.smooth.cells import flagged_cells, thresholds_at
from multiloss_core.thresholds.paths.smooth.nodes import MAX_LACK, averaged_nodes, best_nodes, refits_of
from multiloss_core.thresholds.paths.smooth.path import TARGETS
from multiloss_core.thresholds.paths.smooth.resampling import resamples_of
from multiloss_core.thresholds.paths.smooth.smooth_fit import smooth_fit


def simulated(seed, classifiers=2):
    generator = np.random.default_rng(seed)
    return simulate_population(
        generator, documents=40_000, prevalence=0.004, classifiers=classifiers, rated_share=0.02
    ).rated()


def averaged(documents, rule="any", targets=TARGETS):
    fit = smooth_fit(documents)
    return fit, averaged_nodes(fit, targets, rule, refits_of(fit, resamples_of(documents, fit)))


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=3, max_size=40))
def test_concave_majorant_is_the_upper_hull(points):
    x, y = np.array(points, dtype=float).T
    corners, slopes = concave_majorant(x, y)
    assert (x[corners[0]], x[corners[-1]]) == (x.min(), x.max())
    assert (np.diff(slopes) < 0).all()
    below = np.interp(x, x[corners], y[corners]) - y
    assert (below >= -1e-9).all()
    if len(np.unique(x)) > 1 and np.linalg.matrix_rank(np.column_stack([x, y]) - [x[0], y[0]]) == 2:
        hull = {tuple(point) for point in np.column_stack([x, y])[ConvexHull(np.column_stack([x, y])).vertices]}
        assert {(x[corner], y[corner]) for corner in corners} <= hull


@pytest.mark.slow
@pytest.mark.parametrize(("classifiers", "rule"), [(1, "any"), (2, "all"), (3, "any")])
def test_nodes_rise_and_lack_little_of_the_best_gain(classifiers, rule):
    documents = simulated(classifiers, classifiers)
    fit, nodes = averaged(documents, rule)
    best = best_nodes(fit, TARGETS, rule)
    assert (np.diff(nodes, axis=0) >= 0).all()
    assert (nodes != best).any()
    ours, theirs = (flagged_cells(fit.cells, at, rule) for at in (nodes, best))
    gains, most = (fit.expected @ caught - TARGETS * (fit.totals @ caught) for caught in (ours, theirs))
    apart = ours != theirs
    squares = (1 - TARGETS) ** 2 * (fit.expected @ apart) + TARGETS**2 * ((fit.totals - fit.expected) @ apart)
    # Joining neighbouring targets may move a threshold a little further.
    assert (most - gains <= 1.5 * MAX_LACK * np.sqrt(squares) + 1e-9).mean() > 0.95


def test_operating_points_are_the_averaged_nodes():
    documents = simulated(3)
    fit, nodes = averaged(documents)
    path = smooth_path(documents)
    for target, thresholds in zip(TARGETS[::12], thresholds_at(fit.cells, nodes)[::12], strict=True):
        point = operating_point(path, float(target))
        assert (point.tp, point.fp) == tuple(documents.counts_at(thresholds, "any"))


def test_expected_positives_add_up_to_those_counted():
    path = smooth_path(simulated(4))
    assert path.smooth_tp[0] == pytest.approx(path.tp[0], rel=0.1)
    assert path.smooth_tp + path.smooth_fp == pytest.approx(path.tp + path.fp)


def test_thresholds_stay_above_a_cliff():
    generator = np.random.default_rng(5)
    scores = generator.random((6_000, 1))
    labels = (scores[:, 0] > 0.8) & (generator.random(6_000) < 0.6)
    path = smooth_path(RatedDocuments(scores, labels, floors=[0.0]))
    for target in (0.05, 0.2, 0.4):
        assert operating_point(path, target).thresholds[0] == pytest.approx(0.8, abs=0.005)


@pytest.mark.slow
def test_less_is_lost_on_new_data_than_without_averaging():
    target, lost = 0.3, []
    for seed in range(12):
        generator = np.random.default_rng(seed)
        scores = generator.normal(size=(1_500, 2))
        truth = expit(1.2 * scores.sum(axis=1) - 3)
        documents = RatedDocuments(scores, generator.random(1_500) < truth, floors=[-9.0, -9.0])
        fit, nodes = averaged(documents, targets=np.array([target]))
        best = best_nodes(fit, np.array([target]), "any")
        new = np.random.default_rng(1).normal(size=(100_000, 2))
        gains = expit(1.2 * new.sum(axis=1) - 3) - target
        lost.append([-gains[(new >= thresholds_at(fit.cells, at)).any(axis=1)].sum() for at in (nodes, best)])
    ours, theirs = np.mean(lost, axis=0)
    assert ours < theirs


def test_from_a_table_of_counts_thresholds_are_its_nodes():
    surfaces = count_surfaces(simulated(6), resolution=25)
    path = smooth_path(surfaces)
    for thresholds in path.thresholds[:-1]:
        assert all(value in axis or np.isinf(value) for value, axis in zip(thresholds, surfaces.axes, strict=True))


def noisy_pair(seed, positives):
    """Two scores of which the first is worth nothing, with few positives."""
    generator = np.random.default_rng(seed)
    labels = np.arange(40 * positives) < positives
    scores = generator.normal(size=(len(labels), 2))
    scores[labels, 1] += 2.0
    return RatedDocuments(scores, labels, floors=[-9.0, -9.0])


@pytest.mark.slow
def test_few_positives_keep_current_thresholds():
    documents = noisy_pair(0, 25)
    free = operating_point(smooth_path(documents), 0.3).thresholds
    current = [free[0], free[1] + 0.1]
    held = operating_point(smooth_path(documents, current=current), 0.3).thresholds
    np.testing.assert_array_equal(held, current)


@pytest.mark.slow
def test_many_positives_leave_poor_thresholds():
    documents = noisy_pair(1, 600)
    free = operating_point(smooth_path(documents), 0.3)
    held = operating_point(smooth_path(documents, current=[1.5, np.inf]), 0.3)
    price = 0.3 / 0.7
    assert held.tp - price * held.fp == pytest.approx(free.tp - price * free.fp, rel=0.05)


def test_current_thresholds_must_fit_the_classifiers():
    with pytest.raises(DataError, match="one threshold for each"):
        smooth_path(noisy_pair(2, 25), current=[0.5])
