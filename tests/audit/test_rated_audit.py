"""Rated audits from tables, and the decision to state recall."""

import numpy as np
import pytest

from multiloss_core import DataError
from multiloss_core.audit import Audit, can_state_recall, drawn_frame
from tests.audit.samples import population


@pytest.fixture
def chosen():
    return population()


@pytest.fixture
def drawn(chosen):
    return drawn_frame(chosen.plan, chosen.frame, "id").reset_index(drop=True)


def test_audit_counts_ratings_by_stratum(chosen, drawn):
    audit = Audit.from_frame(drawn, chosen.plan.strata, "rating", key="id", positive="fraud")
    assert audit.sizes.tolist() == chosen.plan.sizes.tolist()
    assert audit.rated.tolist() == chosen.plan.allocation.tolist()
    for number in range(4):
        here = drawn["audit_stratum"] == number
        assert audit.positives[number] == (drawn["rating"][here] == "fraud").sum()


def test_unrated_documents_are_counted(chosen, drawn):
    drawn.loc[:9, "rating"] = None
    audit = Audit.from_frame(drawn, chosen.plan.strata, "rating", chosen.plan.sizes, positive="fraud")
    assert audit.unrated == 10
    assert audit.rated.sum() == len(drawn) - 10


@pytest.mark.parametrize("positive", ["fraud", "ok"])
def test_audit_may_hold_one_rating_alone(chosen, drawn, positive):
    audit = Audit.from_frame(drawn.assign(rating="ok"), chosen.plan.strata, "rating", positive=positive)
    assert audit.positives.sum() == (len(drawn) if positive == "ok" else 0)


def changed(drawn, column, value, row=2):
    other = drawn.copy()
    other.loc[row, column] = value
    return other


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("audit_probability", 0.0, "row 3 must lie above 0"),
        ("audit_probability", 1.5, "row 3 must lie above 0"),
        ("audit_probability", np.nan, "row 3 must lie above 0"),
        ("audit_probability", 0.9999, "row 3 differs"),
        ("audit_stratum", 3, "Row 3 of the audit was drawn in another stratum"),
        ("model A", 2.5, "Row 3 of the audit lies in no stratum"),
        ("model A", np.nan, "Row 3 of the audit lies in no stratum"),
    ],
)
def test_unusable_rows_are_named(chosen, drawn, column, value, message):
    with pytest.raises(DataError, match=message):
        Audit.from_frame(changed(drawn, column, value), chosen.plan.strata, "rating", positive="fraud")


def test_unusable_tables_are_rejected(chosen, drawn):
    strata = chosen.plan.strata
    with pytest.raises(DataError, match="row 3 of the audit is repeated"):
        Audit.from_frame(changed(drawn, "id", drawn["id"][0]), strata, "rating", key="id", positive="fraud")
    with pytest.raises(DataError, match="no column 'verdict'"):
        Audit.from_frame(drawn, strata, "verdict")
    with pytest.raises(DataError, match="Give the sizes"):
        Audit.from_frame(drawn.drop(columns="audit_probability"), strata, "rating", positive="fraud")
    with pytest.raises(DataError, match=r"Stratum 0 has \d+ ratings but 1 document"):
        Audit.from_frame(drawn, strata, "rating", [1, 9_999, 9_999, 9_999], positive="fraud")
    with pytest.raises(DataError, match="blank"):
        Audit.from_frame(drawn.assign(rating=None), strata, "rating", positive="fraud")


def test_contradicting_counts_are_rejected(chosen):
    sizes, zeros = chosen.plan.sizes, np.zeros(4, dtype=int)
    with pytest.raises(DataError, match="more positives than ratings"):
        Audit(chosen.plan.strata, sizes, np.array([1, 1, 1, 1]), np.array([0, 2, 0, 0]))
    with pytest.raises(DataError, match="holds no rating"):
        Audit(chosen.plan.strata, sizes, zeros, zeros)
    with pytest.raises(DataError, match="whole numbers"):
        Audit(chosen.plan.strata, sizes, np.array([-1, 1, 1, 1]), zeros)


def test_recall_needs_ratings_in_every_stratum(chosen):
    sizes, none = chosen.plan.sizes, np.zeros(4, dtype=int)
    whole = can_state_recall(Audit(chosen.plan.strata, sizes, np.array([1, 1, 1, 1]), none), alerts=100)
    part = can_state_recall(Audit(chosen.plan.strata, sizes, np.array([1, 1, 0, 1]), none), alerts=100)
    assert whole
    assert whole.covered == 1
    assert not part
    assert part.covered == pytest.approx(1 - sizes[2] / (sizes.sum() + 100))
    assert "stratum 2" in part.reason
    assert not can_state_recall(None)
