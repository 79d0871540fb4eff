import numpy as np
import pytest
from scipy.stats import betabinom, binom, binomtest, geom

from multiloss_core import (
    RatedDocuments,
    ThresholdPath,
    flagged,
    simulate_population,
)
from multiloss_core.generalisation import certify
from multiloss_core.generalisation.certificate import _drawn_futures
from multiloss_core.generalisation.certificate_parts import CHOOSING_SHARE
from multiloss_core.numerics.proportion_tests import (
    betting_lower_bound,
    betting_p_value,
    documents_needed,
    enough_positives,
    exact_lower_bound,
    exact_p_value,
)
from tests.brute_force import close, count

CUTS = np.linspace(0.0, 1.0, 21)


def rising(generator, n, *, groups=None, weights=None, steepness=1.0):
    """One score in (0, 1); the precision above a cut at t is steepness x (1 + t) / 2."""
    scores = generator.random(n)
    labels = generator.random(n) < steepness * scores
    labels[:2] = True, False
    return RatedDocuments(scores, labels, weights, floors=[0.0], groups=groups)


def cut_path(documents, *, rule):
    thresholds = CUTS[:, np.newaxis]
    return ThresholdPath(thresholds, *documents.counts_along(thresholds, rule), "cuts", rule, documents.names)


def _share_of_large_groups():
    """Compute the share of documents in groups of more than 3; sizes geometric up to 30."""
    sizes = np.arange(1, 31)
    chances = geom.pmf(sizes, 0.25)
    chances[-1] += geom.sf(30, 0.25)
    return float((sizes * chances)[3:].sum() / (sizes * chances).sum())


