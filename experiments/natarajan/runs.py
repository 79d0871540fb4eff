"""Run all fits of the tables in parallel: rankings, then structured SVMs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from time import process_time

import numpy as np

from experiments.natarajan.data import (
    METHODS,
    NATARAJAN_SETS,
    RECIPES,
    TABLE_LOSSES,
    BinaryProblems,
    Features,
    topics_with,
)
from experiments.natarajan.predictions import (
    OneClass,
    RankingCuts,
    cuts_of_ranking,
    flagged_by_svm,
    prepared_features,
    svm_losses_held_out,
)
from experiments.parallel import each
from multiloss_core.numerics.arrays import Bools, Floats, Indices

SEED = 2016
# C is one for all classes of a set, so some classes with enough positives decide.
MIN_POSITIVES = 12
CLASSES_FOR_C = 5


@dataclass(frozen=True, order=True)
class Part:
    """One class of one set on one draw of its split (0 for a published split)."""

    key: str
    draw: int
    column: int


@dataclass(frozen=True, eq=False)
class RanPart:
    """Results of a part.

    `cuts` with the S-SVM in place; `labels` (n,) of the test items; `svm_strengths`, `svm_gaps`, `svm_cut_short`, each
    (losses,); `seconds` of one processor.
    """

    part: Part
    cuts: RankingCuts
    labels: Bools
    svm_strengths: Floats
    svm_gaps: Floats
    svm_cut_short: Bools
    seconds: float


Progress = Callable[[int, int, str], None]


def run_parts(parts: Sequence[Part], *, processes: int, progress: Progress) -> list[RanPart]:
    """Fit and cut every part, in the order of `parts`; call `progress(done, all, what)`."""
    ranked: dict[Part, _Ranked] = {}
    for part, found in each(_rank, parts, processes):
        ranked[part] = found
        progress(len(ranked), 2 * len(parts), f"{RECIPES[part.key].name}: ranked")
    strengths = _chosen_strengths(ranked)
    fits: dict[Part, _Fitted] = {}
    given = [(part, tuple(strengths[part.key, part.draw])) for part in parts]
    for (part, _), fitted in each(_fit_svms, given, processes):
        fits[part] = fitted
        progress(len(parts) + len(fits), 2 * len(parts), f"{RECIPES[part.key].name}: structured SVM")
    return [_together(part, ranked[part], fits[part], strengths[part.key, part.draw]) for part in parts]


def parts_of(keys: Sequence[str], draws: int) -> list[Part]:
    """List all parts of the sets: each class needed, `draws` times without a published split."""
    parts = []
    for key in keys:
        problems = loaded_set(key)
        for draw in range(draws if problems.is_test is None else 1):
            parts += [Part(key, draw, int(column)) for column in topics_with(problems, 1)]
    return parts


def one_class(part: Part) -> OneClass:
    """Split a set by its draw and take one of its classes."""
    problems, training, test, features = _split(part.key, part.draw)
    labels = problems.labels[:, part.column]
    return OneClass(features[training], labels[training], features[test], labels[test])


@dataclass(frozen=True, eq=False)
class _Ranked:
    cuts: RankingCuts
    labels: Bools
    # (losses, strengths), or None for a class that is not asked
    svm_held_out: Floats | None
    seconds: float


@dataclass(frozen=True, eq=False)
class _Fitted:
    flagged: Bools
    gaps: Floats
    cut_short: Bools
    seconds: float


def _rank(part: Part) -> _Ranked:
    start = process_time()
    recipe, one, generator = RECIPES[part.key], one_class(part), generator_of(part)
    cuts = cuts_of_ranking(one, recipe.strengths, generator)
    asked = part.column in _asked_for_strength(part.key)
    held_out = svm_losses_held_out(one, recipe.svm_strengths, generator) if asked else None
    return _Ranked(cuts, one.test_labels, held_out, process_time() - start)


def _fit_svms(given: tuple[Part, tuple[float, ...]]) -> _Fitted:
    start = process_time()
    one = one_class(given[0])
    fits = [flagged_by_svm(one, loss, strength) for loss, strength in zip(TABLE_LOSSES, given[1], strict=True)]
    return _Fitted(
        np.array([flagged for flagged, _ in fits]),
        np.array([fitted.gap for _, fitted in fits]),
        np.array([fitted.cut_short for _, fitted in fits]),
        process_time() - start,
    )


def _chosen_strengths(ranked: dict[Part, _Ranked]) -> dict[tuple[str, int], Floats]:
    """Choose C of each loss, by the mean of the held-out losses of the classes asked."""
    chosen = {}
    for (key, draw), parts in groupby(sorted(ranked), key=lambda part: (part.key, part.draw)):
        held_out = [found for part in parts if (found := ranked[part].svm_held_out) is not None]
        best = np.argmin(np.mean(held_out, axis=0), axis=1)
        chosen[key, draw] = np.array(RECIPES[key].svm_strengths)[best]
    return chosen


def _together(part: Part, ranked: _Ranked, fitted: _Fitted, strengths: Floats) -> RanPart:
    ranked.cuts.flagged[:, METHODS.index("S-SVM")] = fitted.flagged
    seconds = ranked.seconds + fitted.seconds
    return RanPart(part, ranked.cuts, ranked.labels, strengths, fitted.gaps, fitted.cut_short, seconds)


@lru_cache(maxsize=1)
def _asked_for_strength(key: str) -> frozenset[int]:
    problems = loaded_set(key)
    training = slice(None) if problems.is_test is None else ~problems.is_test
    enough = np.flatnonzero(problems.labels[training].sum(axis=0) >= MIN_POSITIVES)
    return frozenset(enough[:: -(-enough.size // CLASSES_FOR_C)].tolist())


@lru_cache(maxsize=1)
def loaded_set(key: str) -> BinaryProblems:
    """Load a set once in each process."""
    return NATARAJAN_SETS[key]()


@lru_cache(maxsize=1)
def _split(key: str, draw: int) -> tuple[BinaryProblems, Indices, Indices, Features]:
    problems = loaded_set(key)
    if problems.is_test is None:
        order = np.random.default_rng([SEED, draw]).permutation(len(problems.labels))
        training, test = (np.sort(rows) for rows in np.split(order, [problems.training_rows]))
    else:
        training, test = np.flatnonzero(~problems.is_test), np.flatnonzero(problems.is_test)
    return problems, training, test, prepared_features(problems.features, training, RECIPES[key].scaling)


def generator_of(part: Part) -> np.random.Generator:
    """Make the random numbers of a part, the same in every run."""
    return np.random.default_rng([SEED, part.draw, part.column, *map(ord, part.key)])
