"""Test money against plain pandas."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from multiloss_core import DataError, RatedDocuments, operating_point, smooth_path
from multiloss_core.tables import document_amounts
from multiloss_core.thresholds import money_at, money_weighted


def some_documents(seed, n=200, k=2, *, weighted=True):
    generator = np.random.default_rng(seed)
    frame = pd.DataFrame(generator.integers(0, 30, (n, k)) / 10.0, columns=[f"s{j}" for j in range(k)])
    frame["fraud"] = np.arange(n) % 3 == 0
    frame["weight"] = generator.choice([1.0, 2.0, 0.5], n) if weighted else 1.0
    frame["amount"] = generator.lognormal(3, 1, n).round(2) * (generator.random(n) < 0.9)
    frame["customer"] = generator.integers(0, 50, n)
    documents = RatedDocuments.from_frame(
        frame, [f"s{j}" for j in range(k)], "fraud", weight="weight", floors=[0.0] * k, group="customer"
    )
    return frame, documents


def by_pandas(frame, thresholds, rule):
    above = pd.DataFrame({name: frame[name] >= value for name, value in thresholds.items()})
    caught = frame[above.any(axis=1) if rule == "any" else above.all(axis=1)]
    money = (caught["amount"] * caught["weight"]).groupby(caught["fraud"]).sum()
    return money.get(True, 0.0), money.get(False, 0.0)


class TestDocumentAmounts:
    def test_amounts_of_the_wanted_rows(self):
        frame = pd.DataFrame({"amount": [1.5, -1.0, 0.0, 7.0]})
        assert document_amounts(frame, "amount", np.array([3, 0, 2])).tolist() == [7.0, 1.5, 0.0]

    @pytest.mark.parametrize(
        ("bad", "shown"), [(-3.0, "'-3.0'"), (np.inf, "'inf'"), (None, "blank"), ("12 EUR", "'12 EUR'"), (" ", "blank")]
    )
    def test_what_cannot_be_used_is_named(self, bad, shown):
        frame = pd.DataFrame({"paid": pd.Series([1.0, 2.0, 3.0, bad, 4.0], dtype=object)})
        message = (
            rf"'paid' has values that are not .*at least 0 \(1 row, first: row 4, {shown}\); correct these amounts or "
            "choose no amount column"
        )
        with pytest.raises(DataError, match=message):
            document_amounts(frame, "paid", np.arange(1, 5))

    def test_dates_and_absurd_sizes_are_refused(self):
        frame = pd.DataFrame({"day": pd.date_range("2026-01-01", periods=2), "huge": [1.0, 1e200]})
        for column in frame:
            with pytest.raises(DataError, match=column):
                document_amounts(frame, column, np.arange(2))


class TestMoneyAt:
    @pytest.mark.slow
    @pytest.mark.parametrize("rule", ["any", "all"])
    @pytest.mark.parametrize("k", [1, 2, 3])
    def test_along_a_path_and_across(self, rule, k):
        frame, documents = some_documents(k, k=k)
        amounts = frame["amount"].to_numpy()
        generator = np.random.default_rng(9)
        along = np.vstack([np.sort(generator.integers(0, 32, (200, k)) / 10.0, axis=0), np.full(k, np.inf)])
        for thresholds in (along, generator.permutation(along), along[:1]):
            found = np.column_stack([*money_at(documents, amounts, thresholds, rule)])
            expected = [by_pandas(frame, dict(zip(documents.names, one, strict=True)), rule) for one in thresholds]
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
        assert found.min() >= 0

    def test_unusable_amounts_and_rules_are_refused(self):
        frame, documents = some_documents(3)
        amounts, thresholds = frame["amount"].to_numpy(), np.zeros((1, 2))
        for bad in (amounts[1:], -amounts, np.where(amounts > 0, np.nan, 0.0)):
            with pytest.raises(DataError, match=r"mount"):
                money_at(documents, bad, thresholds, "any")
        with pytest.raises(DataError, match=r"rule"):
            money_at(documents, amounts, thresholds, "some")


class TestMoneyWeighted:
    def test_weights_are_money_and_the_rest_stays(self):
        frame, documents = some_documents(4)
        money = money_weighted(documents, frame["amount"].to_numpy())
        kept = frame["amount"] > 0
        assert 0 < kept.sum() < len(frame)
        np.testing.assert_allclose(money.weights, (frame["amount"] * frame["weight"])[kept])
        assert np.array_equal(money.rows, np.flatnonzero(kept))
        assert np.array_equal(money.scores, documents.scores[kept])
        assert np.array_equal(money.floors, documents.floors)
        assert (money.names, money.funnel) == (documents.names, documents.funnel)
        together = documents.groups[kept][:, np.newaxis] == documents.groups[kept]
        assert np.array_equal(money.groups[:, np.newaxis] == money.groups, together)
        assert money.notes[0] == f"{(~kept).sum()} documents of amount 0 count for nothing where money is counted."

    @pytest.mark.slow
    def test_rule_any_reaches_all_money_despite_rounding(self):
        rounded = 0
        for seed in range(20):
            frame, documents = some_documents(seed, weighted=False)
            path = smooth_path(money_weighted(documents, frame["amount"].to_numpy()))
            rounded += path.reachable.tp != path.totals.tp
            assert operating_point(path, 0.3).reachable_share == 1
        assert rounded > 0

    @pytest.mark.parametrize(("fraud", "words"), [(True, "positives"), (False, "negatives")])
    def test_a_side_without_money_is_refused(self, fraud, words):
        frame, documents = some_documents(5)
        amounts = np.where(frame["fraud"] == fraud, 0.0, 10.0)
        first = int((frame["fraud"] == fraud).to_numpy().argmax()) + 1
        with pytest.raises(
            DataError, match=rf"rated {words} have the amount 0 \(first: row {first}\).*count documents"
        ):
            money_weighted(documents, amounts)

    @settings(max_examples=60, deadline=None)
    @given(seed=st.integers(0, 10_000), rule=st.sampled_from(["any", "all"]), weighted=st.booleans())
    @pytest.mark.slow
    def test_counts_of_the_weighted_are_money_of_the_documents(self, seed, rule, weighted):
        frame, documents = some_documents(seed, n=40, weighted=weighted)
        amounts = frame["amount"].to_numpy()
        generator = np.random.default_rng(seed)
        thresholds = np.sort(generator.integers(0, 32, (7, 2)) / 10.0, axis=0)
        found = money_at(documents, amounts, thresholds, rule)
        again = money_weighted(documents, amounts).counts_along(thresholds, rule)
        np.testing.assert_allclose(list(again), list(found), atol=1e-9)
        expected = by_pandas(frame, dict(zip(documents.names, thresholds[3], strict=True)), rule)
        np.testing.assert_allclose([*found.at(3)], expected, atol=1e-9)
