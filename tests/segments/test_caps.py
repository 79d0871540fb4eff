"""One target for all segments under a cap, against all pairs of points of two segments."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiloss_core import DataError
from tests.segments.samples import gated_paths, segmented, with_gate


@pytest.fixture(scope="module")
def paths():
    documents, names = segmented(1, rows=1_000, shares=(0.6, 0.4), rates=(0.08, 0.5))
    return gated_paths(documents, names, is_open=True)


@given(cap=st.floats(0, 1_200))
def test_cap_holds_and_is_used(paths, cap):
    points = paths.point_under(cap)
    total = points.own_total
    assert total.alerts <= cap * (1 + 1e-9)
    # Any lower target that changes a point exceeds the cap.
    for target in np.geomspace(0.01, 0.999, 15) * points.target:
        other = paths.points_at(target).own_total
        assert tuple(other) == tuple(total) or other.alerts > cap


@pytest.mark.parametrize("cap", [20, 100, 300])
def test_no_pair_of_points_catches_more(paths, cap):
    target = paths.point_under(cap).target
    chosen = []
    for path in paths.own:
        gains = path.smooth_tp - target * (path.smooth_tp + path.smooth_fp)
        best = np.flatnonzero(gains >= gains.max() - 1e-9)[0]
        chosen.append((path.smooth_tp[best], path.smooth_fp[best]))
    tp = sum(pair[0] for pair in chosen)
    alerts = sum(map(sum, chosen))
    first, second = (list(zip(path.smooth_tp, path.smooth_fp, strict=True)) for path in paths.own)
    for one, other in product(first, second):
        if sum(one) + sum(other) <= alerts + 1e-9:
            assert one[0] + other[0] <= tp + 1e-6


def test_expected_counts_of_points_are_the_best(paths):
    for target in (0.05, 0.3, 0.7):
        for path, point in zip(paths.own, paths.points_at(target).own, strict=True):
            gains = path.smooth_tp - target * (path.smooth_tp + path.smooth_fp)
            at = np.flatnonzero((path.thresholds == point.thresholds).all(axis=1))[0]
            assert gains[at] == pytest.approx(gains.max(), abs=1e-9)


def test_closed_gate_caps_the_common_thresholds(paths):
    total = with_gate(paths, is_open=False).point_under(200).common_total
    assert 0 < total.alerts <= 200


@pytest.mark.parametrize("cap", [-1, float("nan")])
def test_unusable_caps_are_rejected(paths, cap):
    with pytest.raises(DataError, match="A cap"):
        paths.point_under(cap)
