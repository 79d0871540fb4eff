"""Items with a probability each, and the outcome of those whose outcome is known: from a table, checked."""

import io
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from multiloss_core.errors import DataError
from multiloss_core.numerics.arrays import Bools, Floats
from multiloss_core.tables.guess_columns import guess_columns
from multiloss_core.tables.rating_column import NEGATIVE_WORDS, POSITIVE_WORDS, parse_ratings, rating_values
from multiloss_core.tables.read_table import read_frame

MAX_ITEMS = 1_000_000
MAX_PASTED = 200_000
_GUESSED_FROM = 10_000
_PROBABILITY_NAME = re.compile(r"prob|score|pred|proba|^p$|^p[_\s]|likelihood|chance|risk|eta\b|calibrated", re.I)
_LEADING_ZERO = re.compile(rb"[,;\t|\"\n]0\d+[,;\t|\"\r\n]")
_IDENTIFIER_NAME = re.compile(r"(^|[_\s])(id|uuid|number|row|index|date|time|day|timestamp|amount|weight)s?$", re.I)


@dataclass(frozen=True, eq=False)
class ScoredItems:
    """n items, each with the probability that it is positive.

    `probabilities` (n,) in [0, 1]. `labels` (n,) bool, or None where no outcome is known; where `labelled` (n,) bool is
    False the outcome is unknown and the label is False. Left out, all labels are known. Raises DataError unless all
    of this holds.
    """

    probabilities: Floats
    labels: Bools | None = None
    labelled: Bools | None = None

    def __post_init__(self) -> None:
        probabilities = np.asarray(self.probabilities, dtype=np.float64)
        if probabilities.ndim != 1 or not probabilities.size:
            raise DataError("There are no probabilities; give at least one.")
        _require_few(probabilities.size)
        if not np.all((probabilities >= 0.0) & (probabilities <= 1.0)):
            raise DataError("Probabilities must be numbers between 0 and 1.")
        object.__setattr__(self, "probabilities", probabilities)
        if self.labels is None:
            object.__setattr__(self, "labelled", None)
            return
        labels = np.asarray(self.labels, dtype=bool)
        labelled = np.ones(labels.shape, bool) if self.labelled is None else np.asarray(self.labelled, dtype=bool)
        if not labels.shape == labelled.shape == probabilities.shape:
            raise DataError(f"{labels.size:,} labels do not fit {probabilities.size:,} probabilities; give one each.")
        object.__setattr__(self, "labels", labels & labelled)
        object.__setattr__(self, "labelled", labelled)

    @classmethod
    def from_frame(
        cls, frame: pd.DataFrame, *, probability: str, label: str | None = None, positive: object | None = None
    ) -> "ScoredItems":
        """The items of a table: one row each, at most 1,000,000.

        `probability` names the column with numbers in [0, 1]; `label` one with two values (0/1, true/false, two words),
        of which `positive` is the positive one where that is not obvious; blank labels are unknown. A label column
        with a single value is taken when it is clear which one it is. Raises DataError, naming column and row.
        """
        _require_few(len(frame))
        if not len(frame):
            raise DataError("The table has no rows; give at least one item with its probability.")
        probabilities = checked_column(_column(frame, probability, "probability"))
        if label is None:
            return cls(probabilities)
        known = _labels(_column(frame, label, "label"), positive)
        labelled = ~np.isnan(known)
        return cls(probabilities, known == 1, labelled)

    @property
    def known_probabilities(self) -> Floats:
        """The probabilities (m,) of the items whose outcome is known."""
        return self.probabilities[:0] if self.labelled is None else self.probabilities[self.labelled]

    @property
    def known_labels(self) -> Bools:
        """The outcomes (m,) of those items."""
        return np.zeros(0, bool) if self.labels is None or self.labelled is None else self.labels[self.labelled]


@dataclass(frozen=True)
class ItemColumns:
    """What the columns of a table of scored items mean."""

    probability: str
    label: str | None = None
    positive: str | None = None


def read_items(data: bytes, name: str) -> tuple[pd.DataFrame, ItemColumns]:
    """An uploaded CSV or Parquet file as a table, and a first guess at its columns.

    Raises DataError where no column can hold probabilities, with what is wrong with the likeliest one, where there are
    more than 1,000,000 rows, and as `read_frame` does.
    """
    if not data.strip():
        raise DataError(f"'{name}' is empty; choose a file with a header and one row for each item.")
    frame = read_frame(data, name)
    _require_few(len(frame), name)
    if all(_is_number(str(column)) for column in frame.columns):
        raise DataError(
            f"The first row of '{name}' holds only numbers ('{frame.columns[0]}', …) where the names of the columns are "
            "expected; put a header such as 'probability' above it."
        )
    choice = guess_item_columns(frame)
    return _with_leading_zeros(frame, data, choice), choice


