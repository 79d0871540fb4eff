from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from multiloss_core import CountSurfaces, DataError, count_surfaces, read_table
from multiloss_core.thresholds import bucket_counts, grid_axes, slice_documents, slice_surfaces
from multiloss_core.thresholds.data.count_surfaces import buckets_from_surfaces
from multiloss_core.thresholds.data.grid_counts import count_nodes_at_or_below
from tests.brute_force import (
    RULES,
    SPACINGS,
    random_documents,
    rated_documents,
    surfaces_of,
)

rules = st.sampled_from(RULES)
spacings = st.sampled_from(SPACINGS)


def assert_counts_match(surfaces, documents):
    tp, fp = surfaces_of(documents, surfaces.axes, surfaces.rule)
    np.testing.assert_allclose(surfaces.tp, tp, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(surfaces.fp, fp, rtol=1e-9, atol=1e-9)


def table_of(surfaces, generator=None):
    rows = [
        [*(axis[i] for axis, i in zip(surfaces.axes, node, strict=True)), surfaces.tp[node], surfaces.fp[node]]
        for node in product(*map(range, surfaces.tp.shape))
    ]
    frame = pd.DataFrame(rows, columns=[*(f"T{j + 1}" for j in range(len(surfaces.axes))), "TP", "FP"])
    return frame if generator is None else frame.iloc[generator.permutation(len(frame))].reset_index(drop=True)


class TestCounting:
    @given(rated_documents(), rules, spacings, st.integers(2, 9))
    def test_every_node_matches_a_count_document_by_document(self, documents, rule, spacing, resolution):
        surfaces = count_surfaces(documents, rule=rule, spacing=spacing, resolution=resolution)
        assert surfaces.rule == rule
        assert surfaces.names == documents.names
        assert_counts_match(surfaces, documents)

    def test_unknown_rules_spacings_and_resolutions_are_refused(self):
        documents = random_documents(0)
        with pytest.raises(DataError, match="'any' or 'all', not 'or'"):
            count_surfaces(documents, rule="or")
        with pytest.raises(DataError, match="uniform, quantile, positives, not 'even'"):
            count_surfaces(documents, spacing="even")
        with pytest.raises(DataError, match=r"at least 2.*not 1"):
            count_surfaces(documents, resolution=1)


class TestAxes:
    @given(rated_documents(), spacings, st.integers(2, 12))
    def test_axis_runs_from_floor_to_number_above_largest_score(self, documents, spacing, resolution):
        for j, axis in enumerate(grid_axes(documents, resolution, spacing)):
            assert 2 <= len(axis) <= resolution
            assert (np.diff(axis) > 0).all()
            assert axis[0] == documents.floors[j]
            assert axis[-1] == np.nextafter(documents.scores[:, j].max(), np.inf)

    def test_uniform_steps_are_equal(self):
        for axis in grid_axes(random_documents(1), 20, "uniform"):
            assert len(axis) == 20
            np.testing.assert_allclose(np.diff(axis[:-1]), (axis[-1] - axis[0]) / 18)

    def test_with_enough_nodes_every_positive_has_its_node(self):
        documents = random_documents(2)
        for j, axis in enumerate(grid_axes(documents, 100, "positives")):
            scores = documents.scores[documents.labels, j]
            rated = scores[scores >= documents.floors[j]]
            assert set(rated) <= set(axis)
            assert set(axis[1:-1]) <= set(rated)

    def test_quantile_steps_hold_about_equal_numbers_of_documents(self):
        documents = random_documents(4, n=4000, decimals=9)
        for j, axis in enumerate(grid_axes(documents, 21, "quantile")):
            scores = documents.scores[:, j]
            inside = scores[scores >= documents.floors[j]]
            held, _ = np.histogram(inside, axis[1:-1])
            assert abs(held - len(inside) / 19).max() <= 2


class TestNodeLimit:
    @pytest.mark.parametrize("classifiers", [2, 3, 4])
    def test_resolution_that_message_names_is_largest_that_fits(self, classifiers):
        documents = random_documents(0, n=12, k=classifiers)
        with pytest.raises(DataError, match=r"4,000,000; a resolution of ([\d,]+) fits") as caught:
            count_surfaces(documents, resolution=5000)
        fits = int(str(caught.value).split("resolution of ")[1].split()[0].replace(",", ""))
        assert fits**classifiers <= 4_000_000
        assert (fits + 1) ** classifiers > 4_000_000
        assert count_surfaces(documents, resolution=fits, spacing="quantile").tp.ndim == classifiers
        with pytest.raises(DataError, match="4,000,000"):
            count_surfaces(documents, resolution=fits + 1)

    def test_many_classifiers_are_refused_not_overflowed(self):
        with pytest.raises(DataError, match=r"a resolution of 2 fits"):
            count_surfaces(random_documents(0, n=30, k=20), resolution=1000)


class TestValidation:
    axes = (np.array([0.0, 1.0]), np.array([0.0, 1.0]))
    good = np.array([[3.0, 2.0], [1.0, 0.0]])

    @pytest.mark.parametrize(
        ("tp", "fp", "names", "message"),
        [
            (good[:1], good, ("a", "b"), "do not fit"),
            (good, good, ("a",), "do not fit"),
            (-good, good, ("a", "b"), "TP holds negative"),
            (good, good * np.nan, ("a", "b"), "FP holds negative or undefined"),
            (good[::-1], good, ("a", "b"), "TP rises"),
            (good, good[:, ::-1], ("a", "b"), "FP rises"),
        ],
    )
    def test_counts_that_no_documents_could_give_are_refused(self, tp, fp, names, message):
        with pytest.raises(DataError, match=message):
            CountSurfaces(self.axes, tp, fp, "any", names)


class TestTable:
    @given(rated_documents(), rules, spacings, st.integers(2, 6), st.integers(0, 1000))
    def test_a_shuffled_table_gives_the_surfaces_back(self, documents, rule, spacing, resolution, seed):
        surfaces = count_surfaces(documents, rule=rule, spacing=spacing, resolution=resolution)
        read = CountSurfaces.from_table(table_of(surfaces, np.random.default_rng(seed)), rule=rule)
        for axis, same in zip(surfaces.axes, read.axes, strict=True):
            np.testing.assert_array_equal(axis, same)
        np.testing.assert_array_equal(read.tp, surfaces.tp)
        np.testing.assert_array_equal(read.fp, surfaces.fp)
        assert read.rule == rule

    @given(rated_documents(classifiers=(2, 3)), rules, spacings, st.integers(3, 6))
    def test_rule_follows_from_the_counts(self, documents, rule, spacing, resolution):
        surfaces = count_surfaces(documents, rule=rule, spacing=spacing, resolution=resolution)
        assert CountSurfaces.from_table(table_of(surfaces)).rule == rule

    def test_names_and_chosen_threshold_columns(self):
        surfaces = count_surfaces(random_documents(0), resolution=4)
        frame = table_of(surfaces).rename(columns={"T1": "left", "T2": "right"})
        frame.insert(0, "comment", "x")
        assert CountSurfaces.from_table(frame).names == ("left", "right")
        turned = CountSurfaces.from_table(frame, thresholds=["right", "left"])
        assert turned.names == ("right", "left")
        np.testing.assert_array_equal(turned.tp, surfaces.tp.T)

    def test_the_public_grid(self, rated_folder):
        frame = read_table((rated_folder / "bssr1_counts_grid.csv").read_bytes(), "grid")
        surfaces = CountSurfaces.from_table(frame)
        assert surfaces.tp.shape == (100, 100)
        assert surfaces.rule == "any"
        assert (surfaces.tp[0, 0], surfaces.fp[0, 0]) == (515, 10080)
        for row in frame.sample(200, random_state=0).itertuples():
            i, j = (int(np.flatnonzero(axis == t)[0]) for axis, t in zip(surfaces.axes, (row.T1, row.T2), strict=True))
            assert (surfaces.tp[i, j], surfaces.fp[i, j]) == (row.TP, row.FP)

    @pytest.fixture
    def frame(self):
        return pd.DataFrame(
            {"T1": [0.0, 0.0, 1.0, 1.0], "T2": [5.0, 6.0, 5.0, 6.0], "TP": [4, 3, 2, 0], "FP": [9, 5, 4, 0]}
        )

    def test_a_missing_node_is_named(self, frame):
        with pytest.raises(DataError, match=r"1 nodes of the 2 x 2 grid are missing \(first: T1 = 1, T2 = 5\); add"):
            CountSurfaces.from_table(frame.drop(index=2))

    def test_a_node_that_occurs_twice_is_named_with_its_rows(self, frame):
        with pytest.raises(DataError, match=r"T1 = 0, T2 = 6 occurs more than once \(rows 2 and 5.*keep one"):
            CountSurfaces.from_table(pd.concat([frame, frame.iloc[[1]]], ignore_index=True))

    def test_a_negative_count_is_named(self, frame):
        frame.loc[3, "FP"] = -2
        with pytest.raises(DataError, match=r"'FP' has 1 negative counts \(first: row 4, -2\); correct"):
            CountSurfaces.from_table(frame)

    @pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 1, 0, 2], [2, 3, 1, 0]])
    def test_rising_counts_are_named_with_both_rows(self, frame, order):
        frame.loc[2, "TP"] = 7
        shuffled = frame.iloc[order].reset_index(drop=True)
        low, high = order.index(0) + 1, order.index(2) + 1
        with pytest.raises(
            DataError, match=rf"'TP' rises as 'T1' rises in 1 .*from 4 in row {low} to 7 in row {high}\)"
        ):
            CountSurfaces.from_table(shuffled)

    @pytest.mark.parametrize("column", ["T2", "TP"])
    @pytest.mark.parametrize("cell", ["many", np.nan, np.inf, ""])
    def test_a_cell_that_is_no_number_is_named(self, frame, column, cell):
        frame[column] = frame[column].astype(object)
        frame.loc[1, column] = cell
        with pytest.raises(DataError, match=rf"'{column}' has values .* finite numbers \(1 row, first: row 2"):
            CountSurfaces.from_table(frame)

    @pytest.mark.parametrize("column", ["TP", "FP"])
    def test_missing_count_columns_are_named(self, frame, column):
        with pytest.raises(DataError, match=rf"needs a column '{column}'; rename"):
            CountSurfaces.from_table(frame.drop(columns=column))

    def test_missing_columns_and_constant_thresholds_are_refused(self, frame):
        with pytest.raises(DataError, match=r"needs threshold columns.*add"):
            CountSurfaces.from_table(frame[["TP", "FP"]])
        with pytest.raises(DataError, match=r"'T1' holds one threshold only, 0 from row 1"):
            CountSurfaces.from_table(frame.iloc[:2])

    def test_scattered_thresholds_are_no_grid(self):
        n = 3000
        frame = pd.DataFrame({"T1": np.arange(n), "T2": np.arange(n), "TP": 0, "FP": 0})
        with pytest.raises(DataError, match=r"3,000 rows form no full grid: 3000 x 3000"):
            CountSurfaces.from_table(frame)


