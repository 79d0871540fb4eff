"""Read cells of yes and no: booleans, 0 and 1, Y and N, HIT beside blanks."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from multiloss_core.numerics.arrays import Bools, Floats
from multiloss_core.tables.column_values import numbers, trimmed
from multiloss_core.tables.vocabulary import yes_no_cells

# A column of yes and no has few words, in few spellings.
MAX_WORDS = 12


@lru_cache
def raised_words() -> tuple[frozenset[str], frozenset[str]]:
    """Give the lower-case cells of an alert rule that say yes, and those that say no."""
    yes, no = (
        frozenset().union(*map(yes_no_cells, lists))
        for lists in (("yes", "yes_letters", "raised"), ("no", "no_letters", "not_raised"))
    )
    return yes, no | {""}


def flag_values(values: Sequence[str]) -> dict[str, bool]:
    """Find which ratings, in lower case, say yes (True) and which no (False)."""
    yes, no = yes_no_cells("yes"), yes_no_cells("no")
    flags = {value: value in yes for value in values if value in yes | no}
    letters = {value for value in values if len(value) == 1 and value.isalpha()}
    # "f" may be "fraud": letters say yes and no only side by side, and of one language.
    if letters in ({"y", "n"}, {"j", "n"}, {"o", "n"}, {"s", "n"}, {"t", "f"}):
        flags |= {value: value in yes_no_cells("yes_letters") for value in letters}
    digits = {value for value in values if value.lstrip("-").isdecimal()}
    # Beside a third number, 0 and 1 are codes as it is.
    return {value: is_yes for value, is_yes in flags.items() if value not in digits or digits <= {"0", "1"}}


def rule_cells(column: "pd.Series[Any]") -> tuple[Floats, Bools]:
    """Read an alert rule as 1 and 0 (n,), and which cells (n,) are neither; a blank is 0.

    Cells are booleans, numbers, or words of yes and no in any case.
    """
    codes, cells = pd.factorize(column)
    yes, no = raised_words()
    known = pd.Series(cells.astype(cells.categories.dtype) if isinstance(cells, pd.CategoricalIndex) else cells)
    words = [trimmed(str(cell)).lower() for cell in known.to_list()]
    values, blank, unusable = numbers(known.astype("object") if pd.api.types.is_bool_dtype(known.dtype) else known)
    is_yes, is_no = np.isin(words, [*yes]), np.isin(words, [*no]) | blank
    values = np.where(is_yes, 1.0, np.where(is_no, 0.0, values))
    return np.append(values, 0.0)[codes], np.append(unusable & ~is_yes & ~is_no, False)[codes]


def is_yes_no(column: "pd.Series[Any]") -> bool:
    """Return whether the filled cells of a column all say yes or no, and some say yes."""
    if pd.api.types.is_bool_dtype(column.dtype):
        return True
    distinct = column.dropna().unique()
    if not 0 < len(distinct) <= MAX_WORDS:
        return False
    values, unusable = rule_cells(pd.Series(distinct))
    return not unusable.any() and bool(np.isin(values, (0, 1)).all() and values.any())


def only_word(column: "pd.Series[Any]") -> str | None:
    """Return the word of a column that holds one word beside blanks, else None; no word for no."""
    words = {trimmed(str(cell)) for cell in column.dropna().unique()[: MAX_WORDS + 1]} - {""}
    has_blanks = bool(column.isna().any()) or bool((column.astype("str").str.strip() == "").any())
    is_no = {word.lower() for word in words} <= raised_words()[1]
    return words.pop() if len(words) == 1 and has_blanks and not is_no else None
