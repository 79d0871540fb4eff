"""Estimates and intervals against closed forms and all samples of small populations."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import betabinom, binomtest, hypergeom

from multiloss_core import DataError, RatedDocuments
from multiloss_core import flagged as flags_of
from multiloss_core.audit import Audit, AuditStrata, drawn_frame, read_audit, unblocked_counts
from tests.audit.samples import population


def audit_estimates(rated, audit, thresholds=None, **options):
    return read_audit(rated, audit, **options).at(thresholds)


def documents(caught=3, others=2, *, weights=None):
    scores = np.linspace(0.5, 0.9, caught + others)
    return RatedDocuments(scores, np.arange(caught + others) >= others, weights, names=["a"], floors=[0.5])


def strata(count, *, block=np.inf):
    edges = np.array([[0.4], [0.3], [0.2]])[: count - 1].reshape(-1, 1)
    return AuditStrata(("a",), np.array([0.5]), edges, np.array([block]))


@pytest.mark.parametrize(
    ("size", "rated", "positives"), [(5_000, 200, 0), (5_000, 200, 1), (300, 200, 2), (900, 50, 9)]
)
def test_one_stratum_has_the_interval_of_jeffreys(size, rated, positives):
    audit = Audit(strata(1), np.array([size]), np.array([rated]), np.array([positives]))
    missed = audit_estimates(documents(), audit, draws=200_000).missed
    exact = betabinom(size - rated, positives + 0.5, rated - positives + 0.5)
    assert missed.estimate == size * positives / rated
    assert missed.low == pytest.approx(positives + exact.ppf(0.025), abs=1 + 0.01 * missed.estimate)
    assert missed.high == pytest.approx(positives + exact.ppf(0.975), rel=0.03)


SIZES, RATED = np.array([12, 25]), np.array([6, 9])


@pytest.fixture(scope="module")
def of_all_samples():
    return {
        found: audit_estimates(documents(), Audit(strata(2), SIZES, RATED, np.array(found)), draws=4_000)
        for found in product(range(RATED[0] + 1), range(RATED[1] + 1))
    }


def chances(truth):
    """Compute the probability of each pair of positives found."""
    parts = [
        hypergeom(size, positives, n).pmf(np.arange(n + 1))
        for size, positives, n in zip(SIZES, truth, RATED, strict=True)
    ]
    return {found: parts[0][found[0]] * parts[1][found[1]] for found in product(*(range(n + 1) for n in RATED))}


def test_intervals_cover_small_populations(of_all_samples):
    coverage = []
    for truth in product(range(6), range(5)):
        recall = 3 / (3 + sum(truth))
        coverage.append(
            sum(
                chance
                for found, chance in chances(truth).items()
                if of_all_samples[found].recall.low - 1e-9 <= recall <= of_all_samples[found].recall.high + 1e-9
            )
        )
    assert np.mean(coverage) > 0.93
    assert min(coverage) > 0.75


@pytest.mark.parametrize("truth", [(0, 0), (3, 1), (1, 6)])
def test_missed_positives_are_unbiased(of_all_samples, truth):
    mean = sum(chance * of_all_samples[found].missed.estimate for found, chance in chances(truth).items())
    assert mean == pytest.approx(sum(truth))


def test_prevalence_is_unbiased_over_draws():
    chosen = population(count=2_000, budget=300)
    plan, generator = chosen.plan, np.random.default_rng(0)
    numbers = plan.strata.assign(chosen.scores)
    truth = np.bincount(numbers[numbers >= 0], chosen.labels[numbers >= 0], 4).astype(int)
    estimates = []
    for _ in range(400):
        found = generator.hypergeometric(truth, plan.sizes - truth, plan.allocation)
        audit = Audit(plan.strata, plan.sizes, plan.allocation, found)
        estimates.append(audit_estimates(chosen.documents, audit, draws=100).prevalence.estimate)
    error = np.std(estimates) / 20
    assert np.mean(estimates) == pytest.approx(chosen.labels.mean(), abs=4 * error)


def test_a_complete_audit_has_no_uncertainty():
    audit = Audit(strata(2), np.array([10, 20]), np.array([10, 20]), np.array([2, 1]))
    estimates = audit_estimates(documents(), audit)
    assert (estimates.recall.low, estimates.recall.high) == (0.5, 0.5)
    assert estimates.f1.estimate == pytest.approx(2 * 3 / (3 + 3 + 5))
    assert estimates.prevalence.estimate == pytest.approx(6 / 35)


def test_audit_without_positives_bounds_recall():
    audit = Audit(strata(2), np.array([100, 900]), np.array([50, 100]), np.array([0, 0]))
    recall = audit_estimates(documents(), audit).recall
    assert (recall.estimate, recall.high) == (1, 1)
    assert recall.low < 0.9


def test_thresholds_above_the_floor_miss_rated_positives():
    audit = Audit(strata(1), np.array([10]), np.array([10]), np.array([1]))
    rated = documents(caught=4, others=1)
    estimates = audit_estimates(rated, audit, [0.75])
    assert rated.counts_at([0.75]).tp == 2
    assert estimates.missed.estimate == 3
    assert estimates.recall.estimate == pytest.approx(2 / 5)


def test_weights_count_rated_documents_many_times():
    audit = Audit(strata(1), np.array([10]), np.array([10]), np.array([1]))
    recall = audit_estimates(documents(weights=np.full(5, 3.0)), audit).recall
    assert recall.estimate == pytest.approx(9 / 10)


def test_blocked_documents_are_caught_and_cost_negatives():
    audit = Audit(strata(1, block=0.95), np.array([100, 40]), np.array([100, 20]), np.array([2, 15]))
    estimates = audit_estimates(documents(), audit)
    exact = betabinom(20, 5.5, 15.5)
    assert estimates.false_blocks.estimate == 10
    assert estimates.false_blocks.low == pytest.approx(5 + exact.ppf(0.025), abs=1)
    assert estimates.false_blocks.high == pytest.approx(5 + exact.ppf(0.975), abs=1)
    assert estimates.recall.estimate == pytest.approx((3 + 30) / (3 + 30 + 2))
    assert estimates.missed.low == estimates.missed.high == 2


def test_the_audit_must_fit_the_documents():
    audit = Audit(strata(2), np.array([10, 20]), np.array([5, 5]), np.array([1, 0]))
    with pytest.raises(DataError, match="below the rating floors"):
        audit_estimates(documents(), audit, [0.4])
    with pytest.raises(DataError, match="other scores or floors"):
        audit_estimates(RatedDocuments([0.6, 0.7], [0, 1], names=["a"], floors=[0.55]), audit)
    with pytest.raises(DataError, match="no rating in stratum 1"):
        audit_estimates(documents(), Audit(strata(2), np.array([10, 20]), np.array([5, 0]), np.array([1, 0])))


def test_the_audit_alone_counts_blocked_documents():
    audit = Audit(strata(1, block=0.85), np.array([10, 4]), np.array([10, 4]), np.array([1, 3]))
    rated = documents(caught=3, others=2)
    assert rated.counts_at([0.85]).tp == 1
    estimates = audit_estimates(rated, audit)
    assert estimates.recall.estimate == pytest.approx((2 + 3) / (2 + 3 + 1))


def test_joined_documents_estimate_counts_below_the_floors():
    chosen = population(count=20_000, budget=3_000)
    frame = drawn_frame(chosen.plan, chosen.frame, "id")
    audit = Audit.from_frame(frame, chosen.plan, "rating", positive="fraud")
    joined = audit.joined(chosen.documents)
    reading = read_audit(chosen.documents, audit)
    everything = chosen.documents.totals.tp + reading.found.sum()
    assert joined.totals.tp == pytest.approx(everything)
    assert joined.totals.alerts == pytest.approx(len(chosen.labels))
    at = chosen.plan.strata.edges[1]
    flags = (chosen.scores >= at).any(axis=1)
    assert joined.counts_at(at).alerts == pytest.approx(flags.sum(), rel=0.1)
    assert joined.counts_at(at).tp == pytest.approx(chosen.labels[flags].sum(), rel=0.15)
    with pytest.raises(DataError, match="Only counts"):
        Audit(audit.strata, audit.sizes, audit.rated, audit.positives).joined(chosen.documents)


def test_more_ratings_go_where_the_interval_narrows_most():
    audit = Audit(strata(2), np.array([1_000, 50_000]), np.array([500, 50]), np.array([20, 1]))
    reading = read_audit(documents(), audit)
    stratum, recall = reading.with_more(400, reading.rated)
    now = reading.at().recall
    assert stratum == 1
    assert recall.high - recall.low < now.high - now.low


def test_every_document_rated_narrows_to_a_point():
    audit = Audit(strata(1), np.array([100]), np.array([50]), np.array([1]))
    reading = read_audit(documents(), audit)
    _, recall = reading.with_more(10_000, reading.rated)
    assert recall.low == recall.high == pytest.approx(3 / 5)


def test_strata_reach_a_marginal_precision_or_not():
    audit = Audit(
        strata(3, block=0.95), np.array([500, 900, 40, 0]), np.array([100, 100, 40, 0]), np.array([30, 4, 1, 0])
    )
    found = read_audit(documents(), audit).strata_at(0.05)
    assert [one.worth for one in found] == ["yes", "unknown", "no", "unknown"]
    for one in found[:2]:
        test = binomtest(round(one.share.estimate * one.rated), one.rated).proportion_ci(method="wilson")
        assert (one.share.low, one.share.high) == pytest.approx((test.low, test.high))
        assert one.positives.high == pytest.approx(one.documents * test.high)
    assert found[2].share.low == found[2].share.high == 1 / 40
    assert found[3].blocked
    assert np.isnan(found[3].share.estimate)


@pytest.mark.parametrize("at", [(2.5, 3.2), (3.6, 3.6), (1.6, 1.8)])
def test_blocks_need_not_lie_above_the_thresholds(at):
    blocks = np.array([3.0, 2.4])
    chosen = population(count=8_000, blocks=blocks.tolist())
    scores, labels, strata = chosen.scores, chosen.labels, chosen.plan.strata
    kept = flags_of(scores, strata.floors, "any")
    rated = RatedDocuments(scores[kept], labels[kept], names=strata.names, floors=strata.floors.tolist())
    numbers = strata.assign(scores)
    positives = np.bincount(numbers[labels & (numbers >= 0)], minlength=strata.count)
    everything = Audit(strata, strata.sizes(scores), strata.sizes(scores), positives)
    found = read_audit(rated, everything).at(at)
    caught = flags_of(scores, np.array(at), "any") | flags_of(scores, blocks, "any")
    assert found.recall.estimate == pytest.approx(labels[caught].sum() / labels.sum())
    assert found.f1.estimate == pytest.approx(2 * labels[caught].sum() / (caught.sum() + labels.sum()))
    assert found.caught == labels[flags_of(scores, np.array(at), "any") & ~flags_of(scores, blocks, "any")].sum()
    with pytest.raises(DataError, match="need the rule that any"):
        unblocked_counts(rated, strata, at, "all")


def test_a_large_stratum_with_few_ratings_stays_uncertain():
    sizes = np.array([1_000, 100_000])
    reading = read_audit(documents(), Audit(strata(2), sizes, np.array([500, 3]), np.array([3, 0])))
    # A share of .1 % there is 100 missed.
    assert reading.at().missed.high > 100
