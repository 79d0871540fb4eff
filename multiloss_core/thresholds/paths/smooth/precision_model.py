"""Model P(positive | scores) of cells: smooth, and rising except at the top."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ParamSpec, TypeVar

import numpy as np
from scipy.special import expit
from threadpoolctl import ThreadpoolController

from multiloss_core.numerics.arrays import Bools, Floats, Indices, sums
from multiloss_core.numerics.penalised_logistic import penalised_logistic
from multiloss_core.thresholds.paths.smooth.cells import ScoreCells, merged_cells, precision_boundaries

PIECES, PIECES_OF_EXTREMES = 8, 5
# Number of the last pieces over which a function may fall.
FALLING_PIECES = 5
# Along one coordinate.
MAX_JUMPS = 12
# Columns of alert rules are this small, so that the ridge of the fit shrinks their log odds to within 2 or so.
SIZE_OF_RULES = 0.06
# Indices into PENALTIES, one for each penalty of a design, then one into its shapes.
Choice = tuple[int, ...]

FOLDS = 5
PENALTIES = (1e4, 1e2, 1e1, 1.0, 1e-1)
FIRST_PENALTY = 3
RIDGE = 1e-3
# Jumps are allowed from this index of PENALTIES on; each must lower the deviance by the price.
FIRST_WITH_JUMPS, PRICE_OF_JUMPS = 1, 2.0
# Sufficient from any start, and from a fit to similar counts.
MAX_STEPS, REFIT_MAX_STEPS = 50, 6
# Smaller decreases of the deviance neither distinguish penalties nor move a threshold noticeably.
SMALL_GAIN = 1e-2
# Fits with a larger excess of deviance on held-out data have no weight in the mean.
MAX_EXCESS_DEVIANCE = 4.0

P = ParamSpec("P")
T = TypeVar("T")
_BLAS = ThreadpoolController()


def single_threaded(function: Callable[P, T]) -> Callable[P, T]:
    """Run a function with one thread of BLAS: with small matrices several cost far more."""
    wrapped: Callable[P, T] = _BLAS.wrap(limits=1, user_api="blas")(function)
    return wrapped


@dataclass(frozen=True, eq=False)
class PrecisionDesign:
    """Design matrix, shapes and penalties of a fit to counts in c cells, made on b merged ones.

    `columns` (b, d): the basis at each merged cell; the last columns are jumps. `shapes`: masks (d,) of the
    coefficients that may not be negative, those of functions of each score that rise throughout and those of functions
    that may fall at the top. `penalties`: (d, d) matrices, one for each thing that costs: jumps, roughness,
    interaction, differences between classifiers (with one classifier the first two alone). `beyond` (k, d): the basis
    above the largest score of one classifier while the others lie below their floors. `fine` (c, e): the basis without
    jumps at each cell, `merged` (c,) the merged cell of each. `coordinates`: arrays (b,) along which it may jump.
    """

    columns: Floats
    shapes: tuple[Bools, ...]
    penalties: tuple[Floats, ...]
    beyond: Floats
    fine: Floats
    merged: Indices
    coordinates: tuple[Floats, ...]

    def sums(self, counts: Floats) -> Floats:
        """Sum counts of cells (c,) to merged cells (b,)."""
        return sums(self.merged, counts, len(self.columns))

    def precision(self, coefficients: Floats) -> Floats:
        """Compute the precision of every cell (c,) from intercept and coefficients (d + 1,)."""
        smooth = self.fine.shape[1]
        logits = coefficients[0] + self.fine @ coefficients[1 : smooth + 1]
        return np.asarray(expit(logits + (self.columns[:, smooth:] @ coefficients[smooth + 1 :])[self.merged]))

    def with_jumps(self, positives: Floats, totals: Floats) -> "PrecisionDesign":
        """Add a jump at each likely boundary of the counts of merged cells (b,).

        The boundaries are those of pool-adjacent-violators along every coordinate: the likeliest of all step functions.
        """
        k, found, beyond = len(self.beyond), [], []
        for number, coordinate in enumerate(self.coordinates):
            inside = coordinate > 0
            for place in precision_boundaries(coordinate[inside], positives[inside], totals[inside], MAX_JUMPS):
                found.append(coordinate >= place)
                # Above the largest score of one classifier, that score is the best one, and no score is the worst.
                beyond.append((np.arange(k) == number) | (number == k))
        jumps = np.array(found, dtype=np.float64).reshape(-1, len(positives)).T
        added = jumps.shape[1]
        cost = np.pad(np.eye(added), ((self.columns.shape[1], 0), (self.columns.shape[1], 0)))
        return replace(
            self,
            columns=np.hstack([self.columns, jumps]),
            shapes=tuple(np.append(shape, np.ones(added, dtype=bool)) for shape in self.shapes),
            penalties=(cost, *(np.pad(penalty, ((0, added), (0, added))) for penalty in self.penalties)),
            beyond=np.hstack([self.beyond, np.array(beyond, dtype=np.float64).reshape(-1, k).T]),
        )

    def without(self, dropped: Bools) -> "PrecisionDesign":
        """Leave out some of the columns (d,), none but jumps."""
        kept = ~dropped
        return replace(
            self,
            columns=self.columns[:, kept],
            shapes=tuple(shape[kept] for shape in self.shapes),
            penalties=tuple(penalty[np.ix_(kept, kept)] for penalty in self.penalties),
            beyond=self.beyond[:, kept],
        )


def precision_design(cells: ScoreCells, positives: Floats, totals: Floats) -> PrecisionDesign:
    """Build the basis of the model on cells with these counts (c,), still without jumps.

    A score enters as the logarithm of one over its rank, so that any rising transformation of the scores gives the same
    model and heavy tails do no harm. The logit of the precision is a sum of one rising piecewise-linear function for
    each classifier, with a step at its floor, and of functions of the rarest and of the commonest of a document's
    ranks: whatever it takes, one high score or several that agree, shows in one of them. Another step stands where all
    scores reach their floors. With heavy tails the highest scores may be worth less again: functions that fall over
    their last pieces are the other shape.

    Classifiers of one ensemble are often alike: few positives estimate their functions better together (partial
    pooling), so differences between them have a penalty chosen by cross-validation. For this ranks count from the top,
    independent of the floors, and all functions have the same knots.

    An alert rule adds to the logit of the documents that it raised.

    The counts are merged to coarser cells for the fit, so that its cost grows with neither documents nor nodes.
    """
    coarse = merged_cells(cells, positives, totals)
    ranks = _ranks(coarse, sums(coarse.slots, totals, len(coarse.cells)))
    rules = cells.alert_rules
    top = max(float(x[-1]) for x in ranks)
    knots = _knots(top, PIECES), _knots(top, PIECES_OF_EXTREMES)
    columns, coordinates = _basis(coarse, ranks, *knots)
    fine, _ = _basis(cells, _ranks(cells, totals), *knots)
    k, width = len(ranks), PIECES + 1
    rising = k * width
    throughout = np.arange(columns.shape[1]) < rising
    at_first = throughout & (np.arange(columns.shape[1]) % width < width - FALLING_PIECES)
    beyond = np.zeros((k, columns.shape[1]))
    for j in range(k):
        beyond[j, j * width : (j + 1) * width] = 1.0
        # One e-fold rarer than the largest score, along the slope of the last piece.
        beyond[j, (j + 1) * width - 1] += 1 / (knots[0][-1] - knots[0][-2])
        if k > 1:
            beyond[j, rising : rising + PIECES_OF_EXTREMES + 1] = 1.0
    penalties = tuple(np.pad(penalty, (0, rules)) for penalty in _penalties(knots[0], k))
    return PrecisionDesign(columns, (throughout, at_first), penalties, beyond, fine, coarse.slots, coordinates)


def _ranks(cells: ScoreCells, totals: Floats) -> list[Floats]:
    """Compute log(n / middle rank) of every cell index of each axis; 0 below the floor.

    n: the number of documents above the floor of the classifier that has most of them.
    """
    scored, ranks = cells.score_count, []
    loosest = max(float(totals @ (column > 0)) for column in cells.cells.T[:scored])
    for column, axis in zip(cells.cells.T[:scored], cells.axes[:scored], strict=True):
        at_or_above = np.cumsum(np.bincount(column, totals, len(axis) + 1)[::-1])[::-1]
        middle = (at_or_above + np.append(at_or_above[1:], 0.0)) / 2
        logs = np.log((loosest + 1) / (middle + 0.5)).clip(0.0)
        logs[0] = 0.0
        # Above the last node lies nothing: the largest rank is that of the last cell that can be occupied.
        logs[-1] = logs[-2]
        ranks.append(np.maximum(logs, 1e-9 * np.arange(len(logs))))
    return ranks


def _basis(
    cells: ScoreCells, ranks: list[Floats], knots: Floats, coarse_knots: Floats
) -> tuple[Floats, tuple[Floats, ...]]:
    """Build the basis (c, d) at cells, and the log ranks (c,) along which jumps may be."""
    scores, by_rules = np.split(cells.cells, [cells.score_count], axis=1)
    reached = scores > 0
    single = [_pieces(x, knots)[column] for x, column in zip(ranks, scores.T, strict=True)]
    logs = np.column_stack([x[column] for x, column in zip(ranks, scores.T, strict=True)]) * reached
    coordinates = list(logs.T)
    extremes = []
    if logs.shape[1] > 1:
        coordinates += [logs.max(axis=1), logs.min(axis=1)]
        extremes = [_pieces(x, coarse_knots, above_floor=x > 0) for x in coordinates[-2:]]
    together = reached.all(axis=1, keepdims=True)
    columns = [*single, *extremes, together, SIZE_OF_RULES * (by_rules > 0)]
    return np.hstack(columns).astype(np.float64), tuple(coordinates)


def _knots(top: float, pieces: int) -> Floats:
    """Place the ends (pieces + 1,) of the pieces of 0..top: even in rank and log rank.

    Where many documents are positive the best thresholds lie low, where steps in the logarithm hold most documents.
    """
    fine = np.linspace(0.0, top, 2000)
    even = fine / top + np.expm1(-fine) / np.expm1(-top)
    return np.interp(np.linspace(0.0, 2.0, pieces + 1), even, fine)


def _pieces(x: Floats, knots: Floats, above_floor: Bools | None = None) -> Floats:
    """Build ramps (len(x), len(knots)): a step at the floor, then 0 to 1 between knots."""
    return np.column_stack([np.arange(len(x)) >= 1 if above_floor is None else above_floor, ramps(x, knots)])


def ramps(x: Floats, knots: Floats) -> Floats:
    """Build ramps (len(x), len(knots) - 1) from 0 to 1 between knots."""
    return np.asarray(((x[:, np.newaxis] - knots[:-1]) / np.diff(knots)).clip(0.0, 1.0))


def _penalties(knots: Floats, classifiers: int) -> tuple[Floats, ...]:
    """Build the matrices (d, d) of `PrecisionDesign.penalties`, but for jumps."""
    width, coarse = PIECES + 1, PIECES_OF_EXTREMES + 1
    rising = classifiers * width
    count = rising + 1 + (2 * coarse if classifiers > 1 else 0)
    # Changes of the slope in the logarithm of the rank.
    slopes = np.diff(np.diag(knots[-1] / PIECES / np.diff(knots)), axis=0)
    roughness = np.zeros((count, count))
    roughness[:rising, :rising] = np.kron(np.eye(classifiers), np.pad(slopes.T @ slopes, ((1, 0), (1, 0))))
    if classifiers == 1:
        return (roughness,)
    interaction = np.diag((np.arange(count) >= rising) & (np.arange(count) < count - 1)).astype(np.float64)
    # The distance of every coefficient from the mean of those that a swap of classifiers puts in its place.
    kinds = np.concatenate([np.tile(np.arange(width), classifiers), width + np.arange(2 * coarse), [-1]])
    alike = kinds[:, np.newaxis] == kinds
    return roughness, interaction, np.eye(count) - alike / alike.sum(axis=1)


@dataclass(frozen=True, eq=False)
class PrecisionModel:
    """Fitted P(positive | scores): `precision` (c,) of cells, `beyond` (k,) above them.

    `design`, `penalty` (d, d), `shape` (d,) and `coefficients` (d + 1,) of the best single fit, without jumps of size
    0, are the start of a refit to other counts. `jump_share` in [0, 1]: the weight of models with jumps.
    """

    precision: Floats
    beyond: Floats
    design: PrecisionDesign
    penalty: Floats
    shape: Bools
    coefficients: Floats
    jump_share: float = 0.0


@single_threaded
def fit_precision(design: PrecisionDesign, folds: Sequence[tuple[Floats, Floats]]) -> PrecisionModel:
    """Fit the model to counts in folds, `(positives (c,), totals (c,))` each.

    Penalised logistic regression; cross-validation chooses the strength of each penalty and the shape (coordinate
    descent, once from equal classifiers, once from independent ones, once with jumps). The precision is the mean over
    the models tried, weighted by their likelihood on held-out data. Positions of jumps come from the counts without the
    held-out fold. Deterministic for given folds. Time O(b d^2 + d^3) for each step of each fit on b merged cells.
    """
    merged = [(design.sums(positives), design.sums(totals)) for positives, totals in folds]
    positives, totals = (np.sum([fold[part] for fold in merged], axis=0) for part in (0, 1))
    whole = design.with_jumps(positives, totals)
    left_in = [(positives - caught, totals - there) for caught, there in merged]
    designs = [design.with_jumps(*counts) for counts in left_in]
    latest: list[Floats | None] = [None] * len(folds)
    tried: dict[Choice, float] = {}

    def deviance(chosen: Choice) -> float:
        """Return half the deviance on held-out data plus the price of the jumps."""
        if chosen not in tried:
            summed = PRICE_OF_JUMPS * (chosen[0] >= FIRST_WITH_JUMPS)
            for number, (fold_design, counts, (caught, there)) in enumerate(zip(designs, left_in, merged, strict=True)):
                fitted = latest[number] = _fit(fold_design, chosen, *counts, latest[number])
                logits = fold_design.columns @ fitted[1:] + fitted[0]
                summed += float(there @ np.logaddexp(0.0, logits) - caught @ logits)
            tried[chosen] = summed
        return tried[chosen]

    _search(whole, deviance)
    best = min(tried, key=tried.__getitem__)
    coefficients = _fit(whole, best, positives, totals, None)
    likely = [chosen for chosen in tried if tried[chosen] - tried[best] < MAX_EXCESS_DEVIANCE]
    weights = [float(np.exp(tried[best] - tried[chosen])) for chosen in likely]
    with_jumps = sum(weight for weight, chosen in zip(weights, likely, strict=True) if chosen[0] >= FIRST_WITH_JUMPS)
    shares = np.array(weights) / sum(weights)
    fits = [_fit(whole, chosen, positives, totals, coefficients) for chosen in likely]
    logits = sum(share * (whole.beyond @ one[1:] + one[0]) for share, one in zip(shares, fits, strict=True))
    precision = sum(share * whole.precision(one) for share, one in zip(shares, fits, strict=True))
    unused = (np.arange(len(coefficients) - 1) >= design.columns.shape[1]) & (coefficients[1:] <= 0.0)
    used = whole.without(unused)
    return PrecisionModel(
        precision=np.asarray(precision),
        beyond=np.asarray(expit(logits)),
        design=used,
        penalty=_penalty(used, best),
        shape=used.shapes[best[-1]],
        coefficients=np.append(coefficients[0], coefficients[1:][~unused]),
        jump_share=with_jumps / sum(weights),
    )


def _search(design: PrecisionDesign, deviance: Callable[[Choice], float]) -> None:
    """Try models until none beside the best ones has a smaller deviance.

    Held-out data hardly show how alike classifiers are when positives are few: with a descent from either end both
    kinds of model enter the mean. A third descent begins with jumps, as small ones are no gain at first.
    """
    sizes = (*[len(PENALTIES)] * len(design.penalties), len(design.shapes))
    others = len(design.penalties) - 2
    starts = [(0, FIRST_PENALTY, *[0] * others, 0)]
    if others:
        starts.append((0, FIRST_PENALTY, *[0] * (others - 1), len(PENALTIES) - 1, 0))
    found = [_descended(start, sizes, deviance) for start in starts]
    _descended((FIRST_PENALTY, *min(found, key=deviance)[1:]), sizes, deviance)


def _descended(start: Choice, sizes: Sequence[int], deviance: Callable[[Choice], float]) -> Choice:
    """Move one part of a choice at a time as long as the deviance falls."""
    current, before = start, None
    while current != before:
        before = current
        for part, size in enumerate(sizes):
            for step in (1, -1):
                while 0 <= current[part] + step < size:
                    following = (*current[:part], current[part] + step, *current[part + 1 :])
                    if not deviance(following) < deviance(current) - 1e-6:
                        break
                    current = following
    return current


def _penalty(design: PrecisionDesign, chosen: Choice) -> Floats:
    penalty = RIDGE * np.eye(design.columns.shape[1])
    for index, matrix in zip(chosen[:-1], design.penalties, strict=True):
        penalty = penalty + PENALTIES[index] * matrix
    return penalty


def _fit(design: PrecisionDesign, chosen: Choice, positives: Floats, totals: Floats, start: Floats | None) -> Floats:
    """Fit intercept and coefficients of the penalised logistic regression."""
    return penalised_logistic(
        design.columns,
        design.shapes[chosen[-1]],
        positives,
        totals,
        _penalty(design, chosen),
        start,
        max_steps=MAX_STEPS,
        small_gain=SMALL_GAIN,
    )


def newton_refit(model: PrecisionModel, positives: Floats, totals: Floats) -> PrecisionModel:
    """Fit again to similar counts, with the same penalty, shape and jumps.

    `positives` and `totals` (c,) are counts in the same cells.
    """
    design = model.design
    fitted = penalised_logistic(
        design.columns,
        model.shape,
        design.sums(positives),
        design.sums(totals),
        model.penalty,
        model.coefficients,
        max_steps=REFIT_MAX_STEPS,
        small_gain=SMALL_GAIN,
    )
    beyond = np.asarray(expit(design.beyond @ fitted[1:] + fitted[0]))
    return replace(model, precision=design.precision(fitted), beyond=beyond, coefficients=fitted)
