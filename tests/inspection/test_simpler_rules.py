import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from multiloss_core import RatedDocuments, count_surfaces, graph_path, operating_point, smooth_path
from multiloss_core.inspection import compare_with_simpler_rules
from tests.brute_force import RULES, close, count, random_documents, rated_documents

rules = st.sampled_from(RULES)


def counts_of_all_common_cuts(documents, rule):
    """Count TP and FP of every common cut, document by document."""
    k = len(documents.names)
    levels, cuts = set(), []
    for j in range(k):
        floor = documents.floors[j]
        values = sorted({floor, *(s for s in documents.scores[:, j].tolist() if s > floor), np.inf})
        volumes = [float(documents.weights[documents.scores[:, j] >= value].sum()) for value in values]
        cuts.append(list(zip(values, volumes, strict=True)))
        levels.update(volumes)
    found = []
    for level in levels:
        thresholds = [min(value for value, volume in cut if volume <= level + 1e-9) for cut in cuts]
        found.append((thresholds, *count(documents, thresholds, rule)))
    return found


def counts_of_all_cuts_alone(documents, j):
    values = {documents.floors[j], *(s for s in documents.scores[:, j].tolist() if s > documents.floors[j]), np.inf}
    found = []
    for value in values:
        chosen = documents.scores[:, j] >= value
        tp = float(documents.weights[chosen & documents.labels].sum())
        found.append((value, tp, float(documents.weights[chosen & ~documents.labels].sum())))
    return found


def interpolated(pairs, fp):
    """TP at a number of false positives, between (TP, FP) of nested cuts; at most the largest."""
    pairs = sorted(pairs, key=lambda pair: (pair[1], pair[0]))
    within = [pair for pair in pairs if pair[1] <= fp + 1e-9]
    beyond = [pair for pair in pairs if pair[1] > fp + 1e-9]
    low = max(within)
    if not beyond:
        return low[0]
    high = min(beyond)
    return low[0] + (high[0] - low[0]) * (fp - low[1]) / (high[1] - low[1])


def point_of(documents, rule, target=0.4):
    return operating_point(graph_path(count_surfaces(documents, rule=rule, resolution=5)), target)


@pytest.mark.slow
@given(rated_documents(classifiers=(2, 3)), rules)
@settings(max_examples=60, deadline=None)
def test_every_cut_is_as_counted_document_by_document(documents, rule):
    point = point_of(documents, rule)
    common, *alone = compare_with_simpler_rules(documents, point)
    assert [cut.kind for cut in alone] == ["alone"] * len(documents.names)
    assert [cut.name for cut in alone] == list(documents.names)
    assert common.kind == "common"
    for cut in (common, *alone):
        tp, fp = count(documents, cut.thresholds.tolist(), rule)
        assert close(cut.tp, tp)
        assert close(cut.fp, fp)
        assert close(cut.tp_lost, point.tp - cut.tp_at_equal_fp)
    cuts = counts_of_all_common_cuts(documents, rule)
    assert common.tp_at_equal_fp == pytest.approx(interpolated([cut[1:] for cut in cuts], point.fp))
    for j, cut in enumerate(alone):
        cuts = counts_of_all_cuts_alone(documents, j)
        assert cut.tp_at_equal_fp == pytest.approx(interpolated([cut[1:] for cut in cuts], point.fp))
        assert cut.reaches == (max(fp for _, _, fp in cuts) >= point.fp - 1e-9)


@given(rated_documents(classifiers=(2,)), rules)
@settings(max_examples=30, deadline=None)
def test_the_real_cut_is_the_nearest_in_false_positives(documents, rule):
    point = point_of(documents, rule)
    common, *alone = compare_with_simpler_rules(documents, point)
    nearest = min(abs(fp - point.fp) for _, _, fp in counts_of_all_common_cuts(documents, rule))
    assert abs(common.fp - point.fp) == pytest.approx(nearest, abs=1e-9)
    for j, cut in enumerate(alone):
        nearest = min(abs(fp - point.fp) for _, _, fp in counts_of_all_cuts_alone(documents, j))
        assert abs(cut.fp - point.fp) == pytest.approx(nearest, abs=1e-9)


@pytest.mark.slow
def test_leaving_out_useless_classifier_costs_nothing():
    generator = np.random.default_rng(3)
    labels = np.arange(400) < 100
    good = generator.normal(size=400) + 6.0 * labels
    documents = RatedDocuments(np.column_stack([good, generator.normal(size=400)]), labels, names=("good", "noise"))
    common, alone, noise = compare_with_simpler_rules(documents, operating_point(smooth_path(documents), 0.5))
    assert alone.share_lost == pytest.approx(0, abs=0.02)
    assert noise.share_lost > 0.9
    assert alone.share_lost < common.share_lost < noise.share_lost


def test_two_alike_classifiers_lose_nothing_by_a_common_cut():
    documents = random_documents(5, n=300, decimals=4)
    twins = RatedDocuments(
        np.column_stack([documents.scores[:, 0], 10 * documents.scores[:, 0] + 3]),
        documents.labels,
        floors=[documents.scores[:, 0].min(), None],
    )
    for rule in RULES:
        point = operating_point(graph_path(count_surfaces(twins, rule=rule, resolution=50, spacing="quantile")), 0.5)
        common, *alone = compare_with_simpler_rules(twins, point)
        assert common.tp_lost <= 1e-9
        assert close(common.tp_lost, alone[0].tp_lost)
        assert common.fp == point.fp
