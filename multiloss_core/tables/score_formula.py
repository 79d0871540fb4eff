"""Compute one score from several: P(positive | scores) from a table of factors for each score."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from multiloss_core.errors import DataError
from multiloss_core.formatting import shortened
from multiloss_core.numerics.arrays import Floats
from multiloss_core.tables.column_values import MAX_SCORE, column_of, numbers

MAX_KNOTS = 50
KINDS = ("single", "highest", "lowest")


@dataclass(frozen=True)
class ScoreFactors:
    """Factors of the odds against a positive at the knots (m,) of one score; they fall as it rises.

    Between two knots they are linear, beyond the outer ones constant. A blank has the factors of the lowest knot.
    `single` is multiplied with that of the other scores; of `highest` the smallest of all scores counts, of `lowest`
    the largest.
    """

    knots: tuple[float, ...]
    single: tuple[float, ...]
    highest: tuple[float, ...]
    lowest: tuple[float, ...]

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
    """P(positive | scores) = 1 / (1 + odds · Π single · min highest · max lowest), rising in each score.

    It is 0 where no score reaches its floor, as such documents were not rated. Made of additions, multiplications and
    comparisons alone, in a fixed order, so that every engine with IEEE 754 doubles computes the same number and no
    rounding turns the order of two documents.

    `names`: the k score columns, also "minus trust"; `floors` (k,): rating floors; `factors`: those of each score;
    `odds` > 0: the odds against a positive where all factors are 1.
    """

    names: tuple[str, ...]
    floors: tuple[float, ...]
    odds: float
    factors: tuple[ScoreFactors, ...]

    def apply(self, scores: ArrayLike) -> Floats:
        """Compute the combined score (n,), in [0, 1), of scores (n, k); a blank is NaN or -inf. Time O(n k).

        Raises DataError: another number of columns.
        """
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
        return np.where((table >= self.floors).any(axis=1), 1.0 / (1.0 + against), 0.0)

    @property
    def floor(self) -> float:
        """The smallest combined score of a document that reaches a floor; of all others it is 0."""
        at_floors = np.full((len(self.names), len(self.names)), np.nan)
        np.fill_diagonal(at_floors, self.floors)
        return float(self.apply(at_floors).min())

    def of_frame(self, frame: pd.DataFrame) -> Floats:
        """Compute the combined score (n,) of the rows of a table; NaN where every score is blank.

        Raises DataError: a column is missing.
        """
        scores = np.column_stack([numbers(column_of(frame, name))[0] for name in self.names])
        return np.where(np.isnan(scores).all(axis=1), np.nan, self.apply(scores))

    def to_json(self) -> str:
        """Write the formula as JSON."""
        return json.dumps(self.as_dict())

    def as_dict(self) -> dict[str, Any]:
        """Return the formula as values of JSON."""
        scores = [
            {"name": name, "floor": floor, "knots": [*one.knots], **{kind: [*getattr(one, kind)] for kind in KINDS}}
            for name, floor, one in zip(self.names, self.floors, self.factors, strict=True)
        ]
        return {"odds": self.odds, "scores": scores}

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read a formula as `to_json` writes it. Raises DataError: it is not one."""
        try:
            return cls.from_dict(json.loads(text))
        except (ValueError, RecursionError) as error:
            raise DataError("This is not JSON of a combined score; give the text that to_json wrote.") from error

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Check a formula given as values of JSON. Raises DataError: naming the first part that is wrong."""
        try:
            names = tuple(str(score["name"]) for score in values["scores"])
            factors = tuple(
                ScoreFactors(**{part: _numbers(score[part]) for part in ("knots", *KINDS)})
                for score in values["scores"]
            )
            odds, *floors = _numbers([values["odds"], *(score["floor"] for score in values["scores"])])
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(f"The combined score is incomplete ({shortened(error)}); export it again.") from error
        if not names or len(set(names)) < len(names) or odds <= 0:
            raise DataError("A combined score needs distinct scores and odds above 0; export it again.")
        for name, one in zip(names, factors, strict=True):
            tables = [np.array(getattr(one, kind)) for kind in KINDS]
            if (
                not 1 <= len(one.knots) <= MAX_KNOTS
                or not (np.diff(one.knots) > 0).all()
                or any(len(table) != len(one.knots) or (np.diff(table) > 0).any() or table[-1] <= 0 for table in tables)
            ):
                raise DataError(
                    f"The factors of '{shortened(name)}' in the combined score do not fall as the score rises; "
                    "export it again."
                )
        return cls(names=names, floors=tuple(floors), odds=odds, factors=factors)


def _numbers(values: Any) -> tuple[float, ...]:
    if not isinstance(values, list | tuple) or len(values) > MAX_KNOTS:
        raise TypeError("a list of numbers is missing")
    found = tuple(map(float, values))
    if not all(map(math.isfinite, found)):
        raise ValueError("a number is not finite")
    return found
