"""The estimator against scikit-learn's checks, enumeration, and the library's own functions."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_digits, make_classification, make_multilabel_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import GridSearchCV, TunedThresholdClassifierCV, cross_val_score, train_test_split
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import estimator_checks_generator

from multiloss_core import JACCARD, LOSSES, DataError, F, exhaustive_search, optimal_top_k
from multiloss_core.top_k_classifier import TopKClassifier

ROOT = Path(__file__).parents[1]
# SciPy reads it when it is imported.
IN_A_PROCESS_OF_ITS_OWN = "check_array_api_input"
# It has no decision function: there is no constant threshold.
NOT_FOR_IT = "check_classifiers_multilabel_output_format_decision_function"
# Per batch, the label of an item depends on the others, and is not the more probable one.
DEPEND_ON_BATCH = ("check_methods_subset_invariance", "check_classifiers_train")
ESTIMATORS = {
    # Calibrated probabilities may be 0, which one of the checks refuses.
    "batch": TopKClassifier(LogisticRegression(), calibrate=None),
    "row": TopKClassifier(LogisticRegression(), calibrate=None, per="row"),
    "calibrated": TopKClassifier(LogisticRegression(), "AM", "sigmoid", per="row"),
}
CHECKS = [
    pytest.param(name, check, id=f"{name}-{getattr(check, 'func', check).__name__}-{place}")
    for name, estimator in ESTIMATORS.items()
    for place, (_, check) in enumerate(estimator_checks_generator(estimator))
    if getattr(check, "func", check).__name__ not in (IN_A_PROCESS_OF_ITS_OWN, NOT_FOR_IT)
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "check"), CHECKS)
def test_checks_of_scikit_learn(name, check):
    if name == "batch" and getattr(check, "func", check).__name__ in DEPEND_ON_BATCH:
        with pytest.raises(AssertionError):
            check(clone(ESTIMATORS[name]))
    else:
        check(clone(ESTIMATORS[name]))


@pytest.mark.slow
def test_check_of_scikit_learn_for_other_arrays():
    program = f"""
