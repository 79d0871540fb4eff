import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiloss_core import DataError, RatedDocuments
from multiloss_core.inspection import contributions
from multiloss_core.numerics.proportions import effective_size, share_interval
from tests.brute_force import HIGHEST, RULES, close, count, is_flagged, rated_documents

rules = st.sampled_from(RULES)


@st.composite
def documents_and_point(draw):
    documents = draw(rated_documents(classifiers=(1, 2, 3, 4)))
    thresholds = [draw(st.one_of(st.just(np.inf), st.integers(int(floor), HIGHEST + 1))) for floor in documents.floors]
    return documents, np.array(thresholds, dtype=float)


def reached_by(documents, thresholds):
    """For every document, which classifiers reach their thresholds."""
    return [
        tuple(j for j, (score, value) in enumerate(zip(scores, thresholds, strict=True)) if score >= value)
        for scores in documents.scores.tolist()
    ]


@given(documents_and_point(), rules)
def test_document_counts_under_classifiers_that_reach_it(drawn, rule):
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
def test_under_all_first_part_is_flagged_others_held_back(drawn):
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


def test_five_classifiers_and_invalid_thresholds_are_refused():
    five = RatedDocuments(np.array([[0.0] * 5, [1.0] * 5]), [0, 1])
    with pytest.raises(DataError, match="at most 4 classifiers, not 5"):
        contributions(five, [1.0] * 5, "any")
    one = RatedDocuments([0.0, 1.0], [0, 1])
    with pytest.raises(DataError, match="score 1"):
        contributions(one, [np.nan], "any")
    with pytest.raises(DataError, match="rule"):
        contributions(one, [1.0], "most")
