"""Read scored items from a file or from pasted text, and guess what their columns mean."""

import re
from typing import Any

import numpy as np
import pandas as pd

from multiloss_core.errors import DataError
from multiloss_core.formatting import shortened
from multiloss_core.numerics.arrays import Floats
from multiloss_core.numerics.rounding import written_number
from multiloss_core.tables.column_values import is_numeric, numbers, sampled, sampled_numbers
from multiloss_core.tables.guess_columns import guess_columns
from multiloss_core.tables.guessing.column import area
from multiloss_core.tables.item_columns import (
    MAX_PASTED,
    ItemColumns,
    checked_probabilities,
    more_rows,
    outcome_column,
    require_few_items,
)
from multiloss_core.tables.rating_column import rating_values
from multiloss_core.tables.reading.read_file import read_table

_PROBABILITY_NAME = re.compile(r"prob|score|pred|proba|^p$|^p[_\s]|likelihood|chance|risk|eta\b|calibrated", re.I)
# Above the rounding of printed probabilities that add up to 1; and the area by chance.
ROUNDED, CHANCE = 0.011, 0.5
# Above the differences that chance explains in a table of many columns.
STANDARD_ERRORS = 5
_OTHER_NAME = re.compile(r"(^|[_\s])(id|uuid|number|row|index|date|time|day|timestamp|amount|weight)s?$", re.I)


def read_items(data: bytes, name: str) -> tuple[pd.DataFrame, ItemColumns]:
    """Read an uploaded CSV, Excel or Parquet file as a table, with a first guess at its columns.

    Raises DataError where no column can hold probabilities, with what is wrong with the likeliest one, where there are
    more than 1,000,000 rows, and as `read_table` does.
    """
    if not data.strip():
        raise DataError(f"'{name}' is empty; choose a file with a header and one row for each item.")
    frame = read_table(data, name)
    require_few_items(len(frame), f"'{name}'")
    return frame, guess_item_columns(frame)


def read_pasted(text: str) -> tuple[pd.DataFrame, ItemColumns]:
    """Read pasted text: one number per line, or a table with a header (commas or tabs).

    Raises DataError, naming the line, where it is neither, and as `read_items` does. At most 200,000 characters.
    """
    text = text.removeprefix("\ufeff")
    if len(text) > MAX_PASTED:
        raise DataError(
            f"The pasted text has {len(text):,} characters, more than the limit of {MAX_PASTED:,}; upload a file "
            "instead."
        )
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not lines:
        raise DataError("Nothing was pasted; paste one probability on each line, or a table with a header.")
    first = re.split(r"[\s,;|]+", lines[0][1])
    if not all(_is_number(cell) for cell in first if cell):
        return read_items(text.encode("utf-8", "replace"), "The pasted text")
    wrong = [(number, line) for number, line in lines if not _is_number(line)]
    if wrong:
        number, line = wrong[0]
        raise DataError(
            f"Line {number:,} of the pasted text is '{shortened(line)}'{more_rows(len(wrong))}, which is not one "
            "number; paste one number (with a decimal point) on each line, or a table whose first line names the "
            "columns."
        )
    frame = pd.DataFrame({"probability": [written_number(line) for _, line in lines]})
    return frame, guess_item_columns(frame)


def _is_number(text: str) -> bool:
    try:
        written_number(text)
    except ValueError:
        return False
    return True


