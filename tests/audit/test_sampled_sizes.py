"""Strata that were counted in a random sample: coverage by simulation, draws and plans."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import betabinom

from multiloss_core import DataError, RatedDocuments
from multiloss_core.audit import (
    Audit,
    AuditStrata,
    audit_scores,
    drawn_frame,
    plan_audit,
    plan_from_json,
    plan_json,
    read_audit,
    score_strata,
)
from multiloss_core.audit.intervals import drawn_sizes
from tests.audit.samples import population


def coverage(counted, audits=300, documents=100_000):
    """Simulate audits whose strata and sizes come from a sample: coverage with and without it."""
    generator = np.random.default_rng(counted)
    labels = generator.random(documents) < 0.02
    scores = generator.normal(size=documents) + 2.5 * labels
    floor = np.quantile(scores, 0.985)
    above = scores >= floor
    rated_documents = RatedDocuments(scores[above], labels[above], names=["a"], floors=[floor])
    order = np.argsort(-scores[~above])
    below, found_before = -scores[~above][order], np.append(0, np.cumsum(labels[~above][order]))
    recall, covered = labels[above].sum() / labels.sum(), []
    for _ in range(audits):
        sample = scores[generator.choice(documents, counted, replace=False)]
        strata = score_strata(sample, [floor], names=["a"])
        counts = strata.sizes(sample)
        sizes = np.rint(counts * (documents / counted)).astype(int)
        # The true strata and their positives, from sorted scores.
        ends = np.append(np.searchsorted(below, -strata.edges[:, 0], side="right"), len(below))
        truth, positives = np.diff(ends, prepend=0), np.diff(found_before[ends], prepend=0)
        rated = np.minimum(1_500 // len(counts), np.minimum(truth, sizes))
        found = generator.hypergeometric(positives, truth - positives, rated)
        intervals = [
            read_audit(rated_documents, Audit(strata, sizes, rated, found, counted_from=sampled), draws=2_000)
            .at()
            .recall
            for sampled in (int(counts.sum()), None)
        ]
        covered.append([one.low <= recall <= one.high for one in intervals])
    return np.mean(covered, axis=0)


@pytest.mark.slow
@pytest.mark.parametrize("counted", [300, 5_000])
def test_recall_is_covered_with_sizes_from_a_sample(counted):
    drawn, taken_as_known = coverage(counted)
    assert 0.93 <= drawn <= 0.99
    assert drawn >= taken_as_known
    if counted == 300:
        assert taken_as_known < 0.9


@given(st.integers(1, 60), st.integers(1, 60), st.integers(0, 2_000))
@settings(max_examples=20)
def test_drawn_sizes_are_beta_binomial_in_two_strata(first, second, others):
    counted = first + second
    # Multiples of the counts, so that the sample is known exactly.
    factor = 1 + others // counted
    sizes, rest = factor * np.array([first, second]), (factor - 1) * counted
    drawn = drawn_sizes(sizes, counted, np.random.default_rng(0), 4_000)
    assert (drawn.sum(axis=1) == sizes.sum()).all()
    exact = betabinom(rest, first, second)
    assert drawn[:, 0].mean() == pytest.approx(first + exact.mean(), abs=5 * exact.std() / np.sqrt(4_000) + 1e-9)
    assert drawn[:, 0].std() == pytest.approx(exact.std(), rel=0.2, abs=1e-9)


def blocked_audit(counted_from):
    strata = AuditStrata(("a",), np.array([0.5]), np.array([[0.3]]), np.array([0.95]))
    return Audit(
        strata,
        np.array([2_000, 7_000, 1_000]),
        np.array([300, 300, 100]),
        np.array([30, 3, 60]),
        counted_from=counted_from,
    )


def reading_of(audit):
    return read_audit(RatedDocuments([0.6, 0.7, 0.8], [0, 1, 1], names=["a"], floors=[0.5]), audit)


def test_all_estimates_use_the_drawn_sizes():
    few, many, known = (reading_of(blocked_audit(counted)) for counted in (200, 10_000, None))
    for name in ("recall", "f1", "missed", "prevalence", "false_blocks"):
        one, exact, wide = (getattr(each.at(), name) for each in (many, known, few))
        # A sample of all documents is no sample.
        assert (one.estimate, one.low, one.high) == pytest.approx((exact.estimate, exact.low, exact.high), rel=0.02)
        assert wide.estimate == exact.estimate
        assert wide.high - wide.low > exact.high - exact.low
    for one, exact, wide in zip(*(each.strata_at(0.1) for each in (many, known, few)), strict=True):
        assert one.positives == exact.positives
        assert one.share == exact.share == wide.share
        assert wide.positives.low < exact.positives.low
        assert wide.positives.high > exact.positives.high
    assert few.with_more(100, few.rated)[1].low < known.with_more(100, known.rated)[1].low


@pytest.fixture
def sampled():
    """A plan whose sizes are scaled up from every fourth document."""
    chosen = population(count=8_000)
    sample = chosen.frame.iloc[::4]
    counts = chosen.plan.strata.sizes(audit_scores(sample, chosen.plan.strata.names))
    plan = plan_audit(
        *(chosen.plan.strata, 4 * counts, chosen.plan.expected),
        caught=chosen.plan.caught,
        budget=200,
        counted_from=int(counts.sum()),
    )
    return chosen.frame, sample, counts, plan


def test_a_draw_from_the_sample_keeps_the_sizes_of_the_plan(sampled):
    _, sample, counts, plan = sampled
    rows = drawn_frame(plan, sample, "id")
    audit = Audit.from_frame(rows, plan, "rating", positive="fraud")
    assert audit.counted_from == counts.sum()
    assert audit.sizes.tolist() == (4 * counts).tolist()
    assert audit.rated.tolist() == np.minimum(plan.allocation, counts).tolist()
    assert any(f"a sample of {counts.sum():,} of" in note for note in audit.notes)
    # A stratum without a row is missing, not larger.
    fewer = rows[rows["audit_stratum"] != 1]
    audit = Audit.from_frame(fewer, plan, "rating", positive="fraud", allow_missing=True)
    assert audit.missing == min(plan.allocation[1], counts[1])


def test_a_draw_from_all_documents_has_known_sizes(sampled):
    frame, _, counts, plan = sampled
    audit = Audit.from_frame(drawn_frame(plan, frame, "id"), plan, "rating", positive="fraud")
    assert audit.counted_from is None
    assert audit.sizes.tolist() == plan.strata.sizes(audit_scores(frame, plan.strata.names)).tolist()
    assert audit.sizes.tolist() != (4 * counts).tolist()


def test_plan_keeps_its_sample_and_refuses_a_changed_one(sampled):
    plan = sampled[-1]
    content = json.loads(plan_json(plan))
    assert plan_from_json(plan_json(plan)).counted_from == plan.counted_from
    assert "counted_from" not in json.loads(plan_json(replace(plan, counted_from=None)))
    for value in (0, -3, 1.5, "40", True, None, [], 10**13):
        with pytest.raises(DataError):
            plan_from_json(json.dumps(content | {"counted_from": value}))


@pytest.mark.parametrize("counted", [0, 10_001, 1.5, np.nan])
def test_impossible_samples_are_rejected(counted):
    with pytest.raises(DataError, match="cannot be counted in"):
        blocked_audit(counted)
