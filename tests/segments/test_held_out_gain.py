"""The decision between own and common thresholds."""

from dataclasses import replace

import numpy as np
import pytest

from multiloss_core import RatedDocuments
from multiloss_core.segments import segment_paths
from multiloss_core.segments.held_out_gain import GATE_TARGETS, Gate, gate_of
from multiloss_core.segments.rated_segments import RatedSegments, segments_of_documents
from multiloss_core.segments.segment_fits import MAX_LOG_ODDS, log_odds
from multiloss_core.thresholds.paths.smooth.smooth_fit import smooth_fit
from tests.segments.samples import gated_paths, segmented


def test_equal_segments_keep_common_thresholds():
    documents, names = segmented(1, rows=600, shares=(0.6, 0.4), scores=1)
    paths = segment_paths(documents, names)
    assert not paths.gate.is_open
    assert paths.points_at(0.1).proposed == "common"
    assert np.abs(paths.shifts[:, 0]).max() < 0.5


@pytest.mark.slow
def test_different_segments_get_own_thresholds():
    documents, names = segmented(2, rows=600, rates=(0.05, 0.3, 0.7), scores=1)
    paths = segment_paths(documents, names)
    assert paths.gate.is_open
    # The share of positives rises from s0 to s2, and so do the log odds.
    assert (np.diff([paths.shifts[paths.names.index(f"s{number}"), 0] for number in range(3)]) > 0.5).all()
    gain = paths.points_at(0.3).held_out_gain
    assert gain.low < gain.estimate < gain.high
    parts = paths.points_at(0.3).held_out_gains
    assert sum(part.estimate for part in parts) == pytest.approx(gain.estimate)


@pytest.mark.parametrize("mean", [0.5, 1.0, 2.0, 4.0])
def test_stated_gain_is_right_where_the_gate_opens(mean):
    """Of normal statistics, those above the minimum are too large on average."""
    drawn = np.random.default_rng(0).normal(mean, 1.0, 500)
    gates = [
        Gate(is_open=True, statistic=one, gains=np.empty(0), errors=np.empty(0), total_errors=np.empty(0))
        for one in drawn[drawn > 1].tolist()
    ]
    told = np.mean([gate.kept_share * gate.statistic for gate in gates])
    assert abs(told - mean) < 0.3
    assert abs(told - mean) <= abs(drawn[drawn > 1].mean() - mean) + 0.1
    assert min(gate.kept_share for gate in gates) >= 0


@pytest.mark.parametrize("groups", [1, 30])
def test_folds_keep_groups_whole_unless_there_is_one(groups):
    documents, names = segmented(4, groups=groups, rows=200)
    rated, _ = segments_of_documents(documents, smooth_fit(documents), names)
    assert rated.folds == 5
    if groups > 1:
        assert all(len(set(rated.row_fold[documents.groups == group])) == 1 for group in range(groups))


@pytest.mark.parametrize("grouped", [False, True])
def test_gains_and_errors_equal_loops_over_documents(grouped):
    documents, names = segmented(5, rows=300, weighted=True, groups=20 if grouped else None)
    rated, _ = segments_of_documents(documents, smooth_fit(documents), names)
    generator = np.random.default_rng(0)
    own, common = generator.integers(0, len(GATE_TARGETS) + 1, (2, 300))
    gate = gate_of(rated, own, common)
    units = documents.groups if grouped else np.arange(300)
    summed = np.zeros(units.max() + 1)
    for t, target in enumerate(GATE_TARGETS):
        values = np.zeros((len(rated.names), units.max() + 1))
        for i in range(300):
            worth = 1.0 if documents.labels[i] else -target / (1 - target)
            change = documents.weights[i] * worth * (int(own[i] > t) - int(common[i] > t))
            values[rated.names.index(names[i]), units[i]] += change
            summed[units[i]] += (1 - target) * change
        assert gate.gains[:, t] == pytest.approx(values.sum(axis=1))
        assert gate.errors[:, t] == pytest.approx(np.sqrt((values**2).sum(axis=1)))
        assert gate.total_errors[t] == pytest.approx(np.sqrt((values.sum(axis=0) ** 2).sum()))
    assert gate.statistic == pytest.approx(summed.sum() / np.sqrt((summed**2).sum()))


def test_order_of_documents_does_not_matter():
    documents, names = segmented(6, rows=200, shares=(0.6, 0.4), scores=1)
    # Documents with equal scores and labels are interchangeable only in one segment.
    scores = documents.scores + np.arange(len(names))[:, np.newaxis] * 1e-6
    points = []
    for rows in (np.arange(len(names)), np.random.default_rng(0).permutation(len(names))):
        known = RatedDocuments(scores[rows], documents.labels[rows], floors=scores.min(axis=0).tolist())
        points.append(gated_paths(known, names[rows], is_open=True).points_at(0.3).own)
    assert [tuple(point) for point in points[0]] == [tuple(point) for point in points[1]]


def test_one_fold_closes_the_gate():
    documents, names = segmented(7, rows=150, scores=1)
    paths = segment_paths(documents, names, hold_out=False)
    rated = paths.rated
    alone = RatedSegments(**{**rated.__dict__, "row_fold": np.zeros_like(rated.row_fold)})
    paths = replace(paths, rated=alone).held_out()
    assert not paths.gate.is_open
    assert paths.points_at(0.3).held_out_gain.reason


def test_scores_that_separate_all_positives():
    """The fitted precision reaches 1, by rounding a little more."""
    generator = np.random.default_rng(3)
    labels = np.arange(400) < 80
    scores = np.column_stack([generator.random(400) + 5.0 * labels, generator.random(400) + 4.0 * labels])
    documents = RatedDocuments(scores, labels, floors=[0.0, 0.0])
    assert log_odds(np.array([0.0, 1.0 + 1e-15])).tolist() == [-MAX_LOG_ODDS, MAX_LOG_ODDS]
    points = gated_paths(documents, np.where(np.arange(400) % 2, "a", "b"), is_open=False).points_at(0.5)
    assert (points.common_total.tp, points.common_total.fp) == (80.0, 0.0)
