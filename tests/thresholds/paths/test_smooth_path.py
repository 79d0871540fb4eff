import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from multiloss_core import (
    CountSurfaces,
    RatedDocuments,
    count_surfaces,
    flagged,
    operating_point,
    simulate_population,
    smooth_path,
)
from multiloss_core.thresholds import SmoothFit
from multiloss_core.thresholds.paths.smooth.cells import ScoreCells, score_cells
from multiloss_core.thresholds.paths.smooth.nodes import best_nodes
from multiloss_core.thresholds.paths.smooth.precision_model import PrecisionModel, precision_design
from multiloss_core.thresholds.paths.smooth.smooth_fit import smooth_fit

RULES = ("any", "all")


def simulated(seed=0, classifiers=2, documents=60_000):
    generator = np.random.default_rng(seed)
    return simulate_population(
        generator, documents=documents, prevalence=0.004, classifiers=classifiers, rated_share=0.02
    ).rated()


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("classifiers", [1, 2, 3, 4])
def test_path_runs_from_floors_to_never_with_exact_counts(classifiers, rule):
    documents = simulated(classifiers, classifiers)
    path = smooth_path(documents, rule=rule)
    assert path.method == "smooth"
    np.testing.assert_array_equal(path.thresholds[0], documents.floors)
    assert np.isinf(path.thresholds[-1]).all()
    assert (path.thresholds[1:] >= path.thresholds[:-1]).all()
    for thresholds, tp, fp in zip(path.thresholds, path.tp, path.fp, strict=True):
        caught = flagged(documents.scores, thresholds, rule)
        assert (tp, fp) == ((caught & documents.labels).sum(), (caught & ~documents.labels).sum())


def fit_of(precision, totals, shape):
    """Make a fit with a given precision in every cell of a grid with nodes at 0, 1, 2, …."""
    cells = np.array(list(itertools.product(*(range(n + 1) for n in shape))))
    axes = tuple(np.arange(n, dtype=float) for n in shape)
    score_cells = ScoreCells(axes, cells, np.empty(0, dtype=np.intp))
    totals = totals(cells) * (cells < shape).all(axis=1)
    known, nothing = precision(cells), np.empty(0)
    model = PrecisionModel(
        precision=known,
        beyond=np.ones(len(shape)),
        design=precision_design(score_cells, totals * known, totals),
        penalty=nothing,
        shape=nothing,
        coefficients=nothing,
    )
    return SmoothFit(score_cells, model, totals * known, totals, 1.0)


def expected_benefit(fit, nodes, target, rule):
    reached = fit.cells.cells > nodes
    caught = reached.any(axis=1) if rule == "any" else reached.all(axis=1)
    return (fit.totals * (fit.model.precision - target))[caught].sum()


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    shape=st.sampled_from([(9,), (7, 8), (4, 5, 4)]),
    rule=st.sampled_from(RULES),
)
def test_the_thresholds_at_each_target_are_the_best_of_all(seed, shape, rule):
    generator = np.random.default_rng(seed)
    slopes = generator.uniform(0.2, 1.2, len(shape))
    fit = fit_of(
        lambda cells: expit(cells @ slopes - 4),
        lambda cells: generator.uniform(0.5, 1.5, len(cells)) * np.exp(-0.5 * cells.sum(axis=1)),
        shape,
    )
    targets = np.array([0.05, 0.2, 0.5, 0.8])
    found = best_nodes(fit, targets, rule)
    assert (np.diff(found, axis=0) >= 0).all()
    for target, nodes in zip(targets, found, strict=True):
        best = max(
            expected_benefit(fit, np.array(other), target, rule) for other in itertools.product(*map(range, shape))
        )
        assert expected_benefit(fit, nodes, target, rule) == pytest.approx(best, rel=0.1 if len(shape) == 3 else 1e-9)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    shape=st.sampled_from([(9,), (6, 6), (4, 4, 4), (3, 3, 3, 3)]),
    rule=st.sampled_from(RULES),
)
@pytest.mark.slow
def test_chain_is_nearly_the_best_where_thresholds_would_fall(seed, shape, rule):
    generator = np.random.default_rng(seed)
    fit = fit_of(
        lambda cells: expit(cells.max(axis=1) - 3 + generator.normal(0, 1.5, len(cells))),
        lambda cells: generator.uniform(0.5, 1.5, len(cells)) * np.exp(-0.5 * cells.sum(axis=1)),
        shape,
    )
    targets = np.array([0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99])
    found = best_nodes(fit, targets, rule)
    assert (np.diff(found, axis=0) >= 0).all()
    every = np.array(list(itertools.product(*(range(n + 1) for n in shape))))
    gains = np.array([[expected_benefit(fit, nodes, target, rule) for nodes in every] for target in targets])
    follows = (every[:, np.newaxis] <= every).all(axis=2)
    best = gains[0]
    for gain in gains[1:]:
        best = gain + np.where(follows, best[:, np.newaxis], -np.inf).max(axis=0)
    reached = sum(expected_benefit(fit, nodes, target, rule) for nodes, target in zip(found, targets, strict=True))
    assert reached >= 0.95 * best.max()


