from functools import cache
from operator import attrgetter

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import beta, norm

from multiloss_core import CountSurfaces, DataError, RatedDocuments, count_surfaces, flagged, simulate_population
from multiloss_core.generalisation import bootstrap_points, bootstrap_thresholds
from multiloss_core.numerics.penalised_logistic import penalised_logistic
from multiloss_core.thresholds.paths.smooth.path import path_of_fit
from multiloss_core.thresholds.paths.smooth.precision_model import newton_refit
from multiloss_core.thresholds.paths.smooth.resampling import cell_sample
from multiloss_core.thresholds.paths.smooth.smooth_fit import smooth_fit
from tests.brute_force import RULES

NEVER = np.inf
COUNTS = ("tp", "fp", "alerts", "precision")
EXPECTED, NEW_PERIOD = ([f"{kind}.{name}" for name in COUNTS] for kind in ("expected", "new_period"))


@cache
def simulated(seed=0, documents=100_000):
    return simulate_population(np.random.default_rng(seed), documents=documents, prevalence=0.002).rated()


def with_rows(documents, rows, weights=None, groups=None):
    return RatedDocuments(
        documents.scores[rows], documents.labels[rows], weights, floors=documents.floors.tolist(), groups=groups
    )


def every(documents):
    return np.arange(len(documents.labels))


def fixed(documents, thresholds=None, *, rule="any", resamples=2000, seed=0):
    at = documents.floors + 0.1 if thresholds is None else thresholds
    return bootstrap_thresholds(documents, at, rule, resamples=resamples, generator=np.random.default_rng(seed))


def chosen(source, targets=(0.2, 0.5), *, rule="any", resamples=40, seed=0):
    fit = smooth_fit(source)
    generator = np.random.default_rng(seed)
    return list(
        bootstrap_points(source, fit, path_of_fit(source, fit, rule), targets, resamples=resamples, generator=generator)
    )


def bounds(interval, scale=1.0):
    return np.array([interval.estimate, interval.low, interval.high]) / scale


class TestFixedThresholds:
    @pytest.mark.parametrize("rule", RULES)
    @pytest.mark.parametrize("level", [0.8, 0.95])
    def test_intervals_agree_with_exact_binomial_ones(self, rule, level):
        documents = simulated()
        at = documents.floors + (0.1 if rule == "any" else 0.0)
        size, found = len(documents.labels), fixed(documents, at, rule=rule).intervals(level=level)
        caught = flagged(documents.scores, found.thresholds, rule)
        tail = (1 - level) / 2
        for interval, count, sample in (
            (found.expected.tp, (caught & documents.labels).sum(), found.in_sample.tp),
            (found.expected.fp, (caught & ~documents.labels).sum(), found.in_sample.fp),
        ):
            assert sample == count
            exact = size * beta.ppf([tail, 1 - tail], [count, count + 1], [size - count + 1, size - count])
            np.testing.assert_allclose([interval.low, interval.high], exact, atol=0.15 * (exact[1] - exact[0]))
            assert interval.estimate == pytest.approx(count, abs=0.1 * (exact[1] - exact[0]))

    def test_a_new_period_spreads_by_the_square_root_of_two_more(self):
        found = fixed(simulated()).intervals()
        for expected, new in ((found.expected.tp, found.new_period.tp), (found.expected.fp, found.new_period.fp)):
            wider = (new.high - new.low) / (expected.high - expected.low)
            assert wider == pytest.approx(np.sqrt(2), rel=0.08)

    def test_a_group_of_four_copies_counts_once(self):
        documents = simulated()
        four = np.repeat(every(documents), 4)
        grouped = fixed(with_rows(documents, four, groups=four)).intervals()
        alone = fixed(documents).intervals()
        for name in (*EXPECTED, *NEW_PERIOD[:2]):
            scale = 1.0 if name == "expected.precision" else 4.0
            single, repeated = bounds(attrgetter(name)(alone)), bounds(attrgetter(name)(grouped), scale)
            np.testing.assert_allclose(repeated, single, atol=0.1 * (single[2] - single[1]))
        ungrouped = fixed(with_rows(documents, four)).intervals()
        narrower = (ungrouped.expected.tp.high - ungrouped.expected.tp.low) / (
            grouped.expected.tp.high - grouped.expected.tp.low
        )
        assert narrower == pytest.approx(0.5, rel=0.1)

    def test_a_weight_is_as_uncertain_as_a_group_of_copies(self):
        documents = simulated()
        copies = np.random.default_rng(1).integers(1, 6, len(documents.labels))
        rows = np.repeat(every(documents), copies)
        weighted = fixed(with_rows(documents, every(documents), weights=copies)).intervals()
        grouped = fixed(with_rows(documents, rows, groups=rows)).intervals()
        for name in EXPECTED:
            one, other = bounds(attrgetter(name)(weighted)), bounds(attrgetter(name)(grouped))
            np.testing.assert_allclose(one, other, atol=0.1 * (other[2] - other[1]))

    def test_equal_weights_only_change_the_unit(self):
        documents = simulated()
        tripled = fixed(with_rows(documents, every(documents), weights=np.full(len(documents.labels), 3.0)))
        single = fixed(documents)
        for name in EXPECTED:
            scale = 1.0 if name == "expected.precision" else 3.0
            one, other = (
                bounds(attrgetter(name)(tripled.intervals()), scale),
                bounds(attrgetter(name)(single.intervals())),
            )
            np.testing.assert_allclose(one, other, atol=0.1 * (other[2] - other[1]))

    def test_at_the_floors_the_alerts_are_certain(self):
        documents = simulated()
        found = fixed(documents, documents.floors, resamples=50).intervals()
        np.testing.assert_allclose(bounds(found.expected.alerts), len(documents.labels))
        np.testing.assert_allclose(bounds(found.new_period.alerts), len(documents.labels))
        assert found.expected.tp.low < found.in_sample.tp < found.expected.tp.high

    def test_nothing_seen_is_not_nothing_expected(self):
        documents = simulated()
        top = documents.scores[~documents.labels].max(axis=0)
        found = fixed(documents, np.nextafter(top, NEVER), resamples=1000).intervals()
        assert found.in_sample.fp == 0
        # The exact upper limit is 3.7.
        assert 2 < found.expected.fp.high < 6
        assert found.new_period.fp.high >= found.expected.fp.high


