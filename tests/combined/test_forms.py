import numpy as np
import pytest

from multiloss_core import DataError, RatedDocuments
from multiloss_core.combined import compare_forms
from multiloss_core.combined.forms import _flagged_shares
from tests.combined.samples import rated


@pytest.fixture(scope="module")
def found():
    return compare_forms(rated(7, positives=200), 300)


def test_combined_score_wins_on_separate_evidence(found):
    assert found.better is found.form("combined")
    assert found.form("combined").difference.low > 0
    assert found.form("any").difference.estimate == 0
    assert [one.form for one in found.forms] == ["single", "any", "all", "combined"]


def test_level_flags_as_many_documents(found):
    documents = rated(7, positives=200)
    assert (found.formula.apply(documents.scores) >= found.level).sum() == pytest.approx(300, abs=3)


def test_one_useless_score_gives_no_certain_gain():
    generator = np.random.default_rng(8)
    documents = rated(8, scores=1, positives=200)
    scores = np.column_stack([documents.scores, generator.normal(size=len(documents.labels))])
    found = compare_forms(RatedDocuments(scores, documents.labels, floors=[1.5, 2.0]), 300)
    combined = found.form("combined").difference
    assert combined.low <= 0 <= combined.high
    assert found.form("single").score == "score 1"


def test_ties_are_flagged_in_part():
    order, weights = np.array([3.0, 1.0, 1.0, 0.0]), np.array([2.0, 1.0, 3.0, 5.0])
    assert _flagged_shares(order, weights, 4.0) == pytest.approx([1.0, 0.5, 0.5, 0.0])


@pytest.mark.parametrize("alerts", [0, -1, 1e9])
def test_impossible_numbers_of_alerts_are_refused(alerts):
    with pytest.raises(DataError, match="alerts"):
        compare_forms(rated(7), alerts)


def test_all_forms_catch_everything_at_all_alerts():
    documents = rated(9, positives=60)
    found = compare_forms(documents, len(documents.labels))
    assert [one.caught.estimate for one in found.forms] == pytest.approx([documents.labels.sum()] * 4)
    assert [one.difference.estimate for one in found.forms] == pytest.approx([0] * 4, abs=1e-9)
