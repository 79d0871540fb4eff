from math import comb

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu

from multiloss_core import (
    CountSurfaces,
    DataError,
    ThresholdPath,
    benchmark_path,
    count_surfaces,
    graph_path,
    mean_graph_path,
)
from multiloss_core.thresholds import to_networkx
from tests.brute_force import (
    RULES,
    SPACINGS,
    close,
    counts,
    graph_of,
    lattice_paths,
    ordered_pairs,
    random_documents,
    rated_documents,
    trapezoids,
)

rules = st.sampled_from(RULES)
spacings = st.sampled_from(SPACINGS)


def assert_counts_match(path, documents):
    tp, fp = counts(documents, path.thresholds, path.rule)
    np.testing.assert_allclose(path.tp, tp, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(path.fp, fp, rtol=1e-9, atol=1e-9)


def assert_monotone(path, documents):
    assert (np.diff(path.thresholds, axis=0) >= 0).all()
    assert (np.diff(path.tp) <= 0).all()
    assert (np.diff(path.fp) <= 0).all()
    np.testing.assert_array_equal(path.thresholds[0], documents.floors)
    assert (path.thresholds[-1] > documents.scores.max(axis=0)).all()


def two_triangles(n=12):
    """Make counts on 4 x 3 nodes that never rise, but belong to no documents."""
    generator = np.random.default_rng(n)
    steps = generator.integers(0, 6, (2, 4, 3))
    return [np.flip(np.cumsum(np.cumsum(np.flip(s, (0, 1)), 0), 1), (0, 1)).astype(float) for s in steps]


class TestGraph:
    @given(rated_documents(), rules, spacings, st.integers(2, 7))
    def test_the_area_is_minus_the_weight_that_bellman_ford_finds(self, documents, rule, spacing, resolution):
        surfaces = count_surfaces(documents, rule=rule, spacing=spacing, resolution=resolution)
        last = tuple(n - 1 for n in surfaces.tp.shape)
        weight = nx.bellman_ford_path_length(graph_of(surfaces), (0,) * len(last), last)
        assert close(graph_path(surfaces).area, -weight)

    @given(rated_documents(classifiers=(2,)), rules, st.floats(0, 1))
    def test_no_lattice_path_has_a_larger_area_up_to_a_cap(self, documents, rule, share):
        surfaces = count_surfaces(documents, rule=rule, resolution=5)
        most = share * surfaces.fp.max()
        areas = [
            trapezoids([(surfaces.tp[node], min(surfaces.fp[node], most)) for node in nodes])
            for nodes in lattice_paths(surfaces.tp.shape)
        ]
        path = graph_path(surfaces, most_fp=most)
        assert close(path.area_up_to(most), max(areas))
        assert_counts_match(path, documents)

    @given(rated_documents(classifiers=(2, 3)), rules)
    def test_no_lattice_path_has_a_larger_area(self, documents, rule):
        surfaces = count_surfaces(documents, rule=rule, resolution=5 if len(documents.names) == 2 else 3)
        shape = surfaces.tp.shape
        areas = [
            trapezoids([(surfaces.tp[node], surfaces.fp[node]) for node in nodes]) for nodes in lattice_paths(shape)
        ]
        assert close(graph_path(surfaces).area, max(areas))
        if len(shape) == 2:
            assert len(areas) == comb(sum(shape) - 2, shape[0] - 1)

    def test_tables_that_no_documents_gave_are_searched_as_well(self):
        for seed in range(20):
            tp, fp = two_triangles(seed)
            surfaces = CountSurfaces((np.arange(4.0), np.arange(3.0)), tp, fp, "any", ("a", "b"))
            areas = [trapezoids([(tp[node], fp[node]) for node in nodes]) for nodes in lattice_paths((4, 3))]
            assert close(graph_path(surfaces).area, max(areas))

    @given(rated_documents(), st.integers(2, 8))
    def test_every_step_raises_one_threshold_by_one_node(self, documents, resolution):
        surfaces = count_surfaces(documents, resolution=resolution)
        nodes = np.column_stack(
            [np.searchsorted(axis, graph_path(surfaces).thresholds[:, j]) for j, axis in enumerate(surfaces.axes)]
        )
        steps = np.diff(nodes, axis=0)
        assert (steps.sum(axis=1) == 1).all()
        assert set(steps.ravel().tolist()) <= {0, 1}
        assert len(nodes) == sum(surfaces.tp.shape) - len(surfaces.axes) + 1

    @given(rated_documents(classifiers=(1, 2)), rules, st.integers(2, 5))
    def test_the_networkx_graph_is_the_papers(self, documents, rule, resolution):
        surfaces = count_surfaces(documents, rule=rule, resolution=resolution)
        graph, expected = to_networkx(surfaces), graph_of(surfaces)
        assert set(graph.edges) == set(expected.edges)
        assert set(graph.nodes) == set(np.ndindex(surfaces.tp.shape))
        for start, end, weight in expected.edges(data="weight"):
            assert close(graph[start][end]["weight"], weight)
        for node, facts in graph.nodes(data=True):
            assert facts["thresholds"] == tuple(axis[i] for axis, i in zip(surfaces.axes, node, strict=True))
            assert (facts["tp"], facts["fp"]) == (surfaces.tp[node], surfaces.fp[node])


class TestMeanGraph:
    @settings(max_examples=30)
    @given(rated_documents(), rules, st.integers(2, 6), st.booleans(), st.integers(0, 99))
    @pytest.mark.slow
    def test_counts_are_exact_and_nothing_turns_back(self, documents, rule, resolution, exact, seed):
        surfaces = count_surfaces(documents, rule=rule, resolution=resolution)
        path = mean_graph_path(
            surfaces,
            np.random.default_rng(seed),
            draws=4,
            deleted=0.2,
            documents=documents if exact else None,
        )
        assert_counts_match(path, documents)
        assert_monotone(path, documents)

    @pytest.mark.parametrize("exact", [True, False])
    def test_path_depends_on_seed_alone(self, exact):
        documents = random_documents(2)
        surfaces = count_surfaces(documents, resolution=12)
        one, same, other = (
            mean_graph_path(surfaces, np.random.default_rng(s), draws=5, documents=documents if exact else None)
            for s in (3, 3, 4)
        )
        np.testing.assert_array_equal(one.thresholds, same.thresholds)
        assert not np.array_equal(one.thresholds, other.thresholds)

    @pytest.mark.parametrize("draws", [1, 5])
    def test_deleting_nothing_gives_the_best_path_itself(self, draws):
        documents = random_documents(5)
        surfaces = count_surfaces(documents, resolution=10)
        path = mean_graph_path(surfaces, np.random.default_rng(0), draws=draws, deleted=0.0, documents=documents)
        np.testing.assert_allclose(path.thresholds, graph_path(surfaces).thresholds)

    @pytest.mark.parametrize("options", [{"draws": 0}, {"deleted": -0.1}, {"deleted": 0.5}, {"deleted": float("nan")}])
    def test_bad_arguments_are_refused(self, options):
        surfaces = count_surfaces(random_documents(0), resolution=4)
        with pytest.raises(DataError, match=r"[Dd]raws must be at least 1"):
            mean_graph_path(surfaces, np.random.default_rng(0), **options)

    @pytest.mark.slow
    def test_a_grid_too_narrow_for_the_share_still_has_a_mean_path(self):
        # Two rows of 300 nodes are so narrow that 299 steps along them never all survive.
        fp = np.array([np.arange(300.0)[::-1] + 1, np.arange(300.0)[::-1]])
        surfaces = CountSurfaces((np.arange(2.0), np.arange(300.0)), fp, fp, "any", ("a", "b"))
        path = mean_graph_path(surfaces, np.random.default_rng(0), deleted=0.4)
        assert (np.diff(path.thresholds, axis=0) >= 0).all()
        assert tuple(path.thresholds[0]) == (0, 0)
        assert tuple(path.thresholds[-1]) == (1, 299)


class TestCountsAlong:
    @given(st.data(), rated_documents(classifiers=(1, 2, 3, 4)), rules)
    def test_every_vertex_matches_a_count_document_by_document(self, data, documents, rule):
        m = data.draw(st.integers(1, 9))
        values = st.one_of(st.integers(0, 8).map(float), st.floats(0, 8))
        columns = [sorted(data.draw(st.lists(values, min_size=m, max_size=m))) for _ in documents.names]
        thresholds = np.array(columns).T
        tp, fp = documents.counts_along(thresholds, rule)
        expected_tp, expected_fp = counts(documents, thresholds, rule)
        np.testing.assert_allclose(tp, expected_tp, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(fp, expected_fp, rtol=1e-9, atol=1e-9)


class TestOneClassifier:
    @given(rated_documents(classifiers=(1,)))
    def test_the_path_is_the_plain_roc_curve(self, documents):
        path = graph_path(count_surfaces(documents, resolution=200, spacing="quantile"))
        scores = sorted(set(documents.scores[:, 0].tolist()) | set(documents.floors.tolist()))
        expected = [
            (
                sum(
                    w
                    for s, y, w in zip(documents.scores[:, 0], documents.labels, documents.weights, strict=True)
                    if y and s >= t
                ),
                sum(
                    w
                    for s, y, w in zip(documents.scores[:, 0], documents.labels, documents.weights, strict=True)
                    if not y and s >= t
                ),
            )
            for t in [*scores, np.inf]
        ]
        assert len(path.tp) == len(expected)
        for tp, fp, point in zip(path.tp, path.fp, expected, strict=True):
            assert close(tp, point[0])
            assert close(fp, point[1])

    @pytest.mark.parametrize("seed", range(4))
    @pytest.mark.parametrize("decimals", [1, 6])
    def test_the_normalised_area_is_the_mann_whitney_share(self, seed, decimals):
        documents = random_documents(seed, k=1, n=80, decimals=decimals)
        path = graph_path(count_surfaces(documents, resolution=400, spacing="quantile"))
        positives, negatives = (documents.scores[documents.labels == y, 0] for y in (True, False))
        share = mannwhitneyu(positives, negatives).statistic / (len(positives) * len(negatives))
        assert path.normalised_area == pytest.approx(share)

    @given(rated_documents(classifiers=(1,)))
    def test_with_weights_it_is_the_weighted_share_of_pairs(self, documents):
        path = graph_path(count_surfaces(documents, resolution=200, spacing="quantile"))
        share = ordered_pairs(documents.scores[:, 0], documents.labels, documents.weights)
        assert path.normalised_area == pytest.approx(share)


class TestBenchmark:
    @given(rated_documents(classifiers=(1, 2, 3), weighted=False), rules, st.sampled_from([1, 2, 4, 8]))
    def test_in_each_bucket_the_node_of_highest_tp(self, documents, rule, buckets):
        surfaces = count_surfaces(documents, rule=rule, resolution=5)
        path = benchmark_path(surfaces, buckets=buckets)
        nodes = list(zip(surfaces.tp.ravel().tolist(), surfaces.fp.ravel().tolist(), strict=True))
        highest = max(fp for _, fp in nodes)
        best = {}
        for tp, fp in nodes:
            bucket = min(int(fp * buckets // highest), buckets - 1) if highest else 0
            if bucket not in best or (tp, -fp) > (best[bucket][0], -best[bucket][1]):
                best[bucket] = (tp, fp)
        candidates = {*best.values(), nodes[0], nodes[-1]}
        expected = {nodes[0]} | {
            (tp, fp)
            for tp, fp in candidates
            if not any((t >= tp and f < fp) or (t > tp and f <= fp) for t, f in candidates)
        }
        assert set(zip(path.tp.tolist(), path.fp.tolist(), strict=True)) == expected
        assert_counts_match(path, documents)

    @given(rated_documents(classifiers=(2, 3), weighted=False), rules)
    def test_with_a_bucket_for_every_count_it_is_the_pareto_frontier(self, documents, rule):
        surfaces = count_surfaces(documents, rule=rule, resolution=5)
        path = benchmark_path(surfaces, buckets=10_007)
        nodes = set(zip(surfaces.tp.ravel().tolist(), surfaces.fp.ravel().tolist(), strict=True))
        frontier = {
            (tp, fp) for tp, fp in nodes if not any(t >= tp and f <= fp and (t, f) != (tp, fp) for t, f in nodes)
        }
        first = (surfaces.tp.flat[0], surfaces.fp.flat[0])
        assert set(zip(path.tp.tolist(), path.fp.tolist(), strict=True)) == frontier | {first}


class TestValidation:
    def path(self, **changes):
        values = {
            "thresholds": np.array([[0.0], [1.0], [2.0]]),
            "tp": np.array([3.0, 2.0, 0.0]),
            "fp": np.array([5.0, 1.0, 0.0]),
            "method": "by hand",
            "rule": "any",
            "names": ("a",),
        }
        return ThresholdPath(**(values | changes))

    def test_the_normalised_area_without_negatives_is_undefined(self):
        assert np.isnan(self.path(fp=np.zeros(3)).normalised_area)

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"tp": np.array([3.0, 4.0, 0.0])}, "may not rise"),
            ({"fp": np.array([1.0, 5.0, 0.0])}, "may not rise"),
            ({"thresholds": np.array([[0.0], [2.0], [1.0]])}, "may not fall"),
            ({"thresholds": np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]])}, "two vertices of 1 thresholds"),
            ({"thresholds": np.array([[0.0]]), "tp": np.zeros(1), "fp": np.zeros(1)}, "two vertices"),
            ({"tp": np.zeros(2)}, "needs as many counts"),
        ],
    )
    def test_paths_that_cannot_be_are_refused(self, changes, message):
        with pytest.raises(DataError, match=message):
            self.path(**changes)
