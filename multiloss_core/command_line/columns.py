"""Find the meanings of columns: from the options, else as they are guessed for the screen."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf
from types import MappingProxyType
from typing import Literal

import pandas as pd

from multiloss_core.decisions.making import columns_from_record
from multiloss_core.decisions.record_fields import RecordedColumns
from multiloss_core.errors import DataError
from multiloss_core.formatting import HAS, MINUS, score_name, shortened
from multiloss_core.tables import MAX_ALERT_RULES, ColumnGuess, ColumnMeanings, Meaning, find_falling, guess_meanings
from multiloss_core.tables.column_values import BLANK, base_of
from multiloss_core.tables.repeated_rows import Keep
from multiloss_core.tables.vocabulary import INVISIBLE
from multiloss_core.tables.yes_no import is_yes_no, only_word
from multiloss_core.thresholds.data.rating_floors import FloorMethod

NONE = "none"
MAX_SCORES = 4
# Which words of a column of ratings there are: those of a whole table may not all be at hand.
WordsOf = Callable[[str], Sequence[str]]


def columns_of(
    frame: pd.DataFrame,
    guess: ColumnGuess,
    words_of: WordsOf,
    *,
    scores: Sequence[str] = (),
    alert_rules: Sequence[str] | None = None,
    rating: str | None = None,
    given_meanings: Mapping[Meaning, Sequence[str]] = MappingProxyType({}),
    weight: str | None = None,
    group: str | None = None,
    time: str | None = None,
    segment: str | None = None,
    floors: Mapping[str, float] = MappingProxyType({}),
    floor_method: FloorMethod | None = None,
    leave_out_unusable: bool = False,
    repeats: Keep | None = None,
    age_weights: bool = True,
) -> ColumnMeanings:
    """Take the meanings of columns from options, and from a guess where these are None or empty.

    "none" stands for a role that no column has. `given_meanings`: the ratings of each meaning.

    Raises
    ------
    DataError : an uncertain guess without an option; the sentence names the option to give.
    """
    if rating is None:
        _certain(guess, "rating", "Which column holds the ratings", "--rating")
    if not scores:
        _certain(guess, "scores", "Which columns are scores", "--scores, such as --scores 'model a,model b'")
    if repeats is None and guess.repeats is not None:
        _certain(guess, "repeats", "Which row of each counts", "--repeats last, --repeats first or --repeats all")
    if alert_rules is None and "alert_rules" in guess.unsure:
        _certain(guess, "alert_rules", "Whether rules raised alerts beside the scores", "--alert-rules, or none")
    rules = () if list(alert_rules or ()) == [NONE] else tuple(_names(alert_rules or (), frame))
    if len(rules) > MAX_ALERT_RULES:
        raise DataError(f"{len(rules)} alert rules were given; choose at most {MAX_ALERT_RULES} with --alert-rules.")
    rating, given = _as_in_table(frame, rating or guess.rating or ""), tuple(_names(scores, frame))
    for name in (*given, *rules, rating):
        _require_column(frame, name)
    rules = tuple(_rule_of(frame, name) for name in rules)
    meanings = _meanings(given_meanings, guess, rating, words_of(rating))
    directed = _directed(frame, given or tuple(map(score_name, guess.scores)), rating, meanings)
    if len(directed) > MAX_SCORES:
        raise DataError(f"{len(directed)} scores were given; choose at most {MAX_SCORES} with --scores.")
    floors = by_score(floors, directed)
    unknown = sorted(set(floors) - set(directed))
    if unknown:
        raise DataError(f"A floor is given for '{shortened(unknown[0])}', which is none of the chosen scores.")
    return ColumnMeanings(
        scores=directed,
        alert_rules=rules,
        rating=rating,
        meanings=tuple(meanings.items()),
        floors=tuple(floors.get(name) for name in directed),
        floor_method=floor_method,
        weight=_role(weight, guess, "weight", frame),
        group=_role(group, guess, "group", frame),
        time=_role(time, guess, "time", frame),
        # Never guessed.
        segment=None if segment is None else _role(segment, guess, "segment", frame),
        leave_out_unusable=leave_out_unusable,
        repeats=None if guess.repeats is None or repeats is None else replace(guess.repeats, keep=repeats),
        age_weights=age_weights,
    )


def _rule_of(frame: pd.DataFrame, name: str) -> str:
    """Name the rule of a column: that of its word where it holds one beside blanks."""
    if name not in frame.columns or is_yes_no(frame[name]):
        return name
    word = only_word(frame[name])
    return name if word is None else f"{name}{HAS}{word}"


def by_score(given: Mapping[str, float], scores: Sequence[str]) -> dict[str, float]:
    """Key numbers given by column by score name; inverted scores change the sign."""
    inverted = {score_name(name): name for name in scores if name.startswith(MINUS)}
    return {
        inverted.get(name, name): -value if name in inverted and value != inf else value
        for name, value in given.items()
    }


def _directed(
    frame: pd.DataFrame, scores: Sequence[str], rating: str, meanings: Mapping[str, Meaning]
) -> tuple[str, ...]:
    """Invert the scores that surely fall with risk, as the screen does."""
    plain = [name for name in scores if name in frame.columns]
    falling = find_falling(frame, plain, rating, meanings, surely=True)
    return tuple(f"{MINUS}{name}" if name in falling else name for name in scores)


def columns_of_record(
    recorded: RecordedColumns,
    frame: pd.DataFrame,
    guess: ColumnGuess | None,
    words_of: WordsOf,
    time: str | None,
    *,
    rated: bool = True,
) -> ColumnMeanings:
    """Take a record's meanings and floors; `time` is the given column, else the guessed one.

    Not `rated`: only the scores and alert rules have to be there.

    Raises
    ------
    DataError : a column that is missing, or a rating that the record does not hold.
    """
    rating = recorded.rating
    if rating is None:
        raise DataError("The decision rests on a table of counts; watch it with another table of counts.")
    for name in filter(None, (*recorded.read_columns, *((rating, recorded.weight, recorded.group) if rated else ()))):
        _require_column(frame, name)
    columns = columns_from_record(recorded, frame, words_of(rating))
    unknown = [word for word, meaning in columns.meanings if meaning is None]
    if unknown:
        raise DataError(f"The decision does not say what the rating '{shortened(unknown[0])}' in '{rating}' means.")
    guessed = guess.time if guess is not None and "time" not in guess.unsure else None
    # Given thresholds are counted.
    return replace(columns, time=None if time == NONE else time or guessed, age_weights=False)


def days_column(time: str | None, guess: ColumnGuess | None) -> str:
    """Return the column of days. Raises DataError if it was neither given nor certain."""
    if time and time != NONE:
        return time
    if guess is None or guess.time is None or "time" in guess.unsure:
        raise DataError("Which column holds the days is not certain; give --time, or leave out --since and --until.")
    return guess.time


def _names(given: Sequence[str], frame: pd.DataFrame) -> Iterator[str]:
    """Split lists of names at commas, keeping the longest names of columns with commas."""
    for text in given:
        parts = text.split(",")
        while parts:
            joined = ((",".join(parts[:end]).strip(), end) for end in range(len(parts), 0, -1))
            each = ((_as_in_table(frame, name), end) for name, end in joined)
            name, end = next((pair for pair in each if base_of(frame, pair[0]) is not None), (parts[0].strip(), 1))
            del parts[:end]
            if name:
                yield name


def _as_in_table(frame: pd.DataFrame, name: str) -> str:
    """Return a column's name with the invisible characters that it has in the table."""
    if base_of(frame, name) is None:
        return next((column for column in map(str, frame.columns) if column.translate(INVISIBLE).strip() == name), name)
    return name


