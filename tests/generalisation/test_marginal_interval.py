import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import expit, logit
from scipy.stats import norm

from multiloss_core import RatedDocuments, count_surfaces, simulate_population
from multiloss_core.generalisation import bootstrap_points
from multiloss_core.generalisation.marginal_interval import MarginalEvidence, marginal_band, marginal_interval
from multiloss_core.thresholds.data.counts import Counts
from multiloss_core.thresholds.paths.smooth.path import path_of_fit
from multiloss_core.thresholds.paths.smooth.smooth_fit import smooth_fit

# The quantiles of normal errors, so that their bounds are known.
NORMAL = norm.ppf((np.arange(2000) + 0.5) / 2000)


def evidence(fitted=0.3, errors=0.2 * NORMAL, positives=30.0, negatives=70.0, share=0.7):
    return MarginalEvidence(
        fitted=np.array([fitted]),
        errors=np.asarray(errors)[:, np.newaxis],
        counted=Counts(np.array([positives]), np.array([negatives])),
        shares=np.array([share]),
    )


def found(level=0.95, **changed):
    return marginal_interval(evidence(**changed), 0, level)


def wilson(positives, documents, level=0.95):
    """Find the shares that the score test just does not reject."""
    share, z = positives / documents, norm.isf((1 - level) / 2)

    def beyond(p):
        return abs(share - p) / np.sqrt(p * (1 - p) / documents) - z

    return brentq(beyond, 1e-9, share - 1e-9), brentq(beyond, share + 1e-9, 1 - 1e-9)


class TestWhereTheCountsBearTheFitOut:
    @pytest.mark.parametrize("level", [0.8, 0.95])
    def test_it_reaches_as_far_as_the_errors_in_log_odds(self, level):
        interval, reach = found(level), 0.2 * norm.isf((1 - level) / 2)
        assert interval.estimate == 0.3
        assert logit(interval.low) == pytest.approx(logit(0.3) - reach, abs=2e-3)
        assert logit(interval.high) == pytest.approx(logit(0.3) + reach, abs=2e-3)
        assert not interval.reason


class TestWhereTheCountsContradictTheFit:
    @pytest.mark.parametrize(("positives", "fitted"), [(10.0, 0.3), (60.0, 0.3)])
    def test_it_spans_both(self, positives, fitted):
        interval = found(positives=positives, negatives=100 - positives, fitted=fitted)
        low, high = wilson(positives, 100)
        of_fit = expit(logit(fitted) + np.array([-0.2, 0.2]) * norm.isf(0.025))
        assert interval.low == pytest.approx(min(low, of_fit[0]), abs=1e-3)
        assert interval.high == pytest.approx(max(high, of_fit[1]), abs=1e-3)
        assert interval.estimate == fitted


class TestWherePrecisionFallsSteeply:
    def test_the_interval_is_that_of_the_counts(self):
        interval = found(share=0.1, positives=6.0, negatives=24.0, fitted=0.5)
        np.testing.assert_allclose([interval.low, interval.high], wilson(6, 30), rtol=1e-6)
        assert interval.estimate == pytest.approx(0.2)

    def test_with_few_of_them_there_is_none(self):
        interval = found(share=0.1, positives=3.0, negatives=12.0)
        assert np.isnan([interval.estimate, interval.low, interval.high]).all()
        assert "falls steeply here and" in interval.reason
        assert "15 effective documents" in interval.reason


class TestWhereThereIsNone:
    @pytest.mark.parametrize(
        ("documents", "words"),
        [
            (0, "lie no documents;"),
            (0.4, "less than one effective document;"),
            (1, "1 effective document;"),
            (9.9, "9 eff"),
        ],
    )
    def test_too_few_documents_are_named(self, documents, words):
        interval = found(positives=0.0, negatives=float(documents))
        assert np.isnan([interval.estimate, interval.low, interval.high]).all()
        assert words in interval.reason

    def test_a_band_has_gaps_there(self):
        both = MarginalEvidence(
            fitted=np.array([0.3, 0.3]),
            errors=0.2 * np.column_stack([NORMAL, NORMAL]),
            counted=Counts(np.array([30.0, 1.0]), np.array([70.0, 2.0])),
            shares=np.array([0.7, 0.7]),
        )
        band, alone = marginal_band(both, 0.95), found()
        np.testing.assert_array_equal(band[:, 0], [alone.estimate, alone.low, alone.high])
        assert np.isnan(band[:, 1]).all()


def chosen(source, target=0.3, resamples=40):
    fit, generator = smooth_fit(source), np.random.default_rng(0)
    *_, last = bootstrap_points(
        source, fit, path_of_fit(source, fit, "any"), [target], generator=generator, resamples=resamples
    )
    return last


def simulated():
    return simulate_population(np.random.default_rng(0), documents=100_000, prevalence=0.002).rated()


class TestOnDocuments:
    def test_where_precision_jumps_there_is_none(self):
        generator = np.random.default_rng(0)
        scores = np.concatenate([generator.uniform(0.0, 0.7, 2000), generator.uniform(0.7, 1.0, 100)])
        labels = scores > 0.7
        labels[::400] = True
        last = chosen(RatedDocuments(scores[:, np.newaxis], labels, floors=[0.0]), 0.5)
        interval = last.intervals().marginal_precision
        assert np.isnan(interval.low)
        assert "next to the point" in interval.reason
        assert np.isnan(last.bands().marginal_precision).all()

    @pytest.mark.slow
    def test_smooth_precision_has_an_interval_around_the_target(self):
        for source in (simulated(), count_surfaces(simulated(), resolution=60)):
            interval = chosen(source).intervals().marginal_precision
            assert interval.low < 0.3 < interval.high
            assert not interval.reason

    @pytest.mark.slow
    def test_group_counts_once_and_weights_by_effective_size(self):
        alone = simulated()
        four = np.repeat(np.arange(len(alone.labels)), 4)
        floors = alone.floors.tolist()
        copies = RatedDocuments(alone.scores[four], alone.labels[four], floors=floors, groups=four)
        tripled = RatedDocuments(alone.scores, alone.labels, np.full(len(alone.labels), 3.0), floors=floors)
        for source in (copies, tripled):
            last = chosen(source, resamples=2)
            (positives,), (negatives,) = last.marginal.counted
            lower, higher = next_to(source, 0.3)
            inside = lower & ~higher
            times = 4 if source is copies else 1
            assert positives == pytest.approx((inside & source.labels).sum() / times)
            assert negatives == pytest.approx((inside & ~source.labels).sum() / times)
            assert last.marginal.shares[0] == pytest.approx(inside.sum() / lower.sum())


def next_to(documents, target):
    """Which documents the best thresholds flag at log odds 0.4 below and above a target."""
    fit = smooth_fit(documents)
    gains = fit.expected[:, np.newaxis] - fit.totals[:, np.newaxis] * expit(logit(target) + np.array([-0.4, 0.4]))
    flags = []
    for gain in gains.T:
        rows, columns = (len(axis) + 1 for axis in fit.cells.axes)
        table = np.zeros((rows, columns))
        np.add.at(table, tuple(fit.cells.cells.T), gain)
        # What is not flagged lies at or below both nodes.
        lost = table.cumsum(axis=0).cumsum(axis=1)
        least = np.argwhere(lost <= lost.min() + 1e-9)[-1]
        flags.append((fit.cells.cells[fit.cells.slots] > least).any(axis=1))
    return flags
