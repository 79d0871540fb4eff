"""Calibrate probabilities on outcomes: of all items given 30 %, about 30 % are positive."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import isotonic_regression
from scipy.special import expit, logit

from multiloss_core.errors import DataError
from multiloss_core.losses.constant_threshold import checked_pair
from multiloss_core.losses.expected.methods import checked_probabilities
from multiloss_core.numerics.arrays import Bools, Floats, Indices
from multiloss_core.numerics.penalised_logistic import penalised_logistic

# Probabilities are clipped by this distance from 0 and 1, so that log odds stay finite.
_NEAREST = 1e-9
# Of the standardised log odds.
_PENALTY = 1e-9
# Smaller differences of log odds are rounding and determine no slope.
_NEARLY_EQUAL = 1e-4


@dataclass(frozen=True, eq=False)
class IsotonicMap:
    """A rising piecewise linear map through `values` (b,) at `knots` (b,), level outside."""

    knots: Floats
    values: Floats

    def apply(self, probabilities: ArrayLike) -> Floats:
        """Calibrate probabilities (n,), in any order, to (n,) in [0, 1]. O(n log b)."""
        return np.interp(checked_probabilities(probabilities), self.knots, self.values)


@dataclass(frozen=True)
class PlattMap:
    """The logistic function of `intercept` + `slope` x log odds, with `slope` >= 0."""

    slope: float
    intercept: float

    def apply(self, probabilities: ArrayLike) -> Floats:
        """Calibrate probabilities (n,), in any order, to (n,) in [0, 1]. O(n)."""
        calibrated: Floats = expit(self.intercept + self.slope * _log_odds(checked_probabilities(probabilities)))
        return calibrated


CalibrationMap: TypeAlias = IsotonicMap | PlattMap


def cross_fitted(
    probabilities: ArrayLike, labels: ArrayLike, folds: int, generator: np.random.Generator, kind: str
) -> Floats:
    """Calibrate each item by a map fitted without its fold, to (n,) in [0, 1].

    `probabilities` (n,) in [0, 1] and `labels` (n,) bool of the same items; `folds`, 2 to n, are drawn by `generator`
    with about equal shares of positives; `kind` is a name of `CALIBRATIONS`. Raises DataError for anything else.
    The maps of two folds differ a little, so the order of items of different folds may change.
    Time: `folds` fits, O(folds n log n).
    """
    given, positives = checked_pair(probabilities, labels)
    if kind not in CALIBRATIONS:
        raise DataError(f"There is no calibration {kind!r}; choose one of {', '.join(CALIBRATIONS)}.")
    if not 2 <= folds <= given.size:
        raise DataError(f"{given.size:,} items cannot be parted into {folds} folds; choose 2 to as many as items.")
    fit, fold_of = CALIBRATIONS[kind], stratified_folds(positives, folds, generator)
    calibrated = np.empty(given.size)
    for fold in range(folds):
        held_out = fold_of == fold
        calibrated[held_out] = fit(given[~held_out], positives[~held_out]).apply(given[held_out])
    return calibrated


def fit_isotonic(probabilities: ArrayLike, labels: ArrayLike) -> IsotonicMap:
    """Fit the rising map with the least squared error from outcomes.

    `probabilities` (n,) in [0, 1] and `labels` (n,) bool of the same items, else DataError. Equal probabilities get
    one value. On the fitted items the expected number of positives equals the observed one. Source: Zadrozny and
    Elkan 2002, "Transforming classifier scores into accurate multiclass probability estimates". O(n log n).
    """
    given, positives = checked_pair(probabilities, labels)
    knots, place, items = np.unique(given, return_inverse=True, return_counts=True)
    shares = np.bincount(place, weights=positives) / items
    values = isotonic_regression(shares, weights=items).x.clip(0.0, 1.0)
    # Inner knots of a level part are redundant.
    ends = np.ones(knots.size, dtype=bool)
    ends[1:-1] = (values[1:-1] != values[:-2]) | (values[1:-1] != values[2:])
    return IsotonicMap(knots[ends], values[ends])


def fit_platt(probabilities: ArrayLike, labels: ArrayLike) -> PlattMap:
    """Fit a logistic function of the log odds by maximum likelihood.

    `probabilities` (n,) in [0, 1] and `labels` (n,) bool of the same items, else DataError. In place of 1 and 0 the
    targets are (P + 1) / (P + 2) and 1 / (N + 2), for P positives and N negatives. Where outcomes fall with the
    probability, or all log odds lie within 1e-4, the map is level. Source: Platt 1999, "Probabilistic outputs for
    support vector machines", section 2.2. O(n) for each of a few Newton steps.
    """
    given, positives = checked_pair(probabilities, labels)
    found = int(positives.sum())
    targets = np.where(positives, (found + 1) / (found + 2), 1 / (given.size - found + 2))
    log_odds = _log_odds(given)
    if np.ptp(log_odds) < _NEARLY_EQUAL:
        return PlattMap(0.0, float(logit(targets.mean())))
    middle, scale = float(log_odds.mean()), float(log_odds.std())
    intercept, slope = penalised_logistic(
        ((log_odds - middle) / scale)[:, np.newaxis],
        np.array([True]),
        targets,
        np.ones(given.size),
        np.array([[_PENALTY]]),
        np.zeros(2),
        max_steps=100,
        small_gain=1e-12 * given.size,
    ).tolist()
    return PlattMap(slope / scale, intercept - slope * middle / scale)


def stratified_folds(labels: Bools, folds: int, generator: np.random.Generator) -> Indices:
    """Draw the fold (n,), 0 to `folds` - 1, of each item, with equal sizes and positives."""
    order = generator.permutation(labels.size)
    positives_first = order[np.argsort(~labels[order], kind="stable")]
    fold_of = np.empty(labels.size, dtype=np.intp)
    fold_of[positives_first] = np.arange(labels.size) % folds
    return fold_of


def _log_odds(probabilities: Floats) -> Floats:
    odds: Floats = logit(probabilities.clip(_NEAREST, 1.0 - _NEAREST))
    return odds


CALIBRATIONS: Mapping[str, Callable[[ArrayLike, ArrayLike], CalibrationMap]] = MappingProxyType(
    {"isotonic": fit_isotonic, "platt": fit_platt}
)
