"""Test that older documents count less exactly where that predicts the newest ones better."""

import numpy as np
import pytest

from benchmarks.drift import alerts, documents_of
from multiloss_core import DataError, RatedDocuments, operating_point, smooth_path
from multiloss_core.generalisation import bootstrap_points
from multiloss_core.thresholds.paths.age_weights import AgeWeights, choose_age_weights
from multiloss_core.thresholds.paths.smooth.path import path_of_fit
from multiloss_core.thresholds.paths.smooth.smooth_fit import smooth_fit

DAYS = 91


def sample(kind, seed=0, positives=150):
    return documents_of(alerts(kind, positives, np.random.default_rng(seed)), aged=True)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "seed"), [("break", 0), ("rise", 1)])
def test_change_of_fraud_makes_older_documents_count_less(kind, seed):
    found = smooth_fit(sample(kind, seed)).age_weights
    assert found.half_life < DAYS / 2
    assert found.gain > 1.5 * found.standard_error


@pytest.mark.slow
def test_without_change_all_count_alike_in_most_samples():
    halves = [smooth_fit(sample("none", seed)).age_weights.half_life for seed in range(12)]
    assert sum(half is not None for half in halves) <= 4


@pytest.mark.slow
def test_path_is_that_of_equal_weights_where_these_stay():
    documents = sample("none", 1)
    assert smooth_fit(documents).age_weights == AgeWeights()
    aged, equal = smooth_path(documents), smooth_path(documents.with_ages(None))
    np.testing.assert_array_equal(aged.thresholds, equal.thresholds)
    assert smooth_fit(documents.with_ages(None)).age_weights is None


def test_thresholds_suit_newest_documents_and_count_all():
    """After the break frauds are high on the second score, before it on the first one."""
    documents = sample("break", positives=400)
    aged = operating_point(smooth_path(documents), 0.5)
    equal = operating_point(smooth_path(documents.with_ages(None)), 0.5)
    assert aged.thresholds[1] < equal.thresholds[1]
    assert aged.thresholds[0] > equal.thresholds[0]
    flagged = (documents.scores >= aged.thresholds).any(axis=1)
    assert (aged.tp, aged.fp) == ((flagged & documents.labels).sum(), (flagged & ~documents.labels).sum())


def test_fit_counts_each_document_with_its_age_weight():
    documents = sample("break")
    fit = smooth_fit(documents)
    weights = fit.age_weights.weights(documents.ages)
    assert weights.mean() == pytest.approx(1.0)
    older = np.argmin(np.abs(documents.ages - fit.age_weights.half_life))
    newest = np.argmin(documents.ages)
    assert weights[older] / weights[newest] == pytest.approx(0.5, rel=0.02)
    np.testing.assert_allclose(fit.totals, np.bincount(fit.cells.slots, weights, len(fit.totals)))
    np.testing.assert_allclose(fit.positives, np.bincount(fit.cells.slots, weights * documents.labels))
    # A refit to the counts of the file itself weighs them in the same way.
    kinds = documents.labels, ~documents.labels
    plain = np.array([np.bincount(fit.cells.slots[kind], minlength=len(fit.totals)) for kind in kinds])
    again = fit.refitted(plain.astype(np.float64))
    np.testing.assert_allclose(again.totals, fit.totals)
    np.testing.assert_allclose(again.positives, fit.positives)


@pytest.mark.slow
def test_log_likelihood_gain_is_that_of_the_newest_fifth():
    """With labels of the newest documents shuffled nothing predicts them."""
    documents = sample("break")
    newest = documents.ages <= np.quantile(documents.ages, 0.2)
    labels = documents.labels.copy()
    labels[newest] = np.random.default_rng(0).permutation(labels[newest])
    shuffled = RatedDocuments(documents.scores, labels, floors=documents.floors.tolist(), ages=documents.ages)
    gains = [smooth_fit(one).age_weights.gain for one in (documents, shuffled)]
    assert gains[0] > 2 * gains[1]


@pytest.mark.slow
def test_intervals_are_of_all_documents():
    documents = sample("break")
    fit = smooth_fit(documents)
    path = path_of_fit(documents, fit, "any")
    *_, found = bootstrap_points(documents, fit, path, [0.5], generator=np.random.default_rng(0), resamples=50)
    intervals = found.intervals(0.5)
    assert intervals.expected.tp.low <= intervals.in_sample.tp <= intervals.expected.tp.high * 1.1
    assert intervals.in_sample.tp == operating_point(path, 0.5).tp


@pytest.mark.parametrize("case", ["one day", "few positives", "one group"])
def test_nothing_is_chosen_without_evidence(case):
    documents = sample("break", positives=12 if case == "few positives" else 150)
    if case == "one day":
        documents = documents.with_ages(np.zeros(len(documents.labels)))
    if case == "one group":
        groups = np.zeros(len(documents.labels), dtype=int)
        documents = RatedDocuments(
            documents.scores,
            documents.labels,
            floors=documents.floors.tolist(),
            groups=groups,
            ages=documents.ages,
        )
    fit = smooth_fit(documents.with_ages(None))
    found = choose_age_weights(documents, documents.ages, fit.cells.slots, lambda c: fit.refitted(c).precision)
    assert found.half_life is None


def test_parts_keep_their_ages():
    documents = sample("none")
    rows = np.arange(0, len(documents.labels), 2)
    np.testing.assert_array_equal(documents.part(rows).ages, documents.ages[rows])


@pytest.mark.parametrize("ages", [[1.0], [-1.0, 0.0, 1.0], [np.nan, 0.0, 1.0], [np.inf, 0.0, 1.0], ["a", 0, 1]])
def test_unusable_ages_are_refused(ages):
    with pytest.raises(DataError, match=r"[Aa]ge"):
        RatedDocuments([[0.1], [0.2], [0.3]], [1, 0, 1], ages=ages)


@pytest.mark.parametrize(
    ("half_life", "words"), [(None, "as much"), (35.0, "5 weeks"), (3.2, "3 days"), (7.0, "7 days")]
)
def test_words_name_the_half_life(half_life, words):
    assert words in AgeWeights(half_life=half_life).words
