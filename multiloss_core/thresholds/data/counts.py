"""Count the TP and FP of thresholds, and validate thresholds."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Generic, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from multiloss_core.errors import DataError
from multiloss_core.numerics.arrays import Bools, Floats, Indices, Number, number_array, ratio
from multiloss_core.tables.column_values import MAX_SCORE

Rule = Literal["any", "all"]


@dataclass(frozen=True, eq=False)
class Counts(Generic[Number]):
    """Hold the TP and FP weights of flagged documents: two numbers, or two equal shapes.

    Examples
    --------
    >>> from multiloss_core import Counts
    >>> counts = Counts(tp=30, fp=10)
    >>> counts.alerts, counts.precision
    (40, 0.75)
    """

    tp: Number
    fp: Number

    @property
    def alerts(self) -> Number:
        """TP + FP: how many documents are flagged."""
        return self.tp + self.fp

    @property
    def precision(self) -> Number:
        """TP / (TP + FP); NaN where nothing is flagged."""
        return ratio(self.tp, self.alerts)

    @property
    def fp_per_tp(self) -> Number:
        """False positives for each true positive; NaN where nothing is caught."""
        return ratio(self.fp, self.tp)

    def net_benefit(self: "Counts[float]", targets: ArrayLike) -> Floats:
        """Compute TP - m / (1 - m) FP at targets m in (0, 1), of any shape.

        Over m this is a decision curve (Vickers and Elkin 2006), in counts instead of shares.
        """
        m = np.asarray(targets, dtype=np.float64)
        return np.asarray(self.tp - m / (1 - m) * self.fp)

    def __iter__(self) -> Iterator[Number]:
        """Unpack to TP, FP."""
        return iter((self.tp, self.fp))

    def at(self: "Counts[Floats]", row: int) -> "Counts[float]":
        """Pick the counts at one position of arrays."""
        return Counts(float(self.tp[row]), float(self.fp[row]))


def flagged(scores: Floats, thresholds: ArrayLike, rule: str) -> Bools:
    """Flag documents (n,) by scores (n, k) at thresholds (k,): a score reaches it when >=.

    Examples
    --------
    >>> import numpy as np
    >>> from multiloss_core import flagged
    >>> flagged(np.array([[0.9, 0.1], [0.2, 0.3]]), np.array([0.9, 0.5]), "any")
    array([ True, False])
    """
    require_rule(rule)
    try:
        table, limits = np.asarray(scores, dtype=np.float64), np.asarray(thresholds, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError("Scores and thresholds must be numbers, in rows of equal length.") from None
    if table.ndim != 2 or limits.shape not in (table.shape[1:], table.shape):
        raise DataError(f"Scores must have a column for each threshold, not shapes {table.shape} and {limits.shape}.")
    above: Bools = table >= limits
    return np.asarray(above.any(axis=1) if rule == "any" else above.all(axis=1))


def flagged_by_segment(
    scores: Floats, segments: NDArray[np.object_], common: ArrayLike, own: Mapping[str, Floats], rule: str
) -> Bools:
    """Flag documents (n,) by scores (n, k) and the thresholds of their `segments` (n,), text.

    `own`: thresholds (k,) of some segments; all others use the `common` ones (k,). Time O(n k).

    Examples
    --------
    >>> import numpy as np
    >>> from multiloss_core.thresholds.data.counts import flagged_by_segment
    >>> scores, segments = np.array([[0.6], [0.6]]), np.array(["online", "branch"], dtype=object)
    >>> flagged_by_segment(scores, segments, [0.5], {"online": np.array([0.7])}, "any")
    array([False,  True])
    """
    codes, names = pd.factorize(segments)
    common = np.asarray(common, dtype=np.float64)
    each = np.array([own.get(name, common) for name in names]).reshape(len(names), common.size)
    return flagged(scores, each[codes], rule)


def require_rule(rule: str) -> None:
    """Refuse a rule other than `any` and `all`."""
    if not isinstance(rule, str) or rule not in ("any", "all"):
        raise DataError(f"The rule must be 'any' or 'all', not '{' '.join(str(rule).split())}'.")


def checked_thresholds(values: ArrayLike, names: tuple[str, ...]) -> Floats:
    """Check thresholds (k,): a finite number for each classifier, or infinity for never.

    Raises
    ------
    DataError : naming the classifier whose threshold cannot be used.
    """
    thresholds = number_array(values, "Thresholds")
    if thresholds.shape != (len(names),):
        raise DataError(
            f"There must be one threshold for each of {len(names)} classifiers, not shape {thresholds.shape}."
        )
    for name, value in zip(names, thresholds, strict=True):
        if value != np.inf and not abs(value) < MAX_SCORE:
            raise DataError(f"The threshold of '{name}' must be a number (or never), not {value:g}.")
    return thresholds


def rated_in_full(floors: Floats, thresholds: Floats, rule: Rule) -> bool:
    """Whether every document flagged by thresholds (k,) was rated, above some floor (k,)."""
    at_or_above = thresholds >= floors
    return bool(at_or_above.all() if rule == "any" else at_or_above.any())


def flagged_weights(scores: Floats, weights: Floats, thresholds: Floats, rule: Rule) -> Floats:
    """Sum flagged weight (m,) of scores (n, k), weights (n,) at thresholds (m, k), any order.

    Time O(n k log m) where thresholds never fall from one row to the next, as along a path; elsewhere O(n k m).
    """
    if (thresholds[1:] >= thresholds[:-1]).all():
        turning = turning_points(scores, thresholds, rule)
        # Rounding may let sums of weights rise where nothing was added.
        return np.minimum.accumulate(still_flagged(turning, weights, len(thresholds)))
    return np.array([weights[flagged(scores, row, rule)].sum() for row in thresholds])


def turning_points(scores: Floats | Indices, thresholds: Floats | Indices, rule: Rule) -> Indices:
    """Find the first of thresholds (m, k) that does not flag each of scores (n, k); m if none."""
    passed = [np.searchsorted(thresholds[:, j], scores[:, j], side="right") for j in range(thresholds.shape[1])]
    turning: Indices = np.maximum.reduce(passed) if rule == "any" else np.minimum.reduce(passed)
    return turning


def still_flagged(turning: Indices, weights: Floats, vertices: int) -> Floats:
    """Sum the weight (m,) flagged at m vertices from turning points and weights (n,). O(n + m)."""
    # Without documents, NumPy would count integers.
    at_turning = np.bincount(turning, weights, vertices + 1).astype(np.float64)
    return np.cumsum(at_turning[::-1])[::-1][1:]
