import json
from decimal import ROUND_FLOOR, Context, Decimal
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.spatial import ConvexHull
from scipy.stats import binomtest

from multiloss_core import (
    DataError,
    OperatingPoint,
    RatedDocuments,
    ThresholdPath,
    count_surfaces,
    graph_path,
    operating_point,
)
from multiloss_core.thresholds import classifier_margins, point_as_dict, point_as_json
from tests.brute_force import RULES, close, count, is_flagged, random_documents, rated_documents

rules = st.sampled_from(RULES)
targets = st.one_of(st.floats(0.001, 0.999), st.sampled_from([0.2, 0.25, 1 / 3, 0.5, 2 / 3, 0.75, 0.8]))


def path_of(tp, fp, **changes):
    tp, fp = np.array(tp, dtype=float), np.array(fp, dtype=float)
    values = {"method": "by hand", "rule": "any", "names": ("a",)}
    return ThresholdPath(np.arange(float(len(tp)))[:, np.newaxis], tp, fp, **(values | changes))


@st.composite
def paths(draw):
    """Draw paths with flat stretches, and perhaps documents above every threshold."""
    step = st.one_of(st.integers(0, 5), st.sampled_from([0.0, 0.0, 0.1, 1 / 3, 2.5]))
    steps = draw(st.lists(st.tuples(step, step), min_size=2, max_size=14))
    tp, fp = (np.cumsum([s[i] for s in steps])[::-1] for i in range(2))
    return path_of(tp, fp)


def net_benefit(tp, fp, target):
    return tp - target / (1 - target) * fp


class TestOperatingPoint:
    @given(paths(), targets)
    def test_no_vertex_has_a_higher_net_benefit(self, path, target):
        point = operating_point(path, target)
        best = max(net_benefit(tp, fp, target) for tp, fp in zip(path.tp, path.fp, strict=True))
        assert net_benefit(point.tp, point.fp, target) == pytest.approx(best, rel=1e-9, abs=1e-7)

    @given(paths(), targets)
    def test_it_is_vertex_of_path_of_equal_ones_strictest_or_floors(self, path, target):
        point = operating_point(path, target)
        here = int(point.thresholds[0])
        assert close(path.tp[here], point.tp)
        assert close(path.fp[here], point.fp)
        if point.status == "at_floor":
            assert here == 0
            return
        later = range(here + 1, len(path.tp))
        assert not any((path.tp[i], path.fp[i]) == (point.tp, point.fp) for i in later)

    @given(paths(), targets, targets)
    def test_a_higher_target_never_flags_more(self, path, one, other):
        low, high = sorted((one, other))
        loose, strict = operating_point(path, low), operating_point(path, high)
        assert (loose.thresholds <= strict.thresholds).all()
        assert loose.tp >= strict.tp
        assert loose.fp >= strict.fp

    @pytest.mark.parametrize("target", [0.0, 1.0, -0.2, 1.5, float("nan"), 50])
    def test_targets_outside_0_and_1_are_refused(self, target):
        with pytest.raises(DataError, match=rf"between 0 and 1, not at {target}"):
            operating_point(path_of([3, 0], [4, 0]), target)