def flagged_cells(buckets, node, rule):
    """Find the cells flagged at a node: scores that reach node i lie above i + 1 nodes."""
    reached = buckets.cells > np.array(node)
    return reached.any(axis=1) if rule == "any" else reached.all(axis=1)


class TestBuckets:
    @given(rated_documents(), spacings, st.integers(2, 7))
    def test_cells_hold_the_weight_of_the_documents_in_them(self, documents, spacing, resolution):
        buckets = bucket_counts(documents, grid_axes(documents, resolution, spacing))
        expected = {}
        for scores, positive, weight in zip(documents.scores, documents.labels, documents.weights, strict=True):
            cell = tuple(sum(node <= s for node in axis) for axis, s in zip(buckets.axes, scores, strict=True))
            held = expected.setdefault(cell, [0.0, 0.0])
            held[0 if positive else 1] += weight
        found = {
            tuple(cell): [positive, negative]
            for cell, positive, negative in zip(
                buckets.cells.tolist(), buckets.positives, buckets.negatives, strict=True
            )
        }
        assert found.keys() == expected.keys()
        for cell, held in expected.items():
            assert found[cell] == pytest.approx(held)

    @given(rated_documents(), rules, st.integers(2, 7))
    def test_surfaces_turn_back_into_the_buckets_they_come_from(self, documents, rule, resolution):
        surfaces = count_surfaces(documents, rule=rule, resolution=resolution)
        back = buckets_from_surfaces(surfaces)
        for node in product(*map(range, surfaces.tp.shape)):
            on = flagged_cells(back, node, rule)
            assert back.positives[on].sum() == pytest.approx(surfaces.tp[node], abs=1e-9)
            assert back.negatives[on].sum() == pytest.approx(surfaces.fp[node], abs=1e-9)

    @pytest.mark.parametrize("rule", RULES)
    def test_a_table_whose_last_node_still_flags_documents(self, rule):
        documents = random_documents(6)
        axes = tuple(np.quantile(documents.scores[:, j], [0.3, 0.5, 0.8]) for j in range(2))
        tp, fp = surfaces_of(documents, axes, rule)
        surfaces = CountSurfaces(axes, tp, fp, rule, documents.names)
        assert tp[-1, -1] + fp[-1, -1] > 0
        back = buckets_from_surfaces(surfaces)
        for node in product(range(3), range(3)):
            on = flagged_cells(back, node, rule)
            assert (back.positives[on].sum(), back.negatives[on].sum()) == (tp[node], fp[node])


