"""Measure loss against L2 strength, and the optimal k on small sets."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from experiments.intervals import DIFFERENCE, SHARE, Interval, t_interval
from experiments.natarajan.cells import losses_of_cuts
from experiments.natarajan.data import METHODS, RECIPES, TABLE_LOSSES
from experiments.natarajan.predictions import cross_fit, cuts_of_ranking
from experiments.natarajan.runs import Part, Progress, generator_of, one_class, parts_of
from experiments.parallel import each
from multiloss_core import expected_losses
from multiloss_core.losses import Loss, best_k, fit_isotonic, tuned_threshold
from multiloss_core.numerics.arrays import Bools, Floats, Indices

STRENGTHS = (1e-4, 10**-3.5, 1e-3, 10**-2.5, 1e-2, 10**-1.5, 1e-1, 1.0, 10.0)
SETS = ("scene", "spambase", "webpage")
DRAWS = 3
CURVES = ("Baseline", "Proposed", "Proposed, isotonic", "Proposed, Platt", "Tuning")
FLOOR = "floor"


@dataclass(frozen=True, eq=False)
class StrengthCurve:
    """Mean test `losses` (strengths,) of a method or the floor on a set; C = 1 / L2."""

    key: str
    loss: str
    method: str
    strengths: tuple[float, ...]
    losses: Floats


def strength_curves(
    keys: Sequence[str] = SETS,
    *,
    strengths: Sequence[float] = STRENGTHS,
    draws: int = DRAWS,
    processes: int,
    progress: Progress,
) -> list[StrengthCurve]:
    """Cut the rankings at each strength, averaged over classes and draws."""
    given = [(part, strength) for part in parts_of(keys, draws) for strength in strengths]
    found: dict[tuple[Part, float], Floats] = {}
    for one, losses in each(_losses_at, given, processes):
        found[one] = losses
        progress(len(found), len(given), f"{RECIPES[one[0].key].name} at C = {one[1]:.2g}")
    return [curve for key in keys for curve in _curves_of(key, tuple(strengths), found)]


def _losses_at(given: tuple[Part, float]) -> Floats:
    """Compute the losses (losses, methods and floor) of a part at a strength."""
    part, strength = given
    one = one_class(part)
    cuts = cuts_of_ranking(one, [strength], generator_of(part))
    return np.array([[*losses_of_cuts(cuts, one.test_labels, at), cuts.floors[at]] for at in range(len(TABLE_LOSSES))])


def _curves_of(key: str, strengths: tuple[float, ...], found: dict[tuple[Part, float], Floats]) -> list[StrengthCurve]:
    means = [
        np.mean([losses for (part, at), losses in found.items() if part.key == key and at == strength], axis=0)
        for strength in strengths
    ]
    columns = {**{method: METHODS.index(method) for method in CURVES}, FLOOR: len(METHODS)}
    return [
        StrengthCurve(key, loss.name, method, strengths, np.array([mean[at, column] for mean in means]))
        for at, loss in enumerate(TABLE_LOSSES)
        for method, column in columns.items()
    ]


LETTER_B = Part("letters", 0, 1)
SIZES = (3, 5, 10, 30, 100)
BATCHES = 800
# From training rows, to tune a threshold for a size.
TUNING_BATCHES = 4000
MAX_CANDIDATES = 100
# The cubic method that the library takes up to 100 is the slower one for a thousand batches of this size.
NEAR_LINEAR_FROM = 50
LOSSES_HERE = tuple(loss for loss in TABLE_LOSSES if loss.name in {"F1", "G-TP/PR"})
OPTIMAL_K, HALF = "optimal k", "0.5"
TUNED, TUNED_FOR_SIZE = "threshold tuned on everything", "threshold tuned for this size"


@dataclass(frozen=True)
class BatchLoss:
    """Mean loss of one way over batches of `size` items, and its excess over the optimal k."""

    loss: str
    size: int
    way: str
    interval: Interval
    versus_optimal_k: Interval


@dataclass(frozen=True, eq=False)
class _Items:
    """Calibrated probabilities of items with labels, and the ranking that breaks ties."""

    probabilities: Floats
    ranking: Floats
    labels: Bools


def small_set_losses(sizes: Sequence[int] = SIZES, batches: int = BATCHES) -> list[BatchLoss]:
    """Flag by four ways in random batches of test items of letter B, under F1 and G-TP/PR.

    k = 0 is allowed, as most small batches hold no positive. The interval is over batches, paired.
    """
    one, generator = one_class(LETTER_B), generator_of(LETTER_B)
    fitted = cross_fit(one.train, one.train_labels, RECIPES[LETTER_B.key].strengths, generator)
    isotonic, test = fit_isotonic(fitted.out_of_fold, one.train_labels), fitted.rule(one.test)
    known = _Items(isotonic.apply(fitted.out_of_fold), fitted.out_of_fold, one.train_labels)
    new = _Items(isotonic.apply(test), test, one.test_labels)
    found = []
    for size in sizes:
        rows = _draw(new.labels.size, size, batches, generator)
        tuning_rows = _draw(known.labels.size, size, TUNING_BATCHES, generator)
        for loss in LOSSES_HERE:
            thresholds = {
                TUNED: tuned_threshold(known.probabilities, known.labels, loss).threshold,
                TUNED_FOR_SIZE: _tuned_for_size(known, tuning_rows, loss),
                HALF: 0.5,
            }
            ways = {OPTIMAL_K: _losses_of_optimal_k(new, rows, loss)}
            ways |= {way: _losses_of_threshold(new, rows, loss, threshold) for way, threshold in thresholds.items()}
            best = ways[OPTIMAL_K]
            found += [
                BatchLoss(loss.name, size, way, t_interval(losses, SHARE), t_interval(losses - best, DIFFERENCE))
                for way, losses in ways.items()
            ]
    return found


def _draw(items: int, size: int, batches: int, generator: np.random.Generator) -> Indices:
    return np.array([generator.choice(items, size, replace=False) for _ in range(batches)])


def _losses_of_optimal_k(items: _Items, rows: Indices, loss: Loss) -> Floats:
    flagged = np.zeros(rows.shape, dtype=bool)
    method = "near_linear" if rows.shape[1] >= NEAR_LINEAR_FROM else "auto"
    for batch, at in enumerate(rows):
        k = best_k(expected_losses(items.probabilities[at], loss, method=method).values)
        flagged[batch, np.argsort(-items.ranking[at])[:k]] = True
    return _losses(flagged, items.labels[rows], loss)


def _losses_of_threshold(items: _Items, rows: Indices, loss: Loss, threshold: float) -> Floats:
    return _losses(items.probabilities[rows] >= threshold, items.labels[rows], loss)


def _tuned_for_size(items: _Items, rows: Indices, loss: Loss) -> float:
    """Find the threshold of least mean loss over batches of training rows."""
    distinct = np.unique(items.probabilities)
    evenly = np.linspace(0, distinct.size - 1, MAX_CANDIDATES).astype(np.intp)
    candidates = [*distinct[np.unique(evenly)], np.inf]
    return float(
        min(candidates, key=lambda threshold: float(_losses_of_threshold(items, rows, loss, threshold).mean()))
    )


def _losses(flagged: Bools, labels: Bools, loss: Loss) -> Floats:
    shares = (flagged & labels).mean(axis=1), flagged.mean(axis=1), labels.mean(axis=1)
    return np.asarray(loss(*shares), dtype=np.float64)
