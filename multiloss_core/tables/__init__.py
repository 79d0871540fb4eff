"""Bytes to tables to columns and back; hostile input stops here."""

from multiloss_core.tables.amount_column import document_amounts
from multiloss_core.tables.derived_column import MINUS, RECIPROCAL, column_of
from multiloss_core.tables.guess_columns import (
    ColumnGuess,
    find_falling,
    guess_columns,
    is_count_table,
    require_documents,
)
from multiloss_core.tables.item_columns import MAX_ITEMS, MAX_PASTED, ItemColumns, read_items, read_pasted
from multiloss_core.tables.rating_column import Meaning, guess_meanings, rating_values
from multiloss_core.tables.read_table import LARGEST_FILE
from multiloss_core.tables.segment_column import document_segments
from multiloss_core.tables.spreadsheet_csv import frame_as_csv
from multiloss_core.tables.time_column import Times, document_times

__all__ = [
    "LARGEST_FILE",
    "MAX_ITEMS",
    "MAX_PASTED",
    "MINUS",
    "RECIPROCAL",
    "ColumnGuess",
    "ItemColumns",
    "Meaning",
    "Times",
    "column_of",
    "document_amounts",
    "document_segments",
    "document_times",
    "find_falling",
    "frame_as_csv",
    "guess_columns",
    "guess_meanings",
    "is_count_table",
    "rating_values",
    "read_items",
    "read_pasted",
    "require_documents"
]  # fmt: skip
