"""Test that a group with much of the weight is named."""

import numpy as np
import pandas as pd
import pytest

from multiloss_core import RatedDocuments


def table(customers):
    generator = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "model": generator.random(len(customers)),
            "rating": np.where(generator.random(len(customers)) < 0.4, "fraud", "ok"),
            "customer": customers,
            "weight": np.where(pd.Series(customers) == "C7", 5.0, 1.0),
        }
    )


def notes_of(customers, weight=None):
    documents = RatedDocuments.from_frame(
        table(customers), ["model"], "rating", group="customer", weight=weight, floors=[0.0]
    )
    return [note for note in documents.notes if "intervals" in note]


@pytest.mark.parametrize(("rows", "weight", "share"), [(30, None, "13.0"), (5, None, None), (5, "weight", "11.1")])
def test_a_customer_with_much_of_the_weight_is_named(rows, weight, share):
    others = [f"C{number}" for number in range(100, 200)] * 2
    found = notes_of([*others, *["C7"] * rows], weight)
    assert len(found) == (share is not None)
    if share is not None:
        assert "'C7' in 'customer'" in found[0]
        assert share in found[0]


def test_a_few_groups_alike_are_not_named():
    assert not notes_of(["a", "b", "c", "d", "e"] * 30)
