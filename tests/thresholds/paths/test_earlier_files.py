"""Test paths that rest on earlier files as well, against populations that stay and change."""

import numpy as np
import pytest

from benchmarks.drift import best_value, value_of
from benchmarks.earlier_files import GRID, drawn_alerts, populations_of
from multiloss_core import DataError, RatedDocuments, operating_point, operating_points, smooth_path
from multiloss_core.generalisation import bootstrap_points
from multiloss_core.thresholds.paths.smooth.path import path_of_fit
from multiloss_core.thresholds.paths.smooth.smooth_fit import smooth_fit


def files(kind, seed, positives=30):
    """Six files, the newest first."""
    generator = np.random.default_rng(seed)
    newest, *earlier = [drawn_alerts(one, positives, generator) for one in populations_of(kind, generator)][::-1]
    return newest, earlier


def value(documents, later, target=0.5):
    return value_of(later, operating_point(smooth_path(documents), target).thresholds, target)


@pytest.mark.slow
def test_earlier_files_of_the_same_population_reduce_the_loss():
    alone, together = 0.0, 0.0
    for seed in range(6):
        newest, earlier = files("stable", seed)
        generator = np.random.default_rng(100 + seed)
        later = drawn_alerts(populations_of("stable", generator)[-1], 5_000, generator)
        best = best_value(later, 0.5, GRID)
        alone += best - value(newest, later)
        together += best - value(newest.with_earlier(earlier), later)
    assert together < 0.7 * alone


@pytest.mark.slow
def test_files_that_cannot_predict_each_other_do_not_count():
    newest, earlier = files("rise", 1)
    fit = smooth_fit(newest.with_earlier(earlier))
    assert fit.earlier_weights.half_life == 0
    assert "do not count" in fit.earlier_weights.words
    np.testing.assert_array_equal(fit.expected, smooth_fit(newest).expected)


@pytest.mark.slow
def test_counts_stay_those_of_the_newest_file():
    newest, earlier = files("stable", 2)
    joined = newest.with_earlier(earlier)
    fit = smooth_fit(joined)
    assert fit.earlier_weights.half_life > 0
    assert fit.totals.sum() == pytest.approx(len(newest.labels))
    path = path_of_fit(joined, fit, "any")
    point = operating_point(path, 0.3)
    counts = newest.counts_at(point.thresholds)
    assert (point.tp, point.fp) == (counts.tp, counts.fp)
    assert (path.rated.tp, path.rated.fp) == (newest.totals.tp, newest.totals.fp)
    *_, found = bootstrap_points(joined, fit, path, [0.3], generator=np.random.default_rng(0), resamples=40)
    assert found.done == 40
    low, high = found.intervals(0.3).expected.tp.low, found.intervals(0.3).expected.tp.high
    assert low <= high <= len(newest.labels)


def test_a_refit_to_the_documents_themselves_changes_nothing():
    newest, earlier = files("stable", 3)
    fit = smooth_fit(newest.with_earlier(earlier))
    counts = np.array([np.bincount(fit.cells.slots[kind], minlength=len(fit.totals)) for kind in
                       (newest.labels, ~newest.labels)], dtype=float)  # fmt: skip
    again = fit.refitted(counts)
    np.testing.assert_allclose(again.totals, fit.totals)
    # As near as refits to files on their own come with their few steps.
    np.testing.assert_allclose(again.model.precision, fit.model.precision, atol=0.06)


def test_parts_keep_earlier_files_and_groups_stay_apart():
    newest, earlier = files("stable", 4)
    grouped = RatedDocuments(newest.scores, newest.labels, floors=[2.0, 2.0], groups=np.arange(len(newest.labels)) // 3)
    part = grouped.with_earlier(earlier[:2]).part(np.arange(200))
    assert len(part.earlier.labels) == len(earlier[0].labels) + len(earlier[1].labels)
    assert part.earlier.ages.tolist().count(1.0) == len(earlier[0].labels)
    joined = part.joined(part.earlier)
    assert not set(joined.groups[:200].tolist()) & set(joined.groups[200:].tolist())
    assert smooth_fit(part).earlier_weights is not None


def test_documents_below_the_newest_floors_are_left_out():
    newest, earlier = files("stable", 5)
    kept = (newest.scores >= 2.5).any(axis=1)
    strict = RatedDocuments(newest.scores[kept], newest.labels[kept], floors=[2.5, 2.5])
    joined = strict.with_earlier(earlier)
    assert (joined.earlier.scores >= 2.5).any(axis=1).all()
    assert joined.with_earlier(()).earlier is None


def test_files_of_other_scores_are_refused():
    newest, earlier = files("stable", 6)
    other = RatedDocuments(newest.scores, newest.labels, names=["a", "b"], floors=[2.0, 2.0])
    with pytest.raises(DataError, match="same columns"):
        newest.with_earlier([other])
    low = RatedDocuments(earlier[0].scores - 20, earlier[0].labels, floors=[-18.0, -18.0])
    with pytest.raises(DataError, match="No document of earlier file 1"):
        newest.with_earlier([low])


def test_every_point_inside_names_the_alerts_around_it():
    newest, earlier = files("stable", 7)
    path = smooth_path(newest.with_earlier(earlier))
    for point in operating_points(path, np.linspace(0.1, 0.6, 51)):
        assert point.step_alerts > 0
        assert point.step_precision >= point.marginal_precision - 1e-9 >= point.next_precision - 2e-9
