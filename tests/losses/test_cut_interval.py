import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from sklearn.isotonic import IsotonicRegression

from multiloss_core import AM, G_MEAN, DataError, F, ScoredItems, exhaustive_search, optimal_top_k
from multiloss_core.losses import cut_interval


def drawn(seed, n, mean=-3.0, spread=1.9):
    """True probabilities and outcomes."""
    generator = np.random.default_rng(seed)
    true = expit(mean + spread * generator.standard_normal(n))
    return true, generator.random(n) < true


@pytest.mark.slow
@pytest.mark.parametrize("loss", [F(), AM, G_MEAN], ids=lambda loss: loss.name)
def test_interval_covers_the_true_optimum_in_most_samples(loss):
    covered = []
    for seed in range(40):
        true, labels = drawn(seed, 400, mean=-1.0)
        found = cut_interval(ScoredItems(true**2, labels), loss, np.random.default_rng(seed), resamples=60)
        covered.append(found.covers(optimal_top_k(true, loss, tolerance=1e-6).k))
    # Of 40 at 90 % or more, fewer than 30 are one case in ten thousand.
    assert sum(covered) >= 30


@pytest.mark.slow
def test_increasing_distortion_leaves_the_interval():
    true, labels = drawn(1, 600)
    found = [
        cut_interval(ScoredItems(given, labels), F(), np.random.default_rng(2)) for given in (true, true**3, 0.9 * true)
    ]
    assert found[0] == found[1] == found[2]
    assert 0 < found[0].low < found[0].high < 600


def test_interval_equals_bootstrap_by_other_means():
    true, labels = drawn(3, 9, mean=0.0)
    order = np.argsort(true)
    ascending, positive = true[order], labels[order]
    shares = np.column_stack([~positive, positive]).ravel() / 9
    generator, best = np.random.default_rng(5), []
    for _ in range(60):
        drawn_counts = generator.multinomial(9, shares).reshape(9, 2)
        for place in generator.integers(0, 9, generator.poisson()):
            drawn_counts[place, 1] += 1
        seen = np.flatnonzero(drawn_counts.sum(axis=1))
        weights = drawn_counts[seen].ravel()
        fitted = IsotonicRegression(out_of_bounds="clip").fit(
            np.repeat(seen, 2), np.tile([0.0, 1.0], seen.size), sample_weight=weights
        )
        best.append(int(exhaustive_search(fitted.predict(np.arange(9)), F()).best.sum()))
    found = cut_interval(ScoredItems(ascending, positive), F(), np.random.default_rng(5), resamples=60)
    ends = np.sort(best)[[1, 58]]
    assert (found.low, found.high, found.outcomes) == (*ends, 9)


@pytest.mark.slow
def test_more_outcomes_shorten_the_interval():
    widths = []
    for n in (300, 3_000, 60_000):
        true, labels = drawn(4, n)
        found = cut_interval(ScoredItems(true, labels), F(), np.random.default_rng(6), resamples=100)
        widths.append((found.high - found.low) / n)
        assert found.covers(optimal_top_k(true, F()).k)
    assert widths == sorted(widths, reverse=True)


@pytest.mark.slow
def test_unknown_outcomes_are_not_used():
    true, labels = drawn(7, 500)
    labelled = np.random.default_rng(8).random(500) < 0.5
    found, other = (
        cut_interval(ScoredItems(true, guess, labelled), AM, np.random.default_rng(9))
        for guess in (labels, labels | ~labelled)
    )
    assert found == other
    assert found.outcomes == labelled.sum()


def test_minimum_bounds_the_interval():
    true, labels = drawn(10, 300)
    for loss in (F(), G_MEAN):
        found = cut_interval(ScoredItems(true, labels), loss, np.random.default_rng(0), at_least=250)
        assert found.low >= 250


@pytest.mark.parametrize(
    ("labels", "options", "words"),
    [
        ([True, True, True], {}, "a known positive and a known negative"),
        ([False, False, False], {}, "a known positive and a known negative"),
        (None, {}, "a known positive and a known negative"),
        ([True, False, True], {"resamples": 19}, "at least 20 resamples"),
        ([True, False, True], {"confidence": 1.0}, "confidence between 0 and 1"),
        ([True, False, True], {"at_least": 4}, "from 0 to 3"),
    ],
)
def test_unusable_input_is_one_sentence(labels, options, words):
    items = ScoredItems(np.array([0.9, 0.5, 0.1]), None if labels is None else np.array(labels))
    with pytest.raises(DataError, match=words):
        cut_interval(items, F(), np.random.default_rng(0), **options)


@pytest.mark.slow
def test_groups_of_items_widen_the_interval_so_that_it_covers():
    """Five items with one probability and one outcome are worth one."""
    covered, single = [], []
    for seed in range(40):
        true, labels = (np.repeat(one, 5) for one in drawn(seed, 120, mean=-1.0))
        names = np.repeat([f"customer {number}" for number in range(120)], 5)
        k = optimal_top_k(true, F(), tolerance=1e-6).k
        for groups, found in ((names, covered), (None, single)):
            interval = cut_interval(
                ScoredItems(true, labels, groups=groups), F(), np.random.default_rng(seed), resamples=60
            )
            found.append(interval.covers(k))
    assert sum(covered) >= 30
    assert sum(single) < sum(covered)


@pytest.mark.slow
def test_groups_of_one_item_have_the_interval_of_none():
    true, labels = drawn(11, 2_000)
    labelled = np.random.default_rng(1).random(2_000) < 0.5
    ends = [
        cut_interval(ScoredItems(true, labels, labelled, groups), AM, np.random.default_rng(12), resamples=150)
        for groups in (None, np.arange(2_000))
    ]
    assert abs(ends[0].low - ends[1].low) < 0.15 * ends[0].low
    assert abs(ends[0].high - ends[1].high) < 0.15 * ends[0].high


def test_groups_are_read_from_a_column():
    table = pd.DataFrame({"p": [0.1, 0.4, 0.9, 0.5], "y": [0, 1, 1, None], "customer": ["a", "b ", "b", ""]})
    items = ScoredItems.from_frame(table, probability="p", label="y", group="customer")
    assert items.groups.tolist() == [0, 1, 1, 2]
    assert items.known_groups.tolist() == [0, 1, 1]
    with pytest.raises(DataError, match="'client'"):
        ScoredItems.from_frame(table, probability="p", label="y", group="client")
    with pytest.raises(DataError, match="one group only"):
        ScoredItems.from_frame(table.assign(customer="a"), probability="p", label="y", group="customer")
    with pytest.raises(DataError, match="one group for each"):
        ScoredItems(np.array([0.1, 0.2]), np.array([True, False]), groups=np.array([1]))
