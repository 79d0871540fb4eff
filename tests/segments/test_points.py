"""Points of segments against documents counted one by one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiloss_core import DataError, RatedDocuments, operating_point, smooth_path
from multiloss_core.numerics.proportions import share_interval
from multiloss_core.segments.segment_paths import total
from multiloss_core.thresholds.data.undecided_documents import UndecidedDocuments
from tests.segments.samples import chosen, counted, gated_paths, segmented, with_gate

TARGETS = (0.02, 0.2, 0.45, 0.8, 0.99)
CASES = {
    "any": ("any", {}),
    "all": ("all", {}),
    "weights and groups": ("any", {"weighted": True, "groups": 40}),
}


@pytest.fixture(scope="module", params=CASES)
def case(request):
    rule, form = CASES[request.param]
    documents, names = segmented(3, rows=250, shares=(0.6, 0.4), rates=(0.1, 0.4), **form)
    return documents, names, gated_paths(documents, names, rule=rule, is_open=False), rule


def test_points_equal_counted_documents(case):
    documents, names, paths, rule = case
    for points in map(paths.points_at, TARGETS):
        for members, *pair in zip(paths.members, points.own, points.common, strict=True):
            for point in pair:
                tp, fp, squares = counted(documents, names, members, point.thresholds, rule)
                assert (point.tp, point.fp) == pytest.approx((tp, fp))
                if tp + fp:
                    size = (tp + fp) ** 2 / squares
                    share = tp / (tp + fp)
                    assert point.interval == pytest.approx(tuple(share_interval(share * size, size)))


def test_common_thresholds_are_those_of_smooth_path(case):
    documents, _, paths, rule = case
    path = smooth_path(documents, rule=rule)
    for target in TARGETS:
        point, points = operating_point(path, target), paths.points_at(target)
        assert all(np.array_equal(one.thresholds, point.thresholds) for one in points.common)
        assert tuple(points.common_total) == pytest.approx(tuple(point))


def test_own_points_are_operating_points_of_own_paths(case):
    _, _, paths, _ = case
    for target in TARGETS:
        for path, point in zip(paths.own, paths.points_at(target).own, strict=True):
            expected = operating_point(path, target)
            assert np.array_equal(point.thresholds, expected.thresholds)
            assert tuple(point) == pytest.approx(tuple(expected))
            assert point.marginal_precision == pytest.approx(expected.step_precision, abs=1e-9, nan_ok=True)
            assert not point.marginal_precision < target


def test_closed_gate_proposes_common_thresholds(case):
    for is_open, kind in ((False, "common"), (True, "own")):
        assert with_gate(case[2], is_open=is_open).points_at(0.3).proposed == kind


def test_totals_are_sums_of_points(case):
    points = case[2].points_at(0.3)
    for kind, total_of_kind in ((points.own, points.own_total), (points.common, points.common_total)):
        assert tuple(total_of_kind) == (sum(one.tp for one in kind), sum(one.fp for one in kind))


def test_undecided_alerts_are_counted_in_their_segment():
    documents, names = segmented(5, rows=250)
    generator = np.random.default_rng(6)
    scores, weights = generator.normal(size=(60, 2)).clip(documents.floors), generator.integers(1, 4, 60).astype(float)
    undecided = UndecidedDocuments(scores=scores, weights=weights, rows=np.arange(60))
    known = RatedDocuments(documents.scores, documents.labels, floors=documents.floors.tolist(), undecided=undecided)
    waiting = generator.choice(["s0", "s2", "new"], 60)
    paths = gated_paths(known, names, undecided=waiting, is_open=True)
    assert paths.members == (("s0",), ("s1",), ("s2",), ("new",))
    points = paths.points_at(0.3)
    for kind in (points.own, points.common):
        for members, point in zip(paths.members, kind, strict=True):
            here = chosen(scores, point.thresholds, "any") & np.isin(waiting, members)
            assert point.undecided == weights[here].sum()
    assert np.array_equal(points.own[3].thresholds, points.common[3].thresholds)
    # A cap counts undecided alerts, too.
    cap = 0.9 * sum(point.alerts + point.undecided for point in points.own)
    assert sum(point.alerts + point.undecided for point in paths.point_under(cap).own) <= cap


@given(first=st.floats(0.001, 0.999), second=st.floats(0.001, 0.999))
def test_total_falls_as_the_target_rises(case, first, second):
    low, high = (case[2].points_at(target) for target in sorted((first, second)))
    for kind in ("own", "common"):
        loose, strict = getattr(low, kind), getattr(high, kind)
        assert total(strict).tp <= total(loose).tp + 1e-9
        assert total(strict).fp <= total(loose).fp + 1e-9
        assert all((a.thresholds <= b.thresholds).all() for a, b in zip(loose, strict, strict=True))


@pytest.mark.parametrize("target", [0.0, 1.0, float("nan")])
def test_targets_outside_0_and_1_are_rejected(case, target):
    with pytest.raises(DataError, match="between 0 and 1"):
        case[2].points_at(target)
