"""Rated audits from tables, and the ratings that recall needs."""

import numpy as np
import pandas as pd
import pytest

from multiloss_core import DataError
from multiloss_core.audit import Audit, drawn_frame, plan_audit, require_ratings
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
        ("audit_probability", 0.0, "row 3 is not that of the plan"),
        ("audit_probability", np.nan, "row 3 is not that of the plan"),
        ("audit_size", 0, "row 3 must be the number"),
        ("audit_size", np.nan, "row 3 must be the number"),
        ("audit_size", 10**9, "must be the number"),
        ("audit_stratum", 9, "Row 3 of the audit was drawn in another stratum"),
        ("model A", 2.5, "Row 3 of the audit lies in no stratum"),
        ("model A", np.nan, "Row 3 of the audit lies in no stratum"),
    ],
)
def test_unusable_rows_are_named(chosen, drawn, column, value, message):
    with pytest.raises(DataError, match=message):
        Audit.from_frame(changed(drawn, column, value), chosen.plan, "rating", positive="fraud")


def test_unusable_tables_are_rejected(chosen, drawn):
    plan = chosen.plan
    with pytest.raises(DataError, match="Row 3 of the audit repeats"):
        Audit.from_frame(changed(drawn, "id", drawn["id"][0]), plan, "rating", key="id", positive="fraud")
    with pytest.raises(DataError, match="no column 'verdict'"):
        Audit.from_frame(drawn, plan, "verdict")
    again = drawn.assign(rating="ok")
    with pytest.raises(DataError, match="repeats a document"):
        Audit.from_frame(pd.concat([drawn, again]), plan, "rating", positive="fraud")
    with pytest.raises(DataError, match="were drawn"):
        Audit.from_frame(pd.concat([drawn, drawn.assign(id=-drawn["id"])]), plan, "rating", positive="fraud")
    with pytest.raises(DataError, match="no column 'audit_size'"):
        Audit.from_frame(drawn.drop(columns="audit_size"), plan, "rating", positive="fraud")
    with pytest.raises(DataError, match="'blue' in row 1, which has no clear meaning"):
        Audit.from_frame(drawn.assign(rating="blue"), plan, "rating", positive="fraud")
    with pytest.raises(DataError, match="blank"):
        Audit.from_frame(drawn.assign(rating=None), plan, "rating", positive="fraud")
    other = plan_audit(plan.strata, plan.sizes, plan.expected, caught=plan.caught, budget=3 * plan.budget)
    with pytest.raises(DataError, match="give the plan that was saved"):
        Audit.from_frame(drawn, other, "rating", positive="fraud")


def test_sizes_are_those_at_the_draw(chosen, drawn):
    plan = chosen.plan
    same = Audit.from_frame(drawn, plan, "rating", positive="fraud")
    assert same.sizes.tolist() == plan.sizes.tolist()
    grown = drawn_frame(plan, pd.concat([chosen.frame, chosen.frame.assign(id=lambda f: f["id"] + 10**6)]), "id")
    found = Audit.from_frame(grown, plan, "rating", positive="fraud")
    # Not all of them came back with a rating, or at all.
    fewer = Audit.from_frame(grown.iloc[::2], plan, "rating", positive="fraud", allow_missing=True)
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
    require_ratings(Audit(chosen.plan.strata, sizes, np.array([1, 1, 1, 1]), none))
    with pytest.raises(DataError, match="stratum 2"):
        require_ratings(Audit(chosen.plan.strata, sizes, np.array([1, 1, 0, 1]), none))


def test_a_stratum_drawn_in_full_keeps_its_size():
    chosen = population(count=400, budget=150)
    few = chosen.frame.iloc[:120]
    rows = drawn_frame(chosen.plan, few, "id")
    whole = rows[rows["audit_probability"] == 1]
    assert len(whole) > 4
    kept = rows.drop(index=whole.index[::2])
    audit = Audit.from_frame(kept, chosen.plan, "rating", positive="fraud", allow_missing=True)
    numbers = np.unique(whole["audit_stratum"])
    counted = np.bincount(rows["audit_stratum"], minlength=4)
    assert audit.sizes[numbers].tolist() == counted[numbers].tolist()
    assert (audit.rated[numbers] < audit.sizes[numbers]).all()
