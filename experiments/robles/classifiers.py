"""The six kinds of classifiers, each with a small grid; parameters chosen by accuracy on training rows only."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from multiloss_core.numerics.arrays import Bools, Floats

FOLDS = 3
# Parameters are chosen on a part of the training rows: the order of few parameters needs no more.
ROWS_TO_CHOOSE_ON = 2000
DEFAULT_PROBABILITY = 0.5


@dataclass(frozen=True)
class Kind:
    """A kind of classifier: `printed` is its name in the tables, `make` takes one entry of `grid`."""

    name: str
    printed: str
    make: Callable[..., Any]
    grid: tuple[Mapping[str, Any], ...] = ({},)
    takes_weights: bool = True


KINDS = (
    Kind(
        "Decision Tree",
        "Decision Tree",
        lambda **chosen: DecisionTreeClassifier(random_state=0, **chosen),
        ({"max_depth": 3}, {"max_depth": 6}, {"max_depth": 12}, {"max_depth": None}),
    ),
    Kind(
        "Linear SVM",
        "Linear SVM",
        lambda **chosen: LinearSVC(dual=False, **chosen),
        ({"C": 0.01}, {"C": 0.1}, {"C": 1.0}),
    ),
    Kind("Naive Bayes", "Naive Bayes", GaussianNB),
    Kind(
        "Random Forest",
        "Random Forest",
        lambda **chosen: RandomForestClassifier(40, n_jobs=1, random_state=0, **chosen),
        ({"min_samples_leaf": 1}, {"min_samples_leaf": 5}),
    ),
    Kind(
        "boosting",
        "xgboost",
        lambda **chosen: HistGradientBoostingClassifier(max_iter=80, early_stopping=False, random_state=0, **chosen),
        ({"max_leaf_nodes": 4}, {"max_leaf_nodes": 16}),
    ),
    Kind(
        "k-nearest neighbors",
        "k-nearest neighbors",
        lambda **chosen: KNeighborsClassifier(algorithm="brute", **chosen),
        ({"n_neighbors": 5}, {"n_neighbors": 15}, {"n_neighbors": 45}),
        takes_weights=False,
    ),
)


def chosen_parameters(kind: Kind, features: Floats, labels: Bools, weights: Floats) -> Mapping[str, Any]:
    """Choose the entry of the grid with the best accuracy over three folds of training rows (n, d), by weight."""
    if len(kind.grid) == 1:
        return kind.grid[0]
    some = np.random.default_rng(0).permutation(labels.size)[:ROWS_TO_CHOOSE_ON]
    folds = list(KFold(FOLDS).split(some))
    right = [
        sum(
            np.sum(
                weights[some[test]]
                * (
                    trained(kind, parameters, features[some[train]], labels[some[train]], weights[some[train]]).predict(
                        features[some[test]]
                    )
                    == labels[some[test]]
                )
            )
            for train, test in folds
        )
        for parameters in kind.grid
    ]
    return kind.grid[int(np.argmax(right))]


def trained(kind: Kind, parameters: Mapping[str, Any], features: Floats, labels: Bools, weights: Floats) -> Any:
    """Train a classifier on rows (n, d), by weight where the kind takes weights."""
    classifier = kind.make(**parameters)
    return (
        classifier.fit(features, labels, sample_weight=weights)
        if kind.takes_weights
        else classifier.fit(features, labels)
    )


def scores_of(classifier: Any, features: Floats) -> Floats:
    """Score rows: the distance from the plane of a linear SVM, the probability of the others."""
    if hasattr(classifier, "decision_function") and not hasattr(classifier, "predict_proba"):
        return np.asarray(classifier.decision_function(features), dtype=np.float64)
    return np.asarray(classifier.predict_proba(features)[:, 1], dtype=np.float64)


def usual_decisions(classifier: Any, features: Floats, scores: Floats) -> Bools:
    """Decide rows (n, d) with scores (n,) as the classifier does by itself."""
    # The neighbours are not searched twice; a tie of two classes goes to the first, the negative one.
    if isinstance(classifier, KNeighborsClassifier):
        return np.asarray(scores > DEFAULT_PROBABILITY)
    return np.asarray(classifier.predict(features), dtype=bool)
