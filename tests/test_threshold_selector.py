import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.utils.estimator_checks import estimator_checks_generator

from multiloss_core import PATH_METHODS, DataError, RatedDocuments, operating_point, simulate_population, smooth_path
from multiloss_core.threshold_selector import ThresholdSelector
from multiloss_core.thresholds import UncertainFloorsError

ROOT = Path(__file__).parents[1]
# SciPy reads it when it is imported.
IN_A_PROCESS_OF_ITS_OWN = "check_array_api_input"
# The data of these checks show no rating floors.
SELECTOR = ThresholdSelector(floor_method="corner")
CHECKS = {getattr(check, "func", check).__name__: check for _, check in estimator_checks_generator(SELECTOR)}


@pytest.fixture(scope="module")
def documents():
    return simulate_population(np.random.default_rng(3), documents=60_000, prevalence=0.01, classifiers=2).rated()


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in CHECKS if name != IN_A_PROCESS_OF_ITS_OWN])
def test_checks_of_scikit_learn(name):
    CHECKS[name](SELECTOR)


@pytest.mark.slow
def test_check_of_scikit_learn_for_arrays_of_other_libraries():
    program = """
from tests.test_threshold_selector import CHECKS, IN_A_PROCESS_OF_ITS_OWN, SELECTOR
CHECKS[IN_A_PROCESS_OF_ITS_OWN](SELECTOR)
"""
    environment = os.environ | {"SCIPY_ARRAY_API": "1"}
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=environment, check=True, timeout=300)


def test_the_point_is_that_of_the_library(documents):
    selector = ThresholdSelector(0.3, floors=documents.floors).fit(documents.scores, documents.labels)
    point = operating_point(smooth_path(documents), 0.3)
    np.testing.assert_array_equal(selector.thresholds_, point.thresholds)
    assert (selector.point_.tp, selector.point_.fp) == (point.tp, point.fp)
    flagged = selector.predict(documents.scores)
    assert (flagged & documents.labels).sum() == point.tp
    assert (flagged & ~documents.labels).sum() == point.fp


@pytest.mark.slow
@pytest.mark.parametrize("method", [method.name for method in PATH_METHODS[:-1]])
@pytest.mark.parametrize("rule", ["any", "all"])
def test_decision_function_is_positive_where_document_is_flagged(documents, method, rule):
    selector = ThresholdSelector(0.4, rule=rule, method=method, floors=documents.floors).fit(
        documents.scores, documents.labels
    )
    scores = np.random.default_rng(0).permuted(documents.scores, axis=0)
    np.testing.assert_array_equal(selector.decision_function(scores) > 0, selector.predict(scores))


def test_weights_groups_and_names_reach_the_documents(documents):
    generator = np.random.default_rng(1)
    weights, groups = generator.integers(0, 3, len(documents.labels)), generator.integers(0, 40, len(documents.labels))
    frame = pd.DataFrame(documents.scores, columns=["a", "b"])
    selector = ThresholdSelector(0.3, floors=documents.floors)
    selector.fit(frame, documents.labels, sample_weight=weights, groups=groups)
    kept = weights > 0
    same = RatedDocuments(
        documents.scores[kept], documents.labels[kept], weights[kept], ["a", "b"], documents.floors, groups=groups[kept]
    )
    np.testing.assert_array_equal(selector.thresholds_, operating_point(smooth_path(same), 0.3).thresholds)
    assert selector.point_.names == ("a", "b")


@pytest.mark.slow
def test_it_can_be_cross_validated_searched_and_cloned(documents):
    scores, labels, floors = documents.scores, documents.labels, tuple(documents.floors)
    assert (
        cross_val_score(ThresholdSelector(0.3, floors=floors), scores, labels, cv=3, scoring="precision").min()
        > labels.mean()
    )
    targets = [0.1, 0.3, 0.6]
    search = GridSearchCV(ThresholdSelector(floors=floors), {"marginal_precision": targets}, cv=3, scoring="precision")
    search.fit(scores, labels)
    # A stricter target is more precise.
    assert search.best_params_ == {"marginal_precision": 0.6}
    assert (np.diff(search.cv_results_["mean_test_score"]) > 0).all()
    assert clone(search.best_estimator_).get_params() == search.best_estimator_.get_params()


@pytest.mark.parametrize(
    ("parameters", "said"),
    [({"method": "best"}, "no method 'best'"), ({"method": "benchmark"}, "thresholds rise"), ({"rule": "or"}, "'or'")],
)
def test_what_cannot_be_found_is_refused(documents, parameters, said):
    with pytest.raises(DataError, match=said):
        ThresholdSelector(floors=documents.floors, **parameters).fit(documents.scores, documents.labels)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("positive", "negative"), [("Fraud", "legit"), ("CHARGEBACK", "genuine"), ("two", "one"), (7, 3)]
)
def test_positive_label_is_known_by_its_meaning(documents, positive, negative):
    labels = np.where(documents.labels, positive, negative)
    selector = ThresholdSelector(0.3, floors=documents.floors).fit(documents.scores, labels)
    expected = ThresholdSelector(0.3, floors=documents.floors).fit(documents.scores, documents.labels)
    np.testing.assert_array_equal(selector.thresholds_, expected.thresholds_)
    assert [*selector.classes_] == sorted([negative, positive])
    areas = [
        roc_auc_score(truth, one.decision_function(documents.scores))
        for truth, one in ((labels, selector), (documents.labels, expected))
    ]
    assert areas[0] == pytest.approx(areas[1])
    assert areas[1] > 0.5
    flagged = selector.predict(documents.scores) == positive
    np.testing.assert_array_equal(flagged, expected.predict(documents.scores))


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["any", "all"])
def test_many_classifiers_have_a_path(rule):
    """Of twenty not even two nodes each fit into a table of nodes."""
    generator = np.random.default_rng(8)
    labels = generator.random(400) < 0.3
    scores = generator.normal(size=(400, 20)) + 2 * labels[:, np.newaxis]
    selector = ThresholdSelector(0.5, rule=rule, floor_method="corner").fit(scores, labels)
    assert selector.point_.tp > 60
    assert selector.point_.precision > 0.6


def test_floors_are_estimated_or_asked_for(documents):
    scores, labels = documents.scores, documents.labels
    estimated = ThresholdSelector(0.3).fit(scores, labels)
    known = ThresholdSelector(0.3, floors=documents.floors).fit(scores, labels)
    assert estimated.point_.alerts == pytest.approx(known.point_.alerts, rel=0.1)
    generator = np.random.default_rng(5)
    unclear = generator.normal(size=(400, 2)) + labels[:400, np.newaxis]
    with pytest.raises(UncertainFloorsError):
        ThresholdSelector(0.3).fit(unclear, generator.random(400) < 0.3)


def test_a_blank_score_reaches_no_threshold(documents):
    scores = np.array(documents.scores)
    blank = np.random.default_rng(6).random(len(scores)) < 0.2
    scores[blank, 1] = np.nan
    kept = (scores >= documents.floors).any(axis=1)
    selector = ThresholdSelector(0.3, floors=documents.floors).fit(scores, documents.labels)
    flagged = selector.predict(scores)
    np.testing.assert_array_equal(flagged, (scores >= selector.thresholds_).any(axis=1))
    np.testing.assert_array_equal(flagged, selector.decision_function(scores) > 0)
    same = RatedDocuments(scores[kept], documents.labels[kept], floors=documents.floors.tolist())
    assert (flagged & documents.labels).sum() == same.counts_at(selector.thresholds_).tp
