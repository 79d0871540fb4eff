"""Bytes to tables to columns and back; hostile input stops here."""

from multiloss_core.formatting import MINUS
from multiloss_core.tables.amount_column import document_amounts
from multiloss_core.tables.currency_column import currency_of_amounts
from multiloss_core.tables.derived_column import RECIPROCAL, column_of
from multiloss_core.tables.guess_columns import (
    ColumnGuess,
    find_falling,
    guess_columns,
    is_count_table,
    require_documents,
)
from multiloss_core.tables.item_columns import MAX_ITEMS, MAX_PASTED, ItemColumns, read_items, read_pasted
from multiloss_core.tables.number_column import numbers
from multiloss_core.tables.rating_column import Meaning, guess_meanings, rating_values, written_ratings
from multiloss_core.tables.reader_process.client import read_in_process, read_items_in_process, start_reader
from multiloss_core.tables.reading.column_types import with_decimal_sign
from multiloss_core.tables.reading.limits import LARGEST_FILE, MAX_LINES
from multiloss_core.tables.reading.read_file import read_file
from multiloss_core.tables.reading.table_file import READ_AS_IT_LOOKS, ReadOptions, TableFile
from multiloss_core.tables.segment_column import document_segments
from multiloss_core.tables.spreadsheet_csv import frame_as_csv, without_formula, without_formulas
from multiloss_core.tables.time_column import Times, document_times, local_times

__all__ = [
    "LARGEST_FILE",
    "MAX_ITEMS",
    "MAX_LINES",
    "MAX_PASTED",
    "MINUS",
    "READ_AS_IT_LOOKS",
    "RECIPROCAL",
    "ColumnGuess",
    "ItemColumns",
    "Meaning",
    "ReadOptions",
    "TableFile",
    "Times",
    "column_of",
    "currency_of_amounts",
    "document_amounts",
    "document_segments",
    "document_times",
    "find_falling",
    "frame_as_csv",
    "guess_columns",
    "guess_meanings",
    "is_count_table",
    "local_times",
    "numbers",
    "rating_values",
    "read_file",
    "read_in_process",
    "read_items",
    "read_items_in_process",
    "read_pasted",
    "require_documents",
    "start_reader",
    "with_decimal_sign",
    "without_formula",
    "without_formulas",
    "written_ratings",
]  # fmt: skip