def read_pasted(text: str) -> tuple[pd.DataFrame, ItemColumns]:
    """Pasted text as a table: one number on each line, or a table with a header (commas or tabs).

    Raises DataError, naming the line, where it is neither, and as `read_items` does. At most 200,000 characters.
    """
    if len(text) > MAX_PASTED:
        raise DataError(
            f"The pasted text has {len(text):,} characters, more than the limit of {MAX_PASTED:,}; upload a file instead."
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
            f"Line {number:,} of the pasted text is '{line[:40]}'{_more(len(wrong))}, which is not one number; paste one "
            "number (with a decimal point) on each line, or a table whose first line names the columns."
        )
    frame = pd.DataFrame({"probability": [float(line) for _, line in lines]})
    return frame, guess_item_columns(frame)


def guess_item_columns(frame: pd.DataFrame) -> ItemColumns:
    """Guess which column holds the probabilities, and which one the outcomes, from names and values.

    Raises DataError where no column is numeric, and where none has usable probabilities: then it says what is wrong
    with the likeliest one.
    """
    numeric = [column for column in frame.columns if _mostly_numbers(frame[column])]
    if not numeric:
        raise DataError(
            f"None of the {frame.shape[1]} columns ('{str(frame.columns[0])[:40]}', …) is numeric; add a column with the "
            "probability of each item, from 0 to 1."
        )
    likeliness = {column: _likeliness(frame[column]) for column in numeric}
    ranked = sorted(numeric, key=lambda column: -likeliness[column])
    likeliest = ranked[0]
    try:
        checked_column(frame[likeliest])
    except DataError:
        # With another column to choose, the reader can put it right on the page.
        if not any(_usable(frame[column]) for column in ranked[1:]):
            raise
    others = frame.drop(columns=likeliest)
    guess = guess_columns(others) if others.shape[1] else None
    # A constant column says too little to be taken for outcomes without being asked to.
    if guess is None or guess.rating is None or guess.positive is None or others[guess.rating].nunique() != 2:
        return ItemColumns(str(likeliest))
    return ItemColumns(str(likeliest), guess.rating, guess.positive)


def checked_column(column: "pd.Series[Any]") -> Floats:
    """A column as probabilities (n,). DataError unless every row is a number in [0, 1]."""
    name = column.name
    if pd.api.types.is_bool_dtype(column.dtype):
        raise DataError(f"Column '{name}' holds true and false, not probabilities; choose a column of numbers.")
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        raise DataError(f"Column '{name}' holds dates, not probabilities; choose a column of numbers.")
    numbers = (
        column.to_numpy(dtype=np.float64, na_value=np.nan)
        if pd.api.types.is_numeric_dtype(column.dtype)
        else pd.to_numeric(column.astype("object"), errors="coerce").to_numpy(dtype=np.float64)
    )
    _require_finite(column, numbers)
    outside = np.flatnonzero((numbers < 0.0) | (numbers > 1.0))
    if outside.size:
        row = int(outside[0])
        way_out = (
            "these look like percentages: divide by 100"
            if numbers.min() >= 0.0 and numbers.max() <= 100.0 and np.mean(numbers > 1.0) > 0.25
            else "correct these rows or choose another column"
        )
        raise DataError(
            f"Column '{name}' holds {numbers[row]:g} in row {row + 1:,}{_more(outside.size)} where a "
            f"probability from 0 to 1 is expected; {way_out}."
        )
    return numbers


def _require_few(rows: int, name: str = "The table") -> None:
    if rows > MAX_ITEMS:
        shown = name if name.startswith("The ") else f"'{name}'"
        raise DataError(
            f"{shown} has {rows:,} rows, more than the limit of {MAX_ITEMS:,}; split it, or keep the rows that matter."
        )


def _column(frame: pd.DataFrame, name: str, purpose: str) -> "pd.Series[Any]":
    if name not in frame.columns:
        shown = ", ".join(f"'{str(column)[:40]}'" for column in frame.columns[:6])
        raise DataError(f"There is no column '{name}' for the {purpose}; the table has {shown}: choose one of them.")
    occurrences = list(frame.columns).count(name)
    if occurrences > 1:
        raise DataError(f"Column name '{name}' occurs {occurrences} times; rename all but one.")
    return frame[name]


