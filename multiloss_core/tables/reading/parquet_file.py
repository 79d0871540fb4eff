"""Reads Parquet files, of which a few bytes may unpack to gigabytes."""

import json
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any, BinaryIO

import numpy as np
import pyarrow as arrow
from pyarrow import compute, parquet

from multiloss_core.errors import DataError
from multiloss_core.formatting import plural, shortened
from multiloss_core.tables.reading.column_types import Columns, is_words, typed_columns
from multiloss_core.tables.reading.limits import (
    MAX_FOOTER_BYTES,
    MAX_TEXT_BYTES,
    column_names,
    require_decoded,
    require_short_cell,
    require_size,
    require_table_size,
)
from multiloss_core.tables.reading.table_file import EXACT, DecodedFile

# Delta-encoded text may unpack to much more than its pages hold: read few rows at a time.
DELTA_ROWS = 64
_FRACTIONS = (compute.millisecond, compute.microsecond, compute.nanosecond)
# An index of pandas without a name of its own.
_INDEX_NAME = re.compile(r"__index_level_\d+__")


def read_parquet(file: BinaryIO, name: str) -> DecodedFile:
    """Read the flat columns of a Parquet file in turn, with its consecutive pandas index.

    Raises DataError: damaged, too large, a text of more than 32,767 characters, or no column that can be read.
    """
    try:
        _require_short_footer(file, name)
        opened = parquet.ParquetFile(file)
        schema = opened.schema_arrow
        require_size(opened.metadata.num_rows, len(schema), name)
        blobs = _sizes_of_binary(opened.metadata, schema)
        readable = [
            place
            for place, field in enumerate(schema)
            if (is_readable_type(field.type) and not _INDEX_NAME.fullmatch(field.name))
            or blobs.get(field.name, MAX_TEXT_BYTES) < MAX_TEXT_BYTES
        ]
        titles = column_names(schema.field(place).name for place in readable)
        require_size(opened.metadata.num_rows, len(titles), name)
        if not titles:
            raise DataError(f"'{name}' has no column of numbers, times or text; choose another file.")
        if not opened.metadata.num_rows:
            raise DataError(f"'{name}' has a header but no rows; choose a file with rows below it.")
        stored = [schema.field(place).name for place in readable]
        require_decoded(sum(chunk.total_uncompressed_size for chunk in _chunks(opened.metadata, stored)), name)
        columns = _read_columns(file, opened.metadata, schema, dict(zip(stored, titles, strict=True)), name)
    except (arrow.ArrowException, OSError, OverflowError, UnicodeDecodeError) as error:
        if "crypt" in str(error):
            raise DataError(f"'{name}' is an encrypted Parquet file; save it without encryption.") from None
        raise DataError(f"'{name}' starts like a Parquet file but cannot be read; save it again or use CSV.") from None
    if not columns:
        raise DataError(f"'{name}' has no column of numbers, times or text; choose another file.")
    left_out = len(schema) - len(columns) - sum(bool(_INDEX_NAME.fullmatch(field.name)) for field in schema)
    typed = typed_columns(_named_range(schema, opened.metadata.num_rows, titles) | columns)
    notes = (f"{plural(left_out, 'column')} of lists, records or binary data left out.",) if left_out else ()
    return replace(typed, columns=_with_short_texts(typed.columns), notes=(*notes, *typed.notes))


def _require_short_footer(file: BinaryIO, name: str) -> None:
    size = file.seek(0, 2)
    file.seek(max(size - 8, 0))
    length = int.from_bytes(file.read(4), "little")
    if file.read(4) != b"PAR1" or length > size:
        raise arrow.ArrowInvalid
    if length > MAX_FOOTER_BYTES:
        raise DataError(f"'{name}' has too many columns or pieces to be read; save it again with fewer.")
    file.seek(0)


def _named_range(schema: Any, rows: int, titles: Sequence[str]) -> Columns:
    """Write out a named consecutive pandas index, which the file stores as bounds."""
    try:
        (bounds,) = json.loads((schema.metadata or {})[b"pandas"])["index_columns"]
        title, numbers = bounds["name"], range(bounds["start"], bounds["stop"], bounds["step"])
        if not isinstance(title, str) or title in titles or len(numbers) != rows:
            return {}
        return {title: arrow.chunked_array([np.arange(numbers.start, numbers.stop, numbers.step, dtype=np.int64)])}
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError):
        # It is a remark of the program that wrote the file, and no part of the table.
        return {}


def _sizes_of_binary(metadata: Any, schema: Any) -> dict[str, int]:
    """Return the unpacked size of each binary column, which may be unmarked text."""
    sizes = dict.fromkeys((field.name for field in schema if _is_binary(field.type)), 0)
    for chunk in _chunks(metadata, sizes):
        sizes[chunk.path_in_schema] += max(chunk.total_uncompressed_size, 0)
    return sizes


def _chunks(metadata: Any, stored: Collection[str]) -> Iterator[Any]:
    for group in range(metadata.num_row_groups):
        row_group = metadata.row_group(group)
        for place in range(row_group.num_columns):
            chunk = row_group.column(place)
            if chunk.path_in_schema in stored:
                yield chunk


def _is_binary(kind: Any) -> bool:
    return bool(arrow.types.is_binary(kind) or arrow.types.is_large_binary(kind))


def is_readable_type(kind: Any) -> bool:
    """Whether columns of an Arrow type can be read: numbers, times, truth values or text."""
    types = arrow.types
    kind = kind.value_type if types.is_dictionary(kind) else kind
    plain = (
        *(types.is_integer, types.is_floating, types.is_boolean, types.is_decimal, types.is_temporal, types.is_null),
        *(is_words, _is_list_of_words),
    )
    return any(is_plain(kind) for is_plain in plain)


