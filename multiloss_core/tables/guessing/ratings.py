"""Find the column of ratings, and the meanings of its values."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from multiloss_core.formatting import shortened
from multiloss_core.tables.column_values import BLANK
from multiloss_core.tables.guessing.column import MAX_RATINGS, Column
from multiloss_core.tables.rating_column import Meaning, is_ambiguous_name, polarity, read_meanings, values_and_blanks
from multiloss_core.tables.vocabulary import (
    POSITIVE,
    is_plain_rating_name,
    kinds_of,
    kinds_of_name,
    listed,
    meaning_of_kinds,
    read_rating,
)
from multiloss_core.tables.yes_no import flag_values

# How sure it is that a column is the rating: its values say so, or its name does; below CLEAR it is asked.
SAYS_SO, LIKELY, CLEAR, POSSIBLE, FAINT, NONE = 5, 4, 3, 2, 1, 0
FEW = 6


@dataclass(frozen=True, kw_only=True)
class RatingGuess:
    """Hold the rating column, its likely meanings, and the doubts to ask about."""

    name: str | None
    meanings: tuple[tuple[str, Meaning | None], ...]
    unsure: frozenset[str]
    reasons: dict[str, str]


def guess_rating(frame: pd.DataFrame, columns: Sequence[Column]) -> RatingGuess:
    """Find the rating column of a table and what its values mean."""
    candidates = [candidate for candidate in map(_Candidate, columns) if candidate.level > NONE]
    if not candidates:
        reason = "no column holds words of ratings, or has the name of one"
        return RatingGuess(name=None, meanings=(), unsure=frozenset({"rating"}), reasons={"rating": reason})
    if any(candidate.level >= CLEAR and not candidate.is_overruled for candidate in candidates):
        candidates = [candidate for candidate in candidates if not candidate.is_overruled]
    best, *others = sorted(candidates, key=lambda candidate: (-candidate.level, -candidate.kinds, -candidate.decided))
    rival = next((other for other in others if _rivals(best, other)), None)
    doubt = best.doubt if rival is None else f"'{shortened(rival.column.name)}' may be the rating as well"
    meanings, why_ask = _meanings(frame, best.column, columns)
    unsure = {role for role, why in (("rating", doubt), ("meanings", why_ask)) if why}
    reasons = {"rating": doubt or best.reason, "meanings": why_ask or "the words and the name say it"}
    return RatingGuess(name=best.column.name, meanings=meanings, unsure=frozenset(unsure), reasons=reasons)


@dataclass(frozen=True, eq=False)
class _Candidate:
    """A column that may be the rating."""

    column: Column

    @cached_property
    def level(self) -> int:
        values = self.column.ratings[1]
        if not values:
            return FAINT if self.is_named and not self.column.filled else NONE
        words = self.column.words
        level = self._level(values)
        # Also a column about a rating: its reason, its date, who gave it.
        if set(words) & listed("about") or len(values) == 1 or BLANK in values:
            level = min(level, FAINT)
        return min(level, POSSIBLE) if self.is_overruled else level

    def _level(self, values: list[str]) -> int:
        flags = flag_values(values)
        readings = {value: read_rating(value) for value in values if value not in flags}
        sides = {reading.certain for reading in readings.values()}
        specific = [reading for reading in readings.values() if reading.is_specific]
        two_sided = {"positive", "negative"} <= sides
        words = self.column.words
        if (
            two_sided
            and specific
            and (self.is_named or set(words) <= listed("status") or any(r.is_core for r in specific))
        ):
            return SAYS_SO
        if flags and len(set(flags.values())) == 2 and polarity(self.column.name)[1]:
            return LIKELY if set(words) & listed("label") or self.is_general else SAYS_SO
        if self.is_named:
            return LIKELY if two_sided or specific else CLEAR
        if flags and is_ambiguous_name(self.column.name):
            return SAYS_SO
        if ("F" in kinds_of(words) and flags) or two_sided or (specific and sides & {"positive", "negative"}):
            return POSSIBLE if two_sided or not flags or set(words) & listed("status") else FAINT
        may_be_sides = not flags and {"positive", "negative"} <= set(self.meanings)
        may_be_named = len(set(flags.values())) == 2 and bool(re.fullmatch("[QCABK]+", kinds_of_name(words)))
        return FAINT if may_be_sides or may_be_named else NONE

    @cached_property
    def is_named(self) -> bool:
        """Whether the name is that of a rating and of nothing else."""
        words = self.column.words
        return is_plain_rating_name(words) or meaning_of_kinds(kinds_of_name(words)) in {"positive", "negative"}

    @cached_property
    def is_general(self) -> bool:
        """Whether the name alone is an everyday word, such as "ok"."""
        words = self.column.words
        return not any(read_rating(word).is_specific for word in words) and kinds_of_name(words) != POSITIVE

    @cached_property
    def is_overruled(self) -> bool:
        """Whether the name means a decision by a system, or one revised later."""
        words = self.column.words
        earlier = any(
            word in listed("earlier") and words[position + 1 : position + 2] != ("party",)
            for position, word in enumerate(words)
        )
        return earlier or bool(set(words) & listed("machine") and not set(words) & listed("human"))

    @cached_property
    def meanings(self) -> list[Meaning | None]:
        return [likely for _, likely in read_meanings(self.column.ratings[1], self.column.name).values()]

    @cached_property
    def kinds(self) -> int:
        """Number of different meanings of its values."""
        return len({meaning for meaning in self.meanings if meaning is not None})

    @cached_property
    def decided(self) -> int:
        """Number of cells rated positive or negative."""
        known = np.array([meaning in {"positive", "negative"} for meaning in self.meanings] + [False])
        return int(known[self.column.ratings[0]].sum())

    @cached_property
    def doubt(self) -> str:
        """Return the reason to ask about the column although none is likelier; else empty."""
        values, words = self.column.ratings[1], set(self.column.words)
        doubts = {
            "it holds one value only": len(values) <= 1,
            "its name is that of an earlier decision or of a system's": self.is_overruled,
            "neither its name nor its values are clearly those of ratings": self.level < CLEAR,
            "its name is that of a rating, but its values are not known": self.level == CLEAR
            and (len(values) > FEW or bool(words & listed("ambiguous"))),
            "its values may be of something else": self.level == LIKELY
            and bool(words & listed("ambiguous"))
            and not any(read_rating(value).is_specific for value in values),
            "its name and its values may be of something else": self.level < SAYS_SO
            and self.is_general
            and not self.is_named_by_role,
            "it may describe something else than the document": bool(words & listed("entities")) and not self.is_named,
        }
        return next((doubt for doubt, applies in doubts.items() if applies), "")

    @cached_property
    def is_named_by_role(self) -> bool:
        return is_plain_rating_name(self.column.words) or bool(set(self.column.words) & {"bad", "good", "is"})

    @cached_property
    def reason(self) -> str:
        if self.level == SAYS_SO:
            return "its values are ratings"
        return "its name is that of a rating"


def _rivals(best: _Candidate, other: _Candidate) -> bool:
    """Whether another column may equally be the rating, and differs."""
    if other.level < max(min(best.level, LIKELY), FAINT + (best.level > POSSIBLE)):
        return False
    return not _agree(best, other)


def _agree(best: _Candidate, other: _Candidate) -> bool:
    """Whether each value of another column goes with one meaning of the best one only."""
    sides = np.array([{"positive": 1, "negative": 0}.get(str(meaning), -1) for meaning in best.meanings] + [-1])
    side, value = sides[best.column.ratings[0]], other.column.ratings[0]
    both = (side >= 0) & (value >= 0)
    if not both.any():
        return False
    pairs = np.unique(np.column_stack([value[both], side[both]]), axis=0)
    # Beyond the best column another may hold negatives, as flags do of open cases, but no positives.
    is_positive = np.array([meaning == "positive" for meaning in other.meanings])
    says_more = is_positive[value[(value >= 0) & (side < 0)]].any()
    return len(pairs) == len(np.unique(pairs[:, 0])) and len(np.unique(pairs[:, 1])) == 2 and not says_more


def _meanings(
    frame: pd.DataFrame, column: Column, columns: Sequence[Column]
) -> tuple[tuple[tuple[str, Meaning | None], ...], str]:
    """Return the meaning of each value, and the reason to ask about them (else empty)."""
    values = values_and_blanks(frame[column.name])[1]
    if len(values) > MAX_RATINGS:
        return (), f"it holds {len(values):,} different values"
    readings = read_meanings(values, column.name)
    likely = {value: reading[1] for value, reading in readings.items()}
    certain = {value: reading[0] for value, reading in readings.items()}
    if is_ambiguous_name(column.name):
        around = {word for other in columns if other is not column for word in other.words}
        if around & listed("biometric"):
            turned: dict[Meaning | None, Meaning | None] = {"positive": "negative", "negative": "positive"}
            likely = {value: turned.get(meaning, meaning) for value, meaning in likely.items()}
        elif around & listed("of_fraud"):
            certain = likely
    unknown = [value for value in values if certain[value] is None]
    missing = [side for side in ("positive", "negative") if side not in certain.values()]
    why = ""
    if unknown:
        why = f"what '{shortened(unknown[0])}' means is not certain"
    elif missing:
        why = f"no value is known to mean {missing[0]}"
    return tuple(likely.items()), why
