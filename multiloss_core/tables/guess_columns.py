"""Guess the meanings of columns, and recognise ready tables of counts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
import pandas as pd

from multiloss_core.errors import DataError
from multiloss_core.formatting import MINUS
from multiloss_core.numerics.arrays import Floats
from multiloss_core.tables.column_meanings import ColumnMeanings
from multiloss_core.tables.column_values import RECIPROCAL, is_numeric, sampled, sampled_numbers, threshold_columns
from multiloss_core.tables.guessing.alert_rules import guess_alert_rules
from multiloss_core.tables.guessing.column import Column, columns_of, falling_scores
from multiloss_core.tables.guessing.other_roles import (
    RoleGuess,
    guess_amount,
    guess_group,
    guess_segment,
    guess_time,
    guess_weight,
)
from multiloss_core.tables.guessing.ratings import guess_rating
from multiloss_core.tables.guessing.repeats import guess_repeats
from multiloss_core.tables.guessing.scores import guess_scores
from multiloss_core.tables.rating_column import Meaning, values_and_blanks
from multiloss_core.tables.reading.column_types import with_decimal_sign


def is_count_table(frame: pd.DataFrame) -> bool:
    """Whether a table is ready counts (T1, T2, …, TP, FP) rather than one row for each document."""
    lower = {str(column).strip().lower() for column in frame.columns}
    return {"tp", "fp"} <= lower and bool(threshold_columns(frame))


@dataclass(frozen=True, kw_only=True)
class ColumnGuess(ColumnMeanings):
    """Meanings of columns as they are guessed, with the doubts about them.

    `scores` are at most four to use, those that surely fall with risk inverted: "minus trust"; `more_scores` are those
    found beyond them. A sampling rate is the weight "1 / rate". `unused` gives the reason why any other column of
    numbers is no score. `unsure` names the roles ("rating", "meanings", "scores", "alert_rules", "weight", "group",
    "amount", "time", "segment", "repeats") that must be asked: what they hold is then a proposal. `reasons` gives the
    reason for a role, or for asking about it.
    """

    more_scores: tuple[str, ...] = ()
    unused: Mapping[str, str] = field(default_factory=dict)
    unsure: frozenset[str] = frozenset()
    reasons: Mapping[str, str] = field(default_factory=dict)

    @property
    def falling(self) -> tuple[str, ...]:
        """The columns of inverted scores: the lower, the more suspicious."""
        return tuple(name.removeprefix(MINUS) for name in self.scores if name.startswith(MINUS))

    @property
    def columns(self) -> ColumnMeanings:
        """The meanings alone."""
        return ColumnMeanings(**{entry.name: getattr(self, entry.name) for entry in fields(ColumnMeanings)})

    @property
    def positive(self) -> str | None:
        """The value that means positive, where it is exactly one."""
        found = [value for value, meaning in self.meanings if meaning == "positive"]
        return found[0] if len(found) == 1 else None


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
    found: dict[str, Any] = {}
    unsure, reasons = set(rating.unsure), dict(rating.reasons)
    weight = guess_weight(columns)
    for role, guess in (("weight", weight), *_others(frame, columns, weight.name)):
        found[role] = guess.name
        if guess.doubt:
            unsure.add(role)
        if guess.doubt or guess.reason:
            reasons[role] = guess.doubt or guess.reason
    left = [column for column in columns if column.name not in set(found.values())]
    likely = None if rating.name is None else _as_numbers(frame, rating.name, dict(rating.meanings))
    # The direction of a score follows from the meanings of the ratings, once these are certain.
    scores = guess_scores(left, None if rating.unsure else likely, likely)
    if not scores.used and (amount := found["amount"]) is not None:
        # Scores may go by the name of an amount, and without a score nothing can be decided.
        scores = guess_scores([column for column in columns if column.name == amount], None)
        found["amount"] = None
    directed = [
        -column.all_numbers if column.name in scores.falling else column.all_numbers
        for column in columns
        if column.name in scores.used
    ]
    rules, why_rules = guess_alert_rules([column for column in left if column.name not in scores.used], directed)
    repeats, why_repeats = guess_repeats(frame, columns, scores.used)
    doubts = {"scores": scores.doubt, "alert_rules": why_rules, "repeats": why_repeats}
    reasons |= {role: doubt for role, doubt in doubts.items() if doubt}
    unsure.update(role for role, doubt in doubts.items() if doubt)
    if repeats is not None and found["time"] in (None, repeats.by):
        # The time of the last change is not when the document came.
        unsure.discard("time")
        found["time"] = None
    used = {*scores.used, found["weight"], found["amount"]}
    return ColumnGuess(
        scores=tuple(f"{MINUS}{name}" if name in scores.falling else name for name in scores.used),
        rating=rating.name,
        more_scores=scores.more,
        meanings=rating.meanings,
        floors=(None,) * len(scores.used),
        decimal_signs=tuple((name, None) for name in ambiguous if name in used),
        unused=scores.unused,
        unsure=frozenset(unsure),
        reasons=reasons,
        **found | {"weight": f"{RECIPROCAL}{weight.name}" if weight.name and weight.inverse else weight.name},
        alert_rules=rules,
        repeats=repeats,
    )


def find_falling(
    frame: pd.DataFrame,
    scores: Sequence[str],
    rating: str,
    meanings: Mapping[str, Meaning | None],
    *,
    surely: bool = False,
) -> tuple[str, ...]:
    """Find scores that fall with risk, or certainly do, given the meanings of the ratings."""
    cells = {name: sampled_numbers(frame[name]) for name in scores}
    falling = falling_scores(cells, _as_numbers(frame, rating, meanings))
    return tuple(name for name, is_sure in falling.items() if is_sure or not surely)


def require_documents(frame: pd.DataFrame, ambiguous: Sequence[str] = ()) -> None:
    """Reject a table that cannot hold rated documents; `ambiguous` columns are numbers.

    Raises DataError: one column only, or no numeric column.
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
    """Guess the remaining roles in turn; each column takes at most one role."""
    left = [column for column in columns if column.name != weight]
    for role, guess_role in (("time", guess_time), ("group", guess_group), ("amount", guess_amount)):
        guess = guess_role(frame, left)
        left = [column for column in left if column.name != guess.name]
        yield role, guess
    yield "segment", guess_segment(frame, left)


def _as_numbers(frame: pd.DataFrame, rating: str, meanings: Mapping[str, Meaning | None]) -> Floats:
    """Give the ratings of the rows that are looked at, as 1, 0 or NaN."""
    codes, values = values_and_blanks(sampled(frame)[rating])
    sides = {"positive": 1.0, "negative": 0.0}
    return np.array([*(sides.get(str(meanings.get(value)), np.nan) for value in values), np.nan])[codes]