class TestSlices:
    @given(st.data(), rated_documents(classifiers=(3, 4), most=12), rules)
    def test_slices_of_documents_hold_the_others_at_their_thresholds(self, data, documents, rule):
        k = len(documents.names)
        pair = data.draw(st.sampled_from(list(permutations(range(k), 2))))
        floors = documents.floors.tolist()
        thresholds = np.array([data.draw(st.floats(floor, 8.0)) for floor in floors])
        part = slice_documents(documents, thresholds, pair, rule=rule, resolution=5)
        self.check(part, documents, thresholds, pair, rule)

    @given(st.data(), rated_documents(classifiers=(3, 4), most=12), rules)
    def test_slices_of_surfaces_hold_the_others_at_the_next_nodes(self, data, documents, rule):
        k = len(documents.names)
        pair = data.draw(st.sampled_from(list(permutations(range(k), 2))))
        surfaces = count_surfaces(documents, rule=rule, resolution=4)
        nodes = [data.draw(st.integers(0, len(axis) - 1)) for axis in surfaces.axes]
        at_nodes = np.array([axis[i] for axis, i in zip(surfaces.axes, nodes, strict=True)])
        below = np.array(
            [axis[i] if i == 0 else (axis[i] + axis[i - 1]) / 2 for axis, i in zip(surfaces.axes, nodes, strict=True)]
        )
        # Two neighbouring floats have no number between them.
        assume(all(i == 0 or b > axis[i - 1] for axis, i, b in zip(surfaces.axes, nodes, below, strict=True)))
        for thresholds in (at_nodes, below):
            part = slice_surfaces(surfaces, thresholds, pair)
            self.check(part, documents, at_nodes, pair, rule)

    def check(self, part, documents, thresholds, pair, rule):
        assert part.names == tuple(documents.names[j] for j in pair)
        assert part.rule == rule
        k = len(documents.names)
        axes = [part.axes[pair.index(j)] if j in pair else np.array([thresholds[j]]) for j in range(k)]
        for counts, expected in zip((part.tp, part.fp), surfaces_of(documents, axes, rule), strict=True):
            flat = expected.reshape([len(axes[j]) for j in sorted(pair)])
            np.testing.assert_allclose(counts, flat if pair[0] < pair[1] else flat.T, rtol=1e-9, atol=1e-9)


