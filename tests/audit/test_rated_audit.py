"""Rated audits from tables, and the decision to state recall."""

import numpy as np
import pandas as pd
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
    audit = Audit.from_frame(drawn, chosen.plan, "rating", key="id", positive="fraud")
    assert audit.sizes.tolist() == chosen.plan.sizes.tolist()
    assert audit.rated.tolist() == chosen.plan.allocation.tolist()
    for number in range(4):
        here = drawn["audit_stratum"] == number
        assert audit.positives[number] == (drawn["rating"][here] == "fraud").sum()


def test_unrated_documents_are_counted(chosen, drawn):
    drawn.loc[:9, "rating"] = None
    audit = Audit.from_frame(drawn, chosen.plan, "rating", positive="fraud")
    assert audit.unrated == 10
    assert audit.rated.sum() == len(drawn) - 10


@pytest.mark.parametrize("positive", ["fraud", "ok"])
def test_audit_may_hold_one_rating_alone(chosen, drawn, positive):
    audit = Audit.from_frame(drawn.assign(rating="ok"), chosen.plan, "rating", positive=positive)
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
        Audit.from_frame(changed(drawn, column, value), chosen.plan, "rating", positive="fraud")


def test_unusable_tables_are_rejected(chosen, drawn):
    plan = chosen.plan
    with pytest.raises(DataError, match="row 3 of the audit is repeated"):
        Audit.from_frame(changed(drawn, "id", drawn["id"][0]), plan, "rating", key="id", positive="fraud")
    with pytest.raises(DataError, match="no column 'verdict'"):
        Audit.from_frame(drawn, plan, "verdict")
    with pytest.raises(DataError, match="were planned"):
        Audit.from_frame(pd.concat([drawn, drawn]), plan, "rating", positive="fraud")
    with pytest.raises(DataError, match="blank"):
        Audit.from_frame(drawn.assign(rating=None), plan, "rating", positive="fraud")
    halved = drawn.assign(audit_probability=drawn["audit_probability"] / 10)
    with pytest.raises(DataError, match="use the plan of this draw"):
        Audit.from_frame(halved, plan, "rating", positive="fraud")


def test_sizes_are_those_at_the_draw(chosen, drawn):
    plan = chosen.plan
    without = Audit.from_frame(drawn.drop(columns="audit_probability"), plan, "rating", positive="fraud")
    assert without.sizes.tolist() == plan.sizes.tolist()
    grown = drawn_frame(plan, pd.concat([chosen.frame, chosen.frame.assign(id=lambda f: f["id"] + 10**6)]), "id")
    found = Audit.from_frame(grown, plan, "rating", positive="fraud")
    # Not all of them came back with a rating, or at all.
    fewer = Audit.from_frame(grown.iloc[::2], plan, "rating", positive="fraud")
    assert found.sizes.tolist() == (2 * plan.sizes).tolist() == fewer.sizes.tolist()
    assert fewer.rated.sum() < found.rated.sum()


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
