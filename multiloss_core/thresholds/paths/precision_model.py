"""Fit P(positive | scores) to bucket counts: smooth, and rising except at the top."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ParamSpec, TypeVar

import numpy as np
from scipy.special import expit
from threadpoolctl import ThreadpoolController

from multiloss_core.numerics.arrays import Floats
from multiloss_core.numerics.penalised_logistic import penalised_logistic
from multiloss_core.thresholds.paths.precision_design import Flags, PrecisionDesign

# Indices into PENALTIES, one for each penalty of a design, then one into its shapes.
Choice = tuple[int, ...]

FOLDS = 5
PENALTIES = (1e4, 1e2, 1e1, 1.0, 1e-1)
FIRST_PENALTY = 3
RIDGE = 1e-3
# Jumps are allowed from this index of PENALTIES on; each must lower the deviance by the price.
FIRST_WITH_JUMPS, PRICE_OF_JUMPS = 1, 2.0
# Sufficient from any start; smaller gains do not distinguish penalties.
MAX_STEPS, SMALL_GAIN = 50, 1e-2
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
class PrecisionModel:
    """Fitted P(positive | scores): `precision` (c,) of cells, `beyond` (k,) above them.

    `design`, `penalty` (d, d), `shape` (d,) and `coefficients` (d + 1,) of the best single fit, without jumps of size
    0, are the start of a refit to other counts. `jump_share` in [0, 1]: the weight of models with jumps.
    """

    precision: Floats
    beyond: Floats
    design: PrecisionDesign
    penalty: Floats
    shape: Flags
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
    folded = _FoldedFits(design, merged, positives, totals)
    tried = _search(whole, folded.deviance)
    least = min(tried.values())
    best = min(tried, key=lambda chosen: tried[chosen])
    coefficients = _fit(whole, best, positives, totals, None)
    fitted, weights, with_jumps = [], [], 0.0
    for chosen, deviance in tried.items():
        if deviance - least < MAX_EXCESS_DEVIANCE:
            weights.append(float(np.exp(least - deviance)))
            with_jumps += weights[-1] * (chosen[0] >= FIRST_WITH_JUMPS)
            fitted.append(_fit(whole, chosen, positives, totals, coefficients))
    shares = np.array(weights) / sum(weights)
    logits = sum(share * (whole.beyond @ one[1:] + one[0]) for share, one in zip(shares, fitted, strict=True))
    precision = sum(share * whole.precision(one) for share, one in zip(shares, fitted, strict=True))
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


class _FoldedFits:
    """Fits without each fold in turn, each with the jumps that the other folds suggest."""

    def __init__(
        self,
        design: PrecisionDesign,
        folds: Sequence[tuple[Floats, Floats]],
        positives: Floats,
        totals: Floats,
    ) -> None:
        self.folds, self.positives, self.totals = folds, positives, totals
        self.designs = [design.with_jumps(positives - caught, totals - all_there) for caught, all_there in folds]
        self._latest: list[Floats | None] = [None] * len(folds)

    def deviance(self, chosen: Choice) -> float:
        """Return half the deviance on held-out data plus the price of the jumps."""
        summed = PRICE_OF_JUMPS * (chosen[0] >= FIRST_WITH_JUMPS)
        for number, (design, (positives, totals)) in enumerate(zip(self.designs, self.folds, strict=True)):
            others = self.positives - positives, self.totals - totals
            fitted = _fit(design, chosen, *others, self._latest[number])
            self._latest[number] = fitted
            logits = design.columns @ fitted[1:] + fitted[0]
            summed += float(totals @ np.logaddexp(0.0, logits) - positives @ logits)
        return summed


def _search(design: PrecisionDesign, left_out: Callable[[Choice], float]) -> dict[Choice, float]:
    """Compute the deviances of the models tried.

    Held-out data hardly show how alike classifiers are when positives are few: with a descent from either end both
    kinds of model enter the mean. A third descent begins with jumps, as small ones are no gain at first.
    """
    tried: dict[Choice, float] = {}

    def deviance(chosen: Choice) -> float:
        if chosen not in tried:
            tried[chosen] = left_out(chosen)
        return tried[chosen]

    sizes = (*[len(PENALTIES)] * len(design.penalties), len(design.shapes))
    others = len(design.penalties) - 2
    starts = [(0, FIRST_PENALTY, *[0] * others, 0)]
    if others:
        starts.append((0, FIRST_PENALTY, *[0] * (others - 1), len(PENALTIES) - 1, 0))
    found = [_descended(start, sizes, deviance) for start in starts]
    _descended((FIRST_PENALTY, *min(found, key=deviance)[1:]), sizes, deviance)
    return tried


def _descended(start: Choice, sizes: Sequence[int], deviance: Callable[[Choice], float]) -> Choice:
    """Move one part of a choice at a time as long as the deviance falls."""
    current, before = start, None
    while current != before:
        before = current
        for part, size in enumerate(sizes):
            for step in (1, -1):
                following = _stepped(current, part, step, size)
                while following is not None and deviance(following) < deviance(current) - 1e-6:
                    current = following
                    following = _stepped(current, part, step, size)
    return current


def _stepped(chosen: Choice, part: int, step: int, size: int) -> Choice | None:
    moved = chosen[part] + step
    return (*chosen[:part], moved, *chosen[part + 1 :]) if 0 <= moved < size else None


def _penalty(design: PrecisionDesign, chosen: Choice) -> Floats:
    penalty = RIDGE * np.eye(design.columns.shape[1])
    for index, matrix in zip(chosen[:-1], design.penalties, strict=True):
        penalty = penalty + PENALTIES[index] * matrix
    return penalty


def _fit(design: PrecisionDesign, chosen: Choice, positives: Floats, totals: Floats, start: Floats | None) -> Floats:
    """Fit intercept and coefficients of the penalised logistic regression."""
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
        max_steps=MAX_STEPS,
        small_gain=SMALL_GAIN,
    )


REFIT_MAX_STEPS = 6


# A smaller decrease of the deviance moves no threshold noticeably.
REFIT_SMALL_GAIN = 1e-2


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
        small_gain=REFIT_SMALL_GAIN,
    )
    beyond = np.asarray(expit(design.beyond @ fitted[1:] + fitted[0]))
    return replace(model, precision=design.precision(fitted), beyond=beyond, coefficients=fitted)