def _labels(column: "pd.Series[Any]", positive: object | None) -> Floats:
    codes, values = rating_values(column)
    if len(values) != 1:
        return parse_ratings(column, positive)
    # All outcomes alike: nothing is wrong with that in a small or a rare sample.
    only, wanted = values[0], None if positive is None else str(positive).strip().lower()
    if only not in POSITIVE_WORDS | NEGATIVE_WORDS and only != wanted:
        raise DataError(
            f"All labels in column '{column.name}' are '{only[:40]}', and it is not clear whether that is positive; write "
            "1 or 0 instead, or choose no label column."
        )
    return np.where(codes < 0, np.nan, float(only == wanted or (wanted is None and only in POSITIVE_WORDS)))


def _require_finite(column: "pd.Series[Any]", numbers: Floats) -> None:
    unusable = np.flatnonzero(~np.isfinite(numbers))
    if not unusable.size:
        return
    row = int(unusable[0])
    cell = column.iloc[row]
    if pd.isna(cell) or (isinstance(cell, str) and not cell.strip()):
        found = "is blank"
    elif isinstance(cell, str) and not np.isinf(numbers[row]):
        found = f"holds '{cell[:40]}', which is no number,"
    else:
        found = "holds an infinite number"
    decimal = isinstance(cell, str) and re.fullmatch(r"\s*\d*,\d+\s*", cell)
    percent = isinstance(cell, str) and cell.strip().endswith("%")
    way_out = (
        "write it with a decimal point"
        if decimal
        else "write percentages as numbers from 0 to 1"
        if percent
        else "correct or remove these rows, or choose another column"
    )
    raise DataError(f"Column '{column.name}' {found} in row {row + 1:,}{_more(unusable.size)}; {way_out}.")


def _more(count: int) -> str:
    return "" if count == 1 else f" (and {count - 1:,} more row{'s' if count > 2 else ''} like it)"


def _mostly_numbers(column: "pd.Series[Any]") -> bool:
    if pd.api.types.is_bool_dtype(column.dtype) or pd.api.types.is_datetime64_any_dtype(column.dtype):
        return False
    if pd.api.types.is_numeric_dtype(column.dtype):
        return True
    sample = _sample(column).astype("object")
    return bool(pd.to_numeric(sample, errors="coerce").notna().mean() > 0.5)


def _likeliness(column: "pd.Series[Any]") -> float:
    """How much a numeric column looks like probabilities: by its name and its values."""
    numbers = pd.to_numeric(_sample(column).astype("object"), errors="coerce").to_numpy(dtype=np.float64)
    within = float(np.mean((numbers >= 0.0) & (numbers <= 1.0)))
    # Outcomes lie between 0 and 1, too.
    whole = bool(np.all((numbers == np.rint(numbers)) | np.isnan(numbers)))
    return (
        3.0 * within * (not whole)
        + 2.0 * bool(_PROBABILITY_NAME.search(str(column.name)))
        - 2.0 * bool(_IDENTIFIER_NAME.search(str(column.name)))
        - whole
    )


def _usable(column: "pd.Series[Any]") -> bool:
    try:
        numbers = checked_column(column)
    except DataError:
        return False
    return not np.all(numbers == np.rint(numbers))


def _sample(column: "pd.Series[Any]") -> "pd.Series[Any]":
    return column.iloc[np.linspace(0, len(column) - 1, min(len(column), _GUESSED_FROM)).astype(np.intp)]


def _with_leading_zeros(frame: pd.DataFrame, data: bytes, choice: ItemColumns) -> pd.DataFrame:
    """Keep whole numbers such as 00123, which identify something, as they stand in a CSV file."""
    if data[:4] == b"PAR1" or not _LEADING_ZERO.search(data):
        return frame
    first_line = data.lstrip(b"\r\n").split(b"\n", 1)[0].decode("utf-8", "replace")
    try:
        text = pd.read_csv(
            io.BytesIO(data),
            sep=max(",;\t|", key=first_line.count),
            names=[str(column) for column in frame.columns],
            header=0,
            dtype=str,
            encoding="utf-8-sig",
        )
    except (ValueError, pd.errors.ParserError):
        return frame
    if len(text) != len(frame):
        return frame
    kept = [
        column
        for column in text.columns
        if column not in (choice.probability, choice.label)
        and pd.api.types.is_numeric_dtype(frame[column].dtype)
        and text[column].str.fullmatch(r"0\d+").any()
    ]
    return frame.assign(**{column: text[column] for column in kept})


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
