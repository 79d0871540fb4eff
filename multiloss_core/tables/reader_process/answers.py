"""What is found in a file: its columns and what they seem to be, as they go from one process to another."""

from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import Any, BinaryIO, Literal

import pandas as pd
import pyarrow as arrow
from pydantic import TypeAdapter

from multiloss_core.tables.guess_columns import ColumnGuess, guess_columns, is_count_table
from multiloss_core.tables.item_columns import ItemColumns, guess_item_columns, require_few_items
from multiloss_core.tables.reader_process.kept_rows import Kept, keep_rows
from multiloss_core.tables.reading.read_file import decode_file
from multiloss_core.tables.reading.table_file import ReadOptions, TableFile, frame_of

Purpose = Literal["documents", "items"]
Guess = ColumnGuess | ItemColumns | None

_GUESS: TypeAdapter[Guess] = TypeAdapter(ColumnGuess | ItemColumns | None)


def answer(
    file: BinaryIO, size: int, name: str, options: ReadOptions | None, purpose: Purpose, kept: Kept | None = None
) -> tuple[TableFile, Guess]:
    """Read a file of so many bytes and guess what its columns are; None for a table of counts.

    Raises
    ------
    DataError : the file is no table, or none of items where these are wanted.
    """
    target = BytesIO()
    return read(write_answer(file, size, name, options, purpose, target, kept), target)


def write_answer(
    file: BinaryIO,
    size: int,
    name: str,
    options: ReadOptions | None,
    purpose: Purpose,
    target: BinaryIO,
    kept: Kept | None = None,
) -> dict[str, Any]:
    """Write the columns to `target`, each as an Arrow stream, and give all else as values for JSON.

    Of too many documents, all go to `kept` and some to `target`.

    Raises
    ------
    DataError : as `answer` does.
    """
    decoded = decode_file(file, size, name, options)
    columns, rows = dict(decoded.columns), None
    if kept is not None and kept.takes(columns):
        rows = len(next(iter(columns.values())))
        columns = keep_rows(columns, kept)
    content = {
        "rows": rows,
        "notes": decoded.notes,
        "ambiguous": (ambiguous := decoded.ambiguous),
        "units": dict(decoded.units),
        "sheets": decoded.sheets,
        "sheet": decoded.sheet,
    }
    del decoded
    starts = []
    for title, column in columns.items():
        starts.append(target.tell())
        table = arrow.table({title: column}).unify_dictionaries()
        with arrow.ipc.new_stream(target, table.schema) as stream:
            stream.write_table(table)
    del column, table
    # No column is held twice for longer than it takes to copy it.
    frame = frame_of((title, columns.pop(title)) for title in list(columns))
    return content | {
        "starts": starts,
        "guess": _GUESS.dump_python(_guess(frame, name, purpose, ambiguous), mode="json"),
    }


def _guess(frame: pd.DataFrame, name: str, purpose: Purpose, ambiguous: Sequence[str]) -> Guess:
    if purpose == "items":
        require_few_items(len(frame), f"'{name}'")
        return guess_item_columns(frame)
    return None if is_count_table(frame) else guess_columns(frame, ambiguous)


def read(content: dict[str, Any], source: BinaryIO) -> tuple[TableFile, Guess]:
    """Read what `write_answer` has written; of the columns one at a time is held twice."""
    frame = frame_of(_columns(content["starts"], source))
    return TableFile(
        frame=frame,
        notes=tuple(content["notes"]),
        ambiguous=tuple(content["ambiguous"]),
        units=content["units"],
        sheets=tuple(content["sheets"]),
        sheet=content["sheet"],
        rows=content["rows"],
    ), _GUESS.validate_python(content["guess"])


def _columns(starts: list[int], source: BinaryIO) -> Iterator[tuple[str, arrow.ChunkedArray]]:
    for start in starts:
        source.seek(start)
        table = arrow.ipc.open_stream(source).read_all()
        yield table.column_names[0], table.column(0)
