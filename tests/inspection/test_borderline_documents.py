import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiloss_core import RatedDocuments
from multiloss_core.inspection import borderline_documents
from tests.brute_force import HIGHEST, RULES, is_flagged, rated_documents

rules = st.sampled_from(RULES)


@st.composite
def documents_and_point(draw):
    documents = draw(rated_documents())
    thresholds = [draw(st.one_of(st.just(np.inf), st.integers(int(floor), HIGHEST + 1))) for floor in documents.floors]
    return documents, np.array(thresholds, dtype=float)


def passed(documents, j, low, high):
    """The weight of the documents whose score j lies in a range."""
    scores = documents.scores[:, j].tolist()
    return sum(weight for score, weight in zip(scores, documents.weights, strict=True) if low(score) and high(score))


def distance(documents, i, thresholds, rule):
    """How far a document is from changing sides, in plain loops; None where it cannot."""
    above, below = [], []
    for j, value in enumerate(thresholds):
        score = documents.scores[i, j]
        if score >= value:
            above.append(passed(documents, j, lambda s, v=value: s >= v, lambda s, own=score: s <= own))
        elif value == np.inf or score < documents.floors[j]:
            below.append(np.inf)
        else:
            below.append(passed(documents, j, lambda s, own=score: s >= own, lambda s, v=value: s < v))
    if is_flagged(documents.scores[i], thresholds, rule):
        found = max(above) if rule == "any" else min(above)
    else:
        found = min(below) if rule == "any" else max(below)
    return None if found == np.inf else found


@given(documents_and_point(), rules, st.integers(1, 25))
def test_the_nearest_on_either_side_are_those_of_a_plain_search(drawn, rule, most):
    documents, thresholds = drawn
    found = borderline_documents(documents, thresholds, rule, most=most)
    distances = {i: distance(documents, i, thresholds, rule) for i in range(len(documents.labels))}
    for side, near in ((True, found.flagged), (False, found.not_flagged)):
        members = [
            i
            for i, scores in enumerate(documents.scores.tolist())
            if is_flagged(scores, thresholds, rule) == side and distances[i] is not None
        ]
        expected = sorted(distances[i] for i in members)[:most]
        assert near.distances == pytest.approx(expected)
        assert len(set(near.positions.tolist())) == len(near.positions)
        assert set(near.positions.tolist()) <= set(members)
        assert near.distances == pytest.approx([distances[i] for i in near.positions])


@given(documents_and_point(), rules)
def test_deciding_classifier_has_the_reported_distance(drawn, rule):
    documents, thresholds = drawn
    found = borderline_documents(documents, thresholds, rule)
    for near in (found.flagged, found.not_flagged):
        for i, j, away in zip(near.positions, near.deciding, near.distances, strict=True):
            low, high = sorted([documents.scores[i, j], thresholds[j]])
            scores, reached = documents.scores[:, j], documents.scores[i, j] >= thresholds[j]
            between = (scores >= low) & (scores <= high if reached else scores < high)
            assert away == pytest.approx(documents.weights[between].sum())
            assert reached == is_flagged(documents.scores[i], thresholds, rule)


def test_scores_of_other_sizes_compare_by_ranks():
    documents = RatedDocuments([[0.1, 1e6], [0.2, 5e6], [0.3, 2e6], [0.4, 3e6]], [0, 1, 0, 1])
    grown = RatedDocuments(documents.scores * [1.0, 1e-9], documents.labels)
    first = borderline_documents(documents, [0.35, 4e6], "any")
    second = borderline_documents(grown, [0.35, 4e-3], "any")
    np.testing.assert_array_equal(first.flagged.positions, second.flagged.positions)
    np.testing.assert_array_equal(first.not_flagged.deciding, second.not_flagged.deciding)


@pytest.mark.parametrize(("rule", "flagged", "not_flagged"), [("any", [1], [0]), ("all", [], [])])
def test_nothing_is_near_to_a_threshold_of_never(rule, flagged, not_flagged):
    documents = RatedDocuments([[1.0, 3.0], [2.0, 4.0]], [0, 1])
    found = borderline_documents(documents, [2.0, np.inf], rule)
    assert found.flagged.positions.tolist() == flagged
    assert found.not_flagged.positions.tolist() == not_flagged
    assert set(found.flagged.deciding) | set(found.not_flagged.deciding) <= {0}
