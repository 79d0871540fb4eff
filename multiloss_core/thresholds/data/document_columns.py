"""Read scores, weights and undecided documents from the columns of a table."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from multiloss_core.errors import DataError
from multiloss_core.formatting import MINUS, percent, plural, shortened
from multiloss_core.numerics.arrays import Bools, Floats, Indices
from multiloss_core.tables.column_values import are_weights, base_of, column_of, numbers, require_usable, sampled
from multiloss_core.tables.dataframes import as_frame
from multiloss_core.tables.yes_no import rule_cells
from multiloss_core.thresholds.data.document_checks import quoted_names
from multiloss_core.thresholds.data.undecided_documents import UndecidedDocuments

# Share of the weight from which a group is named, at least this multiple of the mean group's.
HEAVY_GROUP, HEAVY_OF_MEAN = 0.08, 3.0
# Minimum share of distinct values of an identifier among the rows that differ.
IDENTIFIES = 0.9


def with_columns(table: Any, wanted: Sequence[str]) -> pd.DataFrame:
    """Return a table that has the wanted columns as a DataFrame. Raises DataError."""
    frame = as_frame(table)
    if frame.empty:
        raise DataError("The table has no rows; choose a file with a header and at least two rated rows.")
    repeated = frame.columns[frame.columns.duplicated()]
    if len(repeated):
        raise DataError(f"Column name '{repeated[0]}' occurs more than once; rename one of them.")
    for column in wanted:
        if base_of(frame, column) is None:
            raise DataError(f"There is no column '{column}'; the table has {quoted_names(frame.columns[:8])}.")
        if column.startswith(MINUS) and column in frame.columns:
            raise DataError(f"Column '{column}' is named like an inverted score; rename it to distinguish the two.")
    for position, column in enumerate(wanted):
        if column in wanted[:position]:
            raise DataError(
                f"Column '{column}' was chosen twice; scores, rating, weight and group must be different columns."
            )
    return frame


def read_scores(
    frame: pd.DataFrame, scores: Sequence[str], rows: Indices, alert_rules: int = 0
) -> tuple[Floats, Bools, Bools]:
    """Read scores (n, k), -inf where blank, and which of them are blank or unusable.

    Alert rules, the last ones, are read by `rule_cells`: a blank is 0.
    """
    table = np.empty((rows.size, len(scores)), order="F")
    blank = np.zeros(table.shape, dtype=bool)
    unusable = np.zeros(table.shape, dtype=bool)
    for j, name in enumerate(scores):
        cells = rows_of_column(frame, name, rows)
        if j < len(scores) - alert_rules:
            table[:, j], blank[:, j], unusable[:, j] = numbers(cells)
        else:
            table[:, j], unusable[:, j] = rule_cells(cells)
    table[blank] = -np.inf
    return table, blank, unusable


def without_score(table: Floats, alert_rules: int) -> Bools:
    """Find documents (n,) of a table (n, k) with no score and no alert rule that is on."""
    scored = table.shape[1] - alert_rules
    return np.asarray(np.isneginf(table[:, :scored]).all(axis=1) & ~(table[:, scored:] == 1).any(axis=1))


def score_notes(scores: Sequence[str], rows: Indices, unusable: Bools, blank: Bools, empty: Bools) -> Iterator[str]:
    """Count the rows without a usable score, and those with a blank beside another score."""
    beside = blank & ~(unusable.any(axis=1) | empty)[:, np.newaxis]
    for mask, words in (
        (unusable, "with a score that is not a finite number {were} left out"),
        (blank & empty[:, np.newaxis], "with no score {were} left out"),
        (beside, "with a blank beside another score {were} kept; the blank reaches no threshold"),
    ):
        if mask.any():
            row, column = np.argwhere(mask)[0]
            count = int(mask.any(axis=1).sum())
            yield (
                f"{plural(count, 'row')} {words.format(were=were(count))} "
                f"(first: row {rows[row] + 1:,}, column '{scores[column]}')."
            )


def were(count: int) -> str:
    """Return "was" for one, else "were"."""
    return "was" if count == 1 else "were"


def rows_of_column(frame: pd.DataFrame, name: str, rows: Indices) -> "pd.Series[Any]":
    """Take some rows of a column, which may be derived."""
    return column_of(frame, name).iloc[rows]


def undecided_alerts(
    frame: pd.DataFrame,
    scores: Sequence[str],
    weight: str | None,
    waiting: Indices,
    floors: Floats,
    alert_rules: int = 0,
) -> UndecidedDocuments:
    """Keep undecided rows that are alerts: usable scores and weight, one score at its floor."""
    table, _, unusable = read_scores(frame, scores, waiting, alert_rules)
    weights = np.ones(waiting.size) if weight is None else numbers(rows_of_column(frame, weight, waiting))[0]
    kept = ~unusable.any(axis=1) & (table >= floors).any(axis=1) & are_weights(weights)
    return UndecidedDocuments(scores=table[kept], weights=weights[kept], rows=waiting[kept])


def undecided_note(label: str, rows: int, alerts: int) -> str:
    """Describe the treatment of undecided rows."""
    note = f"{plural(rows, 'row', 'are')} undecided in '{label}': neither true nor false positives"
    if alerts == rows:
        return f"{note}, but alerts."
    return f"{note}; {alerts:,} of them count as alerts, the others have no usable score at or above a floor."


def read_weights(frame: pd.DataFrame, weight: str | None, rows: Indices) -> Floats | None:
    """Read the weights of rows. Raises DataError for one that is not above 0."""
    if weight is None:
        return None
    column = rows_of_column(frame, weight, rows)
    values, _, _ = numbers(column)
    way_out = "correct these weights or choose no weight column"
    require_usable(column, are_weights(values), rows, expected="numbers above 0", way_out=way_out)
    return values


def repeated_rows_note(frame: pd.DataFrame) -> Iterator[str]:
    """Count repeated rows in a note, where a column identifies them."""
    repeats, identifier = _repeated_rows(frame)
    if repeats:
        yield (
            f"{plural(repeats, 'row', 'are')} identical to an earlier one in every column, "
            f"'{shortened(identifier)}' included, and counted again; leave out repeated rows to count each once."
        )


def _repeated_rows(frame: pd.DataFrame) -> tuple[int, str]:
    """Count duplicate rows, and name the column that identifies the others.

    0 where no column does: without an identifier, different documents may be alike. O(n).
    """
    for name in frame.columns:
        kind = frame[name].dtype
        if pd.api.types.is_float_dtype(kind) or pd.api.types.is_bool_dtype(kind):
            continue
        some = sampled(frame[name]).dropna()
        if 2 * some.nunique() < IDENTIFIES * len(some) or not len(some):
            continue
        if frame[name].is_unique:
            return 0, ""
        repeats = frame.duplicated().to_numpy()
        different = frame.loc[~repeats, name]
        if repeats.any() and different.nunique() >= IDENTIFIES * len(different):
            return int(repeats.sum()), str(name)
    return 0, ""


def heavy_group_note(column: "pd.Series[Any]", groups: Indices, weights: Floats | None) -> list[str]:
    """Name a group that has much of the weight, in a note; `groups` (n,)."""
    sizes = np.bincount(groups, weights)
    shares = sizes / sizes.sum()
    largest = int(shares.argmax())
    if shares[largest] < max(HEAVY_GROUP, HEAVY_OF_MEAN / shares.size):
        return []
    value = column.iloc[int((groups == largest).argmax())]
    return [
        f"'{shortened(value)}' in '{column.name}' has {percent(shares[largest])} of the rated weight: what new data "
        "show depends on it, and intervals may be too narrow."
    ]
