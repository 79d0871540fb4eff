"""Train two classifiers in each draw, find thresholds and count the held-out rows."""

import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from time import perf_counter
from typing import Any, Literal

import numpy as np
from sklearn import config_context
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import has_fit_parameter

from experiments.parallel import each
from experiments.robles.data import ROBLES_SETS, OutcomeTable, drawn_split, numeric_features, two_views
from multiloss_core import PATH_METHODS, DataError, RatedDocuments, operating_point
from multiloss_core.numerics.arrays import Bools, Floats, Indices
from multiloss_core.thresholds import PathSearch

FOLDS = 3
# Parameters are chosen on a part of the training rows: the order of few parameters needs no more.
ROWS_TO_CHOOSE_ON = 2000
DEFAULT_PROBABILITY = 0.5


@dataclass(frozen=True)
class Kind:
    """A kind of classifier: `printed` is its name in the tables, `grid` the parameters to try."""

    name: str
    printed: str
    model: Any
    grid: Mapping[str, Sequence[Any]] = field(default_factory=dict)


KINDS = (
    Kind("Decision Tree", "Decision Tree", DecisionTreeClassifier(random_state=0), {"max_depth": (3, 6, 12, None)}),
    Kind("Linear SVM", "Linear SVM", LinearSVC(dual=False), {"C": (0.01, 0.1, 1.0)}),
    Kind("Naive Bayes", "Naive Bayes", GaussianNB()),
    Kind(
        "Random Forest",
        "Random Forest",
        RandomForestClassifier(40, n_jobs=1, random_state=0),
        {"min_samples_leaf": (1, 5)},
    ),
    Kind(
        "boosting",
        "xgboost",
        HistGradientBoostingClassifier(max_iter=80, early_stopping=False, random_state=0),
        {"max_leaf_nodes": (4, 16)},
    ),
    Kind(
        "k-nearest neighbors",
        "k-nearest neighbors",
        KNeighborsClassifier(algorithm="brute"),
        {"n_neighbors": (5, 15, 45)},
    ),
)


def chosen_parameters(kind: Kind, features: Floats, labels: Bools, weights: Floats) -> Mapping[str, Any]:
    """Choose parameters by weighted accuracy over three folds of training rows (n, d)."""
    some = np.random.default_rng(0).permutation(labels.size)[:ROWS_TO_CHOOSE_ON]
    with config_context(enable_metadata_routing=True):
        model = clone(kind.model)
        if has_fit_parameter(model, "sample_weight"):
            model.set_fit_request(sample_weight=True)
        # Counts, so that the mean over folds of unequal size orders as the accuracy over all rows.
        right = make_scorer(accuracy_score, normalize=False).set_score_request(sample_weight=True)
        search = GridSearchCV(model, kind.grid, scoring=right, cv=KFold(FOLDS), refit=False)
        search.fit(features[some], labels[some], sample_weight=weights[some])
    chosen: Mapping[str, Any] = search.best_params_
    return chosen


def trained(kind: Kind, parameters: Mapping[str, Any], features: Floats, labels: Bools, weights: Floats) -> Any:
    """Train a classifier on rows (n, d), by weight where the kind takes weights."""
    model = clone(kind.model).set_params(**parameters)
    given = {"sample_weight": weights} if has_fit_parameter(model, "sample_weight") else {}
    return model.fit(features, labels, **given)


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


Mode = Literal["apart", "in-sample"]
MODES: tuple[Mode, ...] = ("apart", "in-sample")
# The rows of the tables and the methods that stand for them; the last two are beside the paper.
METHODS = {"Analytical": "analytic power", "Graph": "graph", "Benchmark": "benchmark", "Smooth": "smooth"}
CLASSIFIERS = ("classifier 1", "classifier 2")
UNION = "union of defaults"
# TP and FP weigh the same: slope 1.
MARGINAL_PRECISION = 0.5
NODES = 100
# Share of the counted rows that are rated: the largest scores of each classifier.
RATED_SHARE = {"bank": 0.25, "mammography": 0.05, "creditcard": 0.10}


@dataclass(frozen=True)
class Outcome:
    """Counts of one row of the tables on held-out rows, by weight.

    `rows` are the four cells unweighted (TP, FP, FN, TN), `weight` what one negative stands for. `status` is that of
    the operating point, "default" for classifiers at their usual threshold, "no data" where no path could be made.
    """

    data_set: str
    kind: str
    draw: int
    mode: Mode
    row: str
    status: str
    rows: tuple[int, int, int, int]
    weight: float


@dataclass(frozen=True, eq=False)
class Rated:
    """Rated rows of one draw: scores (n, 2), ratings (n,) and the rating floors (2,)."""

    scores: Floats
    ratings: Bools
    floors: Floats


