"""Compute P(positive | scores) from a table of factors for each score."""

import json
import math
from dataclasses import asdict, dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from multiloss_core.errors import DataError
from multiloss_core.formatting import shortened
from multiloss_core.numerics.arrays import Floats
from multiloss_core.numerics.rounding import shortest_between
from multiloss_core.tables.column_values import MAX_SCORE

# The name of the combined score among the scores of documents.
COMBINED = "combined score"
MAX_KNOTS, MAX_NAMES = 50, 10
KINDS = ("single", "highest", "lowest")
PARTS = ("knots", *KINDS)


@dataclass(frozen=True)
class ScoreFactors:
    """Factors of the odds against a positive at the knots (m,) of one score.

    They fall as the score rises. Between two knots they are linear, beyond the outer ones constant. A blank has the
    factors of the lowest knot.
    `single` is multiplied with that of the other scores; of `highest` the smallest of all scores counts, of `lowest`
    the largest.
    """

    knots: tuple[float, ...]
    single: tuple[float, ...]
    highest: tuple[float, ...]
    lowest: tuple[float, ...]

    @property
    def is_falling(self) -> bool:
        """Whether knots are finite and rise, and factors are positive and never rise."""
        tables = [getattr(self, kind) for kind in KINDS]
        return (
            1 <= len(self.knots) <= MAX_KNOTS
            and all(len(table) == len(self.knots) for table in tables)
            and bool(np.isfinite([self.knots, *tables]).all() and (np.diff(self.knots) > 0).all())
            and all(table[-1] > 0 and bool((np.diff(table) <= 0).all()) for table in tables)
        )

    def slopes(self, kind: str) -> tuple[float, ...]:
        """Return the slope (m - 1,) of the factor after each knot but the last, with few digits.

        None is so steep that its piece falls below the factor at the next knot.
        """
        values = getattr(self, kind)
        return tuple(map(_slope, self.knots, self.knots[1:], values, values[1:]))

    def at(self, scores: Floats, kind: str) -> Floats:
        """Compute the factors (n,) of scores (n,), NaN or -inf for a blank."""
        knots, values = np.array(self.knots), np.array(getattr(self, kind))
        scores = np.fmax(scores, knots[0]).clip(None, MAX_SCORE)
        place = np.searchsorted(knots, scores, side="right") - 1
        return np.asarray(values[place] + (scores - knots[place]) * np.array([*self.slopes(kind), 0.0])[place])


def _slope(knot: float, following: float, value: float, lower: float) -> float:
    slope = (lower - value) / (following - knot)
    if not math.isfinite(slope):
        return 0.0
    slope = float(f"{slope:.9g}")
    while value + (following - knot) * slope < lower:
        slope = float(f"{slope * (1 - 1e-8):.9g}")
    return slope


@dataclass(frozen=True, kw_only=True)
class ScoreFormula:
    """A formula of P(positive | scores), rising in each score.

    It is 1 / (1 + odds · Π single · min highest · max lowest) with the factors of the scores, and 0 where no score
    reaches its floor, as such documents were not rated. Made of additions, multiplications and comparisons alone, in a
    fixed order, so that every engine with IEEE 754 doubles computes the same number and no rounding turns the order of
    two documents.

    `names`: the k score columns, also "minus trust"; `floors` (k,): rating floors; `factors`: those of each score;
    `odds` > 0: the odds against a positive where all factors are 1.
    """

    names: tuple[str, ...]
    floors: tuple[float, ...]
    odds: float
    factors: tuple[ScoreFactors, ...]

    def __post_init__(self) -> None:
        if not 1 < len(self.names) <= MAX_NAMES or len(set(self.names)) < len(self.names) or not self.odds > 0:
            raise DataError("A combined score needs two or more distinct scores and odds above 0; export it again.")
        if not len(self.names) == len(self.floors) == len(self.factors):
            raise DataError("A combined score needs a floor and factors for each of its scores; export it again.")
        for name, one in zip(self.names, self.factors, strict=True):
            if not one.is_falling:
                raise DataError(
                    f"The factors of '{shortened(name)}' in the combined score do not fall as the score rises; "
                    "export it again."
                )

    def apply(self, scores: ArrayLike) -> Floats:
        """Compute the combined score (n,), in [0, 1), of scores (n, k).

        A blank is NaN or -inf. Time O(n k).

        Raises DataError: another number of columns.
        """
        table = np.asarray(scores, dtype=np.float64)
        against = self.odds_against(table)
        return np.where((table >= self.floors).any(axis=1), 1.0 / (1.0 + against), 0.0)

    def odds_against(self, scores: ArrayLike) -> Floats:
        """Compute the odds against a positive (n,) of scores (n, k), whatever the floors."""
        table = np.asarray(scores, dtype=np.float64)
        if table.ndim != 2 or table.shape[1] != len(self.names):
            raise DataError(f"The combined score needs {len(self.names)} columns of scores, not shape {table.shape}.")
        against = np.full(len(table), self.odds)
        for one, column in zip(self.factors, table.T, strict=True):
            against = against * one.at(column, "single")
        for kind, of_all in (("highest", np.minimum), ("lowest", np.maximum)):
            against = against * of_all.reduce(
                [one.at(column, kind) for one, column in zip(self.factors, table.T, strict=True)]
            )
        return against

    @property
    def floor(self) -> float:
        """A short number that every document reaches which reaches a floor; the others have 0."""
        at_floors = np.full((len(self.names), len(self.names)), np.nan)
        np.fill_diagonal(at_floors, self.floors)
        lowest = float(self.apply(at_floors).min())
        return shortest_between(lowest, 0.99 * lowest, lowest)

    def to_json(self) -> str:
        """Write the formula as JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read a formula as `to_json` writes it. Raises DataError: a part is wrong."""
        try:
            values = json.loads(text)
            factors = tuple(ScoreFactors(**{part: tuple(one[part]) for part in PARTS}) for one in values["factors"])
            names, floors = (tuple(values[part]) for part in ("names", "floors"))
            return cls(names=names, floors=floors, odds=float(values["odds"]), factors=factors)
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            if isinstance(error, DataError):
                raise
            raise DataError("This is not JSON of a combined score; give the text that to_json wrote.") from error
