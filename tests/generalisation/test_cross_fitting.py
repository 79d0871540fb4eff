from collections import Counter
from math import isnan

import numpy as np
import pytest

from multiloss_core import (
    DataError,
    RatedDocuments,
    ThresholdPath,
    analytic_path,
    benchmark_path,
    count_surfaces,
    flagged,
    graph_path,
    operating_points,
    simulate_population,
    smooth_path,
)
from multiloss_core.generalisation import cross_fit, cross_fit_steps
from multiloss_core.thresholds.data.folds import document_folds
from tests.brute_force import count, is_flagged

TARGETS = (0.2, 0.5, 0.8)


def graph(documents, rule="any"):
    return graph_path(count_surfaces(documents, resolution=12, rule=rule))


def benchmark(documents):
    return benchmark_path(count_surfaces(documents, resolution=12), buckets=9)


def fixed(documents, rule="any"):
    """A path that ignores the data, down to where the operating points lie."""
    thresholds = np.linspace(documents.floors, [1.1] * len(documents.names), 9)
    tp, fp = documents.counts_along(thresholds, rule)
    smooth_tp, smooth_fp = np.linspace(0, 1, 9)[::-1] ** 0.5, np.linspace(0, 1, 9)[::-1] ** 2
    return ThresholdPath(
        thresholds, tp, fp, "fixed", rule, documents.names, smooth_tp=smooth_tp * 100, smooth_fp=smooth_fp * 100
    )