def guess_item_columns(frame: pd.DataFrame) -> ItemColumns:
    """Guess the columns of probabilities and of outcomes from names and values.

    Outcomes whose name and words are unknown are recognised as the only column of two values that the probabilities
    predict. Raises DataError where no column is numeric, and where none has usable probabilities, with the fault of the
    likeliest. Of equally likely ones, such as those of both classes, it is the one that rises with the
    outcomes, and none where that does not decide.
    """
    numeric = [column for column in frame.columns if is_numeric(frame[column])]
    if not numeric:
        raise DataError(
            f"None of the {frame.shape[1]} columns ('{shortened(frame.columns[0])}', …) is numeric; add a column with "
            "the probability of each item, from 0 to 1."
        )
    likeliness = {column: _likeliness(frame[column]) for column in numeric}
    likeliest, *less_likely = sorted(numeric, key=lambda column: -likeliness[column])
    try:
        checked_probabilities(frame[likeliest])
    except DataError:
        # With another column to choose, the user can put it right on the page.
        if not any(_usable(frame[column]) for column in less_likely):
            raise
    others = frame.drop(columns=likeliest)
    guess = guess_columns(others) if others.shape[1] else None
    # A constant column is too little evidence of outcomes.
    if (
        guess is None
        or guess.rating is None
        or others[guess.rating].nunique() != 2
        or {"rating", "meanings"} & guess.unsure
    ):
        rivals = _rivals(frame, likeliness)
        outcome = _predicted(others, sampled_numbers(frame[likeliest])) if len(rivals) == 1 else None
        return ItemColumns(_rising(frame, rivals, None), *outcome or ())
    outcomes = outcome_column(others, guess.rating, guess.positive)
    return ItemColumns(_rising(frame, _rivals(frame, likeliness), outcomes), guess.rating, guess.positive)


def _predicted(others: pd.DataFrame, probabilities: Floats) -> tuple[str, str] | None:
    """Find the column of two values that the probabilities predict, and its more probable value.

    None unless it is the only one. A column that they separate perfectly is a decision, not an outcome.
    """
    found, few = [], sampled(others)
    for name in others.columns:
        values = rating_values(few[name])[1]
        if len(values) != 2:
            continue
        is_second = outcome_column(few, name, values[1])
        second, known = np.nansum(is_second), np.isfinite(is_second).sum()
        pairs = second * (known - second)
        share = area(probabilities, is_second)
        # The standard error of the area by chance.
        if 0 < share < 1 and pairs and abs(share - CHANCE) > STANDARD_ERRORS * np.sqrt((known + 1) / (12 * pairs)):
            found.append((str(name), values[int(share > CHANCE)]))
    is_clear = len(found) == 1 and len(rating_values(others[found[0][0]])[1]) == 2
    return found[0] if is_clear else None


def _rivals(frame: pd.DataFrame, likeliness: dict[str, float]) -> list[str]:
    """List the likeliest probability column, its rivals and its complements."""
    first = max(likeliness, key=lambda column: likeliness[column])
    of_first = sampled_numbers(frame[first])

    def may_be(column: str) -> bool:
        is_complement = np.nanmax(np.abs(of_first + sampled_numbers(frame[column]) - 1), initial=0.0) < ROUNDED
        return (likeliness[column] == likeliness[first] or is_complement) and _usable(frame[column])

    return [first, *(column for column in likeliness if column != first and may_be(column))]


def _rising(frame: pd.DataFrame, rivals: list[str], outcomes: Floats | None) -> str | None:
    """Return the first rival higher for positives than negatives; None if not known."""
    if len(rivals) == 1:
        return str(rivals[0])
    known = np.full(len(frame), np.nan) if outcomes is None else outcomes
    return next((str(name) for name in rivals if area(numbers(frame[name])[0], known) > CHANCE), None)


def _likeliness(column: "pd.Series[Any]") -> float:
    """Rate a numeric column as probabilities by its name and values."""
    values = sampled_numbers(column)
    within = float(np.mean((values >= 0.0) & (values <= 1.0)))
    # Outcomes lie between 0 and 1, too.
    whole = bool(np.all((values == np.rint(values)) | np.isnan(values)))
    return (
        3.0 * within * (not whole)
        + 2.0 * bool(_PROBABILITY_NAME.search(str(column.name)))
        - 2.0 * bool(_OTHER_NAME.search(str(column.name)))
        - whole
    )


def _usable(column: "pd.Series[Any]") -> bool:
    try:
        values = checked_probabilities(column)
    except DataError:
        return False
    return not np.all(values == np.rint(values))