def outcomes_of_draw(data_set: str, kind_name: str, draw: int) -> list[Outcome]:
    """Run both modes of one draw; arguments are keys of ROBLES_SETS and names of KINDS."""
    table, kind = _table(data_set), _kind(kind_name)
    split, outcomes = drawn_split(table.labels, draw), []
    pair = _pair(table, data_set, kind, split.train)
    for mode in MODES:
        train, count = (split.train, split.count) if mode == "apart" else (split.training, split.training)
        scores, defaults = _scored(pair, table, train, np.concatenate([count, split.held_out]))
        held_out = slice(len(count), None)
        flags: dict[str, tuple[str, Bools]] = {
            name: ("default", defaults[held_out, j]) for j, name in enumerate(CLASSIFIERS)
        }
        flags[UNION] = ("default", np.asarray(defaults[held_out].any(axis=1)))
        flags |= _flags_of_methods(data_set, table, count, scores[: len(count)], scores[held_out])
        labels = table.labels[split.held_out]
        outcomes += [
            Outcome(data_set, kind_name, draw, mode, row, status, _cells(flagged, labels), _weight(table))
            for row, (status, flagged) in flags.items()
        ]
    return outcomes


def rated_of_draw(data_set: str, kind_name: str, draw: int) -> Rated:
    """Score the rows counted apart in a draw, and keep those that are rated."""
    table = _table(data_set)
    split = drawn_split(table.labels, draw)
    pair = _pair(table, data_set, _kind(kind_name), split.train)
    scores, _ = _scored(pair, table, split.train, split.count)
    floors, rated = _rated(scores, RATED_SHARE[data_set])
    return Rated(scores[rated], table.labels[split.count][rated], floors)


@cache
def _table(data_set: str) -> OutcomeTable:
    return ROBLES_SETS[data_set]()


@cache
def _features(data_set: str) -> Floats:
    return numeric_features(_table(data_set))


def _kind(name: str) -> Kind:
    return next(kind for kind in KINDS if kind.name == name)


@dataclass(frozen=True, eq=False)
class _Pair:
    """Two untrained classifiers: kind, features of each and parameters by grid search."""

    kind: Kind
    views: tuple[Floats, Floats]
    parameters: tuple[Mapping[str, Any], ...]


def _pair(table: OutcomeTable, data_set: str, kind: Kind, train: Indices) -> _Pair:
    """Make the features and choose the parameters on the rows that train in both modes."""
    views = two_views(_features(data_set), train)
    return _Pair(
        kind, views, tuple(chosen_parameters(kind, v[train], table.labels[train], table.weights[train]) for v in views)
    )


def _scored(pair: _Pair, table: OutcomeTable, train: Indices, scored: Indices) -> tuple[Floats, Bools]:
    """Train two classifiers on `train`; return scores (m, 2) and decisions (m, 2)."""
    scores, decisions = [], []
    for view, parameters in zip(pair.views, pair.parameters, strict=True):
        classifier = trained(pair.kind, parameters, view[train], table.labels[train], table.weights[train])
        scores.append(scores_of(classifier, view[scored]))
        decisions.append(usual_decisions(classifier, view[scored], scores[-1]))
    return np.column_stack(scores), np.column_stack(decisions)


def _flags_of_methods(
    data_set: str, table: OutcomeTable, count: Indices, counted: Floats, held_out: Floats
) -> dict[str, tuple[str, Bools]]:
    floors, rated = _rated(counted, RATED_SHARE[data_set])
    none = np.zeros(len(held_out), dtype=bool)
    try:
        documents = RatedDocuments(
            counted[rated], table.labels[count][rated], table.weights[count][rated], CLASSIFIERS, floors.tolist()
        )
    except DataError:
        # Scores that are all the same, or rated rows of one class: there is nothing to choose.
        return dict.fromkeys(METHODS, ("no data", none))
    search = PathSearch(documents, "any", NODES, "uniform")
    found: dict[str, tuple[str, Bools]] = {}
    for row, name in METHODS.items():
        path = next(method for method in PATH_METHODS if method.name == name).find(search)
        point = operating_point(path, MARGINAL_PRECISION)
        found[row] = (point.status, none if point.status == "unreachable" else np.asarray(point.flags(held_out)))
    return found


def _rated(scores: Floats, share: float) -> tuple[Floats, Bools]:
    floors = np.quantile(scores, 1 - share, axis=0, method="higher")
    return floors, np.asarray((scores >= floors).any(axis=1))


def _cells(flagged: Bools, labels: Bools) -> tuple[int, int, int, int]:
    pairs: Sequence[Bools] = (flagged & labels, flagged & ~labels, ~flagged & labels, ~flagged & ~labels)
    tp, fp, fn, tn = (int(pair.sum()) for pair in pairs)
    return tp, fp, fn, tn


def _weight(table: OutcomeTable) -> float:
    return float(table.weights[~table.labels].mean())


PROCESSES = 2
Task = tuple[str, str, int]


def run_tasks(tasks: Sequence[Task]) -> list[Outcome]:
    """Run tasks (set, kind, draw) in two processes; Ctrl-C ends early with the results so far."""
    outcomes: list[Outcome] = []
    start = perf_counter()
    with suppress(KeyboardInterrupt):
        for done, ((data_set, kind, draw), found) in enumerate(each(_outcomes, tasks, PROCESSES), start=1):
            outcomes += found
            words = f"{done}/{len(tasks)}: {data_set}, {kind}, draw {draw + 1}; {perf_counter() - start:.0f} s"
            print(words, file=sys.stderr, flush=True)
    return outcomes


def _outcomes(task: Task) -> list[Outcome]:
    return outcomes_of_draw(*task)