class TestByHand:
    # From the strictest: 3 of 4 added documents are positive, then 2 of 6, then 1 of 10.
    path = path_of([6, 5, 3, 0], [14, 5, 1, 0])

    @pytest.mark.parametrize(
        ("target", "vertex", "status"),
        [
            (0.9, 3, "unreachable"),
            (0.76, 3, "unreachable"),
            (3 / 4, 2, "inside"),
            (0.5, 2, "inside"),
            (0.34, 2, "inside"),
            (2 / 6, 1, "inside"),
            (0.2, 1, "inside"),
            (1 / 10, 0, "at_floor"),
            (0.05, 0, "at_floor"),
        ],
    )
    def test_vertex_and_status(self, target, vertex, status):
        point = operating_point(self.path, target)
        assert point.thresholds.tolist() == [vertex]
        assert (point.tp, point.fp) == (self.path.tp[vertex], self.path.fp[vertex])
        assert point.status == status
        assert (point.rated.tp, point.rated.fp) == (6, 14)

    def test_the_steps_on_both_sides(self):
        point = operating_point(self.path, 0.2)
        assert (point.step_precision, point.step_alerts) == (pytest.approx(2 / 6), 6)
        assert (point.next_precision, point.next_alerts) == (pytest.approx(1 / 10), 10)
        top, floor = operating_point(self.path, 0.9), operating_point(self.path, 0.01)
        assert np.isnan(top.step_precision)
        assert (top.step_alerts, top.next_precision, top.next_alerts) == (0, 0.75, 4)
        assert np.isnan(floor.next_precision)
        assert (floor.next_alerts, floor.step_precision, floor.step_alerts) == (0, 0.1, 10)

    def test_rates_over_nothing_are_undefined(self):
        point = operating_point(self.path, 0.9)
        assert (point.alerts, point.share_of_rated_positives) == (0, 0)
        assert np.isnan(point.precision)
        assert np.isnan(point.fp_per_tp)
        without_positives = operating_point(path_of([0, 0], [4, 0]), 0.5)
        assert np.isnan(without_positives.share_of_rated_positives)

    def test_a_path_on_which_nothing_changes(self):
        point = operating_point(path_of([2, 2], [3, 3]), 0.5)
        assert (point.tp, point.fp) == (2, 3)
        assert point.thresholds.tolist() == [1]

    def test_a_classifier_whose_population_is_known(self):
        # Scores i/n; negatives weigh the same at each, positives 2 s: marginal precision at s is 2 s P / (2 s P + N).
        n, positives, negatives = 1000, 50.0, 200.0
        scores = np.arange(1, n + 1) / n
        documents = RatedDocuments(
            np.concatenate([scores, scores]),
            [True] * n + [False] * n,
            np.concatenate([2 * scores * positives / n, np.full(n, negatives / n)]),
        )
        path = graph_path(count_surfaces(documents, resolution=5 * n, spacing="quantile"))
        for target in (0.05, 0.1, 0.2, 0.3):
            expected = negatives * target / ((1 - target) * 2 * positives)
            point = operating_point(path, target)
            assert point.thresholds[0] == pytest.approx(expected, abs=1.001 / n)
            assert point.tp == pytest.approx(positives * (1 - expected**2), abs=0.2)
            assert point.fp == pytest.approx(negatives * (1 - expected), abs=0.4)
            assert point.status == "inside"
        assert operating_point(path, 0.34).status == "unreachable"

    def test_two_independent_classifiers_whose_population_is_known(self):
        # Each document is scored by one classifier; the other sees nothing (0). Then each has its own optimum:
        # the share of positives at s is s for the first and s^2 for the second.
        n = 200
        s = (np.arange(n) + 0.5) / n
        nothing = np.zeros(n)
        first, second = np.column_stack([s, nothing]), np.column_stack([nothing, s])
        documents = RatedDocuments(
            np.vstack([first, first, second, second]),
            np.repeat([True, False, True, False], n),
            np.concatenate([s, 1 - s, s**2, 1 - s**2]),
            floors=[s[0], s[0]],
        )
        path = graph_path(count_surfaces(documents, resolution=2 * n, spacing="quantile"))
        for target in (0.2, 0.4, 0.6, 0.8):
            point = operating_point(path, target)
            assert point.thresholds == pytest.approx([target, target**0.5], abs=0.02)


class TestMajorant:
    @pytest.mark.parametrize("seed", range(5))
    def test_against_scipy(self, seed):
        generator = np.random.default_rng(seed)
        tp, fp = (np.cumsum(generator.random(60) ** 3)[::-1] for _ in range(2))
        path = path_of(np.append(tp, 0.0), np.append(fp, 0.0))
        points = np.column_stack([path.fp, path.tp])
        hull = ConvexHull(np.vstack([points, [points[0, 0], -1.0], [0.0, -1.0]]))
        assert set(path.majorant.vertices.tolist()) == {int(i) for i in hull.vertices if i < len(points)}


def point_at(documents, thresholds, rule):
    tp, fp = count(documents, thresholds, rule)
    return OperatingPoint(
        thresholds=np.array(thresholds, dtype=float),
        tp=tp,
        fp=fp,
        marginal_precision=0.5,
        status="inside",
        method="by hand",
        rule=rule,
        names=documents.names,
        rated=documents.totals,
        reachable=documents.counts_at(documents.floors, rule),
        step_precision=0.5,
        step_alerts=1.0,
        next_precision=0.5,
        next_alerts=1.0,
    )


def nearest_by_hand(documents, thresholds, rule, j, direction, band):
    """Sum the documents that moving threshold j alone adds or loses, nearest first."""
    end = float(documents.floors[j]) if direction == "down" else np.inf
    moved = [*thresholds[:j], end, *thresholds[j + 1 :]]
    rows = [
        (scores[j], positive, weight)
        for scores, positive, weight in zip(
            documents.scores.tolist(), documents.labels.tolist(), documents.weights.tolist(), strict=True
        )
        if is_flagged(scores, thresholds, rule) != is_flagged(scores, moved, rule)
    ]
    taken = positives = 0.0
    for score in sorted({row[0] for row in rows}, reverse=direction == "down"):
        if taken >= band:
            break
        taken += sum(weight for s, _, weight in rows if s == score)
        positives += sum(weight for s, positive, weight in rows if s == score and positive)
    return taken, positives


