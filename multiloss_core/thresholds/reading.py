"""From the bytes of an uploaded file to a table, and a guess at what its columns mean.

Every file is treated as hostile: its size, rows, columns and decoded size are bounded before it is decoded.
"""

import csv
import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from multiloss_core.errors import DataError
from multiloss_core.thresholds.amounts import document_amounts
from multiloss_core.thresholds.periods import document_times
from multiloss_core.thresholds.rating_column import guess_positive, rating_values
from multiloss_core.thresholds.segments import document_segments

LARGEST_FILE = 200 * 2**20
MOST_ROWS = 5_000_000
MOST_COLUMNS = 500
MOST_CELLS = 50_000_000
LARGEST_DECODED = 2 * 2**30
MOST_SCORES = 4
MOST_RATINGS = 20
MOST_SEGMENTS = 30
GUESSED_FROM = 10_000

_RATING_NAME = re.compile(r"label|rating|rated|verdict|truth|target|class|fraud|genuine|outcome|decision|is_|^y$", re.I)
_WEIGHT_NAME = re.compile(r"weight|sampling", re.I)
_IDENTIFIER_NAME = re.compile(
    r"(^|[_\s])(id|uuid|person|user|customer|account|date|time|timestamp|day|row|index)s?$", re.I
)
_GROUP_NAME = re.compile(r"group|customer|customer_id|person|account_id", re.I)
_SCORE_NAME = re.compile(r"score|prob|model|classifier", re.I)
_AMOUNT_NAME = re.compile(r"(^|[\W_\d])(amount|amt|betrag|value|price|loss|exposure|money)s?($|[\W_\d])", re.I)
_TIME_NAME = re.compile(r"(^|[\W_\d])(date|time|datetime|timestamp|created|day|week)s?($|[\W_\d])", re.I)
_SEGMENT_NAME = re.compile(
    r"(^|[\W_\d])(segment|country|channel|region|product|category|type|merchant)s?($|[\W_\d])", re.I
)


@dataclass(frozen=True)
class ColumnGuess:
    """What the columns of a table of documents seem to be; `None` or empty where nothing fits."""

    scores: tuple[str, ...]
    rating: str | None
    positive: str | None
    weight: str | None
    group: str | None = None
    amount: str | None = None
    time: str | None = None
    segment: str | None = None


def read_frame(data: bytes, name: str) -> pd.DataFrame:
    """Read a CSV (comma, semicolon, tab or bar; UTF-8 or UTF-16; decimal comma with semicolons) or Parquet file.

    Nested Parquet columns are left out. Nothing in the file is executed.

    Raises
    ------
    DataError : empty, too large, not a table, wrong encoding, repeated column names.
    """
    if not data:
        raise DataError(f"'{name}' is empty; choose a file with a header and rated rows.")
    if len(data) > LARGEST_FILE:
        raise DataError(
            f"'{name}' has {len(data) / 2**20:,.0f} MB, more than the limit of {LARGEST_FILE / 2**20:.0f} MB; keep only "
            "the score, rating and weight columns, or save it as Parquet."
        )
    frame = _read_parquet(data, name) if data[:4] == b"PAR1" else _read_csv(_decoded(data, name), name)
    if frame.empty:
        raise DataError(f"'{name}' has a header but no rows; choose a file with rows below it.")
    return frame


def guess_columns(frame: pd.DataFrame) -> ColumnGuess:
    """Guess scores (at most four), rating, positive value, weight, group, amount, time and segment from names and values."""
    weight = next(
        (c for c in frame.columns if _WEIGHT_NAME.search(str(c)) and pd.api.types.is_numeric_dtype(frame[c].dtype)),
        None,
    )
    rating = _guess_rating(frame if weight is None else frame.drop(columns=weight))
    positive = guess_positive(rating_values(frame[rating])[1]) if rating is not None else None
    group = next((c for c in frame.columns if c not in (rating, weight) and _looks_like_group(frame[c])), None)
    sample = frame.iloc[np.linspace(0, len(frame) - 1, min(len(frame), GUESSED_FROM)).astype(np.intp)]
    others = [c for c in frame.columns if c not in (rating, weight, group)]
    candidates = [c for c in others if _looks_like_score(sample[c])]
    named = [c for c in candidates if _SCORE_NAME.search(str(c))]
    scores = named or candidates
    amounts = [c for c in others if c not in named and _is_named_as_amount(sample[c])]
    # Scores may go by the name of an amount, and without a score nothing can be decided.
    if set(scores) <= set(amounts):
        amounts = []
    return ColumnGuess(
        tuple([c for c in scores if c not in amounts][:MOST_SCORES]),
        rating,
        positive,
        weight,
        group,
        next((c for c in amounts if _is_accepted(document_amounts, frame, sample, c)), None),
        next((c for c in others if _looks_like_time(frame, sample, c)), None),
        next((c for c in others if _looks_like_segment(frame, sample, c)), None),
    )