def _certain(guess: ColumnGuess, role: str, question: str, option: str) -> None:
    """Refuse to go on with a role that the screen would ask about."""
    if role in guess.unsure or not getattr(guess, role):
        reason = guess.reasons.get(role)
        raise DataError(f"{question} is not certain{f' ({reason})' if reason else ''}; give {option}.")


def _role(
    given: str | None, guess: ColumnGuess, role: Literal["weight", "group", "time", "segment"], frame: pd.DataFrame
) -> str | None:
    """Return the column of a role that may be missing, as given or as guessed."""
    if given is not None:
        given = _as_in_table(frame, given)
        if given != NONE:
            _require_column(frame, given)
        return None if given == NONE else given
    if role in guess.unsure:
        reason = guess.reasons.get(role)
        raise DataError(
            f"Whether a column is the {role} is not certain{f' ({reason})' if reason else ''}; give --{role} COLUMN "
            f"or --{role} none."
        )
    found: str | None = getattr(guess, role)
    return found


def _meanings(
    given_meanings: Mapping[Meaning, Sequence[str]], guess: ColumnGuess, rating: str, words: Sequence[str]
) -> dict[str, Meaning]:
    """Find the meaning of every rating: as given, else as it is certain."""
    chosen: dict[str, Meaning] = {}
    for meaning, given in given_meanings.items():
        for word in given:
            key = word.strip().lower() or BLANK
            if key not in words:
                raise DataError(
                    f"'{shortened(word)}' is not a rating in '{shortened(rating)}', which holds {_listed(words)}."
                )
            if chosen.setdefault(key, meaning) != meaning:
                raise DataError(f"'{shortened(word)}' was given as both {chosen[key]} and {meaning}.")
    as_guessed = rating == guess.rating and "meanings" not in guess.unsure and not chosen
    known = guess_meanings(words, rating) | (dict(guess.meanings) if as_guessed else {}) | chosen
    open_ones = [word for word in words if known[word] is None]
    is_asked = rating == guess.rating and "meanings" in guess.unsure and not chosen
    if open_ones or is_asked:
        example = shortened((open_ones or list(words))[0])
        # For an open one the reason repeats this.
        reason = None if open_ones else guess.reasons.get("meanings")
        raise DataError(
            f"What '{example}' in '{shortened(rating)}' means is not certain{f' ({reason})' if reason else ''}; give "
            f"--positive '{example}', --negative '{example}' or --undecided '{example}'."
        )
    return {word: meaning for word, meaning in known.items() if meaning is not None}


def _require_column(frame: pd.DataFrame, name: str) -> None:
    if base_of(frame, name) is None:
        raise DataError(f"There is no column '{shortened(name)}'; the table has {_listed([*map(str, frame.columns)])}.")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"'{shortened(name)}'" for name in names[:8]) + (", …" if len(names) > 8 else "")