sane = st.floats(-1e99, 1e99, allow_subnormal=True)


class TestNodesAtOrBelow:
    def check(self, axis, values):
        axis, values = np.asarray(axis, dtype=float), np.asarray(values, dtype=float)
        found = count_nodes_at_or_below(axis, values)
        np.testing.assert_array_equal(found, np.searchsorted(axis, values, side="right"))

    def near(self, axis):
        axis = np.asarray(axis, dtype=float)
        return np.concatenate(
            [axis, np.nextafter(axis, -np.inf), np.nextafter(axis, np.inf), axis[:-1] + np.diff(axis) / 2]
        )

    @given(st.lists(sane, min_size=2, max_size=30, unique=True), st.lists(sane, max_size=30))
    def test_any_axis(self, nodes, values):
        axis = np.sort(nodes)
        self.check(axis, np.concatenate([values, self.near(axis)]))

    @given(
        st.one_of(sane, st.floats(-10, 10), st.sampled_from([0.0, 0.1, 1 / 3, 1e-300, 5e-324, 1e16])),
        st.one_of(st.floats(1e-12, 1e12), st.sampled_from([1e-320, 1e-300, 1e90, 1.0])),
        st.integers(8, 300),
        st.lists(sane, max_size=30),
    )
    def test_axes_of_equal_steps(self, low, width, resolution, values):
        high = low + width
        assume(high > low)
        axis = np.unique(np.concatenate([np.linspace(low, high, resolution - 1), [np.nextafter(high, np.inf)]]))
        self.check(axis, np.concatenate([values, self.near(axis), [low - width, high + width]]))
