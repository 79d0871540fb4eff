import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

import multiloss_core as m
from multiloss_core import DataError, RatedDocuments, combined_score
from multiloss_core.formatting import MINUS
from multiloss_core.tables.score_formula import COMBINED, ScoreFactors, ScoreFormula
from tests.combined.samples import normal_scores, rated


@pytest.fixture(scope="module")
def documents():
    return rated(0)


@pytest.fixture(scope="module")
def combined(documents):
    return combined_score(documents)


def test_order_of_new_documents_is_nearly_that_of_the_true_odds(combined):
    generator = np.random.default_rng(1)
    new = np.vstack([normal_scores(generator, 2000, 2.0), normal_scores(generator, 40_000, 0.0)])
    seen = (new >= 1.5).any(axis=1)
    labels = (np.arange(len(new)) < 2000)[seen]
    best = roc_auc_score(labels, new[seen].sum(axis=1))
    assert roc_auc_score(labels, combined.apply(new[seen])) > best - 0.01


def test_it_estimates_the_share_of_positives(combined, documents):
    share = documents.labels.mean()
    assert combined.cross_fitted.mean() == pytest.approx(share, rel=0.1)
    high = combined.cross_fitted >= np.median(combined.cross_fitted[documents.labels])
    assert combined.cross_fitted[high].mean() == pytest.approx(documents.labels[high].mean(), abs=0.1)


@given(st.integers(0, 10_000))
def test_it_rises_in_every_score_and_a_blank_is_lowest(combined, seed):
    generator = np.random.default_rng(seed)
    low = generator.normal(1, 2, (200, 2)).round(generator.integers(0, 4))
    more = low + generator.exponential(1.0, low.shape) * generator.integers(0, 2, low.shape)
    assert (combined.apply(more) >= combined.apply(low)).all()
    low[::3, 0] = np.nan
    assert (combined.apply(more) >= combined.apply(low)).all()


@pytest.mark.parametrize("seed", range(10))
def test_no_unrated_document_reaches_the_floor(seed):
    documents = rated(seed, positives=40, scores=2 + seed % 3)
    combined = combined_score(documents)
    below = np.random.default_rng(seed).normal(0, 3, (5000, documents.score_count)).clip(None, 1.5 - 1e-12)
    assert (combined.apply(below) < combined.floor).all()
    assert (combined.apply(documents.scores) >= combined.floor).all()


def test_documents_are_those_with_one_score(combined, documents):
    for deployed in (False, True):
        found = combined.documents(deployed=deployed)
        assert found.names == (COMBINED,)
        assert (*found.totals,) == (*documents.totals,)
        assert found.floors == [combined.floor]
    path = m.smooth_path(combined.documents())
    assert m.operating_point(path, 0.3).status == "inside"


def test_cross_fitted_scores_do_not_see_their_own_label(documents):
    turned = RatedDocuments(documents.scores, np.random.default_rng(0).permutation(documents.labels), floors=[1.5, 1.5])
    # By chance alone, scores fitted to the same labels would order them.
    assert roc_auc_score(turned.labels, combined_score(turned).cross_fitted) == pytest.approx(0.5, abs=0.08)


def test_rules_undecided_and_groups_stay(documents):
    generator = np.random.default_rng(2)
    rule = (generator.random(len(documents.labels)) < 0.1).astype(float)
    groups = generator.integers(0, 300, len(documents.labels))
    with_rule = RatedDocuments(
        np.column_stack([documents.scores, rule]),
        documents.labels,
        names=["a", "b", "rule"],
        floors=[1.5, 1.5, 1.0],
        alert_rules=1,
        groups=groups,
    )
    found = combined_score(with_rule).documents()
    assert found.names == (COMBINED, "rule")
    assert found.alert_rules == 1
    assert (found.groups == with_rule.groups).all()
    assert (found.scores[:, 1] == rule).all()


def test_weights_stand_for_documents():
    documents = rated(3)
    doubled = RatedDocuments(documents.scores, documents.labels, 5 * np.ones(len(documents.labels)), floors=[1.5, 1.5])
    plain, weighted = (combined_score(data).apply(documents.scores) for data in (documents, doubled))
    assert weighted == pytest.approx(plain, rel=1e-5)


def test_classes_far_apart_are_separated():
    generator = np.random.default_rng(0)
    scores = generator.normal(size=(400, 2))
    scores[:12] += 50
    combined = combined_score(RatedDocuments(scores, np.arange(400) < 12, floors=scores.min(axis=0).tolist()))
    assert combined.apply(scores[:12]).min() > 0.9
    assert combined.apply(scores[12:]).max() < 0.1


def test_inverted_scores_keep_their_name():
    documents = rated(4, names=["a", f"{MINUS}b"])
    assert combined_score(documents).formula.names == documents.names


@pytest.mark.parametrize(
    ("source", "rule", "words"),
    [
        (lambda: rated(0, scores=1), "any", "two scores"),
        (lambda: rated(0, positives=8), "any", "10 rated positives"),
        (lambda: RatedDocuments(rated(0).scores, rated(0).labels, floors=[-9, -9]), "all", "reaches every floor"),
        (lambda: m.count_surfaces(rated(0)), "any", "counts alone"),
    ],
)
def test_what_cannot_be_fitted_is_one_sentence(source, rule, words):
    with pytest.raises(DataError, match=words):
        combined_score(source(), rule=rule)


def test_json_gives_the_same_formula_and_refuses_others(combined):
    formula = combined.formula
    assert ScoreFormula.from_json(combined.to_json()) == formula
    for text in ("", "[]", "{}", combined.to_json().replace('"odds": ', '"odds": -'), "[" * 5000):
        with pytest.raises(DataError):
            ScoreFormula.from_json(text)
    rising = ScoreFactors((0.0, 1.0), (0.5, 0.6), (1.0, 1.0), (1.0, 1.0))
    with pytest.raises(DataError, match="do not fall"):
        ScoreFormula(names=("a", "b"), floors=(0.0, 0.0), odds=1.0, factors=(rising, formula.factors[0]))
