"""Find the column that identifies documents which stand in several rows."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from multiloss_core.formatting import shortened
from multiloss_core.numerics.arrays import Indices
from multiloss_core.tables.guessing.column import Column
from multiloss_core.tables.guessing.other_roles import is_dated
from multiloss_core.tables.repeated_rows import RepeatedRows
from multiloss_core.tables.vocabulary import group_rank, listed

# An identifier has at least this many values; of those that repeat, this share has the same scores in all rows.
MIN_DOCUMENTS, SAME_SCORES = 10, 0.9
MANY, ENDINGS = 200_000, 16


def guess_repeats(
    frame: pd.DataFrame, columns: Sequence[Column], scores: Sequence[str]
) -> tuple[RepeatedRows | None, str]:
    """Find documents whose rows differ, as in exports with a row for each status or annotator.

    Returns which of their rows count, None without any, and the reason to ask.

    Columns named after alerts or transactions identify them, and other identifiers where rows with the same one have
    the same scores. Rows that are equal in all columns are no statuses. O(n) for each such column.
    """
    named = [column for column in columns if _may_identify(column) and column.name not in scores]
    by_document = [column for column in named if _is_document(column)]
    repeating = [column for column in named if _occurs_again(frame[column.name])]
    rows_are_documents = any(column not in repeating for column in by_document)
    for column in repeating:
        cells = frame[column.name]
        if not (column.is_text or pd.api.types.is_integer_dtype(cells.dtype)) or is_dated(column):
            continue
        codes = pd.factorize(cells)[0]
        repeated = np.flatnonzero((codes >= 0) & (np.bincount(codes + 1)[codes + 1] > 1))
        documents = int(codes.max()) + 1
        if documents < MIN_DOCUMENTS or not repeated.size:
            continue
        part = frame.iloc[repeated]
        different = bool(part.drop_duplicates()[column.name].duplicated().any())
        same = _share_of_same(frame, codes, repeated, scores)
        is_document = column in by_document and not rows_are_documents
        if not different or (same < SAME_SCORES and not is_document):
            continue
        doubt = (
            f"{documents:,} values of '{shortened(column.name)}' stand in {int((codes >= 0).sum()):,} rows, which "
            "differ: an alert may be there once for each status or rating"
        )
        by = _latest(frame, columns, codes, repeated)
        return RepeatedRows(identifier=column.name, keep="last", by=by), doubt
    return None, ""


def document_columns(columns: Sequence[Column]) -> tuple[str, ...]:
    """List the columns that identify documents by their names."""
    return tuple(column.name for column in columns if _may_identify(column) and _is_document(column))


def _occurs_again(cells: "pd.Series[Any]") -> bool:
    """Whether a value occurs twice: of very many, among those with the ending of the first."""
    if len(cells) > MANY and not isinstance(cells.dtype, pd.CategoricalDtype):
        first = cells.iloc[0]
        if isinstance(first, str) and first:
            cells = cells[cells.str.endswith(first[-1]).fillna(False).astype(bool)]
        elif pd.api.types.is_integer_dtype(cells.dtype):
            cells = cells[cells % ENDINGS == first % ENDINGS]
    return not cells.is_unique


def _is_document(column: Column) -> bool:
    return bool(set(column.words) & listed("document"))


def _may_identify(column: Column) -> bool:
    words = set(column.words)
    is_other = group_rank(column.words) is not None or bool(words & listed("entities", "group", "no_document"))
    return bool(words & listed("document", "part_of_documents", "identifiers")) and not is_other


def _share_of_same(frame: pd.DataFrame, codes: Indices, repeated: Indices, scores: Sequence[str]) -> float:
    """Compute the share of repeated documents with one value of each score."""
    part = frame[[*scores]].iloc[repeated]
    distinct = part.groupby(codes[repeated]).nunique()
    return float((distinct <= 1).all(axis=1).mean()) if len(scores) else 0.0


def _latest(frame: pd.DataFrame, columns: Sequence[Column], codes: Indices, repeated: Indices) -> str | None:
    """Find times that differ between the rows of a document, preferably of its last change."""
    dated = [column for column in columns if is_dated(column)]
    dated.sort(key=lambda column: not set(column.words) & listed("other_time"))
    for column in dated:
        pairs = pd.DataFrame({"document": codes[repeated], "time": frame[column.name].iloc[repeated].to_numpy()})
        if pairs.drop_duplicates()["document"].duplicated().any():
            return column.name
    return None