@pytest.mark.slow
class TestChosenThresholds:
    def test_progress_and_shapes(self):
        steps = chosen(simulated(), (0.5, 0.1, 0.2), resamples=50)
        assert [step.done for step in steps] == [20, 40, 50]
        last = steps[-1]
        assert last.requested == 50
        np.testing.assert_array_equal(last.targets, [0.1, 0.2, 0.5])
        assert last.resampled_thresholds.shape == (50, 3, 2)
        np.testing.assert_array_equal(last.resampled_thresholds[:20], steps[0].resampled_thresholds)
        # The middle is that of documents held out, however many resamples there are.
        np.testing.assert_allclose(
            np.median(last.expected.tp, axis=0), np.median(steps[0].expected.tp, axis=0), rtol=0.01
        )

    @pytest.mark.slow
    @pytest.mark.parametrize("rule", RULES)
    def test_intervals_are_in_order(self, rule):
        found = chosen(simulated(), rule=rule)[-1].intervals(0.2)
        for name in (*EXPECTED, *NEW_PERIOD):
            estimate, low, high = bounds(attrgetter(name)(found))
            assert 0 <= low <= estimate <= high
        for name in COUNTS:
            expected, new = getattr(found.expected, name), getattr(found.new_period, name)
            assert new.high - new.low > expected.high - expected.low
        # With both scores above their floors hardly any document is worth less than that.
        assert rule == "all" or found.marginal_precision.low < 0.2 < found.marginal_precision.high
        assert (found.thresholds_low <= found.thresholds_high).all()

    def test_bands_pass_through_the_intervals(self):
        bootstrap = chosen(simulated(), (0.1, 0.2, 0.3, 0.5))[-1]
        bands, point = bootstrap.bands(level=0.9), bootstrap.intervals(0.3, level=0.9)
        for name in ("expected.tp", "expected.fp", "expected.precision", "marginal_precision"):
            band = getattr(bands, name.removeprefix("expected."))
            np.testing.assert_array_equal(band[:, 2], bounds(attrgetter(name)(point)))
        estimate, low, high = bands.curve_tp
        assert bands.curve_fp[0] == 0
        assert (np.diff(estimate) >= 0).all()
        assert ((low <= estimate) & (estimate <= high)).all()

    @pytest.mark.slow
    def test_groups_and_weights_are_taken(self):
        documents = simulated()
        generator = np.random.default_rng(4)
        size = len(documents.labels)
        grouped = with_rows(documents, every(documents), groups=generator.integers(0, size // 3, size))
        weighted = with_rows(documents, every(documents), weights=generator.uniform(0.5, 4, size))
        for source in (grouped, weighted):
            found = chosen(source)[-1].intervals(0.2)
            assert found.expected.tp.low < found.in_sample.tp < found.expected.tp.high

    def test_a_table_of_counts_has_intervals_too(self):
        surfaces = count_surfaces(simulated(), resolution=40)
        assert isinstance(surfaces, CountSurfaces)
        found = chosen(surfaces)[-1].intervals(0.2)
        assert found.expected.tp.low < found.in_sample.tp < found.expected.tp.high

    def test_thirty_positives_and_targets_out_of_reach(self):
        documents = simulated(seed=2, documents=20_000)
        assert documents.labels.sum() < 40
        last = chosen(documents, (0.001, 0.5, 0.999))[-1]
        for target in last.targets:
            last.intervals(target)
        last.bands()
        assert np.isposinf(last.resampled_thresholds).any()

    @pytest.mark.slow
    def test_unknown_targets_and_levels_are_refused(self):
        last = chosen(simulated(), (0.2, 0.5), resamples=2)[-1]
        for target in (0.3, None):
            with pytest.raises(DataError, match="No thresholds were chosen"):
                last.intervals(target)
        for level in (0, 1, np.nan):
            with pytest.raises(DataError, match="level"):
                last.intervals(0.2, level=level)
        with pytest.raises(DataError, match="between 0 and 1"):
            chosen(simulated(), (1.2,))
        with pytest.raises(DataError, match="one resample"):
            chosen(simulated(), resamples=0)

    @pytest.mark.slow
    def test_coverage_with_one_gaussian_classifier(self):
        size, held = 400, []
        for seed in range(40):
            generator = np.random.default_rng(seed)
            labels = generator.random(size) < 0.3
            scores = generator.standard_normal(size) + 1.5 * labels
            documents = RatedDocuments(scores, labels, floors=[-10.0])
            found = chosen(documents, (0.5,), resamples=39, seed=seed)[-1].intervals(0.5)
            tp = size * 0.3 * norm.sf(found.thresholds[0] - 1.5)
            fp = size * 0.7 * norm.sf(found.thresholds[0])
            period = generator.binomial(size, [tp / size, fp / size])
            pairs = ((found.expected.tp, tp), (found.expected.fp, fp), (found.expected.precision, tp / (tp + fp)))
            pairs += ((found.new_period.tp, period[0]), (found.new_period.fp, period[1]))
            held.append([interval.low <= truth <= interval.high for interval, truth in pairs])
        # Fewer than 34 of 40 have a chance of 1 % at 95 %.
        assert (np.sum(held, axis=0) >= 34).all()


class TestHeldOut:
    @pytest.mark.slow
    def test_held_out_precision_is_constant_for_useless_scores(self):
        # Whatever is chosen catches by chance: what it catches in the sample is optimism.
        in_sample, held_out, alerts = 0.0, 0.0, 0.0
        for seed in range(20):
            generator = np.random.default_rng(seed)
            documents = RatedDocuments(generator.random((200, 1)), generator.random(200) < 0.3, floors=[0.0])
            found = chosen(documents, (0.33,), resamples=21, seed=seed)[-1].intervals()
            in_sample += found.in_sample.tp - 0.3 * found.in_sample.alerts
            held_out += 0.7 * found.expected.tp.estimate - 0.3 * found.expected.fp.estimate
            alerts += found.in_sample.alerts
        assert in_sample > 0.02 * alerts
        assert abs(held_out) < 0.6 * in_sample

    def test_one_group_cannot_be_left_out(self):
        documents = simulated()
        alone = with_rows(documents, every(documents), groups=np.zeros(len(documents.labels), dtype=int))
        assert cell_sample(alone, every(documents), len(documents.labels)).split is None
        found = chosen(alone, (0.2,), resamples=2)[-1].intervals()
        assert found.expected.tp.low <= found.expected.tp.estimate <= found.expected.tp.high


class TestNewtonRefit:
    @pytest.mark.slow
    @pytest.mark.parametrize("seed", range(3))
    def test_it_finds_a_fit_at_least_as_good_as_another_solver(self, seed):
        fit = smooth_fit(simulated(seed))
        generator = np.random.default_rng(seed)
        drawn = generator.poisson(fit.totals).astype(float)
        caught = generator.binomial(drawn.astype(int), fit.model.precision).astype(float)
        design, penalty = fit.model.design, fit.model.penalty
        positives, totals = design.sums(caught), design.sums(drawn)
        columns = np.column_stack([np.ones(len(totals)), design.columns])

        def loss(coefficients):
            logits, pull = columns @ coefficients, penalty @ coefficients[1:]
            value = totals @ np.logaddexp(0, logits) - positives @ logits + coefficients[1:] @ pull / 2
            return value, columns.T @ (totals * expit(logits) - positives) + np.append(0, pull)

        shape = fit.model.shape
        bounds = [(None, None)] + [(0 if rising else None, None) for rising in shape]
        reference = minimize(
            loss, fit.model.coefficients, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 500}
        )
        again = newton_refit(fit.model, caught, drawn)
        cold = penalised_logistic(
            design.columns,
            shape,
            positives,
            totals,
            penalty,
            np.zeros(columns.shape[1]),
            max_steps=50,
            small_gain=1e-4,
        )
        for coefficients in (again.coefficients, cold):
            assert loss(coefficients)[0] <= reference.fun + 1e-3
            assert (coefficients[1:][shape] >= 0).all()
        assert abs(again.precision - design.precision(reference.x)).max() < 0.05


def test_no_flagged_group_leaves_room_for_a_whole_one():
    """Of 60 negative customers of five alerts none is above the threshold."""
    customers = np.repeat(np.arange(120), 5)
    labels = customers < 60
    scores = np.where(labels, 1.0, 0.0)[:, np.newaxis] + np.linspace(0, 0.1, 600)[:, np.newaxis]
    documents = RatedDocuments(scores, labels, floors=[0.0], groups=customers)
    found = bootstrap_thresholds(documents, [0.9], "any", generator=np.random.default_rng(0)).intervals()
    assert found.in_sample.fp == 0
    assert found.expected.fp.high > 10
