"""Which documents thresholds flag, and what can be said of them."""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from multiloss_core.errors import DataError
from multiloss_core.numerics.arrays import Bools, Floats
from multiloss_core.tables.number_column import LARGEST_SCORE

Rule = Literal["any", "all"]


def flagged(scores: Floats, thresholds: ArrayLike, rule: str) -> Bools:
    """Which of (n, k) scores are flagged at (k,) thresholds: a score is flagged when it is >= its threshold."""
    above: Bools = scores >= np.asarray(thresholds, dtype=np.float64)
    return np.asarray(above.any(axis=1) if rule == "any" else above.all(axis=1))


def require_rule(rule: str) -> None:
    """Refuse a rule other than `any` and `all`."""
    if rule not in ("any", "all"):
        raise DataError(f"The rule must be 'any' or 'all', not '{rule}'.")


def checked_thresholds(values: ArrayLike, names: tuple[str, ...]) -> Floats:
    """Thresholds (k,): a finite number for each classifier, or infinity for never.

    Raises
    ------
    DataError : naming the classifier whose threshold cannot be used.
    """
    thresholds = np.array(values, dtype=np.float64)
    if thresholds.shape != (len(names),):
        raise DataError(
            f"There must be one threshold for each of {len(names)} classifiers, not shape {thresholds.shape}."
        )
    for name, value in zip(names, thresholds, strict=True):
        if value != np.inf and not abs(value) < LARGEST_SCORE:
            raise DataError(f"The threshold of '{name}' must be a number (or never), not {value:g}.")
    return thresholds


def rated_in_full(floors: Floats, thresholds: Floats, rule: Rule) -> bool:
    """Whether every document that thresholds (k,) flag was rated: it then lies at or above some floor (k,)."""
    at_or_above = thresholds >= floors
    return bool(at_or_above.all() if rule == "any" else at_or_above.any())
