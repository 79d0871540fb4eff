from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiloss_core import DataError, RatedDocuments
from multiloss_core.inspection import contribution_words, contributions
from multiloss_core.numerics.proportions import effective_size, share_interval
from tests.thresholds.brute_force import HIGHEST, RULES, close, count, is_flagged, rated_documents

rules = st.sampled_from(RULES)


@st.composite
def documents_and_point(draw):
    documents = draw(rated_documents(classifiers=(1, 2, 3, 4)))
    thresholds = [draw(st.one_of(st.just(np.inf), st.integers(int(floor), HIGHEST + 1))) for floor in documents.floors]
    return documents, np.array(thresholds, dtype=float)


def reached_by(documents, thresholds):
    """List the classifiers that reach their thresholds for every document."""
    return [
        tuple(j for j, (score, value) in enumerate(zip(scores, thresholds, strict=True)) if score >= value)
        for scores in documents.scores.tolist()
    ]


@given(documents_and_point(), rules)
def test_document_counts_under_its_reaching_classifiers(drawn, rule):
    documents, thresholds = drawn
    reached = reached_by(documents, thresholds)
    for part in contributions(documents, thresholds, rule):
        members = [i for i, who in enumerate(reached) if who == part.classifiers]
        found = part.documents
        assert found.positions.tolist() == members
        tp = sum(documents.weights[i] for i in members if documents.labels[i])
        total = sum(documents.weights[i] for i in members)
        assert close(found.tp, tp)
        assert close(found.alerts, total)
        if members:
            size = effective_size(documents.weights[members])
            assert found.precision == pytest.approx(tp / total)
            assert found.interval == pytest.approx(tuple(share_interval(size * tp / total, size)))


@given(documents_and_point())
def test_rule_any_partitions_flagged_documents(drawn):
    documents, thresholds = drawn
    found = contributions(documents, thresholds, "any")
    everyone = range(len(documents.names))
    assert [part.classifiers for part in found] == [
        members for size in range(1, len(everyone) + 1) for members in combinations(everyone, size)
    ]
    assert all(part.flagged for part in found)
    tp, fp = count(documents, thresholds.tolist(), "any")
    assert close(sum(part.documents.tp for part in found), tp)
    assert close(sum(part.documents.fp for part in found), fp)


@given(documents_and_point())
def test_what_one_flags_alone_is_what_would_be_lost_without_it(drawn):
    documents, thresholds = drawn
    for part in contributions(documents, thresholds, "any")[: len(documents.names)]:
        (j,) = part.classifiers
        without = thresholds.copy()
        without[j] = np.inf
        lost = count(documents, thresholds.tolist(), "any")[0] - count(documents, without.tolist(), "any")[0]
        assert part.documents.tp == pytest.approx(lost, abs=1e-9)


@given(documents_and_point())
def test_rule_all_lists_flagged_then_held_back(drawn):
    documents, thresholds = drawn
    first, *others = contributions(documents, thresholds, "all")
    assert first.flagged
    assert first.classifiers == tuple(range(len(documents.names)))
    assert (first.documents.tp, first.documents.fp) == pytest.approx(count(documents, thresholds.tolist(), "all"))
    assert len(others) == (len(documents.names) if len(documents.names) > 1 else 0)
    for j, part in enumerate(others):
        assert not part.flagged
        assert j not in part.classifiers
        # Flagged if that classifier were not asked, and not when it is.
        freed = thresholds.copy()
        freed[j] = -np.inf
        expected = [
            i
            for i, scores in enumerate(documents.scores.tolist())
            if is_flagged(scores, freed, "all") and not is_flagged(scores, thresholds, "all")
        ]
        assert part.documents.positions.tolist() == expected


def test_contribution_words_name_the_classifiers():
    documents = RatedDocuments([[0.0, 1.0, 1.0], [1.0, 0.0, 0.0]], [0, 1], names=("a", "b", "c"))
    words = [contribution_words(part, documents.names) for part in contributions(documents, [1, 1, 1], "any")]
    assert words == ["a alone", "b alone", "c alone", "a and b", "a and c", "b and c", "a, b and c"]
    words = [contribution_words(part, documents.names) for part in contributions(documents, [1, 1, 1], "all")]
    assert words == ["a, b and c", "held back by a alone", "held back by b alone", "held back by c alone"]
    single = RatedDocuments([0.0, 1.0], [0, 1], names=("a",))
    assert [contribution_words(part, single.names) for part in contributions(single, [1], "all")] == ["a"]


def test_too_many_classifiers_and_bad_thresholds_are_rejected():
    five = RatedDocuments(np.array([[0.0] * 5, [1.0] * 5]), [0, 1])
    with pytest.raises(DataError, match="at most 4 classifiers, not 5"):
        contributions(five, [1.0] * 5, "any")
    one = RatedDocuments([0.0, 1.0], [0, 1])
    with pytest.raises(DataError, match="score 1"):
        contributions(one, [np.nan], "any")
    with pytest.raises(DataError, match="rule"):
        contributions(one, [1.0], "most")