def assert_margin(weight, precision, taken, positives):
    assert close(weight, taken)
    assert np.isnan(precision) if taken == 0 else close(precision, positives / taken)


# No sum of the weights drawn here comes within rounding of these bands.
bands = st.sampled_from([0.53, 2.07, 3.57, 100.0])


class TestMargins:
    @given(st.data(), rated_documents(), rules, st.one_of(st.none(), bands))
    def test_documents_next_to_each_threshold_by_hand(self, data, documents, rule, band):
        thresholds = [data.draw(st.integers(int(floor), 8)) for floor in documents.floors]
        margins = classifier_margins(documents, point_at(documents, thresholds, rule), band=band)
        assert [margin.name for margin in margins] == list(documents.names)
        width = max(20.0, 0.05 * sum(count(documents, thresholds, rule))) if band is None else band
        for j, margin in enumerate(margins):
            added = nearest_by_hand(documents, thresholds, rule, j, "down", width)
            assert_margin(margin.added, margin.precision_added, *added)
            lost = nearest_by_hand(documents, thresholds, rule, j, "up", width)
            assert_margin(margin.lost, margin.precision_lost, *lost)

    @given(st.data(), rated_documents(), rules, bands)
    def test_on_surfaces_by_whole_nodes(self, data, documents, rule, band):
        surfaces = count_surfaces(documents, rule=rule, resolution=5)
        node = [data.draw(st.integers(0, len(axis) - 1)) for axis in surfaces.axes]
        thresholds = [float(axis[i]) for axis, i in zip(surfaces.axes, node, strict=True)]
        here = count(documents, thresholds, rule)
        for j, margin in enumerate(classifier_margins(surfaces, point_at(documents, thresholds, rule), band=band)):
            sides = []
            for nodes in (range(node[j] - 1, -1, -1), range(node[j] + 1, len(surfaces.axes[j]))):
                moved = positives = 0.0
                for i in nodes:
                    there = count(documents, [*thresholds[:j], surfaces.axes[j][i], *thresholds[j + 1 :]], rule)
                    moved, positives = abs(sum(there) - sum(here)), abs(there[0] - here[0])
                    if moved >= band:
                        break
                sides.append((moved, positives) if moved > 1e-9 else (0.0, 0.0))
            assert_margin(margin.added, margin.precision_added, *sides[0])
            assert_margin(margin.lost, margin.precision_lost, *sides[1])

    def test_margins_at_true_best_point_are_near_target(self):
        generator = np.random.default_rng(0)
        n = 100_000
        scores = generator.random((n, 2)) * np.eye(2)[generator.integers(0, 2, n)]
        labels = generator.random(n) < scores.max(axis=1) ** 2
        documents = RatedDocuments(scores, labels, floors=[0.0, 0.0])
        point = operating_point(graph_path(count_surfaces(documents, resolution=60)), 0.3)
        for margin in classifier_margins(documents, point, band=3000):
            assert margin.precision_added == pytest.approx(0.3, abs=0.06)
            assert margin.precision_lost == pytest.approx(0.3, abs=0.06)
            assert margin.precision_added < margin.precision_lost


def significant_digits(value):
    digits = "".join(map(str, Decimal(repr(float(value))).as_tuple().digits))
    return len(digits.strip("0")) or 1


scales = st.sampled_from([1e-300, 1e-12, 1e-3, 1.0, 1e3, 1e16, 1e80])