def some_documents(seed=0, count=160, *, classifiers=2, weighted=False, grouped=False, share=0.3):
    generator = np.random.default_rng(seed)
    labels = generator.random(count) < share
    scores = (generator.random((count, classifiers)) ** np.where(labels, 0.6, 1.0)[:, None]).round(2)
    return RatedDocuments(
        scores,
        labels,
        generator.choice([1.0, 2.0, 5.0], count) if weighted else None,
        floors=[0.0] * classifiers,
        groups=generator.integers(0, count // 3, count) if grouped else None,
    )


def pairs_ranked(documents, rows, thresholds, rule):
    """Rightly ranked and all pairs of a positive and a negative among some rows, one by one."""
    kinds = {True: [], False: []}
    for row in rows:
        scores = documents.scores[row].tolist()
        passed = [is_flagged(scores, vertex, rule) for vertex in thresholds.tolist()]
        if passed[0]:
            last = max(vertex for vertex, on in enumerate(passed) if on)
            kinds[bool(documents.labels[row])].append((last, float(documents.weights[row])))
    ranked = whole = 0.0
    for last, weight in kinds[True]:
        for other_last, other_weight in kinds[False]:
            whole += weight * other_weight
            ranked += weight * other_weight * ((last > other_last) + (last == other_last) / 2)
    return ranked, whole


def by_hand(documents, method, targets, folds, seed):
    """Plain and adjusted cross-fitting, fold by fold and document by document."""
    fold = document_folds(documents, folds, seed)
    everything = range(len(fold))
    whole = method(documents)
    at_all = [count(documents, point.thresholds, point.rule) for point in operating_points(whole, targets)]
    outside = np.zeros((len(targets), 2))
    on_all = np.zeros((len(targets), 2))
    ranked = pairs = area_on_all = 0.0
    for number in range(folds):
        path = method(documents.part(fold != number))
        for i, point in enumerate(operating_points(path, targets)):
            on_all[i] += count(documents, point.thresholds, point.rule)
            for row in np.flatnonzero(fold == number):
                if is_flagged(documents.scores[row].tolist(), point.thresholds.tolist(), point.rule):
                    outside[i, 0 if documents.labels[row] else 1] += documents.weights[row]
        right, of = pairs_ranked(documents, np.flatnonzero(fold == number), path.thresholds, path.rule)
        ranked, pairs = ranked + right, pairs + of
        right, of = pairs_ranked(documents, everything, path.thresholds, path.rule)
        area_on_all += right / of
    right, of = pairs_ranked(documents, everything, whole.thresholds, whole.rule)
    adjusted = outside + np.array(at_all) - on_all / folds
    return outside, adjusted, ranked / pairs, ranked / pairs + right / of - area_on_all / folds


class TestCounts:
    @pytest.mark.parametrize("rule", ["any", "all"])
    @pytest.mark.parametrize(("weighted", "grouped"), [(False, False), (True, False), (False, True), (True, True)])
    def test_they_equal_a_loop_over_folds_and_documents(self, rule, weighted, grouped):
        documents = some_documents(weighted=weighted, grouped=grouped)

        def method(part):
            return graph(part, rule)

        held_out = cross_fit(documents, {"graph": method}, TARGETS, folds=4, seed=3)["graph"]
        plain, adjusted, plain_area, area = by_hand(documents, method, TARGETS, 4, 3)
        np.testing.assert_allclose(np.column_stack([held_out.plain.tp, held_out.plain.fp]), plain)
        np.testing.assert_allclose(
            np.column_stack([held_out.tp, held_out.fp]),
            np.clip(adjusted, 0, [documents.totals.tp, documents.totals.fp]),
        )
        assert held_out.plain_area == pytest.approx(plain_area)
        assert held_out.area == pytest.approx(area)
        whole = method(documents)
        points = operating_points(whole, TARGETS)
        assert held_out.in_sample.tp.tolist() == [point.tp for point in points]
        assert held_out.in_sample.fp.tolist() == [point.fp for point in points]
        assert held_out.in_sample_area == whole.normalised_area
        assert (held_out.folds, held_out.folds_counted, held_out.folds_left_out) == (4, 4, 0)

    def test_weights_are_counted_and_their_unit_does_not_matter(self):
        documents = some_documents(5, weighted=True)
        tenfold = RatedDocuments(
            documents.scores, documents.labels, documents.weights * 10, documents.names, documents.floors.tolist()
        )
        one, ten = (cross_fit(d, {"graph": graph}, TARGETS)["graph"] for d in (documents, tenfold))
        np.testing.assert_allclose(ten.tp, 10 * one.tp)
        np.testing.assert_allclose(ten.fp, 10 * one.fp)
        np.testing.assert_allclose(ten.precision, one.precision)
        assert ten.area == pytest.approx(one.area)

    @pytest.mark.slow
    def test_every_method_can_be_held_out(self):
        documents = some_documents(6, 250, classifiers=3)
        methods = {"smooth": smooth_path, "power": analytic_path, "graph": graph, "benchmark": benchmark}
        for held_out in cross_fit(documents, methods, TARGETS, folds=3).values():
            assert ((held_out.tp >= 0) & (held_out.tp <= documents.totals.tp)).all()
            assert ((held_out.fp >= 0) & (held_out.fp <= documents.totals.fp)).all()
            assert 0 <= held_out.area <= 1
            alerts = held_out.tp + held_out.fp
            assert np.isnan(held_out.precision[alerts == 0]).all()
            np.testing.assert_allclose((held_out.precision * alerts)[alerts > 0], held_out.tp[alerts > 0])

    @pytest.mark.slow
    def test_they_are_nearer_truth_than_counts_on_choosing_documents(self):
        off = []
        for seed in range(12):
            population = simulate_population(np.random.default_rng(seed), documents=60_000, prevalence=0.01)
            kept = flagged(population.scores, population.floors, "any")
            scores, labels = population.scores[kept], population.labels[kept]
            chosen = np.random.default_rng(seed).random(len(labels)) < 0.25
            documents = RatedDocuments(scores[chosen], labels[chosen], floors=population.floors.tolist())

            def method(part):
                return graph_path(count_surfaces(part, resolution=40, spacing="positives"))

            held_out = cross_fit(documents, {"graph": method}, [0.5])["graph"]
            (point,) = operating_points(method(documents), [0.5])
            on = flagged(scores[~chosen], point.thresholds, "any")
            truth = [(on & labels[~chosen]).sum() / 3, (on & ~labels[~chosen]).sum() / 3]
            off.append(
                [
                    np.ravel([held_out.in_sample.tp, held_out.in_sample.fp]) - truth,
                    np.ravel([held_out.tp, held_out.fp]) - truth,
                ]
            )
        (in_sample_tp, in_sample_fp), (tp, fp) = np.mean(off, axis=0)
        assert in_sample_tp > 0 > in_sample_fp
        assert abs(tp) < abs(in_sample_tp) / 2
        assert abs(fp) < abs(in_sample_fp) / 2


class TestProgress:
    def test_each_fit_is_reported_and_the_last_step_holds_the_counts(self):
        documents = some_documents(7)
        methods = {"graph": graph, "fixed": fixed}
        steps = list(cross_fit_steps(documents, methods, TARGETS, folds=3))
        assert [step.done for step in steps] == list(range(1, 9))
        assert {step.total for step in steps} == {8}
        assert [step.method for step in steps] == ["graph", "fixed"] * 4
        assert steps[0].counts.keys() == {"graph"}
        assert [step.counts["graph"].folds_counted for step in steps] == [0, 0, 1, 1, 2, 2, 3, 3]
        final = cross_fit(documents, methods, TARGETS, folds=3)
        for name in methods:
            assert steps[-1].counts[name].tp.tolist() == final[name].tp.tolist()
            assert steps[-1].counts[name].area == final[name].area

    def test_what_was_counted_so_far_stands_for_all_documents(self):
        documents = some_documents(8, 400)
        for step in cross_fit_steps(documents, {"fixed": fixed}, TARGETS, folds=4):
            held_out = step.counts["fixed"]
            if step.done == 1:
                assert np.isnan(held_out.tp).all()
                assert isnan(held_out.area)
            else:
                np.testing.assert_allclose(held_out.tp, held_out.in_sample.tp, rtol=0.4)
                np.testing.assert_allclose(held_out.fp, held_out.in_sample.fp, rtol=0.4)

    def test_stopping_early_fits_nothing_more(self):
        fits = []

        def method(part):
            fits.append(len(part.labels))
            return fixed(part)

        steps = cross_fit_steps(some_documents(), {"fixed": method}, TARGETS)
        next(steps)
        next(steps)
        steps.close()
        assert fits == [160, 128]


class TestSmallData:
    @pytest.mark.parametrize("positives", [1, 2, 3])
    def test_few_positives_do_not_stop_it(self, positives):
        generator = np.random.default_rng(9)
        scores = generator.random((30, 2))
        documents = RatedDocuments(scores, np.arange(30) < positives, floors=[0, 0])
        held_out = cross_fit(documents, {"graph": graph}, TARGETS)["graph"]
        assert np.isfinite(held_out.fp).all()
        if positives == 1:
            # The fold with the only positive has nothing left to choose thresholds from.
            assert (held_out.folds_counted, held_out.folds_left_out) == (4, 1)
            assert np.isnan(held_out.tp).all()
            assert isnan(held_out.area)
            assert np.isnan(held_out.precision).all()
        else:
            assert (held_out.folds_counted, held_out.folds_left_out) == (5, 0)
            assert np.isfinite(held_out.tp).all()

    def test_a_fold_that_leaves_a_score_constant_is_left_out(self):
        generator = np.random.default_rng(10)
        rule = np.zeros(60)
        rule[7] = 1.0
        documents = RatedDocuments(
            np.column_stack([generator.random(60), rule]), generator.random(60) < 0.4, floors=[0.0, 0.0]
        )
        fold = document_folds(documents)
        held_out = cross_fit(documents, {"fixed": fixed}, TARGETS)["fixed"]
        assert (held_out.folds_counted, held_out.folds_left_out) == (4, 1)
        counted = fold != fold[7]
        points = operating_points(fixed(documents), TARGETS)
        on = np.array([flagged(documents.scores, point.thresholds, "any") for point in points])
        tp = (on & counted & documents.labels).sum(axis=1) * documents.labels.sum() / documents.labels[counted].sum()
        np.testing.assert_allclose(held_out.plain.tp, tp)

    def test_one_group_cannot_be_held_out(self):
        documents = RatedDocuments([0.1, 0.5, 0.9], [0, 1, 1], groups=["x", "x", "x"])
        with pytest.raises(DataError, match=r"one group.*choose another group column or none"):
            cross_fit(documents, {"graph": graph}, TARGETS)


class TestFolds:
    @pytest.mark.parametrize("seed", range(5))
    @pytest.mark.parametrize("folds", [2, 5, 10])
    def test_positives_and_documents_are_spread_evenly(self, seed, folds):
        documents = some_documents(seed, 173)
        fold = document_folds(documents, folds, seed)
        for numbers in (fold, fold[documents.labels]):
            sizes = np.bincount(numbers, minlength=folds)
            assert sizes.max() - sizes.min() <= 1

    @pytest.mark.parametrize("seed", range(5))
    def test_groups_are_never_split_and_positives_are_spread_evenly(self, seed):
        generator = np.random.default_rng(seed)
        groups = generator.zipf(1.5, 900) % 150
        labels = (generator.random(150) < 0.3)[groups] & (generator.random(900) < 0.7)
        documents = RatedDocuments(generator.random((900, 2)), labels, floors=[0, 0], groups=groups)
        fold = document_folds(documents, 5, seed)
        assert set(fold) == set(range(5))
        assert all(len(set(fold[groups == group])) == 1 for group in set(groups))
        positives = np.bincount(fold[labels], minlength=5)
        largest = max(Counter(groups[labels].tolist()).values())
        assert positives.max() - positives.min() <= largest

    def test_there_are_no_more_folds_than_documents_or_groups(self):
        assert set(document_folds(RatedDocuments([0.1, 0.5, 0.9], [0, 1, 1]), 5)) == {0, 1, 2}
        grouped = RatedDocuments([0.1, 0.5, 0.9], [0, 1, 1], groups=["x", "y", "x"])
        assert sorted(document_folds(grouped, 5)) in ([0, 0, 1], [0, 1, 1])
