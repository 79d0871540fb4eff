import numpy as np
import pandas as pd
import pytest

from multiloss_core import (
    G_MEAN,
    JACCARD,
    DataError,
    F,
    FractionalLinear,
    ScoredItems,
    exhaustive_search,
    optimal_top_k,
)
from multiloss_core.losses import HAMMING, SUBSET_0_1, batch_cuts, observed_loss, promised_counts


@pytest.fixture
def drawn():
    """40 items of five batches, one without a name; some without an outcome."""
    generator = np.random.default_rng(4)
    probabilities = generator.beta(0.8, 2, 40).round(2)
    labels = generator.random(40) < probabilities
    names = np.array(["c", "a", "b", None, "e"], dtype=object)[generator.integers(0, 5, 40)]
    return ScoredItems(probabilities, labels, generator.random(40) < 0.8), names


@pytest.mark.parametrize("loss", [F(), JACCARD, G_MEAN, HAMMING, SUBSET_0_1], ids=lambda loss: loss.name)
@pytest.mark.parametrize("least", [0, 2])
def test_each_batch_has_the_best_of_all_its_predictions(drawn, loss, least):
    items, names = drawn
    common = optimal_top_k(items.probabilities, F()).selected
    own, one = batch_cuts(items, names, loss, common, at_least=least)
    titles = ["(blank)" if name is None else name for name in names]
    assert list(own.names) == list(dict.fromkeys(titles))
    for place, name in enumerate(own.names):
        here = np.array(titles) == name
        search = exhaustive_search(items.probabilities[here], loss)
        assert own.items[place] == here.sum()
        assert own.k[place] == own.selected[here].sum() >= least
        assert own.expected[place] == pytest.approx(search.top_k_values[least:].min(), abs=2e-6)
        flagged = sum(1 << i for i in np.flatnonzero(common[here]))
        assert one.expected[place] == pytest.approx(search.values[flagged], abs=2e-6)
        lowest = min(items.probabilities[here & own.selected], default=np.nan)
        assert own.cut[place] == pytest.approx(lowest, nan_ok=True)
        known = here & items.labelled
        assert own.observed[place] == observed_loss(own.selected[known], items.labels[known], loss)
    assert own.macro_expected == pytest.approx(own.expected.mean())
    assert own.macro_observed == pytest.approx(own.observed.mean())
    assert own.micro_expected == promised_counts(items.probabilities, own.selected).loss(loss)
    known = items.labelled
    assert one.micro_observed == observed_loss(common[known], items.labels[known], loss)
    if not least:
        assert own.macro_expected <= one.macro_expected + 1e-6


def test_ties_are_flagged_in_the_order_of_the_file():
    items = ScoredItems(np.array([0.5, 0.9, 0.5, 0.5]))
    own, _ = batch_cuts(items, ["x"] * 4, F(), np.zeros(4, bool), at_least=2)
    assert own.selected.tolist()[:2] == [True, True]
    assert np.isnan(own.macro_observed)
    assert np.isnan(own.micro_observed)


def test_given_order_breaks_ties_in_both_predictions():
    items = ScoredItems(np.array([0.5, 0.5, 0.9, 0.5]), np.array([True, False, False, True]))
    common = np.array([False, True, False, True])
    own, one = batch_cuts(items, ["x", "x", "y", "x"], HAMMING, common, at_least=2, order=np.array([2, 3, 1, 0]))
    assert own.selected.tolist() == [False, True, True, True]
    assert one.selected.tolist() == common.tolist()
    assert one.observed.tolist() == [2 / 3, 0.0]
    assert one.cut.tolist() == pytest.approx([0.5, np.nan], nan_ok=True)


def test_costs_of_hundreds_have_batch_cuts():
    items = ScoredItems(np.random.default_rng(2).random(60_000))
    loss = FractionalLinear((0, -500, 10, 500), (1, 0, 0, 0))
    own, _ = batch_cuts(items, np.zeros(60_000), loss, np.zeros(60_000, bool))
    # Flag where 500 p > 10.
    assert own.k.tolist() == [np.count_nonzero(items.probabilities > 0.02)]


def test_minimum_flags_all_of_a_smaller_batch():
    own, one = batch_cuts(ScoredItems(np.array([0.1, 0.1, 0.1])), [1, 1, 2], F(), np.zeros(3, bool), at_least=2)
    assert own.k.tolist() == [2, 1]
    assert one.k.tolist() == [0, 0]
    assert own.names == ("1", "2")


def test_names_may_be_times_or_missing():
    times = pd.Series(pd.to_datetime(["2026-01-02", None, "2026-01-02"]))
    own, _ = batch_cuts(ScoredItems(np.array([0.9, 0.8, 0.1])), times, F(), np.ones(3, bool))
    assert own.names == ("2026-01-02 00:00:00", "(blank)")


@pytest.mark.parametrize(
    ("names", "common", "words"),
    [(["a"], [True, False], "1 batch names do not fit 2 items"), (["a", "b"], [True], "do not fit 2 items")],
)
def test_lengths_that_differ_are_one_sentence(names, common, words):
    with pytest.raises(DataError, match=words):
        batch_cuts(ScoredItems(np.array([0.2, 0.3])), names, F(), common)


def test_too_many_batches_are_refused():
    items = ScoredItems(np.full(10_001, 0.5))
    with pytest.raises(DataError, match="10,001 batches, more than the limit of 10,000"):
        batch_cuts(items, np.arange(10_001), F(), np.zeros(10_001, bool))
