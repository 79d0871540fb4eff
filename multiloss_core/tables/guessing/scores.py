"""Find the score columns, with reasons to skip other columns of numbers."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from multiloss_core.formatting import shortened
from multiloss_core.numerics.arrays import Floats
from multiloss_core.tables.guessing.column import CLEARLY, Column, area, falling_scores, slopes
from multiloss_core.tables.vocabulary import listed

MAX_SCORES = 4
# Fewer different whole numbers than these are bands, versions, counts.
FEW_LEVELS, FEW_ROWS = 12, 50
# Scores without a telling name lie in here: probabilities, per cents, per mille, log odds.
LOWEST, HIGHEST = -50.0, 1_000.0
MAX_NAMED = 1e7

_WINDOW = re.compile(r"[0-9]+(h|hr|hrs|d|day|days|m|min|mins|s|w|mo|j|t|std)")
_TAG = re.compile(r"v?[0-9]+|[a-z]|de|da|do|du|del|la|of|the|for|final|overall|combined|total")


@dataclass(frozen=True, kw_only=True)
class ScoreGuess:
    """Hold scores in table order: those to use, further ones, and the reason to ask.

    `unused`: the reason to skip each other column of numbers.
    """

    used: tuple[str, ...]
    more: tuple[str, ...]
    falling: tuple[str, ...]
    unused: dict[str, str]
    doubt: str


def guess_scores(columns: Sequence[Column], positive: Floats | None, likely: Floats | None = None) -> ScoreGuess:
    """Find the scores among columns.

    `positive` (m,): 1, 0 or NaN, None if not certain; `likely` (m,): the same where it is likely.
    """
    looked = _with_siblings({column.name: (column, _certainty(column)) for column in columns})
    sure = [name for name, (_, certainty) in looked.items() if certainty == SURE]
    by_values = [name for name, (_, certainty) in looked.items() if certainty == LIKELY]
    asked = [name for name, (_, certainty) in looked.items() if certainty == ASKED]
    found, doubtful = _shown_by_ratings(looked, sure, by_values, asked, likely)
    unused = {name: _reason(column, certainty) for name, (column, certainty) in looked.items() if column.is_number}
    cells = {name: looked[name][0].all_numbers for name in found}
    areas = {name: 0.5 if positive is None else area(values, positive) for name, values in cells.items()}
    # Take the four that separate best; `sorted` keeps the table's order among equals.
    best = sorted(found, key=lambda name: -abs(areas[name] - 0.5))[:MAX_SCORES]
    falling = {} if positive is None else falling_scores(cells, positive)
    doubt = ""
    if not found:
        doubt = "no column looks like a score"
    elif doubtful:
        doubt = f"'{shortened(doubtful[0])}' may be a score or something else"
    elif not all(falling.values()):
        name = next(name for name, is_sure in falling.items() if not is_sure)
        doubt = f"'{shortened(name)}' may fall with risk"
    return ScoreGuess(
        used=tuple(name for name in found if name in best),
        more=tuple(name for name in found if name not in best),
        falling=tuple(name for name, is_sure in falling.items() if is_sure),
        unused={name: reason for name, reason in unused.items() if name not in best},
        doubt=doubt,
    )


SURE, LIKELY, ASKED, NO = 3, 2, 1, 0


def _shown_by_ratings(
    looked: dict[str, tuple[Column, int]], sure: list[str], likely: list[str], asked: list[str], positive: Floats | None
) -> tuple[list[str], list[str]]:
    """Choose the scores by name and by the ratings; return them, and those to ask about.

    Columns with doubtful names are scores where they go with fraud given the others, as noise does not. The area alone
    misleads: a document that another score brought to review may have any value of this one.
    """
    by_noun = [name for name in asked if set(looked[name][0].words) & listed("score", "model", "risk", "trust")]
    doubtful = [*likely, *by_noun]
    found = [name for name in looked if name in {*sure, *likely}] or asked
    if positive is None or not doubtful:
        return found, (likely or asked)
    shown = slopes({name: looked[name][0].all_numbers for name in [*sure, *doubtful]}, positive)
    if any(np.isnan(shown[name]) for name in doubtful):
        return found, (likely or asked)
    clear = [name for name in doubtful if abs(shown[name]) >= CLEARLY]
    found = [name for name in looked if name in {*sure, *clear}] or found
    return found, clear or asked or likely


def _with_siblings(looked: dict[str, tuple[Column, int]]) -> dict[str, tuple[Column, int]]:
    """Propose a low-variety column that differs from a sure score's name by a tag only."""
    sure = {_untagged(column) for column, certainty in looked.values() if certainty == SURE and _is_tagged(column)}
    return {
        name: (column, LIKELY if _is_tagged(column) and certainty <= ASKED and _untagged(column) in sure else certainty)
        for name, (column, certainty) in looked.items()
    }