@pytest.mark.slow
def test_the_fitted_precision_is_that_of_the_population():
    generator = np.random.default_rng(2)
    scores = generator.exponential(size=(40_000, 2))
    truth = expit(1.5 * scores[:, 0] + 0.8 * scores[:, 1] - 4)
    documents = RatedDocuments(scores, generator.random(len(scores)) < truth, floors=[0.0, 0.0])
    fit = smooth_fit(documents)
    fitted = fit.model.precision[fit.cells.slots]
    assert np.sqrt(np.mean((fitted - truth) ** 2)) < 0.02
    assert fit.totals @ fit.model.precision == pytest.approx(documents.labels.sum(), rel=0.01)


@pytest.mark.parametrize("seed", [3, 23])
@pytest.mark.slow
def test_expected_positives_equal_observed_at_high_scores(seed):
    # A few dozen documents in ten thousand; with the second seed they lead a careless fit astray.
    generator = np.random.default_rng(seed)
    documents = simulate_population(generator, documents=1_000_000, prevalence=0.001, rated_share=0.005).rated()
    fit = smooth_fit(documents)
    together = (documents.scores >= documents.floors).all(axis=1)
    expected = (fit.totals * fit.model.precision)[(fit.cells.cells > 0).all(axis=1)].sum()
    assert expected == pytest.approx(documents.labels[together].sum(), abs=1.0)
    assert (fit.totals * fit.model.precision).sum() == pytest.approx(documents.labels.sum(), abs=1.0)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_expected_precision_falls_where_data_fall(seed):
    generator = np.random.default_rng(seed)
    scores = generator.exponential(size=(40_000, 2))
    truth = expit(3 - 1.5 * abs(scores - 3).min(axis=1))
    fit = smooth_fit(RatedDocuments(scores, generator.random(len(scores)) < truth, floors=[0.0, 0.0]))
    expected, modelled = (precision[fit.cells.slots] for precision in (fit.precision, fit.model.precision))
    middle, top = (
        (scores[:, 0] > low) & (scores[:, 0] < high) & (scores[:, 1] < 1) for low, high in ((2.5, 3.5), (6.0, 9.0))
    )
    for here in (middle, top):
        assert expected[here].mean() == pytest.approx(truth[here].mean(), abs=0.08)
    assert modelled[top].mean() < modelled[middle].mean() / 2


def test_the_precision_may_jump_where_it_does_and_nowhere_else():
    generator = np.random.default_rng(0)
    scores = generator.random((4_000, 1))
    labels = np.where(scores[:, 0] > 0.9, generator.random(4_000) < 0.95, generator.random(4_000) < 0.01)
    fit = smooth_fit(RatedDocuments(scores, labels, floors=[0.0]))
    added = fit.model.design.columns.shape[1] - fit.model.design.fine.shape[1]
    assert added >= 1
    fitted = fit.model.precision[fit.cells.slots]
    for low, high, truth in ((0.5, 0.88, 0.01), (0.9, 0.92, 0.95), (0.95, 1.0, 0.95)):
        here = (scores[:, 0] > low) & (scores[:, 0] < high)
        assert fitted[here].mean() == pytest.approx(truth, abs=0.06)
    np.testing.assert_allclose(
        operating_point(smooth_path(RatedDocuments(scores, labels, floors=[0.0])), 0.5).thresholds, 0.9, atol=2e-3
    )