class TestTests:
    @pytest.mark.parametrize(("positives", "documents"), [(0, 5), (3, 5), (5, 5), (40, 60), (1, 200)])
    @pytest.mark.parametrize("precision", [0.05, 0.5, 0.95])
    def test_the_exact_test_is_the_binomial_one(self, positives, documents, precision):
        theirs = binomtest(positives, documents, precision, alternative="greater")
        assert exact_p_value(positives, documents, precision) == pytest.approx(theirs.pvalue)
        bound = exact_lower_bound(positives, documents, 0.9)
        assert bound == pytest.approx(theirs.proportion_ci(0.9).low, abs=1e-9)
        if positives:
            assert exact_p_value(positives, documents, bound) == pytest.approx(0.1)

    def test_nothing_proves_nothing(self):
        assert exact_p_value(0, 0, 0.5) == 1
        assert betting_p_value(np.empty(0), np.empty(0), 0.5, 1.0, 0.05) == 1
        assert betting_lower_bound(np.empty(0), np.empty(0), 0.95, 1.0) == 0

    @pytest.mark.parametrize("level", [0.05, 0.001])
    def test_betting_multiplies_fortunes(self, level):
        generator = np.random.default_rng(5)
        totals = generator.choice([1.0, 2.0, 4.0], 30)
        positives = totals * (generator.random(30) < 0.5)
        earlier = np.array([2.0, 0.0, 1.0]), np.array([2.0, 1.0, 3.0])
        squares = [0.3 * 0.7 * 4.0**2, (2 - 0.6) ** 2, 0.3**2, (1 - 0.9) ** 2]
        fortune, best = 1.0, 1.0
        for place, (positive, total) in enumerate(zip(positives, totals, strict=True)):
            variance = sum(squares) / len(squares) * (30 - place)
            bet = min((2.05 * np.log(1 / level / fortune) / variance) ** 0.5, 1 / (0.3 * 4.0))
            squares.append((positive - 0.3 * total) ** 2)
            fortune *= 1 + bet * (positive - 0.3 * total)
            best = max(best, fortune)
            if fortune <= 0 or best >= 1 / level:
                break
        assert best > 2
        assert betting_p_value(positives, totals, 0.3, 4.0, level, earlier) == pytest.approx(1 / best)

    @pytest.mark.slow
    @pytest.mark.parametrize("precision", [0.1, 0.5, 0.9])
    def test_betting_rejects_a_true_hypothesis_at_most_so_often(self, precision):
        generator = np.random.default_rng(0)
        rejected = 0
        for _ in range(400):
            sizes = generator.choice([1.0, 2.0, 8.0], 150)
            positives = sizes * (generator.random(150) < precision)
            rejected += betting_p_value(positives, sizes, precision, 8.0, 0.05) <= 0.05
        assert rejected <= binom.ppf(0.999, 400, 0.05)

    @pytest.mark.slow
    @pytest.mark.parametrize("level", [0.01, 0.05, 0.3])
    @pytest.mark.parametrize(
        ("positives", "totals", "chances"),
        [
            ([1, 0], [1, 1], [0.5, 0.5]),
            ([3, 0, 0], [3, 1, 3], [0.3, 0.3, 0.4]),
            ([1, 0, 2], [1, 9, 4], [0.9, 0.05, 0.05]),
            ([9, 0, 1], [9, 1, 2], [0.04, 0.9, 0.06]),
        ],
    )
    def test_betting_keeps_its_level_over_all_outcomes(self, positives, totals, chances, level):
        kinds = np.array([positives, totals], dtype=float)
        true = kinds[0] @ chances / (kinds[1] @ chances)
        outcomes = np.indices([len(chances)] * 7).reshape(7, -1).T
        rejecting = [betting_p_value(*kinds[:, outcome], true, kinds[1].max(), level) <= level for outcome in outcomes]
        assert np.prod(np.array(chances)[outcomes], axis=1)[rejecting].sum() <= level

    @pytest.mark.slow
    @pytest.mark.parametrize("precision", [0.1, 0.4, 0.8])
    @pytest.mark.parametrize("related", ["larger positives", "smaller positives", "one rating", "mixed"])
    def test_skewed_groups_do_not_mislead_betting(self, precision, related):
        generator = np.random.default_rng(3)
        rejected = 0
        for _ in range(1000):
            sizes = generator.geometric(0.25, 90).clip(max=30).astype(float)
            chance = np.full(90, precision)
            if related == "mixed":
                chance = generator.beta(precision, 1 - precision, 90)
                positives = generator.binomial(sizes.astype(int), chance).astype(float)
                true = precision
            else:
                large = sizes > 3
                factors = {"larger positives": (1.2, 0.5), "smaller positives": (0.5, 1.2), "one rating": (1, 1)}
                more, fewer = np.multiply(factors[related], precision)
                positives = sizes * (generator.random(90) < np.where(large, more, fewer))
                share = _share_of_large_groups()
                true = more * share + fewer * (1 - share)
            earlier = positives[:30], sizes[:30]
            rejected += betting_p_value(positives[30:], sizes[30:], true, 30.0, 0.05, earlier) <= 0.05
        assert rejected <= binom.ppf(0.999, 1000, 0.05)

    def test_the_bound_by_betting_is_where_the_test_just_rejects(self):
        generator = np.random.default_rng(1)
        totals = generator.uniform(1, 3, 200)
        positives = totals * (generator.random(200) < 0.6)
        bound = betting_lower_bound(positives, totals, 0.95, 3.0)
        assert 0.4 < bound < positives.sum() / totals.sum()
        assert betting_p_value(positives, totals, bound, 3.0, 0.05) <= 0.05
        assert betting_p_value(positives, totals, bound + 1e-6, 3.0, 0.05) > 0.05
        assert betting_lower_bound(positives, totals, 0.95, 3.0, rejected=bound - 0.01) >= bound - 0.01

    @pytest.mark.slow
    @pytest.mark.parametrize(("true", "precision"), [(0.6, 0.5), (0.9, 0.8), (0.15, 0.1), (1.0, 0.9)])
    def test_the_documents_needed_are_the_fewest(self, true, precision):
        def power(n):
            rejecting = [k for k in range(n + 1) if binomtest(k, n, precision, alternative="greater").pvalue <= 0.05]
            return sum(binom.pmf(k, n, true) for k in rejecting)

        needed = documents_needed(true, precision, 0.05, 0.8)
        assert power(needed) >= 0.8
        assert all(power(n) < 0.8 for n in range(max(needed - 12, 1), needed))

    @pytest.mark.parametrize("precision", [0.05, 0.6])
    def test_enough_positives_are_the_fewest_that_reject(self, precision):
        documents = np.array([[0, 1, 5], [40, 40, 300]])
        for number, enough in zip(documents.ravel(), enough_positives(documents, precision, 0.05).ravel(), strict=True):
            p_values = [exact_p_value(k, number, precision) for k in range(number + 1)]
            rejecting = [k for k in range(number + 1) if p_values[k] <= 0.05]
            assert enough == (rejecting[0] if rejecting else number + 1)