def _is_tagged(column: Column) -> bool:
    varies = column.is_number and column.numbers.size > 0 and column.numbers.min() < column.numbers.max()
    return varies and len(_untagged(column)) < len(column.words)


def _untagged(column: Column) -> tuple[str, ...]:
    return tuple(word for word in column.words if not _TAG.fullmatch(word))


def _certainty(column: Column) -> int:
    """Rate a column as a score: LIKELY ones are proposed and asked, ASKED only asked."""
    if not column.is_number or not column.numbers.size or (column.distinct < 3 and column.filled >= FEW_ROWS):
        return NO
    values = column.numbers
    if values.min() == values.max() or _counts_rows(column.all_numbers):
        return NO
    named = _named(column)
    if named == NO or np.abs(values).max() > MAX_NAMED:
        return NO
    few = column.is_whole and column.filled >= FEW_ROWS and column.distinct <= FEW_LEVELS
    by_noun = bool(set(column.words) & listed("score"))
    if few:
        return ASKED if by_noun else NO
    if named is not None:
        return named
    return _by_values(column)


def _reason(column: Column, certainty: int) -> str:
    """Give the reason why a column of numbers is no score."""
    values = column.numbers
    if not values.size or values.min() == values.max():
        return "the same number in all rows" if values.size else "no cell holds a number"
    if _counts_rows(column.all_numbers):
        return "numbers its rows"
    if certainty:
        return "may be a score; others are clearer"
    if column.is_whole and column.distinct <= FEW_LEVELS:
        return f"only {column.distinct} different whole numbers"
    if values.min() < LOWEST or values.max() > HIGHEST:
        return f"numbers from {values.min():,.4g} to {values.max():,.4g}, unlike a score"
    return "its name is not that of a score"


def _named(column: Column) -> int | None:
    """Rate a column as a score by its name alone; None without evidence."""
    words = _untagged(column)
    if not set(words) & listed("score", "model", "risk"):
        return _named_otherwise(column, words)
    last = words[-1]
    if set(words) & listed("foreign") or any(_WINDOW.fullmatch(word) for word in words):
        return ASKED
    if set(words) & listed("no_score") - listed("score") - listed("model"):
        # The last word decides: "velocity score" is a score, "score band" is not.
        if last in listed("score", "model"):
            return SURE
        return (
            (LIKELY if words[0] in listed("score") and last in listed("topics") else NO)
            if last in listed("no_score")
            else ASKED
        )
    if set(words) & listed("level") - listed("score") - listed("model") - listed("risk"):
        return ASKED if not column.is_whole or column.distinct > 2 * FEW_LEVELS else NO
    return SURE if set(words) & listed("score", "model") or set(words) <= listed("risk") else ASKED


def _named_otherwise(column: Column, words: Sequence[str]) -> int | None:
    """Rate a column whose name has no word for a score."""
    if column.words == ("p",) and column.numbers.min() >= 0 and column.numbers.max() <= 1:
        return SURE
    if set(words) & listed("trust"):
        return ASKED
    is_other = bool(set(words) & listed("no_score", "level", "entities")) or any(
        _WINDOW.fullmatch(word) for word in words
    )
    return NO if is_other else None


def _by_values(column: Column) -> int:
    values = column.numbers
    if values.min() < LOWEST or values.max() > HIGHEST:
        return NO
    return LIKELY if not column.is_whole or values.max() > FEW_LEVELS else NO


def _counts_rows(values: Floats) -> bool:
    """Whether a column numbers its rows, as an index does, perhaps with gaps."""
    steps = np.diff(values)
    return values.size > 2 and bool((steps >= 1).all() and np.ptp(steps) <= 1)
