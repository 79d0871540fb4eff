import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiloss_core import RatedDocuments, ThresholdPath, flagged, operating_point, smooth_path
from multiloss_core.generalisation import rated_size, rating_plan
from multiloss_core.numerics.proportions import effective_size
from tests.brute_force import random_documents


def path_through(documents, thresholds, rule="any"):
    thresholds = np.array(thresholds, dtype=float).reshape(-1, len(documents.names))
    return ThresholdPath(thresholds, *documents.counts_along(thresholds, rule), "by hand", rule, documents.names)


def in_bands(rated, positives, weights, scores=None):
    """Make one classifier: band b has `rated[b]` documents of score b, `positives[b]` positive."""
    scores = np.repeat(np.arange(1.0, len(rated) + 1) if scores is None else scores, rated)
    labels = np.concatenate([np.arange(n) < p for n, p in zip(rated, positives, strict=True)])
    return RatedDocuments(scores, labels, np.repeat(np.array(weights, dtype=float), rated))


class TestEffectiveSize:
    @given(st.lists(st.floats(0.01, 100), min_size=1, max_size=30))
    def test_it_is_at_most_the_number_and_equal_for_equal_weights(self, weights):
        assert 1 - 1e-9 <= effective_size(weights) <= len(weights) + 1e-9
        assert effective_size([weights[0]] * 7) == pytest.approx(7)

    def test_it_is_the_size_whose_mean_varies_as_much(self):
        weights = np.array([1.0, 1, 1, 5, 10, 2.5])
        labels = np.random.default_rng(0).random((200_000, 6)) < 0.3
        variance = (labels @ weights / weights.sum()).var()
        assert 0.3 * 0.7 / variance == pytest.approx(effective_size(weights), rel=0.02)


RATED, POSITIVES, WEIGHTS = [40, 50, 30, 20], [3, 10, 15, 16], [25.0, 8.0, 2.0, 1.0]


