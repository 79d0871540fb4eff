"""Documents counted in cells against the documents themselves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiloss_core import (
    CountSurfaces,
    DataError,
    RatedDocuments,
    count_surfaces,
    flagged,
    graph_path,
    operating_point,
)
from multiloss_core.generalisation import bootstrap_flagged, bootstrap_points, bootstrap_thresholds, certify, cross_fit
from multiloss_core.thresholds.data.grid_counts import count_nodes_at_or_below, grid_axes
from multiloss_core.thresholds.data.rated_counts import CellCounts, rated_counts
from multiloss_core.thresholds.paths.smooth.path import path_of_fit
from multiloss_core.thresholds.paths.smooth.smooth_fit import smooth_fit


def documents_of(seed, rows=300, classifiers=2, *, weighted=False):
    generator = np.random.default_rng(seed)
    labels = generator.random(rows) < 0.3
    labels[:2] = True, False
    scores = np.round(generator.normal(size=(rows, classifiers)) + labels[:, np.newaxis], 1)
    weights = generator.integers(1, 9, rows) / 4 if weighted else None
    return RatedDocuments(scores, labels, weights, floors=scores.min(axis=0).tolist())


def counted(documents, axes):
    codes = np.column_stack(
        [count_nodes_at_or_below(axis, column) for axis, column in zip(axes, documents.scores.T, strict=True)]
    )
    cells, slots = np.unique(codes, axis=0, return_inverse=True)
    tables = [np.zeros((len(cells), 2), dtype=kind) for kind in (np.intp, float, float)]
    for table, values in zip(tables, (np.ones(len(slots), int), documents.weights, documents.weights**2), strict=True):
        np.add.at(table, (slots, documents.labels.astype(int)), values)
    return CellCounts(cells, *tables)


@given(st.integers(0, 1000), st.integers(1, 4), st.sampled_from(["any", "all"]), st.booleans())
def test_surfaces_are_those_of_the_documents(seed, classifiers, rule, weighted):
    documents = documents_of(seed, classifiers=classifiers, weighted=weighted)
    axes = grid_axes(documents, 7, "positives")
    counts = rated_counts(axes, counted(documents, axes), rule=rule, names=documents.names)
    expected = count_surfaces(documents, rule=rule, resolution=7, spacing="positives")
    np.testing.assert_array_equal(counts.tp, expected.tp)
    np.testing.assert_array_equal(counts.fp, expected.fp)
    assert tuple(counts.totals) == tuple(documents.totals)
    other = counts.under("all" if rule == "any" else "any")
    assert other.under(rule).rule == rule
    np.testing.assert_array_equal(other.under(rule).tp, expected.tp)
    for thresholds in np.array(np.meshgrid(*axes)).T.reshape(-1, classifiers)[::5]:
        assert tuple(counts.counts_at(thresholds)) == tuple(documents.counts_at(thresholds, rule))


@pytest.mark.slow
@given(st.integers(0, 1000), st.integers(2, 6))
def test_parts_add_up_to_the_whole_and_have_equal_sizes(seed, parts):
    documents = documents_of(seed)
    axes = grid_axes(documents, 6, "uniform")
    whole = counted(documents, axes)
    dealt = whole.dealt(parts, np.random.default_rng(seed))
    sizes = [part.documents.sum() for part in dealt]
    assert max(sizes) - min(sizes) <= 1
    assert all((part.documents >= 0).all() for part in dealt)
    total = dealt[0]
    for part in dealt[1:]:
        total = total + part
    np.testing.assert_array_equal(total.cells, whole.cells)
    np.testing.assert_array_equal(total.documents, whole.documents)
    np.testing.assert_allclose(total.weights, whole.weights)
    rest = whole.without(dealt[0])
    np.testing.assert_array_equal(rest.documents + dealt[0].documents, whole.documents)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.slow
def test_intervals_are_about_those_of_the_documents(weighted):
    documents = documents_of(8, rows=4000, weighted=weighted)
    axes = grid_axes(documents, 200, "positives")
    counts = rated_counts(axes, counted(documents, axes), names=documents.names)
    intervals = []
    for source in (documents, counts):
        fit = smooth_fit(source)
        path = path_of_fit(source, fit, "any")
        *_, last = bootstrap_points(source, fit, path, [0.5], generator=np.random.default_rng(0))
        intervals.append(last.intervals())
    own, found = intervals
    for name in ("tp", "fp", "precision"):
        expected, interval = (getattr(entry.expected, name) for entry in (own, found))
        assert interval.estimate == pytest.approx(expected.estimate, rel=0.06)
        assert interval.high - interval.low == pytest.approx(expected.high - expected.low, rel=0.35)


@pytest.mark.slow
def test_weights_widen_intervals_of_counts_and_documents():
    """Without the squares of weights, documents that stand for many would be taken for many."""
    documents = documents_of(9, rows=2000)
    axes = grid_axes(documents, 50, "positives")
    plain = counted(documents, axes)
    heavy = CellCounts(plain.cells, plain.documents, 9 * plain.weights, 81 * plain.squares)
    widths = []
    for cells in (plain, heavy):
        counts = rated_counts(axes, cells, names=documents.names)
        fit = smooth_fit(counts)
        path = path_of_fit(counts, fit, "any")
        *_, last = bootstrap_points(counts, fit, path, [0.5], generator=np.random.default_rng(0), resamples=40)
        found = last.intervals().expected.tp
        widths.append((found.high - found.low) / found.estimate)
        assert operating_point(path, 0.5).tp > 0
    assert widths[1] == pytest.approx(widths[0], rel=0.02)


def test_refusals():
    documents = documents_of(1)
    axes = grid_axes(documents, 5, "uniform")
    cells = counted(documents, axes)
    with pytest.raises(DataError, match="The rule must be"):
        rated_counts(axes, cells, rule="most", names=documents.names)
    one_class = CellCounts(cells.cells, cells.documents * [1, 0], cells.weights * [1, 0], cells.squares * [1, 0])
    with pytest.raises(DataError, match="of one class"):
        rated_counts(axes, one_class, names=documents.names)
    many = tuple(np.arange(3000.0) for _ in range(2))
    with pytest.raises(DataError, match="larger than 4,000,000"):
        rated_counts(many, cells, names=documents.names)


def population(seed, rows=2000):
    """Documents and their cells, with a precision that is known at every node."""
    generator = np.random.default_rng(seed)
    scores = generator.random((rows, 2))
    chance = scores.mean(axis=1) ** 2
    return RatedDocuments(scores, generator.random(rows) < chance, floors=[0.0, 0.0])


def true_precision(thresholds):
    """Of uniform scores: the mean chance where a score reaches its threshold, on a fine lattice."""
    lattice = (np.arange(800) + 0.5) / 800
    first, second = np.meshgrid(lattice, lattice, indexing="ij")
    chosen = (first >= thresholds[0]) | (second >= thresholds[1])
    return float((((first + second) / 2) ** 2)[chosen].mean())


@pytest.mark.slow
def test_guarantee_from_counts_keeps_its_error_rate():
    grid = np.linspace(0, 1, 41)
    axes = (np.append(grid[:-1], np.nextafter(1.0, 2.0)),) * 2
    wrong = given = 0
    for seed in range(60):
        documents = population(seed)
        counts = rated_counts(axes, counted(documents, axes), names=documents.names)
        found = certify(counts, 0.45, seed=seed, method=lambda source, rule: graph_path(source))
        if found.thresholds is not None:
            given += 1
            wrong += true_precision(found.thresholds) < 0.45
            assert tuple(found.counts) == pytest.approx(tuple(documents.counts_at(found.thresholds)))
    assert given > 20
    # Six of sixty would come by chance in less than one case of twenty.
    assert wrong <= 6


def test_held_out_counts_are_about_those_of_the_documents():
    documents = population(3, rows=6000)
    axes = grid_axes(documents, 40, "positives")
    counts = rated_counts(axes, counted(documents, axes), names=documents.names)

    def graph(source):
        return graph_path(source if isinstance(source, CountSurfaces) else count_surfaces(source, resolution=40))

    own, found = (cross_fit(source, {"graph": graph}, [0.4])["graph"] for source in (documents, counts))
    assert found.folds_counted == 5
    assert found.tp[0] == pytest.approx(own.tp[0], rel=0.1)
    assert found.area == pytest.approx(own.area, abs=0.02)
    # What was held out is less than what chose its own thresholds.
    assert found.area < found.in_sample_area


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("thresholds", [(0.5, 0.8), (9.0, np.inf)])
def test_intervals_at_fixed_thresholds_are_those_of_documents(weighted, thresholds):
    documents = documents_of(7, rows=2_000, weighted=weighted)
    caught = flagged(documents.scores, thresholds, "any").astype(int)
    tables = [np.zeros((2, 2), dtype=kind) for kind in (np.intp, float, float)]
    for table, values in zip(tables, (np.ones_like(caught), documents.weights, documents.weights**2), strict=True):
        np.add.at(table, (caught, documents.labels.astype(int)), values)
    of_cells = bootstrap_flagged(
        CellCounts(np.array([[0], [1]]), *tables), thresholds, "any", generator=np.random.default_rng(0)
    ).intervals()
    of_documents = bootstrap_thresholds(documents, thresholds, "any", generator=np.random.default_rng(0)).intervals()
    for name in ("tp", "fp", "alerts", "precision"):
        for kind in ("expected", "new_period"):
            found, known = (getattr(getattr(intervals, kind), name) for intervals in (of_cells, of_documents))
            np.testing.assert_allclose([found.low, found.high], [known.low, known.high], rtol=1e-9)