def test_equal_weights_count_one_by_one_away_from_others():
    generator = np.random.default_rng(2)
    scores = generator.random((500, 1))
    labels = generator.random(500) < scores[:, 0] ** 2
    weights = np.where(scores[:, 0] < 0.5, 20.0, 1.0)
    fit = smooth_fit(RatedDocuments(scores, labels, weights=weights))
    # An eighth of the documents, some of each weight, counts alike.
    high = np.unique(fit.cells.slots[scores[:, 0] > 0.65])
    documents = np.bincount(fit.cells.slots, minlength=len(fit.totals))
    np.testing.assert_allclose((fit.totals * fit.scale)[high], documents[high])
    positives = np.bincount(fit.cells.slots, labels, len(fit.totals))
    np.testing.assert_allclose((fit.positives * fit.scale)[high], positives[high])


@pytest.mark.parametrize("value", [2.0, 4.0])
def test_value_of_each_fraud_is_expected_in_all(value):
    """A heavy positive that is alone in its cell must not cancel its own weight."""
    generator = np.random.default_rng(3)
    scores = generator.random((4000, 1))
    labels = generator.random(4000) < scores[:, 0] ** 3 / 4
    fit = smooth_fit(RatedDocuments(scores, labels, weights=np.where(labels, value, 1.0)))
    assert float(fit.totals @ fit.model.precision) == pytest.approx(value * labels.sum(), rel=0.03)


def test_one_huge_amount_does_not_decide():
    generator = np.random.default_rng(4)
    scores = generator.random((4000, 1))
    labels = generator.random(4000) < scores[:, 0] ** 3 / 4
    weights = np.where(labels, 5.0, 1.0)
    lowest = np.flatnonzero(labels)[scores[labels, 0].argmin()]
    points = []
    for amount in (1e3, 1e9):
        weights[lowest] = amount
        points.append(operating_point(smooth_path(RatedDocuments(scores, labels, weights=weights)), 0.5))
    np.testing.assert_array_equal(points[0].thresholds, points[1].thresholds)
    assert points[0].thresholds[0] > 0.5


def test_nodes_stand_half_way_down_to_the_next_document():
    scores = np.array([[0.0], [1.0], [1.0], [4.0], [8.0]])
    cells = score_cells(scores, np.array([False, False, True, False, True]), np.array([0.0]), 10)
    np.testing.assert_array_equal(cells.axes[0], [0.0, 0.5, 2.5, 6.0, np.nextafter(8.0, np.inf)])
    np.testing.assert_array_equal(cells.cells[cells.slots, 0], [1, 2, 2, 3, 4])


def test_node_is_close_below_last_positive():
    positives, negatives = 9.0 + 0.1 * np.arange(8), np.linspace(0.0, 3.0, 40)
    scores = np.concatenate([negatives, positives])[:, np.newaxis]
    cells = score_cells(scores, np.arange(48) >= 40, np.array([0.0]), 100)
    (gap,) = cells.axes[0][(cells.axes[0] > 3.0) & (cells.axes[0] <= 9.0)]
    assert gap == pytest.approx(9.0 - 2 * 0.1)


@pytest.mark.slow
def test_a_rising_transformation_of_the_scores_changes_nothing():
    documents = simulated(3)
    plain = smooth_path(documents)
    bent = smooth_path(
        RatedDocuments(np.exp(7 * documents.scores), documents.labels, floors=np.exp(7 * documents.floors).tolist())
    )
    np.testing.assert_array_equal(bent.tp, plain.tp)
    np.testing.assert_array_equal(bent.fp, plain.fp)
    # Half-way between two documents is elsewhere, but it is between the same two.
    for one, other in zip(plain.thresholds, bent.thresholds, strict=True):
        np.testing.assert_array_equal(documents.scores >= one, np.exp(7 * documents.scores) >= other)