class TestRatingPlan:
    def plan(self, *, more=10, target=0.2, bands=4):
        documents = in_bands(RATED, POSITIVES, WEIGHTS)
        path = path_through(documents, [1, 2, 3, 4, np.inf])
        # The slope of the first band is below the target's: the others are flagged.
        point = operating_point(path, target)
        return documents, point, rating_plan(documents, point, path, bands=bands, more=more)

    def test_bands_hold_the_flagged_documents_once(self):
        documents, point, plan = self.plan()
        assert point.thresholds.tolist() == [2]
        assert sorted(band.size.documents for band in plan.bands) == [20, 30, 50]
        assert sorted((band.lower[0], band.upper[0]) for band in plan.bands) == [(2, 3), (3, 4), (4, np.inf)]
        for band in plan.bands:
            inside = flagged(documents.scores, band.lower, "any") & ~flagged(documents.scores, band.upper, "any")
            assert band.size == rated_size(documents, inside)

    def test_variances_are_those_of_stratified_sampling(self):
        _, _, plan = self.plan()
        odds = 0.2 / 0.8
        by_documents = {band.size.documents: band for band in plan.bands}
        whole = 0.0
        for n, positives, weight in zip(RATED[1:], POSITIVES[1:], WEIGHTS[1:], strict=True):
            band = by_documents[n]
            share = (positives + 0.5) / (n + 1)
            population = n * weight
            values = np.array([1, -odds])
            mean = share - (1 - share) * odds
            spread = share * (values[0] - mean) ** 2 + (1 - share) * (values[1] - mean) ** 2
            assert band.sampling_variance == pytest.approx(population**2 * (1 - n / population) * spread / n)
            # Were every document rated, the whole would be the variance of a sum of new ones: N E[z^2].
            assert band.data_variance == pytest.approx(population * (share + (1 - share) * odds**2))
            whole += band.sampling_variance + band.data_variance
        assert plan.standard_error == pytest.approx(np.sqrt(whole))
        assert sum(band.share_of_variance for band in plan.bands) == pytest.approx(1)
        assert by_documents[20].sampling_variance == 0

    def test_the_sampling_variance_is_what_rating_at_random_gives(self):
        generator = np.random.default_rng(1)
        labels = np.arange(400) < 100
        n, draws = 50, 4000
        estimates = [400 / n * labels[generator.choice(400, n, replace=False)].sum() for _ in range(draws)]
        documents = in_bands([n, 10], [12, 8], [8, 1])
        path = path_through(documents, [1, 2, np.inf])
        plan = rating_plan(documents, operating_point(path, 0.01), path, bands=2)
        band = next(band for band in plan.bands if band.size.documents == n)
        odds = 0.01 / 0.99
        # TP varies by (1 + odds)^2 less than the net benefit, as every positive more is a negative less.
        assert band.sampling_variance / (1 + odds) ** 2 == pytest.approx(np.var(estimates), rel=0.06)

    def test_what_more_ratings_remove(self):
        _, _, plan = self.plan(more=10)
        for band in plan.bands:
            n, population = band.size.documents, band.size.alerts
            assert band.more == min(10, population - n)
            if band.more:
                after = band.sampling_variance * (1 / (n + band.more) - 1 / population) / (1 / n - 1 / population)
                removed = (band.sampling_variance - after) / plan.standard_error**2
                assert band.share_removed == pytest.approx(removed)
            else:
                assert band.share_removed == 0
        removed = [band.share_removed for band in plan.bands]
        assert removed == sorted(removed, reverse=True)
        assert plan.advice == "rate_a_band"

    def test_rating_all_of_a_band_leaves_no_sampling_variance(self):
        _, _, plan = self.plan(more=10**6)
        for band in plan.bands:
            assert band.more == band.size.alerts - band.size.documents
            assert band.share_removed == pytest.approx(band.sampling_variance / plan.standard_error**2)

    def test_rating_best_band_repeatedly_gives_neyman_allocation(self):
        population, shares = np.array([2000, 3000, 1000]), np.array([0.5, 0.1, 0.9])
        rated = np.array([10, 10, 10])
        for _ in range(60):
            # In tenths, so that shares of positives stay what they are.
            documents = in_bands(rated, (shares * rated).astype(int), population / rated)
            path = path_through(documents, [1, 2, 3, np.inf])
            best = rating_plan(documents, operating_point(path, 0.001), path, bands=3, more=10).bands[0]
            rated[int(best.lower[0]) - 1] += 10
        neyman = population * np.sqrt(shares * (1 - shares))
        assert rated / rated.sum() == pytest.approx(neyman / neyman.sum(), abs=0.02)

    def test_with_all_documents_rated_only_new_ones_help(self):
        documents = random_documents(2, n=200)
        path = smooth_path(documents)
        plan = rating_plan(documents, operating_point(path, 0.6), path)
        assert plan.advice == "new_documents"
        assert "new documents" in plan.sentence
        for band in plan.bands:
            assert band.sampling_variance == pytest.approx(0, abs=1e-9)
            assert (band.more, band.share_removed) == (0, 0)

    @pytest.mark.slow
    @pytest.mark.parametrize("rule", ["any", "all"])
    def test_bands_of_two_classifiers(self, rule):
        documents = random_documents(4, n=400)
        weights = np.where(documents.scores.max(axis=1) < 1, 5.0, 1.0)
        documents = RatedDocuments(documents.scores, documents.labels, weights, floors=documents.floors.tolist())
        path = smooth_path(documents, rule=rule)
        point = operating_point(path, 0.4)
        plan = rating_plan(documents, point, path, bands=5)
        assert 2 <= len(plan.bands) <= 5
        assert sum(band.size.alerts for band in plan.bands) == pytest.approx(point.alerts)
        for band in plan.bands:
            inside = flagged(documents.scores, band.lower, rule) & ~flagged(documents.scores, band.upper, rule)
            inside &= flagged(documents.scores, point.thresholds, rule)
            assert band.size == rated_size(documents, inside)
