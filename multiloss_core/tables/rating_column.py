"""Read the rating column as positive, negative or undecided."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from multiloss_core.errors import DataError
from multiloss_core.formatting import shortened, shortest
from multiloss_core.numerics.arrays import Floats, Indices
from multiloss_core.tables import vocabulary
from multiloss_core.tables.column_values import BLANK
from multiloss_core.tables.vocabulary import (
    UNKNOWN,
    kinds_of,
    kinds_of_name,
    listed,
    meaning_of_kinds,
    name_words,
    read_rating,
    without_rating_fillers,
)
from multiloss_core.tables.yes_no import flag_values

Meaning: TypeAlias = vocabulary.Meaning


def parse_ratings(
    column: "pd.Series[Any]",
    positive: object | None = None,
    *,
    meanings: Mapping[str, Meaning] | None = None,
    one_class: bool = False,
) -> Floats:
    """Read ratings as 1 (positive), 0 (negative) or NaN (blank or undecided), shape (n,).

    `meanings` maps each value, in any case, to its meaning. Without it two values are expected, of which
    `positive` names the one that means positive; left out as well, the words must be known, or the values be 0/1,
    true/false or yes/no in a column whose name defines 1 ("fraud", "label", "is_genuine"). Blank cells
    have a meaning where `meanings` gives one to "(blank)". With `one_class` the `meanings` may leave out
    positive or negative.

    Raises DataError: all blank, a value without a meaning, no positive or no negative one unless `one_class`.
    """
    codes, values = rating_values(column)
    name, blank = column.name, (meanings or {}).get(BLANK, "undecided")
    if (codes < 0).any() and blank != "undecided":
        codes, values = np.where(codes < 0, len(values), codes), [*values, BLANK]
    if not values:
        raise DataError(f"All {len(column):,} rows of '{name}' are blank; choose the column that holds the ratings.")
    if meanings is not None:
        found = _given(name, codes, values, meanings, one_class)
    elif positive is not None:
        _require_two(name, codes, values)
        which = _positive_value(name, values, positive)
        found = ["positive" if value == which else "negative" for value in values]
    else:
        found = _certain(name, codes, values)
    numbers = np.array([{"positive": 1.0, "negative": 0.0, "undecided": np.nan}[meaning] for meaning in found])
    return np.where(codes < 0, np.nan, numbers[codes])


def ratings_so_far(frame: pd.DataFrame, name: str | None, meanings: Mapping[str, Meaning]) -> Floats:
    """Read the ratings (n,) of a table, some of which may be missing: 1, 0 or NaN.

    All are NaN without the column, or where it is blank.

    Raises DataError: a value without a meaning.
    """
    if name not in frame.columns or not rating_values(frame[name])[1]:
        return np.full(len(frame), np.nan)
    return parse_ratings(frame[name], meanings=meanings, one_class=True)


def rating_values(column: "pd.Series[Any]") -> tuple[Indices, list[str]]:
    """Return each row's index (-1: blank) into the distinct lower-case ratings, in order."""
    # Only different cells become words, so that a dictionary of long texts is never unpacked.
    codes, known = pd.factorize(column)
    cells = pd.Series(known if not isinstance(known, pd.CategoricalIndex) else known.astype(known.categories.dtype))
    if pd.api.types.is_bool_dtype(cells.dtype):
        words = cells.astype("string").str.lower()
    elif pd.api.types.is_numeric_dtype(cells.dtype):
        words = cells.map(_number_word, na_action="ignore").astype("string")
    else:
        words = cells.astype("string").str.strip().str.lower()
        words = words.where(words != "").replace({"1.0": "1", "0.0": "0", "01": "1", "00": "0"})
    word_codes, values = pd.factorize(words)
    # The code -1 of a blank cell finds the last of these.
    return np.append(word_codes, -1)[codes], [str(value) for value in values]


def values_and_blanks(column: "pd.Series[Any]") -> tuple[Indices, list[str]]:
    """Return `rating_values`, with "(blank)" beside a single rating where cells are blank.

    Where only fraud is marked, blank cells may be the other side.
    """
    codes, values = rating_values(column)
    if len(values) == 1 and (codes < 0).any():
        return np.where(codes < 0, 1, codes), [*values, BLANK]
    return codes, values


def written_ratings(column: "pd.Series[Any]") -> dict[str, str]:
    """Find how each different rating of a column is first written, by its lower-case word."""
    written: dict[str, str] = {}
    for cell in column.dropna().unique():
        if isinstance(cell, str):
            written.setdefault(cell.strip().lower(), cell.strip())
    return written


def _number_word(value: Any) -> str:
    """Write a number with all its digits, so that codes that differ have words that differ."""
    return shortest(value) if isinstance(value, float) else str(value)


def guess_meanings(values: Sequence[str], name: str = "") -> dict[str, Meaning | None]:
    """Return the certain meaning of each rating value, None where it must be asked.

    Words are known in five languages; 0/1, true/false and yes/no follow the column's name.
    """
    return {value: certain for value, (certain, _) in read_meanings(values, name).items()}