def _read_columns(file: BinaryIO, metadata: Any, schema: Any, titles: dict[str, str], name: str) -> Columns:
    # Repeated words stay a dictionary, so that a small file cannot unpack to a huge one.
    words = {
        field.name for field in schema if field.name in titles and (is_words(field.type) or _is_binary(field.type))
    }
    deltas = {chunk.path_in_schema for chunk in _chunks(metadata, words) if "DELTA" in " ".join(chunk.encodings)}
    opened = parquet.ParquetFile(file, read_dictionary=list(words - deltas), page_checksum_verification=True)
    columns: Columns = {}
    size = 0
    for stored, title in titles.items():
        is_binary = _is_binary(schema.field(stored).type)
        try:
            read = arrow.chunked_array(list(_pieces(opened, stored, title, name, deltas)))
            columns[title] = plain_column(read, title)
        except (arrow.ArrowInvalid, DataError):
            if is_binary:
                # It is no text.
                continue
            raise
        size += columns[title].nbytes
        require_table_size(size, name)
    return columns


def _pieces(opened: Any, stored: str, title: str, name: str, deltas: Collection[str]) -> Iterator[Any]:
    """Read a column in pieces, delta-encoded text a few rows at a time."""
    size = 0
    for group in range(opened.metadata.num_row_groups):
        if stored in deltas:
            batches = opened.iter_batches(DELTA_ROWS, row_groups=[group], columns=[stored], use_threads=False)
            chunks = (batch.column(0) for batch in batches)
        else:
            chunks = opened.read_row_group(group, columns=[stored], use_threads=False).column(stored).chunks
        for piece in chunks:
            text = _as_text(piece)
            _require_short(text.dictionary if arrow.types.is_dictionary(text.type) else text, title)
            size += text.nbytes
            require_table_size(size, name)
            yield text


def _as_text(piece: Any) -> Any:
    """Decode binary cells as text. Raises ArrowInvalid for invalid UTF-8 or zeros."""
    if arrow.types.is_dictionary(piece.type):
        return arrow.DictionaryArray.from_arrays(piece.indices, _as_text(piece.dictionary))
    if not _is_binary(piece.type):
        return piece
    text = piece.cast(arrow.string())
    if compute.any(compute.match_substring(text, "\0")).as_py():
        raise arrow.ArrowInvalid("These bytes are no text.")
    return text


def _require_short(words: Any, title: str) -> None:
    if is_words(words.type) and len(words):
        longest = compute.max(compute.binary_length(words.cast(arrow.large_string()))).as_py() or 0
        require_short_cell(longest, title, "one of its rows")


def _is_list_of_words(kind: Any) -> bool:
    return bool(arrow.types.is_list(kind) or arrow.types.is_large_list(kind)) and is_words(kind.value_type)


def plain_column(column: Any, title: str) -> Any:
    """Convert a column to numbers, times, truth values or text, keeping digits and rows.

    Lists of words become text such as "[velocity, geo]", as DuckDB casts them.
    """
    types, kind = arrow.types, column.type
    if _is_list_of_words(kind):
        words = column.cast(arrow.list_(arrow.string()))
        joined = [compute.binary_join(chunk, ", ") for chunk in words.chunks]
        texts = [compute.binary_join_element_wise("[", text, "]", "") for text in joined]
        return arrow.chunked_array(texts, arrow.string())
    if types.is_dictionary(kind):
        return column if is_words(kind.value_type) else plain_column(column.cast(kind.value_type), title)
    has_blanks = column.null_count > 0
    target = kind
    if types.is_decimal(kind) and kind.scale == 0:
        # An identifier, of which no digit may be lost.
        largest = _largest(column)
        target = arrow.string() if largest >= (EXACT if has_blanks else 2**63) else arrow.int64()
    elif types.is_decimal(kind):
        # Exact, as in databases; a cast of Arrow itself may be off by a digit.
        column, target = column.cast(arrow.string()), arrow.float64()
    elif types.is_floating(kind) or types.is_null(kind):
        target = arrow.float64()
    elif types.is_date(kind):
        target = arrow.timestamp("us")
    elif (
        types.is_time(kind)
        or types.is_duration(kind)
        or types.is_interval(kind)
        or (has_blanks and (types.is_boolean(kind) or (types.is_integer(kind) and _largest(column) >= EXACT)))
    ):
        target = arrow.string()
    try:
        fractions = (part(column) for part in _FRACTIONS)
        if types.is_time(kind) and not any(compute.any(compute.not_equal(part, 0)).as_py() for part in fractions):
            # As databases write it.
            column = column.cast(arrow.time32("s"))
        return column.cast(target)
    except arrow.ArrowInvalid:
        raise DataError(
            f"Column '{shortened(title)}' holds {kind} values that no calendar or number has; leave it out."
        ) from None


def _largest(column: Any) -> int:
    bounds = compute.min_max(column).as_py()
    return max(abs(bounds["min"] or 0), abs(bounds["max"] or 0))


def _with_short_texts(columns: Columns) -> Columns:
    """Write out the words of dictionaries, at most 64 MB altogether."""
    left, found = MAX_TEXT_BYTES, dict(columns)
    for title, column in columns.items():
        if not arrow.types.is_dictionary(column.type):
            continue
        sizes = compute.binary_length(column.unify_dictionaries().chunk(0).dictionary)
        size = sum(
            compute.sum(sizes.take(chunk.indices)).as_py() or 0 for chunk in column.unify_dictionaries().chunks
        ) + 8 * len(column)
        if size <= left:
            left -= size
            found[title] = column.cast(arrow.string())
    return found