from tests.test_top_k_classifier import ESTIMATORS, estimator_checks_generator
checks = {{getattr(check, "func", check).__name__: check for _, check in estimator_checks_generator(ESTIMATORS["row"])}}
checks["{IN_A_PROCESS_OF_ITS_OWN}"](ESTIMATORS["row"])
"""
    environment = os.environ | {"SCIPY_ARRAY_API": "1"}
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=environment, check=True, timeout=300)


@pytest.fixture(scope="module")
def labelled():
    return make_classification(600, weights=[0.85], class_sep=0.6, flip_y=0.1, random_state=1)


@pytest.fixture(scope="module")
def multilabel():
    return make_multilabel_classification(300, n_classes=6, random_state=2)


@pytest.mark.parametrize("loss", ["F1", "G-TP/PR", F(2.0), JACCARD])
def test_batch_is_predicted_as_optimal_top_k(labelled, loss):
    features, labels = labelled
    classifier = TopKClassifier(LogisticRegression(), loss, calibrate=None).fit(features[:300], labels[:300])
    probabilities = LogisticRegression().fit(features[:300], labels[:300]).predict_proba(features[300:])
    np.testing.assert_allclose(classifier.predict_proba(features[300:]), probabilities)
    best = optimal_top_k(probabilities[:, 1], LOSSES[loss] if isinstance(loss, str) else loss)
    np.testing.assert_array_equal(classifier.predict(features[300:]) == 1, best.selected)
    found = classifier.top_k(features[300:])
    assert found.k.tolist() == [best.k]
    assert found.expected_loss[0] == pytest.approx(best.expected_loss, abs=1e-12)


@pytest.mark.parametrize("loss", ["F1", "Jaccard", "AM"])
def test_each_row_is_best_of_all_label_sets(multilabel, loss):
    features, labels = multilabel
    classifier = TopKClassifier(LogisticRegression(), loss, calibrate=None, per="row", empty_rows=False).fit(
        features[:200], labels[:200]
    )
    probabilities, predicted = classifier.predict_proba(features[200:]), classifier.predict(features[200:])
    assert predicted.shape == probabilities.shape == (100, 6)
    assert predicted.dtype == labels.dtype
    for row, chosen in zip(probabilities, predicted, strict=True):
        every = exhaustive_search(row, LOSSES[loss])
        assert every.values[int(chosen @ (1 << np.arange(6)))] <= every.values.min() + 2e-12


def test_each_label_of_a_batch_has_its_own_k(multilabel):
    features, labels = multilabel
    classifier = TopKClassifier(LogisticRegression()).fit(features[:200], labels[:200])
    predicted = classifier.predict(features[200:])
    for label in (0, 3):
        alone = TopKClassifier(LogisticRegression()).fit(features[:200], labels[:200, label])
        np.testing.assert_array_equal(predicted[:, label], alone.predict(features[200:]))


def test_label_that_never_occurs_is_not_predicted(multilabel):
    features, labels = multilabel
    labels = labels.copy()
    labels[:200, 0], labels[:200, 1], labels[:200, 2] = 0, 1, np.arange(200) == 3
    classifier = TopKClassifier(LogisticRegression(), calibrate="isotonic", per="row").fit(features[:200], labels[:200])
    probabilities = classifier.predict_proba(features[200:])
    assert np.all(probabilities[:, 0] == 0.0)
    assert np.all(probabilities[:, 1] == 1.0)
    predicted = classifier.predict(features[200:])
    assert not predicted[:, 0].any()
    assert predicted[:, 1].all()


@pytest.mark.parametrize("calibrate", ["isotonic", "sigmoid"])
def test_calibration_gives_probabilities_to_any_classifier(labelled, calibrate):
    features, labels = labelled
    classifier = TopKClassifier(LinearSVC(), calibrate=calibrate).fit(features[:300], labels[:300])
    assert classifier.predict_proba(features[300:])[:, 1].mean() == pytest.approx(labels[300:].mean(), abs=0.06)
    plain = f1_score(labels[300:], LinearSVC().fit(features[:300], labels[:300]).predict(features[300:]))
    assert f1_score(labels[300:], classifier.predict(features[300:])) > plain


def test_rows_that_are_never_empty_are_never_predicted_empty():
    """Each digit has one label: the product of ten probabilities knows nothing of that."""
    features, digits = load_digits(return_X_y=True)
    labels = np.eye(10, dtype=int)[digits]
    fitted, left, known, truth = train_test_split(features / 16, labels, test_size=0.5, random_state=0)
    options = {"per": "row", "calibrate": None}
    found, independent = (
        TopKClassifier(LogisticRegression(C=0.1), **options, empty_rows=empty_rows).fit(fitted, known).predict(left)
        for empty_rows in (True, False)
    )
    assert found.any(axis=1).all()
    assert not independent.any(axis=1).all()
    scores = [f1_score(truth, one, average="samples", zero_division=1.0) for one in (found, independent)]
    assert scores[0] > scores[1] + 0.02


@pytest.mark.slow
def test_default_repairs_probabilities_that_are_too_sure():
    """Naive Bayes on pixels is sure of nearly everything."""
    features, labels = load_digits(return_X_y=True)
    eights = (labels == 8).astype(int)
    halves = train_test_split(features, eights, test_size=0.5, random_state=0, stratify=eights)
    fitted, left, known, truth = halves
    default, plain, tuned = (
        f1_score(truth, classifier.fit(fitted, known).predict(left))
        for classifier in (
            TopKClassifier(GaussianNB()),
            TopKClassifier(GaussianNB(), calibrate=None),
            TunedThresholdClassifierCV(GaussianNB(), scoring="f1", random_state=0),
        )
    )
    assert default == pytest.approx(tuned, abs=0.01)
    assert plain < tuned - 0.03


def test_it_stands_in_pipelines_searches_and_frames(labelled):
    features, labels = labelled
    frame = pd.DataFrame(features, columns=[f"x{column}" for column in range(features.shape[1])])
    scaled = make_column_transformer((StandardScaler(), list(frame.columns)))
    inside = TopKClassifier(make_pipeline(scaled, LogisticRegression())).fit(frame, labels)
    outside = make_pipeline(scaled, TopKClassifier(LogisticRegression())).set_output(transform="pandas")
    np.testing.assert_array_equal(inside.predict(frame), outside.fit(frame, labels).predict(frame))
    assert list(inside.feature_names_in_) == list(frame.columns)
    search = GridSearchCV(
        TopKClassifier(LogisticRegression()), {"estimator__C": [1e-4, 1.0], "loss": ["F1", F(2.0)]}, cv=2
    )
    assert search.fit(features, labels).best_estimator_.predict(features).shape == labels.shape
    assert cross_val_score(outside, frame, labels, scoring="f1", cv=2).min() > 0.2


def test_weights_reach_the_estimator(labelled):
    features, labels = labelled
    weights = np.where(labels == 1, 5.0, 1.0)
    classifier = TopKClassifier(LogisticRegression(), calibrate=None).fit(features, labels, sample_weight=weights)
    expected = LogisticRegression().fit(features, labels, sample_weight=weights).predict_proba(features)
    np.testing.assert_allclose(classifier.predict_proba(features), expected)


@pytest.mark.parametrize(("positive", "negative"), [("fraud", "legit"), ("two", "one"), (7, 3)])
def test_positive_label_is_recognised_by_meaning(labelled, positive, negative):
    features, labels = labelled
    named = np.where(labels == 1, positive, negative)
    classifier = TopKClassifier(LogisticRegression(), at_least=3).fit(features, named)
    assert [*classifier.classes_] == sorted([negative, positive])
    expected = TopKClassifier(LogisticRegression(), at_least=3).fit(features, labels).predict(features)
    np.testing.assert_array_equal(classifier.predict(features) == positive, expected == 1)
    turned = TopKClassifier(LogisticRegression(), pos_label=negative).fit(features, named)
    assert turned.positive_ == 1 - classifier.positive_
    np.testing.assert_allclose(turned.predict_proba(features), classifier.predict_proba(features), atol=1e-5)


@pytest.mark.parametrize("scoring", ["roc_auc", "neg_log_loss"])
def test_scorers_agree_for_words_in_any_order(labelled, scoring):
    features, labels = labelled
    named = np.where(labels == 1, "fraud", "ok")
    scores = [cross_val_score(LogisticRegression(), features, y, scoring=scoring) for y in (labels, named)]
    classifier = TopKClassifier(LogisticRegression(), calibrate=None)
    found = cross_val_score(classifier, features, named, scoring=scoring)
    np.testing.assert_allclose(found, scores[0], atol=1e-3)
    np.testing.assert_allclose(found, scores[1], atol=1e-3)


def test_label_with_one_positive_keeps_its_share(multilabel):
    features, labels = multilabel
    labels = labels.copy()
    labels[:, 0] = np.arange(300) == 3
    classifier = TopKClassifier(LinearSVC(), calibrate="sigmoid").fit(features, labels)
    assert np.all(classifier.predict_proba(features)[:, 0] == 1 / 300)
    assert classifier.predict(features).shape == (300, 6)


def test_indicator_of_other_values_is_rejected(multilabel):
    features, labels = multilabel
    with pytest.raises(DataError, match="other values than 0 and 1"):
        TopKClassifier(LogisticRegression()).fit(features, 2 * labels - 1)


def test_names_of_features_follow_the_last_fit(labelled):
    features, labels = labelled
    classifier = TopKClassifier(LogisticRegression()).fit(pd.DataFrame(features).add_prefix("x"), labels)
    assert not hasattr(classifier.fit(features, labels), "feature_names_in_")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"loss": "F7"}, "There is no loss 'F7'; choose AM, F1"),
        ({"loss": 3}, "A loss is a function"),
        ({"calibrate": "platt"}, "calibrate is 'platt'; choose None, 'isotonic' or 'sigmoid'"),
        ({"per": "label"}, "per is 'label'; choose 'batch' or 'row'"),
        ({"estimator": LinearSVC(), "calibrate": None}, "has no predict_proba; set calibrate to 'isotonic'"),
        ({"at_least": 10**6}, "cannot be flagged"),
        ({"pos_label": "yes"}, "set pos_label to one of them"),
        ({"cv": 1}, "cv is 1; choose at least 2 folds"),
    ],
)
def test_unusable_parameters_are_rejected(labelled, parameters, message):
    with pytest.raises(DataError, match=message):
        TopKClassifier(**{"estimator": RandomForestClassifier(5)} | parameters).fit(*labelled).predict(labelled[0])


def test_more_than_two_classes_are_rejected(labelled):
    with pytest.raises(DataError, match="Only binary classification is supported: two classes, not 3"):
        TopKClassifier(LogisticRegression()).fit(labelled[0], np.arange(600) % 3)


@pytest.mark.slow
def test_estimators_of_all_labels_fit_each_label():
    features, labels = make_multilabel_classification(120, n_classes=2, random_state=0)
    expected = TopKClassifier(LogisticRegression()).fit(features, labels).predict(features)
    for joint in (MultiOutputClassifier(LogisticRegression()), ClassifierChain(LogisticRegression())):
        for estimator in (joint, make_pipeline(FunctionTransformer(), joint)):
            found = TopKClassifier(estimator).fit(features, labels).predict(features)
            assert (found == expected).all()
        found = TopKClassifier(joint).fit(features, labels[:, 0]).predict(features)
        assert (found == expected[:, 0]).all()
        TopKClassifier(joint, calibrate="sigmoid").fit(features, labels)
        with pytest.raises(DataError, match="takes all labels at once; give the estimator for one label"):
            TopKClassifier(GridSearchCV(joint, {"estimator__C": [1.0]})).fit(features, labels)