def require_documents(frame: pd.DataFrame) -> None:
    """Refuse a table that cannot hold rated documents, with what is missing.

    Raises
    ------
    DataError : one column only, or no numeric column.
    """
    if frame.shape[1] < 2:
        raise DataError(
            f"The table has one column, '{frame.columns[0]}'; a score and a rating are needed (columns are separated by "
            "comma, semicolon, tab or bar)."
        )
    if not any(_is_numeric(frame[c]) for c in frame.columns):
        raise DataError(
            f"None of the {frame.shape[1]} columns ('{frame.columns[0]}', …) is numeric from row 1 on; add the "
            "classifiers' scores as numbers."
        )


def _decoded(data: bytes, name: str) -> str:
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        where = _place(data[: error.start].count(b"\n"))
        raise DataError(
            f"'{name}' is not a UTF-8 text file: {where} holds a byte that is no letter; save it as 'CSV UTF-8' or Parquet."
        ) from None
    if "\x00" in text:
        where = _place(text[: text.index("\x00")].count("\n"))
        raise DataError(f"'{name}' is not a table: {where} holds binary data; save it as 'CSV UTF-8' or Parquet.")
    return text


def _place(row: int) -> str:
    return f"row {row:,}" if row else "the header"


def _read_csv(text: str, name: str) -> pd.DataFrame:
    text = text.replace("\r\n", "\n").replace("\r", "\n").lstrip("\n")
    first_line = text.split("\n", 1)[0]
    if not first_line.strip():
        raise DataError(f"'{name}' holds nothing but blank lines; choose a file with a header and rows.")
    if first_line.lstrip().startswith(("{", "[", "<")):
        raise DataError(
            f"'{name}' is not a table: it starts with '{first_line.lstrip()[0]}'; export it as CSV or Parquet."
        )
    separator = max(",;\t|", key=first_line.count)
    cells, first_row = _first_records(text, separator, name)
    header = [cell.strip() or f"column {position}" for position, cell in enumerate(cells, 1)]
    _require_size(text.rstrip("\n").count("\n"), len(header), name)
    _require_distinct(header)
    # Left alone, pandas would take the first cells of such rows for an index and shift the others.
    if len(first_row) > len(header):
        raise DataError(
            f"'{name}' is not a table: row 1 has {len(first_row)} cells where the header has {len(header)}; remove "
            f"trailing separators '{separator}' or name every column."
        )
    try:
        frame = pd.read_csv(
            io.StringIO(text),
            sep=separator,
            decimal="," if separator == ";" and re.search(r"\d,\d", text) and not re.search(r"\d\.\d", text) else ".",
            names=header,
            header=0,
            low_memory=False,
            on_bad_lines="error",
        )
    except pd.errors.ParserError as error:
        found = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", str(error))
        where = (
            f"row {int(found[2]) - 1:,} has {found[3]} cells where the header has {len(header)}"
            if found
            else f"a row does not fit the {len(header)} columns of the header"
        )
        raise DataError(
            f"'{name}' is not a table: {where}; quote cells that contain the separator '{separator}'."
        ) from None
    return frame


def _first_records(text: str, separator: str, name: str) -> tuple[list[str], list[str]]:
    """The cells of the header and of the first row that is not blank (none where there is no row)."""
    records = (cells for cells in csv.reader(io.StringIO(text, newline=""), delimiter=separator) if cells)
    try:
        return next(records, []), next(records, [])
    except csv.Error as error:
        raise DataError(
            f"'{name}' is not a table: its first rows cannot be told apart ({error}); export it again."
        ) from None


def _read_parquet(data: bytes, name: str) -> pd.DataFrame:
    try:
        import pyarrow as arrow  # noqa: PLC0415  an optional dependency of the library
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError:
        raise DataError(f"Reading '{name}' needs the package pyarrow; install it or save the file as CSV.") from None
    try:
        file = parquet.ParquetFile(io.BytesIO(data))
        flat = [f for f in file.schema_arrow if not arrow.types.is_nested(f.type)]
        _require_distinct([f.name for f in flat])
        _require_size(file.metadata.num_rows, len(flat), name)
        decoded = sum(file.metadata.row_group(i).total_byte_size for i in range(file.metadata.num_row_groups))
        if decoded > LARGEST_DECODED:
            raise DataError(
                f"'{name}' unpacks to {decoded / 2**30:,.1f} GB, more than the limit of {LARGEST_DECODED / 2**30:.0f} GB; "
                "keep only the columns that are needed."
            )
        # Repeated words stay a dictionary, so that a small file cannot unpack to a huge one.
        words = [f.name for f in flat if arrow.types.is_string(f.type) or arrow.types.is_large_string(f.type)]
        file = parquet.ParquetFile(io.BytesIO(data), read_dictionary=words)
        frame: pd.DataFrame = file.read(columns=[f.name for f in flat]).to_pandas()
    except (arrow.ArrowException, OSError):
        raise DataError(f"'{name}' starts like a Parquet file but cannot be read; save it again or use CSV.") from None
    return frame.reset_index(drop=True)


