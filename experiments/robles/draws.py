"""One draw: two classifiers trained, thresholds found on counted rows, what they flag among the held-out ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import numpy as np

from experiments.robles.classifiers import KINDS, Kind, chosen_parameters, scores_of, trained, usual_decisions
from experiments.robles.preparation import drawn_split, numeric_features, two_views
from experiments.sets.robles import ROBLES_SETS, OutcomeTable
from multiloss_core import PATH_METHODS, DataError, RatedDocuments, operating_point
from multiloss_core.numerics.arrays import Bools, Floats, Indices
from multiloss_core.thresholds import PathSearch

Mode = Literal["apart", "in-sample"]
MODES: tuple[Mode, ...] = ("apart", "in-sample")
# The rows of the tables and the methods that stand for them; the last two are beside the paper.
METHODS = {"Analytical": "analytic power", "Graph": "graph", "Benchmark": "benchmark", "Smooth": "smooth"}
CLASSIFIERS = ("classifier 1", "classifier 2")
UNION = "union of defaults"
# TP and FP weigh the same: slope 1.
MARGINAL_PRECISION = 0.5
NODES = 100
# Only so many of the counted rows with the largest scores of each classifier are rated.
RATED_SHARE = {"bank": 0.25, "mammography": 0.05, "creditcard": 0.10}


@dataclass(frozen=True)
class Outcome:
    """What one row of the tables flags among held-out rows, counted by weight.

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
    """Run both modes of one draw; `data_set` and `kind_name` are keys of ROBLES_SETS and names of KINDS."""
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
    """Two classifiers before they are trained: their kind, and what each sees and was given by its grid."""

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
    """Score rows `scored` by two classifiers trained on rows `train`: scores (m, 2) and the usual decisions (m, 2)."""
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