class TestRounding:
    @given(st.data(), scales, st.sampled_from([-1.0, 0.0, 0.3]))
    def test_rounded_thresholds_flag_same_documents(self, data, scale, shift):
        unit = st.one_of(st.floats(0, 1), st.integers(0, 10).map(lambda i: i / 10))
        scores = (np.array(data.draw(st.lists(unit, min_size=2, max_size=12))) + shift) * scale
        assume(scores.min() < scores.max())
        labels = [i % 2 == 0 for i in range(len(scores))]
        documents = RatedDocuments(scores, labels)
        candidates = [
            *scores.tolist(),
            *np.nextafter(scores, np.inf).tolist(),
            *(np.mean([a, b]) for a in scores for b in scores),
            float(np.nextafter(scores.max(), np.inf)),
        ]
        threshold = float(data.draw(st.sampled_from(candidates)))
        rounded = documents.round_thresholds([threshold])
        assert rounded.shape == (1,)
        np.testing.assert_array_equal(scores >= rounded[0], scores >= threshold)
        with np.errstate(over="ignore", under="ignore"):
            single = scores.astype(np.float32)
        is_distinct = len(np.unique(single)) == len(np.unique(scores)) and np.isfinite(single).all()
        if is_distinct and threshold > documents.floors[0]:
            np.testing.assert_array_equal(single.astype(np.float64) >= rounded[0], scores >= threshold)

    @given(st.lists(st.integers(-999, 999), min_size=3, max_size=8, unique=True), st.sampled_from([0.01, 0.001, 1.0]))
    def test_no_number_of_fewer_digits_would_do(self, numbers, unit):
        scores = sorted(round(number * unit, 3) for number in numbers)
        documents = RatedDocuments(scores, [i % 2 == 0 for i in range(len(scores))])
        for below, threshold in pairwise(scores):
            # Scores in single precision as well lie on the sides of the threshold.
            most, least = min(threshold, float(np.float32(threshold))), max(below, float(np.float32(below)))
            fewest = next(
                digits
                for digits in range(1, 18)
                if float(Context(prec=digits, rounding=ROUND_FLOOR).create_decimal(repr(most))) > least
            )
            assert significant_digits(documents.round_thresholds([threshold])[0]) == fewest

    def test_a_threshold_just_above_its_floor_stays_above_it(self):
        floor = 0.123456789
        documents = RatedDocuments([0.2, 0.3, 0.9], [0, 1, 1], floors=[floor])
        assert floor < documents.round_thresholds([0.15])[0] <= 0.2

    @pytest.mark.parametrize("highest", [-5.25, -1e-9, 0.0, 1e-12, 0.875, 257.0, 99.99, 123456.789, 1e30])
    def test_a_threshold_above_every_score_stays_above_them(self, highest):
        scores = np.array([highest - 3.0 * max(abs(highest), 1.0), highest])
        documents = RatedDocuments(scores, [0, 1])
        top = float(np.nextafter(highest, np.inf))
        rounded = documents.round_thresholds([top])[0]
        assert rounded > highest
        assert significant_digits(rounded) <= significant_digits(top)


class TestExport:
    @pytest.fixture(params=RULES)
    def chosen(self, request):
        documents = random_documents(9, k=2)
        surfaces = count_surfaces(documents, rule=request.param, resolution=30)
        return documents, operating_point(graph_path(surfaces), 0.5)

    def test_the_thresholds_in_the_json_flag_the_counts_in_it(self, chosen):
        documents, point = chosen
        record = json.loads(point_as_json(point, {"file": "ratings.csv"}))
        thresholds = [record["thresholds"][name] for name in documents.names]
        assert count(documents, thresholds, record["rule"]) == (record["true_positives"], record["false_positives"])
        assert record["alerts"] == record["true_positives"] + record["false_positives"]
        assert record["precision"] == pytest.approx(record["true_positives"] / record["alerts"])
        assert record["target_marginal_precision"] == 0.5
        assert record["status"] == point.status
        assert record["source"] == {"file": "ratings.csv"}
        assert {"any": "any score", "all": "every score"}[record["rule"]] in record["meaning"]

    def test_undefined_rates_are_null_in_the_json(self):
        point = operating_point(path_of([3, 0], [4, 0]), 0.9)
        record = json.loads(point_as_json(point), parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
        assert record["precision"] is None
        assert record["false_positives_per_true_positive"] is None
        assert record["alerts"] == 0
        assert record == point_as_dict(point)


def test_interval_of_margin_rests_on_what_its_weights_are_worth():
    generator = np.random.default_rng(4)
    scores, labels = generator.random((2_000, 2)), generator.random(2_000) < 0.3
    weights = generator.choice([1.0, 9.0], 2_000)
    point = point_at(RatedDocuments(scores, labels, weights), [0.8, 0.7], "any")
    for margin in classifier_margins(RatedDocuments(scores, labels, weights), point, band=600.0):
        for precision, (low, high) in (
            (margin.precision_added, margin.added_interval),
            (margin.precision_lost, margin.lost_interval),
        ):
            assert 0 < low < precision < high < 1
    same = RatedDocuments(scores, labels, np.full(2_000, 5.0))
    plain = RatedDocuments(scores, labels)
    for weighted, counted in zip(
        classifier_margins(same, point, band=500.0), classifier_margins(plain, point, band=100.0), strict=True
    ):
        assert weighted.added == 5 * counted.added
        assert weighted.added_interval == pytest.approx(counted.added_interval)
        wilson = binomtest(round(counted.precision_added * counted.added), round(counted.added)).proportion_ci(
            method="wilson"
        )
        assert counted.added_interval == pytest.approx((wilson.low, wilson.high))