def _require_size(rows: int, columns: int, name: str) -> None:
    if rows > MOST_ROWS or columns > MOST_COLUMNS or rows * columns > MOST_CELLS:
        raise DataError(
            f"'{name}' has {rows:,} rows and {columns:,} columns; the limits are {MOST_ROWS:,} rows, {MOST_COLUMNS} columns "
            f"and {MOST_CELLS:,} cells: keep only the columns that are needed."
        )


def _require_distinct(header: list[str]) -> None:
    for position, column in enumerate(header):
        if column in header[:position]:
            raise DataError(
                f"Column name '{column}' occurs more than once in the header (columns {header.index(column) + 1} and "
                f"{position + 1}); rename one of them."
            )


def _guess_rating(frame: pd.DataFrame) -> str | None:
    distinct = {str(column): int(frame[column].nunique(dropna=True)) for column in frame.columns}
    two = [column for column, values in distinct.items() if values == 2]
    one = [column for column, values in distinct.items() if values == 1]
    for choices in (two, one):
        named = [column for column in choices if _RATING_NAME.search(column)]
        worded = [column for column in choices if guess_positive(rating_values(frame[column])[1])]
        if named or worded:
            return (named or worded)[0]
    named = [column for column, values in distinct.items() if _RATING_NAME.search(column) and values <= MOST_RATINGS]
    found = two or named
    return found[0] if found else None


def _looks_like_group(column: "pd.Series[Any]") -> bool:
    """Whether a column is clearly named as a group and puts some rows together, but not all."""
    return bool(_GROUP_NAME.fullmatch(str(column.name).strip())) and 1 < column.nunique() < column.count()


def _is_named_as_amount(column: "pd.Series[Any]") -> bool:
    if not _AMOUNT_NAME.search(str(column.name)) or pd.api.types.is_bool_dtype(column.dtype):
        return False
    # Numbers up to 1 are rather shares or probabilities.
    return pd.api.types.is_numeric_dtype(column.dtype) and bool(column.max() > 1)


def _looks_like_time(frame: pd.DataFrame, sample: pd.DataFrame, name: str) -> bool:
    if not _TIME_NAME.search(str(name)) or pd.api.types.is_numeric_dtype(frame[name].dtype):
        return False
    return _is_accepted(document_times, frame, sample, name)


def _looks_like_segment(frame: pd.DataFrame, sample: pd.DataFrame, name: str) -> bool:
    if not _SEGMENT_NAME.search(str(name)) or not _is_text(frame[name]):
        return False
    few = all(1 < table[name].nunique() <= MOST_SEGMENTS for table in (sample, frame))
    return few and _is_accepted(document_segments, frame, sample, name)


def _is_text(column: "pd.Series[Any]") -> bool:
    categories = column.cat.categories if isinstance(column.dtype, pd.CategoricalDtype) else column
    return bool(pd.api.types.is_string_dtype(categories.dtype))


def _is_accepted(
    read: Callable[[pd.DataFrame, str, NDArray[np.intp]], NDArray[Any]],
    frame: pd.DataFrame,
    sample: pd.DataFrame,
    name: str,
) -> bool:
    """Whether a column can be read without a complaint: first in the sample, which is quick, then in every row."""
    try:
        for table in (sample, frame):
            read(table, name, np.arange(len(table)))
    except DataError:
        return False
    return True


def _is_numeric(column: "pd.Series[Any]") -> bool:
    if pd.api.types.is_bool_dtype(column.dtype):
        return False
    if pd.api.types.is_numeric_dtype(column.dtype):
        return True
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        return False
    return bool(pd.to_numeric(column.astype("object"), errors="coerce").notna().mean() > 0.5)


def _looks_like_score(column: "pd.Series[Any]") -> bool:
    if not _is_numeric(column) or _IDENTIFIER_NAME.search(str(column.name)):
        return False
    values = pd.to_numeric(column.astype("object"), errors="coerce").to_numpy(dtype=np.float64)
    values = values[np.isfinite(values)]
    return values.size > 0 and values.min() < values.max() and not _counts_rows(values)


def _counts_rows(values: NDArray[np.float64]) -> bool:
    """Whether a column numbers its rows, as an index does (in steps where only some rows were looked at)."""
    steps = np.diff(values)
    return values.size > 2 and bool((steps >= 1).all() and np.ptp(steps) <= 1)
