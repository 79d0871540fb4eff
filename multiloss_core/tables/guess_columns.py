"""What the columns of a table seem to be, and whether it is a ready table of counts."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Self

import numpy as np
import pandas as pd

from multiloss_core.errors import DataError
from multiloss_core.formatting import MINUS
from multiloss_core.numerics.arrays import Floats
from multiloss_core.tables.guessing.column import Column, columns_of
from multiloss_core.tables.guessing.falling import falling_scores
from multiloss_core.tables.guessing.other_roles import (
    RoleGuess,
    guess_amount,
    guess_group,
    guess_segment,
    guess_time,
    guess_weight,
)
from multiloss_core.tables.guessing.ratings import guess_rating
from multiloss_core.tables.guessing.scores import guess_scores
from multiloss_core.tables.number_column import is_numeric, sampled, sampled_numbers
from multiloss_core.tables.rating_column import Meaning, rating_values
from multiloss_core.tables.reading.column_types import with_decimal_sign

_THRESHOLD_NAME = re.compile(r"^(t|threshold)[\s_]?\d*$|threshold", re.I)


def is_count_table(frame: pd.DataFrame) -> bool:
    """Whether a table is ready counts (T1, T2, …, TP, FP) rather than one row for each document."""
    lower = {str(column).strip().lower() for column in frame.columns}
    return {"tp", "fp"} <= lower and bool(threshold_columns(frame))


def threshold_columns(frame: pd.DataFrame) -> list[str]:
    """Find the threshold columns of a count table: those named so, else every numeric column but TP and FP."""
    others = [c for c in frame.columns if str(c).strip().lower() not in {"tp", "fp"}]
    named = [c for c in others if _THRESHOLD_NAME.search(str(c).strip())]
    return named or [c for c in others if pd.api.types.is_numeric_dtype(frame[c].dtype)]


@dataclass(frozen=True, kw_only=True)
class ColumnGuess:
    """What the columns of a table of documents seem to be; `None` or empty where nothing fits.

    `scores` are at most four to use, `more_scores` those found beyond them, `falling` those that are surely lower the
    likelier a positive. `unused` says of each other column of numbers why it is no score. `meanings` pairs each rating,
    a lower-case word, with what it means, None where nothing is known. With `inverse_weight` the weight is a sampling
    rate, and each row stands for 1 / rate documents. `unsure` names the roles ("rating", "meanings", "scores",
    "weight", "group", "amount", "time", "segment") that must be asked: what they hold is then a proposal. `reasons`
    says in a few words why a role was guessed so, or is asked.
    """

    scores: tuple[str, ...]
    rating: str | None
    more_scores: tuple[str, ...] = ()
    meanings: tuple[tuple[str, Meaning | None], ...] = ()
    weight: str | None = None
    inverse_weight: bool = False
    group: str | None = None
    amount: str | None = None
    time: str | None = None
    segment: str | None = None
    falling: tuple[str, ...] = ()
    unused: Mapping[str, str] = field(default_factory=dict)
    unsure: frozenset[str] = frozenset()
    reasons: Mapping[str, str] = field(default_factory=dict)

    @property
    def directed_scores(self) -> tuple[str, ...]:
        """The scores to use, those that fall with risk as inverted ones: "minus trust" (see `column_of`)."""
        return tuple(f"{MINUS}{name}" if name in self.falling else name for name in self.scores)

    @property
    def positive(self) -> str | None:
        """The value that means positive, where it is exactly one."""
        found = [value for value, meaning in self.meanings if meaning == "positive"]
        return found[0] if len(found) == 1 else None

    def to_json(self) -> dict[str, Any]:
        """Give the guess as what JSON can hold; `from_json` reads it."""
        values = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        return values | {
            "meanings": [list(pair) for pair in self.meanings],
            "unsure": sorted(self.unsure),
            "unused": dict(self.unused),
            "reasons": dict(self.reasons),
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """Read back what `to_json`, or `dataclasses.asdict`, gave."""
        lists = {name: tuple(values[name]) for name in ("scores", "more_scores", "falling")}
        meanings = tuple((value, meaning) for value, meaning in values["meanings"])
        return cls(**{**values, **lists, "meanings": meanings, "unsure": frozenset(values["unsure"])})


def guess_columns(frame: pd.DataFrame, ambiguous: Sequence[str] = ()) -> ColumnGuess:
    """Guess the role of each column and what the ratings mean, from names and cells.

    Columns of numbers that are `ambiguous`, such as 3,560, are looked at with a decimal point.

    What is not certain is named in `unsure`. At most 10,000 rows are looked at, and all rows of the columns that are
    taken for rating, amount, time, segment or group: O(columns + rows).
    """
    frame = with_decimal_sign(frame, dict.fromkeys(ambiguous, "."))
    columns = columns_of(frame)
    rating = guess_rating(frame, columns)
    columns = [column for column in columns if column.name != rating.name]
    found: dict[str, str | None] = {}
    unsure, reasons = set(rating.unsure), dict(rating.reasons)
    weight = guess_weight(columns)
    for role, guess in (("weight", weight), *_others(frame, columns, weight.name)):
        found[role] = guess.name
        if guess.doubt:
            unsure.add(role)
        if guess.doubt or guess.reason:
            reasons[role] = guess.doubt or guess.reason
    left = [column for column in columns if column.name not in set(found.values())]
    # Which way a score goes can be told only once it is known what the ratings mean.
    rated = None if rating.unsure or rating.name is None else _as_numbers(frame, rating.name, dict(rating.meanings))
    scores = guess_scores(left, rated)
    if not scores.used and (amount := found["amount"]) is not None:
        # Scores may go by the name of an amount, and without a score nothing can be decided.
        scores = guess_scores([column for column in columns if column.name == amount], None)
        found["amount"] = None
    if scores.doubt:
        unsure.add("scores")
        reasons["scores"] = scores.doubt
    return ColumnGuess(
        scores=scores.used,
        rating=rating.name,
        more_scores=scores.more,
        meanings=rating.meanings,
        inverse_weight=weight.inverse,
        falling=scores.falling,
        unused=scores.unused,
        unsure=frozenset(unsure),
        reasons=reasons,
        **found,
    )


def find_falling(
    frame: pd.DataFrame,
    scores: Sequence[str],
    rating: str,
    meanings: Mapping[str, Meaning | None],
    *,
    surely: bool = False,
) -> tuple[str, ...]:
    """Find the scores of a table that fall with risk, or surely do, once it is known what the ratings mean."""
    cells = {name: sampled_numbers(frame[name]) for name in scores}
    falling = falling_scores(cells, _as_numbers(frame, rating, meanings))
    return tuple(name for name, is_sure in falling.items() if is_sure or not surely)


def require_documents(frame: pd.DataFrame, ambiguous: Sequence[str] = ()) -> None:
    """Refuse a table that cannot hold rated documents, with what is missing; `ambiguous` columns are numbers.

    Raises
    ------
    DataError : one column only, or no numeric column.
    """
    if frame.shape[1] < 2:
        raise DataError(
            f"The table has one column, '{frame.columns[0]}'; a score and a rating are needed (columns are separated "
            "by comma, semicolon, tab or bar)."
        )
    if not ambiguous and not any(is_numeric(frame[c]) for c in frame.columns):
        raise DataError(
            f"None of the {frame.shape[1]} columns ('{frame.columns[0]}', …) is numeric from row 1 on; add the "
            "classifiers' scores as numbers."
        )


def _others(frame: pd.DataFrame, columns: Sequence[Column], weight: str | None) -> Iterator[tuple[str, RoleGuess]]:
    """Guess the remaining roles one after the other; what one has taken is not offered to the next."""
    left = [column for column in columns if column.name != weight]
    for role, guess_role in (("time", guess_time), ("group", guess_group), ("amount", guess_amount)):
        guess = guess_role(frame, left)
        left = [column for column in left if column.name != guess.name]
        yield role, guess
    yield "segment", guess_segment(frame, left)


def _as_numbers(frame: pd.DataFrame, rating: str, meanings: Mapping[str, Meaning | None]) -> Floats:
    """Give the ratings of the rows that are looked at, as 1, 0 or NaN."""
    codes, values = rating_values(sampled(frame)[rating])
    sides = {"positive": 1.0, "negative": 0.0}
    return np.array([*(sides.get(str(meanings.get(value)), np.nan) for value in values), np.nan])[codes]
