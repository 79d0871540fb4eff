"""Small segments, missing names, and segments that cannot be used."""

import numpy as np
import pytest

from multiloss_core import DataError
from multiloss_core.segments import MAX_SEGMENTS, segment_paths
from multiloss_core.segments.rated_segments import POOLED, pooled
from tests.segments.samples import counted, gated_paths, segmented


def test_small_segments_are_pooled():
    documents, names = segmented(1, shares=(0.97, 0.01, 0.01, 0.01), rates=(0.3,) * 4)
    paths = gated_paths(documents, names, is_open=True)
    assert paths.names == ("s0", POOLED)
    assert set(paths.members[1]) == {"s1", "s2", "s3"}
    point = paths.points_at(0.3).own[1]
    assert (point.tp, point.fp) == counted(documents, names, paths.members[1], point.thresholds, "any")[:2]


@pytest.mark.parametrize("kind", [True, False])
def test_segment_of_one_class_works(kind):
    documents, names = segmented(2, rows=150, shares=(0.6, 0.4), scores=1)
    names[np.flatnonzero(documents.labels == kind)[:12]] = "odd"
    paths = gated_paths(documents, names, is_open=True)
    assert paths.names[-1] == "odd"
    point = paths.points_at(0.3).own[-1]
    assert (point.tp, point.fp)[int(kind)] == 0.0


def test_missing_names_are_a_segment():
    documents, names = segmented(2, rows=150, shares=(0.6, 0.4), scores=1)
    names[:40:2], names[1:40:2], names[40:80] = None, np.nan, 2
    paths = gated_paths(documents, names, is_open=True)
    assert {*paths.names} == {"s0", "s1", "(blank)", "2"}


def test_too_many_segments_leave_a_pool_of_the_smallest():
    names = [f"n{number}" for number in range(MAX_SEGMENTS + 5)]
    counts = np.column_stack([np.arange(100.0, 100.0 + len(names))] * 2)
    position, members = pooled(names, counts)
    assert len(members) == MAX_SEGMENTS
    assert members[-1] == tuple(reversed(names[:6]))
    assert position[0] == MAX_SEGMENTS - 1
    assert len(pooled(names[:MAX_SEGMENTS], counts[:MAX_SEGMENTS])[1]) == MAX_SEGMENTS


def test_segments_are_ordered_by_size():
    counts = np.array([[10.0, 6.0], [4.0, 100.0], [50.0, 20.0], [3.0, 3.0]])
    position, members = pooled(["a", "b", "c", "d"], counts)
    assert members == (("c",), ("a",), ("b", "d"))
    assert position.tolist() == [1, 2, 0, 2]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda names: np.full(len(names), "only"), "segment 'only'; choose a column with at least two values"),
        (lambda names: np.arange(len(names)), "No segment has at least 5 rated positives"),
        (lambda names: names[1:], "one segment for each of 60 documents, not 59"),
        (lambda names: np.column_stack([names, names]), r"not of shape \(60, 2\)"),
        (lambda names: {"s0": None}, "one segment name each"),
    ],
)
def test_unusable_segments_are_rejected(change, words):
    documents, names = segmented(5, rows=60, scores=1)
    with pytest.raises(DataError, match=words):
        segment_paths(documents, change(names))


def test_undecided_names_must_fit():
    documents, names = segmented(6, rows=100)
    with pytest.raises(DataError, match="each of 0 undecided alerts, not 2"):
        segment_paths(documents, names, undecided=["s0", "s1"])