def read_meanings(values: Sequence[str], name: str = "") -> dict[str, tuple[Meaning | None, Meaning | None]]:
    """Return the certain and the likely meaning of each value; None without evidence."""
    yes_means, is_certain = polarity(name)
    flags = flag_values(values)
    found: dict[str, tuple[Meaning | None, Meaning | None]] = {}
    readings = {value: read_rating(value) for value in values if value not in flags}
    # "Approved" beside "rejected" may be of a payment or a suspicion; beside a finding it is likely the other side.
    is_found = any(reading.likely is not None and not reading.is_act for reading in readings.values())
    for value in values:
        if value in flags:
            meaning = yes_means if flags[value] else _OPPOSITE[yes_means]
            found[value] = (meaning if is_certain else None, meaning)
        else:
            reading = readings[value]
            found[value] = (reading.certain, reading.likely if is_found or not reading.is_act else None)
    if BLANK in found:
        # One mark beside blanks has the meaning of the name of its column.
        (mark,) = [value for value in found if value != BLANK]
        certain, likely = found[mark]
        other_side: dict[Meaning, Meaning] = {"positive": "negative", "negative": "undecided"}
        found |= {mark: (certain, likely or yes_means), BLANK: (None, other_side.get(likely or yes_means))}
    return _with_confirmed(found)


def polarity(name: str) -> tuple[Meaning, bool]:
    """Return the meaning of 1, true or yes by a column's name, and whether it is certain."""
    words = name_words(name)
    if not without_rating_fillers(words):
        return "positive", bool(set(words) & listed("label"))
    kinds = kinds_of_name(words)
    meaning = meaning_of_kinds(kinds)
    if meaning in _OPPOSITE:
        return meaning, not is_ambiguous_name(name)
    if set(words) & listed("label", "rating") and set(kinds) <= {UNKNOWN, "C"}:
        return "positive", False
    return ("negative" if set(kinds) & set("LGDX") and "F" not in kinds else "positive"), False


def is_ambiguous_name(name: str) -> bool:
    """Whether a name is "genuine" alone, which is what biometric systems call their positives."""
    words = name_words(name)
    return len(words) == 1 and words[0] in _OF_BIOMETRICS


_OPPOSITE: dict[Meaning, Meaning] = {"positive": "negative", "negative": "positive"}
_OF_BIOMETRICS = frozenset({"genuine", "genuino", "genuina", "authentic", "authentique"})


def _with_confirmed(
    found: dict[str, tuple[Meaning | None, Meaning | None]],
) -> dict[str, tuple[Meaning | None, Meaning | None]]:
    """Take "confirmed" for positive where another value is negative and none positive."""
    bare = [value for value in found if kinds_of(name_words(value)) == "C" and value.isalpha()]
    certain = {meaning for meaning, _ in found.values()}
    if len(bare) == 1 and "negative" in certain and "positive" not in certain:
        return found | {bare[0]: ("positive", "positive")}
    return found


def _given(
    name: object, codes: Indices, values: list[str], meanings: Mapping[str, Meaning], one_class: bool
) -> list[Meaning]:
    known = {str(value).strip().lower(): meaning for value, meaning in meanings.items()}
    for position, value in enumerate(values):
        if value not in known:
            raise DataError(
                f"Column '{name}' holds '{shortened(value)}' (from row {int((codes == position).argmax()) + 1:,} on) "
                "without a meaning; say whether it is positive, negative or undecided."
            )
    found = [known[value] for value in values]
    for meaning in ("positive", "negative"):
        if meaning not in found and not one_class:
            raise DataError(
                f"No value of column '{name}' ({_shown(values)}) means {meaning}; true and false positives are both "
                f"needed: say which value is {meaning}, or choose another rating column."
            )
    return found


def _certain(name: object, codes: Indices, values: list[str]) -> list[Meaning]:
    readings = read_meanings(values, str(name))
    certain = [meaning for meaning, _ in readings.values() if meaning is not None]
    if len(certain) == len(values) and {"positive", "negative"} <= set(certain):
        return certain
    # Usual codes: 1 is positive, unless the name means the opposite.
    flags = flag_values(values)
    if len(values) == 2 and sorted(flags.values()) == [False, True] and polarity(str(name))[0] == "positive":
        return ["positive" if flags[value] else "negative" for value in values]
    _require_two(name, codes, values)
    raise DataError(f"Column '{name}' holds {_shown(values)}; say which of the two means positive.")


def _require_two(name: object, codes: Indices, values: list[str]) -> None:
    if len(values) > 2:
        row = int((codes == 2).argmax()) + 1
        raise DataError(
            f"Column '{name}' holds {len(values):,} different ratings where two are expected ({_shown(values)}; "
            f"the third appears in row {row:,}); choose another rating column or say what each rating means."
        )
    if len(values) == 1:
        first = int((codes == 0).argmax()) + 1
        raise DataError(
            f"Column '{name}' holds only one rating, {_shown(values)} (from row {first:,} on); true and false "
            "positives are both needed."
        )


def _positive_value(name: object, values: list[str], positive: object) -> str:
    wanted = _number_word(positive) if isinstance(positive, int | float | np.number) else str(positive)
    wanted = wanted.strip().lower()
    if isinstance(positive, bool | np.bool_):
        wanted = str(bool(positive)).lower()
    if wanted in values:
        return wanted
    raise DataError(f"'{positive}' is not a rating in column '{name}'; it holds {_shown(values)}: choose one of them.")


def _shown(values: list[str]) -> str:
    shown = ", ".join(f"'{shortened(value)}'" for value in values[:4])
    return shown + (", …" if len(values) > 4 else "")
