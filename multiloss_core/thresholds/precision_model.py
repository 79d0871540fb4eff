"""P(positive | scores): a smooth estimate that rises with every score, from bucket counts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit
from threadpoolctl import ThreadpoolController

from multiloss_core.thresholds.bucket_counts import Axes, BucketCounts, count_nodes_at_or_below

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]

PIECES, PIECES_OF_PAIRS = 8, 3
FOLDS = 5
PENALTIES = (1e4, 1e3, 1e2, 1e1, 1.0, 1e-1, 1e-2)
FIRST_PENALTY = 4
RIDGE = 1e-3
# The matrices are small: on a busy machine, threads waiting for each other made a fit a hundred times slower.
_BLAS = ThreadpoolController()
# Fits whose deviance on data left out is worse than the best by more than this count for nothing in the mean.
MOST_EXCESS_DEVIANCE = 4.0


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
    """What a fit needs from the cells, whatever is counted into them.

    `columns` (c, d): the basis at each cell; the coefficients of the first `rising` ones may not be negative.
    `penalties`: (d, d) matrices, one for each kind of roughness. `beyond` (k, d): the basis above the largest score of
    one classifier while the others lie below their floors.
    """

    columns: Floats
    rising: int
    penalties: tuple[Floats, ...]
    beyond: Floats


@dataclass(frozen=True, eq=False)
class PrecisionModel:
    """Fitted P(positive | scores) in (0, 1): `precision` (c,) of the cells, `beyond` (k,) above the largest scores.

    `penalty` (d, d) and `coefficients` (d + 1,) of the best single fit let it be fitted again to other counts.
    """

    precision: Floats
    beyond: Floats
    penalty: Floats
    coefficients: Floats


def score_cells(scores: Floats, labels: NDArray[np.bool_], floors: Floats, resolution: int) -> ScoreCells:
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
    """The cells of a table of counts, with positives and totals (c,); weights below nothing are taken as nothing."""
    positives = buckets.positives.clip(0.0)
    cells = ScoreCells(buckets.axes, buckets.cells, np.empty(0, dtype=np.intp))
    return cells, positives, positives + buckets.negatives.clip(0.0)


def precision_design(cells: ScoreCells, totals: Floats) -> PrecisionDesign:
    """The basis of the model on the cells: additive in the scores, and pairs of them.

    A score enters as the logarithm of one over its rank, so that any rising transformation of the scores gives the same
    model and heavy tails do no harm. The logit of the precision is a sum of one rising piecewise-linear function for
    each classifier, with a step at its floor, and of a surface for each pair, with another step where all scores reach their
    floors. `totals` (c,): documents in each cell.
    """
    ranks = [_log_ranks(cells.cells[:, j], totals, len(axis)) for j, axis in enumerate(cells.axes)]
    k = len(ranks)
    smooth = [_pieces(x, PIECES) for x in ranks]
    coarse = [_pieces(x, PIECES_OF_PAIRS) for x in ranks]
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
    bends = np.zeros((width, width))
    bends[1:, 1:] = np.diff(np.eye(PIECES), axis=0).T @ np.diff(np.eye(PIECES), axis=0)
    roughness = np.zeros((columns.shape[1],) * 2)
    roughness[:rising, :rising] = np.kron(np.eye(k), bends)
    interaction = np.zeros_like(roughness)
    interaction[rising:-1, rising:-1] = np.eye(columns.shape[1] - rising - 1)
    beyond = np.zeros((k, columns.shape[1]))
    for j, x in enumerate(ranks):
        beyond[j, j * width : (j + 1) * width] = 1.0
        # One e-fold rarer than the largest score, along the slope of the last piece.
        beyond[j, (j + 1) * width - 1] += PIECES / x[-1]
    return PrecisionDesign(columns, rising, (roughness, interaction) if pairs else (roughness,), beyond)


def fit_precision(design: PrecisionDesign, folds: Sequence[tuple[Floats, Floats]]) -> PrecisionModel:
    """Fit the model to counts in folds, `(positives (c,), totals (c,))` each; the penalties come from the folds.

    Penalised logistic regression, roughness penalties chosen by cross-validation (a search along each penalty in
    turn); the precision is the mean over the penalties tried, weighted by their likelihood on the data left out.
    Deterministic for given folds. Time O(c d) for each step of each fit.
    """
    positives, totals = (np.sum([fold[part] for fold in folds], axis=0) for part in (0, 1))
    left_out = _left_out_deviance(design, folds, positives, totals)
    tried = _search(len(design.penalties), left_out)
    least = min(tried.values())
    best = min(tried, key=lambda chosen: tried[chosen])
    mean, total_weight, logits = np.zeros(len(totals)), 0.0, np.zeros(len(design.beyond))
    coefficients = _fit(design, positives, totals, _penalty(design, best), None)
    for chosen, deviance in tried.items():
        if deviance - least < MOST_EXCESS_DEVIANCE:
            weight = float(np.exp(least - deviance))
            fitted = _fit(design, positives, totals, _penalty(design, chosen), coefficients)
            mean += weight * expit(design.columns @ fitted[1:] + fitted[0])
            logits += weight * (design.beyond @ fitted[1:] + fitted[0])
            total_weight += weight
    return PrecisionModel(mean / total_weight, expit(logits / total_weight), _penalty(design, best), coefficients)


def refit_precision(
    design: PrecisionDesign, model: PrecisionModel, positives: Floats, totals: Floats
) -> PrecisionModel:
    """The model for other counts in the same cells, with the penalty found before."""
    fitted = _fit(design, positives, totals, model.penalty, model.coefficients)
    return PrecisionModel(
        expit(design.columns @ fitted[1:] + fitted[0]),
        expit(design.beyond @ fitted[1:] + fitted[0]),
        model.penalty,
        fitted,
    )


def _axis(scores: Floats, labels: NDArray[np.bool_], floor: float, resolution: int) -> Floats:
    above = np.sort(scores[scores >= floor])
    if not above.size:
        return np.array([floor, np.nextafter(floor, np.inf)])
    positives = np.unique(scores[(scores >= floor) & labels])
    thinned = np.linspace(0, len(positives) - 1, min(len(positives), resolution)).round().astype(np.intp)
    ranks = np.exp(np.linspace(np.log(len(above)), 0.0, resolution))
    by_rank = above[(len(above) - ranks).round().astype(np.intp).clip(0, len(above) - 1)]
    return np.unique(np.concatenate([[floor], positives[thinned], by_rank, [np.nextafter(above[-1], np.inf)]]))


def _log_ranks(column: Integers, totals: Floats, nodes: int) -> Floats:
    """For each cell index 0..nodes of an axis, the logarithm of (documents above the floor / middle rank of the cell)."""
    at_or_above = np.cumsum(np.bincount(column, totals, nodes + 1)[::-1])[::-1]
    middle = (at_or_above + np.append(at_or_above[1:], 0.0)) / 2
    logs = np.log((at_or_above[1] + 1) / (middle + 0.5)).clip(0.0)
    logs[0] = 0.0
    # Above the last node lies nothing: the largest rank is that of the last cell that can be occupied.
    logs[-1] = logs[-2]
    return np.maximum(logs, 1e-9 * np.arange(nodes + 1))


def _pieces(x: Floats, pieces: int) -> Floats:
    """Ramps (len(x), 1 + pieces): a step at the floor, then one ramp from 0 to 1 for each piece of the range of x."""
    knots = np.linspace(0.0, x.max(), pieces + 1)
    ramps = ((x[:, np.newaxis] - knots[:-1]) / np.diff(knots)).clip(0.0, 1.0)
    return np.column_stack([np.arange(len(x)) >= 1, ramps])


def _search(count: int, left_out: Callable[[tuple[int, ...]], float]) -> dict[tuple[int, ...], float]:
    """Deviances of the penalties tried, each a tuple of indices into PENALTIES."""
    tried: dict[tuple[int, ...], float] = {}

    def deviance(chosen: tuple[int, ...]) -> float:
        if chosen not in tried:
            tried[chosen] = left_out(chosen)
        return tried[chosen]

    current = (FIRST_PENALTY, *(0,) * (count - 1))
    while True:
        before = current
        for part in range(count):
            for step in (1, -1):
                following = _stepped(current, part, step)
                while following is not None and deviance(following) < deviance(current) - 1e-6:
                    current = following
                    following = _stepped(current, part, step)
        if current == before:
            return tried


def _stepped(chosen: tuple[int, ...], part: int, step: int) -> tuple[int, ...] | None:
    moved = chosen[part] + step
    return (*chosen[:part], moved, *chosen[part + 1 :]) if 0 <= moved < len(PENALTIES) else None


def _left_out_deviance(
    design: PrecisionDesign, folds: Sequence[tuple[Floats, Floats]], positives: Floats, totals: Floats
) -> Callable[[tuple[int, ...]], float]:
    latest: dict[int, Floats] = {}

    def deviance(chosen: tuple[int, ...]) -> float:
        penalty, summed = _penalty(design, chosen), 0.0
        for number, (positives_out, totals_out) in enumerate(folds):
            latest[number] = _fit(design, positives - positives_out, totals - totals_out, penalty, latest.get(number))
            logits = design.columns @ latest[number][1:] + latest[number][0]
            summed += float(totals_out @ np.logaddexp(0.0, logits) - positives_out @ logits)
        return summed

    return deviance


def _penalty(design: PrecisionDesign, chosen: tuple[int, ...]) -> Floats:
    penalty = RIDGE * np.eye(design.columns.shape[1])
    for index, matrix in zip(chosen, design.penalties, strict=True):
        penalty = penalty + PENALTIES[index] * matrix
    return penalty


@_BLAS.wrap(limits=1, user_api="blas")  # type: ignore[untyped-decorator]
def _fit(design: PrecisionDesign, positives: Floats, totals: Floats, penalty: Floats, start: Floats | None) -> Floats:
    """Intercept and coefficients of the penalised logistic regression."""
    columns = design.columns

    def loss(coefficients: Floats) -> tuple[float, Floats]:
        slopes = coefficients[1:]
        logits = columns @ slopes + coefficients[0]
        pull = penalty @ slopes
        residuals = totals * expit(logits) - positives
        value = totals @ np.logaddexp(0.0, logits) - positives @ logits + slopes @ pull / 2
        return float(value), np.concatenate([[residuals.sum()], columns.T @ residuals + pull])

    if start is None:
        caught = max(float(positives.sum()), 0.5)
        odds = caught / max(float(totals.sum()) - caught, 0.5)
        start = np.concatenate([[np.log(odds) - 1.0], np.full(columns.shape[1], 0.02)])
    free = columns.shape[1] - design.rising
    found = minimize(
        loss,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=[(None, None), *[(0.0, None)] * design.rising, *[(None, None)] * free],
        options={"maxiter": 150, "ftol": 1e-7},
    )
    return np.asarray(found.x)
