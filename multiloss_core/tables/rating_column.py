"""What people wrote into the rating column, read as positive, negative or not rated."""

from typing import Any

import numpy as np
import pandas as pd

from multiloss_core.errors import DataError
from multiloss_core.formatting import shortened
from multiloss_core.numerics.arrays import Floats, Indices

POSITIVE_WORDS = frozenset(
    {"1", "true", "t", "yes", "y", "fraud", "fraudulent", "positive", "pos", "bad", "abuse", "spam", "scam"}
    | {"confirmed", "tp", "true positive"}
)
NEGATIVE_WORDS = frozenset(
    {"0", "false", "f", "no", "n", "ok", "okay", "good", "legit", "legitimate", "negative", "neg", "benign"}
    | {"clean", "ham", "nonfraud", "non-fraud", "not fraud", "no fraud", "fp", "false positive"}
)


def parse_ratings(column: "pd.Series[Any]", positive: object | None = None) -> Floats:
    """Read ratings as 1 (positive), 0 (negative) or NaN (blank: not rated), shape (n,).

    Two distinct values are expected. `positive` names the one that means positive, in any case; left out, it is taken
    from 0/1, true/false or the usual words.

    Raises
    ------
    DataError : all blank, one value only, three values or more, or a positive value that is not clear.
    """
    codes, values = rating_values(column)
    name = column.name
    if not values:
        raise DataError(f"All {len(column):,} rows of '{name}' are blank; choose the column that holds the ratings.")
    if len(values) > 2:
        row = int((codes == 2).argmax()) + 1
        raise DataError(
            f"Column '{name}' holds {len(values):,} different ratings where two are expected ({_shown(values)}; "
            f"the third appears in row {row:,}); choose another rating column or blank the ratings that are unsure."
        )
    if len(values) == 1:
        first = int((codes == 0).argmax()) + 1
        raise DataError(
            f"Column '{name}' holds only one rating, {_shown(values)} (from row {first:,} on); true and false "
            "positives are both needed."
        )
    which = values.index(_positive_value(name, values, positive))
    return np.where(codes < 0, np.nan, codes == which)


def rating_values(column: "pd.Series[Any]") -> tuple[Indices, list[str]]:
    """Each row's index (-1: blank) into a column's distinct ratings, lower-case words in order of appearance."""
    if pd.api.types.is_bool_dtype(column.dtype):
        words = column.astype("string").str.lower()
    elif pd.api.types.is_numeric_dtype(column.dtype):
        words = column.map(lambda value: f"{value:g}", na_action="ignore").astype("string")
    else:
        words = column.astype("string").str.strip().str.lower()
        words = words.where(words != "").replace({"1.0": "1", "0.0": "0"})
    codes, values = pd.factorize(words)
    return np.asarray(codes), [str(value) for value in values]


def guess_positive(values: list[str]) -> str | None:
    """Find which of two ratings is the positive, when usual words make it clear."""
    positives = [value for value in values if value in POSITIVE_WORDS]
    negatives = [value for value in values if value in NEGATIVE_WORDS]
    if len(positives) == 1:
        return positives[0]
    if len(negatives) == 1:
        return next((value for value in values if value != negatives[0]), None)
    return None


def _positive_value(name: object, values: list[str], positive: object | None) -> str:
    if positive is not None:
        wanted = f"{positive:g}" if isinstance(positive, int | float) else str(positive)
        wanted = wanted.strip().lower()
        if isinstance(positive, bool | np.bool_):
            wanted = str(bool(positive)).lower()
        if wanted in values:
            return wanted
        raise DataError(
            f"'{positive}' is not a rating in column '{name}'; it holds {_shown(values)}: choose one of them."
        )
    guess = guess_positive(values)
    if guess is None:
        raise DataError(f"Column '{name}' holds {_shown(values)}; say which of the two means positive.")
    return guess


def _shown(values: list[str]) -> str:
    shown = ", ".join(f"'{shortened(value)}'" for value in values[:4])
    return shown + (", …" if len(values) > 4 else "")