class TestStart:
    @pytest.mark.slow
    def test_the_futures_of_a_vertex_have_the_predicted_power(self):
        generator = np.random.default_rng(2)
        tp, fp = np.array([30.0, 12.0, 12.0, 0.0]), np.array([70.0, 3.0, 3.0, 0.0])
        positives, negatives = (
            np.vstack([_drawn_futures(counts, 2.5, generator) for _ in range(60)]) for counts in (tp, fp)
        )
        assert (np.diff(positives, axis=1) <= 0).all()
        assert (positives[:, 1] == positives[:, 2]).all()
        documents = positives + negatives
        passed = positives >= enough_positives(documents, 0.6, 0.05)
        for vertex, power in ((0, 0.0), (1, 0.5)):
            counts = documents[:, vertex]
            # Beta-binomial after Jeffreys, given how many documents came.
            enough = enough_positives(counts, 0.6, 0.05)
            expected = betabinom.sf(enough - 1, counts, tp[vertex] + 1 / 2, fp[vertex] + 1 / 2).mean()
            assert passed[:, vertex].mean() == pytest.approx(expected, abs=0.01)
            assert expected == pytest.approx(power, abs=0.3)


class TestCertifiedPoint:
    def test_it_is_what_the_fixed_sequence_certifies(self):
        documents = rising(np.random.default_rng(3), 900)
        certificate = certify(documents, 0.7, method=cut_path, seed=5)
        assert certificate.status == "certified"
        assert certificate.test == "exact"
        # The same split, then every test from the start on by scipy.
        order = np.random.default_rng(5).permutation(900)
        testing = order >= round(CHOOSING_SHARE * 900)
        scores, labels = documents.scores[testing, 0], documents.labels[testing]
        passed = [
            binomtest(int(labels[scores >= cut].sum()), int((scores >= cut).sum()), 0.7, alternative="greater").pvalue
            <= 0.05
            for cut in CUTS[:-1]
        ]
        here = int(np.flatnonzero(certificate.thresholds[0] == CUTS)[0])
        assert all(passed[here : here + certificate.tried - 1])
        assert not passed[here - 1]
        assert certificate.tested.tp == labels[scores >= CUTS[here]].sum()
        assert certificate.tested.alerts == (scores >= CUTS[here]).sum()
        tp, fp = count(documents, certificate.thresholds.tolist(), "any")
        assert (*certificate.counts,) == (tp, fp)
        assert certificate.lower_bound >= 0.7
        assert certificate.p_value <= 0.05
        assert certificate.lower_bound < certificate.tested.precision
        assert certificate.more_ratings is None

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("form", "precision"), [("plain", 0.55), ("plain", 0.8), ("weights", 0.8), ("groups", 0.8)]
    )
    def test_it_fails_at_most_so_often(self, form, precision):
        failed = certified = 0
        for seed in range(120):
            generator = np.random.default_rng(seed)
            groups = weights = None
            if form == "weights":
                documents = rising(generator, 600)
                kept = (documents.scores[:, 0] > 0.5) | (generator.random(600) < 0.5)
                weights = np.where(documents.scores[:, 0] > 0.5, 1.0, 2.0)
                documents = RatedDocuments(documents.scores[kept], documents.labels[kept], weights[kept], floors=[0.0])
            else:
                documents = rising(generator, 400)
            if form == "groups":
                groups = np.repeat(np.arange(400), generator.integers(1, 4, 400))
                documents = RatedDocuments(
                    documents.scores[groups], documents.labels[groups], floors=[0.0], groups=groups
                )
            certificate = certify(documents, precision, method=cut_path, seed=seed)
            assert certificate.test == ("exact" if form == "plain" else "betting")
            if certificate.thresholds is not None:
                certified += 1
                failed += (1 + certificate.thresholds[0]) / 2 < precision
        assert failed <= binom.ppf(0.999, 120, 0.05)
        assert certified >= 10

    @pytest.mark.slow
    def test_false_certificates_are_rare_when_precision_is_constant(self):
        certified = 0
        for seed in range(250):
            generator = np.random.default_rng(seed)
            labels = generator.random(300) < 0.4
            documents = RatedDocuments(generator.random(300), labels, floors=[0.0])
            certified += certify(documents, 0.4, method=cut_path, seed=seed).status == "certified"
        assert certified <= binom.ppf(0.999, 250, 0.05)

    def test_groups_stay_whole_and_copies_count_once(self):
        documents = rising(np.random.default_rng(0), 300)
        rows = np.repeat(np.arange(300), 5)
        copies = RatedDocuments(documents.scores[rows], documents.labels[rows], floors=[0.0], groups=rows)
        alone = certify(copies, 0.75, method=cut_path)
        assert (alone.test, alone.largest) == ("betting", 5)
        assert alone.tested.tp % 5 == alone.tested.fp % 5 == 0
        # Five copies of every document prove no more than one.
        heavy = RatedDocuments(documents.scores, documents.labels, np.full(300, 5.0), floors=[0.0])
        exact = certify(heavy, 0.75, method=cut_path)
        assert exact.test == "exact"
        assert alone.thresholds >= exact.thresholds
        single = certify(documents, 0.75, method=cut_path)
        assert single.thresholds == exact.thresholds
        assert exact.counts.tp == 5 * single.counts.tp
        assert close(single.p_value, exact.p_value)

    @pytest.mark.slow
    def test_more_ratings_as_suggested_mostly_certify(self):
        successes, suggestions = 0, []
        for seed in range(30):
            certificate = certify(rising(np.random.default_rng(seed), 300), 0.9, method=cut_path, seed=seed)
            if certificate.more_ratings is not None and certificate.more_ratings < 20_000:
                suggestions.append(certificate.more_ratings)
                larger = rising(np.random.default_rng(1000 + seed), 300 + certificate.more_ratings)
                successes += certify(larger, 0.9, method=cut_path, seed=seed).status == "certified"
        assert len(suggestions) >= 15
        assert successes / len(suggestions) > 0.5

    def test_too_few_documents_to_choose_from(self):
        documents = RatedDocuments([[1.0], [2.0], [3.0]], [0, 0, 1])
        assert certify(documents, 0.5).status == "too_few"

    @pytest.mark.slow
    @pytest.mark.parametrize("rule", ["any", "all"])
    def test_on_the_smooth_path_of_two_classifiers(self, rule):
        population = simulate_population(np.random.default_rng(0), documents=300_000, prevalence=0.002)
        documents = population.rated()
        certificate = certify(documents, 0.3, rule=rule)
        assert certificate.status == "certified"
        assert certificate.rule == rule
        caught = flagged(documents.scores, certificate.thresholds, rule)
        assert certificate.counts.tp == documents.labels[caught].sum()
        assert certificate.counts.alerts == caught.sum()
        again = certify(documents, 0.3, rule=rule)
        assert (again.thresholds == certificate.thresholds).all()


def test_certified_range_ends_at_first_failed_test():
    documents = simulate_population(np.random.default_rng(8), documents=100_000, prevalence=0.01).rated()
    found = certify(documents, 0.5)
    assert found.status == "certified"
    path = found.path
    assert 0 < found.loosest < found.strictest < len(path.tp)
    assert (path.thresholds[found.loosest] == found.thresholds).all()
    assert (path.tp[found.loosest], path.fp[found.loosest]) == (*found.counts,)
    for vertex in (found.loosest, found.strictest, len(path.tp) // 2):
        caught = flagged(documents.scores, path.thresholds[vertex], "any")
        assert path.tp[vertex] == (caught & documents.labels).sum()
        assert path.fp[vertex] == (caught & ~documents.labels).sum()
    covered = [found.covers(thresholds) for thresholds in path.thresholds]
    assert np.flatnonzero(covered).min() <= found.loosest
    assert np.flatnonzero(covered).max() >= found.strictest
    assert not found.covers(path.thresholds[0])
    assert found.strictest - found.loosest + 1 == found.tried - 1