@pytest.mark.slow
def test_equal_weights_change_counts_only():
    documents = simulated(5)
    heavy = RatedDocuments(
        documents.scores, documents.labels, np.full(len(documents.labels), 3.0), floors=documents.floors.tolist()
    )
    plain, weighted = smooth_path(documents), smooth_path(heavy)
    np.testing.assert_array_equal(weighted.thresholds, plain.thresholds)
    np.testing.assert_allclose(weighted.tp, 3 * plain.tp)


@pytest.mark.slow
def test_a_classifier_of_noise_is_never_listened_to():
    generator = np.random.default_rng(6)
    good = generator.normal(size=6_000)
    noise = generator.standard_t(2, size=6_000)
    labels = generator.random(6_000) < expit(3 * good - 4)
    documents = RatedDocuments(np.column_stack([good, noise]), labels, floors=[-10.0, 1.0])
    point = operating_point(smooth_path(documents), 0.6)
    assert np.isinf(point.thresholds[1])
    assert np.isfinite(point.thresholds[0])
    assert point.status == "inside"
    assert point.estimated


def test_the_point_moves_one_way_and_ends_in_the_two_extremes():
    path = smooth_path(simulated(7))
    points = [operating_point(path, target) for target in np.linspace(0.001, 0.999, 200)]
    alerts = [point.alerts for point in points]
    assert alerts == sorted(alerts, reverse=True)
    assert points[0].status == "at_floor"
    assert points[-1].status == "unreachable"
    assert alerts[-1] == 0


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.slow
def test_from_a_table_of_counts_the_thresholds_are_its_nodes(rule):
    documents = simulated(8)
    surfaces = count_surfaces(documents, rule=rule, resolution=25)
    path = smooth_path(surfaces)
    assert path.rule == rule
    for thresholds, tp, fp in zip(path.thresholds, path.tp, path.fp, strict=True):
        index = tuple(
            min(int(np.searchsorted(axis, value)), len(axis) - 1)
            for axis, value in zip(surfaces.axes, thresholds, strict=True)
        )
        assert (tp, fp) == (surfaces.tp[index], surfaces.fp[index])
    whole = operating_point(smooth_path(documents, rule=rule), 0.2)
    coarse = operating_point(path, 0.2)
    assert coarse.tp - 0.25 * coarse.fp == pytest.approx(whole.tp - 0.25 * whole.fp, abs=0.1 * documents.labels.sum())


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    ("scores", "labels"),
    [
        ([[0.1], [0.9]], [0, 1]),
        ([[0.1], [0.9]], [1, 0]),
        ([[0.0, 1.0], [1.0, 0.0]], [0, 1]),
        ([[0.0, 1.0], [1.0, 0.0], [0.5, 0.5], [1.0, 1.0]], [0, 1, 0, 1]),
        ([[0.0], [1.0], [1.0], [1.0], [0.0]], [0, 1, 0, 1, 0]),
    ],
)
def test_a_handful_of_documents_gives_a_path(scores, labels, rule):
    path = smooth_path(RatedDocuments(np.array(scores), np.array(labels), floors=[0.0] * len(scores[0])), rule=rule)
    assert path.tp[0] <= sum(labels)
    for target in (0.01, 0.5, 0.99):
        assert operating_point(path, target).status in ("inside", "at_floor", "unreachable")


def test_table_of_zeros_gives_a_path():
    axes = (np.array([0.0, 1.0]), np.array([0.0, 1.0]))
    tp, fp = np.array([[3.0, 0.0], [0.0, 0.0]]), np.array([[5.0, 0.0], [0.0, 0.0]])
    path = smooth_path(CountSurfaces(axes, tp, fp, "all", ("a", "b")))
    assert path.tp[0] == 3
