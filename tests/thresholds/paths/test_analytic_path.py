import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from multiloss_core import (
    DataError,
    RatedDocuments,
    analytic_path,
    count_surfaces,
)
from tests.brute_force import (
    RULES,
    SPACINGS,
    ordered_pairs,
    random_documents,
    rated_documents,
)
from tests.thresholds.paths.test_paths import assert_counts_match, assert_monotone

rules = st.sampled_from(RULES)
spacings = st.sampled_from(SPACINGS)
FAMILIES = ("power", "beta")


def sigma_of(documents, exponents, rule):
    """Compute the last s that flags a document, T_j = floor_j + (top_j - floor_j) s^p_j."""
    result = []
    tops = documents.scores.max(axis=0).tolist()
    for scores in documents.scores.tolist():
        last = []
        for score, floor, top, p in zip(scores, documents.floors.tolist(), tops, exponents, strict=True):
            scaled = (score - floor) / (top - floor)
            last.append(scaled ** (1 / p) if scaled >= 0 else -1.0)
        result.append(max(last) if rule == "any" else min(last))
    return result


def pair_share(documents, exponents, rule):
    rows = [
        row
        for row in zip(sigma_of(documents, exponents, rule), documents.labels, documents.weights, strict=True)
        if row[0] >= 0
    ]
    return ordered_pairs(*zip(*rows, strict=True))


def exponents_of(path):
    return [1.0, *(path.parameters[f"p{j + 2}"] for j in range(len(path.names) - 1))]


def separable(exponents, rule, seed=0, n=150):
    """Make scores in [0, 1] that only the path T_1 = x, T_j = x^p_j separates."""
    generator = np.random.default_rng(seed)
    k = len(exponents)
    last = generator.uniform(0.0, 0.49, (n, k))
    high = generator.uniform(0.51, 1.0, (n, k))
    # Under `any` one score is enough to stay flagged, under `all` one is enough to be dropped.
    decides = np.eye(k, dtype=bool)[np.arange(n) % k]
    if rule == "any":
        positives, negatives = np.where(decides, high, last), last
    else:
        positives, negatives = high, np.where(decides, last, high)
    scaled = np.vstack([positives, negatives, np.zeros(k), np.ones(k)])
    labels = [True] * n + [False] * n + [False, True]
    return RatedDocuments(scaled ** np.array(exponents), labels, floors=[0.0] * k)


class TestAnalytic:
    @settings(max_examples=25)
    @given(rated_documents(), rules, st.sampled_from(FAMILIES))
    @pytest.mark.slow
    def test_counts_are_exact_and_nothing_turns_back(self, documents, rule, family):
        path = analytic_path(documents, rule=rule, family=family, resolution=12)
        assert path.rule == rule
        assert_counts_match(path, documents)
        assert_monotone(path, documents)

    @pytest.mark.parametrize("rule", RULES)
    @pytest.mark.parametrize("exponents", [(1.0, 2.0), (1.0, 0.4), (1.0, 5.0), (1.0, 2.0, 0.5)])
    def test_power_finds_the_exponent_that_separates_the_classes(self, rule, exponents):
        documents = separable(exponents, rule)
        # With a node for every document the search sees every pair.
        path = analytic_path(documents, rule=rule, resolution=900)
        assert path.normalised_area == pytest.approx(1.0, abs=1e-12)
        assert exponents_of(path) == pytest.approx(exponents, rel=0.1)
        best = max(path.tp[path.fp == 0], default=0)
        assert best == documents.labels.sum()

    @pytest.mark.slow
    @pytest.mark.parametrize("rule", RULES)
    @pytest.mark.parametrize("seed", range(4))
    def test_no_exponent_of_a_dense_scan_is_much_better(self, rule, seed):
        documents = random_documents(seed, n=150, decimals=6, weighted=bool(seed % 2))
        path = analytic_path(documents, rule=rule)
        scan = max(pair_share(documents, [1.0, p], rule) for p in np.exp(np.linspace(-4, 4, 81)))
        assert pair_share(documents, exponents_of(path), rule) >= scan - 0.003

    @pytest.mark.slow
    @pytest.mark.parametrize("seed", range(3))
    def test_beta_holds_every_power_curve_and_is_not_much_worse(self, seed):
        documents = random_documents(seed, n=300, decimals=6)
        power, beta = (analytic_path(documents, family=family).normalised_area for family in FAMILIES)
        assert beta >= power - 0.003

    @pytest.mark.parametrize("rule", RULES)
    @pytest.mark.parametrize("family", FAMILIES)
    @pytest.mark.parametrize("k", [1, 2, 3])
    def test_from_a_table_the_counts_are_those_of_its_nodes(self, rule, family, k):
        documents = random_documents(8, k=k)
        surfaces = count_surfaces(documents, rule=rule, resolution=9)
        path = analytic_path(surfaces, family=family)
        assert path.rule == rule
        for j, axis in enumerate(surfaces.axes):
            assert set(path.thresholds[:, j]) <= set(axis)
        assert_counts_match(path, documents)
        assert_monotone(path, documents)

    def test_unknown_families_and_rules_are_refused(self):
        documents = random_documents(0)
        with pytest.raises(DataError, match="power, beta, not 'spline'"):
            analytic_path(documents, family="spline")
        with pytest.raises(DataError, match="'any' or 'all', not 'or'"):
            analytic_path(documents, rule="or")
