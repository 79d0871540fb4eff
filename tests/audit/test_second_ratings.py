"""Second ratings of positives below the floors: whose they are, and what they change."""

import numpy as np
import pytest

from multiloss_core import DataError, RatedDocuments
from multiloss_core.audit import Audit, AuditStrata, drawn_frame, read_audit
from tests.audit.samples import population


@pytest.fixture
def chosen():
    return population(blocks=[3.0, 3.2], budget=400)


@pytest.fixture
def drawn(chosen):
    return drawn_frame(chosen.plan, chosen.frame, "id", seed=2).reset_index(drop=True)


def audit_of(chosen, rows, **options):
    return Audit.from_frame(rows, chosen.plan, "rating", positive="fraud", **options)


def test_positives_below_the_floors_are_listed_by_weight(chosen, drawn):
    audit = audit_of(chosen, drawn)
    rows = drawn[(drawn["rating"] == "fraud") & (drawn["audit_stratum"] < 4)]
    listed = audit.positives_below()
    assert sorted(one.key for one in listed) == sorted(rows["id"].astype(str))
    stands_for = [(1 / drawn["audit_probability"][drawn["id"] == int(one.key)]).item() for one in listed]
    assert stands_for == pytest.approx(sorted(stands_for, reverse=True))
    assert [audit.weights[one.stratum] for one in listed] == pytest.approx(stands_for)
    # Undecided rows do not shift the keys; rows without identifiers have numbers.
    drawn.loc[:20, "rating"] = None
    fewer = {one.key for one in audit_of(chosen, drawn).positives_below()}
    assert fewer == set(rows["id"][rows.index > 20].astype(str))
    numbers = {one.key for one in audit_of(chosen, drawn.rename(columns={"id": "number"})).positives_below()}
    assert numbers == {f"row {row + 1}" for row in rows.index[rows.index > 20]}


def test_a_refuted_positive_counts_as_negative(chosen, drawn):
    audit = audit_of(chosen, drawn)
    first, second = audit.positives_below()[:2]
    ids = [int(first.key), int(second.key)]
    after = audit.refuted([first.key, second.key, first.key])
    corrected = drawn.assign(rating=drawn["rating"].where(~drawn["id"].isin(ids), "ok"))
    again = audit_of(chosen, corrected)
    for name in ("sizes", "rated", "positives", "labels", "scores"):
        assert (getattr(after, name) == getattr(again, name)).all()
    estimates, expected = (read_audit(chosen.documents, one).at() for one in (after, again))
    assert vars(estimates) == vars(expected)
    assert any("2 positives are negative by a second rating" in note for note in after.notes)
    assert audit.refuted([]) is audit
    with pytest.raises(DataError, match="no positive with the key '77'"):
        audit.refuted(["77"])
    # A refuted one is no positive any more.
    with pytest.raises(DataError, match="no positive"):
        after.refuted([first.key])


def test_counts_alone_have_no_keys(chosen, drawn):
    audit = audit_of(chosen, drawn)
    counts = Audit(audit.strata, audit.sizes, audit.rated, audit.positives)
    assert counts.positives_below() == ()
    with pytest.raises(DataError, match="Only counts"):
        counts.refuted(["1"])


def test_a_sentence_states_what_a_rating_stands_for():
    strata = AuditStrata(("a",), np.array([0.5]), np.array([[0.3]]), np.array([0.95]))
    rated = RatedDocuments([0.6, 0.7], [0, 1], names=["a"], floors=[0.5])
    sizes, ratings = np.array([200, 40_000, 50]), np.array([100, 400, 50])
    words = read_audit(rated, Audit(strata, sizes, ratings, np.array([3, 1, 7]))).weight_of_positives()
    assert words == (
        "Missed positives below the floors: about 106, estimated from 4 positives among 500 ratings. A single rating "
        "stands for up to 100 of them."
    )
    assert read_audit(rated, Audit(strata, sizes, ratings, np.array([0, 0, 7]))).weight_of_positives() == ""


@pytest.mark.slow
def test_second_ratings_restore_the_coverage():
    # Sizes, ratings and positives of strata as of 1,000,000 documents with a prevalence of .3 %.
    sizes, rated = np.array([30_000, 80_000, 240_000, 640_000]), np.array([400, 450, 550, 600])
    truth, caught, error = np.array([450, 150, 75, 25]), 1_500, 1e-3
    strata = AuditStrata(("a",), np.array([0.5]), np.array([[0.4], [0.3], [0.2]]), np.array([np.inf]))
    documents = RatedDocuments([0.6, 0.7], [0, 1], [1_000, caught], names=["a"], floors=[0.5])
    recall, generator, covered = caught / (caught + truth.sum()), np.random.default_rng(5), []
    for _ in range(400):
        found = generator.hypergeometric(truth, sizes - truth, rated)
        # Both ratings err alike, and a second one is given to each positive of the first.
        right, wrong = generator.binomial(found, 1 - error), generator.binomial(rated - found, error)
        second = generator.binomial(right, 1 - error) + generator.binomial(wrong, error)
        intervals = [
            read_audit(documents, Audit(strata, sizes, rated, one), draws=2_000).at().recall
            for one in (right + wrong, second)
        ]
        covered.append([one.low <= recall <= one.high for one in intervals])
    once, twice = np.mean(covered, axis=0)
    assert once < 0.85
    assert twice >= 0.93
