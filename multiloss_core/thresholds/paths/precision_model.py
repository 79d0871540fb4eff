"""P(positive | scores): a smooth estimate that rises with every score, but for the highest ones, from bucket counts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.special import expit
from threadpoolctl import ThreadpoolController

from multiloss_core.numerics.arrays import Bools, Floats, Indices
from multiloss_core.numerics.penalised_logistic import penalised_logistic
from multiloss_core.thresholds.data.grid_counts import Axes, BucketCounts, count_nodes_at_or_below

Integers = Indices
Flags = Bools
# Indices into PENALTIES, one for each penalty of a design, and at last one into its shapes.
Choice = tuple[int, ...]

PIECES, PIECES_OF_PAIRS = 8, 3
# Over so many of the last pieces a function may fall where the data say so.
FALLING_PIECES = 5
FOLDS = 5
PENALTIES = (1e4, 1e3, 1e2, 1e1, 1.0, 1e-1, 1e-2)
FIRST_PENALTY = 4
RIDGE = 1e-3
# Enough from any start; steps that lower the deviance by less than the second tell no penalties apart.
MAX_STEPS, SMALL_GAIN = 50, 1e-3
# The matrices are small: on a busy machine, threads waiting for each other made a fit a hundred times slower.
_BLAS = ThreadpoolController()
# Fits whose deviance on data left out is worse than the best by more than this count for nothing in the mean.
MAX_EXCESS_DEVIANCE = 4.0


@dataclass(frozen=True, eq=False)
class ScoreCells:
    """Documents in the occupied cells of a grid.

    `axes`: k increasing arrays of nodes, the first at the floor, the last above every score. `cells` (c, k): how many
    nodes of each axis lie at or below the scores of a cell. `slots` (n,): the cell of each document, empty for a table
    of counts.
    """

    axes: Axes
    cells: Integers
    slots: Integers


@dataclass(frozen=True, eq=False)
class PrecisionDesign:
    """Design matrix, shapes and penalties of a fit; independent of the counts.

    `columns` (c, d): the basis at each cell. `shapes`: masks (d,) of the coefficients that may not be negative, those
    of functions of each score that rise throughout and those of functions that may fall at the top.
    `penalties`: (d, d) matrices, one for each thing that costs: roughness, interaction, differences between classifiers
    (with one classifier: roughness alone). `beyond` (k, d): the basis above the largest score of one classifier while
    the others lie below their floors.
    """

    columns: Floats
    shapes: tuple[Flags, ...]
    penalties: tuple[Floats, ...]
    beyond: Floats


@dataclass(frozen=True, eq=False)
class PrecisionModel:
    """Fitted P(positive | scores) in (0, 1): `precision` (c,) of the cells, `beyond` (k,) above the largest scores.

    `penalty` (d, d), `shape` (d,) and `coefficients` (d + 1,) of the best single fit let it be fitted again to other
    counts.
    """

    precision: Floats
    beyond: Floats
    penalty: Floats
    shape: Flags
    coefficients: Floats


def score_cells(scores: Floats, labels: Bools, floors: Floats, resolution: int) -> ScoreCells:
    """Cells between nodes at scores of rated positives and at even steps in the logarithm of the rank.

    `scores` (n, k), `labels` (n,), `floors` (k,). At most about `resolution` nodes of each kind for each classifier. TP
    changes only at the scores of positives; ranks in logarithms resolve the few documents at the top, where thresholds
    lie. Time O(n log n).
    """
    axes = tuple(_axis(scores[:, j], labels, float(floor), resolution) for j, floor in enumerate(floors))
    columns = [count_nodes_at_or_below(axis, scores[:, j]) for j, axis in enumerate(axes)]
    shape = tuple(len(axis) + 1 for axis in axes)
    occupied, slots = np.unique(np.ravel_multi_index(tuple(columns), shape), return_inverse=True)
    return ScoreCells(axes, np.column_stack(np.unravel_index(occupied, shape)), slots)


def cells_of_surfaces(buckets: BucketCounts) -> tuple[ScoreCells, Floats, Floats]:
    """Turn a table of counts into cells with positives and totals (c,); negative weights are taken as 0."""
    positives = buckets.positives.clip(0.0)
    cells = ScoreCells(buckets.axes, buckets.cells, np.empty(0, dtype=np.intp))
    return cells, positives, positives + buckets.negatives.clip(0.0)


def precision_design(cells: ScoreCells, totals: Floats) -> PrecisionDesign:
    """Build the basis of the model on the cells: additive in the scores, and pairs of them.

    A score enters as the logarithm of one over its rank, so that any rising transformation of the scores gives the same
    model and heavy tails do no harm. The logit of the precision is a sum of one rising piecewise-linear function for
    each classifier, with a step at its floor, and of a surface for each pair, with another step where all scores reach
    their floors. With heavy tails the highest scores may be worth less again: functions that fall over their last
    pieces are the other shape. `totals` (c,): documents in each cell.

    Classifiers of one ensemble are often much alike: from few positives their functions are estimated better together
    than each on its own (partial pooling), so differences between them cost, as much as cross-validation says. For this
    ranks count from the top, whatever the floors, and all functions have the same knots.
    """
    loosest = max(float(totals @ (column > 0)) for column in cells.cells.T)
    ranks = [_log_ranks(cells.cells[:, j], totals, len(axis), loosest) for j, axis in enumerate(cells.axes)]
    top = max(float(x[-1]) for x in ranks)
    k = len(ranks)
    knots = _knots(top)
    smooth = [_pieces(x, knots) for x in ranks]
    coarse = [_pieces(x, np.linspace(0.0, top, PIECES_OF_PAIRS + 1)) for x in ranks]
    single = [pieces[cells.cells[:, j]] for j, pieces in enumerate(smooth)]
    pairs = [
        (coarse[i][cells.cells[:, i], :, np.newaxis] * coarse[j][cells.cells[:, j], np.newaxis, :]).reshape(
            len(cells.cells), -1
        )
        for i, j in combinations(range(k), 2)
    ]
    together = (cells.cells > 0).all(axis=1, keepdims=True)
    columns = np.hstack([*single, *pairs, together]).astype(np.float64)
    width, rising = PIECES + 1, k * (PIECES + 1)
    throughout = np.arange(columns.shape[1]) < rising
    at_first = throughout & (np.arange(columns.shape[1]) % width < width - FALLING_PIECES)
    beyond = np.zeros((k, columns.shape[1]))
    for j in range(k):
        beyond[j, j * width : (j + 1) * width] = 1.0
        # One e-fold rarer than the largest score, along the slope of the last piece.
        beyond[j, (j + 1) * width - 1] += 1 / (knots[-1] - knots[-2])
    return PrecisionDesign(columns, (throughout, at_first), _penalties(knots, k, len(pairs)), beyond)


@_BLAS.wrap(limits=1, user_api="blas")  # type: ignore[untyped-decorator]
def fit_precision(design: PrecisionDesign, folds: Sequence[tuple[Floats, Floats]]) -> PrecisionModel:
    """Fit the model to counts in folds, `(positives (c,), totals (c,))` each; the penalties come from the folds.

    Penalised logistic regression; the strength of each penalty and the shape are chosen by cross-validation (a
    search along each of them in turn, once from classifiers all alike and once from each on its own); the precision is
    the mean over the models tried, weighted by their likelihood on the data left out.
    Deterministic for given folds. Time O(c d^2 + d^3) for each step of each fit.
    """
    positives, totals = (np.sum([fold[part] for fold in folds], axis=0) for part in (0, 1))
    left_out = _left_out_deviance(design, folds, positives, totals)
    tried = _search(design, left_out)
    least = min(tried.values())
    best = min(tried, key=lambda chosen: tried[chosen])
    mean, total_weight, logits = np.zeros(len(totals)), 0.0, np.zeros(len(design.beyond))
    coefficients = _fit(design, best, positives, totals, None)
    for chosen, deviance in tried.items():
        if deviance - least < MAX_EXCESS_DEVIANCE:
            weight = float(np.exp(least - deviance))
            fitted = _fit(design, chosen, positives, totals, coefficients)
            mean += weight * expit(design.columns @ fitted[1:] + fitted[0])
            logits += weight * (design.beyond @ fitted[1:] + fitted[0])
            total_weight += weight
    return PrecisionModel(
        mean / total_weight,
        expit(logits / total_weight),
        _penalty(design, best),
        design.shapes[best[-1]],
        coefficients,
    )


def _axis(scores: Floats, labels: Bools, floor: float, resolution: int) -> Floats:
    above = np.sort(scores[scores >= floor])
    if not above.size:
        return np.array([floor, np.nextafter(floor, np.inf)])
    positives = np.unique(scores[(scores >= floor) & labels])
    thinned = np.linspace(0, len(positives) - 1, min(len(positives), resolution)).round().astype(np.intp)
    ranks = np.exp(np.linspace(np.log(len(above)), 0.0, resolution))
    by_rank = above[(len(above) - ranks).round().astype(np.intp).clip(0, len(above) - 1)]
    return np.unique(np.concatenate([[floor], positives[thinned], by_rank, [np.nextafter(above[-1], np.inf)]]))


def _log_ranks(column: Integers, totals: Floats, nodes: int, loosest: float) -> Floats:
    """Take the logarithm of (`loosest` / middle rank) of each cell index 0..nodes of an axis; 0 below the floor.

    `loosest`: the number of documents above the floor of the classifier that has most of them.
    """
    at_or_above = np.cumsum(np.bincount(column, totals, nodes + 1)[::-1])[::-1]
    middle = (at_or_above + np.append(at_or_above[1:], 0.0)) / 2
    logs = np.log((loosest + 1) / (middle + 0.5)).clip(0.0)
    logs[0] = 0.0
    # Above the last node lies nothing: the largest rank is that of the last cell that can be occupied.
    logs[-1] = logs[-2]
    return np.maximum(logs, 1e-9 * np.arange(nodes + 1))


def _knots(top: float) -> Floats:
    """Place the ends (pieces + 1,) of the pieces of 0..top: even in the mean of the rank and its logarithm.

    Where many documents are positive the best thresholds lie low, where steps in the logarithm hold most documents.
    """
    fine = np.linspace(0.0, top, 2000)
    even = fine / top + np.expm1(-fine) / np.expm1(-top)
    return np.interp(np.linspace(0.0, 2.0, PIECES + 1), even, fine)


def _pieces(x: Floats, knots: Floats) -> Floats:
    """Ramps (len(x), len(knots)): a step at the floor, then one ramp from 0 to 1 between each knot and the next."""
    ramps = ((x[:, np.newaxis] - knots[:-1]) / np.diff(knots)).clip(0.0, 1.0)
    return np.column_stack([np.arange(len(x)) >= 1, ramps])


def _penalties(knots: Floats, classifiers: int, pairs: int) -> tuple[Floats, ...]:
    """Build the matrices (d, d) of `PrecisionDesign.penalties`."""
    width, coarse = PIECES + 1, PIECES_OF_PAIRS + 1
    rising, count = classifiers * width, classifiers * width + pairs * coarse**2 + 1
    # Changes of the slope in the logarithm of the rank.
    slopes = np.diff(np.diag(knots[-1] / PIECES / np.diff(knots)), axis=0)
    roughness = np.zeros((count, count))
    roughness[:rising, :rising] = np.kron(np.eye(classifiers), np.pad(slopes.T @ slopes, ((1, 0), (1, 0))))
    if not pairs:
        return (roughness,)
    interaction = np.diag((np.arange(count) >= rising) & (np.arange(count) < count - 1)).astype(np.float64)
    # The distance of every coefficient from the mean of those that a swap of classifiers puts in its place.
    first, second = np.divmod(np.arange(coarse**2), coarse)
    swapped = np.minimum(first, second) * coarse + np.maximum(first, second)
    kinds = np.concatenate([np.tile(np.arange(width), classifiers), width + np.tile(swapped, pairs), [-1]])
    alike = kinds[:, np.newaxis] == kinds
    return roughness, interaction, np.eye(count) - alike / alike.sum(axis=1)


def _search(design: PrecisionDesign, left_out: Callable[[Choice], float]) -> dict[Choice, float]:
    """Deviances of the models tried.

    Data left out say little about how alike classifiers are when positives are few: with a descent from either end both
    kinds of model enter the mean.
    """
    tried: dict[Choice, float] = {}

    def deviance(chosen: Choice) -> float:
        if chosen not in tried:
            tried[chosen] = left_out(chosen)
        return tried[chosen]

    sizes = (*[len(PENALTIES)] * len(design.penalties), len(design.shapes))
    alike = (FIRST_PENALTY, *[0] * len(design.penalties))
    for start in (alike, (*alike[:-2], len(PENALTIES) - 1, 0)) if len(design.penalties) > 1 else (alike,):
        current, before = start, None
        while current != before:
            before = current
            for part, size in enumerate(sizes):
                for step in (1, -1):
                    following = _stepped(current, part, step, size)
                    while following is not None and deviance(following) < deviance(current) - 1e-6:
                        current = following
                        following = _stepped(current, part, step, size)
    return tried


def _stepped(chosen: Choice, part: int, step: int, size: int) -> Choice | None:
    moved = chosen[part] + step
    return (*chosen[:part], moved, *chosen[part + 1 :]) if 0 <= moved < size else None


def _left_out_deviance(
    design: PrecisionDesign, folds: Sequence[tuple[Floats, Floats]], positives: Floats, totals: Floats
) -> Callable[[Choice], float]:
    latest: dict[int, Floats] = {}

    def deviance(chosen: Choice) -> float:
        summed = 0.0
        for number, (positives_out, totals_out) in enumerate(folds):
            latest[number] = _fit(design, chosen, positives - positives_out, totals - totals_out, latest.get(number))
            logits = design.columns @ latest[number][1:] + latest[number][0]
            summed += float(totals_out @ np.logaddexp(0.0, logits) - positives_out @ logits)
        return summed

    return deviance


def _penalty(design: PrecisionDesign, chosen: Choice) -> Floats:
    penalty = RIDGE * np.eye(design.columns.shape[1])
    for index, matrix in zip(chosen[:-1], design.penalties, strict=True):
        penalty = penalty + PENALTIES[index] * matrix
    return penalty


def _fit(design: PrecisionDesign, chosen: Choice, positives: Floats, totals: Floats, start: Floats | None) -> Floats:
    """Intercept and coefficients of the penalised logistic regression."""
    if start is None:
        caught = max(float(positives.sum()), 0.5)
        odds = caught / max(float(totals.sum()) - caught, 0.5)
        start = np.concatenate([[np.log(odds) - 1.0], np.full(design.columns.shape[1], 0.02)])
    return penalised_logistic(
        design.columns,
        design.shapes[chosen[-1]],
        positives,
        totals,
        _penalty(design, chosen),
        start,
        most_steps=MAX_STEPS,
        small_gain=SMALL_GAIN,
    )


REFIT_MAX_STEPS = 6


# A step that lowers the deviance by less than this moves no threshold that matters.
REFIT_SMALL_GAIN = 1e-3


def newton_refit(design: PrecisionDesign, model: PrecisionModel, positives: Floats, totals: Floats) -> PrecisionModel:
    """Fit again to counts near those of `model`, with the penalty and the shape found before.

    `positives` and `totals` (c,) are counts in the same cells.
    """
    fitted = penalised_logistic(
        design.columns,
        model.shape,
        positives,
        totals,
        model.penalty,
        model.coefficients,
        most_steps=REFIT_MAX_STEPS,
        small_gain=REFIT_SMALL_GAIN,
    )
    return PrecisionModel(
        expit(design.columns @ fitted[1:] + fitted[0]),
        expit(design.beyond @ fitted[1:] + fitted[0]),
        model.penalty,
        model.shape,
        fitted,
    )
